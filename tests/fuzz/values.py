"""Values that somebody may pass by mistake, or out of malice."""

import contextlib
import datetime
import decimal
import fractions
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.table_makers import MAKERS, Exchanged


class Mute:
    """Cannot say what it is."""

    def __repr__(self):
        raise RuntimeError("no words")


#: For a parameter of any kind.
ODD = [
    None, True, False, 0, 1, -1, 2, 10**400, -(10**400), 10**5000, 2**31, 2**63, 2**64, 0.0, -0.0, 0.5, 1.0,
    1.5, 1e308, 5e-324, float("inf"), -float("inf"), float("nan"), 1j, "", "auto", "sqrt", "a\nb", "é" * 500,
    b"bytes", (), [], [1, 2], {}, {"a": 1}, {1, 2}, object, len, Mute(), np.int8(3), np.float32(0.5),
    np.bool_(True), np.array(2), np.array([1, 2]), np.eye(3), pd.NA, pd.NaT, pd.Series([1]), pd.DataFrame(),
    decimal.Decimal("0.5"), fractions.Fraction(1, 3), datetime.date(2020, 1, 1), range(3), iter(()),
]  # fmt: skip


def integers(chance, n):
    return [chance.randint(0, 4) for _ in range(n)]


def normals(chance, n):
    return [chance.gauss(0, 1) for _ in range(n)]


def one_of(*values):
    return lambda chance, n: [chance.choice(values) for _ in range(n)]


#: Columns of numbers that any estimator takes.
PLAIN = {
    "integers": integers,
    "normals": normals,
    "constant": lambda chance, n: [1.5] * n,
    "booleans": one_of(False, True),
    "ties": one_of(0.1, 0.2, 0.1 + 0.2, 0.3, -0.0, 0.0),
    "neighbours": one_of(1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0)),
}
#: Columns that some take and some refuse.
HOSTILE = {
    "huge": one_of(1e308, -1e308, 1.7976931348623157e308, 1e200, 0.0),
    "tiny": one_of(5e-324, -5e-324, 1e-310, 0.0, 2.2e-308),
    "both": one_of(1e300, 1e-300, 1.0, -1e300),
    "missing": one_of(float("nan"), 1.0, 2.0),
    "none": one_of(None, 1, 2),
    "all missing": one_of(float("nan")),
    "infinite": one_of(float("inf"), 1.0, 2.0),
    "strings": one_of("a", "b", "c"),
    "numerals": one_of("1", "2.5", "1e3"),
    "odd strings": one_of("", " ", "a\nb", "é" * 300, "nan", "\0"),
    "big integers": one_of(2**53, 2**53 + 1, 2**60, -(2**53) - 1, 1),
    "wild integers": one_of(10**400, 2**64, 1),
    "mixed": one_of("a", 1, None, 2.5, True),
    "dates": one_of(datetime.datetime(2020, 1, 1), datetime.datetime(2021, 5, 6)),
    "durations": one_of(datetime.timedelta(1), datetime.timedelta(2)),
    "complex": one_of(1j, 2 + 1j),
    "lists": lambda chance, n: [[1, 2] for _ in range(n)],
    "objects": lambda chance, n: [object() for _ in range(n)],
    "decimals": one_of(decimal.Decimal("1.5"), decimal.Decimal(2), None),
    "infinite decimals": one_of(decimal.Decimal("Infinity"), decimal.Decimal("NaN"), decimal.Decimal(1)),
    "booleans or none": one_of(True, False, None),
    "numpy's": one_of(np.float32(1.5), np.int8(2), np.bool_(True), np.float64("nan")),
    "days": one_of(datetime.date(2020, 1, 1), datetime.date(2021, 5, 6), None),
    "times": one_of(datetime.time(8, 15), datetime.time(9)),
    "intervals": one_of(pd.Interval(0, 1), pd.Interval(1, 2)),
    "periods": one_of(pd.Period("2020-01"), pd.Period("2020-02")),
    "structs": one_of({"a": 1}, {"a": 2}),
    "numbers, then days": lambda chance, n: [*normals(chance, n - 1), datetime.date(2020, 1, 1)],
    "bytes": one_of(b"a", b"1"),
}
_DTYPES = ["float32", "float16", "int8", "uint8", "int64", "uint64", "Int64", "Float64", "boolean", "category",
           "string", "object", "Sparse[float64]", "longdouble", "complex64", "datetime64[ns]"]  # fmt: skip
_NAMES = ["age", "city", "", " ", 0, 1, 2, -1, 2.5, True, None, ("a", 1), ("a", 2), float("nan"), "é", "a\nb",
          "x0", "x1", 10**30]  # fmt: skip


def columns(chance, n, d, hostile):
    """``d`` columns of ``n`` entries, lists; some of them hostile if that is asked for."""
    kinds = {**PLAIN, **HOSTILE} if hostile else PLAIN
    return [kinds[chance.choice(sorted(kinds))](chance, n) for _ in range(d)]


def frame(chance, made):
    """Columns as a frame, with names of any kind."""
    table = pd.DataFrame(dict(enumerate(made)))
    if chance.random() < 0.3:
        j = chance.randrange(len(made))
        with (
            warnings.catch_warnings(),
            contextlib.suppress(TypeError, ValueError, OverflowError),
        ):  # such a column cannot be
            warnings.simplefilter("ignore")
            table[j] = table[j].astype(chance.choice(_DTYPES))
    how = chance.randrange(4)
    if how == 0:
        table.columns = [f"c{j}" for j in range(len(made))]
    elif how == 1:
        table.columns = pd.Index([chance.choice(_NAMES) for _ in made], dtype=object, tupleize_cols=False)
    elif how == 2 and len(made) > 1:
        table.columns = pd.MultiIndex.from_tuples([("a", j) for j in range(len(made))])
    if chance.random() < 0.1:
        table.index = [chance.choice("ab") for _ in range(len(table))]
    return table


def named(made):
    """Columns as a dict, as ``tests.table_makers`` takes them."""
    return {
        f"c{j}": [entry.item() if isinstance(entry, np.generic) else entry for entry in column]
        for j, column in enumerate(made)
    }


def by_maker(chance, made):
    """Columns as a table of another package, or of pandas with other dtypes; None where it cannot hold them."""
    makers = [
        lambda table: MAKERS[chance.choice(sorted(MAKERS))].make(table),
        lambda table: pl.DataFrame(table, strict=False),
        pa.table,
        pd.DataFrame,
        lambda table: pd.DataFrame(table).astype(object),
        lambda table: pd.DataFrame(table).convert_dtypes(),
        lambda table: pd.DataFrame(table).convert_dtypes(dtype_backend="pyarrow"),
        lambda table: pl.from_pandas(pd.DataFrame(table).astype("category")),
        lambda table: pa.Table.from_pandas(pd.DataFrame(table)),
        lambda table: Exchanged(pd.DataFrame(table)),
    ]
    # Whatever the package says of what it cannot hold; polars panics, too.
    with warnings.catch_warnings(), contextlib.suppress(Exception, pl.exceptions.PanicException):
        warnings.simplefilter("ignore")
        return chance.choice(makers)(named(made))
    return None


#: What the packages say of entries that they do not hold.
_CANNOT = (KeyError, OverflowError, TypeError, pa.ArrowInvalid, pl.exceptions.PolarsError)


def same_table(chance, made):
    """The columns by two makers that both hold them; None if there are none, or if text could be numbers."""
    table = named(made)
    if any(_is_numeral(entry) for entries in table.values() for entry in entries):
        return None  # declared as categories it is something else than text
    with warnings.catch_warnings(), contextlib.suppress(*_CANNOT):
        warnings.simplefilter("ignore")
        able = [name for name in sorted(MAKERS) if MAKERS[name].holds(table) and MAKERS[name].named]
        return [MAKERS[name].make(table) for name in chance.sample(able, 2)] if len(able) > 1 else None
    return None


def _is_numeral(entry):
    try:
        return isinstance(entry, str) and float(entry) is not None
    except ValueError:
        return False


def rearranged(chance, X):
    """A table with its columns in another order, or without the last; None if it is none with names."""
    if isinstance(X, pd.DataFrame) and X.shape[1]:
        return X.iloc[:, _places(chance, X.shape[1])]
    if isinstance(X, pl.DataFrame | pa.Table) and X.shape[1]:
        return X.select([_names_of(X)[j] for j in _places(chance, X.shape[1])])
    return None


def _names_of(X):
    return X.columns if isinstance(X, pl.DataFrame) else X.column_names


def _places(chance, d):
    return chance.choice([chance.sample(range(d), d), list(range(d - 1))])


def shape(X):
    """Rows and columns of a table by any maker."""
    if isinstance(X, Exchanged):
        X = X.__dataframe__()
        return X.num_rows(), X.num_columns()
    return getattr(X, "shape", None) or np.shape(X)


def table(chance, made):
    """Columns as what a user may pass for a table."""
    n = len(made[0]) if made else 0
    kind = chance.randrange(18)
    if kind >= 12 and made:
        made_table = by_maker(chance, made)
        if made_table is not None:
            return made_table
    if kind < 5 and made:
        return frame(chance, made)
    rows = [list(row) for row in zip(*made, strict=True)]
    if kind == 5:
        return rows
    array = np.empty((n, len(made)), object)
    for j, column in enumerate(made):
        array[:, j] = column if not isinstance(column[0] if column else 0, list) else 0
    if kind > 6:
        dtype = chance.choice([float, float, "float32", "longdouble", int, bool, str])
        with contextlib.suppress(TypeError, ValueError, OverflowError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            array = array.astype(dtype)  # else it remains one of objects
    return _laid_out(chance, array)


def _laid_out(chance, array):
    kind = chance.randrange(6)
    if kind == 0:
        return np.asfortranarray(array)
    if kind == 1:
        return np.repeat(np.repeat(array, 2, axis=0), 2, axis=1)[::2, ::2]
    if kind == 2:
        return array[::-1, ::-1]
    if kind == 3:
        array = array.copy()
        array.setflags(write=False)
    return array


def no_table(chance):
    """What is no table."""
    return chance.choice([
        None, 3, "table", [], [[]], [1, 2, 3], [[1], [2, 3]], np.empty((0, 3)), np.empty((3, 0)),
        np.zeros((2, 2, 2)), np.array(5), {"a": [1, 2]}, pd.DataFrame(), pd.Series([1, 2, 3]), object(), range(9),
        [[[1]]], np.zeros(4, [("a", float)]), np.ma.masked_array(np.eye(3), np.eye(3)),
    ])  # fmt: skip


def labels(chance, n, hostile):
    """Classes of ``n`` rows."""
    if not hostile:
        known = chance.choice(
            [[0, 1], ["yes", "no"], [0, 1, 2], [-1, 1], [False, True], [5.0, 7.0], list(range(n + 1))]
        )
        return _labels_by_maker(chance, [chance.choice(known) for _ in range(n)])
    made = one_of(*chance.choice([
        [0], [0.5, 1.5], [float("nan"), 1.0], [None, "a"], ["a", 1], [2**63, 2**63 + 1], [10**400, 1], [b"a", b"b"],
        ["", " "], ["a\nb", "é" * 300], [1j, 2], [True, 2], [float("inf"), 0.0], [-0.0, 0.0], [(1,), (2,)],
        [datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)], [pd.NA, 1], [object], [2**53, 2**53 + 1],
    ]))(chance, max(0, n + chance.choice([0, 0, 0, 0, -1, 1])))  # fmt: skip
    kind = chance.randrange(7)
    if kind == 0:
        return made
    if kind == 1:
        return pd.Series(made, dtype=object)
    array = np.empty(len(made), object)
    array[:] = made
    if kind == 2:
        return array.reshape(-1, 1)
    if kind == 3:
        return np.column_stack([array, array])
    if kind == 4:
        return pd.Series(made, dtype=object).astype("category") if all(map(_hashable, made)) else array
    return array


def _labels_by_maker(chance, known):
    """Labels of one kind, as any package has them."""
    if chance.random() < 0.6:
        return np.array(known)
    text = ["string", "category", object] if isinstance(known[0], str) else ["category", object]
    makers = [
        list,
        pl.Series,
        pa.array,
        lambda known: pa.chunked_array([known]),
        lambda known: pa.array(known).dictionary_encode(),
        lambda known: pd.Series(known, dtype=chance.choice(text)),
        lambda known: pd.Series(known).convert_dtypes(),
        lambda known: pd.Series(known).convert_dtypes(dtype_backend="pyarrow"),
        lambda known: np.array(known, np.dtypes.StringDType() if isinstance(known[0], str) else object),
    ]
    return chance.choice(makers)(known)


def _hashable(value):
    return getattr(value, "__hash__", None) is not None


def weights(chance, n, hostile):
    """Weights of ``n`` rows, or None."""
    if not hostile:
        return chance.choice(
            [None, [1.0] * n, [chance.random() for _ in range(n)], [chance.randint(0, 2) for _ in range(n)]]
        )
    return chance.choice([[0] * n, [-1.0] * n, [float("nan")] * n, [1.0] * (n + 1), [1e308] * n, [5e-324] * n,
                          "weights", ["a"] * n, 3.0, [[1.0]] * n, [float("inf")] * n, [10**400] * n])  # fmt: skip
