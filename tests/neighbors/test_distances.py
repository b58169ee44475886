"""The distances: SciPy's, and a metric's axioms."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial import distance as scipys

from studylib.neighbors import distances

SCALE = np.array([0.5, 1.0, 4.0])
COVARIANCE = np.array([[2.0, 0.5, 0.0], [0.5, 1.0, -0.3], [0.0, -0.3, 3.0]])

METRICS = {
    "euclidean": (distances.euclidean, scipys.euclidean),
    "manhattan": (distances.manhattan, scipys.cityblock),
    "maximum": (distances.maximum, scipys.chebyshev),
    "mahalanobis": (
        lambda x, y: distances.mahalanobis(x, y, SCALE),
        lambda x, y: scipys.seuclidean(x, y, SCALE**2),
    ),
    "full_mahalanobis": (
        lambda x, y: distances.full_mahalanobis(x, y, COVARIANCE),
        lambda x, y: scipys.mahalanobis(x, y, np.linalg.inv(COVARIANCE)),
    ),
}

# Multiples of 2⁻¹⁰: differences are exact, and no square underflows.
POINTS = arrays(np.float64, 3, elements=st.integers(-(2**20), 2**20).map(lambda k: k / 2**10))


each_metric = pytest.mark.parametrize("name", METRICS)


@each_metric
@given(x=POINTS, y=POINTS, z=POINTS)
def test_axioms_of_a_metric(name, x, y, z):
    d, scipys_d = METRICS[name]
    assert d(x, x) == 0
    assert (d(x, y) > 0) == (not np.array_equal(x, y))
    assert d(x, y) == d(y, x)
    assert d(x, z) <= (d(x, y) + d(y, z)) * (1 + 1e-12)
    assert d(x, y) == pytest.approx(scipys_d(x, y), rel=1e-12)


@given(x=POINTS, y=POINTS)
def test_similarities_are_shares_and_fall_with_distance(x, y):
    d = distances.maximum(x, y)
    for similarity in (distances.similarity, distances.exponential_similarity):
        near, far = similarity(d / 1e4), similarity(d / 1e4 + 1)
        assert 0 < far < near <= 1
        assert (near == 1) == (d == 0)


@each_metric
def test_leading_axes_broadcast(name):
    d, _ = METRICS[name]
    X, Y = np.random.default_rng(0).normal(size=(2, 5, 3))
    table = d(X[:, None], Y)
    assert table.shape == (5, 5)
    assert table[2, 4] == pytest.approx(d(X[2], Y[4]))
    assert d(X[0].tolist(), Y[0].tolist()) == pytest.approx(d(X[0], Y[0]))


def test_without_correlation_the_two_of_mahalanobis_are_the_same():
    X, Y = np.random.default_rng(0).normal(size=(2, 5, 3))
    full = distances.full_mahalanobis(X, Y, np.diag(SCALE**2))
    assert full == pytest.approx(distances.mahalanobis(X, Y, SCALE))


def test_a_scale_of_zero_is_refused():
    with pytest.raises(ValueError, match="^mahalanobis: scale must be positive for every feature, got 0"):
        distances.mahalanobis([1.0], [2.0], [0.0])
