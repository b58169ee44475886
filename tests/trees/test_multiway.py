"""MultiwayTreePredictor: ID3 against the naive tree, and what the lectures say about it."""

import itertools
import math

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from studylib.datasets import load_golf, load_restaurant, load_weather
from studylib.trees import MULTIWAY_CRITERIA, MultiwayTreePredictor, _grow_multiway
from tests.naive import multiway as naive
from tests.trees.support import EVERY_CRITERION, assert_same_tree, mushrooms


def id3(*given, **named):
    """A branch for each value, of numbers, too."""
    return MultiwayTreePredictor(*given, numeric="categories", **named)


def plain_gini(counts):
    shares = counts / counts.sum()
    return 1.0 - (shares * shares).sum()


# The naive tree


@st.composite
def tables(draw):
    """Rows (dicts) of categories and whole numbers with gaps, and a label each."""
    n, d = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    columns = {}
    for j in range(d):
        pool = draw(st.sampled_from(["ab", "abc", "dcbae", (0, 1), (3, -1, 2, 7)]))
        gaps = [None] * draw(st.sampled_from([0, 0, 1]))
        columns[f"column {j}"] = draw(st.lists(st.sampled_from([*pool, *gaps]), min_size=n, max_size=n))
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows, draw(st.lists(st.sampled_from("xyz"[: draw(st.integers(1, 3))]), min_size=n, max_size=n))


def as_frame(rows):
    """Numbers as a float column, everything else as objects."""
    columns = {c: [row[c] for row in rows] for c in rows[0]}
    numeric = [c for c, values in columns.items() if all(v is None or isinstance(v, int) for v in values)]
    return pd.DataFrame(columns, dtype=object).astype(dict.fromkeys(numeric, float))


def voters(tree, node):
    return [c for c, k in zip(tree.classes_, tree.class_counts_[node], strict=True) for _ in range(int(k))]


def assert_is_naive(tree, expected, at=0):
    """The subtree at a node equals the naive one, node by node; returns the number of nodes."""
    node = tree.nodes_[at]
    assert (node["depth"], node["n_samples"]) == (expected["depth"], len(expected["samples"]))
    assert tree.classes_[node["label"]] == expected["label"]
    assert voters(tree, at) == (sorted(expected["voters"]) if expected["samples"] else [])
    assert node["gain"] == pytest.approx(expected["gain"], abs=1e-9)
    if expected["column"] is None:
        assert (node["feature"], node["first_child"]) == (-1, -1)
        return 1
    assert tree.feature_names_[node["feature"]] == expected["column"]
    values = [None if pd.isna(v) else v for v in tree.condition(at).values]
    assert values == list(expected["children"])
    children = enumerate(expected["children"].values(), start=node["first_child"])
    return 1 + sum(assert_is_naive(tree, child, k) for k, child in children)


@EVERY_CRITERION
@settings(max_examples=60)
@given(
    table=tables(),
    max_depth=st.sampled_from([None, None, 0, 1, 2]),
    least=st.sampled_from([2, 2, 4]),
    in_leaf=st.sampled_from([1, 1, 2, 3]),
    data=st.data(),
)
def test_table_grows_the_naive_tree(criterion, table, max_depth, least, in_leaf, data):
    rows, y = table
    limits = {"min_samples_split": least, "min_samples_leaf": in_leaf}
    frame = as_frame(rows)
    tree = id3(criterion, max_depth=max_depth, **limits).fit(frame, y)
    deepest = math.inf if max_depth is None else max_depth
    expected = naive.grow(rows, y, criterion, max_depth=deepest, **limits)
    assert assert_is_naive(tree, expected) == tree.n_nodes_ == len(tree.nodes_)
    event(f"depth {tree.depth_}")
    # Combinations of values that never stood together, and one value that never stood anywhere.
    new = [{c: data.draw(st.sampled_from([row[c] for row in rows])) for c in rows[0]} for _ in range(4)]
    column = data.draw(st.sampled_from(list(rows[0])))
    new.append({**new[0], column: 0.5 if frame[column].dtype == float else "new"})
    ends = [naive.end(expected, row) for row in [*rows, *new]]
    X = pd.concat([frame, pd.DataFrame(new, dtype=object).astype(frame.dtypes)])
    assert tree.predict(X).tolist() == [end["label"] for end in ends]
    shares = [[end["voters"].count(c) / len(end["voters"]) for c in tree.classes_] for end in ends]
    np.testing.assert_allclose(tree.predict_proba(X), shares)


@EVERY_CRITERION
def test_larger_table_grows_the_naive_tree(criterion):
    rng = np.random.default_rng(3)
    rows = [
        {"a": a, "b": b, "c": c, "d": d, "e": e}
        for a, b, c, d, e in zip(
            rng.choice([*"pqrstu"], 400).tolist(),
            rng.integers(0, 9, 400).tolist(),
            rng.choice(["x", "y", None], 400).tolist(),
            rng.integers(0, 2, 400).tolist(),
            rng.integers(0, 30, 400).tolist(),
            strict=True,
        )
    ]
    y = [int((row["b"] > 4) + (row["a"] in "pq") + (rng.random() < 0.2)) for row in rows]
    tree = id3(criterion).fit(as_frame(rows), y)
    assert tree.n_nodes_ > 300  # the arrays have grown more than once
    assert assert_is_naive(tree, naive.grow(rows, y, criterion)) == tree.n_nodes_


@pytest.mark.parametrize("index", [plain_gini, numba.njit(plain_gini)], ids=["python", "njit"])
def test_own_index_equal_to_gini_grows_the_gini_tree(index):
    X, y = mushrooms(150)
    tree, own = MultiwayTreePredictor("gini").fit(X, y), MultiwayTreePredictor(index).fit(X, y)
    np.testing.assert_allclose(own.nodes_["gain"], tree.nodes_["gain"], atol=1e-12)
    own.nodes_["gain"] = tree.nodes_["gain"]
    assert_same_tree(own, tree)


def test_index_without_a_finite_value_is_refused():
    with pytest.raises(
        ValueError, match="MultiwayTreePredictor: criterion returned nan for the class counts"
    ):
        MultiwayTreePredictor(lambda counts: math.nan).fit([[0], [1]], [0, 1])


@EVERY_CRITERION
@settings(max_examples=30)
@given(table=tables(), data=st.data())
def test_names_of_the_categories_do_not_change_the_tree(criterion, table, data):
    """The gains' terms are then summed in another order, which must not decide between tied columns."""
    rows, y = table
    codes = as_frame(rows).apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0])
    order = data.draw(st.permutations(range(6)))
    tree = id3(criterion).fit(codes, y)
    renamed = id3(criterion).fit(codes.map(lambda v: order[v]), y)
    for field in ("feature", "n_samples", "label", "depth"):
        assert sorted(tree.nodes_[field]) == sorted(renamed.nodes_[field])
    every = pd.DataFrame(itertools.product(*(codes[c].unique() for c in codes)), columns=codes.columns)
    assert renamed.predict(every.map(lambda v: order[v])).tolist() == tree.predict(every).tolist()


# What the lectures say


def test_restaurant_tree_asks_for_patrons_first_and_fits_all_twelve_rows():
    table = load_restaurant()
    tree = MultiwayTreePredictor().fit(table.data, table.target)
    assert tree.score(table.data, table.target) == 1.0
    assert tree.to_text() == "\n".join([
        "Patrons = 'None' → no  (2 samples)",
        "Patrons = 'Some' → yes  (4 samples)",
        "Patrons = 'Full':",
        "  Hungry = False → no  (2 samples)",
        "  Hungry = True:",
        "    Type = 'Burger' → yes  (1 sample)",
        "    Type = 'French' → no  (no samples: its parent's majority)",
        "    Type = 'Italian' → no  (1 sample)",
        "    Type = 'Thai':",
        "      Fri/Sat = False → no  (1 sample)",
        "      Fri/Sat = True → yes  (1 sample)",
    ])  # fmt: skip
    assert tree.nodes_["gain"][0] == pytest.approx(0.541, abs=5e-4)
    assert (tree.depth_, tree.n_nodes_, tree.n_leaves_) == (4, 12, 8)


@EVERY_CRITERION
def test_every_criterion_fits_the_restaurant_and_the_weather(criterion):
    for table in (load_restaurant(), load_weather(), load_weather(numeric=True)):
        tree = MultiwayTreePredictor(criterion).fit(table.data, table.target)
        assert tree.score(table.data, table.target) == 1.0


def test_weather_tree_is_the_textbooks():
    table = load_weather()
    assert MultiwayTreePredictor().fit(table.data, table.target).to_text() == "\n".join([
        "outlook = 'sunny':",
        "  humidity = 'high' → no  (3 samples)",
        "  humidity = 'normal' → yes  (2 samples)",
        "outlook = 'overcast' → yes  (4 samples)",
        "outlook = 'rainy':",
        "  windy = False → yes  (3 samples)",
        "  windy = True → no  (2 samples)",
    ])  # fmt: skip


def test_golf_tree_asks_for_the_wind():
    table = load_golf()
    tree = MultiwayTreePredictor().fit(table.data, table.target)
    assert tree.n_nodes_ == 3
    assert tree.nodes_["gain"][0] == pytest.approx(0.971, abs=5e-4)
    assert tree.feature_importances_.tolist() == [0.0, 0.0, 1.0]


def test_gain_ratio_does_not_fall_for_a_column_that_numbers_the_rows():
    X, y = [[row, row % 2] for row in range(8)], [0, 1] * 4
    assert id3().fit(X, y).nodes_["feature"][0] == 0  # both gain one bit: the first
    root = id3("gain_ratio").fit(X, y).nodes_[0]
    assert (root["feature"], root["gain"]) == (1, 1.0)


def test_gain_ratio_of_the_weather_is_the_textbooks():
    """Gain and ratio of outlook are 0.247 and 0.156 there; a column that numbers the days has 0.247."""
    table = load_weather()
    tree = id3("gain_ratio", max_depth=1)
    assert tree.fit(table.data[["outlook"]], table.target).nodes_["gain"][0] == pytest.approx(0.156, abs=5e-4)
    days = tree.fit(np.arange(14)[:, None], table.target)
    assert days.nodes_["gain"][0] == pytest.approx(0.940 / math.log2(14), abs=5e-4)


@settings(max_examples=60)
@given(table=tables(), criterion=st.sampled_from(list(MULTIWAY_CRITERIA)))
def test_node_without_attributes_left_takes_the_majority(table, criterion):
    rows, y = table
    X = as_frame(rows)
    tree = id3(criterion).fit(X, y)
    ends = tree.apply(X)
    for leaf in np.flatnonzero(tree.nodes_["feature"] < 0):
        inside = [
            (tuple(map(str, row.values())), label)
            for row, label, end in zip(rows, y, ends, strict=True)
            if end == leaf
        ]
        event("impure leaf" if len({label for _, label in inside}) > 1 else "pure or empty leaf")
        if len({label for _, label in inside}) > 1:
            assert len({row for row, _ in inside}) == 1
            assert tree.classes_[tree.nodes_["label"][leaf]] == naive.majority([c for _, c in inside])


@settings(max_examples=60)
@given(table=tables(), criterion=st.sampled_from(list(MULTIWAY_CRITERIA)))
def test_empty_leaf_takes_its_parents_majority(table, criterion):
    rows, y = table
    tree = id3(criterion).fit(as_frame(rows), y)
    for inner in np.flatnonzero(tree.nodes_["feature"] >= 0):
        n_children = tree.condition(inner).n_outcomes
        children = tree.nodes_["first_child"][inner] + np.arange(n_children)
        counts = tree.class_counts_[children]
        np.testing.assert_array_equal(counts.sum(axis=0), tree.class_counts_[inner])
        empty = children[tree.nodes_["n_samples"][children] == 0]
        event(f"empty children: {len(empty)}")
        assert n_children - len(empty) >= 2
        assert (tree.nodes_["label"][empty] == tree.nodes_["label"][inner]).all()
        assert (tree.nodes_["feature"][empty] == -1).all()


@EVERY_CRITERION
def test_every_boolean_function_of_up_to_three_variables_has_its_tree(criterion):
    """All functions of one variable are among those of two, and so on; four follow below."""
    X = np.array(list(itertools.product([0, 1], repeat=3)))
    for y in itertools.product([0, 1], repeat=8):
        assert MultiwayTreePredictor(criterion).fit(X, y).predict(X).tolist() == list(y)


@pytest.mark.slow
def test_every_boolean_function_of_four_variables_has_its_tree():
    """Straight to the kernels: 65,536 tables would spend their time being validated."""
    codes = np.array(list(itertools.product([0, 1], repeat=4)), np.int32).T.copy()
    limits = _grow_multiway.Settings(MULTIWAY_CRITERIA["information"])
    functions = (np.arange(2**16)[:, None] >> np.arange(16) & 1).astype(np.int32)
    sizes, ones, wrong = np.full(4, 2), np.ones(16), 0
    uncut, values = np.full(4, _grow_multiway.BY_VALUE), np.zeros((4, 1))
    for y in functions:
        nodes, _, _ = _grow_multiway.grow(codes, sizes, uncut, values, y.copy(), ones.copy(), 2, limits)
        found = _grow_multiway.find_nodes(nodes, np.full(len(nodes), -1, np.int32), uncut, codes)
        wrong += (nodes["label"][found] != y).any()
    assert wrong == 0
