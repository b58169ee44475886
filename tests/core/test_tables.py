"""What is said of a table that is not one of finite numbers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from studylib.core.tables import feature_names, new_table, training_table

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
