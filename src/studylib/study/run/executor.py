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
from studylib.study.run._local import Processes, Serial
from studylib.study.run.context import LOCAL
from studylib.study.run.task import ExecutorError, TaskError, TimeLimitError, compute
from studylib.study.store import canonical

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


def check_timeout(value, name):
    """Return ``value`` if it is None or a positive number of seconds."""
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if value is not None and not (is_number and value > 0):
        raise ValueError(f"{name} must be a number of seconds > 0, got {value!r}.")
    return value


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
    executor=LOCAL,
    timeout=None,
    tell=None,
    say=None,
    files=(),
    parts=None,
    data=None,
):
    """Compute ``function(key, seed)`` for every key, or take it from the store; results in the keys' order.

    :meth:`studylib.study.Run.map` says what ``function``, ``keys`` and ``jobs`` are, and what is raised.
    ``executor`` is "local" or a Dask scheduler, "dask://host:port".  After ``timeout`` seconds no more tasks
    are started, nor waited for, but one of this process is not interrupted.
    ``tell(done, total)`` is called before the first task and after each; ``say(remark)`` with a remark, such
    as that no workers are there, and with "" when it no longer holds.

    The store's context is about the source files ``files``: if one is written between now, or the start of
    the process that computes, and the end of a task, its result is not stored.  It is the hash of ``parts``,
    by default those of the function's code: a worker of a cluster computes only if its own are equal.
    ``data`` names the files that tasks may read; None allows all.
    """
    # ``studylib.core.parameters`` would import scikit-learn to check a number.
    if not isinstance(jobs, numbers.Integral) or isinstance(jobs, bool) or jobs < 1:
        raise ValueError(f"map_tasks: jobs must be an integer >= 1, got {jobs!r}.")
    check_executor(executor, "map_tasks: executor")
    check_timeout(timeout, "map_tasks: timeout")
    ends = float("inf") if timeout is None else time.monotonic() + timeout
    task = task_name(function)
    keys = list(keys)
    if len({canonical(key) for key in keys}) < len(keys):
        raise ValueError("map_tasks: the keys contain a duplicate.")
    work = partial(compute, function, watched=state_of(files), data=data)

    def pool():
        if executor != LOCAL:
            from studylib.study.run._dask import Cluster  # needs an extra

            return Cluster(executor, function, parts, say or _print)
        return Serial(work) if jobs == 1 else Processes(work, int(jobs))

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
                    for keys, futures in _finished(computing, list(self.open.values()), ends):
                        for key, outcome in zip(keys, computing.outcomes(futures), strict=True):
                            self._keep(key, outcome)
            except BrokenProcessPool as error:
                stalled = stalled + 1 if len(self.open) == before else 0
                if stalled == _PATIENCE:
                    raise ExecutorError(
                        f"map_tasks: workers died {_PATIENCE} times in a row{_exit_codes(error)} at "
                        f"{self.task}; {len(self.open)} of {self.total} tasks are open, the first is "
                        f"{next(iter(self.open))}."
                    ) from error
            except TimeLimitError:
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
    codes = re.search(r"exit codes of the workers are \{(.+)\}", str(error))
    hint = "; out of memory?" if codes and "SIGKILL" in codes[1] else ""
    return f" ({codes[1]}{hint})" if codes else ""


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
            raise TimeLimitError
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
