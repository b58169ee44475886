"""Parts of real sets: sets, tuning, support vectors, ways to choose, and what the ledger's rules say of them."""

import json

import numpy as np
import pytest
from scipy import stats
from sklearn.svm import SVC

from studylib.core.data import DataChangedError, DataNotAvailableError
from studylib.datasets import data_dir
from studylib.datasets._uci_archive import SUITE
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf import (
    approximation,
    figure_8,
    readings,
    selection,
    selection_results,
    sensitivity,
    support_vectors,
    table_1_and_figure_9,
)
from studylib.study.ledger.rule_table import judge_claim
from studylib.study.ledger.study import current_study
from studylib.study.measured import plain, tidy

CLAIMS = current_study().ledger.claims
IRIS = "bundled iris"
needs_suite = pytest.mark.skipif(not (data_dir() / SUITE.path).is_file(), reason="the UCI suite is not there")


def verdict(claim, measured):
    return judge_claim(CLAIMS[claim], plain(measured)).verdict


# Real sets


@pytest.mark.slow
@needs_suite
def test_training_halves_have_the_sizes_of_table_1():
    printed = [300, 345, 350, 384, 423, 500, 1912, 3747, 4062, 10000]
    sets = approximation.load_table_1_sets()
    assert sets == (list(approximation.TABLE_1), {})
    assert [approximation.sizes(name)["training"] for name in sets.usable] == printed
    assert set(table_1_and_figure_9.ROW_CLAIMS.values()) < set(CLAIMS)


def test_a_set_that_is_altered_is_left_out_and_named(monkeypatch):
    def load(name):
        if name == "optical":
            raise DataChangedError("the set optical has been altered")

    monkeypatch.setattr(approximation, "load_uci_suite", load)
    sets = approximation.load_table_1_sets()
    assert len(sets.usable) == 9
    assert sets.left_out == {"optical": "the set optical has been altered"}


@pytest.mark.parametrize("error", [DataChangedError, DataNotAvailableError])
def test_without_any_set_the_data_are_not_available(monkeypatch, error):
    def load(name):
        raise error("nothing there")

    monkeypatch.setattr(approximation, "load_uci_suite", load)
    with pytest.raises(DataNotAvailableError, match="nothing there"):
        approximation.load_table_1_sets()


def test_tuning_takes_the_best_candidate(monkeypatch):
    monkeypatch.setattr(approximation, "_GRID", {"C": [1.0, 1e-9], "gamma": [0.1, 1e9]})
    assert approximation.tuned_svm({"data": IRIS}, 0) | {"accuracy": 0} == {
        "C": 1.0,
        "gamma": 0.1,
        "accuracy": 0,
    }
    tuned = approximation.tuned_forest({"data": IRIS, "n_trees": 5}, 0)
    assert tuned["max_features"] in (2, 4)
    assert tuned["accuracy"] > 0.8
    X, y, *_ = approximation.halves(IRIS)
    model = SVC().fit(X, y)
    assert approximation.default_svm(IRIS) == {"C": 1.0, "gamma": pytest.approx(model._gamma)}


def test_random_halves_hold_every_row_once_in_the_order_of_the_set(monkeypatch):
    X, y = np.arange(60)[:, np.newaxis], np.repeat([0, 1, 2], 20)
    monkeypatch.setattr(approximation.suites, "rows", lambda name: (X, y))
    approximation.split.cache_clear()
    for half in (0, 1):
        train, y_train, test, y_test = approximation.split("sixty rows", half)
        assert sorted([*train.ravel(), *test.ravel()]) == list(range(60))
        assert (np.diff(train[:, 0]) > 0).all()
        assert (np.diff(test[:, 0]) > 0).all()
        assert np.bincount(y_train).tolist() == np.bincount(y_test).tolist() == [10, 10, 10]
    assert not np.array_equal(approximation.split("sixty rows", 0)[0], train)
    approximation.split.cache_clear()
    assert approximation.split(IRIS, None) is approximation.halves(IRIS)


SUBSET = {
    "data": IRIS, "machine": "tuned", "C": 1.0, "gamma": 0.1, "weight": "height", "max_features": 2, "n_trees": 5,
    "replicates": [0, 1],
}  # fmt: skip


def test_overlap_and_correlation_against_a_slow_twin():
    found = support_vectors.subset_accuracies(SUBSET, 0)
    json.dumps(found, allow_nan=False)
    X, y, X_test, y_test = approximation.halves(IRIS)
    machine = SVC(C=1.0, gamma=0.1).fit(X, y)
    vectors = set(machine.support_.tolist())
    assert found["vectors"] == len(vectors) / len(X)
    for replicate in (0, 1):
        scores = approximation.sensitivities(X, y, 5, 2, replicate)
        ranked = sorted(range(len(X)), key=lambda i: (-scores[i], i))[: len(vectors)]
        assert found["overlap"][replicate] == pytest.approx(len(vectors & set(ranked)) / len(vectors))
        weight = {i: sum(abs(a) for a in machine.dual_coef_[:, k]) for k, i in enumerate(machine.support_)}
        rho = stats.spearmanr(list(weight.values()), [scores[i] for i in weight]).statistic
        assert found["correlation"][replicate] == pytest.approx(rho)
        subset = SVC(C=1.0, gamma=0.1).fit(X[sorted(ranked)], y[sorted(ranked)])
        assert found["sensitive"][replicate] == subset.score(X_test, y_test)
    assert [len(found["quantiles"][group]) for group in support_vectors.GROUPS] == [101] * 3


def test_weights_without_spread_have_no_correlation():
    assert support_vectors._rank_correlation(np.ones(3), np.arange(3.0)) is None
    assert support_vectors._rank_correlation(np.arange(3.0), np.arange(3.0)) == 1


# Readings of eq 37


def test_readings_are_those_of_the_estimator_but_for_random_ranks():
    X, y, *_ = approximation.halves(IRIS)
    found = readings.sensitivities_by_reading(X, y, 5, 2, 3)
    assert tuple(found) == readings.READINGS
    for weight in sensitivity.WEIGHTS:
        expected = approximation.sensitivities(X, y, 5, 2, 3, weight)
        np.testing.assert_allclose(found[weight], expected, atol=1e-15)
    forest = GuidedRandomForestClassifier(5, max_features=2, random_state=3).fit(X, y)
    leaves, order = forest.apply(X), np.random.default_rng([3, 1])
    expected = np.zeros(len(y))
    for k, tree in enumerate(forest.trees_):
        theta, seen = np.zeros(len(y)), {}
        for i in order.permutation(len(y)):  # the rank of a row: how many of its leaf came before it
            seen[leaves[i, k]] = seen.get(leaves[i, k], 0) + 1
            theta[i] = tree.heights()[leaves[i, k]] / seen[leaves[i, k]]
        expected += np.log1p(theta / np.array([theta[y == c].sum() for c in range(3)])[y]) / 5
    np.testing.assert_allclose(found["random rank"], expected, atol=1e-15)


def test_a_half_by_each_reading():
    forests, machines = {IRIS: {"max_features": 2}}, {IRIS: {"C": 1.0, "gamma": 0.1}}
    keys = readings.subset_keys(forests, machines, 5, 2, 3, 1)
    assert [(key["half"], key["replicate"]) for key in keys] == [
        (0, 0),
        (1, 0),
        (None, 0),
        (None, 1),
        (None, 2),
    ]
    found = readings.subset_readings(keys[0], 4)
    json.dumps(found, allow_nan=False)
    assert found == readings.subset_readings(keys[0], 4)
    X, y, X_test, y_test = approximation.split(IRIS, 0)
    machine = SVC(C=1.0, gamma=0.1).fit(X, y)
    assert (found["vectors"], found["accuracy"]) == (
        len(machine.support_) / len(X),
        machine.score(X_test, y_test),
    )
    scores = readings.sensitivities_by_reading(X, y, 5, 2, 4)["random rank"]
    highest = sorted(np.argsort(-scores, kind="stable")[: len(machine.support_)])
    one = found["readings"]["random rank"]
    assert one["overlap"] == pytest.approx(np.isin(machine.support_, highest).mean())
    assert one["sensitive"] == SVC(C=1.0, gamma=0.1).fit(X[highest], y[highest]).score(X_test, y_test)
    assert 0 <= found["random"] <= 1


# Ways to choose


def test_farthest_first_against_brute_force():
    X = np.random.default_rng(5).normal(size=(40, 3))
    chosen = selection.farthest_first(X, 12, 7)
    assert chosen[0] == 7
    for k in range(1, 12):
        gaps = [min(np.linalg.norm(x - X[c]) for c in chosen[:k]) for x in X]
        assert chosen[k] == int(np.argmax(gaps))
    doubled = selection.farthest_first(np.repeat(X[:3], 2, axis=0), 6, 0)
    assert sorted(doubled) == list(range(6))


def test_leverage_is_the_diagonal_of_the_hat_matrix():
    X = np.random.default_rng(6).normal(size=(30, 4))
    A = np.column_stack([np.ones(30), X])
    assert selection.leverage_scores(X) == pytest.approx(np.diag(A @ np.linalg.pinv(A)))
    collinear = np.column_stack([X, X[:, 0] + X[:, 1]])
    assert selection.leverage_scores(collinear) == pytest.approx(selection.leverage_scores(X))


def test_margins_are_lowest_where_the_label_is_wrong():
    X, y, *_ = approximation.halves(IRIS)
    wrong = y.copy()
    wrong[5] = (y[5] + 1) % 3
    margin = selection.margins(X, wrong, 0)
    assert margin.argmin() == 5
    assert margin.max() <= 1 or np.isinf(margin.max())


@pytest.mark.parametrize("way", selection.WAYS)
def test_ways_choose_distinct_rows_repeatably(way):
    X, y, *_ = approximation.halves(IRIS)
    chosen = selection.chosen_order(way, X, y, 20, 5, 2, 1)
    assert len(set(chosen.tolist())) == len(chosen) == 20
    assert chosen.tolist() == selection.chosen_order(way, X, y, 20, 5, 2, 1).tolist()


# Tables and verdicts


FRACTIONS = [0.2, 0.5, 1.0]


def curves(u, p, s, learners=approximation.LEARNERS):
    """Accuracies by fraction of each scheme on four sets, with a little noise."""
    keys = [
        {"data": name, "fractions": FRACTIONS, "half": half}
        for name in ("a", "b", "c", "d")
        for half in range(3)
    ]
    found = [
        {one: {"U": u, "P": [x + 1e-4 * k["half"] for x in p], "S": s} for one in learners} for k in keys
    ]
    return figure_8.fraction_table(tidy(keys, found, ["learner", "scheme"]))


def test_area_is_the_mean_height():
    area = figure_8.areas(curves([0.5, 0.7, 0.9], [0.5] * 3, [0.5] * 3))
    expected = 100 * (0.3 * 0.6 + 0.5 * 0.8) / 0.8
    assert area["a", "GRAF", "U", 0] == pytest.approx(expected)


def test_sampling_by_sensitivity_is_comparable_within_half_a_point():
    level = [0.8, 0.8, 0.8]
    for loss, expected in ((0.004, "reproduced"), (0.006, "not reproduced")):
        table = curves(level, [x - loss for x in level], level)
        assert verdict("graf-fig8-p-vs-u", figure_8.sampled_against_uniform(table)) == expected


def test_s_must_reach_the_full_accuracy_before_the_end_and_apart_from_that_before_u():
    late, early = [0.5, 0.6, 0.9], [0.5, 0.8951, 0.9]
    for s, u, expected, before in (
        (early, late, "reproduced", "reproduced"),
        (late, early, "not reproduced", "not reproduced"),
        (early, early, "reproduced", "not reproduced"),
    ):
        table = curves(u, u, s)
        assert verdict("graf-fig8-s-fraction", figure_8.reached_early(table)) == expected
        assert verdict("graf-fig8-s-before-u", figure_8.reached_before_uniform(table)) == before
    smallest = figure_8.smallest_fractions(curves(late, late, early))
    assert smallest["a", "GRAF", "S", 0] == 0.5
    assert smallest["a", "GRAF", "U", 0] == 1.0


def test_signs_agree_where_both_learners_gain_or_lose():
    keys = [{"data": name, "fractions": FRACTIONS, "half": 0} for name in "abc"]
    up, level, down = [0.8, 0.8, 0.9], [0.7, 0.7, 0.9], [0.6, 0.6, 0.9]
    same = {one: {"U": level, "P": up, "S": down} for one in approximation.LEARNERS}
    agreement = figure_8.sign_agreement(
        figure_8.fraction_table(tidy(keys, [same] * 3, ["learner", "scheme"]))
    )
    assert agreement == {"a": 1.0, "b": 1.0, "c": 1.0}
    assert verdict("graf-fig8-method-free", list(agreement.values())) == "reproduced"
    other = same | {"GRAF": {"U": level, "P": down, "S": [0.6, 0.7, 0.9]}}
    agreement = figure_8.sign_agreement(
        figure_8.fraction_table(tidy(keys, [other] * 3, ["learner", "scheme"]))
    )
    assert set(agreement.values()) == {0.25}
    assert verdict("graf-fig8-method-free", list(agreement.values())) == "not reproduced"


def subset_results(sensitive, random, correlation):
    forests = {name: {"max_features": 2} for name in (IRIS, "letter")}
    machines = {name: {"C": 1.0, "gamma": 0.1} for name in forests}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(support_vectors, "default_svm", lambda name: {"C": 1.0, "gamma": 0.2})
        keys = support_vectors.subset_keys(forests, machines, 5, 12, 2)
    found = [
        {
            "vectors": 0.5219,
            "accuracy": 0.9653,
            "overlap": [0.65644] * len(key["replicates"]),
            "sensitive": [sensitive + 1e-5 * r for r in key["replicates"]],
            "random": [random] * len(key["replicates"]),
            "correlation": [correlation] * len(key["replicates"]),
            "quantiles": {group: [0.0, 1.0, 2.0] for group in support_vectors.GROUPS},
        }
        for key in keys
    ]
    return tidy(keys, found)


def half_results(sensitive, overlap, correlation, halves=(*range(4), None)):
    """A table of two sets on four random halves and the archive's, with a little noise."""
    keys = [{"data": name, "half": half} for name in (IRIS, "letter") for half in halves]
    found = []
    for key in keys:
        noise = 1e-5 * (key["half"] or 0)
        one = {"overlap": overlap + noise, "sensitive": sensitive + noise, "correlation": correlation}
        by_reading = dict.fromkeys(readings.READINGS, one) | {"random rank": one | {"sensitive": 0.5}}
        found.append({"vectors": 0.5, "accuracy": 0.97, "random": 0.94, "readings": by_reading})
    return table_1_and_figure_9.reading_table(tidy(keys, found))


CONTROL, CHANCE, HEAVIEST = table_1_and_figure_9.QUANTITIES


def test_a_row_from_results_of_the_task():
    table = table_1_and_figure_9.subset_table(subset_results(0.9234, 0.94, 0.3))
    assert verdict("graf-t1-letter", table_1_and_figure_9.row_parts(table, "letter")) == "reproduced"
    absent = table_1_and_figure_9.row_parts(table, "optical")
    assert set(absent.values()) == {None}
    assert verdict("graf-t1-optical", absent) == "inconclusive"
    random_ranks = table_1_and_figure_9.third_reading(half_results(0.92, 0.7, 0.3))
    rows = table_1_and_figure_9.row_table(table, random_ranks, CLAIMS)
    assert rows.loc[("letter", "printed"), ["support vectors", "all"]].tolist() == [52.19, 96.53]
    assert rows.loc[("letter", "tuned"), "random"] == pytest.approx(94)
    assert rows.loc[("letter", "tuned"), ["overlap, random rank", "subset, random rank"]].tolist() == [70, 50]
    assert rows["subset, random rank"].isna().sum() == 3
    assert (IRIS, "printed") not in rows.index
    other = table_1_and_figure_9.subset_table(subset_results(0.96, 0.94, None))
    assert verdict("graf-t1-letter", table_1_and_figure_9.row_parts(other, "letter")) == "partly"


@pytest.mark.parametrize(
    ("sensitive", "overlap", "correlation", "expected"),
    [(0.96, 0.6, 0.3, "reproduced"), (0.92, 0.4, 0.05, "not reproduced")],
)
def test_random_halves_are_judged_by_height_and_the_order_of_the_data(
    sensitive, overlap, correlation, expected
):
    table = half_results(sensitive, overlap, correlation)
    judged = {"graf-t1-random-control": CONTROL, "graf-t1-overlap-chance": CHANCE, "graf-fig9": HEAVIEST}
    for claim, quantity in judged.items():
        found = table_1_and_figure_9.runs(table, quantity)
        assert {len(one) for one in found.values()} == {4}
        assert verdict(claim, found) == expected
    control = table_1_and_figure_9.interval_table(table, CONTROL).loc["letter"]
    assert control["height", "mean"] == pytest.approx(100 * (sensitive - 0.94) + 0.0015)
    assert control["random rank", "mean"] == pytest.approx(-44)
    assert control["height", "low"] < control["height", "mean"] < control["height", "high"]
    means = table_1_and_figure_9.set_means(table_1_and_figure_9.runs(table, CONTROL))
    assert means == pytest.approx([control["height", "mean"]] * 2)


def test_a_set_without_a_correlation_is_undecided():
    table = half_results(0.96, 0.6, None)
    assert table_1_and_figure_9.runs(table, HEAVIEST) == {IRIS: None, "letter": None}
    assert verdict("graf-fig9", table_1_and_figure_9.runs(table, HEAVIEST)) == "inconclusive"
    assert table_1_and_figure_9.interval_table(table, HEAVIEST).isna().all(axis=None)
    assert table_1_and_figure_9.set_means(table_1_and_figure_9.runs(table, HEAVIEST)) == []


def way_results(gain):
    keys = [{"data": name, "shares": [0.1, 0.25], "replicate": r} for name in "ab" for r in range(2)]
    found = [
        {
            way: dict.fromkeys(selection.LEARNERS, [0.5 + gain * (way == "margin") + 0.01 * (k["data"] == "b")] * 2)
            for way in selection.WAYS
        }
        | {"all rows": {learner: [0.9] for learner in selection.LEARNERS}}
        for k in keys
    ]  # fmt: skip
    return selection_results.way_table(tidy(keys, found, ["way", "learner"]))


def test_ways_are_compared_with_uniform_sampling_set_by_set():
    ways = way_results(-0.02)
    summary = selection_results.way_summary(ways)
    assert summary.loc[(0.1, "SVM", "margin"), ["mean", "won", "lost"]].tolist() == [pytest.approx(-2), 0, 2]
    assert summary.loc[(0.25, "GRAF", "leverage"), ["mean", "won", "lost"]].tolist() == [0, 0, 0]
    means = selection_results.mean_way_accuracies(ways)
    assert means.loc[(0.1, "GRAF"), ["uniform", "margin", "all rows"]].tolist() == pytest.approx(
        [50.5, 48.5, 90]
    )


# Figures
