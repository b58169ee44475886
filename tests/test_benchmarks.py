"""The benchmarks' arithmetic and protocol; their times are nobody's business here."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import bounds, contests, data, figures, growth, overview, peers, profiles, side_by_side
from benchmarks.timing import Contestant, in_turn, ratios, slope, take_turns
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

pytestmark = pytest.mark.slow


def test_contestants_take_turns_after_a_first_round_that_does_not_count():
    calls = []

    def contestant(name, seconds):
        def work(what):
            calls.append(name + what)
            return seconds

        return Contestant(lambda: work("+"), lambda: work("?"))

    found = take_turns({"a": contestant("a", 1.0), "b": contestant("b", 3.0)}, 2)
    assert calls == ["a+", "a?", "b+", "b?"] * 3
    assert found["fit + predict"].tolist() == [2.0, 6.0, 2.0, 6.0]


def test_one_that_is_very_slow_takes_part_once():
    calls = []
    slow = Contestant(lambda: calls.append("slow") or 9.0, once=True)
    found = take_turns({"fast": Contestant(lambda: calls.append("fast") or 3.0), "slow": slow}, 3)
    assert calls == ["fast", "fast", "slow", "fast", "fast"]
    (row,) = ratios(found, {("fast", "slow", "fit"): 2.0}).to_dict("records")
    assert (row["ratio"], row["reached"]) == (3.0, "yes")


def test_contestants_in_turn_are_one_with_their_mean_accuracy():
    calls = []

    def contestant(name, accuracy):
        return Contestant(
            lambda: calls.append(name + "+"), lambda: calls.append(name + "?"), lambda: accuracy
        )

    one = in_turn([contestant("a", 0.5), contestant("b", 0.9)])
    found = take_turns({"both": one}, 1)
    assert calls == ["a+", "b+", "a?", "b?"] * 2
    assert found["fit"][0] > 0
    assert one.accuracy() == pytest.approx(0.7)


def test_real_tables_have_stand_ins(monkeypatch, tmp_path):
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path))
    monkeypatch.setenv("STUDYLIB_OFFLINE", "1")
    origin, tables = data.real_tables(0.5)
    assert origin == "bundled stand-ins"
    for X, y, probes, labels in tables:
        assert (len(X), len(probes)) == (len(y), len(labels))
        assert not set(X.index) & set(probes.index)
        assert len(X) == pytest.approx(3 * len(probes), abs=3)


def test_seconds_are_measured_where_a_contestant_does_not_say_them():
    found = take_turns({"a": Contestant(lambda: sum(range(200_000)))}, 3)
    assert (found["fit"] > 0).all()
    assert found["predict"].isna().all()


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


def test_slope_is_the_exponent():
    sizes = np.array([10.0, 100.0, 1000.0])
    assert slope(sizes, 3 * sizes**1.5) == pytest.approx(1.5)


@pytest.mark.parametrize("name", contests.CONTESTS)
def test_every_contest_can_be_held_and_has_targets_at_full_scale_only(name):
    title, table, accuracies = contests.hold(name, contests.Size(0.002, 2), 1)
    assert title
    assert len(table)
    assert (table["ratio"] > 0).all()
    assert table["target"].isna().all()
    assert all(0 <= share <= 1 for share in accuracies.values())


def test_a_peer_that_cannot_be_installed_is_left_out_with_the_reason(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(peers, "_FOLDER", tmp_path)
    monkeypatch.setitem(peers.REQUIREMENTS, "ydf", ["./no-such-package"])
    found = contests._elsewhere("YDF", "ydf", "ydf_forest", {}, n_trees=1)
    assert found == {}
    assert capsys.readouterr().out.startswith("YDF is left out: it could not be installed: ")


def test_memory_is_that_of_a_process_of_its_own():
    found = growth.memory("random forest", 2000, 5, 2, "float32")
    assert found["data"] == 2000 * 5 * 4 / 2**20
    assert found["peak"] >= found["before"] > 0
    assert 0.5 < found["accuracy"] <= 1


@pytest.mark.parametrize("name", ["30,000 × 13, mixed", "4,000 × 10, 16 values, 26 classes"])
def test_estimators_take_turns_on_a_table(name):
    X, y, probes, _ = side_by_side.TABLES[name](scale=0.02)
    models = side_by_side.estimators(X, n_trees=2)
    times = side_by_side._times(models, X, y, probes)
    assert times.index.tolist() == list(models)
    assert (times >= 0).all(axis=None)


def test_what_has_a_target_says_whether_it_is_reached():
    table = pd.DataFrame({"peak": [1.0, 3.0, 2.0], "target": [2.0, 2.0, np.nan]})
    assert growth.judged(table, "peak")["reached"].tolist() == ["yes", "no", ""]


@pytest.mark.parametrize("name", overview.ESTIMATORS)
def test_every_estimator_of_the_overview_is_measured(name):
    found = overview._measure(name, 0.005, 2)
    assert found["fit, s"] > 0
    assert found["pickled, MiB"] > 0
    assert 0 <= found["accuracy"] <= 1


def test_contests_become_one_table_that_can_be_read(capsys):
    table = contests.hold_all(["trees", "numbers"], contests.Size(0.002, 2), 1)
    assert "numbers: simulated, 100 × 20, 2 trees; accuracy: ours 0." in capsys.readouterr().out
    found = contests.readable(table.assign(target=2.5, reached="no"))
    assert len(found) == len(table)
    assert found.index.names == ["contest", "estimator", "compared with", "work"]
    assert set(found["target"]) == {"2.5"}
    assert set(contests.readable(table)["target"]) == {""}


def test_a_kernel_is_taken_apart_and_gives_what_it_gave():
    X, y, *_ = data.clean_partitions(0.01)
    forest = PartialClassificationForest(2, random_state=0)
    expected = [tree.nodes_.tobytes() for tree in forest.fit(X, y).trees_]
    shares = profiles.profile(lambda: forest.fit(X, y), profiles.PARTIAL_FIT)
    assert [tree.nodes_.tobytes() for tree in forest.trees_] == expected
    whole, parts = shares.pop("kernel"), sum(shares.values())
    assert 0 < whole < 1
    assert parts == pytest.approx(1.0)
    assert min(shares.values()) > 0
    again = (profiles.profile(lambda: forest.fit(X, y), profiles.PARTIAL_FIT) for _ in range(9))
    assert shares["partition"] > 0.05 or any(
        one["partition"] > 0.05 for one in again
    )  # a busy machine disturbs some


def test_every_kernel_has_the_parts_that_are_timed():
    for written, called_from, name, parts in (kernel for _, kernel in profiles.PROFILES.values()):
        kernel = getattr(written, name)
        assert getattr(called_from, name) is kernel
        for part in parts:
            outer, _, inner = part.rpartition(": ")
            within = getattr(written, outer) if outer else kernel
            assert inner in within.py_func.__code__.co_names


def test_reads_and_products_are_counted():
    assert bounds.reads(1000, waiting=False, repeats=1, n=8000) > 0
    assert bounds.reads(1000, waiting=True, repeats=1, n=8000) > 0
    assert bounds.products(repeats=1, n_rounds=10) > 0


def test_nodes_are_counted_and_all_their_samples_added_up():
    sizes, sums = np.array([3, 0, 2, 4, 1]), np.empty(5, np.int64)
    bounds._look(np.array([1, 10, 100, 1000, 10000], np.int32), sizes, sums)
    assert sums.tolist() == [111, 0, 11000, 1111, 10000]  # begins anew where a node does not fit any more
    assert bounds.looks(sizes, repeats=1) > 0


def test_a_way_through_the_table_visits_all_of_it():
    order = np.random.default_rng(0).permutation(50)
    following = np.empty(50, np.int64)
    following[order] = np.roll(order, 1)
    at, seen = 0, set()
    while at not in seen:
        seen.add(at)
        at = following[at]
    assert len(seen) == 50
    assert (bounds._chase(following, 50) == np.arange(8)).all()


def test_a_figure_has_each_ratio_in_the_row_of_its_contest_and_package():
    table = pd.DataFrame(
        {
            "contest": ["a", "a", "b"], "estimator": ["box", "guided", "box"], "work": "fit",
            "compared with": ["x", "x", "y"], "ratio": [2.0, 3.0, 0.5], "lower quartile": [1.5, 2.5, 0.4],
            "upper quartile": [2.5, 3.5, 0.6], "target": [np.nan, 8.0, np.nan],
        },
        index=[0, 1, 0],  # tables of several contests, one below the other
    )  # fmt: skip
    (ax,) = figures.ratios(table, "fit").axes
    rows = dict(zip((text.get_text() for text in ax.get_yticklabels()), ax.get_yticks(), strict=True))
    assert list(rows) == ["a", "x", "b", "y"]
    box, guided = (marks[0].get_xydata() for marks in ax.containers if marks.get_label() in ("box", "guided"))
    (first, last), (second,) = box, guided
    assert [first[0], second[0], last[0]] == [2.0, 3.0, 0.5]
    assert rows["a"] < first[1] < rows["x"] < second[1] < rows["b"] < last[1] == rows["y"]
    (zone,) = (bar for bar in ax.patches if bar.get_width() > 0)
    assert (zone.get_x(), ax.get_xlim()[1]) == (8.0, 8.0 + zone.get_width())
