"""Warnings of processes without a notebook, as one line each."""

import os
import warnings

from studylib.core.text import shorten


def warn_in_one_line():
    """From now on, warnings of this process are one line each, without the line of code they came from."""
    warnings.formatwarning = _formatted


def _formatted(message, category, filename, lineno, line=None):
    place = f"{os.path.basename(filename)}:{lineno}"
    return f"studylib: {category.__name__} in {place}: {shorten(message, 300)}\n"
