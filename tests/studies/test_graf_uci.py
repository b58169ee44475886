"""The source's comparison on the UCI suite: grids, portions of forests, damaged archives, and statistics."""

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from studylib.core.data import DataChangedError
from studylib.datasets import _uci_archive as archive
from studylib.datasets import load_bundled
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf import uci, uci_grids, uci_reruns, uci_results
from studylib.study.measured import tidy

# Forests in portions


@pytest.mark.parametrize("method", ["GRAF", "guided", "random forest", "extra trees"])
def test_a_forest_in_portions_votes_like_its_portions_together(method, monkeypatch):
    monkeypatch.setattr(uci, "_PORTION", 4)
    X, y = load_bundled("wine")
    train, test = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    key = {"method": method, "n_trees": [3, 10]}
    staged = list(uci._staged(key, np.random.SeedSequence([1, 0]), X, y, train, test))
    votes = np.zeros((len(test), 3))
    seeds = np.random.SeedSequence([1, 0])
    for k, portion in enumerate([3, 4, 3]):  # 3, then 7 more in portions of at most 4
        seed = int(seeds.spawn(1)[0].generate_state(1)[0] >> 1)
        if method in uci._FORESTS:
            forest = uci._FORESTS[method](portion, random_state=seed).fit(X[train], y[train])
            votes += sum(tree.predict_proba(X[test].astype(np.float32)) for tree in forest.estimators_)
        else:
            plane = "box" if method == "GRAF" else method
            forest = GuidedRandomForestClassifier(portion, hyperplane=plane, random_state=seed)
            votes += forest.fit(X[train], y[train]).decision_function(X[test])
        if k in (0, 2):
            np.testing.assert_array_equal(staged[k // 2], votes.argmax(axis=1))


def test_two_classes_are_voted_on_by_their_one_score():
    X, y = load_bundled("breast cancer")
    train, test = np.arange(200), np.arange(200, 569)
    seeds = np.random.SeedSequence([3, 0])
    [labels] = uci._staged({"method": "GRAF", "n_trees": [20]}, seeds, X, y, train, test)
    seed = int(np.random.SeedSequence([3, 0]).spawn(1)[0].generate_state(1)[0] >> 1)
    forest = GuidedRandomForestClassifier(20, random_state=seed).fit(X[train], y[train])
    np.testing.assert_array_equal(labels, forest.predict(X[test]))


def test_a_training_part_of_one_class_predicts_it():
    X, y = np.arange(8.0)[:, None], np.array([0, 0, 0, 0, 1, 1, 1, 1])
    key = {"method": "gradient boosting", "n_trees": [3, 5]}
    stages = list(uci._staged(key, np.random.SeedSequence(0), X, y, np.arange(4, 8), np.arange(4)))
    assert [labels.tolist() for labels in stages] == [[1] * 4] * 2


# Grids


def test_graf_has_the_whole_grid_and_each_number_of_features_once():
    sets = [uci_grids.UciSet("a", 100, 4, 2), uci_grids.UciSet("b", 100, 100, 26)]
    keys = uci_grids.first_keys(sets, [100, 200, 500, 1000, 2000])
    graf = [key for key in keys if key["method"] == "GRAF"]
    assert {key["max_features"] for key in graf if key["data"] == "a"} == {2, 4}
    assert {key["max_features"] for key in graf if key["data"] == "b"} == {6, 10, 50, 100}
    assert all(key["n_trees"] == [100, 200, 500, 1000, 2000] for key in graf)
    assert len(graf) == (2 + 4) * 4
    boosted = [key for key in keys if key["method"] == "gradient boosting"]
    assert [(key["data"], key["max_features"]) for key in boosted] == [("a", 2), ("a", 4), ("b", 10)]
    scores = [[0.5] * len(key["n_trees"]) for key in keys]
    second = uci_grids.second_keys(sets, [100, 200, 500, 1000, 2000], keys, scores)
    assert {(key["data"], key["method"]): key["n_trees"] for key in second} == {
        ("a", "random forest"): [100, 200, 500], ("a", "gradient boosting"): [100, 200, 500],
        ("b", "random forest"): [100, 200, 500],  # boosting would grow 26 trees a round
    }  # fmt: skip


def test_the_choice_is_the_best_then_the_fewest_trees_then_the_first():
    keys = [
        {"data": "a", "method": "m", "n_trees": [10, 20], "min_samples_split": split} for split in (2, 3, 4)
    ]
    best = uci_grids.chosen(keys, [[0.5, 0.9], [0.9, 0.9], [0.9, 0.8]])
    assert best == {("a", "m"): {"data": "a", "method": "m", "n_trees": [10], "min_samples_split": 3}}


def test_sets_are_chosen_evenly_by_size():
    sets = [uci_grids.UciSet(str(k), 10 * k, 2, 2) for k in range(1, 11)]
    assert [uci_set.name for uci_set in uci_grids.choose_sets(sets, 3, 140)] == ["1", "4", "7"]
    assert uci_grids.choose_sets(sets, 100, 10**9) == sets
    zoo = uci_grids.UciSet("zoo", 101, 16, 7)
    assert uci_grids.choose_sets([*sets, zoo], 100, 10**9, ["zoo", "letter"]) == sets
    with pytest.raises(ValueError, match="without names .'leter'., but the UCI suite has no such"):
        uci_grids.choose_sets(sets, 3, 140, ["leter"])


# A damaged archive


def test_sets_that_are_altered_or_cannot_be_read_are_named_and_the_others_are_used(monkeypatch):
    known, yielded = archive.entries(), [("iris", "right"), ("wine", "altered")]

    def read(path, wanted):
        yield from ((known[name], parts) for name, parts in yielded)
        raise DataChangedError(f"{path}: the archive lacks zoo/conxuntos.dat")

    monkeypatch.setattr(archive, "find", lambda: Path("elsewhere/data.tar.gz"))
    monkeypatch.setattr(archive, "read", read)
    monkeypatch.setattr(archive, "is_right", lambda entry, parts: parts == "right")
    sets = uci_grids.load_uci_sets()
    assert [uci_set.name for uci_set in sets.usable] == ["iris"]
    assert len(sets.left_out) == 115
    assert sets.left_out["wine"] == "it has been altered in data.tar.gz"
    assert sets.left_out["zoo"] == "data.tar.gz: the archive lacks zoo/conxuntos.dat"
    yielded.clear()
    with pytest.raises(DataChangedError, match="the archive lacks"):
        uci_grids.load_uci_sets()


# Statistics


def accuracies(seed=0, n_sets=8, n_replicates=3):
    rng = np.random.default_rng(seed)
    keys = [
        {"data": f"set {k}", "method": method, "replicate": r}
        for r, k, method in itertools.product(range(n_replicates), range(n_sets), uci_grids.SOURCE)
        if r == 0 or method != "AdaBoost"
    ]
    return uci_results.accuracy_table(tidy(keys, [rng.integers(60, 100, 4) / 100 for _ in keys], ["draw"]))


def test_one_point_behind_is_comparable_and_a_hundredth_more_is_not():
    table = pd.DataFrame(
        {"GRAF": [90.0, 90.0, 90.0], "AdaBoost": [91.0, 91.01, 80.0], "random forest": [91.0, 91.0, 91.5]}
    )
    assert uci_results.comparable(["AdaBoost"], 1)(table).tolist() == [True, False, True]
    assert uci_results.comparable(["AdaBoost", "random forest"], 1)(table).tolist() == [True, False, False]


def slow_wins(tables, method, rival, points, name):
    """Shares of the pairs of tests that are won on a set, by method and by chance."""
    tests, by_chance = range(len(tables)), []
    won = [tables[i][method][name] - tables[j][rival][name] > points for i in tests for j in tests]
    for m in dict.fromkeys((method, rival)):
        differs = any((tables[i][m] != tables[0][m]).any() for i in tests)
        again = [tables[i][m][name] - tables[j][m][name] > points for i in tests for j in tests if i != j]
        by_chance += [np.mean(again)] if differs else []
    return np.mean(won), np.mean(by_chance) if by_chance else 0.0


@pytest.mark.parametrize("points", [0.5, 1, 2])
def test_wins_are_counted_beside_those_by_chance(points):
    tables = uci_results.replicates(accuracies(n_sets=6))
    wins = uci_results.wins(tables, "GRAF", ["random forest", "AdaBoost"], points)
    for rival, won in wins.items():
        slow = [slow_wins(tables, "GRAF", rival, points, name) for name in tables[0].index]
        assert won["first"] == pytest.approx([first for first, _ in slow])
        assert won["second"] == pytest.approx([second for _, second in slow])


# Runs again


def test_folds_to_tune_on_differ_between_runs_and_not_between_methods(monkeypatch):
    seen = []

    def recorded(key, seed, X, y, folds):
        seen.append((key["method"], y.tolist()))
        return [[0.5] * len(key["n_trees"]) for _ in folds]

    monkeypatch.setattr(uci, "_over_folds", recorded)
    iris = uci_grids.UciSet("bundled iris", 150, 4, 3)
    rows = {}
    for key in uci_reruns.rerun_keys([iris], [5, 10], 2):
        seen.clear()
        uci_reruns.rerun(key, 0)
        rows[key["method"], key["rerun"]] = seen[0][1]
        assert {method for method, _ in seen} == {key["method"]}
    assert rows["GRAF", 0] == rows["AdaBoost", 0]
    assert rows["GRAF", 0] != rows["GRAF", 1]
    assert sorted(rows["GRAF", 0]) == sorted(rows["GRAF", 1])


def test_critical_differences_are_those_of_demsar():
    # JMLR 7 (2006), section 3.2.4: four classifiers, 14 data sets; and table 5a, q for 2 to 10 classifiers
    assert uci_results.critical_difference(4, 14) == pytest.approx(1.25, abs=0.005)
    for k, q in {2: 1.960, 3: 2.343, 5: 2.728, 10: 3.164}.items():
        assert uci_results.critical_difference(k, 1) == pytest.approx(q * np.sqrt(k * (k + 1) / 6), rel=5e-4)
