"""What holds for every estimator, whoever wrote it; one that is not in the registry fails here.

The conventions follow from an estimator's parameters and attributes: ``n_jobs``, ``max_features``, ``depth_``.
The registry says how to make each one, and which are forests.
"""

import decimal
import importlib
import inspect
import pkgutil
import re

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

import studylib
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from studylib.rules import OneRClassifier, OneRDiscretizer, RuleClassifier
from studylib.trees import (
    AdaBoostClassifier,
    MultiwayTreePredictor,
    RandomForestClassifier,
    TreePredictor,
)

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

#: Rooms that hold no estimators for users.
ELSEWHERE = ("studylib.studies", "studylib.study", "studylib.plots")

#: One of each, as small as its tests allow.
FORESTS = [
    PartialClassificationForest(7, min_samples_leaf=1, random_state=0),
    GuidedRandomForestClassifier(7, random_state=0),
    BlendedForestClassifier(7, random_state=0),
    RandomForestClassifier(7, random_state=0),
]
OTHERS = [
    PartialClassificationTree(min_samples_leaf=1, random_state=0),
    TreePredictor(random_state=0),
    MultiwayTreePredictor(),
    AdaBoostClassifier(7, random_state=0),
    KNeighborsClassifier(),
    OneRClassifier(),
    OneRDiscretizer(),
    RuleClassifier(),
]
ESTIMATORS = FORESTS + OTHERS

#: The table's columns of text are categories to these.
TAKES_TEXT = (
    BlendedForestClassifier,
    GuidedRandomForestClassifier,
    TreePredictor,
    MultiwayTreePredictor,
    RandomForestClassifier,
    AdaBoostClassifier,
    OneRClassifier,
    OneRDiscretizer,
    RuleClassifier,
)


def name_of(estimator):
    return type(estimator).__name__


def output(fitted, X):
    """What an estimator makes of new rows."""
    return fitted.predict(X) if hasattr(fitted, "predict") else fitted.transform(X)


def each(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=name_of)


def having(*parameters):
    return [e for e in ESTIMATORS if set(parameters) <= set(e.get_params())]


def table(n=120, d=7, seed=0):
    """Whole numbers, so that a tree with a branch per value takes them, too."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, d)).astype(float)
    return X, (X[:, 0] + X[:, 1] + rng.integers(0, 3, n) > 6).astype(int)


def public_estimators():
    """Classes with ``fit`` that a user can import from a public module, by walking the package."""
    found = set()
    for module in pkgutil.walk_packages(studylib.__path__, "studylib."):
        if module.name.startswith(ELSEWHERE) or "._" in module.name or module.name.endswith("__main__"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if not inspect.isclass(thing) or name.startswith("_") or not hasattr(thing, "fit"):
                continue
            here = thing.__module__.startswith("studylib.") and "._" not in thing.__module__
            if here and issubclass(thing, BaseEstimator):
                found.add(thing)
    return found


def test_every_public_estimator_is_in_the_registry():
    registered = {type(estimator) for estimator in ESTIMATORS}
    assert registered == public_estimators()


@each(ESTIMATORS)
def test_constructor_stores_and_fit_returns_self(estimator):
    for name, parameter in inspect.signature(type(estimator)).parameters.items():
        assert parameter.default is not inspect.Parameter.empty, name
    X, y = table()
    fresh = clone(estimator)
    assert not [name for name in vars(fresh) if name.endswith("_")]
    assert fresh.fit(X, y) is fresh
    assert fresh.n_features_in_ == 7


@each([e for e in ESTIMATORS if is_classifier(e)])
def test_most_votes_win_where_a_classifier_does_not_abstain(estimator):
    X, y = table()
    fitted = clone(estimator).fit(X, y)
    shares, predicted = fitted.predict_proba(X), fitted.predict(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    says = predicted != getattr(fitted, "abstain_label_", None)
    assert (fitted.classes_[shares.argmax(axis=1)] == predicted)[says].all()


# Depth


@each(ESTIMATORS)
def test_lone_root_has_depth_zero(estimator):
    X, _ = table()
    fitted = clone(estimator).fit(X, np.ones(len(X)))
    trees = [fitted, *getattr(fitted, "estimators_", [])]
    assert {getattr(tree, "depth_", 0) for tree in trees} == {0}
    if hasattr(fitted, "nodes_") and "depth" in fitted.nodes_.dtype.names:
        assert fitted.nodes_["depth"].tolist() == [0]


@each(having("max_depth"))
def test_no_node_is_deeper_than_max_depth(estimator):
    X, y = table()
    for max_depth in (0, 1, 3):
        if max_depth == 0 and isinstance(estimator, AdaBoostClassifier):
            continue  # a constant tree is not better than chance
        fitted = clone(estimator).set_params(max_depth=max_depth).fit(X, y)
        for tree in [fitted, *getattr(fitted, "estimators_", [])]:
            assert getattr(tree, "depth_", 0) <= max_depth
        if hasattr(fitted, "depth_"):
            assert fitted.depth_ == max_depth  # the table has enough in it


def test_the_tree_that_follows_its_source_counts_as_its_source():
    X, _ = table()
    assert TreePredictor(source_compatible=True).fit(X, np.ones(len(X))).depth_ == 1


# max_features


@each(having("max_features"))
@pytest.mark.parametrize(("value", "number"), [("sqrt", 2), ("log2", 2), (0.5, 3), (0.999, 6), (0.01, 1)])
def test_max_features_is_rounded_down_and_at_least_one(estimator, value, number):
    X, y = table()  # seven features

    def shares(max_features):
        return clone(estimator).set_params(max_features=max_features).fit(X, y).predict_proba(X).tobytes()

    assert shares(value) == shares(number)


@each(having("max_features"))
def test_max_features_of_too_few_or_too_many_is_refused(estimator):
    X, y = table()
    for value in (0, 8, 0.0, 1.5, "cube", True):
        with pytest.raises(
            ValueError, match=f"^{name_of(estimator)}: max_features must be .*, got {value!r}"
        ):
            clone(estimator).set_params(max_features=value).fit(X, y)


# Threads


@each(having("n_jobs"))
def test_bits_are_the_same_for_any_number_of_threads(estimator):
    X, y = table()
    new = table(1001, seed=1)[0]
    one, two = (clone(estimator).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.predict(new).tobytes() == two.predict(new).tobytes()
    assert one.predict_proba(new).tobytes() == two.predict_proba(new).tobytes()


@each(having("n_jobs"))
def test_no_threads_at_all_is_refused(estimator):
    with pytest.raises(ValueError, match=f"^{name_of(estimator)}: n_jobs must be"):
        clone(estimator).set_params(n_jobs=0).fit(*table())


# Forests


def test_what_has_many_trees_and_threads_is_a_forest():
    assert {name_of(e) for e in having("n_estimators", "n_jobs")} == {name_of(e) for e in FORESTS}


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


# Memory layout

LAYOUTS = {
    "C": lambda X, path: np.ascontiguousarray(X),
    "Fortran": lambda X, path: np.asfortranarray(X),
    "strided rows": lambda X, path: np.repeat(X, 2, axis=0)[::2],
    "strided columns": lambda X, path: np.repeat(X, 3, axis=1)[:, ::3],
    "backwards": lambda X, path: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "frame": lambda X, path: pd.DataFrame(X.copy()),
    "frame of columns": lambda X, path: pd.DataFrame({f"x{j}": X[:, j].copy() for j in range(X.shape[1])}),
    "read-only": lambda X, path: read_only(X),
    "read-only Fortran": lambda X, path: read_only(np.asfortranarray(X)),
    "memory-mapped": lambda X, path: memory_mapped(X, path),
}


def read_only(X):
    X = X.copy(order="K")
    X.flags.writeable = False
    return X


def memory_mapped(X, path):
    np.save(path / "X.npy", X)
    return np.load(path / "X.npy", mmap_mode="r")


@each(FORESTS)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_bits_are_the_same_for_any_layout(estimator, tmp_path_factory, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32), label="seed"))
    n, d = data.draw(st.integers(2, 80), label="n"), data.draw(st.integers(1, 9), label="d")
    X, y = rng.normal(0.1, 1.0, (n, d)) * rng.choice([1e-7, 1.0, 1e5], d), rng.integers(0, 3, n)
    forest = clone(estimator).set_params(n_estimators=3)
    expected = bits_of(forest.fit(X, y), X)
    for name, lay_out in LAYOUTS.items():
        other = lay_out(X, tmp_path_factory.mktemp("layout"))
        assert np.asarray(other).tobytes() == X.tobytes(), name
        assert bits_of(forest.fit(other, y), other) == expected, name


def bits_of(forest, X):
    """What a fitted forest holds and says; a tree's numbers show what seldom reaches the votes."""
    return [joblib.hash(holds(forest)), forest.predict_proba(X).tobytes(), forest.apply(X).tobytes()]


def test_bits_are_the_same_for_any_layout_of_missing_values_and_categories():
    rng = np.random.default_rng(0)
    X = rng.normal(0.1, 1.0, (70, 5))
    X[:, 1] = rng.integers(0, 4, 70)
    X[rng.random((70, 5)) < 0.1] = np.nan
    y = rng.integers(0, 2, 70)
    found = set()
    for lay_out in (np.ascontiguousarray, np.asfortranarray, pd.DataFrame):
        forest = BlendedForestClassifier(7, categorical_features=[1], random_state=0).fit(lay_out(X), y)
        found.add(tuple(bits_of(forest, lay_out(X))))
    assert len(found) == 1


# Forests as scikit-learn's


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


def holds(forest):
    """The numbers of a forest's trees, without what these read tables by."""
    return [getattr(tree, "nodes_", _without_reader(tree)) for tree in forest]


def _without_reader(tree):
    content = getattr(tree, "__dict__", None)
    if content is None:  # an array or a tuple
        return tree
    return {name: value for name, value in content.items() if name not in ("_view", "_space")}


@each(FORESTS)
def test_warm_start_takes_the_same_data_and_no_fewer_trees(estimator):
    X, y = table()
    forest = clone(estimator).set_params(warm_start=True).fit(X, y)
    trees = forest.estimators_
    with pytest.warns(UserWarning, match="^Warm-start fitting without increasing n_estimators"):
        forest.fit(X, y)
    assert all(one is other for one, other in zip(trees, forest, strict=True))
    with pytest.raises(
        ValueError, match=f"^{name_of(estimator)}: .* at least 7, the number of trees already grown, got 6"
    ):
        clone(forest).fit(X, y).set_params(n_estimators=6).fit(X, y)
    for other in ((X + 1.0, y), (X, 1 - y), (X[1:], y[1:])):
        again = clone(forest).fit(X, y).set_params(n_estimators=8)
        with pytest.raises(
            ValueError, match=f"^{name_of(estimator)}: with warm_start=True, X, y and weights"
        ):
            again.fit(*other)
        assert len(again.set_params(warm_start=False).fit(*other)) == 8


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


@each(FORESTS)
def test_logarithms_of_shares(estimator):
    X, y = table()
    forest = clone(estimator).fit(X, y)
    logarithms, shares = forest.predict_log_proba(X), forest.predict_proba(X)
    np.testing.assert_array_equal(np.exp(logarithms) > 0.0, shares > 0.0)
    np.testing.assert_allclose(np.exp(logarithms), shares, atol=1e-15)


# Weights

WEIGHTED = [e for e in FORESTS if "class_weight" in e.get_params()]
BAGGED = [e for e in FORESTS if "bootstrap" in e.get_params()]


def bootstrapping(estimator, wanted):
    """A clone, with or without bootstrap samples where that is a parameter."""
    return clone(estimator).set_params(
        **({"bootstrap": wanted} if "bootstrap" in estimator.get_params() else {})
    )


@each(WEIGHTED)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_weights_of_any_size_give_the_same_forest(estimator, bootstrap):
    X, y = table()
    weight = np.random.default_rng(0).random(120)
    forest = bootstrapping(estimator, bootstrap)
    expected = forest.fit(X, y, weight).predict_proba(X).tobytes()
    for exponent in (-1000, -600, -1, 1, 600, 1000):
        assert forest.fit(X, y, np.ldexp(weight, exponent)).predict_proba(X).tobytes() == expected


@each(WEIGHTED)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_shares_are_shares_for_weights_of_every_size(estimator, data):
    n = data.draw(st.integers(1, 12))
    sizes = st.sampled_from([0.0, 5e-324, 1e-300, 1e-160, 1.0, 1e160, 1e300])
    weight = np.array(data.draw(st.lists(sizes, min_size=n, max_size=n)))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    X, y = rng.integers(0, 3, (n, 2)).astype(float), np.arange(n) % 3
    by_class = data.draw(st.sampled_from([None, "balanced", {0: 1e300, 1: 1e-300}, {0: 1e-300}]))
    forest = bootstrapping(estimator, data.draw(st.booleans()))
    forest.set_params(class_weight=by_class, n_estimators=2)
    if not weight.any():
        with pytest.raises(ValueError, match="at least one non-zero number"):
            forest.fit(X, y, weight)
        return
    shares = forest.fit(X, y, weight).predict_proba(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (shares >= 0.0).all()


@each(WEIGHTED)
def test_weights_that_are_none_are_refused(estimator):
    X, y = table()
    for weight, says in [
        (np.full(120, 1e308), f"^{name_of(estimator)}: sample_weight adds up to infinity; divide it by"),
        (np.zeros(120), "at least one non-zero number"),
        (np.full(120, -1.0), "Negative values"),
        (np.full(120, np.nan), "NaN"),
    ]:
        with pytest.raises(ValueError, match=says):
            clone(estimator).fit(X, y, weight)
    for by_class, says in [
        ("even", r"class_weight must be None, 'balanced'[^\n]* or a dict of class to weight, got 'even'"),
        ({0: -1.0}, r"class_weight\[0\] must be a number from 0 to 1e\+300, got -1.0"),
        ({2: 1.0}, r"class_weight has the class 2, but y has only \[0, 1\]"),
        ({0: 0, 1: 0}, "no sample has a positive weight"),
    ]:
        with pytest.raises(ValueError, match=f"^{name_of(estimator)}: {says}"):
            clone(estimator).set_params(class_weight=by_class).fit(X, y)


@each(WEIGHTED)
@pytest.mark.parametrize("bootstrap", [True, False])
def test_a_sample_without_weight_is_as_good_as_removed(estimator, bootstrap):
    X, y = table()
    weight = np.random.default_rng(0).integers(0, 3, 120).astype(float)
    used = weight > 0
    forest = bootstrapping(estimator, bootstrap)
    if isinstance(estimator, GuidedRandomForestClassifier):
        forest.set_params(standardize=False)  # else the others are brought to another mean
    with_them = forest.fit(X, y, weight).predict_proba(X).tobytes()
    assert forest.fit(X[used], y[used], weight[used]).predict_proba(X).tobytes() == with_them


@each(WEIGHTED)
def test_classes_are_weighted_as_their_samples(estimator):
    X, y = table()
    for by_class, weight in [({1: 3.0}, np.where(y == 1, 3.0, 1.0)), ("balanced", 60 / np.bincount(y)[y])]:
        forest = clone(estimator).fit(X, y, weight)
        by_classes = clone(estimator).set_params(class_weight=by_class).fit(X, y)
        assert forest.predict_proba(X).tobytes() == by_classes.predict_proba(X).tobytes()
    if isinstance(estimator, PartialClassificationForest):
        return  # its active leaves are pure, whatever they weigh
    heavy = bootstrapping(estimator, True).set_params(class_weight={0: 1e6}).fit(X, y)
    assert (heavy.predict(X) == 0).all()


@each(BAGGED)
def test_bags_are_as_large_as_asked_for(estimator):
    X, y = table()
    for max_samples, size in [(None, 120), (0.5, 60), (0.001, 1), (30, 30), (1.5, 180), (1.0, 120)]:
        forest = clone(estimator).set_params(bootstrap=True, max_samples=max_samples).fit(X, y)
        assert [len(rows) for rows in forest.estimators_samples_] == [size] * 7
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
    found = forest.classes_[forest.oob_decision_function_.argmax(axis=1)]
    assert forest.oob_score_ == pytest.approx((found == y).mean())
    assert forest.oob_error_ == pytest.approx(1 - forest.oob_score_)
    smaller = clone(forest).set_params(n_estimators=9, warm_start=True, oob_score=False).fit(X, y)
    assert not hasattr(smaller, "oob_score_")
    smaller.set_params(n_estimators=30, oob_score=True).fit(X, y)
    assert smaller.oob_decision_function_.tobytes() == forest.oob_decision_function_.tobytes()
    own = clone(forest).set_params(oob_score=lambda true, found: sorted({*true, *found})).fit(X, y)
    assert own.oob_score_ == ["no", "yes"]
    assert not hasattr(own.set_params(oob_score=False).fit(X, y), "oob_score_")


# Errors


def frame(column):
    X, y = table(40, 2)
    return pd.DataFrame({"age": X[:, 0], "city": column}), y


@each(ESTIMATORS)
@pytest.mark.parametrize(
    "column",
    [pd.date_range("2020", periods=40), [{1: 2}] * 40, [1j] * 40, [0.0, np.inf] * 20],
    ids=["dates", "objects", "complex", "infinite"],
)
def test_a_column_that_cannot_be_used_is_named(estimator, column):
    with pytest.raises((TypeError, ValueError), match=rf"^{name_of(estimator)}: column 'city' [^\n]*\.$"):
        clone(estimator).fit(*frame(column))
    fitted = clone(estimator).fit(*frame([0.0, 1.0] * 20))
    with pytest.raises((TypeError, ValueError), match=rf"^{name_of(estimator)}: column 'city' [^\n]*\.$"):
        output(fitted, frame(column)[0])


@each(ESTIMATORS)
def test_text_is_a_category_or_named_with_a_remedy(estimator):
    X, y = frame(["Rome", "Oslo"] * 20)
    if isinstance(estimator, TAKES_TEXT):
        assert len(output(clone(estimator).fit(X, y), X)) == 40
        return
    says = f"^{name_of(estimator)}: column 'city' holds text such as 'Rome'; encode it, for example "
    with pytest.raises(ValueError, match=says):
        clone(estimator).fit(X, y)
    X["city"] = [np.nan, 1.0] * 20
    if get_tags(estimator).input_tags.allow_nan:
        assert clone(estimator).fit(X, y).predict(X).shape == (40,)
        return
    with pytest.raises(ValueError, match=f"^{name_of(estimator)}: column 'city' holds missing values"):
        clone(estimator).fit(X, y)


@each(ESTIMATORS)
@pytest.mark.parametrize(
    "names", [[2, 0, 1], ["a", 1, 2.5], [("a", 1), ("a", 2), ("b", 1)]], ids=["numbers", "mixed", "tuples"]
)
def test_columns_in_another_order_are_refused_whatever_their_names_are(estimator, names):
    X, y = table(40, 3)
    columns = pd.MultiIndex.from_tuples(names) if isinstance(names[0], tuple) else names
    X = pd.DataFrame(X, columns=columns)
    fitted = clone(estimator).fit(X, y)
    assert len(output(fitted, X)) == 40
    with pytest.raises(
        ValueError, match=rf"^{name_of(estimator)}: the columns of X must be in the same order[^\n]*\.$"
    ):
        output(fitted, X.iloc[:, ::-1])


@each(ESTIMATORS)
def test_whole_numbers_that_floats_would_merge_are_refused(estimator):
    X, y = np.array([[2**53 + 1, 1], [2**53, 0]] * 10), [0, 1] * 10
    decimals = pd.DataFrame({"a": [decimal.Decimal(int(value)) for value in X[:, 0]], "b": X[:, 1]})
    for big in (X, pd.DataFrame(X, columns=["a", "b"]), X.tolist(), X.astype(object), decimals):
        with pytest.raises(
            ValueError, match=rf"^{name_of(estimator)}: column .* holds whole numbers such as 9007"
        ):
            clone(estimator).fit(big, y)


@each(ESTIMATORS)
def test_a_parameter_of_hundreds_of_digits_is_a_limit_or_refused_in_one_line(estimator):
    for name in estimator.get_params(deep=False):
        for value in (10**400, -(10**400), 10**5000):
            said = ""
            try:
                clone(estimator).set_params(**{name: value}).fit(*table(30, 3))
            except ValueError as error:
                said = str(error)
            assert not said or re.search(rf"\b{name}\b.*, got [^\n]*\.$", said), said
