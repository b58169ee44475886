"""Messages: those of other libraries in one line, and warnings at the line that they are about."""

import sys
import textwrap
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])
_WRAPPER = str(Path("sklearn", "utils", "_set_output.py"))  # around every ``transform``


def shorten(said, most=600):
    """An error or a text as one line, shortened to ``most`` characters."""
    return textwrap.shorten(str(said), most, placeholder=" …")


def warn(message, category=UserWarning):
    """Warn at the line outside of this package that called into it, as Python shows it to the user."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and (
        frame.f_code.co_filename.startswith(_PACKAGE) or frame.f_code.co_filename.endswith(_WRAPPER)
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
