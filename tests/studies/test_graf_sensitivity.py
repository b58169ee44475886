"""Sensitivity on the six patterns: classes, distances, entropy, schemes."""

import numpy as np
import pytest
from scipy import stats

from studylib.studies.graf import label_noise, patterns, sensitivity

KEY = {"pattern": "pie chart, 4 classes", "n_train": 120, "n_trees": 6, "replicate": 0}


# Patterns


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
def test_patterns_have_their_classes_and_lie_inside(pattern):
    X, y = patterns.draw(pattern, 3000, np.random.default_rng(0))
    assert np.unique(y).tolist() == list(range(patterns.PATTERNS[pattern][1]))
    assert patterns.inside(pattern, X).all()
    assert not patterns.inside(pattern, 2.1 + X).any()


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
def test_distance_is_the_largest_step_that_keeps_the_class(pattern):
    """A slow twin: on circles around a point, the first radius at which another class appears."""
    X, y = patterns.draw(pattern, 40, np.random.default_rng(1))
    angle = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    for point, label, distance in zip(X, y, patterns.boundary_distance(pattern, X), strict=True):
        for factor, changes in ((0.98, False), (1.02, True)):
            around = point + factor * distance * circle
            # What is outside of the pattern has a class by the same formula, which is not a boundary.
            others = patterns.true_classes(pattern, around[patterns.inside(pattern, around)]) != label
            if distance < 1 - np.abs(point).max() and np.hypot(*point) + 1.02 * distance < 1:
                assert others.any() == changes


@pytest.mark.parametrize("pattern", patterns.PATTERNS)
def test_local_entropy_is_that_of_random_points_nearby(pattern):
    rng = np.random.default_rng(2)
    X, _ = patterns.draw(pattern, 30, rng)
    entropies = patterns.local_entropy(pattern, X)
    for point, entropy in zip(X, entropies, strict=True):
        near = point + patterns.RADIUS * rng.uniform(-1, 1, (20_000, 2))
        near = near[(np.hypot(*(near - point).T) <= patterns.RADIUS) & patterns.inside(pattern, near)]
        shares = np.bincount(patterns.true_classes(pattern, near)) / len(near)
        assert entropy == pytest.approx(stats.entropy(shares, base=2), abs=0.05)
    distance = patterns.boundary_distance(pattern, X) / patterns.RADIUS
    assert not entropies[distance > 1].any()
    assert (entropies[distance < 0.95] > 0).all()


# Sensitivity


@pytest.mark.parametrize(("ranked", "by_class"), [(True, True), (True, False), (False, True), (False, False)])
def test_tree_sensitivities_by_hand(ranked, by_class):
    leaves, labels = [1, 2, 1, 1, 2], np.array([0, 1, 0, 0, 1])
    weights = np.array([0, 6, 4])
    theta = [6, 4, 3, 2, 2] if ranked else [6, 4, 6, 6, 4]
    of = [sum(t for t, c in zip(theta, labels, strict=True) if c == label) for label in labels]
    expected = [np.log(1 + t / (n if by_class else sum(theta))) for t, n in zip(theta, of, strict=True)]
    sensitivities = sensitivity.tree_sensitivities(
        np.array(leaves), weights, labels, ranked=ranked, by_class=by_class
    )
    assert sensitivities == pytest.approx(expected)
    lone_root = sensitivity.tree_sensitivities(np.zeros(5, int), np.zeros(1), labels)
    assert lone_root.tolist() == [0.0] * 5


def test_schemes_take_every_row_once_and_follow_sensitivity():
    scores = np.array([0.1, 0.0, 0.5, 0.5, 0.2])
    for scheme in sensitivity.SCHEMES:
        order = sensitivity.order_of_rows(scheme, scores, np.random.default_rng(0))
        assert sorted(order) == [0, 1, 2, 3, 4]
        assert scheme != "P" or order[-1] == 1
    assert sensitivity.order_of_rows("S", scores, None).tolist() == [2, 3, 4, 0, 1]


def test_sampling_takes_rows_with_their_probabilities():
    """The first row follows p; the second, p without the first: sequential sampling."""
    p, rng = np.array([0.5, 0.3, 0.2]), np.random.default_rng(4)
    orders = np.array([sensitivity.order_sampled(p, rng) for _ in range(8000)])
    assert np.bincount(orders[:, 0]) / 8000 == pytest.approx(p, abs=0.02)
    second = orders[orders[:, 0] == 0, 1]
    assert np.mean(second == 1) == pytest.approx(0.6, abs=0.03)


def test_wrong_labels_are_drawn_at_their_rate_and_are_always_another_class():
    noisy = label_noise.noisy_accuracies({**KEY, "n_train": 1000, "rate": 0.2}, 1)
    assert noisy["all"]["wrong"] == pytest.approx(0.2, abs=0.05)
    assert noisy["S"]["wrong"] > 1.5 * noisy["U"]["wrong"]
    clean = label_noise.noisy_accuracies({**KEY, "rate": 0.0}, 1)
    assert {row["wrong"] for row in clean.values()} == {0.0}
