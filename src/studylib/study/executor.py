"""One function that maps a task over keys: resumable, and the same bits for every number of jobs."""

import time
from concurrent.futures.process import BrokenProcessPool

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from studylib.core.parameters import check_choice, check_integer
from studylib.study.store import canonical, seed_of

#: How often a pool that lost a worker is started again without a single task finishing in between.
_PATIENCE = 3


class TaskError(RuntimeError):
    """Some tasks failed; the others are done and stored."""


def map_tasks(function, keys, store, *, jobs=1, prefer="processes", tell=None):
    """Compute ``function(key, seed)`` for every key, or take it from the store.

    A result is stored the moment it is there, so a run that is killed goes on where it stopped.  A task
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
            "cannot find it; move it into a module, or take prefer='threads'."
        )
    task = f"{function.__module__}.{function.__qualname__}"
    keys = list(keys)
    if len({canonical(key) for key in keys}) < len(keys):
        raise ValueError("map_tasks: a key stands more than once among the keys.")
    open_keys = [key for key in keys if not store.get(task, key)[0]]
    done = len(keys) - len(open_keys)
    tell = tell or (lambda done, total: None)
    tell(done, len(keys))
    failures, stalled = {}, 0
    while open_keys:
        before = len(open_keys)
        try:
            for key, problem in _run(function, task, open_keys, store, jobs, prefer):
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


def _run(function, task, keys, store, jobs, prefer):
    """Yield ``(key, problem or None)`` as tasks finish, in any order."""
    if jobs == 1:
        for key in keys:
            yield _one(function, task, key, store)
        return
    pool = Parallel(n_jobs=jobs, prefer=prefer, batch_size=1, return_as="generator_unordered")
    yield from pool(delayed(_one)(function, task, key, store) for key in keys)


def _one(function, task, key, store):
    """Compute and store one task, where it runs."""
    start = time.perf_counter()
    try:
        result = function(key, seed_of(key))
        store.put(task, key, result, time.perf_counter() - start)
    except OSError:
        raise  # a full disk is no property of the task
    except Exception as error:
        return key, store.put_failure(task, key, error)
    return key, None
