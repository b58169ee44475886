"""A ``fit`` that fails, at whatever stage, leaves a fitted estimator as it was."""

import inspect
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import studylib
from tests.conventions.registry import ESTIMATORS, FORESTS, attributes, each, state, table

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

HOME = str(Path(studylib.__file__).parent)


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
    return np.unique(np.linspace(1, counted.calls, 40).astype(int)).tolist()


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


@each(ESTIMATORS)
def test_data_that_are_refused_change_nothing(estimator):
    (X, y), (other, labels) = first_table(), other_table()
    model = clone(estimator).fit(X, y)
    before = state(model, X)
    for bad in ((other.assign(e=np.inf), labels), (other, labels[:-1]), (other, None)):
        with pytest.raises((TypeError, ValueError)):
            model.fit(*bad)
        assert state(model, X) == before


@each(ESTIMATORS)
def test_fits_at_once_do_not_mix(estimator):
    (X, y), other = first_table(), other_table()

    class Slow:
        def __array__(self, dtype=None, copy=None):
            model.fit(*other)  # as another thread may, while this one has read X and not y
            return y

    model = clone(estimator)
    assert state(model.fit(X, Slow()), X) == state(clone(estimator).fit(X, y), X)
