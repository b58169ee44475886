"""What the lecture says about impurities, trees and boosting in general, made checkable."""

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar

from studylib.core.tree import accumulate_to_ancestors, parents
from studylib.studies.forest_lecture.experiments import forest, noisy_split, truth_table
from studylib.trees import AdaBoostClassifier, TreePredictor

#: Impurities as the lecture prints them, from class shares to a number.
INDICES = {
    "√Gini": lambda q: np.sqrt((q * (1 - q)).sum()),
    "Gini": lambda q: (q * (1 - q)).sum(),
    "entropy": lambda q: -(q[q > 0] * np.log2(q[q > 0])).sum(),
}


def impurity_ratio(index, parent, child, weighted):
    """Impurity of a child relative to its parent's; if ``weighted``, times its share of the samples.

    Both are class counts; ``index`` makes an impurity of class shares.
    """
    parent, child = np.asarray(parent, float), np.asarray(child, float)
    ratio = index(child / child.sum()) / index(parent / parent.sum())
    return float(ratio * (child.sum() / parent.sum() if weighted else 1.0))


def largest_ratio_moves(n_cases, seed=1):
    """How far impurity ratios move when one class becomes 2 to 19 times as frequent: the largest of many.

    A row per index; column False: the ratio as printed, True: weighted by the child's share.
    """
    draw = np.random.default_rng(seed)
    moves = {(name, weighted): [] for name in INDICES for weighted in (False, True)}
    for _ in range(n_cases):
        child = draw.integers(1, 50, 2)
        parent = child + draw.integers(1, 50, 2)
        factor = np.array([1, draw.integers(2, 20)])
        for (name, weighted), sizes in moves.items():
            before, after = (
                impurity_ratio(INDICES[name], parent * k, child * k, weighted) for k in (np.ones(2), factor)
            )
            sizes.append(abs(after - before))
    return pd.Series({key: max(sizes) for key, sizes in moves.items()}).unstack()


def pruning_on_training_data_does_nothing(seed):
    """Whether no inner node's subtree is less accurate on its own training data than the node's majority.

    The lecture's algorithm replaces a subtree only if it is.
    """
    X, _, y, _ = noisy_split(seed, 400)
    tree = TreePredictor().fit(X, y)
    correct = tree.class_counts_.max(axis=1).astype(np.int64)
    of_leaves = np.where(tree.nodes_["feature"] < 0, correct, 0)
    below = accumulate_to_ancestors(of_leaves, parents(tree.nodes_["first_child"]))
    return bool((below >= correct).all())


def ranking_is_convex(seed):
    """Whether leaves in order of their class share give a convex ROC curve on the training data."""
    X, _, y, _ = noisy_split(seed, 400)
    tree = TreePredictor(max_leaf_nodes=20).fit(X, y)
    counts = tree.class_counts_[tree.nodes_["feature"] < 0]
    share = counts[:, 1] / counts.sum(axis=1)
    # false and true positives that each leaf adds
    steps = counts[np.argsort(-share, kind="stable")] / counts.sum(axis=0)
    turns = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    return bool((turns <= 1e-12).all())


def alpha_minimises(epsilon):
    """Distance between ½ ln((1 − ε) / ε) and the numerical minimiser of Z(α) = ε e^α + (1 − ε) e^(−α)."""
    minimum = minimize_scalar(lambda a: epsilon * np.exp(a) + (1 - epsilon) * np.exp(-a), bracket=(0.0, 1.0))
    return abs(minimum.x - 0.5 * np.log((1 - epsilon) / epsilon))


def alphas_minimise(n_cases, seed=2):
    """Whether the printed α is the numerical minimiser, up to its precision, for random ε: a list of bool."""
    errors = np.random.default_rng(seed).uniform(0.01, 0.49, n_cases)
    return [alpha_minimises(epsilon) < 1e-6 for epsilon in errors]


def boosting_stops_on_xor():
    """Whether AdaBoost stops early on XOR, where every stump has a weighted error of one half."""
    X, y = np.repeat(truth_table(2), 5, axis=0), np.repeat([0, 1, 1, 0], 5)
    return len(AdaBoostClassifier(n_estimators=50).fit(X, y).estimators_) < 50


def three_rules(points):
    """Labels by the lecture's rules: R1: x ≤ 1.2 ⇒ b; R2: x > 1.2 and y ≤ 2.6 ⇒ b; R3: otherwise a."""
    return np.where((points[:, 0] <= 1.2) | (points[:, 1] <= 2.6), "b", "a")


def tree_of_three_rules():
    """A tree grown on a grid of points labelled by the three rules, and whether it labels a finer grid alike.

    The points are those with 0 < x < 2 and 0 < y < 5, where the cut x ≤ 1.2 gains most, so that the tree asks
    in the order of the slide's.
    """
    coarse, fine = _grid(0.1, 0.2), _grid(0.05, 0.1)
    tree = TreePredictor().fit(pd.DataFrame(coarse, columns=["x", "y"]), three_rules(coarse))
    return tree, tree.predict(pd.DataFrame(fine, columns=["x", "y"])) == three_rules(fine)


def _grid(start, step):
    axes = np.arange(start, 2, step), np.arange(start, 5, step)
    return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, 2)


def votes_weigh_accuracy_out_of_bag(seed):
    """Whether a forest's votes are weighted as the lecture says.

    Each tree's weight is its accuracy on the samples out of its bag, and the class with the largest sum of
    weights is predicted.
    """
    X, X_test, y, _ = noisy_split(seed, 200)
    fitted = forest(10, weighted_votes=True, random_state=seed).fit(X, y)
    votes = np.zeros((len(X_test), 2))
    grown = zip(fitted.estimators_, fitted.estimators_samples_, fitted.tree_weights_, strict=True)
    for tree, bag, weight in grown:
        unseen = np.setdiff1d(np.arange(len(y)), bag)
        if not np.isclose(weight, (tree.predict(X[unseen]) == y[unseen]).mean()):
            return False
        votes[np.arange(len(votes)), tree.predict(X_test)] += weight
    return bool((fitted.predict(X_test) == votes.argmax(axis=1)).all())
