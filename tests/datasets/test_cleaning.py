"""Deleting columns, filling missing values, splitting off the target."""

import numpy as np
import pandas as pd
import pytest

from studylib import datasets

FRAME = pd.DataFrame(
    {
        "class": list("epepe"),
        "full": [1.0, 2.0, 3.0, 4.0, 5.0],
        "one gap": ["a", None, "b", "a", "b"],
        "two missing": ["a", None, None, "a", "b"],
    }
)


@pytest.mark.parametrize(
    ("threshold", "kept"), [(1.0, 4), (0.41, 4), (0.4, 3), (0.2, 2), (0.19, 2), (0.0, 0)]
)
def test_a_column_goes_if_its_missing_share_reaches_the_threshold(threshold, kept):
    cleaned = datasets.delete_features(FRAME, threshold)
    assert list(cleaned.columns) == list(FRAME.columns)[:kept]


def test_filling_leaves_no_gap_and_no_change_elsewhere():
    filled = datasets.fill_missing(FRAME, "u")
    assert not filled.isna().any(axis=None)
    assert filled["two missing"].tolist() == ["a", "u", "u", "a", "b"]
    pd.testing.assert_series_equal(filled["full"], FRAME["full"])


def test_a_string_does_not_fill_numbers():
    frame = FRAME.assign(full=[1.0, np.nan, 3.0, 4.0, 5.0])
    with pytest.raises(ValueError, match=r"column 'full' is numeric .* got 'u'"):
        datasets.fill_missing(frame, "u")
    assert datasets.fill_missing(frame[["full"]], 0.0)["full"].tolist() == [1.0, 0.0, 3.0, 4.0, 5.0]


def test_clean_is_all_three_steps():
    X, y = datasets.clean(FRAME, 0.4, "u")
    assert list(X.columns) == ["full", "one gap"]
    assert X["one gap"].tolist() == ["a", "u", "b", "a", "b"]
    assert y.tolist() == list("epepe")


def test_unknown_target_and_threshold_are_named():
    with pytest.raises(ValueError, match="target must name a column .* got 'label'"):
        datasets.split_target(FRAME, "label")
    with pytest.raises(ValueError, match="threshold must be a number from 0 to 1, got 40"):
        datasets.delete_features(FRAME, 40)
