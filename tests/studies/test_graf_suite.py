"""The comparison on held-out UCI sets: groups, folds, tables, and verdicts on its claims."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from studylib.datasets import data_dir, uci_suite_names
from studylib.datasets._uci_archive import SUITE
from studylib.studies.graf import suite, suite_figures, suite_tables
from studylib.study.ledger.rule_table import judge_claim
from studylib.study.ledger.study import current_study
from studylib.study.measured import plain

CLAIMS = current_study().ledger.claims
NUMBERS = {"above": 0, "level": 0.95}
KEY = {"data": "bundled iris", "n_folds": 4, "split_seed": 2026, "method": "random forest", "n_trees": 3}
needs_suite = pytest.mark.skipif(not (data_dir() / SUITE.path).is_file(), reason="the UCI suite is not there")


def test_groups_are_disjoint_sets_of_the_suite():
    groups = suite.groups()
    assert {name: len(sets) for name, sets in groups.items()} == {
        "selection": 28, "held_out": 57, "held_out_large": 18,
    }  # fmt: skip
    names = [name for sets in groups.values() for name in sets]
    assert len(set(names)) == len(names)
    assert set(names) <= set(uci_suite_names())


@needs_suite
def test_held_out_sets_come_smallest_first_with_the_folds_of_their_group():
    sets, groups = suite.load_held_out_sets(), suite.groups()
    assert len(sets) == 75
    assert [one.n_values for one in sets] == sorted(one.n_values for one in sets)
    assert {one.name for one in sets if one.n_folds == 2} == set(groups["held_out_large"])
    assert {one.name for one in sets if one.n_folds == 4} == set(groups["held_out"])
    assert not {one.name for one in sets} & set(groups["selection"])


def test_keys_cross_sets_seeds_and_methods():
    sets = suite.bundled_sets()[:2]
    keys = suite.suite_keys(sets, [1, 2], 5)
    assert len(keys) == 2 * 2 * len(suite.METHODS)
    assert {(key["data"], key["split_seed"], key["method"]) for key in keys} == {
        (one.name, seed, method) for one in sets for seed in (1, 2) for method in suite.METHODS
    }


@pytest.mark.parametrize("method", suite.METHODS)
def test_accuracies_are_repeatable_plain_data(method):
    key = KEY | {"method": method}
    found = suite.fold_accuracies(key, 7)
    assert json.dumps(found, allow_nan=False) == json.dumps(suite.fold_accuracies(key, 7))
    assert [sum(found["n_test"]), len(found["accuracy"])] == [150, 4]
    assert min(found["accuracy"]) > 0.7
    assert (found["oblique"] is None) == (method != "blend")
    if method == "blend":
        assert 0 <= found["oblique"] <= 1


class _Constant(ClassifierMixin, BaseEstimator):
    """Predicts the class that it is told."""

    def __init__(self, label):
        self.label = label

    def fit(self, X, y):
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


def test_accuracies_are_those_of_the_folds_of_scikit_learn(monkeypatch):
    X, y = suite.load_bundled("wine")
    monkeypatch.setattr(suite, "_model", lambda method, n_trees, seed: _Constant(1))
    found = suite.fold_accuracies(KEY | {"data": "bundled wine"}, 0)
    folds = StratifiedKFold(4, shuffle=True, random_state=2026).split(X, y)
    assert found["accuracy"] == [pytest.approx((y[test] == 1).mean()) for _, test in folds]


def test_every_fold_has_a_seed_of_its_own(monkeypatch):
    seeds = []
    monkeypatch.setattr(suite, "_model", lambda method, n_trees, seed: seeds.append(seed) or _Constant(0))
    suite.fold_accuracies(KEY, 2**32 - 2)
    assert seeds == [2**32 - 2, 2**32 - 1, 0, 1]


def test_a_class_smaller_than_the_number_of_folds_is_no_warning(monkeypatch):
    """Warnings are errors in this suite."""
    y = np.array([0] * 20 + [1] * 20 + [2] * 2)
    X = np.random.default_rng(0).normal(size=(len(y), 2))
    monkeypatch.setattr(suite, "_rows", lambda name: (X, y))
    found = suite.fold_accuracies(KEY, 0)
    assert sum(found["n_test"]) == len(y)


def test_description_counts_columns_of_few_values(monkeypatch):
    X = np.column_stack([np.arange(30) % 10, np.arange(30) % 11, np.arange(30), np.zeros(30)])
    monkeypatch.setattr(suite, "_rows", lambda name: (X.astype(float), np.arange(30) % 3))
    assert suite.description({"data": "any"}, 0) == {"n": 30, "d": 4, "classes": 3, "coded": 0.5}


def results(accuracies, oblique=0.25):
    """Keys and results on two sets and seeds: ``accuracies(data, seed, method)`` gives one for each fold."""
    sets = [suite.HeldOutSet("a", 4, 1), suite.HeldOutSet("b", 2, 2), suite.HeldOutSet("c", 2, 3)]
    keys = suite.suite_keys(sets, [1, 2], 5)
    found = [
        {
            "accuracy": list(accuracies(key["data"], key["split_seed"], key["method"], key["n_folds"])),
            "n_test": [10] * key["n_folds"],
            "oblique": oblique if key["method"] == "blend" else None,
        }
        for key in keys
    ]
    return keys, found


def random_results(seed):
    rng = np.random.default_rng(seed)
    return results(lambda data, split_seed, method, n_folds: rng.integers(50, 100, n_folds) / 100)


DESCRIPTIONS = [
    {"coded": 0.0, "classes": 2, "n": 100, "d": 4},
    {"coded": 0.5, "classes": 3, "n": 200, "d": 4},
    {"coded": 1.0, "classes": 2, "n": 300, "d": 4},
]


@pytest.mark.parametrize("seed", range(3))
def test_differences_are_means_of_paired_differences(seed):
    keys, found = random_results(seed)
    folds = suite_tables.fold_table(keys, found)
    got = suite_tables.gains(folds, "blend", "extra trees")
    assert got.index.tolist() == ["a", "b", "c"]
    for data in "abc":
        one, other = (
            np.concatenate(
                [
                    f["accuracy"]
                    for k, f in zip(keys, found, strict=True)
                    if (k["data"], k["method"]) == (data, method)
                ]
            )
            for method in ("blend", "extra trees")
        )
        assert got[data] == pytest.approx(100 * np.mean(one - other))
    table = suite_tables.set_table(folds, DESCRIPTIONS)
    assert (table["blend"] - table["extra trees"]).tolist() == pytest.approx(got.tolist())
    assert table["oblique"].tolist() == [25.0] * 3
    assert table.loc["b", ["n", "d", "classes", "coded"]].tolist() == [200, 4, 3, 0.5]
    assert suite_tables.mean_scores(folds).loc["blend", "accuracy"] == pytest.approx(table["blend"].mean())


def test_equal_accuracies_in_another_order_are_a_tie():
    """0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ by rounding."""

    def accuracies(data, split_seed, method, n_folds):
        values = np.array([0.7, 0.1, 0.2, 0.3])[:n_folds]
        return values if method == "blend" else values[::-1]

    folds = suite_tables.fold_table(*results(accuracies))
    assert suite_tables.gains(folds, "blend", "random forest").tolist() == [0, 0, 0]


def test_comparison_counts_wins_ties_and_losses():
    gain = {"a": 0.02, "b": 0.0, "c": -0.01}
    folds = suite_tables.fold_table(
        *results(lambda data, s, method, n: [0.5 + gain[data] * (method == "blend")] * n)
    )
    table = suite_tables.comparison_table(folds, suite_tables.COMPARISONS, NUMBERS)
    assert table.loc["blend − random forest", ["wins", "ties", "losses"]].tolist() == [1, 1, 1]
    assert table.loc["blend − random forest", "mean"] == pytest.approx(1 / 3)
    assert table.loc["canonical − guided", ["wins", "ties", "losses"]].tolist() == [0, 3, 0]
    assert table["by Holm’s procedure"].tolist() == ["undecided"] * 3 + ["–"] * 3
    sets = suite_tables.set_table(folds, DESCRIPTIONS)
    assert suite_tables.largest(sets, 10, gains=True).index.tolist() == ["a"]
    losses = suite_tables.largest(sets, 10, gains=False)
    assert losses["difference"].to_dict() == {"c": pytest.approx(-1)}


def test_table_by_property_divides_at_the_median():
    folds = suite_tables.fold_table(*random_results(0))
    sets = suite_tables.set_table(folds, DESCRIPTIONS)
    difference = sets["blend"] - sets["random forest"]
    table = suite_tables.by_property(sets)
    low = table.loc["samples", :].loc["≤ 200"]
    assert (low["sets"], low["mean"]) == (2, pytest.approx(difference[:2].mean()))
    assert np.isnan(table.loc[("samples", "> 200"), "low"])  # one set has no interval
    assert table.loc[("features", "> 4"), "sets"] == 0
    assert np.isnan(table.loc["features", "rank correlation"]).all()  # all sets have four
    expected = stats.spearmanr([100, 200, 300], difference).statistic
    assert table.loc[("samples", "≤ 200"), "rank correlation"] == pytest.approx(expected)


def test_shares_by_better_family():
    sets = pd.DataFrame(
        {
            "canonical": [90.0, 80.0, 70.0, 60.0],
            "random forest": [80.0, 70.0, 80.0, 60.0],
            "oblique": [90.0, 70.0, 20.0, 50.0],
        }
    )
    found = suite_tables.by_better_family(sets)
    assert found.loc["canonical"].tolist() == [2, 80, 70, 90]
    assert found.loc["random forest", "mean"] == 20
    assert found.loc["neither", "sets"] == 1


def test_figures_show_every_set():
    folds = suite_tables.fold_table(*random_results(1))
    sets = suite_tables.set_table(folds, DESCRIPTIONS)
    differences = suite_tables.gains_over_rivals(folds)
    first = differences["random forest"]
    for figure, n_panels in (
        (suite_figures.sorted_differences(differences, "three sets"), 3),
        (suite_figures.against_properties(sets, first, "three sets"), 4),
        (suite_figures.oblique_shares(sets, first, "three sets"), 1),
    ):
        marks = [sum(len(c.get_offsets()) for c in ax.collections) for ax in figure.axes[-n_panels:]]
        assert marks == [3] * n_panels
        assert "three sets" in [text.get_text() for text in figure.texts]


# Claims


def spread(mean, error):
    """Three numbers with that mean and standard error."""
    return [mean - error * 3**0.5, mean, mean + error * 3**0.5]


@pytest.mark.parametrize(
    ("claim", "rival"),
    [("graf-blend-rf", "random forest"), ("graf-blend-extra-trees", "extra trees"), ("graf-blend-boosting", "histogram boosting")],
)  # fmt: skip
def test_each_claim_of_the_family_is_about_its_own_rival(claim, rival):
    measured = {name: spread(-9, 1) for name in suite_tables.RIVALS} | {rival: spread(20, 1)}
    found = judge_claim(CLAIMS[claim], plain(measured))
    [part] = found.parts
    assert (found.verdict, part.value, part.unit) == ("reproduced", 20, "points")
    assert (part.note["rank"], part.note["of"], part.note["level"]) == (1, 3, pytest.approx(1 - 0.05 / 3))
    assert judge_claim(CLAIMS[claim], plain(measured | {rival: spread(-20, 1)})).verdict == "not reproduced"
    assert judge_claim(CLAIMS[claim], plain(measured | {rival: spread(1, 1)})).verdict == "inconclusive"


@pytest.mark.parametrize("claim", ["graf-blend-guided", "graf-canonical-guided"])
def test_claims_outside_the_family_are_judged_alone(claim):
    verdicts = [judge_claim(CLAIMS[claim], spread(mean, 1)).verdict for mean in (5, 1, -5)]
    assert verdicts == ["reproduced", "inconclusive", "not reproduced"]
