"""Columns that hold neither numbers nor categories are refused in one sentence, whoever made the table."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone

from studylib.blend import BlendedForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.trees import TreePredictor
from tests.conventions.registry import ESTIMATORS, name_of, output
from tests.table_makers import Exchanged

pytestmark = [
    pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning"),
    pytest.mark.filterwarnings("ignore:.* X (has|has no) feature names"),
]

N = 12
SIZE = (np.arange(N) % 5).astype(float)
Y = np.arange(N) % 2
#: One whose categories are declared, one to which text is categories, and one of numbers alone.
FEW = (BlendedForestClassifier, TreePredictor, KNeighborsClassifier)

DATE, TIME = datetime.date(2020, 1, 2), datetime.time(8, 15)
MOMENT, SPAN = datetime.datetime(2020, 1, 2, 8), datetime.timedelta(days=2)
NOON_IN_ROME = datetime.datetime(2020, 1, 2, 12, tzinfo=datetime.timezone(SPAN / 48))


def beside(column):
    """A frame of pandas with this column and one of numbers."""
    return pd.DataFrame({"size": SIZE, "when": column})


def objects(*entries):
    """A column of objects: these, again and again."""
    column = pd.Series([None] * N, dtype=object)
    for i in range(N):
        column[i] = entries[i % len(entries)]
    return column


def arrow(entry, dtype):
    """Columns of Arrow in a frame of pandas and in a table of their own."""
    column = pa.array([entry] * (N - 1) + [None], dtype)
    return {
        f"pandas arrow {dtype}": beside(pd.Series(column, dtype=pd.ArrowDtype(dtype))),
        f"arrow {dtype}": pa.table({"size": SIZE, "when": column}),
    }


def polars(entry, dtype):
    """A frame of polars."""
    return {
        f"polars {dtype}": pl.DataFrame(
            {"size": SIZE, "when": pl.Series([entry] * (N - 1) + [None], dtype=dtype)}
        )
    }


DAYS = pd.date_range("2020", periods=N)
#: Tables whose column "when" (the second, where columns have no names) is to be refused.
REFUSED = {
    "pandas dates": beside(DAYS),
    "pandas dates of a zone": beside(DAYS.tz_localize("Europe/Rome")),
    "pandas durations": beside(DAYS - DAYS[0]),
    "pandas periods": beside(DAYS.to_period("D")),
    "pandas intervals": beside(pd.interval_range(0, N)),
    "pandas complex": beside(np.arange(N) * 1j),
    "objects: dates": beside(objects(DATE)),
    "objects: dates and gaps": beside(objects(DATE, None)),
    "objects: times": beside(objects(TIME)),
    "objects: moments of a zone": beside(objects(NOON_IN_ROME)),
    "objects: numpy's dates": beside(objects(np.datetime64("2020-01-02"))),
    "objects: durations": beside(objects(SPAN)),
    "objects: periods": beside(objects(pd.Period("2020-01"))),
    "objects: complex": beside(objects(1j)),
    "objects: numbers, then dates": beside(objects(1.0, 2, DATE)),
    "objects: text, then dates": beside(objects("a", "b", DATE)),
    "objects: lists": beside(objects([1, 2])),
    "objects: dicts": beside(objects({"a": 1})),
    "objects: arrays": beside(objects(np.arange(2))),
    "array: durations": beside(objects(SPAN)).to_numpy(object),
    "list: dates": [[size, DATE] for size in SIZE.tolist()],
    **arrow(MOMENT, pa.timestamp("ns", "Europe/Rome")),
    **arrow(DATE, pa.date32()),
    **arrow(TIME, pa.time64("us")),
    **arrow(SPAN, pa.duration("ms")),
    **arrow([1, 2], pa.list_(pa.int64())),
    **arrow([1, 2], pa.list_(pa.int64(), 2)),
    **arrow({"a": 1}, pa.struct([("a", pa.int64())])),
    **arrow([("a", 1)], pa.map_(pa.string(), pa.int64())),
    "arrow month_day_nano": pa.table(
        {"size": SIZE, "when": pa.array([(1, 2, 3)] * N, pa.month_day_nano_interval())}
    ),
    **polars(DATE, pl.Date),
    **polars(MOMENT, pl.Datetime("ns", "Europe/Rome")),
    **polars(TIME, pl.Time),
    **polars(SPAN, pl.Duration("us")),
    **polars([1, 2], pl.List(pl.Int64)),
    **polars([1, 2], pl.Array(pl.Int64, 2)),
    **polars({"a": 1}, pl.Struct({"a": pl.Int64})),
    **polars(1j, pl.Object),
    "interchange: dates": Exchanged(beside(DAYS)),
}
#: Whole tables of one dtype, in which no column is more to blame than another.
WHOLE = {
    "list of lists": [[size, [1, 2]] for size in SIZE.tolist()],
    "array of durations": np.full((N, 2), 3, "m8[D]"),
    "array of complex": np.full((N, 2), 1j),
    "list of complex": [[1j, 2j]] * N,
    "interchange: objects": Exchanged(beside(objects(DATE))),  # whose maker says so, of no column
    "rows of records": np.zeros(N, [("size", float), ("when", float)]),
    "frame that is not collected": pl.LazyFrame({"size": SIZE, "when": SIZE}),
}
#: The same without what is refused.
FINE = pd.DataFrame({"size": SIZE, "when": SIZE[::-1]})


def says(estimator, kind):
    """What the sentence looks like; it names the column where there is one to be named."""
    column = "" if kind in WHOLE else r"\bcolumn ('when'|'x1'|1)(?!\d)"
    return rf"^{name_of(estimator)}: [^\n]*{column}[^\n]*$"


def refused(estimator, kind, ask):
    """Have the table refused, in one sentence of a readable length."""
    with pytest.raises((TypeError, ValueError), match=says(estimator, kind)) as caught:
        ask()
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    "estimator",
    [pytest.param(e, marks=() if type(e) in FEW else pytest.mark.slow, id=name_of(e)) for e in ESTIMATORS],
)
@pytest.mark.parametrize("kind", {**REFUSED, **WHOLE})
def test_what_is_neither_number_nor_category_is_refused(estimator, kind):
    X = {**REFUSED, **WHOLE}[kind]
    refused(estimator, kind, lambda: clone(estimator).fit(X, Y))
    fitted = clone(estimator).fit(FINE, Y)
    refused(estimator, kind, lambda: output(fitted, X))
    if isinstance(estimator, BlendedForestClassifier):
        for wanted in ("from_dtype", "auto", [1], [False, True]):
            declared = clone(estimator).set_params(categorical_features=wanted)
            refused(estimator, kind, lambda declared=declared: declared.fit(X, Y))


def test_intervals_that_are_declared_categories_are_categories():
    """What ``pandas.cut`` makes."""
    X = beside(pd.cut(SIZE, [-1, 1, 3, 5]))
    for estimator in ESTIMATORS:
        if not estimator.__sklearn_tags__().input_tags.categorical:
            continue
        assert len(output(clone(estimator).fit(X, Y), X)) == N
