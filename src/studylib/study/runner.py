"""Run the notebooks that are not fresh, in parallel, and render the report."""

import logging
import os
import signal
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager

import psutil
from doit.cmd_base import ModuleTaskLoader
from doit.doit_cmd import DoitMain
from tqdm import tqdm

from studylib.datasets import DataChangedError, DataNotAvailableError, mushroom
from studylib.datasets._download import OFFLINE_VARIABLE
from studylib.datasets._tables import load
from studylib.study import report, stamps
from studylib.study.execute import execute
from studylib.study.paths import Layout, notebook_path
from studylib.study.studies import studies

_TABLES = (mushroom.SECONDARY, mushroom.PRIMARY)


class Progress:
    """One bar over the cells of all notebooks in a terminal, one line a notebook in a log."""

    def __init__(self, total, stream=None):
        stream = stream or sys.stderr
        self._bar = tqdm(
            total=total,
            unit="cell",
            file=stream,
            disable=not stream.isatty(),
            leave=False,
            dynamic_ncols=True,
        )
        self._stream = stream

    def cell_done(self):
        """Count one cell."""
        self._bar.update()

    def say(self, line):
        """Print a line above the bar."""
        self._bar.write(line, file=self._stream)

    def close(self):
        """Take the bar away."""
        self._bar.close()


def fetch_data(say, paths=None):
    """Find or download every table; returns the names that are not available.

    After one failure the kernels are told not to try again.
    """
    absent = []
    for table in _TABLES:
        if paths is not None and table.path not in paths:
            continue
        try:
            load(table)
        except DataNotAvailableError as error:
            absent.append(table.name)
            say(f"data: {error}")
    if absent:
        os.environ[OFFLINE_VARIABLE] = "1"
    return absent


def reproduce(profile, names=None, jobs=1):
    """Bring the report of a profile up to date; returns an exit code.

    Parameters
    ----------
    profile : str
    names : list of str or None
        Notebooks to run; all by default. The report shows all of them either way.
    jobs : int
        Notebooks that run at the same time.
    """
    layout = Layout(profile)
    everything = list(studies().values())
    wanted = [s for s in everything if names is None or s.name in names]
    print(f"studylib: profile {profile}, {len(wanted)} notebook(s), {jobs} at a time", flush=True)
    try:
        fetch_data(lambda line: print(line, file=sys.stderr), {path for s in wanted for path in s.data})
    except DataChangedError as error:
        print(f"data: {error}", file=sys.stderr)
        return 2
    stale = [s for s in wanted if not stamps.is_fresh(layout, s, profile)]
    progress = Progress(sum(_n_cells(s) for s in stale))
    problems = {}

    def run(study):
        problem = execute(study, profile, progress.cell_done)
        if problem:
            problems[study.name] = problem
        else:
            wall_time = stamps.read(layout, study.name)["wall_time_s"]
            progress.say(f"  {study.name}: done in {report.duration(wall_time)}")
        return True  # what failed is told at the end; the other notebooks and the index go on

    def task_notebook():
        for study in stale:
            yield {"name": study.name, "actions": [(run, (study,))]}

    def task_report():
        return {
            "actions": [(_render, (layout, wanted, everything, profile, problems))],
            "task_dep": ["notebook"],
        }

    with _kernels_end_with_us(), _quiet():
        code = _run_tasks({"task_notebook": task_notebook, "task_report": task_report}, jobs)
    progress.close()
    for name, problem in problems.items():
        print(f"  {name}: FAILED, {problem}", file=sys.stderr)
    fresh = len(wanted) - len(stale)
    if fresh:
        print(f"  {fresh} notebook(s) fresh already")
    print(f"report: {layout.index}")
    return 1 if problems else code


def _render(layout, wanted, everything, profile, problems):
    for study in wanted:
        report.write_notebook_page(layout, study, profile, problems.get(study.name))
    report.write_index(layout, everything, profile, problems)
    return True


def _n_cells(study):
    import nbformat

    return len(nbformat.read(notebook_path(study.name), as_version=4).cells)


def _run_tasks(tasks, jobs):
    """Run doit's tasks in threads, without its own state: freshness is the stamps' business."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "backend": "json",
            "dep_file": os.path.join(folder, "doit"),
            "num_process": max(0, jobs),
            "par_type": "thread",
            "reporter": "error-only",
            "verbosity": 0,
            "continue": True,
        }
        return DoitMain(ModuleTaskLoader(tasks), extra_config={"GLOBAL": settings}).run(["run"])


@contextmanager
def _kernels_end_with_us():
    """On Ctrl-C or a termination, end the kernels too, say one sentence and leave."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number, frame):
        for child in psutil.Process().children(recursive=True):
            child.kill()
        sys.stderr.write("\nstudylib: stopped; finished notebooks are kept, run the same command to go on.\n")
        sys.stderr.flush()
        os._exit(128 + number)

    before = {s: signal.signal(s, leave) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _quiet():
    """Keep papermill's and nbclient's chatter out of the terminal."""
    levels = {name: logging.getLogger(name).level for name in ("papermill", "traitlets", "asyncio")}
    for name in levels:
        logging.getLogger(name).setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    for name, level in levels.items():
        logging.getLogger(name).setLevel(level)
