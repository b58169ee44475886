"""General statements of the GRAF paper, each checked on forests that were grown for it."""

from math import comb

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import train_test_split

from studylib.core.tree import label_counts
from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier, impurity
from studylib.studies.keys import crossed


def small_forest(seed, n_features=None, **parameters):
    """A forest of three trees on a small simulated set, its hyperplanes in the units of the data; and X, y.

    ``y`` holds class indices.  Without ``n_features``, there are 2 to 5.
    """
    rng = np.random.default_rng(seed)
    d, n_classes = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    X, y = make_random_rbf(int(rng.integers(20, 200)), n_features or d, n_classes, 10, seed)
    y = np.unique(y, return_inverse=True)[1]  # a class may not have been drawn
    parameters = {"n_estimators": 3, "standardize": False, "random_state": seed} | parameters
    return GuidedRandomForestClassifier(**parameters).fit(X, y), X, y


def node_counts(tree, leaves, y, n_classes):
    """Samples of each class in every node, int64 (n_nodes, n_classes)."""
    return label_counts(leaves, y, n_classes, tree.parents())


def split_share(forest):
    """Share of the drawn hyperplanes that divide the partition they were drawn for."""
    planes = sum(len(tree.thresholds) for tree in forest.trees_)
    return planes / sum(tree.n_draws for tree in forest.trees_)


def nothing_is_empty(forest, X):
    """Whether no partition is empty and every sample of ``X`` ends in a leaf."""
    leaves = forest.apply(X)
    return all(
        (tree.n_samples > 0).all() and tree.is_leaf()[leaves[:, t]].all()
        for t, tree in enumerate(forest.trees_)
    )


def within_partition_bound(forest):
    """Whether at every height there are at most Σ_{i ≤ M} C(height, i) partitions, and at most n."""
    for tree in forest.trees_:
        n_split = np.bincount(tree.nodes["plane"][~tree.is_leaf()], minlength=len(tree.thresholds))
        n_partitions = 1 + np.concatenate([[0], np.cumsum(n_split)])
        for height, n in enumerate(n_partitions.tolist()):
            cells = sum(comb(height, i) for i in range(forest.max_features_ + 1))
            if n > min(cells, int(tree.n_samples[0])):
                return False
    return True


def votes_like_a_majority(forest, X):
    """Whether eq 23 gives the majority of the trees' votes, given that all leaves are pure."""
    votes = forest.tree_predict(X)
    counts = (votes[:, :, None] == np.arange(len(forest.classes_))).sum(axis=0)
    return np.array_equal(forest.classes_[counts.argmax(axis=1)], forest.predict(X))


def is_boosting(forest, X, y):
    """Whether every tree grows as Algorithm 1 says: P(i) is 1 in the group of largest Z, else 0.

    The groups of Algorithm 1 are made from the hyperplanes alone: samples of equal bits under all of them.
    The forest was fitted on X and y with ``standardize=False``.
    """
    leaves = forest.apply(X)
    totals = np.bincount(y)
    for t, tree in enumerate(forest.trees_):
        for height in range(len(tree.thresholds)):
            weights = tree.at_height(leaves[:, t], height) == tree.origins[height]  # P(i) as the tree has it
            group = _codes(tree, X, height)
            z = [
                impurity(np.bincount(y[group == g], minlength=len(totals)), totals)
                for g in range(group.max() + 1)
            ]
            ours = group[weights]
            if len(np.unique(ours)) != 1 or (group == ours[0]).sum() != weights.sum():
                return False  # ω is not one of Algorithm 1's groups
            if z[ours[0]] < max(z):
                return False  # or not the most impure
    return True


def _codes(tree, X, height):
    """Groups of samples with equal bits under the first ``height`` hyperplanes, int (n_samples,)."""
    bits = np.zeros((len(X), height), bool)
    for h in range(height):
        features = tree.features[min(h, len(tree.features) - 1)]
        total = np.zeros(len(X))
        for feature, weight in zip(features, tree.weights[h], strict=True):
            total += weight * X[:, feature]
        bits[:, h] = total > tree.thresholds[h]
    return np.unique(bits, axis=0, return_inverse=True)[1].ravel() if height else np.zeros(len(X), int)


def hold_in(cases):
    """Which of the paper's statements hold in each of many small forests: lists of bool.

    The bound on the number of partitions is counted on forests of their own, of two and of three features.
    """
    draws = np.random.default_rng(0)
    elsewhere = [draws.uniform(-3, 3, (200, X.shape[1])) for _, X, _ in cases]
    forests = [forest for forest, _, _ in cases]
    return {
        "no empty partition": list(map(nothing_is_empty, forests, elsewhere)),
        "partition bound": [
            within_partition_bound(small_forest(seed, m, max_features=m)[0])
            for seed in range(len(cases))
            for m in (2, 3)
        ],
        "majority vote": list(map(votes_like_a_majority, forests, elsewhere)),
        "Algorithm 1": [is_boosting(*case) for case in cases],
    }


def purity_gains(forest, X, y):
    """Mean gain in size-weighted Gini purity that a hyperplane brings to the partitions it was not drawn for.

    The mean over all heights of all trees, in samples per sample of the training data.
    """
    leaves = forest.apply(X)
    gains = []
    for t, tree in enumerate(forest.trees_):
        counts = node_counts(tree, leaves[:, t], y, len(forest.classes_)).astype(float)
        purity = (counts**2).sum(axis=1) / counts.sum(axis=1)  # n · Σ p²
        gained = np.zeros(len(tree.thresholds))
        for node in np.flatnonzero(~tree.is_leaf()):
            plane, child = int(tree.nodes["plane"][node]), int(tree.nodes["next"][node])
            if node != tree.origins[plane]:
                gained[plane] += purity[child] + purity[child + 1] - purity[node]
        gains.extend(gained / len(y))
    return float(np.mean(gains))


#: The source's grid of ``min_samples_split``, and larger values that are shown beside it.
SOURCE_GRID, LARGER = (2, 3, 4, 5), (10, 20)


def class_weight_keys(n_replicates):
    """Keys of :func:`class_weight_gain`, from pure leaves to quite impure ones."""
    over = {"min_samples_split": (*SOURCE_GRID, *LARGER), "replicate": range(n_replicates)}
    return crossed(over, rare=0.1)


def class_weight_pairs(weights):
    """Measured pairs, with and without class weights, for each value of the source's grid."""
    return {
        f"min_samples_split {smallest}": {"first": part["with"], "second": part["without"]}
        for smallest, part in weights.groupby("min_samples_split")
        if smallest in SOURCE_GRID
    }


def superadditivity_gap():
    """Z(Ω) − Z(Ω0) − Z(Ω1) for N = (2, 6), (2, 1) → (1, 1) + (1, 0), and both sides as text."""
    totals = np.array([2, 6])
    whole, first, second = (impurity(np.array(n), totals) for n in ((2, 1), (1, 1), (1, 0)))
    return float(whole - first - second), f"{whole:.3f} < {first + second:.3f}"


def class_weight_gain(key, seed):
    """Balanced accuracy with the class weights of eqs 19 and 20, and without, on an imbalanced set.

    ``rare`` is the share of the rarer of two classes.  With pure leaves (``min_samples_split`` 2) the weights
    have nothing to do.
    """
    X, y = make_classification(
        2000, 10, n_informative=6, weights=[1 - key["rare"]], flip_y=0.02, class_sep=0.8, random_state=seed
    )
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    forest = GuidedRandomForestClassifier(
        50, min_samples_split=key["min_samples_split"], random_state=seed
    ).fit(X, y)
    train_leaves, test_leaves = forest.apply(X), forest.apply(X_test)
    plain = np.zeros((len(X_test), 2))
    for t, tree in enumerate(forest.trees_):
        counts = node_counts(tree, train_leaves[:, t], y, 2).astype(float)
        shares = counts / counts.sum(axis=1, keepdims=True)
        plain += np.log2(1 + shares[test_leaves[:, t]])
    return {
        "with": float(balanced_accuracy_score(y_test, forest.predict(X_test))),
        "without": float(balanced_accuracy_score(y_test, plain.argmax(axis=1))),
    }
