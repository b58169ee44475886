"""MultiwayTreePredictor: ID3 and C4.5 against the naive tree, what the lectures say, and readouts."""

import itertools
import math

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from studylib.datasets import load_restaurant, load_weather
from studylib.trees import MULTIWAY_CRITERIA, MultiwayTreePredictor, ValueCondition, entropy
from tests.estimator_checks import parametrize_with_checks
from tests.naive import multiway as naive
from tests.trees.support import EVERY_CRITERION, assert_same_tree, mushrooms, plain_gini


def id3(*given, **named):
    """A branch for each value, of numbers, too."""
    return MultiwayTreePredictor(*given, numeric="categories", **named)


@parametrize_with_checks(
    [
        MultiwayTreePredictor(),
        MultiwayTreePredictor("gain_ratio", max_depth=4, min_samples_split=3, laplace=1.0),
        MultiwayTreePredictor(plain_gini),
        MultiwayTreePredictor(numeric="categories"),
    ]
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


# The naive tree


#: Values of a column, with numbers that are categories and with numbers that are cut.
POOLS = {
    "categories": ["ab", "abc", "dcbae", (0, 1), (3, -1, 2, 7)],
    "threshold": ["abc", (0.0, 1.0), (3.5, -1.0, 2.0, 7.25), tuple(map(float, range(9)))],
}


@st.composite
def tables(draw, numeric):
    """Rows (dicts) of categories and numbers with missing entries, and a label each."""
    n, d = draw(st.integers(1, 25)), draw(st.integers(1, 4))
    columns = {}
    for j in range(d):
        pool, gaps = draw(st.sampled_from(POOLS[numeric])), [None] * draw(st.sampled_from([0, 0, 1, 3]))
        columns[f"column {j}"] = draw(st.lists(st.sampled_from([*pool, *gaps]), min_size=n, max_size=n))
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return rows, draw(st.lists(st.sampled_from("xyz"[: draw(st.integers(1, 3))]), min_size=n, max_size=n))


def numeric_columns(rows):
    """The columns without strings: one that is missing throughout holds numbers, too."""
    return [c for c in rows[0] if not any(isinstance(row[c], str) for row in rows)]


def as_frame(rows, numeric):
    """Numbers as a float column, everything else as objects."""
    columns = {c: [row[c] for row in rows] for c in rows[0]}
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
    condition = tree.condition(at)
    if expected["threshold"] is None:
        assert math.isnan(node["value"])
        assert [None if pd.isna(v) else v for v in condition.values] == list(expected["children"])
    else:
        assert node["value"] == condition.threshold == expected["threshold"]
    assert condition.n_outcomes == len(expected["children"])
    children = enumerate(expected["children"].values(), start=node["first_child"])
    return 1 + sum(assert_is_naive(tree, child, k) for k, child in children)


@EVERY_CRITERION
@pytest.mark.parametrize("numeric", POOLS)
@settings(max_examples=60)
@given(
    max_depth=st.sampled_from([None, None, 0, 1, 2, 3]),
    least=st.sampled_from([2, 2, 4]),
    in_leaf=st.sampled_from([1, 1, 2, 3]),
    data=st.data(),
)
def test_table_grows_the_naive_tree(criterion, numeric, max_depth, least, in_leaf, data):
    rows, y = data.draw(tables(numeric))
    numbers = numeric_columns(rows)
    limits = {"min_samples_split": least, "min_samples_leaf": in_leaf}
    tree = MultiwayTreePredictor(criterion, numeric=numeric, max_depth=max_depth, **limits)
    tree.fit(as_frame(rows, numbers), y)
    limits |= {"max_depth": math.inf if max_depth is None else max_depth}
    expected = naive.grow(rows, y, criterion, cut=numbers if numeric == "threshold" else (), **limits)
    assert assert_is_naive(tree, expected) == tree.n_nodes_ == len(tree.nodes_)
    event(f"depth {tree.depth_}, cuts: {min(3, int((~np.isnan(tree.nodes_['value'])).sum()))}")
    # Combinations of values that no row has, numbers between and beyond, missing ones, a new category.
    new = [{c: data.draw(st.sampled_from([row[c] for row in rows])) for c in rows[0]} for _ in range(4)]
    for column in rows[0]:
        strange = [-99.0, 0.75, 3.0, 5.5, 99.0, None] if column in numbers else ["new", None]
        new += [{**new[0], column: value} for value in strange]
    ends = [naive.end(expected, row) for row in [*rows, *new]]
    X = as_frame([*rows, *new], numbers)
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
    tree = id3(criterion).fit(as_frame(rows, numeric_columns(rows)), y)
    assert tree.n_nodes_ > 300  # the arrays have grown more than once
    assert assert_is_naive(tree, naive.grow(rows, y, criterion)) == tree.n_nodes_


@pytest.mark.parametrize("index", [plain_gini, numba.njit(plain_gini)], ids=["python", "njit"])
def test_own_index_equal_to_gini_grows_the_gini_tree(index):
    X, y = mushrooms(150)
    tree, custom = MultiwayTreePredictor("gini").fit(X, y), MultiwayTreePredictor(index).fit(X, y)
    np.testing.assert_allclose(custom.nodes_["gain"], tree.nodes_["gain"], atol=1e-12)
    custom.nodes_["gain"] = tree.nodes_["gain"]
    assert_same_tree(custom, tree)


def test_index_without_a_finite_value_is_refused():
    with pytest.raises(
        ValueError, match="MultiwayTreePredictor: criterion returned nan for the class counts"
    ):
        MultiwayTreePredictor(lambda counts: math.nan).fit([[0], [1]], [0, 1])


@EVERY_CRITERION
@settings(max_examples=30)
@given(table=tables("categories"), data=st.data())
def test_names_of_the_categories_do_not_change_the_tree(criterion, table, data):
    """The gains' terms are then summed in another order, which must not decide between tied columns."""
    rows, y = table
    frame = as_frame(rows, numeric_columns(rows))
    codes = frame.apply(lambda column: pd.factorize(column, use_na_sentinel=False)[0])
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


def test_gain_ratio_of_the_weather_is_the_textbooks():
    """Gain and ratio of outlook are 0.247 and 0.156 there; a column that numbers the days has 0.247."""
    table = load_weather()
    tree = id3("gain_ratio", max_depth=1)
    assert tree.fit(table.data[["outlook"]], table.target).nodes_["gain"][0] == pytest.approx(0.156, abs=5e-4)
    days = tree.fit(np.arange(14)[:, None], table.target)
    assert days.nodes_["gain"][0] == pytest.approx(0.940 / math.log2(14), abs=5e-4)


# Missing and unseen values, and readouts


def test_unseen_value_ends_at_the_node_that_asks_for_it():
    X = pd.DataFrame({"cap": ["flat", "bell", "bell", "round"], "size": [1, 1, 2, 2]})
    tree = MultiwayTreePredictor(numeric="categories").fit(X, ["good", "bad", "bad", "good"])
    new = pd.DataFrame({"cap": ["spiky", "bell", None], "size": [1, 77, 1]})
    assert tree.apply(new).tolist() == [0, 1, 0]
    assert tree.predict(new).tolist() == ["bad", "bad", "bad"]
    np.testing.assert_array_equal(tree.predict_proba(new), [[0.5, 0.5], [1.0, 0.0], [0.5, 0.5]])
    assert tree.explain(new.iloc[0]) == "1. cap has a value that is new\n→ bad  (4 samples, 50.0% of them)"


def test_missing_is_a_value_of_its_own_behind_the_others():
    X = pd.DataFrame({"ring": ["large", None, "large", None], "width": [1.0, 2.0, np.nan, np.nan]})
    tree = MultiwayTreePredictor().fit(X, [0, 1, 0, 1])
    assert tree.to_text() == "ring = 'large' → 0  (2 samples)\nring is missing → 1  (2 samples)"
    tree = MultiwayTreePredictor(numeric="categories").fit(X[["width"]], [0, 1, 1, 1])
    assert tree.apply(X[["width"]]).tolist() == [1, 2, 3, 3]
    assert tree.explain(X[["width"]].iloc[2]) == "1. width is missing\n→ 1  (2 samples)"
    tree = MultiwayTreePredictor(numeric="categories").fit(X[["width"]].to_numpy(), [0, 1, 1, 1])
    assert tree.apply([[2.0], [np.nan], [7.0]]).tolist() == [2, 3, 0]


def test_laplace_adds_to_every_class():
    tree = MultiwayTreePredictor(laplace=1.0, numeric="categories").fit([[0], [0], [0], [1]], [0, 0, 0, 1])
    np.testing.assert_allclose(
        tree.predict_proba([[0], [1], [2]]), [[4 / 5, 1 / 5], [1 / 3, 2 / 3], [4 / 6, 2 / 6]]
    )


def test_importances_are_the_gains_shares():
    X, y = mushrooms(100)
    for criterion in MULTIWAY_CRITERIA:
        tree = MultiwayTreePredictor(criterion).fit(X, y)
        assert tree.feature_importances_.sum() == pytest.approx(1.0)
        assert (tree.feature_importances_ >= 0).all()
    # With the information gain the sum of n · gain is what all splits together took from the root's entropy.
    tree = MultiwayTreePredictor().fit(X, y)
    leaves = pd.Series(y).groupby(tree.apply(X))
    left = sum(len(labels) * entropy(labels) for _, labels in leaves)
    taken = (tree.nodes_["gain"] * tree.nodes_["n_samples"]).sum()
    assert taken == pytest.approx(100 * entropy(y) - left)


def test_value_condition_numbers_its_values():
    condition = ValueCondition(("a", 2.0, math.nan))
    assert condition.n_outcomes == 3
    assert [condition.test(v) for v in ("a", 2, None, "b")] == [0, 1, 2, -1]
    assert [condition.describe("x", k) for k in range(3)] == ["x = 'a'", "x = 2", "x is missing"]


def test_numbers_that_are_not_whole_are_refused_on_request():
    X = pd.DataFrame({"whole": [1.0, 2.0, np.nan], "height": [1.0, 2.5, 3.0]})
    with pytest.raises(
        ValueError, match="column 'height' holds 2.5, but with numeric='refuse' numbers must be whole"
    ):
        MultiwayTreePredictor(numeric="refuse").fit(X, [0, 1, 0])
    assert MultiwayTreePredictor(numeric="refuse").fit(X[["whole"]], [0, 1, 0]).n_nodes_ == 4
    assert MultiwayTreePredictor(numeric="categories").fit(X, [0, 1, 0]).n_nodes_ == 4


def test_what_is_not_in_the_tree_cannot_be_asked():
    X = pd.DataFrame({"cap": ["flat", "bell"]})
    tree = MultiwayTreePredictor().fit(X, [0, 1])
    with pytest.raises(ValueError, match="MultiwayTreePredictor: explain takes one sample, got 2"):
        tree.explain(X)
    with pytest.raises(IndexError, match="MultiwayTreePredictor: there is no node 9, only 0 to 2"):
        tree.condition(9)
