"""General statements of the PCF's source, each checked on one small data set."""

import numpy as np

from studylib.pcf import PartialClassificationTree, node_depths
from studylib.studies.pcf.algorithm1 import fit_as_printed


def small_data(rng, *, mixed=False):
    """A small random data set with ties, duplicates and, now and then, constant columns.

    Parameters
    ----------
    rng : numpy Generator
    mixed : bool
        Whether two equal observations carry different labels.

    Returns
    -------
    X : float64 ndarray (n_samples, n_features)
    y : int64 ndarray (n_samples,)
    """
    n, d, n_classes = rng.integers(2, 31), rng.integers(1, 5), rng.integers(2, 5)
    X = rng.integers(0, rng.integers(2, 9), size=(n, d)).astype(float)
    if rng.random() < 0.5:
        X += rng.random((n, d))
    y = rng.integers(0, n_classes, n)
    if mixed:
        X[1], y[0], y[1] = X[0], 0, 1
    return X, y


def same_beyond_its_height(X, y, seed):
    """Whether every ``max_depth`` from a Tree's own height on gives the same Tree (Fig. 1).

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
    seed : int
    """
    free = PartialClassificationTree(min_samples_leaf=2, max_depth=None, random_state=seed).fit(X, y).nodes_
    height = int(node_depths(free).max())
    return all(
        _tree(limit, seed).fit(X, y).nodes_.tobytes() == free.tobytes()
        for limit in (height, height + 1, height + 7, 10 * height + 100)
    )


def _tree(max_depth, seed, min_samples_leaf=2):
    """A Tree as in the source's Fig. 1, with a height limit."""
    return PartialClassificationTree(
        min_samples_leaf=min_samples_leaf, max_depth=max_depth, random_state=seed
    )


def within_node_bound(X, y, max_depth, seed):
    """Whether a Tree with this limit, and Algorithm 1 with h > τ_h, have at most 2^(τ_h + 1) − 1 nodes.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
    max_depth, seed : int

    Returns
    -------
    ours, printed : bool
    """
    bound = 2 ** (max_depth + 1) - 1
    ours = len(_tree(max_depth, seed).fit(X, y).nodes_)
    printed = fit_as_printed(X, y, tau_h=max_depth, line_4="prose", random_state=seed).n_nodes
    return ours <= bound, printed <= bound


def abstain_label_is_outside(labels, abstain_label):
    """Whether Λ is none of the labels, or was refused because it is.

    Parameters
    ----------
    labels : sequence of labels
    abstain_label : value of the constructor
    """
    tree = PartialClassificationTree(abstain_label=abstain_label)
    try:
        tree.fit(np.arange(len(labels), dtype=float)[:, None], labels)
    except ValueError:
        return abstain_label in list(labels)
    return tree.abstain_label_ not in tree.classes_.tolist()
