"""Tasks on a Dask cluster: the same bits as here, and nothing lost whatever dies.

Nothing here waits for a number of seconds: limits end a hang, and are about ten times what a loaded machine needs.
"""

import logging
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace

import dask
import distributed
import pytest

from studylib.study import cli
from studylib.study.freshness.keys import task_context
from studylib.study.ledger.study import current_study
from studylib.study.run import _dask
from studylib.study.run.executor import ExecutorError, TaskError, TimeLimitError, map_tasks
from studylib.study.store import canonical
from tests.conventions.registry import ESTIMATORS, name_of
from tests.study import cluster_tasks
from tests.study.cluster_tasks import bits_of, die_on_one, draw, wait_for_a_file
from tests.study.dask_cluster import LIMIT, cluster, kill, until
from tests.study.small_study import (
    change,
    computed,
    environment,
    result_files,
    results_in,
    store_in,
    use,
    write_study,
)

pytestmark = pytest.mark.cluster

KEYS = [{"i": i} for i in range(12)]


def log(folder):
    path = folder / "log"
    return [tuple(map(int, line.split())) for line in path.read_text().splitlines()] if path.is_file() else []


@pytest.fixture(scope="module")
def two_workers(tmp_path_factory):
    with cluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


@pytest.fixture(autouse=True)
def _quiet_dask():
    logging.getLogger("distributed").setLevel(logging.CRITICAL)


@pytest.fixture
def store(tmp_path):
    return store_in(tmp_path / "store")


# --- The same results ---


def test_documented_commands_give_the_same_bits_as_this_process(two_workers, store, tmp_path):
    here = store_in(tmp_path / "here")
    results = map_tasks(draw, KEYS, here)
    told = []
    where = {"executor": two_workers.address, "tell": lambda *numbers: told.append(numbers)}
    assert map_tasks(draw, KEYS, store, **where) == results
    assert results_in(store.file.path) == results_in(here.file.path)
    assert sorted(told) == [(done, 12) for done in range(13)]


def test_a_local_cluster_gives_the_same_bits_and_survives_a_task_that_kills_its_worker(store, tmp_path):
    results = map_tasks(draw, KEYS, store_in(tmp_path / "here"))
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=str(tmp_path)
        ) as local,
    ):
        address = local.scheduler_address.replace("tcp://", "dask://")
        assert map_tasks(draw, KEYS, store, executor=address) == results
        # One task at a time: those that a dying worker also holds would be recorded with it.
        assert map_tasks(die_on_one, [{"i": 0}], store, executor=address) == [0]
        with pytest.raises(TaskError, match=r"1 of 2 tasks .* WorkersDied: 1 workers? died"):
            map_tasks(die_on_one, [{"i": 0}, {"i": 1}], store, executor=address)


def test_every_estimator_gives_the_same_bits_on_a_cluster(two_workers, store, tmp_path):
    keys = [{"name": name_of(e)} for e in ESTIMATORS]
    here = map_tasks(bits_of, keys, store_in(tmp_path / "here"))
    assert map_tasks(bits_of, keys, store, executor=two_workers.address) == here
    assert len(set(here)) > 1


# --- What can go wrong while tasks run ---


@contextmanager
def meanwhile(action):
    """Do something in a thread; what goes wrong in it is raised at the end."""
    with ThreadPoolExecutor(1) as pool:
        doing = pool.submit(action)
        yield
        doing.result()


def waiting(folder, n, free):
    return [{"i": i, "folder": str(folder), "free": free} for i in range(n)]


def test_a_time_limit_keeps_what_is_done(two_workers, store, tmp_path):
    keys = waiting(tmp_path, 6, free=3)
    map_tasks(wait_for_a_file, keys[:3], store, executor=two_workers.address)
    with pytest.raises(TimeLimitError, match=r"time limit has passed; 3 of 6 tasks of .*_file are stored"):
        map_tasks(wait_for_a_file, keys, store, executor=two_workers.address, timeout=0.5)
    (tmp_path / "go").touch()
    assert map_tasks(wait_for_a_file, keys, store, executor=two_workers.address) == list(range(6))
    assert not [i for _, i in log(tmp_path)[3:] if i < 3]


def test_the_task_of_a_killed_worker_is_computed_by_another(two_workers, store, tmp_path):
    keys = waiting(tmp_path, 6, free=2)

    def kill_one():
        pid, i = until(lambda: [line for line in log(tmp_path) if line[1] >= 2])[0]
        kill(pid)
        until(lambda: [line for line in log(tmp_path) if line[1] == i and line[0] != pid])
        (tmp_path / "go").touch()

    with meanwhile(kill_one):
        results = map_tasks(wait_for_a_file, keys, store, executor=two_workers.address)
    assert results == list(range(6))
    places = {(f"{cluster_tasks.__name__}.wait_for_a_file", canonical(key), "context") for key in keys}
    assert results_in(store.file.path).keys() == places


def test_after_the_scheduler_was_killed_only_missing_tasks_are_computed(store, tmp_path):
    keys, told = waiting(tmp_path, 6, free=3), []

    def tell(done, total):
        told.append(done)

    with cluster(tmp_path / "first", workers=1) as started:

        def kill_the_scheduler():
            until(lambda: told and told[-1] == 3 and [i for _, i in log(tmp_path) if i >= 3])
            kill(started.scheduler.pid)

        with (
            meanwhile(kill_the_scheduler),
            pytest.raises(ExecutorError, match=r"scheduler at dask://127.* is gone; .*; 3 of 6 tasks of "),
        ):
            map_tasks(wait_for_a_file, keys, store, executor=started.address, tell=tell)
        with pytest.raises(
            ExecutorError, match=r"no Dask scheduler answers at dask://127.*; 3 of 6 tasks of "
        ):
            map_tasks(wait_for_a_file, keys, store, executor=started.address)
    before = len(log(tmp_path))
    (tmp_path / "go").touch()
    remarks = []
    with cluster(tmp_path / "second", workers=0) as started:
        with pytest.raises(TimeLimitError, match="3 of 6 tasks"):
            map_tasks(wait_for_a_file, keys, store, executor=started.address, timeout=0.1, say=remarks.append)
        assert remarks == [f"waiting for workers at {started.address}", ""]
        with meanwhile(lambda: started.workers(1)):  # they come when the tasks are waiting
            results = map_tasks(wait_for_a_file, keys, store, executor=started.address, say=remarks.append)
    assert results == list(range(6))
    assert sorted(i for _, i in log(tmp_path)[before:]) == [3, 4, 5]


# --- Workers that would compute something else ---


@pytest.fixture
def reproduce(monkeypatch, capsys):
    """Exit code and stderr of a run of the study in a folder."""

    def run(folder, *words):
        use(folder, monkeypatch)
        return cli.main(["reproduce", *words]), capsys.readouterr().err

    return run


def test_a_study_on_workers_with_a_copy_of_it_and_without_shared_files(
    reproduce, store, tmp_path, monkeypatch
):
    here, local, remote = (tmp_path / name for name in ("here", "local", "there"))
    for folder in (here, local, remote):
        write_study(folder, names=("one",))
    assert reproduce(local)[0] == 0
    with cluster(tmp_path / "cluster", workers=1, **environment(remote)) as started:
        code, printed = reproduce(here, "--executor", started.address)
        assert code == 0, printed
        assert result_files(here) == result_files(local)
        method = (here / "reports/quick/method.html").read_text()
        assert "tasks ran on a dask cluster" in method
        assert started.address.rpartition("/")[2] not in method
        assert "tasks ran on a" not in (local / "reports/quick/method.html").read_text()
        assert sorted(computed(remote)) == ["one 0", "one 1", "one 2"]
        assert not (here / "computed.log").exists()
        assert not (remote / "reports").exists()

        def work(key, seed):
            """A stand-in: workers know the function by its name."""

        work.__module__, work.__qualname__ = "code_of.tasks", "work"
        monkeypatch.setitem(sys.modules, "code_of.tasks", SimpleNamespace(work=work))

        def compute():
            parts = task_context("code_of.tasks", current_study().notebook("one").data).parts
            map_tasks(work, [{"notebook": "one", "i": 9}], store, executor=started.address, parts=parts)

        def refused(printed):
            with pytest.raises(ExecutorError, match=printed):
                compute()

        helpers = "code_of/helpers.py"
        change(here / helpers, "FACTOR = 1.0", "FACTOR = 2.0")
        refused("compute something else: code_of/helpers.py is another version there; give it")
        change(
            remote / helpers, "FACTOR = 1.0", "FACTOR = 2.0"
        )  # equal, but the worker has imported the old one
        refused(r"must be started again: \S+/helpers.py was changed after it")
        for folder in (here, remote):
            change(folder / helpers, "FACTOR = 2.0", "FACTOR = 1.0")
        refused("must be started again")  # what it has once computed, too
        (remote / "data/one.csv").unlink()
        (here / "data/one.csv").write_text("2\n")
        refused(r"the data file one.csv is absent there \(in \S+/there/data; see STUDYLIB_DATA\)")
    assert len(computed(remote)) == 3


def test_a_time_limit_ends_a_run_with_a_sentence_and_exit_code_1(reproduce, monkeypatch, tmp_path):
    write_study(tmp_path / "study", names=("one",))
    monkeypatch.setenv("SMALL_STUDY_SECONDS", str(LIMIT))
    code, printed = reproduce(tmp_path / "study", "--jobs", "2", "--timeout", "0.5")
    assert code == 1
    # Whatever the kernel had reached by then.
    assert re.search(
        r"one: FAILED, (TimeLimitError: map_tasks: the|stopped, because the) time limit ha[sd] passed",
        printed,
    )
    code, printed = reproduce(tmp_path / "study", "--timeout", "1e-9")
    assert code == 1
    assert "one: FAILED, not started, because the time limit had passed" in printed


def test_a_worker_with_several_threads_is_refused(monkeypatch):
    worker = SimpleNamespace(address="tcp://w:1", state=SimpleNamespace(nthreads=2))
    monkeypatch.setattr("distributed.get_worker", lambda: worker)
    with pytest.raises(ExecutorError, match="worker tcp://w:1 has 2 threads, .* start it with --nthreads 1"):
        _dask.work(_dask.TaskSpec(cluster_tasks.__name__, "draw", "context", (), ()), KEYS[0])


# --- Mistakes ---


def test_a_scheduler_that_does_not_answer_is_one_sentence_before_anything_is_run(reproduce, tmp_path):
    write_study(tmp_path / "study")
    code, printed = reproduce(tmp_path / "study", "--executor", "dask://127.0.0.1:1")
    assert code == 2
    assert printed == "studylib: no Dask scheduler answers at dask://127.0.0.1:1.\n"


def test_without_the_extra_the_command_says_what_to_install(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "studylib.study.run._dask", raising=False)
    monkeypatch.delattr("studylib.study.run._dask", raising=False)
    with pytest.raises(
        ExecutorError, match=r"extra 'cluster'; install them with `pip install 'studylib\[cluster\]'`"
    ):
        map_tasks(draw, KEYS, store, executor="dask://127.0.0.1:1")
