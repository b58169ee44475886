"""The line that says why a first fit takes long."""

import contextlib
import ctypes
import gc
import os
import signal
import subprocess
import sys
from types import SimpleNamespace
from typing import NamedTuple

import numba
import numpy as np
import pytest

from studylib.core import compiling, random
from studylib.core.data import RUN_VARIABLE


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.delenv(RUN_VARIABLE, raising=False)
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(compiling.time, "monotonic", lambda: now.seconds)
    return now


def compiled(notice, clock, *parts):
    """Kernels within kernels, each begun after so many seconds; then all end after the last number."""
    with contextlib.ExitStack() as kernels:
        for seconds in parts[:-1]:
            clock.seconds += seconds
            kernels.enter_context(notice.compilation())
        clock.seconds += parts[-1]


@pytest.mark.parametrize(
    ("rounds", "lines"),
    [
        ([(0, 1.9)], 0),
        ([(0, 2.1)], 1),
        ([(0, 1.5), (60, 1.5)], 1),
        ([(0, 0.5), (60, 0.5), (60, 0.5)], 0),
        ([(0, 1.0, 1.5, 0.0)], 1),
        ([(0, 3.0), (0, 3.0), (0, 3.0)], 1),
    ],
)
def test_it_is_said_once_when_two_seconds_were_spent(caplog, clock, rounds, lines):
    notice = compiling.Notice()
    for parts in rounds:
        compiled(notice, clock, *parts)
    assert len(caplog.records) == lines


@pytest.mark.parametrize("cache", [True, False])
def test_a_compilation_that_fails_has_ended(caplog, clock, monkeypatch, cache):
    monkeypatch.setattr(compiling, "_NOTICE", notice := compiling.Notice())
    for _ in range(2):
        with pytest.raises(numba.TypingError):
            compiling.njit(cache=cache)(random.next_word.py_func)("no state")
    clock.seconds += 9.0
    compiled(notice, clock, 0, 0.1)
    assert not caplog.records


class Grown(NamedTuple):
    nodes: np.ndarray
    n_nodes: int


RETURNED = {
    "a number": lambda a: 1,
    "an array": lambda a: a,
    "arrays": lambda a: (a, a),
    "a named tuple": lambda a: Grown(a, 1),
    "a named tuple and more": lambda a: (Grown(a, 1), (a, 2)),
}


@pytest.fixture
def interrupts():
    """Python's own handler of Ctrl-C; a shell that starts tests in the background lets them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
@pytest.mark.parametrize("returned", RETURNED.values(), ids=RETURNED)
def test_what_interrupts_a_kernel_is_what_the_caller_gets(returned):
    send, number, made = ctypes.CDLL(None)["raise"], int(signal.SIGINT), numba.njit(returned)
    send.argtypes = [ctypes.c_int]

    @compiling.njit()
    def kernel(array):
        send(number)  # as Ctrl-C would, while no step of Python's is running
        return made(array.copy())

    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            kernel(np.zeros(2))


ALONE = """
import gc, logging, os, sys, warnings
import joblib, numba, pandas, sklearn.base  # whatever they change themselves is not ours
from numba.core import event

def state():
    loggers = {name: (log.level, list(log.handlers), log.disabled) for name, log in
               logging.Logger.manager.loggerDict.items() if isinstance(log, logging.Logger)}
    return (gc.isenabled(), gc.get_threshold(), gc.get_freeze_count(), list(gc.callbacks), loggers,
            list(warnings.filters), dict(os.environ), list(sys.path), {k: list(v) for k, v in event._registered.items() if v})

before = state()
import studylib.blend, studylib.graf, studylib.neighbors, studylib.pcf, studylib.rules, studylib.trees
import studylib.datasets, studylib.plots, studylib.statistics
for package in (studylib.blend, studylib.graf, studylib.neighbors, studylib.pcf, studylib.rules, studylib.trees):
    for thing in vars(package).values():
        if isinstance(thing, type) and issubclass(thing, sklearn.base.BaseEstimator):
            thing()
after = state()
print([a == b for a, b in zip(before, after)][:4], {k: v for k, v in after[4].items() if before[4].get(k, v) != v})
print(all(a == b for a, b in zip(before[5:], after[5:])))
"""


def test_importing_and_constructing_leave_the_process_as_it_was():
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[True, True, True, True] {}", "True"]


@pytest.mark.parametrize("collects", [True, False])
def test_the_collector_waits_while_kernels_are_compiled(collects):
    before, seen = gc.isenabled(), []
    (gc.enable if collects else gc.disable)()
    try:
        for fails in (False, True):
            with contextlib.suppress(ZeroDivisionError), compiling._compiling():
                with compiling._compiling():
                    seen.append(gc.isenabled())
                seen.append(gc.isenabled())
                1 / (not fails)
            seen.append(gc.isenabled())
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False, False, collects] * 2


RENAMED = """
import re, sys
from importlib.machinery import SourceFileLoader
name, of_files = sys.argv[1], SourceFileLoader.get_code
word = re.compile(rf"\\b{name}\\b")

def get_code(loader, module):
    source = loader.get_data(loader.path).decode() if module.split(".")[0] in ("numba", "llvmlite") else ""
    if not word.search(source):
        return of_files(loader, module)
    return compile(word.sub(name + "_by_another_name", source), loader.path, "exec", dont_inherit=True)

SourceFileLoader.get_code = get_code
from studylib.core import compiling
from studylib.trees import TreePredictor
said = TreePredictor().fit([[0.0], [1.0]] * 5, [0, 1] * 5).predict([[0.0], [1.0]])
print(compiling._USED is None, said.tolist())
"""
PRIVATE = [
    *("_cache", "_compiler", "_get_function", "_rebuild", "AppDirs", "from_native_return"),
    *("global_compiler_lock", "has_dynamic_globals", "is_not_null", "lifted", "load_overload"),
    *("magic_tuple", "no_cfunc_wrapper", "save_overload"),
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept")


@pytest.mark.slow
@pytest.mark.parametrize("name", [*PRIVATE, "no such name"])
def test_where_numba_renames_what_it_never_promised_kernels_are_numbas(name, kept):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(kept)}
    run = [sys.executable, "-c", RENAMED, name]
    done = subprocess.run(run, env=environment, capture_output=True, text=True)
    assert done.stdout == f"{name in PRIVATE} [0, 1]\n", done.stderr


def test_a_process_of_a_run_says_nothing(caplog, clock, monkeypatch):
    monkeypatch.setenv(RUN_VARIABLE, "1")
    compiled(compiling.Notice(), clock, 0, 9.0)
    assert not caplog.records
