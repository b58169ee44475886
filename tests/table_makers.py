"""The same table by every maker that a user may come with: arrays, lists, and frames of several packages.

A table is a dict: the name of each column, and its entries as a list of Python's own values, None where one is
missing.  A column's kind is that of its entries: ``float``, ``int``, ``bool``, ``text``, or ``void`` if there
are none.
"""

import decimal
import warnings
from typing import NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

_KINDS = {float: "float", int: "int", bool: "bool", str: "text"}


def kind_of(entries):
    """Kind of a column."""
    kinds = {_KINDS[type(entry)] for entry in entries if entry is not None}
    return kinds.pop() if len(kinds) == 1 else "void" if not kinds else "mixed"


def has_gaps(entries):
    """Whether an entry is missing."""
    return any(entry is None for entry in entries)


# Arrays and lists


def rows_of(table):
    """The table as a list of rows."""
    return [list(row) for row in zip(*table.values(), strict=True)]


def float_array(table):
    """Numbers as float64."""
    return np.array(rows_of(table), dtype=float)


def int_array(table):
    """Whole numbers as int64."""
    return np.array(rows_of(table), dtype=np.int64)


def object_array(table):
    """Python's own values."""
    array = np.empty((len(rows_of(table)), len(table)), object)
    for j, entries in enumerate(table.values()):
        array[:, j] = entries
    return array


def text_array(table):
    """Text of a fixed width."""
    return np.array(rows_of(table), dtype=str)


def string_array(table):
    """Text as numpy's StringDType, with None for what is missing."""
    return np.array(rows_of(table), dtype=np.dtypes.StringDType(na_object=None))


# pandas


def _pandas(table, dtypes):
    return pd.DataFrame({name: pd.Series(entries, dtype=dtypes(entries)) for name, entries in table.items()})


def _numpy_dtype(entries, text=object):
    kind, gaps = kind_of(entries), has_gaps(entries)
    if kind == "bool" and gaps:
        return object
    if kind in ("int", "float", "void"):
        return "int64" if kind == "int" and not gaps else "float64"
    return {"bool": "bool", "text": text}[kind]


def pandas_numpy(table):
    """Arrays of numpy; text as objects."""
    return _pandas(table, _numpy_dtype)


def pandas_str(table):
    """Text as pandas 3 reads it."""
    return _pandas(table, lambda entries: _numpy_dtype(entries, "str"))


def pandas_object(table):
    """All columns of dtype object, as after ``frame.astype(object)`` or ``row.to_frame().T``."""
    return _pandas(table, lambda entries: object)


def pandas_nullable(table):
    """pandas' own dtypes with missing values."""
    names = {"float": "Float64", "int": "Int64", "bool": "boolean", "text": "string", "void": "Float64"}
    return _pandas(table, lambda entries: names[kind_of(entries)])


_ARROW = {
    "float": pa.float64(),
    "int": pa.int64(),
    "bool": pa.bool_(),
    "text": pa.string(),
    "void": pa.null(),
}


def pandas_arrow(table):
    """Arrow's dtypes in a frame of pandas."""
    return _pandas(table, lambda entries: pd.ArrowDtype(_ARROW[kind_of(entries)]))


def pandas_arrow_dictionary(table):
    """As ``pandas_arrow``, with text as a dictionary."""
    arrow = {**_ARROW, "text": pa.dictionary(pa.int32(), pa.string())}
    return pa.table(
        {name: pa.array(entries, arrow[kind_of(entries)]) for name, entries in table.items()}
    ).to_pandas(types_mapper=pd.ArrowDtype)


def pandas_category(table):
    """Text as categories, one of which no row has."""
    return _pandas(table, lambda entries: _numpy_dtype(entries, _categories(entries, False)))


def pandas_ordered(table):
    """Text as ordered categories, one of which no row has."""
    return _pandas(table, lambda entries: _numpy_dtype(entries, _categories(entries, True)))


def _levels(entries):
    return [*sorted({entry for entry in entries if entry is not None}), "~unused"]


def _categories(entries, ordered):
    return pd.CategoricalDtype(_levels(entries) if kind_of(entries) == "text" else ["~unused"], ordered)


def pandas_sparse(table):
    """The first column of numbers sparse."""
    frame = pandas_numpy(table)
    first = next(name for name, entries in table.items() if kind_of(entries) in ("int", "float"))
    return frame.assign(**{first: frame[first].astype(pd.SparseDtype(frame[first].dtype))})


# polars and Arrow


def polars(table):
    """A frame of polars."""
    dtypes = {"float": pl.Float64, "int": pl.Int64, "bool": pl.Boolean, "text": pl.String, "void": pl.Null}
    return _polars(table, lambda entries: dtypes[kind_of(entries)])


def _polars(table, dtypes):
    return pl.DataFrame({name: pl.Series(entries, dtype=dtypes(entries)) for name, entries in table.items()})


def polars_categorical(table):
    """Text as polars' Categorical."""
    return polars(table).with_columns(pl.col(pl.String).cast(pl.Categorical))


def polars_enum(table):
    """Text as polars' Enum, one value of which no row has."""
    frame = polars(table)
    texts = [name for name, entries in table.items() if kind_of(entries) == "text"]
    return frame.with_columns(pl.col(name).cast(pl.Enum(_levels(table[name]))) for name in texts)


def polars_decimal(table):
    """Numbers as polars' Decimal."""
    return polars(table).with_columns(pl.col(pl.Float64, pl.Int64).cast(pl.Decimal(20, 3)))


def arrow(table):
    """A table of pyarrow."""
    return pa.table({name: pa.array(entries, _ARROW[kind_of(entries)]) for name, entries in table.items()})


def arrow_dictionary(table):
    """Text as a dictionary of pyarrow."""
    made = arrow(table)
    columns = [c.dictionary_encode() if pa.types.is_string(c.type) else c for c in made.columns]
    return pa.table(dict(zip(made.column_names, columns, strict=True)))


def arrow_decimal(table):
    """Numbers as decimal128 of pyarrow, in two chunks."""
    kinds = {**_ARROW, "float": pa.decimal128(20, 3), "int": pa.decimal128(20, 0)}
    columns = {}
    for name, entries in table.items():
        known = [
            decimal.Decimal(str(entry))
            if kind_of(entries) in ("int", "float") and entry is not None
            else entry
            for entry in entries
        ]
        kind = kinds[kind_of(entries)]
        half = len(known) // 2
        columns[name] = pa.chunked_array([pa.array(known[:half], kind), pa.array(known[half:], kind)], kind)
    return pa.table(columns)


class Exchanged:
    """Knows the dataframe interchange protocol, and nothing else."""

    def __init__(self, frame):
        self._frame = frame

    def __dataframe__(self, nan_as_null=False, allow_copy=True):
        with (
            warnings.catch_warnings()
        ):  # some makers will drop the protocol, which is no fault of the reader's
            warnings.simplefilter("ignore")
            return self._frame.__dataframe__(allow_copy=allow_copy)


def exchanged(table):
    """Something of which only the interchange protocol is known.

    ``pandas.api.interchange`` reads a missing Boolean of it as False.
    """
    return Exchanged(pandas_nullable(table))


def exchanged_category(table):
    """The same with text as categories; ``pandas.api.interchange`` reads a missing one as the last category."""
    return Exchanged(pandas_category(table))


class Maker(NamedTuple):
    """How a table is made.

    Attributes
    ----------
    make : callable, from a table to what a user has
    kinds : set of str, those it holds
    gaps : bool, whether entries may be missing
    named : bool, whether the columns have names
    digits : int or None, how many decimal places its numbers have
    """

    make: object
    kinds: set
    gaps: bool = True
    named: bool = True
    digits: int | None = None

    def holds(self, table):
        """Whether a table can be made, its columns by the dtypes that this maker is here for."""
        kinds = {kind_of(entries) for entries in table.values()}
        if not kinds <= self.kinds or not (self.gaps or not any(map(has_gaps, table.values()))):
            return False
        numbers = (entry for entries in table.values() for entry in entries if isinstance(entry, float))
        return self.digits is None or all(round(number, self.digits) == number for number in numbers)


_NUMBERS = {"float", "int"}
_ALL = {"float", "int", "bool", "text", "void"}

#: Every maker, by name; "pandas" is the one that the others are compared with.
MAKERS = {
    "list": Maker(rows_of, _ALL, named=False),
    "float array": Maker(float_array, _NUMBERS, named=False),
    "int array": Maker(int_array, {"int"}, gaps=False, named=False),
    "object array": Maker(object_array, _ALL, named=False),
    "text array": Maker(text_array, {"text"}, gaps=False, named=False),
    "string array": Maker(string_array, {"text"}, named=False),
    "pandas": Maker(pandas_numpy, _ALL),
    "pandas str": Maker(pandas_str, _ALL),
    "pandas object": Maker(pandas_object, _ALL),
    "pandas nullable": Maker(pandas_nullable, _ALL),
    "pandas arrow": Maker(pandas_arrow, _ALL),
    "pandas arrow dictionary": Maker(pandas_arrow_dictionary, _ALL),
    "pandas category": Maker(pandas_category, _ALL),
    "pandas ordered": Maker(pandas_ordered, _ALL),
    "pandas sparse": Maker(pandas_sparse, _NUMBERS),
    "polars": Maker(polars, _ALL),
    "polars categorical": Maker(polars_categorical, _ALL),
    "polars enum": Maker(polars_enum, _ALL),
    "polars decimal": Maker(polars_decimal, _ALL, digits=3),
    "arrow": Maker(arrow, _ALL),
    "arrow dictionary": Maker(arrow_dictionary, _ALL),
    "arrow decimal": Maker(arrow_decimal, _ALL, digits=3),
    "interchange": Maker(exchanged, _ALL),
    "interchange category": Maker(exchanged_category, _NUMBERS | {"text"}),
}
