"""Labels come back with the dtype they had; what is no label is refused in one sentence of the estimator's."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.base import clone, is_classifier

from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from tests.conventions.registry import ESTIMATORS, each, name_of

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

N = 24
WHICH = np.arange(N) % 2
#: The classes are told apart by either column.
X = np.column_stack([WHICH, 1 - WHICH]).astype(float)
#: Their label for "no answer" may need another dtype than the classes.
PARTIAL = (PartialClassificationForest, PartialClassificationTree)
CLASSIFIERS = [e for e in ESTIMATORS if is_classifier(e)]


def entries(first, second):
    """Labels as a list of Python's values."""
    return [(first, second)[i] for i in WHICH]


def objects(first, second):
    """Labels as an array of objects."""
    array = np.empty(N, object)
    array[:] = entries(first, second)
    return array


def dictionary(values):
    """Labels as Arrow's categories."""
    return pa.array(values).dictionary_encode()


BOOLS, WHOLE, TEXT, FLOATS = (False, True), (3, 7), ("no", "yes"), (1.0, 2.0)
CLOSE = (2**53, 2**53 + 1)
HUGE = (2**63, 2**63 + 1)


def arrow(dtype):
    return lambda values: pd.Series(values, dtype=pd.ArrowDtype(dtype))


#: Labels, the two classes, and the kind of their dtype as numpy's.
LABELS = {
    "list of bool": (entries(*BOOLS), BOOLS, "b"),
    "array of bool": (np.array(entries(*BOOLS)), BOOLS, "b"),
    "objects that are bool": (objects(*BOOLS), BOOLS, "b"),
    "Series of bool": (pd.Series(entries(*BOOLS)), BOOLS, "b"),
    "Series of bool objects": (pd.Series(objects(*BOOLS), dtype=object), BOOLS, "b"),
    "boolean": (pd.Series(entries(*BOOLS), dtype="boolean"), BOOLS, "b"),
    "bool[pyarrow]": (arrow(pa.bool_())(entries(*BOOLS)), BOOLS, "b"),
    "polars Boolean": (pl.Series(entries(*BOOLS)), BOOLS, "b"),
    "pyarrow bool": (pa.chunked_array([entries(*BOOLS)]), BOOLS, "b"),
    "list of int": (entries(*WHOLE), WHOLE, "i"),
    "array of int": (np.array(entries(*WHOLE)), WHOLE, "i"),
    "objects that are int": (objects(*WHOLE), WHOLE, "i"),
    "objects that are numpy's int": (objects(*map(np.int64, WHOLE)), WHOLE, "i"),
    "Series of int objects": (pd.Series(objects(*WHOLE), dtype=object), WHOLE, "i"),
    "Int64": (pd.Series(entries(*WHOLE), dtype="Int64"), WHOLE, "i"),
    "array of Int64": (pd.array(entries(*WHOLE), dtype="Int64"), WHOLE, "i"),
    "Float64 whole": (pd.Series(entries(*FLOATS), dtype="Float64"), FLOATS, "f"),
    "int64[pyarrow]": (arrow(pa.int64())(entries(*WHOLE)), WHOLE, "i"),
    "int dictionary[pyarrow]": (pd.Series(dictionary(entries(*WHOLE)), dtype=pd.ArrowDtype(dictionary([1]).type)), WHOLE, "i"),
    "category of int": (pd.Series(entries(*WHOLE), dtype="category"), WHOLE, "i"),
    "polars Int64": (pl.Series(entries(*WHOLE)), WHOLE, "i"),
    "pyarrow int64": (pa.chunked_array([entries(*WHOLE)]), WHOLE, "i"),
    "pyarrow int dictionary": (pa.chunked_array([dictionary(entries(*WHOLE))]), WHOLE, "i"),
    "list of text": (entries(*TEXT), TEXT, "UO"),
    "array of text": (np.array(entries(*TEXT)), TEXT, "UO"),
    "objects that are text": (objects(*TEXT), TEXT, "O"),
    "StringDType": (np.array(entries(*TEXT), np.dtypes.StringDType()), TEXT, "UO"),
    "Series of str": (pd.Series(entries(*TEXT)), TEXT, "O"),
    "string": (pd.Series(entries(*TEXT), dtype="string"), TEXT, "O"),
    "string[pyarrow]": (arrow(pa.string())(entries(*TEXT)), TEXT, "O"),
    "dictionary[pyarrow]": (pd.Series(dictionary(entries(*TEXT)), dtype=pd.ArrowDtype(dictionary(["a"]).type)), TEXT, "O"),
    "category of text": (pd.Series(entries(*TEXT), dtype=pd.CategoricalDtype(["yes", "more", "no"])), TEXT, "O"),
    "polars String": (pl.Series(entries(*TEXT)), TEXT, "UO"),
    "polars Categorical": (pl.Series(entries(*TEXT), dtype=pl.Categorical), TEXT, "UO"),
    "polars Enum": (pl.Series(entries(*TEXT), dtype=pl.Enum(["yes", "no", "more"])), TEXT, "UO"),
    "pyarrow string": (pa.chunked_array([entries(*TEXT)]), TEXT, "UO"),
    "pyarrow array": (pa.array(entries(*TEXT)), TEXT, "UO"),
    "pyarrow dictionary": (pa.chunked_array([dictionary(entries(*TEXT))]), TEXT, "UO"),
    # float64 would merge these two.
    "close: list": (entries(*CLOSE), CLOSE, "i"),
    "close: array": (np.array(entries(*CLOSE)), CLOSE, "i"),
    "close: uint64": (np.array(entries(*CLOSE), np.uint64), CLOSE, "u"),
    "close: objects": (objects(*CLOSE), CLOSE, "i"),
    "close: Int64": (pd.Series(entries(*CLOSE), dtype="Int64"), CLOSE, "i"),
    "close: UInt64": (pd.Series(entries(*CLOSE), dtype="UInt64"), CLOSE, "u"),
    "close: int64[pyarrow]": (arrow(pa.int64())(entries(*CLOSE)), CLOSE, "i"),
    "close: polars": (pl.Series(entries(*CLOSE)), CLOSE, "i"),
    "close: pyarrow": (pa.chunked_array([entries(*CLOSE)]), CLOSE, "i"),
    "huge: array": (np.array(entries(*HUGE), np.uint64), HUGE, "u"),
    "huge: objects": (objects(*HUGE), HUGE, "u"),
    "huge: list": (entries(*HUGE), HUGE, "u"),
}  # fmt: skip


@pytest.mark.slow
@each(CLASSIFIERS)
@pytest.mark.parametrize("kind", LABELS)
def test_labels_come_back_with_the_dtype_they_had(estimator, kind):
    y, classes, dtype_kinds = LABELS[kind]
    fitted = clone(estimator).fit(X, y)
    assert fitted.classes_.tolist() == list(classes)
    assert [type(label) for label in fitted.classes_.tolist()] == [type(label) for label in classes]
    assert fitted.classes_.dtype.kind in dtype_kinds
    predicted = fitted.predict(X)
    answered = predicted != getattr(fitted, "abstain_label_", None)
    assert answered.any()
    expected = np.array(entries(*classes), object)
    assert np.asarray(predicted, object)[answered].tolist() == expected[answered].tolist()
    if not isinstance(estimator, PARTIAL):
        assert predicted.dtype == fitted.classes_.dtype
        assert fitted.score(X, y) == 1.0


@each([e for e in CLASSIFIERS if not isinstance(e, PARTIAL)])
def test_dtypes_of_numpy_are_kept(estimator):
    for dtype in (np.int8, np.uint8, np.int32, np.uint64, np.float32, bool, "U3", "M8[D]"):
        y = np.array(WHICH, np.int64).astype(dtype)
        fitted = clone(estimator).fit(X, y)
        assert fitted.classes_.dtype == np.dtype(dtype)
        assert fitted.predict(X).dtype == np.dtype(dtype)


# Refusals

MISSING = {
    "None among text": objects("a", None),
    "None among whole numbers": objects(1, None),
    "None in a list": entries("a", None),
    "None among Booleans": objects(True, None),
    "NaN": np.array(entries(1.0, np.nan)),
    "NaN among text": objects("a", np.nan),
    "NaN of pandas' text": pd.Series(entries("a", None)),
    "NA of Int64": pd.Series(entries(1, None), dtype="Int64"),
    "NA of boolean": pd.Series(entries(True, None), dtype="boolean"),
    "NA of string": pd.Series(entries("a", None), dtype="string"),
    "NA among objects": objects(1, pd.NA),
    "null of Arrow": arrow(pa.int64())(entries(1, None)),
    "null of Arrow's dictionary": pd.Series(dictionary(entries("a", None)), dtype=pd.ArrowDtype(dictionary(["a"]).type)),
    "null of pyarrow": pa.chunked_array([entries("a", None)]),
    "null of polars": pl.Series(entries(1, None)),
    "null of polars' Boolean": pl.Series(entries(True, None)),
    "missing category": pd.Series(entries("a", None), dtype="category"),
    "NaT": np.array(entries("2020-01-01", "NaT"), "M8[D]"),
    "None of StringDType": np.array(entries("a", None), np.dtypes.StringDType(na_object=None)),
}  # fmt: skip
WRONG = {
    "mixed types": objects("a", 1),
    "mixed types in a list": entries("a", 1),
    "a list among the labels": [["a"], 1] * (N // 2),
    "text and Booleans": objects("a", True),
    "continuous": np.linspace(0, 1, N),
    "continuous Float64": pd.Series(np.linspace(0, 1, N), dtype="Float64"),
    "continuous of Arrow": arrow(pa.float64())(np.linspace(0, 1, N).tolist()),
    "continuous objects": np.linspace(0, 1, N).astype(object),
    "continuous of polars": pl.Series(np.linspace(0, 1, N)),
    "infinite": np.array(entries(1.0, np.inf)),
    "complex": np.array(entries(1j, 2j)),
    "too few": WHICH[:-1],
    "too many": [*WHICH, 1],
    "none at all": [],
    "two columns": np.column_stack([WHICH, WHICH]),
    "two columns of pandas": pd.DataFrame({"a": WHICH, "b": WHICH}),
    "two columns of polars": pl.DataFrame({"a": WHICH, "b": WHICH}),
    "three dimensions": np.zeros((N, 1, 1)),
    "a dict": {"a": 1},
    "a set": {0, 1},
    "a number": 3,
    "a word": "labels",
    "lists of two lengths": [[1], [1, 2]] * (N // 2),
    "objects without an order": objects(object(), object()),
    "tuples": objects((1,), (2,)),
    "not given": None,
}


@each(ESTIMATORS)
@pytest.mark.parametrize("kind", {**MISSING, **WRONG})
def test_what_is_no_label_is_refused_in_one_sentence(estimator, kind):
    y = {**MISSING, **WRONG}[kind]
    with pytest.raises((TypeError, ValueError), match=rf"^{name_of(estimator)}: [^\n]*$") as caught:
        clone(estimator).fit(X, y)
    assert len(str(caught.value)) < 500
    if kind in MISSING:
        assert re.search("missing|NaN|NaT", str(caught.value))
        assert "strings of them" not in str(caught.value)


@each(CLASSIFIERS)
def test_one_column_of_labels_is_taken_with_a_word(estimator):
    """As scikit-learn does; its own checks demand the warning."""
    for y in (WHICH.reshape(-1, 1), pd.DataFrame({"y": WHICH})):
        with pytest.warns(UserWarning, match="column-vector y"):
            fitted = clone(estimator).fit(X, y)
        assert fitted.classes_.tolist() == [0, 1]
