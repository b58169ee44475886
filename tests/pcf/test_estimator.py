"""scikit-learn's checks, parameters, and how a Tree grows within its limits."""

import math

import numpy as np
import pytest

from studylib.core.random import spawn_states
from studylib.pcf import PartialClassificationForest, PartialClassificationTree, node_boxes, node_depths
from tests.estimator_checks import parametrize_with_checks
from tests.naive import partial_tree as naive
from tests.pcf.support import TINY, blobs, majority_gamma

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")


#: scikit-learn's checks that fit with weights.
WITH_WEIGHTS = (
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_classifiers_one_label_sample_weights",
    "check_class_weight_classifiers",
)


def expected_failures(estimator):
    """Checks that fail for a good reason."""
    failures = {}
    if estimator.leaf_model == "nearest_neighbor":
        failures |= dict.fromkeys(WITH_WEIGHTS, "a classifier in the leaf takes no weights")
    if estimator.min_samples_leaf > 1:
        failures["check_sample_weight_equivalence_on_dense_data"] = (
            "repeats samples, and min_samples_leaf counts samples"
        )
    if estimator.max_loss == 0:
        failures["check_class_weight_classifiers"] = "active leaves are pure, whatever their class weighs"
    # Those that accept an impure or a tiny leaf, or always answer, predict all of the check's samples.
    always = getattr(estimator, "voting", "") == "always"
    if estimator.max_loss == 0 and estimator.min_samples_leaf > 1 and not always:
        failures["check_classifiers_train"] = (
            "asks for a label where the estimator abstains: the one of the largest probability, and an "
            "accuracy over all samples above 0.83"
        )
    return failures


@parametrize_with_checks(
    [
        PartialClassificationForest(),
        PartialClassificationForest(5, leaf_model=majority_gamma),
        PartialClassificationForest(leaf_model="laplace", max_loss=0.3, voting="ignore_abstain"),
        PartialClassificationForest(5, leaf_model=majority_gamma, max_loss=0.3, voting="ignore_abstain"),
        PartialClassificationForest(voting="always"),
        PartialClassificationForest(3, leaf_model="nearest_neighbor", max_loss=0.3, min_samples_leaf=8),
        PartialClassificationForest(10, min_samples_leaf=1),
        PartialClassificationTree(),
        PartialClassificationTree(min_samples_leaf=1),
    ],
    expected_failed_checks=expected_failures,
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def test_defaults_are_the_sources_where_it_has_any():
    forest = PartialClassificationForest()
    assert (forest.leaf_model, forest.max_loss, forest.max_depth) == ("majority", 0.0, 32)
    assert (forest.voting, forest.small_leaves, forest.min_samples_leaf) == ("plurality", "inactive", 4)
    tree = PartialClassificationTree().get_params()
    assert all(value == forest.get_params()[name] for name, value in tree.items())


# Growth


def test_boxes_are_those_of_the_naive_tree():
    X, y = blobs(100, 2)
    X = np.round(X, 1)
    for seed in range(5):
        tree = PartialClassificationTree(min_samples_leaf=2, random_state=seed).fit(X, y)
        lower, upper = node_boxes(tree.nodes_, tree.bounds_)
        for at, record in enumerate(tree.nodes_):
            if record["feature"] >= 0:
                left, right = record["first_child"], record["first_child"] + 1
                cut = naive.changed(upper[at].tolist(), record["feature"], record["threshold"])
                assert (lower[left].tolist(), upper[left].tolist()) == (lower[at].tolist(), cut)
                cut = naive.changed(lower[at].tolist(), record["feature"], record["threshold"])
                assert (lower[right].tolist(), upper[right].tolist()) == (cut, upper[at].tolist())


def test_pairs_of_identical_samples_end_without_a_limit_of_depth():
    rng = np.random.default_rng(0)
    points = rng.random((40, 3))
    X, y = np.repeat(points, 2, axis=0), np.tile([0, 1], 40)
    tree = PartialClassificationTree(min_samples_leaf=1, max_depth=None, random_state=0).fit(X, y)
    leaves = tree.nodes_[tree.nodes_["feature"] < 0]
    assert set(leaves["n_samples"]) == {0, 2}
    assert (leaves["n_samples"] == 2).sum() == 40
    assert (tree.predict(X) == -1).all()


@pytest.mark.parametrize("model", ["majority", majority_gamma], ids=["compiled", "callable"])
def test_huge_range_ends_without_a_limit_of_depth(model):
    values = [-1e300, -1e-300, 0.0, TINY, 1e-300, 2e-300, 1.0, math.nextafter(1, 2), 1e300, 1.1e300]
    X, y = [[v] for v in values], [k % 2 for k in range(len(values))]
    for seed in range(5):
        tree = PartialClassificationTree(
            leaf_model=model, min_samples_leaf=1, max_depth=None, random_state=seed
        ).fit(X, y)
        assert tree.predict(X).tolist() == y
        assert node_depths(tree.nodes_).max() > 300


@pytest.mark.parametrize(
    ("values", "max_depth"),
    [((-1e300, 1e-300, 3e-300, 1e300, 5e-300), 300), ((-1.7e308, 1.7e308, -1e308, 1e308), 32)],
    ids=["tiny and huge", "beyond the largest double"],
)
def test_huge_range_is_the_naive_tree_too(values, max_depth):
    X, y = [[v] for v in values], [k % 2 for k in range(len(values))]
    settings = {"min_samples_leaf": 1, "max_depth": max_depth}
    for seed in range(10):
        nodes = PartialClassificationTree(random_state=seed, **settings).fit(X, y).nodes_
        expected = naive.grow(X, y, naive.majority_loss, spawn_states(seed, 1)[0, 0], **settings)
        assert nodes["n_samples"].tolist() == [node.n_samples for node in expected]
        splits = [math.nan if node.split is None else node.split for node in expected]
        np.testing.assert_array_equal(nodes["threshold"], splits)
        assert np.isfinite(nodes["threshold"][0])


def test_smallest_doubles_around_zero_end_without_a_limit_of_depth():
    """The box [-5e-324, 5e-324] has one inner point: a split that rounds away from it never cuts the box.

    The limit stands for none, so that a Tree that does not end does not fill the memory.
    """
    X, y = [[-TINY], [0.0], [TINY]], [0, 1, 0]
    for seed in range(5):
        tree = PartialClassificationTree(min_samples_leaf=1, max_depth=3000, random_state=seed).fit(X, y)
        assert node_depths(tree.nodes_).max() < 100
        assert tree.predict(X).tolist() == y


def test_neighbouring_doubles_are_told_apart_without_a_limit_of_depth():
    for base in (1.0, -1.0, 1 / 3, 1e308, 1e-300, 2.0**-1022, 3 * TINY):
        low, high = base, math.nextafter(base, math.inf)
        X, y = [[low], [high], [math.nextafter(high, math.inf)]], [0, 1, 0]
        for seed in range(5):
            tree = PartialClassificationTree(min_samples_leaf=1, max_depth=None, random_state=seed).fit(X, y)
            assert tree.predict(X).tolist() == y
