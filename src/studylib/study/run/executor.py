"""One function that maps a task over keys: resumable, and the same bits wherever the tasks are computed."""

import numbers
import queue
import re
import sys
import time
from collections import deque
from concurrent.futures.process import BrokenProcessPool
from functools import partial
from urllib.parse import urlsplit

from studylib.core.text import shorten
from studylib.study.fingerprints import state_of
from studylib.study.run._local import Processes, Serial, Threads
from studylib.study.run.context import LOCAL
from studylib.study.run.task import (
    ExecutorError,
    SourceChangedError,
    TaskError,
    TimeLimitError,
    compute,
)
from studylib.study.store import canonical

__all__ = [
    "LOCAL", "ExecutorError", "SourceChangedError", "StorageError", "TaskError", "TimeLimitError",
    "check_executor", "check_timeout", "map_tasks", "reach_executor", "task_name",
]  # fmt: skip

#: How often a pool that lost a worker is started again without a single task finishing in between.
_PATIENCE = 3
#: Seconds between looks at the clock, and at a pool in which nothing happens.
_TICK = 1.0


class StorageError(OSError):
    """A result could not be written, as on a full disk."""


def task_name(function):
    """Name of a task in the store: the module and name of its function.

    Raises ValueError if the module has something else under that name, or if it is a notebook: two functions
    would share their results, and what a function carries with it would be in no key.
    """
    module, name = (getattr(function, key, None) for key in ("__module__", "__qualname__"))
    if module == "__main__" or getattr(sys.modules.get(module), str(name), None) is not function:
        raise ValueError(
            f"map_tasks: {name or type(function).__name__} is not what a module has under that name, so its "
            "results could be taken for those of another function; put a function (key, seed) into a module, "
            "put what differs between calls into the key, and restart the kernel if the module was edited."
        )
    return f"{module}.{name}"


def check_executor(value, name="executor"):
    """Return ``value`` if it is "local" or the address of a Dask scheduler, "dask://host:port"."""
    fine = value == LOCAL
    if isinstance(value, str) and not fine:
        try:
            parts = urlsplit(value)
            fine = parts.scheme == "dask" and bool(parts.hostname and parts.port)
            fine = fine and value.lower() == f"dask://{parts.netloc}".lower() and "@" not in parts.netloc
        except ValueError:  # the port is no number, or too large
            fine = False
    if not fine:
        raise ValueError(f"{name} must be 'local' or 'dask://host:port', got {value!r}.")
    return value


def check_timeout(value, name="timeout"):
    """Return ``value`` if it is None or a positive number of seconds."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if value is not None and not (number and value > 0):
        raise ValueError(f"{name} must be a number of seconds > 0, got {value!r}.")
    return value


def _checked_jobs(value):
    """The number of jobs, an int; ``studylib.core.parameters`` would import scikit-learn to check it."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool) and value >= 1:
        return int(value)
    raise ValueError(f"map_tasks: jobs must be an integer >= 1, got {value!r}.")


def reach_executor(executor):
    """Raise ExecutorError, in one sentence, unless somebody answers at that address."""
    if check_executor(executor) != LOCAL:
        from studylib.study.run import _dask  # needs an extra

        _dask.connect(executor).close()


def map_tasks(
    function,
    keys,
    store,
    *,
    jobs=1,
    prefer="processes",
    executor=LOCAL,
    timeout=None,
    tell=None,
    say=None,
    files=(),
    parts=None,
    data=None,
):
    """Compute ``function(key, seed)`` for every key, or take it from the store; results in the keys' order.

    A result is stored as soon as it is available, so a run that is killed resumes where it stopped.  A task
    that raises does not stop the others; it is tried again in the next run.  A worker that dies (out of
    memory, say) takes only its own task with it, and that one is tried again.

    Raises ValueError if an argument is not as below; TaskError, which names the first, if tasks failed, after
    all others are done; its kinds TimeLimitError or ExecutorError if the time limit passed, or the cluster
    cannot be used (any longer); StorageError if a result cannot be written, as on a full disk.

    Parameters
    ----------
    function : callable ``(key, seed) -> plain data``
        It must be what its module has under its own name, because results are stored under both: a method,
        a lambda, a partial object or a function of a notebook is refused.
    keys : iterable of plain data (dict, list, str, number), without repetition
        A task's name and key say all that its result depends on; its seed, an int below 2**32, derives
        from the key.
    store : Store
    jobs : int
        Tasks at the same time on this machine; a cluster uses all of its workers.
    prefer : {"processes", "threads"}
        Threads are always of this machine.
    executor : str
        ``"local"``, or ``"dask://host:port"``, the address of a Dask scheduler.
    timeout : float or None
        Seconds after which no more tasks are started, nor waited for.  A task that this process or one of its
        threads computes is not interrupted.
    tell : callable ``(done, total)`` or None
        Called whenever a task is done, and once before the first.
    say : callable ``(str)`` or None
        Called with a remark, such as that no workers are there, and with "" when it no longer holds.  By
        default remarks are printed to stderr.
    files : iterable of path-like
        Source files that the store's context is about.  If one of them is written between now, or the start
        of the process that computes, and the end of a task, its result is not stored.
    parts : dict or None
        What the store's context is the hash of.  A Dask worker computes only if its own parts are equal; by
        default those of the function's code.
    data : iterable of str or None
        Data files that tasks may read; None allows all.
    """
    jobs = _checked_jobs(jobs)
    if prefer not in ("processes", "threads"):
        raise ValueError(f"map_tasks: prefer must be one of 'processes', 'threads', got {prefer!r}.")
    remote = check_executor(executor, "map_tasks: executor") != LOCAL and prefer == "processes"
    ends = (
        float("inf") if check_timeout(timeout, "map_tasks: timeout") is None else time.monotonic() + timeout
    )
    task = task_name(function)
    keys = list(keys)
    if len({canonical(key) for key in keys}) < len(keys):
        raise ValueError("map_tasks: the keys contain a duplicate.")
    work = partial(compute, function, watched=state_of(files), data=data)

    def pool():
        if remote:
            from studylib.study.run._dask import Cluster  # needs an extra

            return Cluster(executor, function, parts, say or _print)
        if jobs == 1:
            return Serial(work)
        return (Threads if prefer == "threads" else Processes)(work, jobs)

    mapped = _Work(task, keys, store, tell or (lambda done, total: None))
    mapped.run(pool, ends)
    if mapped.failures:
        key, problem = next(iter(mapped.failures.items()))
        raise TaskError(
            f"map_tasks: {len(mapped.failures)} of {len(keys)} tasks of {task} failed, the first for "
            f"{key}: {shorten(problem)} (tracebacks are in {store.file.path}); the others are done."
        )
    return [store.get(task, key)[1] for key in keys]


class _Work:
    """The keys of a call: which of them are done, and what went wrong."""

    def __init__(self, task, keys, store, tell):
        self.task, self.store, self._tell = task, store, tell
        self.total = len(keys)
        self.open = {canonical(key): key for key in keys if not store.get(task, key)[0]}
        self.failures = {}
        tell(self.total - len(self.open), self.total)

    def run(self, pool, ends):
        """Compute what is open, in as many pools as it takes if workers die."""
        stalled = 0
        while self.open:
            before = len(self.open)
            try:
                with pool() as computing:
                    for found, futures in _finished(computing, list(self.open.values()), ends):
                        for key, outcome in zip(found, computing.outcomes(futures), strict=True):
                            self._keep(key, outcome)
            except BrokenProcessPool as error:
                stalled = stalled + 1 if len(self.open) == before else 0
                if stalled == _PATIENCE:
                    raise ExecutorError(
                        f"map_tasks: workers died {_PATIENCE} times in a row{_exit_codes(error)} at "
                        f"{self.task}; {len(self.open)} of {self.total} tasks are open, the first is "
                        f"{next(iter(self.open))}."
                    ) from error
            except _TimeIsUp:
                raise TimeLimitError(f"map_tasks: the time limit has passed; {self._state()}.") from None
            except ExecutorError as error:
                raise type(error)(f"map_tasks: {error}; {self._state()}.") from error.__cause__

    def _keep(self, key, outcome):
        """Store what became of a task; None if its worker died."""
        if outcome is None:
            return
        try:
            if outcome.error:
                self.store.put_failure(self.task, key, outcome.error, outcome.traceback)
            else:
                self.store.put(self.task, key, outcome.result, outcome.seconds)
        except OSError as error:
            raise StorageError(
                f"map_tasks: a result could not be written ({error.strerror or error}: {error.filename}); "
                f"{self._state()}."
            ) from error
        if outcome.error:
            self.failures[canonical(key)] = outcome.error
        del self.open[canonical(key)]
        self._tell(self.total - len(self.open), self.total)

    def _state(self):
        stored = self.total - len(self.open) - len(self.failures)
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return (
            f"{stored} of {self.total} tasks of {self.task} are stored{failed}, and the same command "
            "computes the missing ones"
        )


def _exit_codes(error):
    """How workers ended, in brackets, as far as loky knows it."""
    found = re.search(r"exit codes of the workers are \{(.+)\}", str(error))
    hint = "; out of memory?" if found and "SIGKILL" in found[1] else ""
    return f" ({found[1]}{hint})" if found else ""


class _TimeIsUp(Exception):
    """The time limit has passed."""


def _finished(pool, keys, ends, tick=_TICK):
    """Yield ``(keys, futures)`` of tasks as they finish; at most ``pool.window`` are under way."""
    finished, under_way, waiting = queue.SimpleQueue(), {}, deque(keys)
    while under_way or (waiting and pool.window):
        if time.monotonic() < ends:
            room = min(pool.window - len(under_way), len(waiting))
            sent = [waiting.popleft() for _ in range(room)]
            for key, future in zip(sent, pool.submit(sent) if sent else [], strict=True):
                under_way[future] = key
                future.add_done_callback(finished.put)
        elif finished.empty():
            raise _TimeIsUp
        try:
            done = [finished.get(timeout=max(0.0, min(tick, ends - time.monotonic())))]
        except queue.Empty:
            pool.idle()
            continue
        while not finished.empty():  # what was done meanwhile: a cluster sends and takes many at a time
            done.append(finished.get())
        yield [under_way.pop(future) for future in done], done


def _print(remark):
    if remark:
        print(f"studylib: {remark}", file=sys.stderr)
