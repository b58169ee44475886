"""Bias and variance, strength and correlation: against slow twins, and of independent models."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.statistics import bias_variance, strength_correlation


@st.composite
def votes(draw, fewest=2):
    n_models, n_samples, n_classes = (
        draw(st.integers(fewest, 7)),
        draw(st.integers(1, 6)),
        draw(st.integers(1, 4)),
    )
    label = st.integers(0, n_classes - 1)
    row = st.lists(label, min_size=n_samples, max_size=n_samples)
    return np.array(draw(st.lists(row, min_size=n_models, max_size=n_models))), np.array(draw(row))


def slow_bias_variance(predictions, y):
    """Eqs 26 to 29 as they are printed, one loop a sum; then with the factors that are missing."""
    n_models, n_samples = len(predictions), len(y)
    classes = range(5)
    bias = variance = 0.0
    for i in range(n_samples):
        p = [sum(predictions[r][i] == j for r in range(n_models)) / n_models for j in classes]
        bias += sum(((y[i] == j) - p[j]) ** 2 - p[j] * (1 - p[j]) / (n_models - 1) for j in classes)
        variance += 1 - sum(share**2 for share in p)
    wrong = sum(predictions[r][i] != y[i] for r in range(n_models) for i in range(n_samples))
    error = wrong / n_models / n_samples
    bias, variance = bias / n_samples, variance / n_samples
    return error, bias / 2, variance / 2 * n_models / (n_models - 1), bias, variance


@given(votes())
def test_bias_and_variance_follow_the_equations(case):
    assert bias_variance(*case) == pytest.approx(slow_bias_variance(*case), abs=1e-12)


def test_unbiased_terms_do_not_depend_on_the_number_of_models():
    # Models err independently with probability 0.3: bias² = ½ (0.3² + 0.3²), variance = ½ (1 − 0.7² − 0.3²).
    rng = np.random.default_rng(0)
    for n_models in (2, 5, 50):
        predictions = (rng.random((n_models, 200_000 // n_models)) < 0.3).astype(int)
        terms = bias_variance(predictions, np.zeros(predictions.shape[1], int))
        assert terms.bias2 == pytest.approx(0.09, abs=0.01)
        assert terms.variance == pytest.approx(0.21, abs=0.01)


def slow_strength_correlation(trees, y):
    """Eqs 31 to 36, one loop a sum; ρ both with the printed and with Breiman's deviation."""
    n_trees, n_samples, classes = len(trees), len(y), range(5)
    margins, rivals = [], []
    for i in range(n_samples):
        share = [sum(t[i] == j for t in trees) / n_trees for j in classes]
        others = [j for j in classes if j != y[i]]
        rivals.append(max(others, key=lambda j: (share[j], -j)))
        margins.append(share[y[i]] - share[rivals[i]])
    s = sum(margins) / n_samples
    variance = sum(m * m for m in margins) / n_samples - s * s
    rho = []
    for missing in (2, 0):
        sd = 0.0
        for t in trees:
            acc = sum(t[i] == y[i] for i in range(n_samples)) / n_samples
            sec = sum(t[i] == rivals[i] for i in range(n_samples)) / n_samples
            sd += max(acc + sec - acc**2 - sec**2 + missing * acc * sec, 0) ** 0.5 / n_trees
        rho.append(variance / sd**2 if sd else None)
    return s, *rho


@given(votes(fewest=1))
def test_strength_and_correlation_follow_the_equations(case):
    measures = strength_correlation(*case)
    s, rho, printed = slow_strength_correlation(*case)
    assert measures.strength == pytest.approx(s, abs=1e-12)
    for ours, theirs, bound in (
        (measures.correlation, rho, measures.bound),
        (measures.printed_correlation, printed, measures.printed_bound),
    ):
        if theirs is not None:
            assert ours == pytest.approx(theirs, abs=1e-9)
            if abs(s) > 1e-9:
                assert bound == pytest.approx(theirs * (1 - s * s) / (s * s), rel=1e-6, abs=1e-9)


def test_equal_trees_have_correlation_one_and_independent_ones_none():
    rng = np.random.default_rng(0)
    tree = (rng.random(100_000) < 0.3).astype(int)
    y = np.zeros(100_000, int)
    assert strength_correlation([tree] * 5, y).correlation == pytest.approx(1)
    independent = (rng.random((50, 20_000)) < 0.3).astype(int)
    measures = strength_correlation(independent, y[:20_000])
    assert measures.strength == pytest.approx(0.4, abs=0.01)
    assert measures.correlation == pytest.approx(1 / 50, abs=0.002)  # what an average of 50 leaves


@pytest.mark.parametrize(
    ("function", "predictions", "y", "message"),
    [
        (bias_variance, [[0, 1]], [0, 1], "at least 2 models"),
        (bias_variance, [0, 1], [0, 1], "shape"),
        (bias_variance, [[0, 1], [1, 0]], [0], "as many samples as y"),
        (strength_correlation, [[0.5, 1.0]], [0, 1], "class indices"),
        (strength_correlation, [[0, -1]], [0, 1], "class indices"),
    ],
)
def test_bad_input_gives_one_sentence(function, predictions, y, message):
    with pytest.raises(ValueError, match=f"^{function.__name__}: .*{message}"):
        function(predictions, y)
