"""scikit-learn's checks as test cases whose names are the same in every process."""

import re

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator


def name_of(value):
    """An estimator without the addresses of its functions, or the name of a check."""
    if hasattr(value, "func"):
        return value.func.__name__
    return re.sub(r" at 0x[0-9a-f]+|\s+", "", repr(value))


def read_only(case):
    """Whether the model of a case lies in a file's memory, which cannot be written."""
    check = (case.values if hasattr(case, "marks") else case)[1]
    return name_of(check) == "check_estimators_pickle" and bool(check.keywords.get("readonly_memmap"))


def slow(case):
    """A case that `make test` leaves out."""
    if isinstance(case, tuple) and not hasattr(case, "marks"):
        return pytest.param(*case, marks=pytest.mark.slow)
    return case._replace(marks=[*case.marks, pytest.mark.slow])


def parametrize_with_checks(estimators, *, expected_failed_checks=None, xfail_strict=None):
    """Like scikit-learn's, whose names hold addresses: processes that share the tests could not agree on them.

    `make test` runs the checks of one estimator of each class, the first, but not on models that cannot be
    written: for them kernels are compiled once more.
    """
    expected = expected_failed_checks or (lambda estimator: {})
    first = {type(estimator): estimator for estimator in reversed(estimators)}
    cases = [
        case if first[type(estimator)] is estimator and not read_only(case) else slow(case)
        for estimator in estimators
        for case in estimator_checks_generator(
            estimator, expected_failed_checks=expected(estimator), mark="xfail", xfail_strict=xfail_strict
        )
    ]
    return pytest.mark.parametrize(("estimator", "check"), cases, ids=name_of)
