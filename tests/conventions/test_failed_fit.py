"""A ``fit`` that fails, at whatever stage, leaves a fitted estimator as it was."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import studylib
from tests.conventions.registry import ESTIMATORS, FORESTS, TAKES_WEIGHTS, attributes, each, state, table

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

HOME = str(Path(studylib.__file__).parent)
#: How many places of a fit are tried.
PLACES = 40


class Interrupted(BaseException):
    """Caught by nobody, as Ctrl-C is not."""


class InterruptedAt:
    """Raise ``Interrupted`` at the k-th call of a Python function of studylib; count the calls for k = 0."""

    def __init__(self, k=0):
        self.k, self.calls = k, 0

    def __enter__(self):
        sys.setprofile(self._profile)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)

    def _profile(self, frame, event, arg):
        code = frame.f_code
        # A generator may be called by the garbage collector, where an exception is lost.
        if event == "call" and code.co_filename.startswith(HOME) and not code.co_flags & inspect.CO_GENERATOR:
            self.calls += 1
            if self.calls == self.k:
                raise Interrupted


def first_table():
    """A table with names."""
    X, y = table(40, 3)
    return pd.DataFrame(X, columns=["age", "size", "rooms"]), np.where(y, "yes", "no")


def other_table():
    """More columns, of other names, and more classes."""
    X, y = table(50, 5, seed=1)
    return pd.DataFrame(X, columns=list("abcde")), y + (X[:, 2] > 3)


def places(make, *data):
    """Numbers of the calls at which the fit of a model made for it is interrupted, over its whole length."""
    for _ in range(2):  # compiled, and whatever is kept between fits
        make().fit(*data)
    model = make()
    with InterruptedAt() as counted:
        model.fit(*data)
    assert counted.calls > 3
    return np.unique(np.linspace(1, counted.calls, PLACES).astype(int)).tolist()


def interrupt(model, k, *data):
    """Interrupt a fit at call k."""
    with pytest.raises(Interrupted), InterruptedAt(k):
        model.fit(*data)


@pytest.mark.slow
@each(ESTIMATORS)
def test_an_interrupted_fit_changes_nothing(estimator):
    (X, y), other = first_table(), other_table()
    model = clone(estimator).fit(X, y)
    before = state(model, X)
    for k in places(lambda: clone(estimator).fit(X, y), *other):
        interrupt(model, k, *other)
        assert state(model, X) == before, f"call {k}"
    fresh = clone(estimator).fit(*other)
    assert state(model.fit(*other), other[0]) == state(fresh, other[0])


@each(ESTIMATORS)
def test_an_interrupted_first_fit_leaves_an_estimator_that_is_not_fitted(estimator):
    X, y = first_table()
    for k in places(lambda: clone(estimator), X, y):
        model = clone(estimator)
        interrupt(model, k, X, y)
        assert attributes(model) == attributes(clone(estimator)), f"call {k}"


@each(FORESTS)
def test_an_interrupted_warm_start_adds_no_trees(estimator):
    X, y = first_table()

    def grown():
        small = clone(estimator).set_params(n_estimators=2, warm_start=True).fit(X, y)
        return small.set_params(n_estimators=6)

    model = grown()
    before = state(model, X)
    for k in places(grown, X, y):
        interrupt(model, k, X, y)
        assert state(model, X) == before, f"call {k}"
        assert len(model) == 2
    at_once = clone(estimator).set_params(n_estimators=6, warm_start=True).fit(X, y)
    assert len(model.fit(X, y)) == 6
    assert state(model, X)["predict"] == state(at_once, X)["predict"]


# Failures of every day


def bad_data(estimator):
    """Tables, labels and weights that no fit takes."""
    X, y = other_table()
    n = len(X)
    infinite, dates = X.copy(), X.copy()
    infinite.iloc[-1, -1] = np.inf
    dates["e"] = pd.date_range("2020", periods=n)
    bad = {
        "infinite": (infinite, y),
        "dates": (dates, y),
        "two columns of one name": (X.set_axis(list("abcdd"), axis=1), y),
        "no columns": (X.iloc[:, :0], y),
        "no rows": (X.iloc[:0], y[:0]),
        "too few labels": (X, y[:-1]),
        "continuous labels": (X, np.linspace(0, 1, n)),
        "a missing label": (X, np.where(y == 1, None, y.astype(object))),
        "no labels": (X, None),
    }
    if estimator in TAKES_WEIGHTS:
        weights = (np.full(n, -1.0), np.zeros(n), np.ones(n - 1), np.full(n, np.nan), ["a"] * n)
        bad |= {f"weights {k}": (X, y, weight) for k, weight in enumerate(weights)}
    return bad


@each(ESTIMATORS)
def test_data_that_are_refused_change_nothing(estimator):
    X, y = first_table()
    model = clone(estimator).fit(X, y)
    before = state(model, X)
    for kind, bad in bad_data(estimator).items():
        with pytest.raises((TypeError, ValueError)):
            model.fit(*bad)
        assert state(model, X) == before, kind


@each(ESTIMATORS)
def test_parameters_that_are_refused_change_nothing(estimator):
    X, y = first_table()
    refused = 0
    for parameter, usual in clone(estimator).get_params(deep=False).items():
        model = clone(estimator).fit(X, y)
        before = state(model, X)
        try:
            model.set_params(**{parameter: {"no": "value"}}).fit(*other_table())
        except (TypeError, ValueError):
            refused += 1
            assert state(model.set_params(**{parameter: usual}), X) == before, parameter
    assert refused or not estimator.get_params()
