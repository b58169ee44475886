"""Columns of numbers and categories: what they may hold, and the sentence where they may not."""

import decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from studylib.core import columns


def test_mixed_entries_become_a_frame_and_numbers_stay_as_they_are():
    frame = columns.mixed_frame([[1, "a"], [2.5, None]])
    assert frame.columns.tolist() == ["x0", "x1"]
    assert frame["x0"].tolist() == [1.0, 2.5]
    for X in ([[1, None], [2.5, decimal.Decimal(3)]], np.zeros((2, 2)), pd.DataFrame({"a": ["b"]}), ["a"], 3):
        given = columns.mixed_frame(X)
        assert given is X or np.ndim(given) == 1
    assert columns.mixed_frame([[1j]])["x0"].dtype == complex


@pytest.mark.parametrize(
    ("column", "numeric"),
    [
        (pd.Series([1, 2]), True),
        (pd.Series([True, False]), True),
        (pd.Series([1, None], dtype="Int64"), True),
        (pd.Series(["a", None]), False),
        (pd.Series(["a"], dtype="string"), False),
        (pd.Series([1, 2], dtype="category"), False),
    ],
)
def test_kind_of_a_column(column, numeric):
    assert columns.is_numeric("It", "city", column.dtype) is numeric


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pd.Series(pd.date_range("2020", periods=2)), "dates or times .*; .* the days since the first"),
        (pd.Series(pd.to_timedelta([1, 2])), "durations .*; .* their number of days"),
        (pd.Series([1j]), "complex numbers .*; .* one column for each part"),
        (pd.Series(pd.period_range("2020", periods=2)), "entries of dtype period.*; .* numbers or strings"),
    ],
)
def test_other_kinds_are_refused_in_one_sentence(column, what):
    with pytest.raises(TypeError, match=rf"^It: column 'city' holds {what}\.$"):
        columns.is_numeric("It", "city", column.dtype)


def test_numbers_are_finite_or_missing():
    values = columns.numbers_of("It", "age", pd.Series([1, None], dtype="Int64"))
    np.testing.assert_array_equal(values, [1.0, np.nan])
    assert not columns.has_infinity(np.array([1e308, 1e308, np.nan]))  # their sum is not finite
    with pytest.raises(ValueError, match=r"^It: column 'age' holds infinity; [^\n]*\.$"):
        columns.numbers_of("It", "age", pd.Series([1.0, np.nan, -np.inf]))


def test_categories_have_an_order_and_a_hash():
    known = np.array(["b", "é", "a", ""], object)
    assert known[columns.order_of("It", "cap", known)].tolist() == ["", "a", "b", "é"]
    with pytest.raises(TypeError, match=r"^It: column 'cap' mixes int, str, which have no order; encode it"):
        columns.order_of("It", "cap", np.array(["b", 1], object))
    columns.check_categories("It", "cap", ["a", 1, None])
    with pytest.raises(TypeError, match=r"^It: column 'cap' holds entries of type list, which cannot be"):
        columns.check_categories("It", "cap", ["a", [1]])


def test_names_are_unique_and_tables_dense():
    with pytest.raises(ValueError, match=r"^It: the column name 'a' appears more than once in X\.$"):
        columns.check_unique_names("It", pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"]))
    with pytest.raises(TypeError, match=r"^It: X is a sparse csr_array, but only dense tables are taken; "):
        columns.refuse_sparse("It", sp.csr_array(np.eye(2)))
    columns.refuse_sparse("It", np.eye(2))
