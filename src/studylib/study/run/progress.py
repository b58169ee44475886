"""Progress: one bar over cells and tasks in a terminal, a bar in JupyterLab, quiet lines in a log."""

import contextlib
import sys
import threading
import time

from tqdm import tqdm

from studylib.study.run.context import current_context

#: Characters for what the present cells do: the rest of a line of 80 with a short bar.
_POSTFIX = 36


class TaskProgress:
    """Tells how many tasks of a cell are done: to JupyterLab, and to the runner by a small file.

    In the kernels of a run there is no bar: it would be kept among their outputs.
    """

    def __init__(self, work, label, total, quiet=None):
        quiet = not current_context().by_hand if quiet is None else quiet
        self._path = work.with_suffix(".tasks")
        self._label, self._last, self._state, self._remark = label, 0.0, "", ""
        self._bar = _bar(quiet)(total=total, desc=label, unit="task", leave=False, disable=quiet)

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


def _bar(quiet):
    """The class of a bar; that of JupyterLab imports its widgets."""
    if quiet:
        return tqdm
    from tqdm.auto import tqdm as notebook_tqdm

    return notebook_tqdm


class Progress:
    """The runner's bar over all notebooks, by the time that their cells took the last time.

    The present cell of a notebook counts as far as its tasks are done or, if it has none, as far as its time
    has passed.  The bar never goes back.

    Parameters
    ----------
    expected : dict of str to list of float
        Seconds of each cell of each notebook.
    folder : Path
        Where the kernels tell of their tasks.
    stream : text file or None
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

    def cell_done(self, name):
        """Count one cell of a notebook."""
        self._done[name] += 1
        self._since[name] = time.monotonic()

    def notebook_done(self, name):
        """Count all of a notebook, whether or not it failed."""
        self._done[name] = len(self._expected[name])

    def say(self, line):
        """Print a line above the bar."""
        self._bar.write(line, file=self._stream)

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
            found = _tasks(self._folder)
            shares = {name: share for name, state, *_ in found if (share := _share(state)) is not None}
            self._bar.set_postfix_str(_fitted([": ".join(lines) for lines in found]), refresh=False)
            self._bar.update(max(0.0, self._seconds_done(shares) - self._bar.n))
            self._bar.refresh()
            now = {": ".join((name, *rest)) for name, _, *rest in found if rest}
            for remark in sorted(now - remarks) if self._bar.disable else ():
                self.say(f"  {remark}")
            remarks = now


def _share(state):
    """0.3 of ``"trees 3/10"``."""
    done, _, total = state.rpartition(" ")[2].partition("/")
    return int(done) / max(int(total), 1) if done.isdigit() and total.isdigit() else None


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
    """``[name, state of its tasks]`` for each notebook, with a remark behind it if there is one."""
    found = []
    for path in sorted(folder.glob("*.tasks")):
        with contextlib.suppress(OSError):  # it may be gone by now
            found.append([path.stem, *path.read_text().split("\n")])
    return found
