"""Weka's RandomRBF generator, draw for draw.

Weka 3.9 takes every number from one ``java.util.Random``: first the centroids, then the examples.  Both are
reproduced here; the tests compare with files that Weka wrote.  The state of the generator is a 48-bit
integer, which the kernels take and return.
"""

from typing import NamedTuple

import numpy as np

from studylib.core.compiling import njit
from studylib.core.parameters import check_integer

_JAVA_INT = 2**31 - 1
_JAVA_LONG = 2**63 - 1
_MULTIPLIER, _MASK = 0x5DEECE66D, 2**48 - 1


class RBFCentroids(NamedTuple):
    """Centroids of a RandomRBF model, indexed by ``k``.

    ``centres``, float64 (n_centroids, n_features), are points of the unit cube; ``classes``, int64, the class
    of all examples of centroid ``k``, which is chosen with a probability in proportion to ``weights[k]``;
    ``deviations`` are standard deviations of the distance from it.
    """

    centres: np.ndarray
    classes: np.ndarray
    weights: np.ndarray
    deviations: np.ndarray


def make_random_rbf(n_samples=100, n_features=10, n_classes=2, n_centroids=50, seed=1):
    """Examples around random centroids, as Weka's ``RandomRBF -S seed -n -a -c -C`` generates them.

    An example chooses a centroid by weight and is displaced from its centre in a random direction, by a
    normally distributed distance with the centroid's deviation.  Its class is that of the centroid.  The
    direction is uniform in the cube, not on the sphere, as in Weka.

    Parameters
    ----------
    n_samples : int
    n_features : int
    n_classes : int
        Number of classes that a centroid chooses from; with few centroids, some classes may have none.
    n_centroids : int
    seed : int
        Any Java ``long``.  The seed determines the examples as well as the centroids: the first k rows of a
        longer run are those of a shorter one.

    Returns
    -------
    X : ndarray of float64, shape (n_samples, n_features)
    y : ndarray of int64, shape (n_samples,)
        Class c stands for Weka's ``c0``, ``c1``, …

    Raises
    ------
    ValueError
        If a parameter is not an integer in its range; the first four are Java's ``int``, at least 1.
    """
    owner = "make_random_rbf"
    n_samples = check_integer(owner, "n_samples", n_samples, 1, _JAVA_INT)
    state, centroids = _centroids(owner, n_features, n_classes, n_centroids, seed)
    X = np.empty((n_samples, centroids.centres.shape[1]))
    y = np.empty(n_samples, np.int64)
    _draw_examples(state, *centroids, X, y)
    return X, y


def random_rbf_centroids(n_features=10, n_classes=2, n_centroids=50, seed=1):
    """The centroids that :func:`make_random_rbf` draws examples from.

    Parameters
    ----------
    n_features, n_classes, n_centroids, seed : int
        As in :func:`make_random_rbf`.

    Returns
    -------
    RBFCentroids
        A named tuple of the arrays ``centres``, ``classes``, ``weights`` and ``deviations``.
    """
    return _centroids("random_rbf_centroids", n_features, n_classes, n_centroids, seed)[1]


def _centroids(owner, n_features, n_classes, n_centroids, seed):
    """The generator's state after the centroids were drawn, and the centroids."""
    d = check_integer(owner, "n_features", n_features, 1, _JAVA_INT)
    n_classes = check_integer(owner, "n_classes", n_classes, 1, _JAVA_INT)
    k = check_integer(owner, "n_centroids", n_centroids, 1, _JAVA_INT)
    seed = check_integer(owner, "seed", seed, -_JAVA_LONG - 1, _JAVA_LONG)
    centroids = RBFCentroids(np.empty((k, d)), np.empty(k, np.int64), np.empty(k), np.empty(k))
    return _draw_centroids((seed ^ _MULTIPLIER) & _MASK, n_classes, *centroids), centroids


@njit(cache=True, nogil=True)
def _step(state):
    """The next state; its upper bits are the random ones.  The product may wrap: 48 bits are kept."""
    return (state * _MULTIPLIER + 11) & _MASK


@njit(cache=True, nogil=True)
def _double(state):
    """``(state, u)``: Java's ``nextDouble``, 26 and 27 bits, in [0, 1)."""
    state = _step(state)
    high = state >> 22
    state = _step(state)
    return state, ((high << 27) + (state >> 21)) * 2.0**-53


@njit(cache=True, nogil=True)
def _integer(state, bound):
    """``(state, k)``: Java's ``nextInt(bound)``, which takes upper bits if the bound is a power of two."""
    while True:
        state = _step(state)
        drawn = state >> 17
        if bound & (bound - 1) == 0:
            return state, (bound * drawn) >> 31
        remainder = drawn % bound
        if drawn - remainder + bound <= 2**31:  # the last, incomplete block of numbers is drawn again
            return state, remainder


@njit(cache=True, nogil=True)
def _gaussian_pair(state):
    """``(state, first, second)``: two values of Java's polar ``nextGaussian``."""
    while True:
        state, u = _double(state)
        state, v = _double(state)
        a = 2.0 * u - 1.0
        b = 2.0 * v - 1.0
        s = a * a + b * b
        if 0.0 < s < 1.0:
            factor = np.sqrt(-2.0 * np.log(s) / s)
            return state, a * factor, b * factor


@njit(cache=True, nogil=True)
def _draw_centroids(state, n_classes, centres, classes, weights, deviations):
    """Fill the arrays, whose first axes agree; returns the state."""
    for k in range(centres.shape[0]):
        for j in range(centres.shape[1]):
            state, centres[k, j] = _double(state)
        state, classes[k] = _integer(state, n_classes)
        state, weights[k] = _double(state)
        state, deviations[k] = _double(state)
    return state


@njit(cache=True, nogil=True)
def _draw_examples(state, centres, classes, weights, deviations, X, y):
    """Fill ``X`` and ``y``, row by row; the order of the sums is Weka's."""
    reached = np.cumsum(weights)
    last = reached.shape[0] - 1
    kept, is_kept = 0.0, False  # every second Gaussian was made with the one before
    for i in range(X.shape[0]):
        state, u = _double(state)
        k = min(np.searchsorted(reached, u * reached[last], side="right"), last)
        squares = 0.0
        for j in range(X.shape[1]):
            state, u = _double(state)
            X[i, j] = 2.0 * u - 1.0
            squares += X[i, j] * X[i, j]
        if is_kept:
            gaussian = kept
        else:
            state, gaussian, kept = _gaussian_pair(state)
        is_kept = not is_kept
        scale = gaussian * deviations[k] / np.sqrt(squares)
        for j in range(X.shape[1]):
            X[i, j] = centres[k, j] + X[i, j] * scale
        y[i] = classes[k]
