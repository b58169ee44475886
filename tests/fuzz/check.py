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


def unclear(message):
    """Why an error is no clear sentence; empty if it is one."""
    if not message.strip():
        return "without a word"
    if "\n" in message:
        return f"in several lines: {message!r}"
    return f"of {len(message)} characters: {message[:200]!r}" if len(message) > MOST else ""


@contextmanager
def silence(owner=""):
    """No warning, but the one about the shape of ``y`` that scikit-learn's own checks demand, and ours."""
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        yield
    for warning in warned:
        ours = owner and re.match(rf"{owner}: [^\n]+\.$", str(warning.message))
        assert ours or warning.category is DataConversionWarning, (
            f"{warning.category.__name__}: {str(warning.message)[:300]} ({warning.filename}:{warning.lineno})"
        )
