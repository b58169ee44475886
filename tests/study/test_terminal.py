"""What a user sees in a terminal while a study runs."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

from tests.study.small_study import environment, write_study

pytestmark = pytest.mark.slow


def test_the_bar_fits_its_line_never_goes_back_and_tells_how_many_tasks_are_done(tmp_path):
    folder = tmp_path / "study"
    write_study(folder, n=6)
    variables = {**os.environ, **environment(folder), "SMALL_STUDY_SECONDS": "0.7"}
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 80, 0, 0))
    runner = subprocess.Popen(
        [sys.executable, "-m", "studylib", "reproduce"], env=variables, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert runner.wait() == 0
    text = seen.decode(errors="replace")
    assert re.search("toy: work [1-5]/6", text)  # the bar looks once a second; a task takes 0.7
    bars = re.findall(r"\r( *(\d+)% [^\r\n]*)", text)
    shares = [int(share) for _, share in bars]
    assert len(set(shares)) > 2
    assert shares == sorted(shares)
    assert not [bar for bar, _ in bars if len(bar) > 80]
    assert "Warning" not in text
