"""Messages: those of other libraries in one line, and warnings at the line that they are about."""

import sys
import textwrap
import warnings
from pathlib import Path

_PACKAGE = str(Path(__file__).parents[1])


def shorten(text, most=600):
    """An error or a text as one line, shortened to ``most`` characters."""
    return textwrap.shorten(str(text), most, placeholder=" …")


def warn(message, category=UserWarning):
    """Warn at the user's line, the first outside of this package, numpy and scikit-learn."""
    import numpy as np  # pages and the command line shorten texts, and need neither
    import sklearn

    passed = (_PACKAGE, *(str(Path(module.__file__).parent) for module in (np, sklearn)))
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_code.co_filename.startswith(passed):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
