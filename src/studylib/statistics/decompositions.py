"""Decompositions of a classifier's error: bias and variance, strength and correlation."""

from typing import NamedTuple

import numpy as np


class BiasVariance(NamedTuple):
    """Kohavi and Wolpert's decomposition of the 0–1 loss, in shares of 1.

    Parameters
    ----------
    error : float
        Mean error of the models, eq 29 of the source; equal to ``bias2 + variance``.
    bias2, variance : float
        Kohavi and Wolpert's terms, with unbiased estimates over the models and no noise (σ² = 0).
    printed_bias2, printed_variance : float
        Eqs 27 and 28 of the source, which lack the factor ½ (both) and R / (R − 1) (the variance).

    Examples
    --------
    >>> from studylib.statistics import bias_variance
    >>> found = bias_variance(predictions=[[0, 1, 1], [0, 0, 1]], y=[0, 1, 0])
    >>> round(found.error, 3), round(found.bias2, 3), round(found.variance, 3)
    (0.5, 0.333, 0.167)
    """

    error: float
    bias2: float
    variance: float
    printed_bias2: float
    printed_variance: float


def bias_variance(predictions, y):
    """Decompose the error of R models that were trained on different training sets.

    Parameters
    ----------
    predictions : int array-like (n_models, n_samples)
        Class that each model gives to each test sample; at least two models.
    y : int array-like (n_samples,)
        The true classes.

    Returns
    -------
    BiasVariance

    References
    ----------
    Kohavi and Wolpert, *Bias Plus Variance Decomposition for Zero-One Loss Functions*, ICML 1996.
    Gupta et al., *Guided Random Forest*, eqs 26 to 29.
    """
    predictions, y = _checked("bias_variance", predictions, y, 2, "models")
    n_models = len(predictions)
    true_share = (predictions == y).mean(axis=0)  # p of the true class
    square_sum = _square_sum(predictions)  # Σ_j p_j²
    # Σ_j (1{y = j} − p_j)² = 1 − 2 p_y + Σ p², and Σ_j p_j (1 − p_j) = 1 − Σ p².
    distance, spread = 1 - 2 * true_share + square_sum, 1 - square_sum
    correction = spread / (n_models - 1)
    return BiasVariance(
        error=float(1 - true_share.mean()),
        bias2=float((distance - correction).mean() / 2),
        variance=float((spread + correction).mean() / 2),
        printed_bias2=float((distance - correction).mean()),
        printed_variance=float(spread.mean()),
    )


def _square_sum(predictions):
    """Σ over the classes of the squared share of models that predict it, float64 (n_samples,)."""
    ordered = np.sort(predictions, axis=0)
    n_models, n_samples = ordered.shape
    starts = np.vstack([np.ones((1, n_samples), bool), ordered[1:] != ordered[:-1]]).T.ravel()
    positions = np.flatnonzero(starts)  # runs of equal predictions, sample after sample
    sizes = np.diff(np.append(positions, n_models * n_samples))
    return np.bincount(positions // n_models, (sizes / n_models) ** 2, n_samples)


class StrengthCorrelation(NamedTuple):
    """Strength and correlation of the trees of a forest, and the bound that they give on its error.

    Parameters
    ----------
    strength : float
        s, the mean margin of the votes (eqs 31, 35).
    correlation, bound : float
        ρ (eq 36) and ρ (1 − s²) / s² (eq 30) with Breiman's standard deviation of a tree's margin.
    printed_correlation, printed_bound : float
        The same with eq 34 as it is printed, which lacks + 2 · acc · sec under the root.
    error : float
        Error of the plurality vote, a tie between the true class and another counted as wrong.

    Examples
    --------
    >>> from studylib.statistics import strength_correlation
    >>> found = strength_correlation([[0, 1, 1, 0], [0, 0, 1, 0], [0, 1, 0, 0]], [0, 1, 1, 1])
    >>> round(found.strength, 3), round(found.correlation, 3), found.error
    (0.167, 0.578, 0.25)
    """

    strength: float
    correlation: float
    bound: float
    printed_correlation: float
    printed_bound: float
    error: float


def strength_correlation(tree_predictions, y):
    """Breiman's strength and correlation, estimated on a test set.

    A tree's raw margin at a sample is 1 if it votes for the true class, −1 if it votes for the most popular
    other class, else 0; its variance over the samples is acc + sec − (acc − sec)².

    Parameters
    ----------
    tree_predictions : int array-like (n_trees, n_samples)
        Class that each tree votes for, such as a forest's ``tree_predict``.
    y : int array-like (n_samples,)
        The true classes.

    Returns
    -------
    StrengthCorrelation
        ``bound`` is NaN or infinite where the strength is 0, ρ NaN where no tree's margin varies.

    References
    ----------
    Breiman, *Random Forests*, Machine Learning 45 (2001), section 2.2 and appendix II.
    Gupta et al., *Guided Random Forest*, eqs 30 to 36.
    """
    votes, y = _checked("strength_correlation", tree_predictions, y, 1, "trees")
    n_trees, n_samples = votes.shape
    counts = np.zeros((n_samples, int(max(votes.max(), y.max())) + 1), np.int64)
    rows = np.arange(n_samples)
    for tree in votes:
        counts[rows, tree] += 1
    n_true = counts[rows, y]
    counts[rows, y] = -1
    rival = counts.argmax(axis=1)  # the first of equally popular classes
    n_rival = np.maximum(counts[rows, rival], 0)
    margin = (n_true - n_rival) / n_trees
    strength = float(margin.mean())
    accuracy = (votes == y).mean(axis=1)
    second = (votes == rival).mean(axis=1)
    printed = accuracy + second - accuracy**2 - second**2
    deviations = {
        "printed": np.sqrt(np.maximum(printed, 0)).mean(),
        "breiman": np.sqrt(np.maximum(printed + 2 * accuracy * second, 0)).mean(),
    }
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = {name: (np.mean(margin**2) - strength**2) / sd**2 for name, sd in deviations.items()}
        bound = {name: r * (1 - strength**2) / np.square(strength) for name, r in rho.items()}
    return StrengthCorrelation(
        strength=strength,
        correlation=float(rho["breiman"]),
        bound=float(bound["breiman"]),
        printed_correlation=float(rho["printed"]),
        printed_bound=float(bound["printed"]),
        error=float((margin <= 0).mean()),
    )


def _checked(name, predictions, y, fewest, what):
    predictions, y = np.asarray(predictions), np.asarray(y)
    if (
        predictions.ndim != 2
        or predictions.shape[0] < fewest
        or predictions.shape[1:] != y.shape
        or not y.size
    ):
        raise ValueError(
            f"{name}: predictions must be of shape (n_{what}, n_samples) with at least {fewest} {what} and "
            f"as many samples as y, got {predictions.shape} and {y.shape}."
        )
    whole = predictions.dtype.kind in "iu" and y.dtype.kind in "iu"
    if not whole or min(predictions.min(), y.min()) < 0:
        raise ValueError(f"{name}: predictions and y must be class indices, integers >= 0.")
    return predictions, y
