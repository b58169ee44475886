"""Transactions by every maker of tables: the same itemsets, or one sentence; never a column's entries as baskets."""

from decimal import Decimal
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array, csr_matrix

from studylib.rules import apriori
from tests.table_makers import MAKERS, Exchanged

N = 50
RNG = np.random.default_rng(0)
TABLE = {name: (RNG.random(N) < 0.3 + 0.2 * j).tolist() for j, name in enumerate(["tea", "rice", "oil"])}
COUNTS = {name: [int(held) for held in column] for name, column in TABLE.items()}
FRAME = pd.DataFrame(TABLE)
BASKETS = [["tea", "rice"], ["rice"], [], ["oil", "tea", "rice"]]


@cache
def expected():
    return apriori([[name for name in TABLE if TABLE[name][row]] for row in range(N)], 0.05)


def supports(sets):
    return dict(zip(sets["itemsets"], sets["support"], strict=True))


def assert_expected(transactions):
    sets = apriori(transactions, 0.05)
    assert supports(sets) == supports(expected())
    assert sets["itemsets"].tolist()[:3] == [frozenset({name}) for name in TABLE]


NAMED = {name: maker for name, maker in MAKERS.items() if maker.named}


@pytest.mark.parametrize("maker", [name for name, maker in NAMED.items() if maker.holds(TABLE)])
def test_booleans_by_every_maker(maker):
    assert_expected(NAMED[maker].make(TABLE))


@pytest.mark.parametrize("maker", [name for name, maker in NAMED.items() if maker.holds(COUNTS)])
def test_ones_and_zeros_by_every_maker(maker):
    assert_expected(NAMED[maker].make(COUNTS))


@pytest.mark.parametrize("maker", ["float array", "int array", "object array"])
def test_arrays_have_numbers_as_names(maker):
    table = TABLE if maker == "object array" else COUNTS
    sets = apriori(MAKERS[maker].make(table), 0.05)
    numbered = {name: j for j, name in enumerate(TABLE)}
    assert supports(sets) == {
        frozenset(map(numbered.get, items)): support for items, support in supports(expected()).items()
    }


#: ``exchanged`` is left out: pandas reads its missing Booleans as False.
GAPS = {"tea": [True, None, False], "rice": [True, True, False]}


@pytest.mark.parametrize(
    "maker", [name for name, maker in NAMED.items() if maker.holds(GAPS) and name != "interchange"]
)
def test_missing_entries_are_refused_whoever_made_the_table(maker):
    with pytest.raises(ValueError, match=r"^apriori: column 'tea' holds missing values; [^\n]*\.$"):
        apriori(NAMED[maker].make(GAPS), 0.5)


# Sparse frames


@pytest.mark.parametrize("fill", [False, True, 0, 1, 0.0, 1.0, np.nan])
def test_sparse_frames_of_any_fill_value(fill):
    frame = FRAME.astype(type(fill))
    wholly = frame.astype(pd.SparseDtype(type(fill), fill))
    assert_expected(wholly)
    assert_expected(frame.assign(rice=wholly["rice"]))


@pytest.mark.parametrize("fill", [0.0, 1.0, 2.0, np.nan])
@pytest.mark.parametrize("others", [{}, {"rice": True}])
def test_sparse_columns_that_hold_more_than_zero_and_one_are_refused(fill, others):
    column = pd.arrays.SparseArray([0.0, 1.0, 2.0, 2.0], fill_value=fill)
    with pytest.raises(ValueError, match=r"^apriori: [^\n]* holds 2[^\n]*\.$"):
        apriori(pd.DataFrame({"tea": column, **others}), 0.5)
    missing = pd.arrays.SparseArray([0.0, 1.0, np.nan, 1.0], fill_value=fill)
    with pytest.raises(ValueError, match=r"^apriori: [^\n]* holds (missing values|nan)[^\n]*\.$"):
        apriori(pd.DataFrame({"tea": missing, **others}), 0.5)


# Columns of objects


@pytest.mark.parametrize("kind", [bool, np.bool_, int, np.int8, float, np.float32, Decimal, complex])
def test_objects_that_are_true_and_false_or_one_and_zero(kind):
    frame = FRAME.astype(object).assign(rice=pd.Series(list(map(kind, COUNTS["rice"])), dtype=object))
    assert_expected(frame)


def test_categories_of_true_and_false():
    assert_expected(FRAME.astype("category"))


IN_A_COLUMN = "column 'baskets' holds .*; if its entries are baskets, pass the"
ONLY = "the only items of the baskets are True and False; pass a table"


@pytest.mark.parametrize(
    ("frame", "says"),
    [
        (pl.DataFrame({"tea": ["yes", "no"]}), "column 'tea' holds 'yes', but .* make items with"),
        (pa.table({"tea": [0.5, 0.0]}), "column 'tea' holds 0.5, but"),
        (pd.DataFrame({"baskets": BASKETS}), IN_A_COLUMN),
        (pl.DataFrame({"baskets": BASKETS}), IN_A_COLUMN),
        (pa.table({"baskets": BASKETS}), IN_A_COLUMN),
        (pa.table({"baskets": BASKETS}).to_pandas(types_mapper=pd.ArrowDtype), IN_A_COLUMN),
        (pl.DataFrame({"tea": []}), "there are no transactions"),
        (pl.DataFrame(), "there are no transactions"),
        (FRAME.to_numpy().tolist(), ONLY),
        (list(FRAME.itertuples(index=False)), ONLY),
        (list(FRAME.to_numpy()), ONLY),
        (pl.LazyFrame(TABLE), "transactions cannot be read: a LazyFrame holds no rows yet"),
    ],
)
def test_what_is_neither_a_table_of_items_nor_baskets_is_refused(frame, says):
    with pytest.raises(ValueError, match=rf"^apriori: {says}[^\n]*\.$"):
        apriori(frame, 0.5)


@pytest.mark.parametrize(
    "transactions",
    [
        pl.Series([True, False]),
        pl.Series(["tea", "rice"]),
        pa.array([True, False]),
        pa.array([["tea"], None]),
        pl.Series([["tea"], None]),
        FRAME.to_records(),
        np.array([True, False]),
        np.array(True),
        coo_array(np.array([1, 0, 1])),
    ],
    ids=lambda given: type(given).__name__,
)
def test_what_holds_no_baskets_is_refused(transactions):
    with pytest.raises(TypeError, match=r"^apriori: transactions? [^\n]*\.$"):
        apriori(transactions, 0.5)


# Baskets in a column


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(BASKETS),
        pd.Series(BASKETS, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
        pl.Series(BASKETS),
        pa.array(BASKETS),
        pa.chunked_array([BASKETS[:1], BASKETS[1:]]),
        pa.array(BASKETS, pa.large_list(pa.large_string())),
    ],
    ids=["pandas", "pandas-arrow", "polars", "arrow", "chunks", "large"],
)
def test_baskets_may_come_as_a_column_of_lists(column):
    expected = apriori(BASKETS, 0.25)
    sets = apriori(column, 0.25)
    pd.testing.assert_frame_equal(sets, expected)
    assert {type(item) for items in sets["itemsets"] for item in items} == {str}


def test_numbers_in_a_column_of_lists_are_pythons_own():
    for column in (pl.Series([[3, 1], [1]]), pa.array([[3, 1], [1]])):
        sets = apriori(column, 0.5)
        assert sets["itemsets"].tolist() == [frozenset({1}), frozenset({3}), frozenset({1, 3})]
        assert {type(item) for items in sets["itemsets"] for item in items} == {int}


# Names or numbers of columns


def test_items_may_be_the_numbers_of_their_columns():
    named = apriori(FRAME, 0.05)
    numbered = apriori(FRAME, 0.05, use_colnames=False)
    pd.testing.assert_frame_equal(apriori(FRAME, 0.05, use_colnames=True), named)
    columns = list(FRAME.columns)
    assert numbered["itemsets"].tolist() == [frozenset(map(columns.index, s)) for s in named["itemsets"]]
    assert numbered["support"].tolist() == named["support"].tolist()
    in_order = sorted({item for basket in BASKETS for item in basket})
    of_baskets = apriori(BASKETS, 0.25, use_colnames=False)["itemsets"]
    assert [frozenset(in_order[j] for j in s) for s in of_baskets] == apriori(BASKETS, 0.25)[
        "itemsets"
    ].tolist()
    sparse = csr_matrix(FRAME.to_numpy())
    pd.testing.assert_frame_equal(apriori(sparse, 0.05, use_colnames=False), numbered)
    with pytest.raises(ValueError, match=r"^apriori: use_colnames must be True or False, got 'yes'\.$"):
        apriori(FRAME, use_colnames="yes")


def test_only_the_interchange_protocol_is_known_of_the_frame():
    assert_expected(Exchanged(FRAME))
