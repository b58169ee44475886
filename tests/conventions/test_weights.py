"""Weights of samples and of classes, whatever their size."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from tests.conventions.registry import FORESTS, TAKES_WEIGHTS, each, having, name_of, table

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

CLASS_WEIGHTS = having("class_weight")


def with_and_without_bootstrap(estimators):
    """Each estimator, those that have the parameter ``bootstrap`` twice."""
    cases = [
        pytest.param(e, wanted, id=f"{name_of(e)}-{wanted}")
        for e in estimators
        for wanted in ([True, False] if "bootstrap" in e.get_params() else [None])
    ]
    return pytest.mark.parametrize(("estimator", "bootstrap"), cases)


def bootstrapping(estimator, wanted):
    """A clone, with or without bootstrap samples where that is a parameter."""
    return clone(estimator).set_params(
        **({"bootstrap": wanted} if "bootstrap" in estimator.get_params() else {})
    )


def answers(model, X):
    """Bytes of what a fitted model says."""
    return (model.predict_proba(X) if hasattr(model, "predict_proba") else model.transform(X)).tobytes()


# The buckets of 1-R have a least sum of weights.
@with_and_without_bootstrap([e for e in TAKES_WEIGHTS if "min_bucket_size" not in e.get_params()])
def test_weights_of_any_size_give_the_same_model(estimator, bootstrap):
    X, y = table()
    weight = np.random.default_rng(0).random(120)
    model = bootstrapping(estimator, bootstrap)
    expected = answers(model.fit(X, y, weight), X)
    for exponent in (-1000, -600, -1, 1, 600, 1000):
        assert answers(model.fit(X, y, np.ldexp(weight, exponent)), X) == expected


@each(TAKES_WEIGHTS)
def test_weights_of_one_are_none(estimator):
    X, y = table()
    model = bootstrapping(estimator, False)
    assert answers(model.fit(X, y, np.ones(120)), X) == answers(model.fit(X, y), X)


@with_and_without_bootstrap(TAKES_WEIGHTS)
def test_a_sample_without_weight_is_as_good_as_removed(estimator, bootstrap):
    X, y = table()
    weight = np.random.default_rng(0).integers(0, 3, 120).astype(float)
    used = weight > 0
    X[~used] = 3.0 * X[~used] + 1.0  # some beyond all others
    model = bootstrapping(estimator, bootstrap)
    if "standardize" in estimator.get_params():
        model.set_params(standardize=False)  # else the others are brought to another mean
    with_them = answers(model.fit(X, y, weight), X)
    assert answers(model.fit(X[used], y[used], weight[used]), X) == with_them


@each([e for e in FORESTS if e in CLASS_WEIGHTS])
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


@each(TAKES_WEIGHTS)
@pytest.mark.parametrize(
    ("weight", "says"),
    [
        (np.full(120, 1e308), "sample_weight adds up to infinity; divide it by its largest entry"),
        (np.zeros(120), "sample_weight cannot be used: Sample weights must contain at least one non-zero"),
        (np.full(120, -1.0), "sample_weight cannot be used: Negative values"),
        (np.full(120, np.nan), "sample_weight cannot be used: .*NaN"),
        (np.full(120, np.inf), "sample_weight cannot be used: .*infinity"),
        (np.ones(119), "sample_weight cannot be used: "),
        (np.ones((120, 1)), "sample_weight cannot be used: "),
    ],
    ids=["huge", "zero", "negative", "NaN", "infinite", "too few", "a column"],
)
def test_weights_that_are_none_are_refused(estimator, weight, says):
    with pytest.raises(ValueError, match=rf"^{name_of(estimator)}: {says}[^\n]*$"):
        clone(estimator).fit(*table(), weight)


# Classes


@each(CLASS_WEIGHTS)
@pytest.mark.parametrize(
    ("by_class", "says"),
    [
        ({0: -1.0}, r"class_weight\[0\] must be a number from 0 to 1e\+300, got -1.0"),
        ({2: 1.0}, r"class_weight has the class 2, but y has only \[0, 1\]"),
        ({0: 0, 1: 0}, "no sample has a positive weight"),
    ],
)
def test_weights_of_classes_that_are_none_are_refused(estimator, by_class, says):
    with pytest.raises(ValueError, match=f"^{name_of(estimator)}: {says}"):
        clone(estimator).set_params(class_weight=by_class).fit(*table())


@each(CLASS_WEIGHTS)
def test_classes_are_weighted_as_their_samples(estimator):
    X, y = table()
    of_samples = np.arange(120) % 4 + 0.5
    balanced = of_samples.sum() / (2 * np.bincount(y, of_samples))
    for by_class, weight in [({1: 3.0}, {0: 1.0, 1: 3.0}), ("balanced", dict(enumerate(balanced)))]:
        model = clone(estimator).fit(X, y, of_samples * np.where(y == 1, weight[1], weight[0]))
        by_classes = clone(estimator).set_params(class_weight=by_class).fit(X, y, of_samples)
        assert answers(by_classes, X) == answers(model, X)
    # A fold that lacks a class takes its weight, too.
    assert answers(
        clone(estimator).set_params(class_weight={0: 1.0, 1: 1.0, 2: 5.0}).fit(X, y), X
    ) == answers(clone(estimator).set_params(class_weight={0: 1.0, 1: 1.0}).fit(X, y), X)


@each(CLASS_WEIGHTS)
def test_a_class_of_weight_zero_is_known_but_never_predicted_and_a_heavy_one_is(estimator):
    X, y = table()
    weightless = clone(estimator).set_params(class_weight={0: 0.0}).fit(X, y)
    assert weightless.classes_.tolist() == [0, 1]
    assert not weightless.predict_proba(X)[:, 0].any()
    if not isinstance(estimator, PartialClassificationForest | PartialClassificationTree):
        # whose active leaves are pure, whatever they weigh
        heavy = bootstrapping(estimator, True).set_params(class_weight={0: 1e6})
        if "n_estimators" in estimator.get_params():
            assert (heavy.fit(X, y).predict(X) == 0).all()
