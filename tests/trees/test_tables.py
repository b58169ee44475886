"""Tables of every kind: frames, arrays, lists, missing and new values."""

import math
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score

from studylib.trees import (
    AdaBoostClassifier,
    MembershipCondition,
    MultiwayTreePredictor,
    ThresholdCondition,
    TreePredictor,
)
from tests.trees.support import assert_same_tree, mushrooms

# Tables


def test_fitted_tree_survives_pickling_and_cloning_forgets_it():
    X, y = mushrooms()
    tree = TreePredictor("gini", max_depth=5).fit(X, y)
    back = pickle.loads(pickle.dumps(tree))
    assert_same_tree(tree, back)
    assert back.predict(X).tolist() == tree.predict(X).tolist()
    assert back.to_text() == tree.to_text()
    copy = clone(tree)
    assert copy.get_params() == tree.get_params()
    with pytest.raises(NotFittedError):
        copy.predict(X)


def test_fit_leaves_its_arguments_alone():
    X, y = mushrooms()
    weights = np.arange(1.0, 61)
    X_before, y_before = X.copy(deep=True), y.copy()
    tree = TreePredictor()
    before = tree.get_params()
    tree.fit(X, y, sample_weight=weights).predict(X)
    pd.testing.assert_frame_equal(X, X_before)
    assert y.tolist() == y_before.tolist()
    assert weights.tolist() == list(range(1, 61))
    assert tree.get_params() == before


def test_set_params_after_fit_changes_no_fitted_condition():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    text = tree.to_text()
    tree.set_params(continuous_condition="equality", categorical_condition="equality")
    assert tree.to_text() == text


def test_works_in_cross_validation_and_grid_search_over_a_mixed_frame():
    X, y = mushrooms()
    assert cross_val_score(TreePredictor(), X, y, cv=3, error_score="raise").shape == (3,)
    grid = {"max_depth": [1, 3], "criterion": ["gini", "information"]}
    search = GridSearchCV(TreePredictor(), grid, cv=2, error_score="raise").fit(X, y)
    assert set(search.best_params_) == set(grid)


def test_unfitted_tree_says_so():
    tree = TreePredictor()
    for call in (
        lambda: tree.predict([[1.0]]),
        lambda: tree.predict_proba([[1.0]]),
        lambda: tree.apply([[1.0]]),
        lambda: tree.condition(0),
        lambda: tree.to_text(),
        lambda: tree.explain([1.0]),
    ):
        with pytest.raises(NotFittedError):
            call()


def test_columns_in_another_order_or_of_another_name_are_refused():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    assert tree.feature_names_in_.tolist() == list(X)
    with pytest.raises(ValueError, match="must be in the same order"):
        tree.predict(X[list(X)[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time"):
        tree.predict(X.rename(columns={"cap": "hat"}))
    with pytest.raises(ValueError, match="missing"):
        tree.predict(X.drop(columns="cap"))


def test_column_that_changes_its_kind_is_refused_by_name():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    message = "TreePredictor: column 'height' held numbers .* holds text such as 'tall' now"
    with pytest.raises(ValueError, match=message):
        tree.predict(X.assign(height="tall"))
    with pytest.raises(ValueError, match=r"TreePredictor: column 'cap' held categories .* holds numbers now"):
        tree.predict(X.assign(cap=1.0))


def test_array_after_a_mixed_frame_is_refused_by_column():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    with (
        pytest.warns(UserWarning, match="feature names"),
        pytest.raises(ValueError, match="TreePredictor: column 'cap' held categories"),
    ):
        tree.predict(np.ones((2, 4)))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (pd.DataFrame({"a": np.array([], float)}), "TreePredictor: found 0 sample"),
        (pd.DataFrame({"a": pd.Series([], dtype=object)}), "TreePredictor: found 0 sample"),
        (pd.DataFrame(index=range(3)), "TreePredictor: found 0 feature"),
        (np.empty((0, 2)), "Found array with 0 sample"),
        (np.empty((3, 0)), "0 feature"),
        (np.empty((0, 2), object), "TreePredictor: Found array with 0 sample"),
    ],
)
def test_table_without_rows_or_columns_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        TreePredictor().fit(X, np.zeros(len(X)))


def test_prediction_of_no_rows_is_refused():
    X, y = mushrooms()
    with pytest.raises(ValueError, match="TreePredictor: found 0 sample"):
        TreePredictor().fit(X, y).predict(X.iloc[:0])


@pytest.mark.parametrize(
    ("column", "error", "message"),
    [
        (
            pd.to_datetime(["2024-06-01"] * 4),
            TypeError,
            "column 'odd' holds dates or times; make numbers of it, for example",
        ),
        (pd.to_timedelta([1, 2, 3, 4]), TypeError, "column 'odd' holds durations"),
        (
            pd.period_range("2024", periods=4, freq="Y"),
            TypeError,
            "column 'odd' holds periods; make numbers of it",
        ),
        ([1j, 2, 3, 4], TypeError, "column 'odd' holds complex numbers"),
        (["a", 1, "b", 2.5], TypeError, "column 'odd' mixes float, int, str"),
        (pd.Categorical(["a", 1, "b", 2]), TypeError, "column 'odd' mixes int, str"),
        ([[1], [2], [3], [4]], TypeError, "column 'odd' holds a list, but"),
        ([1.0, math.inf, 2.0, 3.0], ValueError, "column 'odd' holds infinity"),
        (
            pd.array([1.0, -math.inf, None, 3.0], dtype="Float64"),
            ValueError,
            "column 'odd' holds infinity",
        ),
    ],
    ids=[
        "datetime",
        "timedelta",
        "period",
        "complex",
        "mixed",
        "mixed-category",
        "list",
        "inf",
        "Float64-inf",
    ],
)
def test_column_that_cannot_be_ordered_is_refused_by_name(column, error, message):
    X = pd.DataFrame({"fine": [1.0, 2, 3, 4], "odd": column})
    with pytest.raises(error, match=f"TreePredictor: .*{message}"):
        TreePredictor().fit(X, [0, 1, 0, 1])


@pytest.mark.parametrize("estimator", [TreePredictor(), MultiwayTreePredictor(), AdaBoostClassifier()])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0, [2]], [3.0, [4]]], "column 1 holds a list, .*; encode it, for example"),
        ([[1.0, {"a": 1}], [3.0, {"a": 2}]], "column 1 holds a dict"),
        (np.array([["2024-06-01"], ["2024-06-02"]], "M8[D]"), "column 0 holds dates or times"),
        ([[1.0, "a"], [2.0, 3]], "column 1 mixes int, str, which cannot be compared; encode it"),
        ([[1.0, 2.0], [1.0, math.inf]], "column 1 holds infinity"),
    ],
)
def test_column_of_an_array_or_list_is_refused_by_its_number(estimator, X, message):
    with pytest.raises((TypeError, ValueError), match=f"^{type(estimator).__name__}: {message}"):
        clone(estimator).fit(X, [0, 1])


def test_names_of_the_columns_are_those_of_text_and_pictures():
    X, y = mushrooms()
    assert TreePredictor().fit(X, y).feature_names_ == list(X)
    assert MultiwayTreePredictor().fit(X.to_numpy(object), y).feature_names_ == ["x0", "x1", "x2", "x3"]
    with pytest.raises(NotFittedError):
        _ = TreePredictor().feature_names_


def test_infinity_is_refused_at_predict_too():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    with pytest.raises(ValueError, match="TreePredictor: column 'height' holds infinity"):
        tree.predict(X.assign(height=math.inf))
    tree = TreePredictor().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="TreePredictor: column 0 holds infinity"):
        tree.predict([[math.inf]])


def test_all_missing_column_is_never_asked():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    for void in (np.nan, None, pd.Series([None] * len(X), dtype="Int64"), pd.Categorical([None] * len(X))):
        other = TreePredictor().fit(X.assign(void=void), y)
        assert_same_tree(tree, other)
        assert other.predict(X.assign(void=void)).tolist() == tree.predict(X).tolist()


def test_missing_number_takes_the_false_branch_of_a_threshold():
    tree = TreePredictor().fit([[1.0], [2.0], [3.0]], [0, 0, 1])
    assert tree.apply([[math.nan], [9.0]]).tolist() == [1, 1]
    assert tree.apply([[1.0]]).tolist() == [2]


def test_missing_number_in_training_can_be_told_from_a_known_one():
    X = [[1.0], [math.nan], [2.0], [math.nan], [3.0]]
    tree = TreePredictor().fit(X, ["known", "gap", "known", "gap", "known"])
    assert (tree.n_nodes_, tree.condition(0)) == (3, ThresholdCondition(math.inf))
    assert tree.predict([[math.nan], [-5.0], [1e300]]).tolist() == ["gap", "known", "known"]


def test_equality_with_a_missing_number_holds_for_missing_numbers():
    """The last candidate of a column with missing values asks "is missing": its rows must end where they began."""
    X = [[1.0], [2.0], [math.nan], [1.0], [2.0], [math.nan]]
    y = ["known", "known", "gap", "known", "known", "gap"]
    tree = TreePredictor(continuous_condition="equality").fit(X, y)
    assert tree.n_nodes_ == 3
    assert math.isnan(tree.condition(0).value)
    assert tree.predict([[1.0], [2.0], [math.nan], [7.0]]).tolist() == ["known", "known", "gap", "known"]


def test_missing_category_is_a_category_behind_the_others():
    X = pd.DataFrame({"ring": ["none", None, "large", None, "none"]})
    tree = TreePredictor().fit(X, ["known", "gap", "known", "gap", "known"])
    assert tree.n_nodes_ == 3
    assert tree.condition(0).test(None) == 1
    assert tree.predict(X).tolist() == ["known", "gap", "known", "gap", "known"]
    assert tree.predict(pd.DataFrame({"ring": ["never seen"]})) == ["known"]


def test_unseen_category_and_a_category_newly_missing_take_the_false_branch():
    X = pd.DataFrame({"cap": ["bell", "flat", "flat"]})
    tree = TreePredictor().fit(X, ["poisonous", "edible", "edible"])
    assert tree.condition(0) == MembershipCondition(("bell",))
    new = pd.DataFrame({"cap": ["sunken", None, "bell"]})
    assert tree.apply(new).tolist() == [1, 1, 2]


@pytest.mark.parametrize("void", [np.nan, None, pd.NA], ids=["nan", "None", "NA"])
def test_batch_whose_values_are_all_missing_has_no_kind_to_complain_about(void):
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    one = X.iloc[[0]].assign(cap="bell", height=1.0, ring=pd.Series([None], dtype=object), width=np.nan)
    expected = tree.predict(one).tolist()
    batch = pd.DataFrame({"cap": ["bell"], "height": [1.0], "ring": [void], "width": [void]})
    assert tree.predict(batch).tolist() == expected


@pytest.mark.parametrize("dtype", ["Float64", "float32", object])
def test_kind_of_missing_value_in_a_number_column_makes_no_difference(dtype):
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    other = X.astype({"width": dtype})
    if dtype is object:  # an array of objects is looked at column by column
        array = other.to_numpy(dtype=object)
        assert_same_tree(TreePredictor().fit(array, y), tree)
    else:
        assert_same_tree(TreePredictor().fit(other, y), tree)
        assert tree.predict(other).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("dtype", ["category", "string", "str", object])
def test_kind_of_category_column_makes_no_difference(dtype):
    X, y = mushrooms()
    X = X.astype({"cap": object, "ring": object})
    tree = TreePredictor().fit(X, y)
    other = X.astype({"cap": dtype, "ring": dtype})
    assert_same_tree(TreePredictor().fit(other, y), tree)
    assert tree.predict(other).tolist() == tree.predict(X).tolist()
    assert TreePredictor().fit(other, y).predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("dtype", ["Int64", "Int8", "int32", "uint8", "float32", "Float64"])
def test_kind_of_integer_column_makes_no_difference(dtype):
    X, y = pd.DataFrame({"a": [3, 1, 2, 1, 3], "b": [0, 0, 1, 1, 1]}), [0, 1, 0, 1, 1]
    tree = TreePredictor().fit(X, y)
    assert_same_tree(TreePredictor().fit(X.astype(dtype), y), tree)
    assert tree.predict(X.astype(dtype)).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize("dtype", [bool, "boolean", int, float])
def test_boolean_column_is_the_number_0_or_1(dtype):
    X, y = pd.DataFrame({"a": [True, False, True, False], "b": [True, True, False, False]}), [1, 0, 0, 0]
    tree = TreePredictor().fit(X, y)
    assert tree.condition(0) == ThresholdCondition(0.5)
    assert_same_tree(TreePredictor().fit(X.astype(dtype), y), tree)


def test_nullable_columns_with_gaps_equal_float_columns_with_nan():
    gaps = pd.DataFrame(
        {"a": [3, None, 2, None, 1], "b": [0.5, 1.5, None, None, 2.5], "c": [1, 0, None, 1, 0]}
    )
    y = [0, 1, 0, 1, 1]
    tree = TreePredictor().fit(gaps, y)
    nullable = gaps.astype({"a": "Int64", "b": "Float64", "c": "boolean"})
    assert_same_tree(TreePredictor().fit(nullable, y), tree)
    assert tree.predict(nullable).tolist() == tree.predict(gaps).tolist()


def test_ordered_categories_are_tried_in_their_own_order():
    values, y = ["high", "low", "high", "low"], [0, 1, 0, 1]
    plain = TreePredictor().fit(pd.DataFrame({"size": pd.Categorical(values)}), y)
    assert plain.condition(0) == MembershipCondition(("high",))
    ordered = pd.Categorical(values, ["low", "middle", "high"], ordered=True)
    tree = TreePredictor().fit(pd.DataFrame({"size": ordered}), y)
    assert tree.condition(0) == MembershipCondition(("low",))
    assert tree.predict(pd.DataFrame({"size": ["low", "middle", "high"]})).tolist() == [1, 0, 0]


def test_order_and_unused_categories_of_a_plain_categorical_make_no_difference():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    odd = X.assign(cap=pd.Categorical(X["cap"], ["zonate", "sunken", "flat", "bell", "acute"]))
    assert_same_tree(TreePredictor().fit(odd, y), tree)
    assert tree.predict(odd.iloc[[5]]) == tree.predict(X.iloc[[5]])
    assert TreePredictor().fit(odd, y).predict(X).tolist() == tree.predict(X).tolist()


def test_categories_may_be_integers():
    values = [10, 9, 2, 10, 9, 2]
    X, y = pd.DataFrame({"code": pd.Categorical(values)}), [0, 1, 0, 0, 1, 0]
    tree = TreePredictor().fit(X, y)
    assert tree.condition(0) == MembershipCondition((9,))
    assert tree.predict(pd.DataFrame({"code": pd.Categorical([9, 2, 77])})).tolist() == [1, 0, 0]
    assert tree.explain(X.iloc[1]).startswith("1. code ∈ {9}")


def test_object_array_equals_the_frame_it_came_from():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    array = X.to_numpy(dtype=object)
    other = TreePredictor().fit(array, y)
    assert_same_tree(tree, other)
    assert other.predict(array).tolist() == tree.predict(X).tolist()
    for i in range(len(X)):  # a row on its own must not change the kind of a column
        assert other.predict(array[i : i + 1]) == tree.predict(X.iloc[[i]])


def test_lists_and_arrays_of_numbers_give_one_tree():
    X, y = [[3, 0.5], [1, 2.5], [2, 0.5], [1, 1.5]], [0, 1, 1, 0]
    tree = TreePredictor().fit(X, y)
    for same in (np.array(X), np.asfortranarray(X), np.array(X, np.float32), np.array(X)[::-1][::-1]):
        assert_same_tree(TreePredictor().fit(same, np.array(y)), tree)
        assert tree.predict(same).tolist() == y
    assert tree.predict(X).tolist() == y


def test_list_of_mixed_rows_equals_its_frame():
    rows, y = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "b"]], [0, 1, 0, 0]
    tree = TreePredictor().fit(rows, y)
    assert_same_tree(tree, TreePredictor().fit(pd.DataFrame(rows, columns=["x0", "x1"]), y))
    assert tree.predict(rows).tolist() == y


@pytest.mark.filterwarnings("ignore:TreePredictor. text is read as categories")
def test_array_of_strings_is_categorical():
    X = np.array([["1", "a"], ["2", "b"], ["10", "a"]])
    tree = TreePredictor().fit(X, [0, 1, 0])
    assert tree.condition(0) == MembershipCondition(("2",))
    assert tree.predict(X).tolist() == [0, 1, 0]


def test_frame_with_an_index_of_its_own_goes_by_position():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y)
    shuffled = X.set_index(np.random.default_rng(0).permutation(len(X)) // 2)
    assert_same_tree(TreePredictor().fit(shuffled, pd.Series(y, index=range(100, 160))), tree)
    assert tree.predict(shuffled).tolist() == tree.predict(X).tolist()


def test_fitting_anew_forgets_the_first_table():
    X, y = mushrooms()
    tree = TreePredictor().fit(X, y).fit([[0.0], [1.0]], [0, 1])
    assert tree.n_features_in_ == 1
    assert not hasattr(tree, "feature_names_in_")
    assert tree.to_text() == "x0 ≤ 0.5 → 0  (1 sample)\nx0 > 0.5 → 1  (1 sample)"
