"""Progress: one bar over cells and tasks in a terminal, a bar in JupyterLab, quiet lines in a log."""

import sys
import threading
import time

from tqdm import tqdm

from studylib.core.files import write_json
from studylib.study.ledger.reading import read_json
from studylib.study.run.context import current_context

#: Characters for what the present cells do: the rest of a line of 80 with a short bar.
_POSTFIX = 36
#: What a kernel tells of the tasks of its present cell.
_STATE = {"label": str, "done": int, "total": int, "remark": str}


class TaskProgress:
    """Tells how many tasks of a cell are done: to JupyterLab, and to the runner by a small file."""

    def __init__(self, path, label, total, quiet=None):
        # In the kernels of a run there is no bar: it would be kept among their outputs.
        quiet = not current_context().by_hand if quiet is None else quiet
        self._path = path
        self._last, self._state = 0.0, {"label": label, "done": 0, "total": total, "remark": ""}
        self._bar = _bar(quiet)(total=total, desc=label, unit="task", leave=False, disable=quiet)

    def __call__(self, done, total):
        self._bar.update(done - self._bar.n)
        now = time.monotonic()
        self._state |= {"done": done, "total": total}
        if now - self._last > 0.5 or done == total:
            self._last = now
            self._write()

    def say(self, remark):
        """Show a remark, such as that no workers are there, until the next one; "" takes it away."""
        if remark != self._state["remark"]:
            self._state["remark"] = remark
            self._bar.set_postfix_str(remark)
            self._write()

    def _write(self):
        write_json(self._path, self._state)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._bar.close()
        self._path.unlink(missing_ok=True)


def _bar(quiet):
    """The class of a bar; that of JupyterLab imports its widgets."""
    if quiet:
        return tqdm
    from tqdm.auto import tqdm as notebook_tqdm

    return notebook_tqdm


class Progress:
    """The runner's bar over all notebooks, by the time that their cells took the last time.

    The present cell of a notebook counts as far as its tasks, of which the kernels tell in ``folder``, are
    done; if it has none, as far as its time has passed.  The bar never goes back.  ``expected`` has by
    notebook the seconds of each cell.
    """

    def __init__(self, expected, folder, stream=None):
        self._stream = stream or sys.stderr
        self._expected = {name: [max(s, 0.01) for s in cells] for name, cells in expected.items()}
        self._done = dict.fromkeys(expected, 0)  # cells
        self._since = {}  # when the present cell began
        self._bar = tqdm(
            total=sum(map(sum, self._expected.values())),
            bar_format="{percentage:3.0f}% {bar} {elapsed}, about {remaining} left{postfix}",
            smoothing=0,
            file=self._stream,
            disable=not self._stream.isatty(),
            leave=False,
            dynamic_ncols=True,
        )
        self._folder, self._stop = folder, threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def started(self, name):
        """Let the time of a notebook's first cell run."""
        self._since[name] = time.monotonic()

    def cell_done(self, name):
        """Count one cell of a notebook."""
        self._done[name] += 1
        self._since[name] = time.monotonic()

    def notebook_done(self, name):
        """Count all of a notebook, whether or not it failed."""
        self._done[name] = len(self._expected[name])

    def say(self, line, stream=None):
        """Print a line above the bar, at once."""
        stream = stream or self._stream
        self._bar.write(line, file=stream)
        stream.flush()

    def close(self):
        """Take the bar away."""
        self._stop.set()
        self._watcher.join()  # or it might draw the bar once more, in front of what is printed next
        self._bar.close()

    def _seconds_done(self, tasks):
        """How many of the expected seconds are behind us; ``tasks`` is the share done of present cells."""
        total = 0.0
        for name, cells in self._expected.items():
            done = self._done[name]
            total += sum(cells[:done])
            if name in self._since and done < len(cells):
                passed = (time.monotonic() - self._since[name]) / cells[done]
                total += cells[done] * tasks.get(name, min(passed, 0.95))
        return total

    def _watch(self):
        """Show in a terminal how far the work is; in a log, the cells' remarks alone, each of them once."""
        remarks = set()
        while not self._stop.wait(1.0):
            states = _tasks(self._folder)
            shares = {name: state["done"] / max(state["total"], 1) for name, state in states.items()}
            self._bar.set_postfix_str(_fitted([_worded(*entry) for entry in states.items()]), refresh=False)
            self._bar.update(max(0.0, self._seconds_done(shares) - self._bar.n))
            self._bar.refresh()
            now = {f"{name}: {state['remark']}" for name, state in states.items() if state["remark"]}
            for remark in sorted(now - remarks) if self._bar.disable else ():
                self.say(f"  {remark}")
            remarks = now


def _worded(name, state):
    """``"05: trees 3/10: waiting for workers"``."""
    counted = f"{state['label']} {state['done']}/{state['total']}"
    return ": ".join(filter(None, (name, counted, state["remark"])))


def _fitted(states, width=_POSTFIX):
    """As many states as fit, and how many more there are."""
    shown = ""
    for k, state in enumerate(states):
        more = f"{shown}, {state}" if shown else state
        rest = f", +{len(states) - k - 1}" if k < len(states) - 1 else ""
        if len(more + rest) > width:
            return f"{shown}, +{len(states) - k}" if shown else f"{state[: width - 1]}…"
        shown = more
    return shown


def _tasks(folder):
    """What the kernels tell of their tasks, by notebook."""
    states = {path.stem: read_json(path, _STATE) for path in sorted(folder.glob("*.tasks"))}
    return {name: state for name, state in states.items() if state}  # it may be gone by now
