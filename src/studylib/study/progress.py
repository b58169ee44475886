"""Progress: one bar over cells and tasks in a terminal, a bar in JupyterLab, quiet lines in a log."""

import contextlib
import os
import sys
import threading
import time

from tqdm import tqdm
from tqdm.auto import tqdm as notebook_tqdm

#: Set in kernels that the runner starts: their bars go to the runner's terminal, not into their outputs.
QUIET_VARIABLE = "STUDYLIB_QUIET"


class TaskProgress:
    """Tells how many tasks of a cell are done: to JupyterLab, and to the runner by a small file."""

    def __init__(self, work, label, total, quiet=None):
        quiet = bool(os.environ.get(QUIET_VARIABLE)) if quiet is None else quiet
        self._path = work.with_suffix(".tasks")
        self._label, self._last = label, 0.0
        self._bar = notebook_tqdm(total=total, desc=label, unit="task", leave=False, disable=quiet)

    def __call__(self, done, total):
        self._bar.update(done - self._bar.n)
        now = time.monotonic()
        if now - self._last > 0.5 or done == total:
            self._last = now
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(f"{self._label} {done}/{total}")

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._bar.close()
        self._path.unlink(missing_ok=True)


class Progress:
    """The runner's bar over the cells of all notebooks, with the tasks of their present cells behind it."""

    def __init__(self, total, folder, stream=None):
        self._stream = stream or sys.stderr
        self._bar = tqdm(
            total=total,
            unit="cell",
            file=self._stream,
            disable=not self._stream.isatty(),
            leave=False,
            dynamic_ncols=True,
        )
        self._folder, self._stop = folder, threading.Event()
        if not self._bar.disable:
            threading.Thread(target=self._watch, daemon=True).start()

    def cell_done(self):
        """Count one cell."""
        self._bar.update()

    def say(self, line):
        """Print a line above the bar."""
        self._bar.write(line, file=self._stream)

    def close(self):
        """Take the bar away."""
        self._stop.set()
        self._bar.close()

    def _watch(self):
        while not self._stop.wait(1.0):
            self._bar.set_postfix_str(", ".join(_tasks(self._folder)))


def _tasks(folder):
    found = []
    for path in sorted(folder.glob("*.tasks")):
        with contextlib.suppress(OSError):  # it may be gone by now
            found.append(f"{path.stem}: {path.read_text()}")
    return found
