"""General statements of the PCF's source, each checked on one small data set."""

import numpy as np

from studylib.datasets import make_clean_partitions
from studylib.pcf import PartialClassificationTree
from studylib.studies.pcf.algorithm1 import fit_as_printed
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest


def small_data(rng, *, mixed=False):
    """A small random data set with ties, duplicates and, now and then, constant columns.

    ``mixed``: whether two equal observations carry different labels. Returns ``X`` (float64 ndarray
    (n_samples, n_features)) and ``y`` (int64 ndarray (n_samples,)).
    """
    n, d, n_classes = rng.integers(2, 31), rng.integers(1, 5), rng.integers(2, 5)
    X = rng.integers(0, rng.integers(2, 9), size=(n, d)).astype(float)
    if rng.random() < 0.5:
        X += rng.random((n, d))
    y = rng.integers(0, n_classes, n)
    if mixed:
        X[1], y[0], y[1] = X[0], 0, 1
    return X, y


def same_from_depth_three(rng, seed):
    """Whether a Tree on data of Fig. 1's size is the same with τ_h = 3 as without a limit.

    ``seed``: of the Tree.
    """
    X, y = figure_1_data(rng)
    limited, free = (_tree(limit, seed).fit(X, y).nodes_ for limit in (3, None))
    return limited.tobytes() == free.tobytes()


def figure_1_data(rng):
    """Fourteen points with two labels, mostly apart: data like those of Fig. 1.

    Returns ``X`` (float64 ndarray (14, 2)) and ``y`` (ndarray of str (14,)).
    """
    X = rng.random((14, 2))
    return X, np.where(X[:, 0] + 0.3 * rng.standard_normal(14) < 0.5, "a", "b")


def _tree(max_depth, seed, min_samples_leaf=2):
    """A Tree as in the source's Fig. 1, with a height limit."""
    return PartialClassificationTree(
        min_samples_leaf=min_samples_leaf, max_depth=max_depth, random_state=seed
    )


def within_node_bound(X, y, max_depth, seed):
    """Whether a Tree with this limit, and Algorithm 1 with h > τ_h, have at most 2^(τ_h + 1) − 1 nodes."""
    bound = 2 ** (max_depth + 1) - 1
    ours = len(_tree(max_depth, seed).fit(X, y).nodes_)
    printed = fit_as_printed(X, y, tau_h=max_depth, line_4="prose", random_state=seed).n_nodes
    return ours <= bound, printed <= bound


def abstain_label_is_outside(labels, abstain_label):
    """Whether Λ is none of the labels, or was refused because it is.

    ``labels``: sequence of labels. ``abstain_label``: value of the constructor.
    """
    tree = PartialClassificationTree(abstain_label=abstain_label)
    try:
        tree.fit(np.arange(len(labels), dtype=float)[:, None], labels)
    except ValueError:
        return abstain_label in list(labels)
    return tree.abstain_label_ not in tree.classes_.tolist()


def sizes_as_printed(planes, line_4, tau_l=0):
    """Number of nodes that Algorithm 1 gives a Tree on each plane, list of int.

    ``planes``: list of (X, y). ``line_4``: {"printed", "prose"}. ``tau_l``: τ_l, the largest loss of a leaf.
    """
    grown = [
        fit_as_printed(X, y, tau_l=tau_l, line_4=line_4, random_state=k) for k, (X, y) in enumerate(planes)
    ]
    return [growth.n_nodes for growth in grown]


def needs_height_guard(X, y, height):
    """Whether Algorithm 1 ends only at τ_h where our Tree is one Leaf at once.

    ``X``: array-like (n_samples, n_features); the first two observations are equal. ``y``: array-like
    (n_samples,); their labels are not. ``height``: τ_h.
    """
    printed = fit_as_printed(X, y, tau_h=height, line_4="prose", random_state=0)
    return printed.height >= height and len(_tree(height, 0).fit(X[:2], y[:2]).nodes_) == 1


def splits_empty_space(seed, tau_x=0, height=8):
    """Whether Algorithm 1 splits an empty partition of a small data set, as it then does until τ_h.

    The data have two labels at least and no two equal observations: those would be split until τ_h whatever
    τ_|X| is.  ``height``: τ_h.
    """
    rng = np.random.default_rng([seed, 3])
    n, d = rng.integers(2, 31), rng.integers(1, 5)
    X, y = rng.random((n, d)), rng.integers(0, 2, n)
    y[:2] = 0, 1
    settings = {"tau_x": tau_x, "tau_h": height, "line_4": "prose", "height_stop": "bound"}
    return fit_as_printed(X, y, random_state=seed, **settings).n_empty_split > 0


_LABEL_SETS = ([0, 1], [-1, 1], [-1, -2], [1.0, 2.0], ["a", "b"], ["abstain", "b"], [True, False], [7, 7])
_ABSTAIN_LABELS = ("auto", -1, 0, 1, 0.5, "a", "abstain", None, True)


def abstain_labels_are_outside():
    """Whether Λ is outside the label set for many label sets and values of the constructor, list of bool."""
    return [abstain_label_is_outside(y, value) for y in _LABEL_SETS for value in _ABSTAIN_LABELS]


def n_different_forests(numbers_of_jobs):
    """How many different forests and predictions the numbers of jobs give, int."""
    X, y = make_clean_partitions(random_state=0)
    different = set()
    for n_jobs in numbers_of_jobs:
        forest = PartialClassificationForest(20, n_jobs=n_jobs, random_state=0).fit(X, y)
        trees = b"".join(tree.nodes_.tobytes() for tree in forest.estimators_)
        different.add(trees + forest.predict(X).tobytes())
    return len(different)
