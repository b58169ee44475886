"""What the tests of trees share."""

import numpy as np
import pandas as pd
import pytest

BOTH_MODES = pytest.mark.parametrize("source", [False, True], ids=["default", "source"])


def mushrooms(n=60, seed=0):
    """Two categorical and two numeric columns with gaps in one of each, and three classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "cap": rng.choice(["bell", "flat", "sunken"], n),
            "height": rng.integers(1, 30, n) / 4,
            "ring": rng.choice(["none", "large", None], n),
            "width": np.where(rng.random(n) < 0.2, np.nan, rng.integers(1, 12, n)),
        }
    )
    return X, np.array(["edible", "poisonous", "unknown"])[rng.integers(0, 3, n)]


def assert_same_tree(tree, other):
    assert tree.nodes_.tobytes() == other.nodes_.tobytes()
    assert tree.class_counts_.tolist() == other.class_counts_.tolist()
    assert tree.classes_.tolist() == other.classes_.tolist()
