"""The lecture's distances, neighbours and indexes as tasks: repeatable, and equal to looking at every point."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import KDTree

from studylib.neighbors import KNeighborsClassifier, euclidean, manhattan
from studylib.studies.nonlinear_lecture import box_trees, hash_tables, neighbours

# Distances and regions


def test_properties_of_distances_hold_and_a_distance_without_the_axioms_is_caught():
    assert all(all(cases) for cases in neighbours.metric_axioms(20).values())
    assert all(all(cases) for cases in neighbours.similarities_in_range(20).values())
    x, y, z = np.array([[0.0], [2.0], [1.0]])
    assert neighbours.satisfies_axioms(euclidean, x, y, z)
    assert not neighbours.satisfies_axioms(lambda a, b: euclidean(a, b) ** 2, x, y, z + 3)
    assert not neighbours.satisfies_axioms(lambda a, b: float(manhattan(a, b) > 2), x, y, z)


def test_a_nearer_neighbour_weighs_more_and_not_with_equal_votes(monkeypatch):
    assert all(neighbours.nearer_neighbours_weigh_more(10))
    equal = partial(KNeighborsClassifier, weights="uniform")
    monkeypatch.setattr(neighbours, "KNeighborsClassifier", equal)
    assert not any(neighbours.nearer_neighbours_weigh_more(10))


# Simulated sets


@pytest.mark.parametrize("name", neighbours.KNOWN)
def test_bayes_error_is_that_of_the_best_rule(name):
    draw, share = neighbours.KNOWN[name]
    X, y = draw(np.random.default_rng(0), 40_000)
    if name.startswith("board"):
        best = X.astype(int).sum(axis=1) % 2
    elif name.startswith("coins"):
        best = np.zeros(len(y))
    else:
        best = X[:, 0] > X[:, 0].mean()  # the clouds are equally large
    assert np.mean(best != y) == pytest.approx(share, abs=0.006)


# Trees of boxes


@settings(max_examples=60)
@given(seed=st.integers(0, 10_000), n=st.integers(1, 60), d=st.integers(1, 4), data=st.data())
def test_the_drawn_search_finds_what_scipy_finds_and_visits_no_leaf_in_vain(seed, n, d, data):
    k = data.draw(st.integers(1, n))
    rng = np.random.default_rng(seed)
    tree, query = KDTree(rng.random((n, d)), leafsize=3), rng.normal(0.5, 1, d)
    rows, visits = box_trees.search(tree, query, k)
    assert rows == np.atleast_1d(tree.query(query, k)[1]).tolist()
    for visit in visits:
        assert euclidean(query, np.clip(query, *visit.box)) <= visit.before
        assert visit.after <= visit.before


def test_leaves_divide_the_points_and_hold_them():
    tree = KDTree(np.random.default_rng(0).random((50, 2)), leafsize=4)
    leaves = box_trees.leaves(tree)
    assert sorted(row for rows, _ in leaves for row in rows) == list(range(50))
    for rows, (low, high) in leaves:
        assert ((tree.data[rows] >= low) & (tree.data[rows] <= high)).all()
    assert sum(np.prod(box[1] - box[0]) for _, box in leaves) == pytest.approx(
        np.prod(tree.maxes - tree.mins)
    )


def test_r_tree_finds_what_looking_at_every_box_finds():
    boxes, index, leaves = box_trees.drawn_boxes()
    assert sorted(row for rows, _ in leaves for row in rows) == list(range(len(boxes)))
    for rows, box in leaves:
        assert box == pytest.approx([*boxes[rows, :2].min(axis=0), *boxes[rows, 2:].max(axis=0)])
    for corner in np.random.default_rng(0).random((20, 2)):
        window = [*corner, *(corner + 0.2)]
        assert sorted(index.intersection(window)) == np.flatnonzero(box_trees.overlap(boxes, window)).tolist()
        gaps = euclidean(corner, np.clip(corner, boxes[:, :2], boxes[:, 2:]))
        assert set(index.nearest((*corner, *corner), 3)) == set(np.flatnonzero(gaps <= np.sort(gaps)[2]))


# Hashing


def test_similarities_are_jaccards():
    table = np.random.default_rng(0).random((30, 12)) < 0.4
    sets, items = hash_tables.Sets(table), np.array([1, 3, 5])
    plain = [
        len(set(items) & set(np.flatnonzero(row))) / len(set(items) | set(np.flatnonzero(row)))
        for row in table
    ]
    assert sets.similarities(items) == pytest.approx(plain)
    assert sets.similarities(items, np.array([4, 7])) == pytest.approx([plain[4], plain[7]])


def test_equal_sets_always_meet_and_pairs_meet_as_often_as_theory_says():
    table = hash_tables.baskets(300)
    candidates = hash_tables.HashTables(table, 2, seed=1).candidates(table)
    assert all(row in rows for row, rows in enumerate(candidates))
    middles, shares = hash_tables.meetings(8, 1500)
    theory = 1 - (1 - middles**hash_tables.FUNCTIONS) ** 8
    assert shares == pytest.approx(theory, abs=0.12)
