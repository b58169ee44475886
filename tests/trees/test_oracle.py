"""TreePredictor against the naive tree: equal node by node, to the last bit of every gain."""

import math

import numba
import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from studylib.trees import (
    CRITERIA,
    EqualityCondition,
    MembershipCondition,
    ThresholdCondition,
    TreePredictor,
    _gains,
)
from studylib.trees.criteria import source_form
from tests.naive import tree as naive
from tests.trees.support import BOTH_MODES_ONE_QUICK, plain_gini
from tests.trees.support import assert_same_tree as assert_same_fit

TINY = 5e-324  # the smallest positive double
POOLS_OF_NUMBERS = (
    (1.0,),
    (0.0, 1.0),
    (-2.0, -1.0, 0.0, 1.0, 2.5, 4.0),
    (-0.0, 0.0, TINY, 2 * TINY, 3 * TINY, -TINY, -2 * TINY, 2.2250738585072014e-308),
    (1.0, math.nextafter(1, 2), math.nextafter(1, 0), math.nextafter(math.nextafter(1, 2), 2)),
    (-1.7976931348623157e308, -1e308, 1e308, 1.7e308, 1.7976931348623157e308, 0.0, 1e-300),
    (0.1, 0.2, 0.3, 1 / 3, 1e-5, -7.25, 123456.789, 1e9, 2.0**53),
)
CATEGORIES = ("a", "b", "B", "", "10x", "9x", "é", "a ")
NAMES_OF_CRITERIA = tuple(CRITERIA)


@st.composite
def columns(draw, n):
    """Raw values of one column, and whether it is categorical."""
    categorical = draw(st.booleans())
    if categorical:
        pool = list(CATEGORIES[: draw(st.integers(1, len(CATEGORIES)))])
    else:
        pool = list(draw(st.sampled_from(POOLS_OF_NUMBERS)))
    if draw(st.integers(0, 2)) == 0:
        pool += [None if categorical else math.nan] * draw(st.integers(1, 3))
    if draw(st.integers(0, 24)) == 0:
        pool = [None if categorical else math.nan]
    return draw(st.lists(st.sampled_from(pool), min_size=n, max_size=n)), categorical


@st.composite
def tables(draw, max_rows=24):
    """Raw rows, the class index of each, and the indices of the categorical columns."""
    n = draw(st.one_of(st.integers(1, 6), st.integers(7, max_rows)))
    drawn = [draw(columns(n)) for _ in range(draw(st.integers(1, 4)))]
    rows = [list(row) for row in zip(*(values for values, _ in drawn), strict=True)]
    n_classes = draw(st.integers(1, 4))
    y = draw(st.lists(st.integers(0, n_classes - 1), min_size=n, max_size=n))
    # Duplicates of a row, whatever their labels.
    for source, target in draw(st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=3)):
        rows[target] = list(rows[source])
    # Class indices without gaps, as np.unique would number them.
    y = [sorted(set(y)).index(label) for label in y]
    known = [any(not naive.is_missing(row[j]) for row in rows) for j in range(len(drawn))]
    # A column without a value is no category.
    return rows, y, {j for j, (_, categorical) in enumerate(drawn) if categorical and known[j]}


@st.composite
def limits(draw):
    """Growth limits, most of them absent."""

    def maybe(strategy):
        return draw(st.one_of(st.none(), st.none(), strategy))

    wanted = {
        "max_depth": maybe(st.integers(1, 6)),
        "max_leaf_nodes": maybe(st.integers(1, 8)),
        "max_nodes": maybe(st.integers(1, 12)),
        "min_samples_split": maybe(st.integers(2, 8)),
        "min_samples_leaf": maybe(st.integers(1, 5)),
        "min_weight_fraction_leaf": maybe(st.sampled_from([0.0625, 0.125, 0.25, 0.5])),
        "min_impurity_decrease": maybe(st.sampled_from([1e-9, 0.0321, 0.1234, 0.4567])),
        "min_entropy": maybe(st.sampled_from([0.25, 0.5, 0.8112781244591328, 1.0, 1.5])),
    }
    return {name: value for name, value in wanted.items() if value is not None}


def as_frame(rows, categorical):
    """Raw rows as a frame of float64 and object columns."""
    return pd.DataFrame(
        {
            f"column {j}": pd.Series([row[j] for row in rows], dtype=object if j in categorical else float)
            for j in range(len(rows[0]))
        }
    )


def raw_condition(condition):
    """A condition object in the notation of the naive tree."""
    if isinstance(condition, ThresholdCondition):
        return ("known", None) if condition.threshold == math.inf else ("<=", condition.threshold)
    if isinstance(condition, MembershipCondition):
        (value,) = condition.values
    else:
        assert isinstance(condition, EqualityCondition)
        value = condition.value
    return ("missing", None) if naive.is_missing(value) else ("=", value)


def assert_same_tree(tree, expected, raw=raw_condition):
    """Every field of every node; floats bit for bit (0.0 and -0.0 count as equal)."""
    assert tree.n_nodes_ == len(tree.nodes_) == len(expected)
    assert tree.depth_ == max(node.depth for node in expected) + tree.source_compatible
    assert tree.n_leaves_ == sum(node.children is None for node in expected)
    for i, node in enumerate(expected):
        record = tree.nodes_[i]
        assert record["depth"] == node.depth
        assert record["n_samples"] == node.n_samples
        assert record["label"] == node.label
        assert tree.class_counts_[i].tolist() == node.counts
        if node.children is None:
            assert (record["feature"], record["first_child"], record["gain"]) == (-1, -1, 0.0)
            assert math.isnan(record["value"])
            assert tree.condition(i) is None
        else:
            assert (record["feature"], record["first_child"]) == (node.column, node.children[0])
            assert raw is None or raw(tree.condition(i)) == node.condition
            assert record["gain"] == node.gain


def assert_same_routing(tree, expected, rows, categorical):
    leaves = [naive.find_leaf(expected, row) for row in rows]
    X = as_frame(rows, categorical)
    assert tree.apply(X).tolist() == leaves
    assert tree.predict(X).tolist() == [tree.classes_[expected[leaf].label] for leaf in leaves]
    shares = [[c / sum(expected[leaf].counts) for c in expected[leaf].counts] for leaf in leaves]
    assert tree.predict_proba(X).tolist() == shares


def mixed_up_rows(rows, categorical):
    """New rows for prediction: every column rotated on its own, then odd values in each column in turn."""
    n, d = len(rows), len(rows[0])
    moved = [[rows[(i + j + 1) % n][j] for j in range(d)] for i in range(n)]
    odd = []
    for j in range(d):
        strange = ["never seen", None] if j in categorical else [math.nan, -1e300, 1e300, 0.5]
        odd += [[*rows[0][:j], value, *rows[0][j + 1 :]] for value in strange]
    return moved + odd


def grow_both(rows, y, categorical, criterion, source, by_equality, limits, weights=None):
    tree = TreePredictor(
        criterion,
        source_compatible=source,
        continuous_condition="equality" if by_equality else "threshold",
        **limits,
    ).fit(as_frame(rows, categorical), y, sample_weight=weights)
    expected = naive.grow(
        rows,
        y,
        categorical,
        criterion,
        weights=weights,
        numbers_by_equality=by_equality,
        source=source,
        **limits,
    )
    return tree, expected


@BOTH_MODES_ONE_QUICK
@pytest.mark.parametrize("criterion", NAMES_OF_CRITERIA)
@settings(max_examples=60)
@given(table=tables(), by_equality=st.booleans(), limits=limits())
def test_mixed_table_grows_the_naive_tree(criterion, source, table, by_equality, limits):
    rows, y, categorical = table
    tree, expected = grow_both(rows, y, categorical, criterion, source, by_equality, limits)
    event(f"nodes: {min(len(expected), 9)}")
    assert_same_tree(tree, expected)
    assert_same_routing(tree, expected, [*rows, *mixed_up_rows(rows, categorical)], categorical)


@settings(max_examples=80)
@given(
    table=tables(),
    criterion=st.sampled_from(NAMES_OF_CRITERIA),
    source=st.booleans(),
    limits=limits(),
    data=st.data(),
)
def test_weighted_table_grows_the_naive_tree(table, criterion, source, limits, data):
    rows, y, categorical = table
    # Binary fractions: their sums are exact in any order.
    weights = data.draw(
        st.lists(st.sampled_from([0.25, 0.5, 1.0, 3.0, 1024.0]), min_size=len(y), max_size=len(y))
    )
    tree, expected = grow_both(rows, y, categorical, criterion, source, False, limits, weights)
    assert_same_tree(tree, expected)


@pytest.mark.slow
@BOTH_MODES_ONE_QUICK
@pytest.mark.parametrize("criterion", NAMES_OF_CRITERIA)
@pytest.mark.parametrize("by_equality", [False, True], ids=["threshold", "equality"])
def test_larger_mixed_table_grows_the_naive_tree(criterion, source, by_equality):
    rng = np.random.default_rng(5)
    n = 150
    numbers = rng.normal(size=n)
    few = rng.integers(0, 12, n) / 7
    few[rng.random(n) < 0.2] = np.nan
    letters = rng.choice([*"abcdefgh", None], n)
    y = (numbers + (letters == "a") + rng.normal(size=n) > 0.5) + 2 * (rng.random(n) < 0.2)
    y = [sorted(set(y.tolist())).index(label) for label in y.tolist()]
    rows = [list(row) for row in zip(letters, numbers.tolist(), few.tolist(), strict=True)]
    tree, expected = grow_both(rows, y, {0}, criterion, source, by_equality, {})
    assert len(expected) > 10
    assert_same_tree(tree, expected)
    assert_same_routing(tree, expected, rows, {0})
    assert_same_routing(tree, expected, mixed_up_rows(rows, {0}), {0})


@pytest.mark.parametrize("condition", ["membership", "equality"])
def test_categorical_condition_changes_the_words_but_not_the_tree(condition):
    rows = [["a"], ["b"], [None], ["c"], ["b"], ["a"], [None], ["d"]]
    y = [0, 1, 2, 0, 1, 1, 2, 2]
    tree = TreePredictor("gini", categorical_condition=condition).fit(as_frame(rows, {0}), y)
    assert_same_tree(tree, naive.grow(rows, y, {0}, "gini"))
    kind = MembershipCondition if condition == "membership" else EqualityCondition
    assert {type(tree.condition(i)) for i in range(tree.n_nodes_)} == {kind, type(None)}


@settings(max_examples=60)
@given(table=tables(), source=st.booleans(), by_equality=st.booleans(), limits=limits())
def test_python_index_equal_to_gini_grows_the_gini_tree(table, source, by_equality, limits):
    rows, y, categorical = table
    X = as_frame(rows, categorical)
    tree = TreePredictor(
        "gini",
        source_compatible=source,
        continuous_condition="equality" if by_equality else "threshold",
        **limits,
    )
    custom = TreePredictor(**{**tree.get_params(), "criterion": plain_gini})
    assert_same_fit(custom.fit(X, y), tree.fit(X, y))


@pytest.mark.parametrize("index", [plain_gini, numba.njit(plain_gini)], ids=["python", "njit"])
@pytest.mark.parametrize("max_features", [None, 1])
def test_own_index_equal_to_gini_grows_the_gini_tree_with_drawn_columns_too(index, max_features):
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.integers(0, 6, (80, 4)).astype(float), columns=list("pqrs"))
    X["c"] = rng.choice(["u", "v", "w"], 80)
    y = rng.integers(0, 3, 80)
    gini = TreePredictor("gini", max_features=max_features, random_state=4).fit(X, y)
    custom = TreePredictor(index, max_features=max_features, random_state=4).fit(X, y)
    assert gini.n_nodes_ > 50
    assert_same_fit(custom, gini)


@pytest.mark.parametrize("index", [plain_gini, numba.njit(plain_gini)], ids=["python", "njit"])
def test_own_index_splits_at_zero_gain_by_default_but_not_in_source_compatible_mode(index):
    X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0]
    assert TreePredictor(index).fit(X, y).n_nodes_ == 7
    assert TreePredictor(index, source_compatible=True).fit(X, y).n_nodes_ == 1


@pytest.mark.parametrize("compiled", [False, True], ids=["python", "njit"])
@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_index_without_a_finite_value_is_refused(compiled, value):
    def index(counts):
        return value

    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    message = "TreePredictor: criterion returned .* an impurity must return a finite number"
    with pytest.raises(ValueError, match=message):
        TreePredictor(numba.njit(index) if compiled else index).fit(X, y)


def test_index_that_fails_on_one_side_only_is_refused():
    def index(counts):
        return math.nan if min(counts) == 0 else 0.0

    with pytest.raises(ValueError, match="criterion returned nan for the class counts"):
        TreePredictor(index).fit([[1.0], [2.0], [3.0], [4.0]], [0, 1, 0, 1])


@settings(max_examples=80)
@given(
    table=tables(),
    criterion=st.sampled_from(NAMES_OF_CRITERIA),
    source=st.booleans(),
    by_equality=st.booleans(),
    data=st.data(),
)
def test_gain_of_a_node_is_the_formula_on_its_childrens_counts(table, criterion, source, by_equality, data):
    """With decimal weights: a class that has left one side must not linger there as a rounding error."""
    rows, y, categorical = table
    weights = data.draw(
        st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.7, 1.1]), min_size=len(y), max_size=len(y))
    )
    tree, _ = grow_both(rows, y, categorical, criterion, source, by_equality, {}, weights)
    for node, counts in zip(tree.nodes_, tree.class_counts_.tolist(), strict=True):
        if node["feature"] >= 0:
            false, true = tree.class_counts_[node["first_child"] : node["first_child"] + 2].tolist()
            expected = naive.gain(criterion, counts, false, true, source)
            assert node["gain"] == pytest.approx(expected, rel=1e-9, abs=1e-7)


@pytest.mark.parametrize("source", [False, True])
@pytest.mark.parametrize("criterion", NAMES_OF_CRITERIA)
def test_gains_of_many_splits_of_a_node_are_the_formula_on_each(criterion, source):
    code = source_form(CRITERIA[criterion]) if source else CRITERIA[criterion]
    rng = np.random.default_rng(0)
    parent = np.array([7.0, 5.0, 9.0])
    true = rng.integers(1, [7, 5, 9], (8, 3)).astype(float)  # some of each class on either side
    false = parent - true
    gains = _gains.split_gains(
        code, parent, parent.sum(), _gains.impurity(code, parent, parent.sum()), false, true
    )
    expected = [
        naive.gain(criterion, parent.tolist(), *sides, source)
        for sides in zip(false.tolist(), true.tolist(), strict=True)
    ]
    assert gains == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("criterion", ["misclassification", "chi_square"])
def test_rounding_of_decimal_weights_leaves_no_ghost_of_a_class_in_source_compatible_mode(criterion):
    """0.3 + 0.2 + 0.1 is not 0.1 + 0.2 + 0.3; the source's forms ask which classes are present."""
    X, y, weights = [[3.0], [2.0], [1.0], [10.0]], [0, 0, 0, 1], [0.1, 0.2, 0.3, 1.0]
    tree = TreePredictor(criterion, source_compatible=True).fit(X, y, sample_weight=weights)
    expected = naive.grow(X, y, set(), criterion, weights=weights, source=True)
    assert tree.nodes_["value"][0] == expected[0].condition[1]
    assert tree.nodes_["gain"][0] == pytest.approx(expected[0].gain)
