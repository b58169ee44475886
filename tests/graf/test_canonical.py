"""Canonical directions and best cuts against slow, obvious ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.graf import _canonical, _thresholds
from studylib.graf._canonical import jacobi
from tests.naive import canonical as naive
from tests.naive.graf import best_threshold
from tests.naive.splitmix64 import Stream

pytestmark = pytest.mark.slow


def by_class(labels):
    """Order that puts samples together by class, and where the classes begin and end."""
    labels = np.asarray(labels)
    order = np.argsort(labels, kind="stable")
    return order, np.r_[0, np.flatnonzero(np.diff(labels[order])) + 1, len(labels)].astype(np.int64)


def best_cut(line, bounds):
    return _thresholds.best_threshold(
        line, bounds, _thresholds.make_threshold_workspace(len(line), len(bounds))
    )


def canonical_directions(block, bounds, used, rng):
    room = _canonical.make_canonical_workspace(block.shape[1], len(bounds), len(used))
    return room.directions[: _canonical.canonical_directions(block, bounds, used, rng, room)]


def state(seed):
    return np.array([seed], np.uint64)


values = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-1e3, 1e3),
    st.sampled_from([0.0, -0.0, 5e-324, 1.0, np.nextafter(1.0, 2.0), 1e200, -1e200]),
)


@given(st.lists(st.tuples(values, st.integers(0, 3)), min_size=1, max_size=40))
def test_the_best_cut_is_that_of_all_cuts(samples):
    line, labels = np.array([x for x, _ in samples]), [c for _, c in samples]
    order, bounds = by_class(labels)
    score, threshold = best_cut(line[order], bounds)
    expected = best_threshold(line.tolist(), labels, 4)
    if expected is None:
        assert score == -np.inf
        return
    assert score == pytest.approx(expected[0], abs=1e-9)
    sides = [[c for x, c in samples if (x > threshold) == side] for side in (0, 1)]
    assert all(sides)
    assert -sum(map(naive.gini_left_over, sides)) == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("n", [300, 3000])
@pytest.mark.parametrize("shape", ["normal", "outlier", "ties", "sorted", "mostly 0", "subnormal"])
def test_a_cut_does_not_depend_on_how_projections_are_spread(n, shape):
    rng = np.random.default_rng(n)
    line = rng.normal(size=n)
    if shape == "outlier":
        line[0] = 1e12
    elif shape == "ties":
        line = np.round(line)
    elif shape == "sorted":
        line.sort()
    elif shape == "mostly 0":
        line = np.where(rng.random(n) < 0.8, 0.0, line**9)
    elif shape == "subnormal":
        line = np.round(100 * line) * 5e-324
    scale = line.std() if shape != "subnormal" else 5e-322
    labels = (line / scale + rng.normal(size=n) > 0.3).astype(int) + (rng.random(n) < 0.1)
    order, bounds = by_class(labels)
    _, threshold = best_cut(line[order], bounds)
    distinct = np.unique(line)

    def score(cut):
        sides = labels[line <= cut], labels[line > cut]
        return -sum(len(side) - (np.bincount(side) ** 2.0).sum() / len(side) for side in sides)

    assert score(threshold) == pytest.approx(max(map(score, distinct[:-1])), abs=1e-9)


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 16])
@pytest.mark.parametrize("rank", [1, 16])
def test_jacobi_finds_what_lapack_finds(k, rank):
    rng = np.random.default_rng(k)
    root = rng.normal(size=(k, rank))
    a = root @ root.T
    rotated, vectors = a.copy(), np.empty((k, k))
    jacobi(rotated, vectors, k)
    assert np.sort(np.diag(rotated)) == pytest.approx(np.linalg.eigvalsh(a), abs=1e-10 * np.trace(a))
    assert vectors.T @ vectors == pytest.approx(np.eye(k), abs=1e-12)
    assert vectors @ np.diag(np.diag(rotated)) @ vectors.T == pytest.approx(a, abs=1e-10 * np.trace(a))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_directions_are_those_of_the_general_eigenvalue_problem(seed, n_classes):
    rng = np.random.default_rng([seed, n_classes])
    m, d, k = int(rng.integers(8, 120)), 6, int(rng.integers(1, 6))
    labels = np.sort(rng.integers(0, n_classes, m))
    X = rng.normal(size=(m, d)) * 10.0 ** rng.integers(-6, 6, d) + labels[:, None] * rng.normal(size=d)
    X[:, 0] = 3.0  # constant
    used = rng.permutation(d)[:k].astype(np.int32)
    _, bounds = by_class(labels)
    directions = canonical_directions(np.ascontiguousarray(X.T), bounds, used, state(seed))
    times = naive.bootstrap(m, Stream(seed))
    expected, strengths = naive.directions(X[:, used], labels, times)
    assert directions.shape == expected.shape
    for r in range(len(directions)):
        if strengths is not None:
            others = np.delete(strengths, r)
            if strengths[r] < 1e-9 or (len(others) and abs(others - strengths[r]).min() < 1e-6):
                continue  # not determined
        a, b = directions[r] * X[:, used].std(0), expected[r] * X[:, used].std(0)
        if np.linalg.norm(b) == 0:  # nothing but constants
            assert not a.any()
            continue
        assert abs(a @ b) == pytest.approx(np.linalg.norm(a) * np.linalg.norm(b), rel=1e-9)


def test_no_direction_without_a_second_class_in_the_bootstrap():
    X, bounds = np.random.default_rng(0).normal(size=(2, 4)), np.array([0, 1, 4])
    n_without = 0
    for seed in range(200):
        times = naive.bootstrap(4, Stream(seed))
        directions = canonical_directions(X, bounds, np.arange(2, dtype=np.int32), state(seed))
        assert len(directions) == (times[0] > 0 and times[0] < 4)
        n_without += len(directions) == 0
    assert 0 < n_without < 200


@pytest.mark.parametrize("seed", range(10))
def test_the_best_canonical_plane_cuts_best_along_its_directions(seed):
    rng = np.random.default_rng(seed)
    m, d, k = 60, 5, 3
    labels = np.sort(rng.integers(0, 4, m))
    X = rng.normal(size=(m, d)) + labels[:, None] * rng.normal(size=d)
    _, bounds = by_class(labels)
    used, features, weights = rng.permutation(d)[:k].astype(np.int32), np.empty(4, np.int32), np.empty(4)
    rooms = _thresholds.make_threshold_workspace(m, 4), _canonical.make_canonical_workspace(m, 4, k)
    score, threshold = _canonical.best_canonical(
        np.ascontiguousarray(X.T), bounds, used, state(seed), np.empty(m), *rooms, features, weights
    )
    assert features.tolist() == [*used, used[0]]
    assert weights[k] == 0.0
    times = naive.bootstrap(m, Stream(seed))
    directions, _ = naive.directions(X[:, used], labels, times)
    scores = [best_threshold((X[:, used] @ w).tolist(), labels.tolist(), 4)[0] for w in directions]
    assert score == pytest.approx(max(scores), abs=1e-6)
    line = X[:, features] @ weights
    sides = [labels[(line > threshold) == side].tolist() for side in (0, 1)]
    assert -sum(map(naive.gini_left_over, sides)) == pytest.approx(score, abs=1e-9)
