"""What a user sees of a run while it is at work."""

import io
import time

from studylib.study.progress import Progress, TaskProgress

LIMIT = 300  # seconds; ends a hang


def test_a_remark_of_a_cell_is_a_line_of_the_log_once(tmp_path):
    stream, ends = io.StringIO(), time.monotonic() + LIMIT
    progress = Progress(1, tmp_path, stream)
    with TaskProgress(tmp_path / "one", "work", 3, quiet=True) as tasks:
        tasks(0, 3)
        tasks.say("waiting for workers")
        while "waiting" not in stream.getvalue():
            assert time.monotonic() < ends
            time.sleep(0.02)
        tasks(1, 3)
        tasks.say("")
        assert (tmp_path / "one.tasks").read_text() == "work 1/3"
    progress.close()
    assert stream.getvalue() == "  one: waiting for workers\n"
    assert not list(tmp_path.iterdir())
