"""A study that is disturbed at random moments ends with the very same files.

A few moments here; ``make stress`` has two hundred, by the same code.
"""

import signal
import time

import psutil
import pytest

from tests.study.small_study import write_study
from tests.study.stress import DAMAGES, DISKS, KILLED, LIMIT, SIGNALS, Storm, processes, start, still_there

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL"),
]


@pytest.mark.parametrize(
    "kinds", [[f"killed {kind}" for kind in KILLED], [*DISKS, *DAMAGES]], ids=["kills", "files"]
)
def test_disturbed_at_random_moments_the_study_ends_with_the_same_files(tmp_path, kinds):
    storm = Storm(tmp_path, seed=0)
    storm.blow(len(kinds), kinds)
    storm.check()
    assert storm.counts.keys() == set(kinds)


@pytest.mark.parametrize("name", SIGNALS)
def test_interrupted_it_says_one_sentence_and_leaves_no_process(tmp_path, name):
    write_study(tmp_path / "study", names=("one",), n=50)
    process = start(tmp_path / "study")
    runner = psutil.Process(process.pid)
    while not processes(runner)["worker"]:
        assert process.poll() is None
        time.sleep(0.05)
    below = runner.children(recursive=True)
    process.send_signal(getattr(signal, name))
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + getattr(signal, name)
    assert said.strip() == "studylib: stopped; what is finished is kept, run the same command to resume."
    assert not still_there(below)
