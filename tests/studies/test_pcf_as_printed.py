"""The Trees against Algorithm 1 as it is printed, by what both predict."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.core.random import spawn_states
from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from studylib.studies.pcf.algorithm1 import fit_as_printed
from tests.naive import partial_tree as naive
from tests.pcf.support import LEAF_MODELS

SMALL_LEAVES = pytest.mark.parametrize("small_leaves", ["inactive", "as_printed"])


@st.composite
def continuous(draw, duplicates=0):
    """Rows without ties but for whole duplicates, which may differ in their labels; class indices."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    n_classes = draw(st.integers(1, 4))
    rows = rng.normal(size=(n, d)).tolist()
    y = rng.integers(0, n_classes, n).tolist()
    for _ in range(duplicates):
        i = draw(st.integers(0, n - 1))
        for _ in range(draw(st.integers(0, 4))):
            rows.append(list(rows[i]))
            y.append(draw(st.integers(0, n_classes - 1)))
    return rows, [sorted(set(y)).index(label) for label in y]


@st.composite
def growths(draw, lowest):
    return {
        "max_loss": draw(st.sampled_from([0.0, 0.0, 0.2, 0.3])),
        "min_samples_leaf": draw(st.integers(lowest, 5)),
        "max_depth": draw(st.sampled_from([0, 1, 2, 5, 32])),
    }


def points(rows, seed=0):
    """The rows themselves, and as many anywhere in and around their box."""
    rng = np.random.default_rng(seed)
    lower, upper = np.array(naive.bounds(rows))
    return rows + rng.uniform(lower - 0.1, upper + 0.1, (60, len(lower))).tolist()


def printed(rows, y, loss, draw, growth, small_leaves):
    return naive.grow_as_printed(
        rows,
        y,
        loss,
        draw,
        n_classes=max(y) + 1,
        small_first=small_leaves == "inactive",
        **growth,
    )


def as_labels(predictions):
    return [-1 if label is None else label for label in predictions]


@pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")
@SMALL_LEAVES
@settings(max_examples=60)
@given(data=st.data(), table=continuous(), seed=st.integers(0, 2**32 - 1))
def test_on_continuous_data_both_predict_the_same(small_leaves, data, table, seed):
    """Every node of two samples differs in every dimension: the cycle is h mod d, draw for draw."""
    rows, y = table
    model = data.draw(st.sampled_from(list(LEAF_MODELS)))
    # Of one sample only the source's γ is sure: another would go on cutting boxes around it.
    growth = data.draw(growths(lowest=1 if model == "majority" else 2))
    voting = data.draw(st.sampled_from(["plurality", "ignore_abstain"]))
    leaf_model, loss = LEAF_MODELS[model]
    forest = PartialClassificationForest(
        5, leaf_model=leaf_model, small_leaves=small_leaves, voting=voting, random_state=seed, **growth
    ).fit(rows, y)
    X = points(rows)
    by_tree = []
    for state in spawn_states(seed, 5)[:, 0]:
        stream = naive.Stream(state)
        tree = printed(rows, y, loss, lambda X: stream.uniform(), growth, small_leaves)  # noqa: B023
        by_tree.append([naive.predict_as_printed(tree, x) for x in X])
    assert forest.tree_predict(X).tolist() == list(map(as_labels, by_tree))
    votes = zip(*by_tree, strict=True)
    assert forest.predict(X).tolist() == as_labels(naive.vote(row, voting) for row in votes)


@SMALL_LEAVES
@settings(max_examples=60)
@given(data=st.data(), table=continuous(duplicates=3), seed=st.integers(0, 2**32 - 1))
def test_what_the_printed_recursion_adds_below_identical_samples_never_predicts(
    small_leaves, data, table, seed
):
    """Its cuts down to τ_h leave the samples together: all leaves there are inactive, as the one leaf here.

    Those cuts must not move the stream on for the nodes that come later, so they get another one.
    """
    rows, y = table
    model = data.draw(st.sampled_from(list(LEAF_MODELS)))
    growth = data.draw(growths(lowest=1))
    leaf_model, loss = LEAF_MODELS[model]
    tree = PartialClassificationTree(
        leaf_model=leaf_model, small_leaves=small_leaves, random_state=seed, **growth
    ).fit(rows, y)
    stream, other = naive.Stream(spawn_states(seed, 1)[0, 0]), naive.Stream(0)

    def draw(X):
        return (other if all(x == X[0] for x in X) else stream).uniform()

    expected = printed(rows, y, loss, draw, growth, small_leaves)
    X = points(rows)
    assert tree.predict(X).tolist() == as_labels(naive.predict_as_printed(expected, x) for x in X)


def test_the_printed_recursion_needs_a_height_where_the_tree_needs_none():
    rows, y = [[0.5, 0.5]] * 2, [0, 1]
    stream = naive.Stream(0)
    tree = printed(
        rows,
        y,
        naive.majority_loss,
        lambda X: stream.uniform(),
        {"min_samples_leaf": 2, "max_depth": 32},
        "inactive",
    )
    height = 0
    while tree[0] == "node":
        tree = tree[3]
        height += 1
    assert height == 32
    ours = PartialClassificationTree(min_samples_leaf=2, max_depth=None).fit(rows, y)
    assert len(ours.nodes_) == 1
    assert math.isnan(ours.nodes_["threshold"][0])
    assert ours.predict(rows).tolist() == [-1, -1]


# What the library itself has of the printed text


@settings(max_examples=40)
@given(
    table=continuous(duplicates=2), tau_x=st.integers(1, 5), tau_h=st.integers(0, 6), seed=st.integers(0, 99)
)
def test_printed_line_4_never_splits(table, tau_x, tau_h, seed):
    rows, y = table
    growth = fit_as_printed(rows, y, tau_x=tau_x, tau_h=tau_h, random_state=seed)
    assert (growth.n_nodes, growth.height) == (1, 0)


@pytest.mark.parametrize(("height_stop", "extra"), [("printed", 1), ("bound", 0)])
def test_printed_guard_of_the_height_allows_one_level_too_many(height_stop, extra):
    growth = fit_as_printed([[0.5], [0.5]], [0, 1], line_4="prose", height_stop=height_stop, random_state=0)
    height = 32 + extra  # two samples at each level, both looked at by γ and, above the last, moved
    assert growth == (2 * height + 1, height, True, 2 * (2 * height + 1), height, 0)
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 2)), rng.integers(0, 2, 3000)
    largest = max(
        fit_as_printed(X, y, tau_h=2, line_4="prose", height_stop=height_stop, random_state=seed).n_nodes
        for seed in range(20)
    )
    assert largest == 2 ** (2 + extra + 1) - 1


@settings(max_examples=40)
@given(table=continuous(), tau_x=st.integers(1, 5), tau_h=st.integers(0, 6), seed=st.integers(0, 99))
def test_prose_grows_the_oracles_tree_from_the_same_draws(table, tau_x, tau_h, seed):
    rows, y = table
    growth = fit_as_printed(
        rows, y, tau_x=tau_x, tau_h=tau_h, line_4="prose", height_stop="bound", random_state=seed
    )
    rng = np.random.RandomState(seed)
    tree = printed(
        rows,
        y,
        naive.majority_loss,
        lambda X: rng.random_sample(),
        {"min_samples_leaf": tau_x, "max_depth": tau_h},
        "as_printed",
    )

    def measure(tree, h=0):
        if tree[0] == "leaf":
            return 1, h
        (n_left, left), (n_right, right) = measure(tree[2], h + 1), measure(tree[3], h + 1)
        return 1 + n_left + n_right, max(left, right)

    assert (growth.n_nodes, growth.height) == measure(tree)
