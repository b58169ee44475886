"""BlendedForestClassifier: scikit-learn's conventions, its shares, what is missing, categories, errors."""

import numpy as np
import pandas as pd
import pytest

from studylib.blend import BlendedForestClassifier, classifier
from studylib.core.forest import grow_trees
from tests.estimator_checks import parametrize_with_checks
from tests.graf.support import blobs


def bootstraps(estimator):
    return {"check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"}


@parametrize_with_checks(
    [BlendedForestClassifier(5), BlendedForestClassifier(4, n_jobs=2)],
    expected_failed_checks=bootstraps,
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("m", ["auto", 2])
def test_the_family_that_suits_the_data_gets_more_trees(m):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 8))
    y = (X.sum(axis=1) > 0.3).astype(int)
    across = BlendedForestClassifier(40, min_samples_split=m, random_state=0).fit(X, y)
    assert across.family_weights_["oblique"] > 0.9
    X[(y == 1) & (rng.random(800) < 0.9), 2] = np.nan  # which is nothing but a mean to the oblique ones
    along = BlendedForestClassifier(40, min_samples_split=m, random_state=0).fit(X[:, [2]], y)
    assert along.family_weights_["axis"] > (0.6 if m == "auto" else 0.7)  # larger leaves make up for a part
    for forest in (along, across):
        assert sum(forest.family_weights_.values()) == pytest.approx(1.0)
        for name, weight in forest.family_weights_.items():
            assert abs(forest.tree_families_.count(name) - 40 * weight) < 1
        assert len(forest) == len(forest.trees_) == len(forest.tree_families_) == 40


def test_the_families_take_turns():
    X, y = blobs(200, 5, 3)
    forest = BlendedForestClassifier(50, random_state=1).fit(X, y)
    weight = forest.family_weights_["axis"]
    assert 0.1 < weight < 0.9
    for k in range(1, 51):
        assert abs(forest.tree_families_[:k].count("axis") - k * weight) < 1


def test_shares_in_leaves_are_those_of_the_training_samples():
    X, y = blobs(250, 6, 3, flips=0.2)
    X[::7] = X[0]  # leaves of several classes
    names = np.array(["c", "a", "b"])[y]
    forest = BlendedForestClassifier(12, random_state=3).fit(X, names)
    probes = np.vstack([blobs(100, 6, 3, seed=2)[0], X[:20]])
    votes, leaves, trained = forest.tree_predict(probes), forest.apply(probes), forest.apply(X)
    by_hand = np.zeros((120, 3))
    labels = np.searchsorted(forest.classes_, names)
    for t, family in enumerate(forest.tree_families_):
        if family == "axis":
            continue  # its own rows are a bootstrap sample
        for i, leaf in enumerate(leaves[:, t]):
            counts = np.bincount(labels[trained[:, t] == leaf], minlength=3)
            by_hand[i] += counts / counts.sum()
            assert votes[t, i] == counts.argmax()
    forest.estimators_ = [
        tree for tree, family in zip(forest.trees_, forest.tree_families_, strict=True) if family != "axis"
    ]
    forest._family_of = [0] * len(forest.trees_)
    np.testing.assert_allclose(forest.predict_proba(probes), by_hand / len(forest.trees_))


def test_the_families_never_grow_at_the_same_time(monkeypatch):
    """Within joblib.parallel_config both would share a pool of threads, which the first to end takes down."""
    growing = []

    def watched(*words):
        growing.append(None)
        assert len(growing) == 1, "another family is growing"
        yield from grow_trees(*words)
        growing.pop()

    monkeypatch.setattr(classifier, "grow_trees", watched)
    BlendedForestClassifier(6, random_state=0).fit(*blobs())
    assert not growing


def test_the_representation_says_how_many_trees_of_each_family_there_are():
    X, y = blobs(100, 3, 2)
    forest = BlendedForestClassifier(10, random_state=0)
    assert repr(forest) == "BlendedForestClassifier(n_estimators=10, random_state=0)"
    forest.fit(X, y)
    n = forest.tree_families_.count("oblique")
    assert repr(forest).endswith(f"  # trees: {n} oblique, {10 - n} axis")


def test_missing_values_tell_something():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 4))
    y = rng.integers(0, 2, 800)
    X[(y == 1) & (rng.random(800) < 0.9), 2] = np.nan
    forest = BlendedForestClassifier(40, random_state=0).fit(X[:400], y[:400])
    assert forest.score(X[400:], y[400:]) > 0.9


def test_missing_values_that_were_not_there_in_training():
    X, y = blobs(400, 6, 2, flips=0.0)
    forest = BlendedForestClassifier(40, random_state=0).fit(X[:300], y[:300])
    probes = X[300:].copy()
    probes[::2, 0] = np.nan
    assert forest.score(probes, y[300:]) > forest.score(X[300:], y[300:]) - 0.15


def frame(n=500, seed=0):
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue", "grey"], n)
    size = rng.choice([3, 5, 900], n)
    X = pd.DataFrame({"width": rng.normal(size=n), "colour": colour, "size": size})
    return X, np.where((colour == "green") ^ (size == 5), "yes", "no")


@pytest.mark.parametrize(
    "wanted",
    [["colour", "size"], [-2, -1], [False, True, True], np.array([1, 2]), pd.Index(["colour", "size"])],
)
def test_categories_may_be_named_in_several_ways(wanted):
    X, y = frame()
    forest = BlendedForestClassifier(20, categorical_features=wanted, random_state=0).fit(X[:300], y[:300])
    assert forest.score(X[300:], y[300:]) > 0.98
    assert forest.feature_names_in_.tolist() == ["width", "colour", "size"]


def test_a_missing_category_is_a_category_and_an_unknown_one_is_none():
    X, y = frame()
    X.loc[X["colour"] == "green", "colour"] = None
    forest = BlendedForestClassifier(20, categorical_features=["colour", "size"], random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.98
    new = X.assign(colour="violet", size=7)
    shares = forest.predict_proba(new)
    assert np.isfinite(shares).all()
    assert (shares.argmax(axis=1) == 0).mean() > 0.9  # neither green nor of size 5


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no longer floats here")
def test_categories_beyond_all_floats_warn_of_nothing():
    X = pd.DataFrame({"a": np.array([np.longdouble("1e400"), 1, 2, 3]), "b": [0.0, 1.0, 2.0, 3.0]})
    forest = BlendedForestClassifier(3, categorical_features=["a"], random_state=0).fit(X, [0, 1, 0, 1])
    assert np.isfinite(forest.predict_proba(X)).all()
