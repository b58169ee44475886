"""Weights of samples and classes in the losses of leaves."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.pcf import (
    ConfidenceBound,
    CrossValidated,
    PartialClassificationForest,
    PartialClassificationTree,
)
from tests.pcf.support import LEAF_MODELS, grow_naive, majority_gamma, problems
from tests.pcf.test_oracle import SMALL_LEAVES, assert_same_nodes, exact

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

SEEDS = st.integers(0, 2**32 - 1)


def weights_of(n, seed):
    """Multiples of 1/4, whose sums are exact."""
    return np.random.default_rng(seed).integers(1, 12, n) / 4


@pytest.mark.parametrize("small_leaves", SMALL_LEAVES)
@pytest.mark.parametrize("model", [*LEAF_MODELS, "callable"])
@settings(max_examples=40)
@given(problem=problems(), seed=SEEDS)
def test_weighted_tree_is_the_naive_one(model, small_leaves, problem, seed):
    rows, y, growth = problem
    leaf_model, loss = LEAF_MODELS.get(model, (majority_gamma, LEAF_MODELS["majority"][1]))
    weight = weights_of(len(y), seed)
    tree = PartialClassificationTree(
        leaf_model=leaf_model, small_leaves=small_leaves, random_state=seed, **growth
    ).fit(rows, y, sample_weight=weight)
    (expected,) = grow_naive(rows, y, loss, growth, small_leaves, seed, weights=weight.tolist())
    assert_same_nodes(tree.nodes_, expected, exact(model))
    shares = [weight[np.equal(y, k)].sum() / weight.sum() for k in range(max(y) + 1)]
    np.testing.assert_allclose(tree.class_prior_, shares)


def test_a_rare_class_of_large_weight_is_predicted():
    rng = np.random.default_rng(0)
    X, y = rng.random((600, 1)), np.zeros(600, int)
    y[(X[:, 0] > 0.8) & (rng.random(600) < 0.3)] = 1
    settings = {"max_loss": 0.35, "min_samples_leaf": 20, "random_state": 0}
    plain = PartialClassificationForest(20, **settings).fit(X, y)
    heavy = PartialClassificationForest(20, class_weight="balanced", **settings).fit(X, y)
    assert not (plain.predict(X) == 1).any()
    assert (heavy.predict(X[y == 1]) == 1).mean() > 0.9


def test_what_takes_no_weights_is_refused_before_the_data():
    for model in ("nearest_neighbor", CrossValidated(), lambda X, y: (y[0], 0.0)):
        for more, weight in (({}, [1.0, 2.0]), ({"class_weight": "balanced"}, None)):
            tree = PartialClassificationTree(leaf_model=model, **more)
            with pytest.raises(
                ValueError, match=r"^PartialClassificationTree: .* leaf_model that takes weig"
            ):
                tree.fit("no table", [0, 1], weight)


def test_very_light_samples_overflow_nothing():
    """The square of a sum of such weights is 0."""
    X, y = np.arange(40.0)[:, None], np.arange(40) // 20
    weight = np.where(y == 0, 1.0, 1e-140)
    tree = PartialClassificationTree(
        leaf_model=ConfidenceBound(), max_loss=0.5, min_samples_leaf=2, random_state=0
    ).fit(X, y, weight)
    assert np.nanmin(tree.nodes_["loss"]) >= 0
    assert np.nanmax(tree.nodes_["loss"]) <= 1
