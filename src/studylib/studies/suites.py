"""Real data sets of the UCI suite, and the sets of scikit-learn that stand in for them, by name."""

from typing import NamedTuple

import numpy as np

from studylib.datasets import BUNDLED, load_bundled, load_uci_suite

#: How the name of a set that comes with scikit-learn begins.
BUNDLED_PREFIX = "bundled "


class Sets(NamedTuple):
    """The data sets that can be used, the smallest first, and what is wrong with the others, by name."""

    usable: list
    left_out: dict


def bundled_names():
    """Names of the sets that come with scikit-learn."""
    return [BUNDLED_PREFIX + name for name in BUNDLED]


def bundled_sets():
    """The same, as usable sets."""
    return Sets(bundled_names(), {})


def is_bundled(name):
    """Whether a set comes with scikit-learn."""
    return name.startswith(BUNDLED_PREFIX)


def rows(name):
    """Features and class indices of a set; of one with a separate test file the training file only."""
    if is_bundled(name):
        X, y = load_bundled(name.removeprefix(BUNDLED_PREFIX))
    else:
        loaded = load_uci_suite(name)
        X, y = loaded.data, loaded.target
    return X, np.unique(y, return_inverse=True)[1]
