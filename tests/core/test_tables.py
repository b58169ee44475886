"""What is said of a table that is not one of finite numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from studylib.core.tables import check_classification_targets, feature_names, new_table, training_table

Y = [0, 1, 0, 1]


class Oak(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.X_, self.y_ = training_table(self, X, y)
        return self


def frame(column):
    return pd.DataFrame({"age": [1, 2, 3, 4], "city": column})


BAD = {
    "strings": (["Rome", "Oslo", "Rome", "Oslo"], "holds text such as 'Rome'; encode it, for example"),
    "categories": (pd.Categorical(list("abab")), "holds text such as 'a'; encode it, for example"),
    "string dtype": (pd.array(["1", None, "x", "y"], "string"), "holds text such as 'x'; encode it"),
    "dates": (pd.date_range("2020", periods=4), "holds dates or times; make numbers of it, for example"),
    "durations": (pd.to_timedelta([1, 2, 3, 4]), "holds dates or times; "),
    "periods": (pd.period_range("2020", periods=4, freq="D"), "holds a Period; make numbers of it"),
    "tuples": ([(1,), 2, 3, 4], "holds a tuple; make numbers of it"),
    "complex": ([1j, 2, 3, 4], "holds a complex; make numbers of it"),
    "missing": (
        [1, np.nan, 3, 4],
        r"holds missing values \(NaN\), first in row 1; fill them in, for example",
    ),
    "missing integers": (pd.array([1, 2, None, 4], "Int64"), r"holds missing values \(NaN\), first in row 2"),
    "infinite": ([1, 2, 3, -np.inf], "holds infinity, first in row 3; clip or drop"),
}


@pytest.mark.parametrize("kind", BAD)
def test_the_sentence_names_estimator_column_and_remedy(kind):
    column, says = BAD[kind]
    with pytest.raises(ValueError, match=rf"^Oak: column 'city' {says}[^\n]*\.$"):
        Oak().fit(frame(column), Y)
    with pytest.raises(ValueError, match=f"^Oak: column 'city' {says}"):
        new_table(Oak().fit(frame([1, 2, 3, 4]), Y), frame(column))


def test_columns_without_names_have_their_number():
    table = [[1, "x"], [2, "y"], [3, "z"], [4, "z"]]
    for X in (table, np.array(table), np.array(table, object)):
        with pytest.raises(ValueError, match="^Oak: column 1 holds text such as 'x'; encode"):
            Oak().fit(X, Y)
    with pytest.raises(ValueError, match=r"^Oak: column 1 holds missing values \(NaN\), first in row 2;"):
        Oak().fit([[0, 0], [0, 0], [0, np.nan], [0, np.nan]], Y)


@pytest.mark.parametrize(
    "column",
    [["1.5", "2", "3", "4"], pd.Categorical([1.5, 2, 3, 4]), pd.array([1.5, 2, 3, 4], "Float64")],
    ids=["numerals", "categories", "extension"],
)
def test_what_numpy_takes_for_numbers_is_taken(column):
    oak = Oak().fit(frame(column), Y)
    assert oak.X_.dtype == np.float64
    assert oak.X_[:, 1].tolist() == [1.5, 2, 3, 4]
    assert feature_names(oak) == ["age", "city"]
    assert feature_names(Oak().fit(np.eye(4), Y)) == ["x0", "x1", "x2", "x3"]


def test_other_mistakes_keep_scikit_learns_words():
    for X, y, says in [
        ([1, 2, 3, 4], Y, "Expected 2D array"),
        ([[1], [2, 3], [3], [4]], Y, "inhomogeneous"),
        (np.eye(4), Y[:3], "inconsistent numbers of samples"),
        (np.eye(4), [0.5, 1.5, 2.5, 3.5], "Unknown label type"),
        (np.empty((4, 0)), Y, "0 feature"),
    ]:
        with pytest.raises(ValueError, match=says):
            Oak().fit(X, y)
    with pytest.raises(ValueError, match="^Oak: fit requires y to be passed"):
        Oak().fit(np.eye(4), None)
    with pytest.raises(ValueError, match="unseen at fit time"):
        new_table(Oak().fit(frame([1, 2, 3, 4]), Y), frame([1, 2, 3, 4]).rename(columns={"city": "town"}))


def test_complaints_of_scikit_learn_and_numpy_are_one_line_and_warnings_are_none():
    """Warnings are errors in these tests: of many classes, sparse columns, long floats."""
    for X in (
        np.arange(5000.0),
        np.ones((4, 2)) * 1j,
        np.array([["2020"]] * 4, "M8[D]"),
        [[1], [2, 3]],
        "text",
    ):
        with pytest.raises(ValueError, match=r"^Oak: [^\n]{,700}$"):
            Oak().fit(X, Y)
    oak = Oak().fit(frame(pd.arrays.SparseArray([0, 0, 1.5, 0])), [1, 2, 3, 4])
    assert oak.X_[:, 1].tolist() == [0, 0, 1.5, 0]
    if np.finfo(np.longdouble).max > np.finfo(float).max:
        with pytest.raises(ValueError, match="^Oak: column 0 holds infinity"):
            Oak().fit(np.full((4, 1), np.finfo(np.longdouble).max), Y)


def test_labels_without_an_order_are_refused():
    with pytest.raises(ValueError, match="^Oak: y mixes labels of types int, str, which have no order"):
        Oak().fit(np.eye(4), np.array([1, "a", 2, "b"], object))
    with pytest.raises(ValueError, match="^y mixes labels of types NoneType, int"):
        check_classification_targets(np.array([1, None], object))


# Columns by name

NAMES = {
    "numbers": [3, 1, 2],
    "mixed": ["age", 1, 2.5],
    "tuples": pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1)]),
    "odd": [np.nan, "a", True],
    "strings": ["age", "city", "zoo"],
}


@pytest.mark.parametrize("kind", NAMES)
def test_columns_are_compared_by_name_whatever_the_names_are(kind):
    X = pd.DataFrame(np.arange(12.0).reshape(4, 3), columns=NAMES[kind])
    oak = Oak().fit(X, Y)
    assert hasattr(oak, "feature_names_in_") == (kind == "strings")
    for same in (X, X.copy(), X.iloc[:1]):
        assert len(new_table(oak, same)) == len(same)
    with pytest.raises(
        ValueError, match="^Oak: the columns of X must be in the same order as at fit time, but"
    ):
        new_table(oak, X.iloc[:, [0, 2, 1]])
    with pytest.raises(ValueError, match=r"^Oak: X is missing column .*, seen at fit time\.$"):
        new_table(oak, X.iloc[:, :2])
    other = X.set_axis([*X.columns[:2], "new"], axis=1)
    with pytest.raises(
        ValueError, match="^Oak: X has column 'new', unseen at fit time, and is missing column"
    ):
        new_table(oak, other)
    with pytest.raises(ValueError, match="^Oak: X has column 'more', unseen at fit time"):
        new_table(oak, X.set_axis(range(3), axis=1).assign(more=1).set_axis([*X.columns, "more"], axis=1))
    oak.fit(X.to_numpy(), Y)  # the names of the earlier table are gone
    assert new_table(oak, X.set_axis([7, 8, 9], axis=1)).shape == (4, 3)


def test_names_that_only_one_table_has_are_not_compared_and_that_is_said():
    X = frame([1, 2, 3, 4])
    with pytest.warns(UserWarning, match=r"^Oak: X has no feature names[^\n]*\.$"):
        new_table(Oak().fit(X, Y), X.to_numpy())
    with pytest.warns(UserWarning, match=r"^Oak: X has feature names, but[^\n]*\.$"):
        new_table(Oak().fit(X.to_numpy(), Y), X)
    unnamed = pd.DataFrame(X.to_numpy())  # pandas counts the columns; nobody has named them
    new_table(Oak().fit(unnamed, Y), X.to_numpy())
    new_table(Oak().fit(X.to_numpy(), Y), unnamed)


# Whole numbers that float64 does not hold

FIRST = 2**53 + 1


@pytest.mark.parametrize(
    "number", [FIRST, -FIRST, 2**64, 2**64 + 1, 10**400], ids=lambda n: f"{n:.2g}" if n < 9e99 else "huge"
)
def test_whole_numbers_that_would_merge_are_refused(number):
    tables = [[[number, 1]] * 4, [[number, 0.5]] * 4, np.array([[number, 1]] * 4, object)]
    tables += [pd.DataFrame(rows) for rows in tables]
    if number == 2**64:
        for X in tables:
            assert Oak().fit(X, Y).X_[:, 0].tolist() == [number] * 4
        return
    if abs(number) < 2**63:
        tables += [np.array(tables[0]), pd.DataFrame({0: pd.array([number] * 4, "Int64")})]
    for X in tables:
        with pytest.raises(ValueError, match=r"^Oak: column 0 holds (a )?whole number.*; [^\n]*\.$"):
            Oak().fit(X, Y)


def test_whole_numbers_of_any_size_are_kept_where_they_fit():
    for number in (2**53, -(2**53), 2**53 + 2, 2**60, 2**63):
        assert Oak().fit([[number]] * 4, Y).X_[0, 0] == number
    assert Oak().fit(np.full((4, 1), float(FIRST)), Y).X_[0, 0] == 2**53  # a float is what it is
    big = pd.DataFrame({"a": pd.array([2**60, None, 1, 2], "Int64")})
    with pytest.raises(ValueError, match="^Oak: column 'a' holds missing values"):
        Oak().fit(big, Y)
