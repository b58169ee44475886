"""What ``map_tasks`` is asked to compute, and where: functions whose results can be kept, and addresses."""

import functools
import re
import sys
import types
from types import SimpleNamespace

import pytest

from studylib.study.run import executor
from studylib.study.run._local import Pool
from studylib.study.run.executor import ExecutorError, map_tasks
from tests.study.small_study import store_in


@pytest.mark.parametrize("address", ["local", "dask://host:8786", "dask://127.0.0.1:1", "DASK://Host:80"])
def test_executors_that_are_known(address):
    assert executor.check_executor(address) == address


@pytest.mark.parametrize(
    "address",
    ["", "Local", "dask://host", "dask://:8786", "dask://host:0", "dask://host:99999", "dask://host:one",
     "tcp://host:1", "dask://host:1/path", "dask://host:1?a", "dask://me@host:1", None, 3, ["local"]],
)  # fmt: skip
def test_an_executor_that_is_none_is_named(address):
    with pytest.raises(ValueError, match="^here: executor must be 'local' or 'dask://host:port', got "):
        executor.check_executor(address, "here: executor")
    with pytest.raises(ValueError, match="^executor must be 'local'"):
        executor.check_executor(address)


class Experiment:
    """Its methods carry a state that no key has."""

    def __init__(self, r):
        self.r = r

    def run(self, key, seed):
        return self.r

    def __call__(self, key, seed):
        return self.r


def scaled_by(r):
    def scaled(key, seed):
        return r

    return scaled


def plain(key, seed):
    return key


def of_a_notebook(key, seed):
    return key


of_a_notebook.__module__ = "__main__"
sys.modules["__main__"].of_a_notebook = of_a_notebook  # as in a notebook, which has it under that name
named = scaled_by(3)
older = types.FunctionType(plain.__code__, globals(), "plain")  # as it is after its module was reloaded


@pytest.mark.parametrize(
    "function",
    [Experiment(3).run, Experiment(3), scaled_by(3), named, lambda key, seed: 1,
     functools.partial(plain, seed=1), of_a_notebook, older],
)  # fmt: skip
def test_what_a_module_does_not_have_under_its_name_is_refused(tmp_path, function):
    with pytest.raises(
        ValueError, match=r"^map_tasks: \S+ is not .*; put a function .*, and restart the kern"
    ):
        map_tasks(function, [1], store_in(tmp_path))
    assert not (tmp_path / "tasks.jsonl").exists()
    assert map_tasks(plain, [1], store_in(tmp_path), timeout=3600) == [1]


def test_a_cluster_is_told_what_it_needs_and_named_when_it_is_gone(tmp_path, monkeypatch, capsys):
    made, told = [], []

    class Cluster(Pool):
        def __init__(self, *given):
            made.append(given)

        def submit(self, keys):
            raise ExecutorError("the scheduler is gone")

    monkeypatch.setitem(sys.modules, "studylib.study.run._dask", SimpleNamespace(Cluster=Cluster))
    where = {"store": store_in(tmp_path), "executor": "dask://here:1", "parts": {"python": "3"}}
    for options in ({"say": told.append}, {}):
        with pytest.raises(ExecutorError, match="^map_tasks: the scheduler is gone; "):
            map_tasks(round, [1, 2], **where, **options)
    assert made[0] == ("dask://here:1", round, {"python": "3"}, told.append)
    for remark in ("no workers", ""):
        made[1][-1](remark)
    assert capsys.readouterr() == ("", "studylib: no workers\n")


NO_TIME = "timeout must be a number of seconds > 0, got "


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"executor": "soon"}, "executor must be 'local' or 'dask://host:port', got 'soon'"),
        *(({"timeout": t}, f"{NO_TIME}{t!r}") for t in (0, -1, float("nan"), "1", True)),
        ({"jobs": 0}, "jobs must be an integer >= 1, got 0"),
        ({"keys": [{"i": 1}, {"i": 1}]}, "the keys contain a duplicate"),
    ],
)
def test_a_bad_argument_is_named(tmp_path, bad, message):
    with pytest.raises(ValueError, match=f"^map_tasks: {re.escape(message)}"):
        map_tasks(**{"function": plain, "keys": [1], "store": store_in(tmp_path)} | bad)


def test_a_time_limit_is_none_or_a_number_of_seconds():
    assert [executor.check_timeout(value, "--timeout") for value in (None, 0.5, 3)] == [None, 0.5, 3]


def test_only_an_address_is_reached_and_its_connection_is_closed(monkeypatch):
    from studylib.study import run

    done = []

    def connect(address):
        done.append(address)
        return SimpleNamespace(close=lambda: done.append("closed"))

    monkeypatch.setattr(run, "_dask", SimpleNamespace(connect=connect), raising=False)
    executor.reach_executor("local")
    assert done == []
    executor.reach_executor("dask://host:1")
    assert done == ["dask://host:1", "closed"]
