"""``max_features`` as a number of features."""

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier

from studylib.core.parameters import resolve_max_features

ALL = (None, "half", "sqrt", "log2", "ceil_sqrt")


@pytest.mark.parametrize("value", [None, "sqrt", "log2", 1, 0.01, 0.29, 0.5, 0.999, 1.0])
def test_rounding_is_scikit_learns(value):
    for d in (1, 2, 3, 7, 8, 9, 100):
        X = np.random.default_rng(0).random((10, d))
        theirs = ExtraTreesClassifier(1, max_features=value, random_state=0).fit(X, np.arange(10) % 2)
        assert resolve_max_features("Oak", value, d, ALL) == theirs.estimators_[0].max_features_


def test_a_share_may_be_of_any_float():
    """scikit-learn refuses numpy's single precision here; there is no reason to."""
    found = [resolve_max_features("Oak", np.float32(0.25), d, ALL) for d in (1, 3, 4, 9)]
    assert found == [1, 1, 1, 2]


def test_names_of_sources():
    assert [resolve_max_features("Oak", "ceil_sqrt", d, ALL) for d in (1, 2, 4, 5, 20)] == [1, 2, 2, 3, 5]
    assert [resolve_max_features("Oak", "half", d, ALL) for d in (1, 2, 3, 9)] == [1, 1, 1, 4]


@pytest.mark.parametrize("value", ["cube", "half", 0, 5, -1, 0.0, 1.5, True, float("nan"), [2], b"sqrt"])
def test_what_is_not_allowed_is_refused_in_one_sentence(value):
    with pytest.raises(ValueError, match="^Oak: max_features must be None, 'sqrt', an integer from 1 to 4 "):
        resolve_max_features("Oak", value, 4, (None, "sqrt"))


def test_none_only_where_it_is_allowed():
    with pytest.raises(ValueError, match="^Oak: max_features must be 'half', .*got None"):
        resolve_max_features("Oak", None, 4, ("half",))
