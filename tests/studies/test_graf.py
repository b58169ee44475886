"""The experiments with GRAF and the paper's general statements."""

import json

import numpy as np
import pytest

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf import bounds, experiments, figures_1_to_5, margins, properties
from studylib.study.measured import tidy
from tests.statistics.test_decompositions import slow_strength_correlation

SEEDS = range(6)
KEY = {
    "data": "2 classes, 10 centroids", "data_seed": 1, "method": "GRAF", "n_train": 200, "n_models": 4,
    "n_groups": 2, "n_estimators": 6, "max_features": 5, "stages": [2, 6],
}  # fmt: skip


@pytest.mark.parametrize(
    "method",
    [pytest.param(m, marks=pytest.mark.slow if "oost" in m else ()) for m in experiments.METHODS],
)
def test_decomposition_is_repeatable_and_adds_up(method):
    key = KEY | {"method": method, "stages": [2, 6] if method == "GRAF" else None}
    parts = experiments.decomposition(key, 3)
    assert json.dumps(parts, allow_nan=False) == json.dumps(experiments.decomposition(key, 3))
    error, bias2, variance = (np.array(parts[name]) for name in ("error", "bias2", "variance"))
    assert error.shape == (2, 2 if method == "GRAF" else 1)
    assert error == pytest.approx(bias2 + variance, abs=1e-12)


def test_a_local_tree_is_not_algorithm_1():
    held = []
    for seed in SEEDS:
        forest, X, y = properties.small_forest(seed, extend=False)
        held.append(properties.is_boosting(forest, X, y))
    assert not all(held)


def test_counts_of_nodes_by_a_loop():
    forest, X, y = properties.small_forest(3)
    leaves = forest.apply(X)
    for t, tree in enumerate(forest.trees_):
        codes = tree.codes()
        counts = properties.node_counts(tree, leaves[:, t], y, len(forest.classes_))
        mine = forest.codes(X)[:, t]
        for node in range(0, len(codes), 7):
            inside = [label for label, code in zip(y, mine, strict=True) if code.startswith(codes[node])]
            assert counts[node].tolist() == np.bincount(inside, minlength=len(forest.classes_)).tolist()
        assert counts.sum(axis=1).tolist() == tree.n_samples.tolist()


def test_strength_where_a_class_has_no_centroid():
    """Trees vote for indices of the classes that are there; they were once compared with the labels."""
    name, data_seed = "5 classes, 10 centroids", 5
    _, y = make_random_rbf(10_000, 10, 5, 10, data_seed)
    assert len(np.unique(y)) == 4
    key = {"data": name, "data_seed": data_seed, "max_features": 5, "n_models": 1, "n_estimators": 5}
    measures = experiments.strengths(key | {"extend": True}, 0)
    assert measures["strength"][0] > 0.5
    assert measures["error"][0] == pytest.approx(measures["test_error"][0], abs=0.05)


# The bound on halves, and the margin


def test_bound_and_error_come_from_different_halves():
    data = {"data": "5 classes, 10 centroids", "data_seed": 5}
    key = data | {"max_features": 3, "n_models": 2, "n_estimators": 7}
    bound = bounds.bound_on_half(key, 1)
    X, y = make_random_rbf(10_000, 10, 5, 10, 5)
    for r in range(2):
        order = np.random.default_rng([5, 2, r]).permutation(10_000)
        forest = GuidedRandomForestClassifier(7, max_features=3, random_state=r)
        forest.fit(X[order[:9000]], y[order[:9000]])
        ours, others = order[9000:9500], order[9500:]
        s, rho, _ = slow_strength_correlation(
            forest.tree_predict(X[ours]), np.searchsorted(forest.classes_, y[ours])
        )
        assert bound["bound"][r] == pytest.approx(rho * (1 - s**2) / s**2)
        assert bound["error"][r] == (forest.predict(X[others]) != y[others]).mean()
    whole = experiments.strengths(key | {"extend": True}, 0)
    assert min(whole["bound"]) / 2 < np.mean(bound["bound"]) < 2 * max(whole["bound"])


@pytest.mark.parametrize("seed", SEEDS)
def test_margins_by_loops(seed):
    forest, X, y = properties.small_forest(seed, n_estimators=7)
    X_new = X + 0.1
    printed, ours = margins.printed_margins(forest, X_new, y), margins.breiman_margins(forest, X_new, y)
    decided, votes = forest.predict(X_new), forest.classes_[forest.tree_predict(X_new)]
    for i, true in enumerate(y):
        others = [label for label in forest.classes_ if label != true]
        assert printed[i] == int(decided[i] == true) - max(int(decided[i] == label) for label in others)
        shares = [np.mean(votes[:, i] == label) for label in others]
        assert ours[i] == pytest.approx(np.mean(votes[:, i] == true) - max(shares))
    assert printed.mean() == pytest.approx(2 * np.mean(decided == y) - 1)


def test_parts_that_do_not_add_up_to_the_error_are_refused():
    parts = {"error": [[0.4]], "bias2": [[0.1]], "variance": [[0.2]]}
    parts |= {"printed_bias2": [[0.2]], "printed_variance": [[0.4]]}
    results = tidy([{"data": "a", "data_seed": 1}], [parts], figures_1_to_5.LEVELS)
    with pytest.raises(ArithmeticError, match="do not add up"):
        figures_1_to_5.forms_of_decomposition(results, 1)
