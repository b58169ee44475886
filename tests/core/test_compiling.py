"""The line that says why a first fit takes long."""

import gc
import logging
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from numba.core.event import Event, EventStatus

from studylib.core import compiling, random
from studylib.core.data import SILENT_VARIABLE


def other():
    """A function of another package."""


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.delenv(SILENT_VARIABLE, raising=False)
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(compiling.time, "monotonic", lambda: now.seconds)
    return now


def compiled(notice, clock, *parts, function=random.next_word.py_func):
    """Kernels within kernels, each begun after so many seconds; then all end after the last number."""
    data = {"dispatcher": SimpleNamespace(py_func=function)}
    for seconds in parts[:-1]:
        clock.seconds += seconds
        notice.on_start(Event("numba:compile", EventStatus.START, data))
    clock.seconds += parts[-1]
    for _ in parts[:-1]:
        notice.on_end(Event("numba:compile", EventStatus.END, data))


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


def test_kernels_of_others_do_not_count(caplog, clock):
    compiled(compiling.Notice(), clock, 0, 9.0, function=other)
    assert not caplog.records


@pytest.mark.parametrize("collects", [True, False])
def test_garbage_is_collected_again_once_the_outermost_kernel_is_done(monkeypatch, collects):
    state = SimpleNamespace(on=collects)
    monkeypatch.setattr(compiling.gc, "isenabled", lambda: state.on)
    monkeypatch.setattr(compiling.gc, "disable", lambda: setattr(state, "on", False))
    monkeypatch.setattr(compiling.gc, "enable", lambda: setattr(state, "on", True))
    notice, seen = compiling.Notice(), []
    event = Event("numba:compile", EventStatus.START, {"dispatcher": random.next_word})
    for step in (notice.on_start, notice.on_start, notice.on_end, notice.on_end):
        step(event)
        seen.append(state.on)
    assert seen == [False, False, False, collects]


def test_compiling_leaves_the_collector_as_it_was():
    assert gc.isenabled()
    numba.njit(random.next_word.py_func)(np.zeros(1, np.uint64))
    assert gc.isenabled()


def test_it_can_be_silenced(capsys, clock):
    logger = logging.getLogger("studylib")
    before = logger.level
    try:
        logger.setLevel("ERROR")
        compiled(compiling.Notice(), clock, 0, 9.0)
    finally:
        logger.setLevel(before)
    assert capsys.readouterr().err == ""


def test_a_process_of_the_command_line_says_nothing(caplog, clock, monkeypatch):
    monkeypatch.setenv(SILENT_VARIABLE, "1")
    compiled(compiling.Notice(), clock, 0, 9.0)
    assert not caplog.records
