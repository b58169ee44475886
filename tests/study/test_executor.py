"""Tasks over keys: stored as they finish, resumable, the same for every number of jobs."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
import warnings
from collections import deque
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import psutil
import pytest

from studylib.study.run import executor
from studylib.study.run._local import _IDLE, Processes, _kept
from studylib.study.run.executor import ExecutorError, StorageError, TaskError, TimeLimitError, map_tasks
from studylib.study.run.task import SourceChangedError
from studylib.study.store import Store
from tests.study.small_study import as_task, results_in, store_in
from tests.study.stress import still_there


def draw(key, seed):
    return {"x": np.random.default_rng(seed).normal(size=3).tolist(), "key": key["i"]}


def fail_on_two(key, seed):
    if key == 2:
        raise ValueError("two")
    return key


def die_always(key, seed):
    os.kill(os.getpid(), signal.SIGKILL)


def wait_for_a_file(key, seed):
    while not Path(key["go"]).exists():
        time.sleep(0.01)
    return key["i"]


def threads(key, seed):
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS")
    return [os.environ.get(name) for name in names]


ROOT = Path(__file__).parents[2]
KEYS = [{"i": i} for i in range(6)]


@pytest.fixture
def store(tmp_path):
    return store_in(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [2, 4])
def test_results_and_files_do_not_depend_on_the_jobs(tmp_path, jobs):
    single, many = store_in(tmp_path / "one"), store_in(tmp_path / "many")
    results = map_tasks(draw, KEYS, single)
    assert map_tasks(draw, KEYS, many, jobs=jobs) == results
    assert results_in(single.file.path) == results_in(many.file.path)
    assert [r["key"] for r in results] == list(range(6))


def test_a_result_comes_back_as_it_will_be_read(store):
    """Keys that are numbers had one order when they were written and another when they were read."""
    calls = []

    @as_task
    def mixed(key, seed):
        calls.append(key)
        return {10: (1, 2), 9: "x"}

    expected = [{"10": [1, 2], "9": "x"}]
    assert map_tasks(mixed, [1], store) == map_tasks(mixed, [1], store) == expected
    assert calls == [1]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_failing_task_stops_no_other_and_is_named(store, jobs):
    message = r"1 of 4 tasks of .*fail_on_two failed, the first for 2: ValueError: two"
    with pytest.raises(TaskError, match=message):
        map_tasks(fail_on_two, [1, 2, 3, 4], store, jobs=jobs)
    task = f"{fail_on_two.__module__}.fail_on_two"
    assert [store.get(task, k)[0] for k in (1, 2, 3, 4)] == [True, False, True, True]
    lines = map(json.loads, store.file.path.read_text().splitlines())
    (failed,) = [line for line in lines if "error" in line]
    assert "ValueError: two" in failed["traceback"]


DIES = """
import os, signal, sys
from pathlib import Path
from studylib.study.run.executor import map_tasks
from tests.study.small_study import store_in
from tests.study.test_executor import own_number

print(*map_tasks(own_number, [1, 2], store_in(sys.argv[1]), jobs=2))
sys.stdout.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""


def own_number(key, seed):
    return os.getpid()


@pytest.mark.slow
def test_workers_end_with_the_process_that_started_them_even_if_it_is_killed(tmp_path):
    words = [sys.executable, "-c", DIES, str(tmp_path)]
    # What they inherit they would keep open: a file, and not a pipe to wait for.
    with (tmp_path / "said").open("w") as file:
        done = subprocess.run(words, stdout=file, cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    numbers = set(map(int, (tmp_path / "said").read_text().split()))
    assert numbers
    workers = [process for process in psutil.process_iter() if process.pid in numbers]
    assert not still_there(workers, limit=_IDLE / 2)  # idle, they would end by themselves after twice that


@pytest.mark.slow
def test_workers_that_always_die_end_in_one_sentence(store):
    message = r"workers died 3 times in a row \(SIGKILL.*; out of memory\?\) at .* 2 of 2 tasks are open"
    with pytest.raises(TaskError, match=message):
        map_tasks(die_always, [1, 2], store, jobs=2)


def test_a_time_limit_keeps_what_one_process_has_done(store):
    @as_task
    def slow_from_two_on(key, seed):
        if key >= 2:
            time.sleep(0.3)
        return key

    map_tasks(slow_from_two_on, [0, 1], store)
    with pytest.raises(
        TimeLimitError, match=r"the time limit has passed; [23] of 9 tasks of .* are stored, and"
    ):
        map_tasks(slow_from_two_on, range(9), store, timeout=0.2)  # a task is not interrupted
    assert map_tasks(slow_from_two_on, [0, 1], store, timeout=1e-9) == [0, 1]  # nothing to compute


@pytest.mark.slow
def test_a_time_limit_does_not_wait_for_tasks(store, tmp_path):
    keys = [{"go": str(tmp_path / "go"), "i": i} for i in range(3)]
    with pytest.raises(TimeLimitError, match="0 of 3 tasks"):
        map_tasks(wait_for_a_file, keys, store, jobs=2, timeout=0.2)
    (tmp_path / "go").touch()
    assert map_tasks(wait_for_a_file, keys, store, jobs=2) == [0, 1, 2]


def test_processes_compute_with_one_thread_each(store):
    assert map_tasks(threads, [0, 1], store, jobs=2) == [["1", "1", "1"]] * 2


def test_a_full_disk_is_one_sentence_and_what_was_stored_stays(store, monkeypatch):
    put = Store.put

    def full(self, task, key, *result):
        if key == 4:
            raise OSError(errno.ENOSPC, "No space left on device", "a file")
        return put(self, task, key, *result)

    monkeypatch.setattr(Store, "put", full)
    message = (
        r"written \(No space left on device: a file\); 1 of 4 tasks of .* are stored, 1 failed, and the same"
    )
    with pytest.raises(StorageError, match=message):
        map_tasks(fail_on_two, [1, 2, 4, 5], store)
    monkeypatch.undo()
    told = []
    map_tasks(fail_on_two, [1, 4, 5], store_in(store.file.path.parent), tell=lambda *n: told.append(n))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_no_more_tasks_are_sent_than_workers_need():
    class Pool:
        window, sent, most = 3, deque(), 0

        def submit(self, keys):
            futures = [Future() for _ in keys]
            self.sent += futures
            self.most = max(self.most, len(self.sent))
            return futures

        def idle(self):
            self.sent.popleft().set_result(None)

    pool = Pool()
    waiting = [
        key for keys, _ in executor._finished(pool, range(100), float("inf"), tick=0.001) for key in keys
    ]
    assert waiting == list(range(100))
    assert pool.most == 3


def test_a_source_file_written_while_tasks_run_keeps_their_results_out_of_the_store(store, tmp_path):
    source = tmp_path / "source.py"
    source.write_text("x = 1\n")
    old = source.stat().st_mtime - 3600  # before this process started
    os.utime(source, (old, old))
    calls = []

    @as_task
    def edits(key, seed):
        calls.append(key)
        if key == 2:
            source.write_text("x = 2\n")
        return key

    with pytest.raises(SourceChangedError, match=r"source.py was changed while tasks ran"):
        map_tasks(edits, [1, 2, 3], store, files=[source])
    assert calls == [1, 2]
    task = f"{edits.__module__}.{edits.__qualname__}"
    assert [store.get(task, k)[0] for k in (1, 2, 3)] == [True, False, False]


def test_a_source_file_written_after_this_process_had_imported_it_is_noticed(store, tmp_path):
    source = tmp_path / "source.py"
    source.write_text("x = 1\n")  # now, long after this process started
    with pytest.raises(SourceChangedError, match="after this kernel had imported it"):
        map_tasks(draw, KEYS[:1], store, files=[source])


WRITES = """
import pathlib, sys, time
before, after = map(pathlib.Path, sys.argv[1:])
time.sleep(0.1)
after.write_text("x = 2")
from studylib.study.fingerprints import state_of
from studylib.study.run.task import check_unchanged
check_unchanged(state_of([before]))
check_unchanged(state_of([after]))
"""


def test_it_is_noticed_from_the_first_second_of_a_process_on(tmp_path):
    """And what was written just before the process started is what it imports."""
    before = tmp_path / "before.py"
    before.write_text("x = 1")
    words = [sys.executable, "-c", WRITES, str(before), str(tmp_path / "after.py")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"SourceChangedError: {tmp_path / 'after.py'} was changed" in done.stderr


class DyingProcesses(Processes):
    """A pool whose workers die as they are told: ``deaths`` says of each pool after how many tasks."""

    deaths = ()

    def __init__(self, work, jobs):
        self._work, self.window, self._broken = work, 1, None
        self._left, self._executor = next(self.deaths), SimpleNamespace(shutdown=lambda **how: None)

    def _start(self, key):
        future = Future()
        if self._left:
            future.set_result(self._work(key))
        else:
            future.set_exception(BrokenProcessPool("dead"))
        self._left -= 1
        return future


@pytest.mark.parametrize(("deaths", "ends_well"), [([0, 0, 1] * 3, True), ([0, 0, 1, 0, 0, 0], False)])
def test_patience_is_for_deaths_in_a_row(store, monkeypatch, deaths, ends_well):
    """A task that finishes in between shows that it can be done: the count starts anew."""
    monkeypatch.setattr(DyingProcesses, "deaths", iter(deaths))
    monkeypatch.setattr(executor, "Processes", DyingProcesses)
    if ends_well:
        assert map_tasks(fail_on_two, [1, 3, 5], store, jobs=2) == [1, 3, 5]
    else:
        with pytest.raises(ExecutorError, match="workers died 3 times in a row at "):
            map_tasks(fail_on_two, [1, 3, 5], store, jobs=2)
        assert store.get(f"{__name__}.fail_on_two", 1) == (True, 1)
    assert not list(DyingProcesses.deaths)


def test_a_clock_that_was_set_back_makes_no_file_an_edited_one(store, tmp_path):
    """Where a file is of the future, its time says nothing about when it was written."""
    source = tmp_path / "code.py"
    source.write_text("")
    hence = time.time() + 3600
    os.utime(source, (hence, hence))
    assert map_tasks(fail_on_two, [1], store, files=[source]) == [1]


def test_an_error_of_several_lines_is_one_and_so_is_what_is_no_plain_data(store):
    @as_task
    def fail(key, seed):
        if key == "nan":
            return {"x": float("nan")}
        raise ValueError("first\n\n  second")

    for key, message in (("fails", r"ValueError: first second \(tracebacks"), ("nan", "not plain data")):
        with pytest.raises(TaskError, match=message) as caught:
            map_tasks(fail, [key], store)
        assert "\n" not in str(caught.value)


@pytest.mark.slow
def test_joblib_works_in_a_process_that_has_mapped_tasks(tmp_path):
    lines = (
        "from joblib import Parallel, delayed",
        "from studylib.study.run.executor import map_tasks",
        "from tests.study.small_study import store_in",
        "from tests.study.test_executor import draw",
        f"map_tasks(draw, [{{'i': 1}}, {{'i': 2}}], store_in({str(tmp_path)!r}), jobs=2)",
        "print(Parallel(n_jobs=2)(delayed(abs)(i) for i in (-1, -2)))",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["[1, 2]"], done.stderr


def warn(key, seed):
    warnings.warn("first\nsecond", UserWarning, stacklevel=1)
    return key


def end_processes():
    """End those that wait for the next call, and wait until they have ended."""
    while _kept:
        _kept.popitem()[1].shutdown(wait=True)


@pytest.mark.slow
def test_warnings_of_workers_are_one_line_each(store, capfd):
    end_processes()  # workers of another test write where that one captures
    map_tasks(warn, [1, 2, 3], store, jobs=2)
    end_processes()  # so that everything was said
    errors = [line for line in capfd.readouterr().err.splitlines() if line]
    assert errors
    for line in errors:
        assert re.fullmatch(r"studylib: UserWarning in test_executor.py:\d+: first second", line)
