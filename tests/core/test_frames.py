"""One table, one model: whoever made the table, the same numbers, categories and gaps are read from it."""

import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from studylib.blend import BlendedForestClassifier
from tests.conventions.registry import ESTIMATORS, TAKES_TEXT, each, name_of, output
from tests.table_makers import MAKERS, has_gaps, kind_of

pytestmark = [
    pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning"),
    # Of arrays that follow a frame, which is meant here.
    pytest.mark.filterwarnings("ignore:.* X (has|has no) feature names"),
]

BLEND = next(e for e in ESTIMATORS if isinstance(e, BlendedForestClassifier))
TAKE_TEXT = [e for e in ESTIMATORS if isinstance(e, TAKES_TEXT)]


def drawn(kind, gaps, n, seed):
    """A column."""
    rng = np.random.default_rng(seed)
    entries = {
        "float": (rng.integers(0, 8, n) / 2).tolist(),
        "int": rng.integers(0, 6, n).tolist(),
        "bool": (rng.random(n) < 0.5).tolist(),
        "text": rng.choice(["Bern", "Oslo", "Rome"], n).tolist(),
        "void": [None] * n,
    }[kind]
    return [None if gap else entry for entry, gap in zip(entries, rng.random(n) < 0.15 * gaps, strict=True)]


#: Kinds of the columns of each table, and whether they have gaps.
CONTENTS = {
    "integers": (["int", "int"], False),
    "numbers": (["float", "int"], False),
    "numbers with gaps": (["float", "int"], True),
    "Booleans": (["float", "bool"], False),
    "Booleans with gaps": (["bool", "float", "void"], True),
    "text": (["text", "text"], False),
    "text with gaps": (["text", "text"], True),
    "text and numbers": (["float", "text", "int"], False),
    "all with gaps": (["text", "float", "bool", "int", "void"], True),
}


def content(name, n=60, seed=0):
    """A table of this content, as a dict of lists."""
    kinds, gaps = CONTENTS[name]
    return {
        f"{kind}{j}": drawn(kind, gaps, n, 10 * seed + j) for j, kind in enumerate(kinds)
    }  # another seed for each


def labels(table):
    """Classes that depend on the first two columns, on what is missing there, too."""
    codes = [
        np.unique([str(entry) for entry in entries], return_inverse=True)[1] for entries in table.values()
    ]
    return (codes[0] + codes[1] > np.median(codes[0] + codes[1])).astype(int)


def takes(estimator, table):
    """Whether the estimator is for such tables."""
    tags = get_tags(estimator).input_tags
    if any(map(has_gaps, table.values())) and not tags.allow_nan:
        return False
    return "text" not in map(kind_of, table.values()) or isinstance(estimator, TAKES_TEXT)


def answers(fitted, X):
    """All that a fitted estimator says of a table, comparable."""
    told = pd.DataFrame(output(fitted, X)).astype(object)
    parts = [told.where(told.notna(), None).to_numpy().tolist()]
    if hasattr(fitted, "predict_proba"):
        parts.append(fitted.predict_proba(X).tobytes())
    return parts


def contents_of(estimator, maker):
    """Names of the tables that the maker can make and the estimator takes."""
    return [
        name for name in CONTENTS if MAKERS[maker].holds(content(name)) and takes(estimator, content(name))
    ]


PAIRS = [
    pytest.param(estimator, maker, id=f"{name_of(estimator)}-{maker}")
    for estimator in ESTIMATORS
    for maker in MAKERS
    if contents_of(estimator, maker)
]
NAMED = [pair for pair in PAIRS if MAKERS[pair.values[1]].named]
pairs = pytest.mark.parametrize(("estimator", "maker"), PAIRS)
named_pairs = pytest.mark.parametrize(("estimator", "maker"), NAMED)


@pytest.mark.slow
@pairs
def test_the_same_table_gives_the_same_model_whoever_made_it(estimator, maker):
    for name in contents_of(estimator, maker):
        assert_the_same_model(estimator, maker, name)


def assert_the_same_model(estimator, maker, name):
    plain, make = MAKERS["pandas"].make, MAKERS[maker].make
    table, new = content(name), content(name, 25, seed=1)
    first_row = {column: entries[:1] for column, entries in new.items()}
    y = labels(table)
    expected = clone(estimator).fit(plain(table), y)
    fitted = clone(estimator).fit(make(table), y)
    for rows in (table, new, first_row):
        assert answers(fitted, make(rows)) == answers(expected, plain(rows)), name
    # The one may learn from this maker, and the other be asked by that one.
    assert answers(expected, make(new)) == answers(expected, plain(new)), name
    assert answers(fitted, plain(new)) == answers(expected, plain(new)), name


@pytest.mark.slow
@named_pairs
def test_columns_are_known_by_name_whoever_made_the_table(estimator, maker):
    make = MAKERS[maker].make
    for name in contents_of(estimator, maker):
        table = content(name)
        fitted = clone(estimator).fit(make(table), labels(table))
        assert fitted.feature_names_in_.tolist() == list(table)
        assert fitted.feature_names_in_.dtype == object
        with pytest.raises(ValueError, match=rf"^{name_of(estimator)}: the columns of X must be in the same"):
            output(fitted, make(dict(reversed(table.items()))))


WIDTHS = {
    pl.Series: (pl.Int8, pl.Int16, pl.Int32, pl.Int128, pl.UInt8, pl.UInt64, pl.Float32),
    pa.array: (pa.int8(), pa.uint16(), pa.uint64(), pa.float16(), pa.float32(), pa.decimal256(40, 2)),
    pd.Series: ("Int8", "UInt64", "Float32", "int16", "uint8", "float16", "longdouble", "double[pyarrow]"),
}


@pytest.mark.slow
@each(ESTIMATORS)
def test_numbers_of_every_width_are_read(estimator):
    sizes, y = [3, 1, 4, 1, 5, 9, 2, 6] * 4, [1, 0, 1, 0, 1, 1, 0, 1] * 4
    plain = pd.DataFrame({"size": np.array(sizes, float)})
    expected = answers(clone(estimator).fit(plain, y), plain)
    for make, dtype in ((make, dtype) for make, dtypes in WIDTHS.items() for dtype in dtypes):
        column = {"size": make(sizes, dtype) if make is pa.array else make(sizes, dtype=dtype)}
        frame = {pl.Series: pl.DataFrame, pa.array: pa.table, pd.Series: pd.DataFrame}[make](column)
        assert answers(clone(estimator).fit(frame, y), frame) == expected, (make, dtype)


@each([e for e in TAKE_TEXT if get_tags(e).input_tags.allow_nan])
def test_text_of_every_kind_is_read(estimator):
    names, y = ["Rome", "Oslo", None, "Bern"] * 8, [1, 0, 1, 0] * 8
    plain = pd.DataFrame({"city": pd.Series(names, dtype=object)})
    expected = answers(clone(estimator).fit(plain, y), plain)
    for dtype in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.large_string())):
        column = pa.array(names, dtype)
        for frame in (
            pa.table({"city": column}),
            pd.DataFrame({"city": pd.Series(column, dtype=pd.ArrowDtype(dtype))}),
        ):
            assert answers(clone(estimator).fit(frame, y), frame) == expected, dtype


# Categories by declaration and by name


@pytest.mark.parametrize("how", ["auto", "names"])
@pytest.mark.parametrize("maker", [maker for maker, m in MAKERS.items() if m.named and "text" in m.kinds])
def test_the_blend_finds_categories_by_itself_and_by_their_name(maker, how):
    table, new = content("text and numbers"), content("text and numbers", 25, seed=1)
    y, plain, make = labels(table), MAKERS["pandas"].make, MAKERS[maker].make
    wanted = "auto" if how == "auto" else ["text1"]
    expected = clone(BLEND).set_params(categorical_features=[1]).fit(plain(table), y)
    fitted = clone(BLEND).set_params(categorical_features=wanted).fit(make(table), y)
    assert answers(fitted, make(new)) == answers(expected, plain(new))


def _dictionary(codes):
    return {"zone": pa.array(codes).dictionary_encode(), "size": np.arange(60) % 7}


def _categorical(*given, **named):
    return pd.DataFrame({"zone": pd.Categorical(*given, **named), "size": np.arange(60) % 7})


DECLARED = {
    "codes": _categorical,
    "ordered": lambda codes: _categorical(codes, categories=range(9), ordered=True),
    "floats": lambda codes: _categorical(np.asarray(codes, float)),
    "pandas arrow": lambda codes: pa.table(_dictionary(codes)).to_pandas(types_mapper=pd.ArrowDtype),
    "arrow": lambda codes: pa.table(_dictionary(codes)),
}


@each(ESTIMATORS)
@pytest.mark.parametrize("kind", DECLARED)
def test_declared_categories_of_numbers_are_categories_or_refused(estimator, kind):
    codes = np.tile([3, 1, 4, 0, 5], 12)
    X, y = DECLARED[kind](codes), np.isin(codes, [3, 0]).astype(int)  # no threshold tells them apart
    if isinstance(estimator, TAKES_TEXT):
        fitted = clone(estimator).fit(X, y)
        as_text = pd.DataFrame({"zone": [f"zone {code}" for code in codes], "size": np.arange(60) % 7})
        expected = clone(estimator).fit(as_text, y)
        if hasattr(fitted, "predict"):
            assert fitted.predict(X).tolist() == expected.predict(as_text).tolist()
        plain = pd.DataFrame({"zone": codes, "size": np.arange(60) % 7})  # read as what fit has seen
        assert answers(fitted, plain) == answers(fitted, X)
        if "categorical_features" in fitted.get_params():
            for wanted in (["zone"], "from_dtype"):
                other = clone(estimator).set_params(categorical_features=wanted).fit(X, y)
                assert answers(other, X) == answers(fitted, X)
        with pytest.raises(ValueError, match=f"^{name_of(estimator)}: column 'zone' held categories"):
            output(expected, plain)
        return
    with pytest.raises((TypeError, ValueError), match=rf"^{name_of(estimator)}: column 'zone' [^\n]*$"):
        clone(estimator).fit(X, y)


def test_the_order_of_the_levels_is_that_of_the_declaration():
    """Of unordered categories a tree makes a set; the levels may then come in any order."""
    table = content("text and numbers")
    frame, y = MAKERS["pandas"].make(table), labels(table)
    for levels in (["Rome", "Bern", "Oslo"], ["Oslo", "Rome", "none", "Bern"]):
        other = frame.assign(text1=pd.Categorical(frame["text1"], categories=levels))
        for estimator in (e for e in ESTIMATORS if isinstance(e, TAKES_TEXT)):
            ours, theirs = clone(estimator).fit(other, y), clone(estimator).fit(frame, y)
            assert answers(ours, frame) == answers(theirs, frame), name_of(estimator)
            assert answers(ours, other) == answers(theirs, other), name_of(estimator)


# Columns of objects that are numbers

TWO = {
    "decimals": [decimal.Decimal("1.5"), decimal.Decimal("2.25")],
    "floats": [1.5, 2.25],
    "numpy's": [np.float32(1.5), np.int16(7)],
    "Booleans": [True, False],
    "Booleans and numbers": [True, 5],
}


@each(ESTIMATORS)
@pytest.mark.parametrize("kind", TWO)
def test_objects_that_are_numbers_are_read_as_numbers(estimator, kind):
    rng = np.random.default_rng(3)
    entries = [TWO[kind][i] for i in rng.integers(0, 2, 60)]
    sizes = (rng.integers(0, 8, 60) / 2).tolist()
    y = (np.array(entries, float) + sizes > np.mean(sizes) + 1.5).astype(int)
    X = pd.DataFrame({"price": pd.Series(entries, dtype=object), "size": sizes})
    dtype = bool if kind == "Booleans" else float
    expected = clone(estimator).fit(X.astype({"price": dtype}), y)
    for other in (X, X.astype(object)):
        fitted = clone(estimator).fit(other, y)
        assert answers(fitted, other) == answers(expected, X.astype({"price": dtype}))
        # A model of plain columns is asked about a record of objects.
        assert answers(expected, X.iloc[0].to_frame().T) == answers(expected, X.iloc[:1])
    if get_tags(estimator).input_tags.allow_nan:
        gap = X.assign(price=pd.Series([None, *entries[1:]], dtype=object))
        plain = gap.assign(price=pd.to_numeric(gap["price"].map(float, na_action="ignore")))
        assert answers(expected, gap) == answers(expected, plain)
        if kind != "Booleans":  # to 1-R, which asks of Booleans whether and of numbers how much
            assert answers(clone(estimator).fit(gap, y), gap) == answers(
                clone(estimator).fit(plain, y), plain
            )


@each([e for e in ESTIMATORS if get_tags(e).input_tags.allow_nan])
def test_booleans_may_be_missing_later(estimator):
    X = pd.DataFrame({"smoker": [True, False] * 20, "age": np.arange(40) % 8})
    y = X["smoker"].astype(int)
    fitted = clone(estimator).fit(X, y)
    later = pd.DataFrame({"smoker": pd.Series([True, None, False], dtype=object), "age": [3, 4, 5]})
    nullable = later.astype({"smoker": "boolean"})
    assert answers(fitted, later) == answers(fitted, nullable)
    other_way = clone(estimator).fit(later, [1, 0, 0])
    assert answers(other_way, X) == answers(other_way, X.astype({"smoker": "boolean"}))


@each([e for e in TAKE_TEXT if get_tags(e).input_tags.allow_nan])
def test_one_record_of_a_mixed_frame_is_read_as_its_row(estimator):
    table = content("all with gaps")
    X, y = MAKERS["pandas str"].make(table), labels(table)
    fitted = clone(estimator).fit(X, y)
    for i in range(12):
        assert answers(fitted, X.iloc[i].to_frame().T) == answers(fitted, X.iloc[[i]])


# Sparse tables


@each(ESTIMATORS)
@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.csr_array, scipy.sparse.coo_array])
def test_sparse_matrices_are_refused_with_advice_for_pipelines(estimator, make):
    X, y = np.eye(12)[:, :4], np.arange(12) % 2
    says = rf"^{name_of(estimator)}: [^\n]*sparse_output=False[^\n]*$"
    with pytest.raises((TypeError, ValueError), match=says):
        clone(estimator).fit(make(X), y)
    fitted = clone(estimator).fit(X, y)
    with pytest.raises((TypeError, ValueError), match=says):
        output(fitted, make(X))


@each(ESTIMATORS)
def test_sparse_columns_of_a_frame_are_read_as_dense_ones(estimator):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.integers(0, 3, 50), "b": rng.integers(0, 5, 50) / 2, "c": rng.random(50) < 0.3}
    )
    y = (X["a"] + X["b"] > 2).astype(int)
    expected = clone(estimator).fit(X, y)
    partly = X.assign(a=X["a"].astype("Sparse[int64]"), c=X["c"].astype("Sparse[bool]"))
    wholly = X.astype(float).astype("Sparse[float64]")
    assert answers(clone(estimator).fit(partly, y), partly) == answers(expected, X)
    assert answers(expected, wholly) == answers(expected, X)
    assert answers(clone(estimator).fit(wholly, y), wholly) == answers(
        clone(estimator).fit(X.astype(float), y), X.astype(float)
    )


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(ValueError, match=r"a LazyFrame holds no rows yet; pass X.collect\(\)"):
        clone(BLEND).fit(pl.LazyFrame({"a": [1.0, 2.0]}), [0, 1])
