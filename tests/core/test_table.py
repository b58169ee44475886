"""What a table may hold, and the sentence where it may not."""

import datetime
import decimal
import fractions

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin

from studylib.core.frames import feature_names
from studylib.core.labels import encode_labels
from studylib.core.table import NEW, TableReader

Y = [0, 1, 0, 1]


class Oak(ClassifierMixin, BaseEstimator):
    """Takes finite numbers."""

    def reader(self):
        return TableReader()

    def fit(self, X, y):
        self._reader = self.reader()
        self.X_ = self._reader.fit(self, X)
        self.classes_, self.y_ = encode_labels(type(self).__name__, y, len(self.X_))
        return self


class Elm(Oak):
    """Takes categories and missing entries, too."""

    def reader(self):
        return TableReader(missing=True, categorical_features="auto")


def new_table(oak, X):
    return oak._reader.transform(oak, X)


def frame(column):
    return pd.DataFrame({"age": [1, 2, 3, 4], "city": column})


BAD = {
    "strings": (["Rome", "Oslo", "Rome", "Oslo"], "holds text such as 'Rome'; encode it, for example"),
    "categories": (pd.Categorical(list("abab")), "holds categories such as 'a'; encode it, for example"),
    "codes": (pd.Categorical([1, 2, 1, 2]), "holds categories such as 1; encode it, for example"),
    "string dtype": (pd.array(["1", None, "x", "y"], "string"), "holds text such as 'x'; encode it"),
    "dates": (pd.date_range("2020", periods=4), "holds dates or times; make numbers of it, for example"),
    "durations": (pd.to_timedelta([1, 2, 3, 4]), "holds durations; make numbers of it"),
    "periods": (pd.period_range("2020", periods=4, freq="D"), "holds periods; make numbers of it"),
    "intervals": (pd.interval_range(0, 4), "holds intervals; make numbers of it"),
    "declared intervals": (
        pd.Categorical(pd.interval_range(0, 4)),
        r"holds categories such as .\(0, 1\].; encode",
    ),
    "days": ([datetime.date(2020, 1, 1), None] * 2, "holds dates or times; make numbers of it"),
    "hours": ([datetime.time(7), None] * 2, "holds times of day; make numbers of it"),
    "a date among numbers": ([1, datetime.datetime(2020, 1, 1)] * 2, "holds dates or times; make numbers"),
    "lists": ([[1], [2], [3], [4]], "holds a list, but an argument must be a string, another category or a"),
    "tuples": ([(1,), 2, 3, 4], r"holds a tuple, but an argument must be a string"),
    "complex": ([1j, 2, 3, 4], "holds complex numbers; make one column for each part"),
    "missing": (
        [1, np.nan, 3, 4],
        r"holds missing values \(NaN\), first in row 1; fill them in, for example",
    ),
    "missing integers": (pd.array([1, 2, None, 4], "Int64"), r"holds missing values \(NaN\), first in row 2"),
    "infinite": ([1, 2, 3, -np.inf], "holds infinity, first in row 3; clip or drop"),
    "infinite Float64": (pd.array([1, -np.inf, None, 3], "Float64"), "holds infinity, first in row 1"),
}


@pytest.mark.parametrize("kind", BAD)
def test_the_sentence_names_estimator_column_and_remedy(kind):
    column, says = BAD[kind]
    with pytest.raises((TypeError, ValueError), match=rf"^Oak: column 'city' {says}[^\n]*\.$"):
        Oak().fit(frame(column), Y)
    with pytest.raises((TypeError, ValueError), match=f"^Oak: column 'city' {says}"):
        new_table(Oak().fit(frame([1, 2, 3, 4]), Y), frame(column))


def test_columns_without_names_have_their_number():
    table = [[1, "x"], [2, "y"], [3, "z"], [4, "z"]]
    for X in (table, np.array(table), np.array(table, object)):
        with pytest.raises(ValueError, match="^Oak: column 1 holds text such as 'x'; encode"):
            Oak().fit(X, Y)
    for X, says in (
        ([[0, 0], [0, 0], [0, np.nan], [0, np.nan]], r"1 holds missing values \(NaN\), first in row 2;"),
        (np.array([[0, 0], [0, np.inf], [0, 0], [0, 0]]), "1 holds infinity, first in row 1;"),
        ([[1.0, [2]], [3.0, [4]], [1.0, [2]], [3.0, [4]]], "1 holds a list"),
        (np.array([["2024-06-01"]] * 4, "M8[D]"), "0 holds dates or times"),
    ):
        with pytest.raises((TypeError, ValueError), match=f"^Oak: column {says}"):
            Oak().fit(X, Y)
    with pytest.raises(ValueError, match="^Oak: column 1 holds infinity, first in row 0;"):
        new_table(Oak().fit(np.eye(4), Y), [[0.0, np.inf, 0.0, 0.0]])


@pytest.mark.parametrize(
    "column",
    [
        ["1.5", "2", "3", "4"],
        pd.Series([1.5, 2, decimal.Decimal(3), fractions.Fraction(4)], dtype=object),
        pd.array([1.5, 2, 3, 4], "Float64"),
    ],
    ids=["numerals", "objects", "extension"],
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
        (np.eye(4), Y[:3], "X has 4 rows and y has 3 labels"),
        (np.eye(4), [0.5, 1.5, 2.5, 3.5], "Unknown label type"),
        (np.empty((4, 0)), Y, "0 feature"),
    ]:
        with pytest.raises(ValueError, match=says):
            Oak().fit(X, y)
    with pytest.raises(ValueError, match="^Oak: fit requires y to be passed"):
        Oak().fit(np.eye(4), None)


def test_complaints_of_scikit_learn_and_numpy_are_one_line_and_warnings_are_none():
    """Warnings are errors in these tests: of many classes, sparse columns, long floats."""
    for X in (
        np.arange(5000.0),
        np.ones((4, 2)) * 1j,
        np.array([["2020"]] * 4, "M8[D]"),
        [[1], [2, 3]],
        "text",
    ):
        with pytest.raises((TypeError, ValueError), match=r"^Oak: [^\n]{,700}$"):
            Oak().fit(X, Y)
    oak = Oak().fit(frame(pd.arrays.SparseArray([0, 0, 1.5, 0])), [1, 2, 3, 4])
    assert oak.X_[:, 1].tolist() == [0, 0, 1.5, 0]
    if np.finfo(np.longdouble).max > np.finfo(float).max:
        with pytest.raises(ValueError, match="^Oak: column 0 holds infinity"):
            Oak().fit(np.full((4, 1), np.finfo(np.longdouble).max), Y)


# Columns by name


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
    tables += [pd.DataFrame({0: [decimal.Decimal(number)] * 4})]
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


# Categories


def test_categories_are_codes_in_their_order_and_new_ones_have_none():
    size = pd.Categorical(["m", "s", None, "m"], ["s", "m", "l"], ordered=True)
    elm = Elm().fit(frame(["b", "a", None, "b"]).assign(size=size, flag=[True, False, True, True]), Y)
    np.testing.assert_array_equal(elm.X_[:, 1], [1, 0, np.nan, 1])
    np.testing.assert_array_equal(elm.X_[:, 2], [1, 0, np.nan, 1])
    assert [None if known is None else known.tolist() for known in elm._reader.categories] == [
        None,
        ["a", "b"],
        ["s", "m"],
        None,
    ]
    assert elm._reader.boolean.tolist() == [False, False, False, True]
    new = pd.DataFrame({"age": [5], "city": ["c"], "size": ["s"], "flag": [None]})
    np.testing.assert_array_equal(new_table(elm, new), [[5, NEW, 0, np.nan]])


def test_new_rows_are_read_as_those_of_training_whatever_their_dtype_is():
    codes = Elm().fit(frame(pd.Categorical([10, 20, 20, 99])), Y)
    for city in ([20, 7], [20.0, 7.0], pd.Categorical([20, 7]), pd.array([20, 7], "Int64")):
        new = pd.DataFrame({"age": [1, 2], "city": city})
        np.testing.assert_array_equal(new_table(codes, new), [[1, 1], [2, NEW]])
    record = frame(["u", "v", "u", "v"]).iloc[1].to_frame().T  # both columns hold objects
    np.testing.assert_array_equal(new_table(Elm().fit(frame(["u", "v", "u", "v"]), Y), record), [[2, 1]])
    for void in (None, np.nan, pd.NA):
        empty = frame([void] * 4)
        assert np.isnan(new_table(Elm().fit(frame(["u", "v", "u", "v"]), Y), empty)[:, 1]).all()
        assert np.isnan(new_table(Elm().fit(frame([1, 2, 3, 4]), Y), empty)[:, 1]).all()
    with pytest.raises(ValueError, match="held categories in training, but holds numbers now; encode it"):
        new_table(Elm().fit(frame(["u", "v", "u", "v"]), Y), frame([1, 2, 3, 4]))
    with pytest.raises(ValueError, match="held numbers in training, but holds text such as 'u' now; encode"):
        new_table(Elm().fit(frame([1, 2, 3, 4]), Y), frame(["u", "v", "u", "v"]))


def test_categories_have_an_order():
    for mixed in (["b", 1, "b", 1], pd.Categorical(["b", 1, "b", 1])):
        says = r"^Elm: column 'city' mixes int, str, which cannot be compared; encode it"
        with pytest.raises(TypeError, match=says):
            Elm().fit(frame(mixed), Y)
    elm = Elm().fit(frame(["b", "é", "a", ""]), Y)
    assert elm._reader.categories[1].tolist() == ["", "a", "b", "é"]


def test_names_are_unique_and_tables_dense():
    twice = pd.DataFrame(np.eye(4)[:, :3], columns=["a", "b", "a"])
    with pytest.raises(ValueError, match=r"^Oak: the column name 'a' appears more than once in X\.$"):
        Oak().fit(twice, Y)
    with pytest.raises(TypeError, match=r"^Oak: X is a sparse csr_array, .*sparse_output=False[^\n]*\.$"):
        Oak().fit(sp.csr_array(np.eye(4)), Y)


@pytest.mark.parametrize(
    ("entries", "message"),
    [(["1", "b", 10**400], "holds text such as 'b'"), (["1", 10**400], "holds whole numbers such as one of")],
)
def test_a_number_beyond_all_floats_beside_text_is_refused_in_a_sentence(entries, message):
    X = pd.DataFrame({"a": pd.Series(entries, dtype=object)})
    with pytest.raises(ValueError, match=rf"^Oak: column 'a' {message}[^\n]{{1,200}}\.$"):
        new_table(Oak().fit(pd.DataFrame({"a": [1.0, 2.0]}), [0, 1]), X)
