"""What an executor adds to a task: serial, processes of this machine, and a Dask cluster of as many workers.

``python -m benchmarks.executors`` prints milliseconds of wall time per task beyond the computing itself, for
tasks of 1 s and of nothing, and the processor time per task of the client, which stores the results, and of
the Dask scheduler.
"""

import logging
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import psutil

from studylib.study.run.executor import map_tasks
from studylib.study.store import Store, TaskFile

WORKERS = 2
SIZES = ((1.0, 20), (0.0, 2000))  # seconds, tasks


def sleep(key, seed):
    """A task that takes a second of time and none of the processor."""
    time.sleep(1.0)
    return seed


def nothing(key, seed):
    """A task that takes no time."""
    return seed


@contextmanager
def cluster():
    """A scheduler and its workers, processes of their own; gives the address and the scheduler's process."""
    from distributed.deploy.subprocess import SubprocessCluster

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    started = SubprocessCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    )
    with started:
        scheduler = psutil.Process(started.scheduler.process.pid)
        scheduler = (scheduler.children(recursive=True) or [scheduler])[-1]
        yield started.scheduler_address.replace("tcp://", "dask://"), scheduler


def measure(name, seconds, n, scheduler=None, **options):
    """Print a line for one executor; the first tasks, which start and warm it, are not counted."""
    function = sleep if seconds else nothing
    workers = 1 if name == "serial" else WORKERS
    watched = [psutil.Process()] + ([scheduler] if scheduler else [])
    with tempfile.TemporaryDirectory() as folder:
        map_tasks(
            function, range(-2 * workers, 0), Store(TaskFile(Path(folder) / "warm.jsonl"), "c"), **options
        )
        before, start = [_computed(p) for p in watched], time.perf_counter()
        map_tasks(function, range(n), Store(TaskFile(Path(folder) / "counted.jsonl"), "c"), **options)
        wall = time.perf_counter() - start
        client, *rest = [_computed(p) - b for p, b in zip(watched, before, strict=True)]
    added = (wall - n * seconds / workers) / n
    said = f"{name:16} {seconds:4.0f} s {n:6} tasks  {wall:7.2f} s  {1e3 * added:7.2f} ms added per task"
    said += f", client {1e3 * client / n:5.2f} ms" if name != "serial" else ""
    print(said + "".join(f", scheduler {1e3 * part / n:5.2f} ms" for part in rest), flush=True)


def _computed(process):
    times = process.cpu_times()
    return times.user + times.system


def main():
    """Print all lines."""
    with cluster() as (address, scheduler):
        for seconds, n in SIZES:
            measure("serial", seconds, n)
            measure(f"local, {WORKERS} jobs", seconds, n, jobs=WORKERS)
            measure(f"Dask, {WORKERS} workers", seconds, n, scheduler, executor=address)


if __name__ == "__main__":
    from benchmarks import executors  # so that workers find the tasks under this name

    sys.exit(executors.main())
