"""What every case must end in."""

import re
import warnings
from contextlib import contextmanager

from sklearn.exceptions import DataConversionWarning

#: No sentence is longer, however large the value that it is about.
MOST = 800


class Refused(Exception):
    """The input was refused, in one clear sentence."""


@contextmanager
def refusals(allowed=(ValueError, TypeError)):
    """Turn an error that is one clear sentence into ``Refused``; any other error passes."""
    try:
        yield
    except allowed as error:
        wrong = unclear(str(error))
        if wrong:
            raise AssertionError(f"{type(error).__name__} {wrong}") from error
        raise Refused(str(error)) from error


def unclear(said):
    """Why an error is no clear sentence; empty if it is one."""
    if not said.strip():
        return "without a word"
    if "\n" in said:
        return f"in several lines: {said!r}"
    return f"of {len(said)} characters: {said[:200]!r}" if len(said) > MOST else ""


@contextmanager
def silence(owner=""):
    """No warning, but the one about the shape of ``y`` that scikit-learn's own checks demand, and ours."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    for one in found:
        ours = owner and re.match(rf"{owner}: [^\n]+\.$", str(one.message))
        assert ours or one.category is DataConversionWarning, (
            f"{one.category.__name__}: {str(one.message)[:300]} ({one.filename}:{one.lineno})"
        )
