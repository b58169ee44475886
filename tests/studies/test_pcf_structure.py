"""What is checked of every fitted Tree, on Trees that lack it; and costs, by hand."""

import functools

import numpy as np

from studylib.studies.pcf import properties, structure

RNG = np.random.default_rng(0)
SMALL = [properties.small_data(RNG) for _ in range(30)]


@functools.cache
def grown():
    """Data of more than one column whose Tree has more than eight nodes."""
    return next((X, y) for X, y in SMALL if X.shape[1] > 1 and len(structure.tree_of(X, y, 0).nodes_) > 8)


def tampered(field, at, value):
    tree = structure.tree_of(*grown(), 0)
    inner = np.flatnonzero(tree.nodes_["feature"] >= 0)
    tree.nodes_[field][inner[at]] = value
    return tree


def test_a_successor_that_is_missing_or_used_twice_is_noticed():
    assert not structure.has_no_nil(tampered("first_child", -1, 1))
    assert not structure.has_no_nil(tampered("first_child", -1, -1))


def test_a_split_outside_its_bounds_is_noticed():
    X, _ = grown()
    assert not structure.splits_are_between_bounds(tampered("threshold", 0, X.max() + 1))


def test_a_query_that_ends_in_another_partition_is_noticed():
    X, y = grown()
    tree = structure.tree_of(X, y, 0)
    tree.nodes_["threshold"][0] = X[:, tree.nodes_["feature"][0]].max()  # its routes remain
    assert not structure.partitions_are_disjoint(tree, X, 0)


def test_dimensions_follow_the_height_where_no_values_are_equal():
    rng = np.random.default_rng(1)
    for seed in range(30):
        assert structure.dimensions_follow_the_height(
            structure.tree_of(*structure.data_without_ties(rng), seed)
        )
    constant = np.column_stack([np.zeros(6), np.arange(6.0)])
    assert not structure.dimensions_follow_the_height(structure.tree_of(constant, [0, 1] * 3, 0))


def test_costs_by_hand():
    """One Tree of one node: γ looks at four observations, β_X at four of two dimensions; one vote, no label."""
    X, y = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]), [0, 1, 0, 1]
    ours, printed = structure.fit_shares(X, y, 1, 0, 0)
    assert ours == (4 + 8) / (2 * 4 + 8)
    assert printed == (4 + 4 + 4 + 8) / (2 * 4 + 8)  # a split, and γ of both sides
    assert structure.predict_shares(X, y, 1, 0, 0)[0] == 1 / 2
    assert structure.predict_shares(X, [0] * 4, 1, 0, 0) == (1, 1)
