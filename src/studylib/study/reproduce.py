"""Run the notebooks that are not fresh, in parallel, and render the report."""

import contextlib
import os
import signal
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from pkgutil import resolve_name

import psutil

from studylib.core.data import OFFLINE_VARIABLE, DataChangedError, DataNotAvailableError
from studylib.core.files import TEMPORARY, file_hash
from studylib.study.evidence.verdicts import load_results, say_forgotten_amendments
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.reading import readable_notebook
from studylib.study.ledger.study import current_study
from studylib.study.run.context import LOCAL, Context
from studylib.study.run.execute import execute
from studylib.study.run.executor import reach_executor
from studylib.study.run.progress import Progress
from studylib.study.site import report
from studylib.study.site.pages import check_names
from studylib.study.site.report_model import duration
from studylib.study.terminal import environment, silence

try:
    import fcntl
except ImportError:  # Windows: two runs at once are not noticed there
    fcntl = None

#: Seconds that a notebook may take of which nothing is known.
_GUESS = 60
#: Endings of the files that a report consists of.
_WRITTEN = {".css", ".html", ".ipynb", ".js", ".json", ".jsonl", ".py", ".svg"}


def fetch_data(study, paths=None):
    """Find or download the study's data files; says which are not available and returns their names.

    DataChangedError, after all files were looked at, with a line for each that is not the published one.
    """
    absent, changed = [], []
    for file in study.data.values() if paths is None else [study.data[path] for path in paths]:
        try:
            _verify(study, file)
        except DataNotAvailableError as error:
            absent.append(file.path)
            print(f"data: {error}", file=sys.stderr)
        except DataChangedError as error:
            changed.append(str(error))
    if changed:
        raise DataChangedError("\nstudylib: ".join(changed))
    return absent


def _verify(study, file):
    """Find, and if it can be done download, one data file, and check it."""
    if file.check:
        try:
            table = resolve_name(file.check)
        except (ImportError, AttributeError, ValueError) as error:
            raise ValueError(
                f"study.toml: [data.{file.path!r}] key 'check' leads nowhere: {error}."
            ) from error
        table.verify()
        return
    path = study.data_path(file.path)
    sha256 = file_hash(path)
    if sha256 == "absent":
        raise DataNotAvailableError(f"{file.path} is not at {path}; put it there.")
    if file.sha256 and sha256 != file.sha256:
        raise DataChangedError(
            f"{path} has the sha256 {sha256}, not {file.sha256} as study.toml says; restore the file, or, if "
            "the change is meant, write the new checksum there."
        )


def reproduce(profile, names=None, jobs=1, simulate=False, executor=LOCAL, timeout=None):
    """Bring the report of a profile, which shows all notebooks, up to date; returns an exit code.

    ``names`` are the notebooks that may run; at most ``jobs`` tasks do so at the same time over all of them,
    or so many notebooks on a cluster.  With ``simulate``, simulated data may stand in for absent real data.
    After ``timeout`` seconds the run ends; what is done by then is stored.
    """
    deadline = None if timeout is None else time.monotonic() + timeout
    study = current_study().use()
    study.check_profile(profile)
    check_names(study.notebooks)
    layout = Layout(profile)
    wanted = [notebook for notebook in study.notebooks.values() if names is None or notebook.name in names]
    with only_run(layout):
        print(
            f"studylib: {study.root}, profile {profile}, {len(wanted)} notebook(s), {jobs} job(s)", flush=True
        )
        files = dict.fromkeys(path for notebook in wanted for path in notebook.data)
        absent = fetch_data(study, files)
        kept = [] if simulate else [n for n in wanted if _real_results_stay(layout, n, absent)]
        for notebook in kept:
            print(
                f"  {notebook.name}: kept, because its report was computed on real data that are not here; "
                "--simulate would replace it",
                file=sys.stderr,
            )
        wanted = [notebook for notebook in wanted if notebook not in kept]
        reasons = stamps.staleness(layout, wanted, profile)
        stale = [notebook for notebook in wanted if reasons[notebook.name] != []]
        if stale:
            reach_executor(executor)
        at_once = max(1, min(jobs, len(stale)))
        # One level: no more jobs than asked for.
        context = Context(jobs=max(1, jobs // at_once), executor=executor, deadline=deadline)
        with environment(**({OFFLINE_VARIABLE: "1"} if absent else {})):  # no kernel need try again
            problems = _run(layout, profile, stale, at_once, context)
        report.write_report(layout, study, profile, problems)
    for name, problem in problems.items():
        print(f"  {name}: FAILED, {problem}", file=sys.stderr)
    if len(stale) < len(wanted):
        print(f"  {len(wanted) - len(stale)} notebook(s) fresh already")
    print(f"report: {layout.index}")
    return say_forgotten_amendments(layout, study) or (1 if problems else 0)


def _real_results_stay(layout, notebook, absent):
    """Whether a notebook's report was computed on real data that are absent now."""
    results = load_results(layout, notebook.name)
    return bool(results) and results["data"] == "real" and not set(notebook.data).isdisjoint(absent)


def _run(layout, profile, stale, at_once, context):
    """Execute the stale notebooks; returns a sentence for each that failed."""
    expected = {notebook.name: expected_seconds(layout, notebook) for notebook in stale}

    def run(notebook):
        """None, or why the notebook failed; the other notebooks and the report continue."""
        try:
            problem = execute(notebook, profile, context, lambda: progress.cell_done(notebook.name))
        except OSError as error:
            problem = f"{error.filename}: {error.strerror}"
        progress.notebook_done(notebook.name)
        if problem is None:
            wall_time = stamps.read(layout, notebook.name)["wall_time_s"]
            progress.say(f"  {notebook.name}: done in {duration(wall_time)}")
        with contextlib.suppress(OSError, ValueError):  # writing the whole report will say what is wrong
            report.write_page_of(layout, current_study(), notebook, profile)
        return problem

    # Neighbours often use the same kernels: started together, both would compile them.
    order = stale if at_once == 1 else stale[::3] + stale[1::3] + stale[2::3]
    with (
        contextlib.closing(Progress(expected, layout.work())) as progress,
        children_end_with_us(),
        quiet(),
        ThreadPoolExecutor(at_once) as pool,
    ):
        problems = dict(zip([n.name for n in order], pool.map(run, order), strict=True))
    return {name: problem for name, problem in problems.items() if problem}


def expected_seconds(layout, notebook):
    """Seconds that each cell will take: those of the last time, or a guess."""
    readable = readable_notebook(notebook.path)  # if it is none, running it will say so
    n = len(readable.cells) + 1 if readable else 1  # papermill adds one
    stamp = stamps.read(layout, notebook.name) or {}
    known = stamp.get("cell_seconds", [])
    return known if len(known) == n else [stamp.get("wall_time_s", _GUESS) / n] * n


@contextlib.contextmanager
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
        for leftover in _temporary_files(layout):  # of a run that was killed
            leftover.unlink(missing_ok=True)
        yield


def _temporary_files(layout):
    """Temporary files of the report's files, in the folders that it writes; other dotfiles are not ours."""
    paths = list(layout.folder.glob(".*"))
    for folder in ("notebooks", "results", "stamps", "tasks", "work"):
        paths += (layout.folder / folder).rglob(".*")
    for path in paths:
        whole = Path(path.name[1:]).stem  # without what mkstemp appended
        if TEMPORARY.fullmatch(path.name) and Path(whole).suffix in _WRITTEN and path.is_file():
            yield path


@contextlib.contextmanager
def children_end_with_us():
    """On Ctrl-C, a termination or a closed terminal, end kernels and workers too, with one sentence."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number, frame):
        for child in psutil.Process().children(recursive=True):
            child.kill()
        os.write(2, b"\nstudylib: stopped; what is finished is kept, run the same command to resume.\n")
        os._exit(128 + number)

    names = ("SIGINT", "SIGTERM", "SIGHUP")  # Windows has no SIGHUP
    numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
    # What is ignored stays so: `nohup` lets a run go on when its terminal is closed.
    before = {s: signal.signal(s, leave) for s in numbers if signal.getsignal(s) != signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def quiet():
    """Keep papermill's and nbclient's chatter out of the terminal, and that of kernels that are ended."""
    # A kernel that is ended while its idle processes wait leaves semaphores, which joblib's tracker removes.
    ignored = (os.environ.get("PYTHONWARNINGS"), "ignore:resource_tracker:UserWarning")
    variables = environment(PYTHONWARNINGS=",".join(filter(None, ignored)))
    with silence("papermill", "traitlets", "asyncio"), warnings.catch_warnings(), variables:
        warnings.simplefilter("ignore")
        yield
