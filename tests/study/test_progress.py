"""What a user sees of a run while it is at work."""

import io
import json
import threading
import time

from studylib.study.run.progress import Progress, TaskProgress, _fitted

LIMIT = 300  # seconds; ends a hang


def test_a_remark_of_a_cell_is_a_line_of_the_log_once(tmp_path):
    stream, ends = io.StringIO(), time.monotonic() + LIMIT
    progress = Progress({"one": [1.0]}, tmp_path, stream)
    with TaskProgress(tmp_path / "one.tasks", "work", 3, quiet=True) as tasks:
        tasks(0, 3)
        tasks.say("waiting for workers")
        while "waiting" not in stream.getvalue():
            assert time.monotonic() < ends
            time.sleep(0.02)
        tasks(1, 3)
        tasks.say("")
        state = {"label": "work", "done": 1, "total": 3, "remark": ""}
        assert json.loads((tmp_path / "one.tasks").read_text()) == state
    progress.close()
    assert stream.getvalue() == "  one: waiting for workers\n"
    assert not list(tmp_path.iterdir())


def test_notebooks_weigh_what_they_took_the_last_time(tmp_path):
    progress = Progress({"long": [10.0, 80.0], "short": [5.0, 5.0]}, tmp_path, io.StringIO())
    progress.close()
    assert progress._seconds_done({}) == 0
    progress.notebook_done("short")
    assert progress._seconds_done({}) == 10
    progress.cell_done("long")
    assert progress._seconds_done({"long": 0.25}) == 10 + 10 + 20  # a quarter of its tasks
    progress.cell_done("long")
    assert progress._seconds_done({}) == 100
    progress = Progress({"one": [1.0, 0.01, 1.0]}, tmp_path, io.StringIO())
    progress.close()
    progress.cell_done("one")
    time.sleep(0.02)  # longer than its second cell, which is not done, was expected to take
    assert progress._seconds_done({}) == 1.0 + 0.95 * 0.01


def test_the_time_of_a_first_cell_runs_once_its_notebook_is_started(tmp_path):
    stream, lines = io.StringIO(), io.StringIO()
    progress = Progress({"one": [1000.0]}, tmp_path, stream)
    assert progress._seconds_done({}) == 0
    assert progress._seconds_done({"one": 0.5}) == 0
    progress.started("one")
    assert 0 <= progress._seconds_done({}) < 500
    assert progress._seconds_done({"one": 0.5}) == 500
    progress.say("  one: fresh", lines)
    progress.close()
    assert (stream.getvalue(), lines.getvalue()) == ("", "  one: fresh\n")


def test_the_bar_is_not_drawn_again_once_it_is_taken_away(tmp_path, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    looking, go_on = threading.Event(), threading.Event()

    def look(folder):
        looking.set()
        assert go_on.wait(LIMIT)
        return {}

    monkeypatch.setattr("studylib.study.run.progress._tasks", look)
    stream = Terminal()
    progress = Progress({"one": [1.0]}, tmp_path, stream)
    progress._bar.refresh = lambda **how: stream.write("\r 50% late")
    assert looking.wait(LIMIT)  # the watcher is about to draw
    closing = threading.Thread(target=progress.close)
    closing.start()
    closing.join(0.2)  # without the wait for the watcher it would be through by now
    go_on.set()
    closing.join(LIMIT)
    progress._watcher.join(LIMIT)
    assert "late" in stream.getvalue()
    assert stream.getvalue().endswith("\r")


def test_the_state_of_tasks_fits_its_place():
    assert _fitted(["01: a 1/2", "02: b 3/4"], 36) == "01: a 1/2, 02: b 3/4"
    assert _fitted(["01: a 1/2", "02: b 3/4", "03: c 5/6"], 22) == "01: a 1/2, +2"
    assert _fitted(["01: a very long name 1/2"], 10) == "01: a ver…"
