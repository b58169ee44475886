"""Intervals against hand-computed values, and their coverage over seeds."""

import numpy as np
import pytest

from studylib.statistics import mean_interval, prediction_interval, resampled_interval

# Student's t, 0.975 quantile, 3 degrees of freedom
T3 = 3.182446305284263


def test_mean_interval_by_hand():
    interval = mean_interval([1.0, 2.0, 3.0, 4.0])
    half = T3 * np.sqrt(5 / 3) / 2
    assert interval == pytest.approx((2.5, 2.5 - half, 2.5 + half))
    assert 2.5 in interval
    assert 2.5 + 1.01 * half not in interval


def test_prediction_interval_by_hand():
    half = T3 * np.sqrt(5 / 3) * np.sqrt(1.25)
    assert prediction_interval([1.0, 2.0, 3.0, 4.0]) == pytest.approx((2.5, 2.5 - half, 2.5 + half))


def test_resampled_interval_by_hand():
    half = T3 * np.sqrt(5 / 3) * np.sqrt(1 / 4 + 0.25)
    assert resampled_interval([1.0, 2.0, 3.0, 4.0], 0.2) == pytest.approx((2.5, 2.5 - half, 2.5 + half))


@pytest.mark.parametrize("interval", [mean_interval, prediction_interval])
def test_intervals_cover_as_often_as_they_say(interval):
    rng = np.random.default_rng(0)
    n = 2000
    covered = sum(
        (rng.normal() if interval is prediction_interval else 0.0) in interval(rng.normal(size=8))
        for _ in range(n)
    )
    assert covered / n == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / n))


def test_equal_runs_give_a_point():
    assert mean_interval([2.0, 2.0, 2.0]) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([], "at least two runs"),
        ([1.0], "at least two runs"),
        ([[1.0, 2.0]], "at least two runs"),
        ([1.0, -1e200], "below 1e150 in size, got -1e\\+200"),
        ([1.0, np.nan], "finite runs below 1e150 in size, got nan"),
    ],
)
def test_runs_without_an_interval_are_refused(values, said):
    with pytest.raises(ValueError, match=said):
        mean_interval(values)


def test_test_share_must_be_a_share():
    with pytest.raises(ValueError, match="test_share must be between 0 and 1, got 20"):
        resampled_interval([1.0, 2.0], 20)
