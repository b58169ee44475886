"""τ_l and τ_|X| chosen by cross-validation, for any γ.

A Tree with large thresholds is distributed as one with small thresholds that is cut back: descend from the
root and stop at the first node that is large and clean enough.  So one forest, grown with the smallest
thresholds of the grid, shows what a forest with every pair of the grid would vote; the fitted γ would be out
of reach otherwise.
"""

import itertools
import math
from functools import cache

import numpy as np
from sklearn.model_selection import StratifiedKFold

from studylib.core import tree
from studylib.core.compiling import njit
from studylib.core.forest import add_votes
from studylib.pcf import ConfidenceBound, Laplace, Majority
from studylib.statistics import risk_coverage
from studylib.studies.pcf.leaf_classifiers import Logistic, NearestNeighbour
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

#: The γ that are compared; the first is the source's.
LEAF_MODELS = {
    "majority": Majority(),
    "Laplace": Laplace(),
    "confidence bound": ConfidenceBound(),
    "logistic": Logistic(),
    "nearest neighbour": NearestNeighbour(),
}
#: γ that fit a classifier in every leaf.
FITTED = ("logistic", "nearest neighbour")

#: The common grid: thresholds τ_l for the loss and τ_|X| for the size of an active leaf.
MAX_LOSSES = (0.0, 0.1, 0.2, 0.4)
SMALLEST_LEAVES = (4, 10, 20)
GRID = tuple(itertools.product(MAX_LOSSES, SMALLEST_LEAVES))
#: Folds of the cross-validation.
N_FOLDS = 5


def ranked(votes, prior):
    """A label and a confidence, the number of votes for it, for every sample, from the votes of a forest.

    ``votes`` are int (n_samples, n_classes + 1), the last column Λ's; ``prior`` the classes' shares in
    training.  Where no Tree votes, the most frequent class is predicted last.
    """
    labels = votes[:, :-1]
    best = labels.max(axis=1)
    return np.where(best > 0, labels.argmax(axis=1), np.argmax(prior)), best


def chosen_thresholds(leaf_model, X, y, n_trees, seed):
    """The pair of the grid with the smallest area under the risk–coverage curve in a cross-validation.

    ``n_trees`` is of the forest in each fold.  Returns ``max_loss``, ``min_samples_leaf`` and the mean area
    over the folds; a tie goes to the first of ``GRID``.
    """
    areas = np.zeros(len(GRID))
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    for train, held in folds.split(X, y):
        prior = np.bincount(y[train], minlength=y.max() + 1)
        votes = grid_votes(leaf_model, X[train], y[train], X[held], n_trees, seed)
        for k in range(len(GRID)):
            areas[k] += risk_coverage(y[held], *ranked(votes[k], prior)).area / N_FOLDS
    best = areas.round(12).argmin()
    return *GRID[best], float(areas[best])


def grid_votes(leaf_model, X, y, X_new, n_trees, seed):
    """Votes for new samples of a forest with each pair of the grid, see :func:`chosen_thresholds`.

    Returns int64 (n_pairs, n_new, n_classes + 1): the last column is Λ's.
    """
    n_classes = y.max() + 1
    votes = np.zeros((len(GRID), len(X_new), n_classes + 1), np.int64)
    gamma, recorded = LEAF_MODELS[leaf_model], []
    is_fitted = leaf_model in FITTED

    def recording(X, y):
        recorded.append(gamma(X, y))
        return recorded[-1]

    forest = PartialClassificationForest(
        n_trees, leaf_model=recording if is_fitted else "majority", max_loss=min(MAX_LOSSES),
        min_samples_leaf=min(SMALLEST_LEAVES), random_state=seed,
    ).fit(X, y)  # fmt: skip
    reached, reached_new = forest.apply(X), forest.apply(X_new)
    asked_before = 0
    for k, nodes in enumerate(grown.nodes_ for grown in forest.estimators_):
        if is_fitted:
            asked = _in_order_of_growth(nodes)
            answers = dict(zip(asked, recorded[asked_before : asked_before + len(asked)], strict=True))
            asked_before += len(asked)
            losses = np.full(len(nodes), np.inf)
            losses[asked] = [loss for _, loss in answers.values()]
        else:
            counts = tree.label_counts(reached[:, k], y, n_classes, tree.parents(nodes["first_child"]))
            losses, answers = _losses_of_counts(leaf_model, counts), counts.argmax(axis=1)
        for votes_of_pair, (max_loss, smallest) in zip(votes, GRID, strict=True):
            stops = active_ancestors(nodes["first_child"], nodes["n_samples"], losses, max_loss, smallest)
            add_votes(_labels(stops[reached_new[:, k]], answers, X_new), 1, votes_of_pair)
    return votes


def _losses_of_counts(leaf_model, counts):
    """Loss of every node for a γ that looks at class counts alone."""
    sizes, tops = counts.sum(axis=1).tolist(), counts.max(axis=1).tolist()
    return np.array(
        [_loss(leaf_model, size - top, size, counts.shape[1]) for size, top in zip(sizes, tops, strict=True)]
    )


@cache
def _loss(leaf_model, n_wrong, n, n_classes):
    return LEAF_MODELS[leaf_model].loss(n_wrong, n, n_classes) if n else math.inf


def _in_order_of_growth(nodes):
    """The nodes for which γ was asked, in that order: parents first, then left before right."""
    order, open_nodes = [], [0]
    while open_nodes:
        at = open_nodes.pop()
        if not np.isnan(nodes["loss"][at]):
            order.append(at)
        if nodes["first_child"][at] >= 0:
            open_nodes += [nodes["first_child"][at] + 1, nodes["first_child"][at]]
    return order


def _labels(stops, answers, X):
    """Class index of each sample where it stops, -1 where it stops nowhere."""
    if isinstance(answers, np.ndarray):
        return np.where(stops >= 0, answers[stops], -1)
    labels = np.full(len(X), -1)
    for at in np.unique(stops[stops >= 0]):
        here = stops == at
        predictor = answers[at][0]
        labels[here] = predictor.predict(X[here]) if hasattr(predictor, "predict") else predictor
    return labels


@njit(cache=True, nogil=True)
def active_ancestors(first_child, n_samples, losses, max_loss, smallest):
    """The first node on the way to each node that is large and clean enough to be an active leaf.

    ``losses``, float64 (n_nodes,), are what γ says of each node; ``max_loss`` is τ_l, ``smallest`` τ_|X|.
    Returns int64 (n_nodes,), -1 where there is none.
    """
    active = np.full(first_child.shape[0], -1, np.int64)
    for at in range(first_child.shape[0]):
        if active[at] < 0 and n_samples[at] >= smallest and losses[at] <= max_loss:
            active[at] = at
        child = first_child[at]
        if child >= 0:
            active[child] = active[child + 1] = active[at]
    return active
