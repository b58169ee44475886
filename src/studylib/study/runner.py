"""Run the notebooks that are not fresh, in parallel, and render the report."""

import logging
import os
import signal
import sys
import tempfile
import threading
import warnings
from contextlib import contextmanager

import nbformat
import psutil
from doit.cmd_base import ModuleTaskLoader
from doit.doit_cmd import DoitMain

from studylib.datasets import DataChangedError, DataNotAvailableError, mushroom
from studylib.datasets._download import OFFLINE_VARIABLE
from studylib.datasets._uci_archive import SUITE
from studylib.study import report, stamps
from studylib.study.execute import execute
from studylib.study.paths import Layout, notebook_path
from studylib.study.progress import QUIET_VARIABLE, Progress
from studylib.study.record import JOBS_VARIABLE
from studylib.study.studies import studies

try:
    import fcntl
except ImportError:  # Windows: two runs at once are not noticed there
    fcntl = None

_FILES = (mushroom.SECONDARY, mushroom.PRIMARY, SUITE)


def fetch_data(say, paths=None):
    """Find or download every data file; returns the names of those that are not available.

    After one failure the kernels are told not to try again.  DataChangedError, after all files were
    looked at, with a line for each that is not the published one.
    """
    absent, changed = [], []
    for file in _FILES:
        if paths is not None and file.path not in paths:
            continue
        try:
            file.verify()
        except DataNotAvailableError as error:
            absent.append(file.name)
            say(f"data: {error}")
        except DataChangedError as error:
            changed.append(str(error))
    if absent:
        os.environ[OFFLINE_VARIABLE] = "1"
    if changed:
        raise DataChangedError("\nstudylib: ".join(changed))
    return absent


def reproduce(profile, names=None, jobs=1):
    """Bring the report of a profile up to date; returns an exit code.

    Parameters
    ----------
    profile : str
    names : list of str or None
        Notebooks to run; all by default. The report shows all of them either way.
    jobs : int
        Tasks that run at the same time, over all notebooks.
    """
    layout = Layout(profile)
    wanted = [s for s in studies().values() if names is None or s.name in names]
    with only_run(layout):
        print(f"studylib: profile {profile}, {len(wanted)} notebook(s), {jobs} job(s)", flush=True)
        fetch_data(lambda line: print(line, file=sys.stderr), {path for s in wanted for path in s.data})
        stale = [s for s in wanted if not stamps.is_fresh(layout, s, profile)]
        problems = _run_and_render(layout, profile, wanted, stale, jobs)
    for name, problem in problems.items():
        print(f"  {name}: FAILED, {problem}", file=sys.stderr)
    if len(stale) < len(wanted):
        print(f"  {len(wanted) - len(stale)} notebook(s) fresh already")
    print(f"report: {layout.index}")
    return 1 if problems else 0


def _run_and_render(layout, profile, wanted, stale, jobs):
    """Execute the stale notebooks, then write the pages; returns a sentence for each that failed."""
    at_once = max(1, min(jobs, len(stale)))
    os.environ[JOBS_VARIABLE] = str(max(1, jobs // at_once))  # one level: no more jobs than asked for
    os.environ[QUIET_VARIABLE] = "1"
    progress = Progress(sum(_n_cells(s) for s in stale), layout.work(""))
    problems, trouble = {}, []

    def run(study):
        try:
            problem = execute(study, profile, progress.cell_done)
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}"
        if problem:
            problems[study.name] = problem
        else:
            wall_time = stamps.read(layout, study.name)["wall_time_s"]
            progress.say(f"  {study.name}: done in {report.duration(wall_time)}")
        return True  # what failed is told at the end; the other notebooks and the report go on

    def render():
        try:
            for study in wanted:
                report.write_notebook_page(layout, study, profile)
            report.write_index(layout, list(studies().values()), profile, problems)
        except OSError as error:
            trouble.append(error)

    # doit would put its own streams in place of sys.stderr; tasks side by side put them back in any order.
    as_is = {"io": {"capture": False}}

    def task_notebook():
        for study in stale:
            yield {"name": study.name, "actions": [(run, (study,))], **as_is}

    def task_report():
        return {"actions": [render], "task_dep": ["notebook"], **as_is}

    with _kernels_end_with_us(), _quiet():
        _run_tasks({"task_notebook": task_notebook, "task_report": task_report}, at_once)
    progress.close()
    if trouble:
        raise trouble[0]
    return problems


def _n_cells(study):
    return len(nbformat.read(notebook_path(study.name), as_version=4).cells)


def _run_tasks(tasks, jobs):
    """Run doit's tasks in threads, without its own state: freshness is the stamps' business.

    RuntimeError if a task raised, which is a fault of ours: what may go wrong is caught in the tasks.
    """
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
        if DoitMain(ModuleTaskLoader(tasks), extra_config={"GLOBAL": settings}).run(["run"]):
            raise RuntimeError("a step of the run failed; its traceback stands above.")


@contextmanager
def only_run(layout):
    """Hold the profile's lock; the system lets go of it when the process ends, however it ends."""
    layout.lock.parent.mkdir(parents=True, exist_ok=True)
    with layout.lock.open("a") as lock:
        if fcntl is not None:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ValueError(
                    f"another run of the profile {layout.profile!r} is at work in {layout.folder}; wait for "
                    "it to end, or stop it."
                ) from None
        for leftover in layout.folder.rglob(".*"):
            if leftover.is_file():  # a temporary file of a run that was killed while it wrote
                leftover.unlink(missing_ok=True)
        yield


@contextmanager
def _kernels_end_with_us():
    """On Ctrl-C or a termination, end the kernels too, say one sentence and leave."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number, frame):
        for child in psutil.Process().children(recursive=True):
            child.kill()
        # Straight to the terminal: doit has its own sys.stderr while a task runs.
        os.write(2, b"\nstudylib: stopped; what is finished is kept, run the same command to go on.\n")
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
