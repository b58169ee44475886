"""Columns by name and rows by position; tables that no estimator takes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from tests.conventions.registry import (
    ESTIMATORS,
    TAKES_TEXT,
    ask,
    each,
    mixed,
    name_of,
    output,
    readers,
    table,
    taken,
)

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")


@each(ESTIMATORS)
@pytest.mark.parametrize(
    "names",
    [["a", "b", "c"], [2, 0, 1], ["a", 1, 2.5], [("a", 1), ("a", 2), ("b", 1)], [np.nan, "a", True]],
    ids=["text", "numbers", "mixed", "tuples", "odd"],
)
def test_columns_in_another_order_or_of_other_names_are_refused_by_every_method(estimator, names):
    X, y = table(40, 3)
    X = pd.DataFrame(X, columns=pd.Index(names))
    wider = pd.DataFrame(np.eye(4), columns=pd.Index([*names, "more"], tupleize_cols=False))
    fitted = clone(estimator).fit(X, y)
    assert hasattr(fitted, "feature_names_in_") == all(isinstance(name, str) for name in names)
    assert readers(fitted)
    for method in readers(fitted):
        ask(fitted, method, X)
        for other, says in (
            (X.iloc[:, ::-1], "the columns of X must be in the same order as at fit time, but column 0 is"),
            (X.set_axis(pd.Index([*names[:2], "new"], tupleize_cols=False), axis=1), "X has column 'new', unseen at fit time, and is missing column"),
            (X.iloc[:, :2], "X is missing column"),
            (wider, "X has column 'more', unseen at fit time"),
        ):  # fmt: skip
            with pytest.raises(ValueError, match=rf"^{name_of(estimator)}: {says}[^\n]*\.$"):
                ask(fitted, method, other)
    fitted.fit(X.to_numpy(), y)  # the names of the earlier table are gone
    ask(fitted, readers(fitted)[0], X.set_axis([7, 8, 9], axis=1))


@each([e for e in ESTIMATORS if isinstance(e, TAKES_TEXT)])
def test_a_column_that_changes_its_kind_is_refused_by_name(estimator):
    X, y = mixed()
    fitted, owner = clone(estimator).fit(X, y), name_of(estimator)
    says = f"^{owner}: column 'age' held numbers in training, but holds text such as 'tall' now"
    with pytest.raises(ValueError, match=says):
        output(fitted, X.assign(age="tall"))
    says = f"^{owner}: column 'city' held categories in training, but holds numbers now"
    with pytest.raises(ValueError, match=says):
        output(fitted, X.assign(city=1.0))
    with pytest.raises(ValueError, match=says), pytest.warns(UserWarning, match="X has no feature names"):
        output(fitted, np.ones((2, 4)))


@each(ESTIMATORS)
def test_rows_go_by_position_whatever_the_index_is(estimator):
    X, y = taken(estimator)
    expected = output(clone(estimator).fit(X, y), X)
    shuffled = X.set_index(np.random.default_rng(0).permutation(60) // 2)
    fitted = clone(estimator).fit(shuffled, pd.Series(y, index=range(100, 160)))
    np.testing.assert_array_equal(output(fitted, shuffled), expected)


@each(ESTIMATORS)
def test_a_table_without_rows_or_columns_or_with_infinity_is_refused(estimator):
    X, y = taken(estimator)
    fitted = clone(estimator).fit(X, y)
    for call, says in (
        (lambda: clone(estimator).fit(X.iloc[:0], y[:0]), "found 0 sample"),
        (lambda: clone(estimator).fit(X.iloc[:, :0], y), "found 0 feature"),
        (lambda: clone(estimator).fit(np.empty((0, 2), object), y[:0]), "Found array with 0 sample"),
        (lambda: output(fitted, X.iloc[:0]), "found 0 sample"),
        (lambda: clone(estimator).fit(X.assign(age=np.inf), y), "column 'age' holds infinity"),
        (lambda: output(fitted, X.assign(age=-np.inf)), "column 'age' holds infinity"),
    ):
        with pytest.raises(ValueError, match=f"^{name_of(estimator)}: {says}"):
            call()
