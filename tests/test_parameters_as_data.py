"""Parameters are data: a constraint for each, checked before anything looks at the table."""

import inspect

import numpy as np
import pytest
from sklearn.base import clone

from studylib.core import parameters as of
from tests.test_conventions import ESTIMATORS, each, name_of, table


class Untouchable:
    """A table that must not be looked at."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was asked for before the parameters were checked")

    __len__ = __iter__ = __array__ = __getattr__


def pairs(kind):
    """Every parameter whose constraint is of a kind, alone or as what a callable stands beside."""
    found = []
    for estimator in ESTIMATORS:
        for name, constraint in type(estimator)._constraints.items():
            inner = getattr(constraint, "constraint", constraint)
            if isinstance(inner, kind):
                found.append(pytest.param(estimator, name, inner, id=f"{name_of(estimator)}-{name}"))
    return found


def refused(estimator, name, value):
    """The error of a fit with one bad parameter, and a table that must not be touched."""
    with pytest.raises(ValueError, match=rf"^{name_of(estimator)}: {name} must be [^\n]*\.$") as caught:
        clone(estimator).set_params(**{name: value}).fit(Untouchable(), Untouchable())
    assert "got " in str(caught.value)
    return str(caught.value)


@each(ESTIMATORS)
def test_every_parameter_has_a_constraint_in_the_order_of_the_signature(estimator):
    assert list(type(estimator)._constraints) == list(inspect.signature(type(estimator)).parameters)


@each(ESTIMATORS)
def test_defaults_satisfy_their_constraints(estimator):
    clone(estimator)._checked()
    type(estimator)()._checked()


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.Integer))
def test_integers(estimator, name, constraint):
    for value in (constraint.low - 1, 2.5, "3", True, np.nan, [1]):
        refused(estimator, name, value)
    if constraint.high is not None:
        refused(estimator, name, constraint.high + 1)
    if constraint.none_as is None:
        refused(estimator, name, None)
    checked = constraint("Oak", name, np.int16(max(constraint.low, 1)))
    assert (checked, type(checked)) == (max(constraint.low, 1), int)


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.Real))
def test_reals(estimator, name, constraint):
    for value in (np.nextafter(constraint.low, -np.inf), "0.5", True, np.nan, None, 1j):
        refused(estimator, name, value)
    if constraint.high < np.inf:
        refused(estimator, name, np.nextafter(constraint.high, np.inf))
    assert constraint("Oak", name, np.float32(constraint.low)) == np.float32(constraint.low)


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.Choice))
def test_choices(estimator, name, constraint):
    for value in ("no such choice", None, 0, b"x"):
        message = refused(estimator, name, value)
        assert all(repr(allowed) in message for allowed in constraint.allowed)


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.Boolean))
def test_booleans(estimator, name, constraint):
    for value in (0, 1, "True", None, []):
        refused(estimator, name, value)
    assert constraint("Oak", name, np.True_) is True


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.Jobs))
def test_jobs(estimator, name, constraint):
    for value in (0, 1.0, "all", True, 10**6):
        refused(estimator, name, value)


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.RandomState))
def test_random_states(estimator, name, constraint):
    for value in (-1, 2**32, "seed", 1.5):
        refused(estimator, name, value)
    generator = np.random.RandomState(0)
    before = generator.get_state()[1].tobytes()
    assert constraint("Oak", name, generator) is generator
    assert generator.get_state()[1].tobytes() == before


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.MaxFeatures))
def test_numbers_of_features(estimator, name, constraint):
    for value in (0, -1, 0.0, 1.5, True, "cube", np.nan):
        refused(estimator, name, value)
    with pytest.raises(ValueError, match=f"^{name_of(estimator)}: {name} must be .* from 1 to 7 .*, got 8"):
        clone(estimator).set_params(**{name: 8}).fit(*table())


@pytest.mark.parametrize(("estimator", "name", "constraint"), pairs(of.ClassWeight))
def test_class_weights(estimator, name, constraint):
    for value in ("even", 1, [1, 2], True):
        refused(estimator, name, value)
