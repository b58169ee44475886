"""Tasks on this machine: one after another, or in processes.

A pool takes keys and gives futures of their outcomes, which ``work(key)`` computes.  Its ``window`` says how
many tasks it wants at a time, and leaving its context early ends what still runs.
"""

import contextlib
import logging
import os
import threading
import time
import warnings
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool

from joblib.externals.loky.process_executor import ProcessPoolExecutor, ShutdownExecutorError

from studylib.study.terminal import warn_in_one_line

#: Parallelism is over tasks, so each of them gets one thread.  Numerical libraries read these as they load.
ONE_THREAD = dict.fromkeys(
    (
        "BLIS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS", "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)  # fmt: skip
#: Seconds after which idle processes end.
_IDLE = 300


class Pool:
    """What executors have in common; ``_start(key)`` gives the future of one task."""

    window = 1

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        pass

    def submit(self, keys):
        """A future for each of some keys, not more than there is room for in the window."""
        return [self._start(key) for key in keys]

    def outcomes(self, futures):
        """Yield what became of tasks that are done; None for one that was lost with its worker."""
        return (self._outcome(future) for future in futures)

    def _outcome(self, future):
        return future.result()

    def idle(self):
        """Called about once a second while no task becomes done."""


class Serial(Pool):
    """This process, which computes a task as soon as it is submitted."""

    def __init__(self, work):
        self._work = work

    def _start(self, key):
        future = Future()
        future.set_result(self._work(key))
        return future


class Processes(Pool):
    """Processes, which the next call finds again; if one dies, all end with BrokenProcessPool."""

    def __init__(self, work, jobs):
        self._work = work
        self.window = 2 * jobs
        self._broken = None
        self._executor = _kept_executor(jobs)

    def __enter__(self):
        self._warnings = warnings.catch_warnings()
        self._warnings.__enter__()
        # Loky replaces a worker whose memory has grown, as for large data, and warns with a path.
        warnings.filterwarnings("ignore", "A worker stopped while some jobs were given", UserWarning)
        return self

    def _start(self, key):
        return self._executor.submit(self._work, key)

    def _outcome(self, future):
        try:
            return future.result()
        except BrokenProcessPool as error:
            self._broken, self.window = error, 0
            return None

    def __exit__(self, kind, error, trace):
        self._warnings.__exit__()
        if kind is not None or self._broken:
            self._executor.shutdown(wait=True, kill_workers=True)
        if kind is None and self._broken:
            raise self._broken


#: Executors by their number of processes.
_kept = {}


def _kept_executor(jobs):
    """That of an earlier call, if it is whole, else a new one."""
    # Not loky's reusable one: joblib takes that for its own, and ``Parallel`` then fails in this process.
    with contextlib.suppress(KeyError, BrokenProcessPool, ShutdownExecutorError):
        _kept[jobs].submit(int)  # an idle process may have been killed meanwhile
        return _kept[jobs]
    level = logging.getLogger("studylib").level
    _kept[jobs] = ProcessPoolExecutor(
        jobs, timeout=_IDLE, env=ONE_THREAD, initializer=_prepare_worker, initargs=(os.getpid(), level)
    )
    return _kept[jobs]


def _prepare_worker(parent, level):
    warn_in_one_line()
    logging.getLogger("studylib").setLevel(level)
    threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent):
    """End this worker soon after the process that started it: killed, that one cannot tell it to."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
