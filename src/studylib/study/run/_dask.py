"""Tasks on a Dask cluster: what the client does, and what its workers do.

A worker gets the name of a function, a key and a hash.  Before it computes anything for that hash, it works
out what results of the function depend on where it runs (code, data files, package versions), and computes
only if that has the same hash.  Results go back to the client, so workers share no disk with it.
"""

import importlib
import itertools
import logging
import os
import socket
import sys
import time
import warnings
from concurrent.futures import CancelledError
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import urlsplit

from threadpoolctl import threadpool_limits

from studylib.core.data import DATA_VARIABLE, data_dir
from studylib.study.fingerprints import key_of, state_of
from studylib.study.freshness.keys import first_difference, task_context
from studylib.study.ledger.study import current_study
from studylib.study.run._local import ONE_THREAD, Pool
from studylib.study.run.task import ExecutorError, SourceChangedError, check_unchanged, compute, failure

try:
    import distributed
except ImportError as error:
    raise ExecutorError(
        "a dask:// executor needs the packages of the extra 'cluster'; install them with "
        "`pip install 'studylib[cluster]'`"
    ) from error

#: Seconds in which a scheduler must answer.
_ANSWERS = 10
#: Seconds between looks at the number of workers.
_LOOK = 5.0
#: Tasks that are sent at a time, for each worker: one computes, the others wait where it finds them.
_PER_WORKER, _AT_LEAST = 4, 8


# --- The client ---------------------------------------------------------------------------------------------


def connect(executor):
    """A client of the scheduler at ``dask://host:port``; ExecutorError if none answers."""
    for name in ("distributed", "distributed.client"):  # what it would log is said in our own sentences
        logging.getLogger(name).setLevel(logging.CRITICAL)
    at = urlsplit(executor)
    try:
        socket.create_connection((at.hostname, at.port), _ANSWERS).close()  # Dask would try again and again
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # versions that differ: ours are compared where it matters
            return distributed.Client(f"tcp://{at.netloc}", timeout=_ANSWERS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ExecutorError(f"no Dask scheduler answers at {executor}") from error


class Cluster(Pool):
    """The workers of a scheduler; Dask computes the tasks of one that died elsewhere, but not for ever."""

    def __init__(self, executor, function, parts, say):
        module, name = function.__module__, function.__qualname__
        self._parts = task_context(module).parts if parts is None else parts
        listed = (tuple(self._parts.get(kind, ())) for kind in ("data", "uses"))
        self._spec = TaskSpec(module, name, key_of(self._parts), *listed)
        self._executor, self._say = executor, say
        self._client = connect(executor)
        self._looked, self._waiting = 0.0, False
        self._numbers = itertools.count()
        self._name = f"{module}.{name}-{os.urandom(8).hex()}"

    @property
    def window(self):
        """Follows the number of workers."""
        self.idle()
        return self._window

    def submit(self, keys):
        """A future for each of some keys."""
        names = [f"{self._name}-{next(self._numbers)}" for _ in keys]
        try:
            return self._client.map(partial(work, self._spec), keys, key=names, pure=False)
        except (CancelledError, OSError, RuntimeError) as error:  # the client has closed itself
            raise self._lost() from error

    def outcomes(self, futures):
        """Yield what became of tasks; ExecutorError if a worker must not compute or the scheduler is gone."""
        try:
            return iter(self._client.gather(futures))
        except Exception:  # of one of them: the others are still good
            return (self._outcome(future) for future in futures)

    def _outcome(self, future):
        try:
            return future.result()
        except distributed.KilledWorker as error:
            return failure(WorkersDied(f"{error.allowed_failures + 1} workers died as they computed it"))
        except (CancelledError, OSError) as error:
            raise self._lost() from error
        except EnvironmentMismatch as error:
            raise ExecutorError(self._difference(*error.args)) from None
        except ExecutorError:
            raise
        except Exception as error:  # not of the task, whose own errors are outcomes
            reason = str(error) or type(error).__name__
            raise ExecutorError(f"the Dask cluster {self._executor} cannot compute: {reason}") from error

    def idle(self):
        """Look how many workers there are, at most every few seconds; remark on it if there are none."""
        if self._client.status != "running":
            raise self._lost()
        now = time.monotonic()
        if self._looked and now < self._looked + _LOOK:
            return
        try:
            n_workers = len(self._client.nthreads())
        except (CancelledError, OSError) as error:
            raise self._lost() from error
        self._looked = now
        self._window = max(_AT_LEAST, _PER_WORKER * n_workers)
        if (n_workers == 0) != self._waiting:
            self._waiting = n_workers == 0
            self._say(f"waiting for workers at {self._executor}" if self._waiting else "")

    def __exit__(self, kind, error, trace):
        self._say("")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._client.close()  # the scheduler forgets its tasks; one that computes ends, unheard

    def _lost(self):
        return ExecutorError(
            f"the Dask scheduler at {self._executor} is gone; start it and its workers again"
        )

    def _difference(self, worker, parts, folder):
        kind, difference = first_difference(self._parts, parts)
        where = f" (in {folder}; see {DATA_VARIABLE})" if kind == "data" else ""
        return (
            f"the Dask worker {worker} would compute something else: {difference}{where}; give it the same "
            "code, packages and data, and start it again"
        )


class WorkersDied(RuntimeError):
    """A task during which workers died, again and again."""


# --- The worker ---------------------------------------------------------------------------------------------


class TaskSpec(NamedTuple):
    """What a worker must know besides a key."""

    module: str
    name: str
    context: str
    data: tuple
    uses: tuple


class EnvironmentMismatch(Exception):
    """A worker would compute something else than the client: its address, its parts, its data folder."""

    def __str__(self):
        return f"the worker {self.args[0]} has other inputs"  # Dask replaces errors whose text is long


def work(spec, key):
    """Compute a task on a worker, if it is the same task here; an Outcome."""
    worker = distributed.get_worker()
    try:
        function, watched = _prepared(spec)
        check_unchanged(watched)  # it may have been edited since; after the task it is looked at again
        return compute(function, key, watched, spec.data)
    except SourceChangedError as error:
        raise ExecutorError(
            f"the Dask worker {worker.address} must be started again: {error.args[0]} was changed after it "
            "had started"
        ) from None
    except (OSError, ImportError, AttributeError) as error:
        raise ExecutorError(f"the Dask worker {worker.address}: {type(error).__name__}: {error}") from None


@lru_cache(maxsize=256)
def _prepared(spec):
    """``(function, signatures of its files)``, if they are the client's; once for each context."""
    worker = distributed.get_worker()
    n_threads = worker.state.nthreads
    if n_threads > 1:
        raise ExecutorError(
            f"the Dask worker {worker.address} has {n_threads} threads, in which tasks could disturb one "
            "another; start it with --nthreads 1"
        )
    current_study().use()
    context = task_context(spec.module, spec.data, spec.uses)
    if context.hash != spec.context:
        raise EnvironmentMismatch(worker.address, context.parts, str(data_dir()))
    function = getattr(importlib.import_module(spec.module), spec.name)
    _use_one_thread()
    return function, state_of(context.files)


def _use_one_thread():
    """Keep numerical libraries from using more threads, those that are loaded and those to come."""
    threadpool_limits(1)
    if "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)
    else:
        os.environ["NUMBA_NUM_THREADS"] = "1"
    os.environ.update({name: "1" for name in ONE_THREAD if name != "NUMBA_NUM_THREADS"})
