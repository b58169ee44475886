"""One task, as it is computed wherever that is: in this process, in another one, or on another machine."""

import os
import time
import traceback
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from studylib.core.data import only_data
from studylib.study.fingerprints import state_of
from studylib.study.store import canonical, seed_of


class TaskError(RuntimeError):
    """Some tasks failed; the others are done and stored."""


class TimeLimitError(TaskError):
    """The time limit passed before all tasks were done; those that are done are stored."""


class ExecutorError(TaskError):
    """What computes the tasks is not there, or must not be used; the tasks that are done are stored."""


class SourceChangedError(RuntimeError):
    """A source file, the argument, was written while tasks ran: which version computed is not known."""

    def __str__(self):
        return (
            f"{self.args[0]} was changed while tasks ran (or after this kernel had imported it), so it "
            "is not known which version computed them and nothing more is stored; run the same command "
            "again, or restart the kernel."
        )


class Outcome(NamedTuple):
    """What became of a task: a result, or an error with its traceback, as plain data that can be sent."""

    result: Any = None
    seconds: float = 0.0
    error: str = ""
    traceback: str = ""


def compute(function, key, watched=(), data=None):
    """Compute ``function(key, seed)``; an error of the function is an outcome, too.

    ``watched`` has signatures of the source files that the result depends on, ``data`` the files that it may
    read (None: all).  OSError and SourceChangedError are raised: a missing file, a full disk or an edited
    file is no property of the task.
    """
    start = time.perf_counter()
    try:
        with only_data(data):
            result = function(key, seed_of(key))
        seconds = time.perf_counter() - start
        check_unchanged(watched)
        _check_plain(result)
    except (OSError, SourceChangedError):
        raise
    except Exception as error:
        return failure(error)
    return Outcome(result, seconds)


def failure(error):
    """The outcome of a task that raised ``error``."""
    trace = "".join(traceback.format_exception(error))
    return Outcome(error=f"{type(error).__name__}: {error}", traceback=trace)


def check_unchanged(watched):
    """Raise if a source file was written after ``watched`` was taken, or after this process started."""
    started = _process_started() + 0.05  # the clock of files is a little late, and imports come later
    present = time.time() + 1.0  # where a file is of the future, a clock was set: that tells nothing
    for before, now in zip(watched, state_of(file for file, *_ in watched), strict=True):
        if before != now or started < now[1] / 1e9 < present:
            raise SourceChangedError(now[0])


def _process_started():
    """When this process started, by the clock of files."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
    except OSError:  # not Linux
        return psutil.Process().create_time()
    # psutil adds when the machine was started, which Linux tells to a second only: code that was written in a
    # kernel's first second, after its import, would be taken for what computes.
    return time.time() - time.clock_gettime(time.CLOCK_BOOTTIME) + ticks / os.sysconf("SC_CLK_TCK")


def _check_plain(result):
    """Raise before a result is sent that no file could hold."""
    try:
        canonical(result)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the result is not plain data: {error}.") from error
