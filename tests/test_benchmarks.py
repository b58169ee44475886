"""The benchmarks' arithmetic and protocol; their times are nobody's business here."""

import pandas as pd
import pytest

from benchmarks import contests, data, overview, profiles
from benchmarks.timing import Contestant, ratios, take_turns

pytestmark = pytest.mark.slow


def test_contestants_take_turns_after_a_first_round_that_does_not_count():
    calls = []

    def contestant(name, seconds):
        def work(what):
            calls.append(name + what)
            return seconds

        return Contestant(lambda: work("+"), lambda: work("?"))

    times = take_turns({"a": contestant("a", 1.0), "b": contestant("b", 3.0)}, 2)
    assert calls == ["a+", "a?", "b+", "b?"] * 3
    assert times["fit + predict"].tolist() == [2.0, 6.0, 2.0, 6.0]


def test_real_tables_have_stand_ins(monkeypatch, tmp_path):
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path))
    monkeypatch.setenv("STUDYLIB_OFFLINE", "1")
    origin, tables = data.real_tables(0.5)
    assert origin == "bundled stand-ins"
    for X, y, probes, labels in tables:
        assert (len(X), len(probes)) == (len(y), len(labels))
        assert not set(X.index) & set(probes.index)
        assert len(X) == pytest.approx(3 * len(probes), abs=3)


def test_a_ratio_is_taken_within_each_repetition():
    seconds = pd.DataFrame(
        {
            "repeat": [0, 0, 1, 1, 2, 2],
            "who": ["ours", "peer"] * 3,
            "fit": [1.0, 4.0, 2.0, 12.0, 1.0, 5.0],  # ratios 4, 6, 5
        }
    )
    targets = {("ours", "peer", "fit"): 5.5, ("ours", "not installed", "fit"): 1.0}
    (row,) = ratios(seconds, targets).to_dict("records")
    assert (row["lower quartile"], row["ratio"], row["upper quartile"]) == (4.5, 5.0, 5.5)
    assert (row["ms"], row["its ms"], row["reached"]) == (1000.0, 5000.0, "no")


@pytest.mark.parametrize("name", contests.CONTESTS)
def test_every_contest_can_be_held_and_has_targets_at_full_scale_only(name):
    title, table, accuracies = contests.hold(name, contests.Size(0.002, 2), 1)
    assert title
    assert len(table)
    assert (table["ratio"] > 0).all()
    assert table["target"].isna().all()
    assert all(0 <= share <= 1 for share in accuracies.values())


@pytest.mark.parametrize("name", overview.ESTIMATORS)
def test_every_estimator_of_the_overview_is_measured(name):
    measures = overview._measure(name, 0.005, 2)
    assert measures["fit, s"] > 0
    assert measures["pickled, MiB"] > 0
    assert 0 <= measures["accuracy"] <= 1


def test_every_kernel_has_the_parts_that_are_timed():
    for written, called_from, name, parts in (kernel for _, kernel in profiles.PROFILES.values()):
        kernel = getattr(written, name)
        assert getattr(called_from, name) is kernel
        for part in parts:
            outer, _, inner = part.rpartition(": ")
            within = getattr(written, outer) if outer else kernel
            assert inner in within.py_func.__code__.co_names
