"""Weights of samples and classes: what they must not change, and what they change."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits

from studylib.blend import BlendedForestClassifier
from studylib.blend._axis_family import AxisFamily
from studylib.blend._oblique_family import ObliqueFamily
from tests.blend.support import family_of
from tests.graf.support import blobs
from tests.naive import axis as naive
from tests.naive.graf import splitmix64

_STEP = 0x9E3779B97F4A7C15  # of a state, with each draw


def outcome(forest, X):
    """All that a forest says, comparable."""
    return (
        forest.family_weights_,
        forest.predict_proba(X).tolist(),
        forest.apply(X).tolist(),
        forest.feature_importances_.tolist(),
    )


def fitted(X, y, weight=None, seed=0, **parameters):
    return BlendedForestClassifier(12, random_state=seed, **parameters).fit(X, y, sample_weight=weight)


def holey():
    X, y = blobs(200, 4, 3, flips=0.1)
    X[::9, 1] = np.nan
    return X, y


@pytest.mark.parametrize("weight", [1.0, 0.3, 7])
def test_weights_that_are_all_the_same_are_none(weight):
    X, y = holey()
    assert outcome(fitted(X, y, np.full(200, weight)), X) == outcome(fitted(X, y), X)
    of_classes = dict.fromkeys([0, 1, 2], weight)
    assert outcome(fitted(X, y, class_weight=of_classes), X) == outcome(fitted(X, y), X)


@pytest.mark.parametrize("factor", [2.0, 0.25, 2.0**400])
def test_only_ratios_of_weights_matter(factor):
    X, y = holey()
    weight = np.random.default_rng(0).random(200)
    assert outcome(fitted(X, y, factor * weight), X) == outcome(fitted(X, y, weight), X)


@pytest.mark.parametrize("others", ["alike", "different"])
def test_samples_of_weight_0_are_as_if_they_were_absent(others):
    X, y = holey()
    rng = np.random.default_rng(0)
    weight = np.where(rng.random(200) < 0.3, 0.0, 1.0 if others == "alike" else 1.0 + rng.random(200))
    some = weight > 0
    assert outcome(fitted(X, y, weight), X) == outcome(fitted(X[some], y[some], weight[some]), X)


def test_a_class_of_weight_0_is_known_but_never_predicted():
    X, y = blobs(200, 4, 3)
    forest = fitted(X, y, class_weight={1: 0.0})
    assert forest.classes_.tolist() == [0, 1, 2]
    assert (forest.predict_proba(X)[:, 1] == 0).all()


def test_weights_of_classes_multiply_those_of_samples():
    X, y = blobs(200, 4, 3)
    weight = np.random.default_rng(0).random(200)
    both = fitted(X, y, weight, class_weight={0: 4.0, 1: 0.5})
    assert outcome(both, X) == outcome(fitted(X, y, weight * np.array([4.0, 0.5, 1.0])[y]), X)


def test_a_weighted_axis_tree_is_the_naive_one_on_the_rows_drawn():
    rng = np.random.default_rng(0)
    X, labels = rng.integers(0, 5, (80, 3)).astype(float), rng.integers(0, 2, 80).astype(np.int32)
    weight = rng.random(80) ** 3
    family = family_of(AxisFamily, X, [0, 0, 0], 2, weight)
    some = rng.permutation(80)[:60]
    for rows in (np.arange(80), some):
        [tree] = family.grow(rows, labels[rows], 2, np.array([[9]], np.uint64))
        uniform = splitmix64(9)
        times = naive.draw_by_weight(weight[rows].tolist(), uniform)
        codes = X[rows].T.astype(int).tolist()
        expected = naive.grow(codes, [False] * 3, labels[rows].tolist(), 2, 2, uniform, times)
        assert tree.nodes["n_samples"].tolist() == [len(node["rows"]) for node in expected]
        assert tree.nodes["feature"].tolist() == [node.get("cut", (-1,))[0] for node in expected]


def test_a_weighted_oblique_tree_is_that_of_repeated_rows():
    X, y = blobs(150, 4, 3)
    weight, labels = np.random.default_rng(0).random(150) ** 3, y.astype(np.int32)
    [tree] = family_of(ObliqueFamily, X, [0] * 4, 3, weight).grow(
        slice(None), labels, 3, np.array([[9]], np.uint64)
    )
    uniform = splitmix64(9)
    times = [int(w + uniform()) for w in weight / weight.mean()]
    bag, state = np.repeat(np.arange(150), times), np.array([[(9 + 150 * _STEP) % 2**64]], np.uint64)
    [expected] = family_of(ObliqueFamily, X, [0] * 4).grow(bag, labels[bag], 3, state)
    for name in ("nodes", "n_samples", "features", "weights", "thresholds", "shares"):
        assert getattr(tree.arrays, name).tolist() == getattr(expected.arrays, name).tolist()


def test_the_mean_that_stands_for_missing_numbers_is_weighted():
    X = np.array([[1.0], [4.0], [np.nan], [1e308]])
    view = family_of(ObliqueFamily, X, [0], 2, np.array([1.0, 2.0, 5.0, 1e-320])).view
    assert view._means.tolist() == pytest.approx([3.0])


def mean_share(y, weight=None, n=60):
    """Share of the second class in forests of many seeds, and its standard error; nothing tells samples apart."""
    nothing = np.zeros((len(y), 2))
    shares = [fitted(nothing, y, weight, seed).predict_proba(nothing[:1])[0, 1] for seed in range(n)]
    return np.mean(shares), np.std(shares, ddof=1) / np.sqrt(n)


def test_shares_in_leaves_are_those_of_weights_and_of_repetitions():
    y = np.repeat([0, 1], 60)
    times = np.random.default_rng(0).integers(0, 3, 120) + y
    expected = np.average(y, weights=times)
    weighted, error = mean_share(y, times)
    repeated, other_error = mean_share(np.repeat(y, times))
    assert abs(weighted - expected) < 4 * error < expected - 0.5
    assert abs(repeated - expected) < 4 * other_error
    assert abs(weighted - repeated) < 4 * np.hypot(error, other_error)


@pytest.mark.parametrize("digit", [3, 8])
def test_balanced_classes_find_more_of_a_rare_class(digit):
    X, y = load_digits(return_X_y=True)
    rare, recalls = y == digit, {None: [], "balanced": []}
    for seed in range(6):
        rng = np.random.default_rng(seed)
        few, many = rng.permutation(np.flatnonzero(rare)), rng.permutation(np.flatnonzero(~rare))
        n, m = len(many) // 2, round(0.03 * len(many) / 2)
        train, test = np.r_[many[:n], few[:m]], few[m:]
        for weight, found in recalls.items():
            forest = fitted(X[train], rare[train], class_weight=weight, seed=seed)
            found.append(forest.predict(X[test]).mean())
    gains = np.subtract(recalls["balanced"], recalls[None])
    assert (gains > 0).all()


def test_weights_with_categories_and_threads():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=300), "city": rng.choice(["Bern", "Oslo", "Rome"], 300)})
    y, weight = (X["city"] == "Rome") ^ (X["size"] > 1), rng.random(300)
    one, two = (fitted(X, y, weight, categorical_features=["city"], n_jobs=n_jobs) for n_jobs in (None, 2))
    assert outcome(one, X) == outcome(two, X)
    assert one.score(X, y) > 0.9


def test_warm_start_wants_the_same_weights():
    X, y = blobs(100, 3, 2)
    weight = np.random.default_rng(0).random(100)
    forest = BlendedForestClassifier(4, warm_start=True, random_state=0).fit(X, y, weight)
    with pytest.raises(ValueError, match="X, y and weights must be the same as before"):
        forest.set_params(n_estimators=8).fit(X, y)
    larger = forest.fit(X, y, weight)
    assert outcome(larger, X) == outcome(BlendedForestClassifier(8, random_state=0).fit(X, y, weight), X)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (np.zeros(100), "sample_weight cannot be used: Sample weights must contain at least one non-zero"),
        (np.full(100, -1.0), "sample_weight cannot be used: Negative values"),
        (np.ones(99), "sample_weight cannot be used: "),
    ],
)
def test_weights_that_cannot_be(weight, message):
    X, y = blobs(100, 3, 2)
    with pytest.raises(ValueError, match=f"^BlendedForestClassifier: {message}"):
        BlendedForestClassifier(3).fit(X, y, sample_weight=weight)
    with pytest.raises(ValueError, match="^BlendedForestClassifier: class_weight has the class 5"):
        BlendedForestClassifier(3, class_weight={5: 2.0}).fit(X, y)
