"""The Trees and their votes against the naive ones: equal node by node, thresholds to the last bit."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from studylib.core.random import next_uniform, next_word, spawn_states
from studylib.pcf import (
    PARTIAL_NODE_DTYPE,
    PartialClassificationForest,
    PartialClassificationTree,
    _grow,
    node_depths,
)
from tests.naive import partial_tree as naive
from tests.pcf.support import (
    LEAF_MODELS,
    blobs,
    grow_naive,
    majority_gamma,
    mixed_up_rows,
    nodes_of,
    problems,
)

SEEDS = st.integers(0, 2**32 - 1)
SMALL_LEAVES = ("inactive", "as_printed")
VOTINGS = ("plurality", "ignore_abstain", "always")

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")


def assert_same_nodes(nodes, expected, exact_loss=True):
    """Every field of every node (0.0 and -0.0 count as equal)."""
    assert nodes.dtype == PARTIAL_NODE_DTYPE
    assert len(nodes) == len(expected)
    assert node_depths(nodes).tolist() == [node.depth for node in expected]
    for i, node in enumerate(expected):
        record = nodes[i]
        assert record["n_samples"] == node.n_samples
        assert record["label"] == (-1 if node.label is None else node.label)
        if node.loss is None:
            assert math.isnan(record["loss"])
        else:
            assert record["loss"] == (node.loss if exact_loss else pytest.approx(node.loss, rel=1e-12))
        if node.children is None:
            assert (record["feature"], record["first_child"]) == (-1, -1)
            assert math.isnan(record["threshold"])
        else:
            assert (record["feature"], record["threshold"]) == (node.dimension, node.split)
            assert (record["first_child"], record["first_child"] + 1) == node.children


def exact(model):
    """Whether the oracle's loss has the same rounding: scipy's normal quantile differs from Python's."""
    return model != "confidence_bound"


@pytest.mark.parametrize("small_leaves", SMALL_LEAVES)
@pytest.mark.parametrize("model", LEAF_MODELS)
@settings(max_examples=80)
@given(problem=problems(), seed=SEEDS)
def test_tree_is_the_naive_tree(model, small_leaves, problem, seed):
    rows, y, growth = problem
    leaf_model, loss = LEAF_MODELS[model]
    tree = PartialClassificationTree(
        leaf_model=leaf_model, small_leaves=small_leaves, random_state=seed, **growth
    ).fit(rows, y)
    (expected,) = grow_naive(rows, y, loss, growth, small_leaves, seed)
    event(f"nodes: {min(len(expected), 31)}")
    assert_same_nodes(tree.nodes_, expected, exact(model))
    assert tree.bounds_.tolist() == list(map(list, naive.bounds(rows)))
    new = mixed_up_rows(rows)
    leaves = [naive.find_leaf(expected, row) for row in new]
    assert tree.apply(new).tolist() == leaves
    labels = [expected[leaf].label for leaf in leaves]
    assert tree.predict(new).tolist() == [-1 if label is None else label for label in labels]


@pytest.mark.parametrize("small_leaves", SMALL_LEAVES)
@settings(max_examples=50)
@given(problem=problems(), seed=SEEDS)
def test_tree_of_a_callable_is_the_naive_tree(small_leaves, problem, seed):
    rows, y, growth = problem
    tree = PartialClassificationTree(
        leaf_model=majority_gamma, small_leaves=small_leaves, random_state=seed, **growth
    ).fit(rows, y)
    (expected,) = grow_naive(rows, y, naive.majority_loss, growth, small_leaves, seed)
    assert_same_nodes(tree.nodes_, expected)


def assert_same_votes(forest, expected, X, y):
    """Votes, and all that follows from them."""
    by_tree = [[naive.predict(nodes, row) for row in X] for nodes in expected]
    as_indices = [[-1 if label is None else label for label in labels] for labels in by_tree]
    assert forest.tree_predict(X).tolist() == as_indices
    of_rows = list(zip(*by_tree, strict=True))
    kinds = [*range(len(forest.classes_)), None]
    shares = [[votes.count(kind) / len(votes) for kind in kinds] for votes in of_rows]
    assert forest.vote_shares(X).tolist() == shares
    final = [naive.vote(votes, forest.voting, y) for votes in of_rows]
    assert forest.predict(X).tolist() == [-1 if label is None else label for label in final]
    assert forest.coverage(X) == pytest.approx(sum(label is not None for label in final) / len(final))
    for row, votes in zip(forest.predict_proba(X).tolist(), of_rows, strict=True):
        known = [label for label in votes if label is not None]
        if known:
            assert row == [known.count(kind) / len(known) for kind in kinds[:-1]]
        assert sum(row) == pytest.approx(1.0)
    for k, stage in enumerate(forest.staged_predict(X), 1):
        final = [naive.vote(votes[:k], forest.voting, y) for votes in of_rows]
        assert stage.tolist() == [-1 if label is None else label for label in final]
    assert k == forest.n_estimators


@pytest.mark.parametrize("voting", VOTINGS)
@settings(max_examples=60)
@given(
    problem=problems(),
    model=st.sampled_from(list(LEAF_MODELS)),
    small_leaves=st.sampled_from(SMALL_LEAVES),
    n_trees=st.integers(1, 7),
    seed=SEEDS,
)
def test_forest_votes_as_the_naive_trees(voting, problem, model, small_leaves, n_trees, seed):
    rows, y, growth = problem
    leaf_model, loss = LEAF_MODELS[model]
    forest = PartialClassificationForest(
        n_trees, leaf_model=leaf_model, small_leaves=small_leaves, voting=voting, random_state=seed, **growth
    ).fit(rows, y)
    expected = grow_naive(rows, y, loss, growth, small_leaves, seed, n_trees)
    for nodes, naive_nodes in zip(nodes_of(forest), expected, strict=True):
        assert_same_nodes(nodes, naive_nodes, exact(model))
    assert_same_votes(forest, expected, mixed_up_rows(rows), y)


@pytest.mark.parametrize("voting", VOTINGS)
@pytest.mark.parametrize("small_leaves", SMALL_LEAVES)
@pytest.mark.parametrize("model", LEAF_MODELS)
def test_larger_forest_is_the_naive_one(model, small_leaves, voting):
    X, y = blobs(300, 3, 3, seed=1)
    X[:, 1] = np.round(X[:, 1], 1)
    rows, labels = X.tolist(), y.tolist()
    growth = {"max_loss": 0.35, "min_samples_leaf": 3, "max_depth": 9}
    leaf_model, loss = LEAF_MODELS[model]
    forest = PartialClassificationForest(
        9, leaf_model=leaf_model, small_leaves=small_leaves, voting=voting, random_state=3, **growth
    ).fit(X, y)
    expected = grow_naive(rows, labels, loss, growth, small_leaves, 3, 9)
    assert min(map(len, expected)) > 20
    for nodes, naive_nodes in zip(nodes_of(forest), expected, strict=True):
        assert_same_nodes(nodes, naive_nodes, exact(model))
    new = np.random.default_rng(2).uniform(-0.1, 1.1, (100, 3)).tolist()
    assert forest.coverage(new) > 0
    assert_same_votes(forest, expected, new, labels)


# The numbers


def test_words_are_those_of_splitmix64():
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    state, stream = np.array([1234567], np.uint64), naive.Stream(1234567)
    assert [int(next_word(state)) for _ in range(3)] == published
    assert [stream.word() for _ in range(3)] == published


@given(st.integers(0, 2**64 - 1))
def test_uniforms_are_the_top_53_bits_of_the_words(start):
    state, stream = np.array([start], np.uint64), naive.Stream(start)
    for _ in range(5):
        assert next_uniform(state) == stream.uniform() < 1.0
    assert int(state[0]) == stream.state


def test_first_states_do_not_depend_on_how_many_there_are():
    many = spawn_states(7, 50)
    assert (many.dtype, many.shape) == (np.uint64, (50, 1))
    for n in (1, 2, 17):
        assert spawn_states(7, n).tolist() == many[:n].tolist()
    assert len(set(many[:, 0].tolist())) == 50
    assert spawn_states(8, 50)[0] != many[0]
    assert spawn_states(np.random.RandomState(7), 3).tolist() == many[:3].tolist()


def test_splits_are_uniform_between_the_bounds():
    """Kolmogorov's distance from the uniform, for 2,000 roots; the 99.9 % point is 1.95 / sqrt(n)."""
    X, y = [[2.0], [6.0], [2.1], [2.2]], [0, 1, 0, 1]
    forest = PartialClassificationForest(2000, min_samples_leaf=1, max_depth=1, random_state=0).fit(X, y)
    splits = np.sort([nodes["threshold"][0] for nodes in nodes_of(forest)])
    assert splits[0] >= 2.0
    assert splits[-1] <= 6.0
    distance = np.abs((splits - 2.0) / 4.0 - (np.arange(2000) + 0.5) / 2000).max()
    assert distance < 1.95 / math.sqrt(2000)


@pytest.mark.parametrize(("low", "high"), [(-1.7e308, 1.7e308), (-1e308, 1.5e308), (-1.6e308, 0.9e308)])
def test_a_split_lies_at_its_draw_where_the_width_overflows(low, high):
    state = spawn_states(3, 1)[0]
    for _ in range(50):
        u = next_uniform(state.copy())
        split = _grow.draw_split(low, high, state)
        exact = Fraction(low) + Fraction(u) * (Fraction(high) - Fraction(low))
        assert abs(Fraction(split) - exact) <= Fraction(4 * math.ulp(1e308))


def test_a_split_is_never_outside_its_bounds_whatever_the_draw(monkeypatch):
    """Not even at the end of the unit interval, where low + (high - low) may be beyond high after rounding."""
    rng, beyond, draw = random.Random(0), 0, getattr(_grow.draw_split, "py_func", _grow.draw_split)
    monkeypatch.setattr(_grow, "next_uniform", lambda state: 1.0)
    for _ in range(2000):
        low, high = sorted((rng.gauss(0, 1), rng.gauss(0, 1)))
        beyond += low + (high - low) > high
        assert draw(low, high, None) <= high
    assert beyond > 100  # so the bound was needed
