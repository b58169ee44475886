"""scikit-learn's checks, parameters, and how a Tree grows within its limits."""

import inspect
import math
import re
import sys

import numpy as np
import pytest

from studylib.core.random import spawn_states
from studylib.datasets import make_clean_partitions
from studylib.pcf import (
    PARTIAL_NODE_DTYPE,
    PartialClassificationForest,
    PartialClassificationTree,
    node_boxes,
    node_depths,
)
from tests.estimator_checks import parametrize_with_checks
from tests.naive import partial_tree as naive
from tests.pcf.support import TINY, blobs, majority_gamma, nodes_of

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

BOTH = pytest.mark.parametrize("owner", [PartialClassificationForest, PartialClassificationTree])


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


# Parameters

BAD_VALUES = {
    "n_estimators": ([0, -1, 2.5, True, "3", None], "an integer from 1 to 1000000"),
    "leaf_model": (["gini", None], "'majority', .*'laplace', .*classifier, .*callable"),
    "max_loss": ([-0.1, math.nan, None, True, "0"], "a number >= 0"),
    "min_samples_leaf": ([0, -1, None, 2.0, True, "2"], "an integer >= 1"),
    "max_depth": ([-1, 2.5, True, "3", math.nan], "an integer >= 0 or None"),
    "voting": (["majority", None, 1, ["plurality"]], "'plurality', 'ignore_abstain', 'always'"),
    "small_leaves": (["active", None, True], "'inactive', 'as_printed'"),
    "abstain_label": ([[5], {}, b"x", (1,)], "'auto', a number, a string or None"),
    "class_weight": ([2, "balanced_subsample", [1, 2]], "None, 'balanced' or a dict"),
    "warm_start": ([1, None, "yes"], "True or False"),
    "n_jobs": ([0, 2.5, "2"], "integer"),
}


CASES = [
    (owner, name, value, allowed)
    for owner in (PartialClassificationForest, PartialClassificationTree)
    for name, (values, allowed) in BAD_VALUES.items()
    if name in owner().get_params()
    for value in values
]


@pytest.mark.parametrize(
    ("owner", "name", "value", "allowed"), CASES, ids=[f"{c[0].__name__}-{c[1]}-{c[2]}" for c in CASES]
)
def test_bad_parameter_is_refused_in_one_sentence(owner, name, value, allowed):
    estimator = owner().set_params(**{name: value})
    with pytest.raises((ValueError, TypeError)) as caught:
        estimator.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    sentence = str(caught.value)
    assert sentence.startswith(f"{owner.__name__}: {name} must be ")
    assert re.search(allowed, sentence)
    assert sentence.endswith(f"got {value!r}.")
    assert "\n" not in sentence


@BOTH
def test_every_parameter_has_its_bad_values_and_its_documentation(owner):
    parameters = set(owner().get_params(deep=False))
    assert parameters - set(BAD_VALUES) == {"random_state"}
    documented = inspect.getdoc(owner).split("Attributes")[0]
    for name in parameters:
        assert re.search(rf"^(?! )[\w, ]*\b{name}\b[\w, ]*( : |$)", documented, re.MULTILINE), name


@BOTH
def test_every_fitted_attribute_is_documented(owner):
    documented = inspect.getdoc(owner).split("Attributes")[1]
    X, y = blobs(30)
    fitted = owner().fit(X, y)
    for name in vars(fitted):
        if name.endswith("_"):
            assert re.search(rf"^(?! )[\w, ]*\b{name}\b", documented, re.MULTILINE), name


def test_defaults_are_the_sources_where_it_has_any():
    forest = PartialClassificationForest()
    assert (forest.leaf_model, forest.max_loss, forest.max_depth) == ("majority", 0.0, 32)
    assert (forest.voting, forest.small_leaves, forest.min_samples_leaf) == ("plurality", "inactive", 4)
    tree = PartialClassificationTree().get_params()
    assert all(value == forest.get_params()[name] for name, value in tree.items())


def test_numpy_numbers_are_good_parameters():
    X, y = blobs()
    plain = PartialClassificationForest(3, max_loss=0.5, min_samples_leaf=5, max_depth=4, random_state=0)
    same = PartialClassificationForest(
        np.int64(3),
        max_loss=np.float32(0.5),
        min_samples_leaf=np.uint8(5),
        max_depth=np.int32(4),
        random_state=np.int64(0),
    )
    assert plain.fit(X, y).vote_shares(X).tolist() == same.fit(X, y).vote_shares(X).tolist()


@BOTH
def test_errors_name_the_subclass(owner):
    class Oak(owner):
        pass

    with pytest.raises(ValueError, match=r"^Oak: max_depth"):
        Oak(max_depth=-1).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match=r"^Oak: leaf_model, in a node of 2 samples at depth 0"):
        Oak(leaf_model=lambda X, y: None, min_samples_leaf=1).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("limit", [2**30, 2**31, sys.maxsize, 10**30])
def test_limit_beyond_any_tree_is_no_limit(limit):
    X, y = blobs()
    tree = PartialClassificationTree(max_depth=limit, min_samples_leaf=1, random_state=0).fit(X, y)
    other = PartialClassificationTree(max_depth=None, min_samples_leaf=1, random_state=0).fit(X, y)
    assert tree.nodes_.tobytes() == other.nodes_.tobytes()
    assert len(PartialClassificationTree(min_samples_leaf=limit).fit(X, y).nodes_) == 1
    assert len(PartialClassificationTree(max_loss=float(limit)).fit(X, y).nodes_) == 1


# Growth


@pytest.mark.parametrize(
    "model", ["majority", "confidence_bound", majority_gamma], ids=["m", "b", "callable"]
)
def test_tree_is_binary_and_its_boxes_nest(model):
    X, y = blobs(300, 3, 3)
    tree = PartialClassificationTree(leaf_model=model, min_samples_leaf=1, random_state=0).fit(X, y)
    nodes, depths = tree.nodes_, node_depths(tree.nodes_)
    assert nodes.dtype == PARTIAL_NODE_DTYPE
    inner = np.flatnonzero(nodes["feature"] >= 0)
    assert len(nodes) == 2 * len(inner) + 1 > 100
    first = nodes["first_child"][inner]
    assert sorted([0, *first, *(first + 1)]) == list(range(len(nodes)))
    assert (first > inner).all()
    for child in (first, first + 1):
        assert (depths[child] == depths[inner] + 1).all()
    assert (nodes["n_samples"][first] + nodes["n_samples"][first + 1] == nodes["n_samples"][inner]).all()
    lower, upper = node_boxes(nodes, tree.bounds_)
    assert lower[0].tolist() == X.min(axis=0).tolist()
    assert upper[0].tolist() == X.max(axis=0).tolist()
    here = np.arange(len(inner)), nodes["feature"][inner]
    splits = nodes["threshold"][inner]
    assert (lower[inner][here] <= splits).all()
    assert (splits <= upper[inner][here]).all()
    # h mod d: without ties no column is constant in a node of two samples.
    assert (nodes["feature"][inner] == depths[inner] % 3).all()
    leaves = tree.apply(X)
    assert (lower[leaves] <= X).all()
    assert (upper[leaves] >= X).all()


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


def test_tree_has_at_most_the_nodes_of_the_sources_bound():
    rng = np.random.default_rng(0)
    X, y = rng.random((4000, 2)), rng.integers(0, 2, 4000)
    for max_depth in range(7):
        forest = PartialClassificationForest(20, min_samples_leaf=1, max_depth=max_depth, random_state=0)
        sizes = [len(nodes) for nodes in nodes_of(forest.fit(X, y))]
        depths = [node_depths(nodes).max() for nodes in nodes_of(forest)]
        assert max(sizes) <= 2 ** (max_depth + 1) - 1
        assert max(depths) == max_depth
        if max_depth <= 2:
            assert max(sizes) == 2 ** (max_depth + 1) - 1


def test_depth_zero_is_one_leaf():
    X, y = blobs(50)
    for max_loss, label in ((0.0, -1), (1.0, int(np.bincount(y).argmax()))):
        tree = PartialClassificationTree(max_depth=0, max_loss=max_loss).fit(X, y)
        assert len(tree.nodes_) == 1
        assert tree.predict(X).tolist() == [label] * 50


def test_limited_tree_is_the_full_one_cut_off_at_the_first_branch():
    """What lies before the cut in preorder is the same; after it, draws are left over."""
    X, y = blobs(200)
    full = PartialClassificationTree(min_samples_leaf=1, random_state=0).fit(X, y).nodes_
    part = PartialClassificationTree(min_samples_leaf=1, max_depth=3, random_state=0).fit(X, y).nodes_
    at = 0
    while part["feature"][at] >= 0:
        for field in ("threshold", "feature", "first_child", "n_samples", "loss"):
            assert part[field][at] == full[field][at]
        at = part["first_child"][at]


@pytest.mark.parametrize("max_depth", [32, None])
@pytest.mark.parametrize("model", ["majority", "laplace", majority_gamma], ids=["m", "l", "callable"])
def test_identical_samples_with_different_labels_are_one_leaf(model, max_depth):
    X, y = [[0.5, -1.0, 7.0]] * 6, [0, 1, 0, 1, 1, 0]
    tree = PartialClassificationTree(leaf_model=model, min_samples_leaf=1, max_depth=max_depth).fit(X, y)
    assert (len(tree.nodes_), tree.nodes_["label"][0], tree.nodes_["loss"][0]) == (1, -1, 0.5)
    assert tree.predict([*X, [9.0, 9.0, 9.0]]).tolist() == [-1] * 7


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


# The source's plane


def test_forest_finds_the_clean_partitions_of_the_sources_plane():
    """Fig. 3 at N = 100, τ_|X| = 4: less than the clean fifth is predicted, and nearly all of it rightly."""
    predicted, accuracy = [], []
    for seed in range(5):
        X, y = make_clean_partitions(random_state=seed)
        forest = PartialClassificationForest(random_state=seed).fit(X[:4500], y[:4500])
        labels = forest.predict(X[4500:])
        told = labels != forest.abstain_label_
        assert forest.coverage(X[4500:]) == told.mean()
        predicted.append(told.mean())
        accuracy.append((labels == y[4500:])[told].mean())
    assert 0.12 < np.mean(predicted) < 0.2
    assert np.mean(accuracy) > 0.95
