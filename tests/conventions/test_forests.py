"""What forests have in common: methods and shapes, warm starts, paths, importances, samples out of bag."""

import joblib
import numpy as np
import pytest
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from studylib.trees import AdaBoostClassifier
from tests.conventions.registry import FORESTS, each, holds, name_of, table

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

BAGGED = [e for e in FORESTS if "bootstrap" in e.get_params()]


@each(FORESTS)
def test_forests_have_the_same_methods_of_the_same_shapes(estimator):
    X, y = table()
    new = table(50, seed=1)[0]
    forest = clone(estimator).fit(X, y)
    assert len(forest) == 7
    leaves, labels = forest.apply(new), forest.tree_predict(new)
    assert (leaves.shape, leaves.dtype) == ((50, 7), np.int64)
    assert (labels.shape, labels.dtype) == ((7, 50), np.int32)
    assert set(np.unique(labels)) <= {-1, 0, 1}
    for tree, at in zip(labels, leaves.T, strict=True):  # a leaf has one answer
        assert len(np.unique(np.column_stack([at, tree]), axis=0)) == len(np.unique(at))
    stages = list(forest.staged_predict(new))
    assert len(stages) == 7
    assert stages[-1].tolist() == forest.predict(new).tolist()
    smaller = clone(estimator).set_params(n_estimators=3).fit(X, y)
    assert stages[2].tolist() == smaller.predict(new).tolist()
    assert labels[:3].tolist() == smaller.tree_predict(new).tolist()
    if hasattr(forest, "staged_decision_function"):
        scores = list(forest.staged_decision_function(new))
        np.testing.assert_array_equal(scores[2], smaller.decision_function(new))
        np.testing.assert_array_equal(scores[-1], forest.decision_function(new))


@each(FORESTS)
def test_a_larger_forest_begins_with_the_trees_of_a_smaller_one(estimator):
    X, y = table()
    new = table(50, seed=1)[0]
    for random_state in (0, np.random.RandomState(5)):
        at_once = clone(estimator).set_params(n_estimators=9, random_state=random_state).fit(X, y)
        grown = clone(estimator).set_params(n_estimators=2, warm_start=True, random_state=random_state)
        if isinstance(random_state, np.random.RandomState):
            grown.set_params(random_state=np.random.RandomState(5))
            at_once.set_params(random_state=np.random.RandomState(5)).fit(X, y)
        first = grown.fit(X, y)[1]
        for n in (5, 9):
            assert grown.set_params(n_estimators=n).fit(X, y)[1] is first
            assert len(grown) == n
        assert joblib.hash(holds(grown)) == joblib.hash(holds(at_once))
        assert grown.predict_proba(new).tobytes() == at_once.predict_proba(new).tobytes()


@each(FORESTS)
def test_warm_start_takes_the_same_data_and_no_fewer_trees(estimator):
    X, y = table()
    forest = clone(estimator).set_params(warm_start=True).fit(X, y)
    trees = forest.estimators_
    with pytest.warns(UserWarning, match="^Warm-start fitting without increasing n_estimators"):
        forest.fit(X, y)
    assert all(kept is other for kept, other in zip(trees, forest, strict=True))
    with pytest.raises(
        ValueError, match=f"^{name_of(estimator)}: .* at least 7, the number of trees already grown, got 6"
    ):
        clone(forest).fit(X, y).set_params(n_estimators=6).fit(X, y)
    for other in ((X + 1.0, y), (X, 1 - y), (X[1:], y[1:]), (X, y, np.arange(1.0, 121.0))):
        again = clone(forest).fit(X, y).set_params(n_estimators=8)
        with pytest.raises(
            ValueError, match=f"^{name_of(estimator)}: with warm_start=True, X, its categories, y and weights"
        ):
            again.fit(*other)
        assert len(again.set_params(warm_start=False).fit(*other)) == 8
    cold = clone(estimator).fit(X, y).set_params(warm_start=True, n_estimators=8)
    with pytest.raises(ValueError, match="must be the same as before"):
        cold.fit(X[:, :1], y)


@each([forest for forest in FORESTS if "categorical_features" in forest.get_params()])
def test_warm_start_takes_the_same_categories(estimator):
    X = np.random.default_rng(0).integers(0, 6, (120, 3)).astype(float)  # codes are the numbers
    forest = clone(estimator).set_params(warm_start=True).fit(X, X[:, 0] > 2)
    with pytest.raises(ValueError, match="X, its categories, y and weights must be the same as before"):
        forest.set_params(categorical_features=[0, 1], n_estimators=9).fit(X, X[:, 0] > 2)


@each([*FORESTS, AdaBoostClassifier(7)])
def test_trees_of_other_columns_or_classes_are_refused(estimator):
    X, y = table()
    for other in ((X, y + X[:, 2]), (X[:, [0, 1, *range(7)]], y), None):
        forest = clone(estimator).fit(X, y)
        if other is None:
            forest.classes_ = forest.classes_[:1]
        else:
            forest.estimators_ = [*forest.estimators_[1:], clone(estimator).fit(*other).estimators_[-1]]
        with pytest.raises(ValueError, match="estimators_ has a tree of .* features and .* classes, but"):
            forest.predict(X)


@each([forest for forest in FORESTS if "voting" in forest.get_params()])
def test_voting_that_is_set_after_fit_is_checked(estimator):
    X, y = table()
    forest = clone(estimator).fit(X, y).set_params(voting="Always")
    with pytest.raises(ValueError, match=f"^{name_of(estimator)}: voting must be one of .* got 'Always'"):
        forest.predict(X)


@each(FORESTS)
def test_forests_are_sequences_of_their_trees(estimator):
    X, y = table()
    forest = clone(estimator)
    for ask in (len, list, lambda forest: forest[0]):
        with pytest.raises(NotFittedError):
            ask(forest)
    forest.fit(X, y)
    assert forest.estimators_ is forest.trees_
    assert [*forest] == [forest[k] for k in range(7)] == forest[:]
    assert forest[-1] is forest.estimators_[6]
    labels = forest.tree_predict(X)
    forest.estimators_ = forest[::-2]
    assert (forest.tree_predict(X) == labels[::-2]).all()
    assert np.allclose(forest.predict_proba(X).sum(axis=1), 1)


@each(FORESTS)
def test_decision_paths_lead_from_the_root_to_the_leaf(estimator):
    X, y = table()
    new = table(50, seed=1)[0]
    forest = clone(estimator).fit(X, y)
    passed, ends = forest.decision_path(new)
    assert passed.shape == (50, ends[-1])
    assert set(passed.data) == {1}
    leaves = forest.apply(new)
    for k in range(len(forest)):
        above = forest._parents(k)
        assert ends[k + 1] - ends[k] == len(above)
        part = passed[:, ends[k] : ends[k + 1]]
        for i in range(50):
            here = part[i].indices.tolist()
            assert here[0] == 0
            assert here[-1] == leaves[i, k]
            assert here[:-1] == above[here[1:]].tolist()  # each the parent of the next


@each([e for e in FORESTS if hasattr(type(e), "feature_importances_")])
def test_importances_are_shares_of_what_helps(estimator):
    X, y = table(400)
    with pytest.raises(NotFittedError):
        _ = clone(estimator).feature_importances_
    forest = clone(estimator).set_params(n_estimators=20).fit(X, y)
    shares = forest.feature_importances_
    assert shares.shape == (7,)
    assert shares.sum() == pytest.approx(1.0)
    assert shares.min() >= 0.0
    if estimator.get_params().get("hyperplane") != "box":  # whose directions do not look at the labels
        assert set(np.argsort(shares)[-2:]) == {0, 1}
    assert not forest.fit(X, np.ones(400)).feature_importances_.any()
    X[:, 4] = 3.0
    assert forest.fit(X, y).feature_importances_[4] == 0.0


# Samples in and out of bag


@each(BAGGED)
def test_bags_are_as_large_as_asked_for(estimator):
    X, y = table()
    for max_samples, size in [(None, 120), (0.5, 60), (0.001, 1), (30, 30), (1.5, 180), (1.0, 120)]:
        forest = clone(estimator).set_params(bootstrap=True, max_samples=max_samples).fit(X, y)
        assert [len(rows) for rows in forest.estimators_samples_] == [size] * 7
    whole = clone(estimator).set_params(bootstrap=False).fit(X, y)
    assert [rows.tolist() for rows in whole.estimators_samples_] == [list(range(120))] * 7
    weight = np.where(np.arange(120) < 10, 1.0, 0.0)
    forest = clone(estimator).set_params(bootstrap=True).fit(X, y, weight)
    assert {len(rows) for rows in forest.estimators_samples_} == {10}
    assert np.concatenate(forest.estimators_samples_).max() < 10
    for max_samples in (0, -1, 0.0, np.inf, "half", True):
        with pytest.raises(ValueError, match=f"^{name_of(estimator)}: max_samples must be None, an integer"):
            clone(estimator).set_params(bootstrap=True, max_samples=max_samples).fit(X, y)
    with pytest.raises(ValueError, match=f"^{name_of(estimator)}: max_samples must be None unless bootstrap"):
        clone(estimator).set_params(bootstrap=False, max_samples=0.5).fit(X, y)


@each(BAGGED)
def test_samples_are_drawn_in_proportion_to_their_weights(estimator):
    X, y = table()
    weight = np.random.default_rng(0).random(120)
    forest = clone(estimator).set_params(bootstrap=True, n_estimators=400).fit(X, y, weight)
    times = np.bincount(np.concatenate(forest.estimators_samples_), minlength=120)
    expected = 400 * 120 * weight / weight.sum()
    assert stats.chisquare(times, expected).pvalue > 1e-4


@each(BAGGED)
def test_what_is_out_of_bag_is_what_the_other_trees_say(estimator):
    X, y = table()
    y = np.array(["no", "yes"])[y]
    forest = clone(estimator).set_params(n_estimators=30, bootstrap=True, oob_score=True).fit(X, y)
    bags = [set(rows.tolist()) for rows in forest.estimators_samples_]
    for i in range(0, 120, 7):
        alone = clone(forest)
        vars(alone).update(vars(forest))
        alone.estimators_ = [tree for tree, bag in zip(forest, bags, strict=True) if i not in bag]
        if hasattr(alone, "tree_weights_"):
            alone.tree_weights_ = np.ones(len(alone.estimators_))
        np.testing.assert_allclose(forest.oob_decision_function_[i], alone.predict_proba(X[[i]])[0])
    labels = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == pytest.approx((labels == y).mean())
    assert forest.oob_error_ == pytest.approx(1 - forest.oob_score_)
    smaller = clone(forest).set_params(n_estimators=9, warm_start=True, oob_score=False).fit(X, y)
    assert not hasattr(smaller, "oob_score_")
    smaller.set_params(n_estimators=30, oob_score=True).fit(X, y)
    assert smaller.oob_decision_function_.tobytes() == forest.oob_decision_function_.tobytes()
    scored = clone(forest).set_params(oob_score=lambda true, labels: sorted({*true, *labels})).fit(X, y)
    assert scored.oob_score_ == ["no", "yes"]
    assert not hasattr(scored.set_params(oob_score=False).fit(X, y), "oob_score_")
