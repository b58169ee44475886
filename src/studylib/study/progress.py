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
        self._label, self._last, self._state, self._remark = label, 0.0, "", ""
        self._bar = notebook_tqdm(total=total, desc=label, unit="task", leave=False, disable=quiet)

    def __call__(self, done, total):
        self._bar.update(done - self._bar.n)
        now = time.monotonic()
        self._state = f"{self._label} {done}/{total}"
        if now - self._last > 0.5 or done == total:
            self._last = now
            self._write()

    def say(self, remark):
        """Show a remark, such as that no workers are there, until the next one; "" takes it away."""
        if remark != self._remark:
            self._remark = remark
            self._bar.set_postfix_str(remark)
            self._write()

    def _write(self):
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text("\n".join(filter(None, (self._state, self._remark))))

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
        """Show in a terminal how far the cells are; in a log, their remarks alone, each of them once."""
        remarks = set()
        while not self._stop.wait(1.0):
            found = _tasks(self._folder)
            self._bar.set_postfix_str(", ".join(": ".join(lines) for lines in found))
            now = {": ".join((name, *rest)) for name, _, *rest in found if rest}
            for remark in sorted(now - remarks) if self._bar.disable else ():
                self.say(f"  {remark}")
            remarks = now


def _tasks(folder):
    """``[name, state of its tasks]`` for each notebook, with a remark behind it if there is one."""
    found = []
    for path in sorted(folder.glob("*.tasks")):
        with contextlib.suppress(OSError):  # it may be gone by now
            found.append([path.stem, *path.read_text().split("\n")])
    return found
