"""One function that maps a task over keys: resumable, and the same bits for every number of jobs."""

import time
import warnings
from concurrent.futures.process import BrokenProcessPool

import psutil
from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from studylib.core.parameters import check_choice, check_integer
from studylib.study.keys import signatures
from studylib.study.store import canonical, seed_of

#: How often a pool that lost a worker is started again without a single task finishing in between.
_PATIENCE = 3


class TaskError(RuntimeError):
    """Some tasks failed; the others are done and stored."""


class SourceChangedError(RuntimeError):
    """A source file was written while tasks ran, so it is not known which version computed them."""


def task_name(function):
    """Name of a task in the store: the module and name of its function."""
    return f"{function.__module__}.{function.__qualname__}"


def map_tasks(function, keys, store, *, jobs=1, prefer="processes", tell=None, files=()):
    """Compute ``function(key, seed)`` for every key, or take it from the store.

    A result is stored as soon as it is available, so a run that is killed resumes where it stopped.  A task
    that raises does not stop the others; it is tried again in the next run.  A worker that dies (out of
    memory, say) takes only its own task with it, and that one is tried again.

    Parameters
    ----------
    function : callable ``(key, seed) -> plain data``
        For processes it must be importable: a function of a module, not of a notebook.
    keys : iterable of plain data (dict, list, str, number), without repetition
        A task's name and key say all that its result depends on; its seed, an int below 2**32, derives
        from the key.
    store : Store
    jobs : int
    prefer : {"processes", "threads"}
    tell : callable ``(done, total)`` or None
        Called whenever a task is done, and once before the first.
    files : iterable of path-like
        Source files that the store's context is about.  If one of them is written between now, or the start
        of the process that computes, and the end of a task, its result is not stored.

    Returns
    -------
    list
        Results in the order of the keys.

    Raises
    ------
    TaskError
        If tasks failed, after all others are done; names the first.
    """
    jobs = check_integer("map_tasks", "jobs", jobs, 1)
    check_choice("map_tasks", "prefer", prefer, ("processes", "threads"))
    if prefer == "processes" and jobs > 1 and function.__module__ == "__main__":
        raise ValueError(
            f"map_tasks: {function.__name__} is defined in a notebook or script, where other processes "
            "cannot find it; move it into a module, or use prefer='threads'."
        )
    task = task_name(function)
    keys = list(keys)
    if len({canonical(key) for key in keys}) < len(keys):
        raise ValueError("map_tasks: the keys contain a duplicate.")
    watched = signatures(files)
    open_keys = [key for key in keys if not store.get(task, key)[0]]
    done = len(keys) - len(open_keys)
    tell = tell or (lambda done, total: None)
    tell(done, len(keys))
    failures, stalled = {}, 0
    while open_keys:
        before = len(open_keys)
        try:
            for key, problem in _run(function, task, open_keys, store, jobs, prefer, watched):
                done += 1
                if problem:
                    failures[canonical(key)] = problem
                tell(done, len(keys))
            break
        except (TerminatedWorkerError, BrokenProcessPool) as error:
            open_keys = [k for k in open_keys if canonical(k) not in failures and not store.get(task, k)[0]]
            done = len(keys) - len(open_keys)
            stalled = stalled + 1 if len(open_keys) == before else 0
            if stalled == _PATIENCE:
                raise TaskError(
                    f"map_tasks: workers died {_PATIENCE} times in a row (out of memory?) at {task}; "
                    f"{len(open_keys)} of {len(keys)} tasks are open, the first is {canonical(open_keys[0])}."
                ) from error
    if failures:
        key, problem = next(iter(failures.items()))
        raise TaskError(
            f"map_tasks: {len(failures)} of {len(keys)} tasks of {task} failed, the first for {key}: "
            f"{problem} (tracebacks are in {store.folder}); the others are done."
        )
    return [store.get(task, key)[1] for key in keys]


def _run(function, task, keys, store, jobs, prefer, watched):
    """Yield ``(key, problem or None)`` as tasks finish, in any order."""
    if jobs == 1:
        for key in keys:
            yield _one(function, task, key, store, watched)
        return
    # Loky replaces a worker whose memory has grown, which a task on large data does, and warns with a path.
    warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
    pool = Parallel(n_jobs=jobs, prefer=prefer, batch_size=1, return_as="generator_unordered")
    yield from pool(delayed(_one)(function, task, key, store, watched) for key in keys)


def _one(function, task, key, store, watched):
    """Compute and store one task, where it runs."""
    start = time.perf_counter()
    try:
        result = function(key, seed_of(key))
        seconds = time.perf_counter() - start
        _check_unchanged(watched)
        store.put(task, key, result, seconds)
    except (OSError, SourceChangedError):
        raise  # a full disk or an edited file is no property of the task
    except Exception as error:
        return key, store.put_failure(task, key, error)
    return key, None


def _check_unchanged(watched):
    """Raise if a source file was written after ``watched`` was taken, or after this process started."""
    started = psutil.Process().create_time() + 1.0  # it is known to a second, and imports come later
    for before, now in zip(watched, signatures(file for file, *_ in watched), strict=True):
        if before != now or now[1] > started * 1e9:
            raise SourceChangedError(
                f"{now[0]} was changed while tasks ran (or after this kernel had imported it), so it is not "
                "known which version computed them and nothing more is stored; run the same command again, "
                "or restart the kernel."
            )
