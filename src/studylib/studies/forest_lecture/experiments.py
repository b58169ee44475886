"""What two lectures say of single trees, each statement as a task ``(key, seed) -> plain data`` or a check.

The lectures: Zachmann, *Classification and Prediction Using Random Forests* (L1), and *Non-linear
classification models* (L2).
"""

import warnings

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import KBinsDiscretizer

from studylib.trees import MultiwayTreePredictor, TreePredictor

#: Real sets that scikit-learn carries.
REAL_SETS = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}


def noisy_split(seed, n_samples=2000, noise=0.2):
    """Two classes in ten dimensions, a share of the labels replaced by a coin's throw, halved.

    Parameters
    ----------
    seed, n_samples : int
    noise : float

    Returns
    -------
    X, X_test, y, y_test : ndarrays
    """
    X, y = make_classification(n_samples, 10, n_informative=6, flip_y=noise, random_state=seed)
    return train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)


def error(tree, X, y):
    """Share of wrong predictions."""
    return float((tree.predict(X) != y).mean())


def entropy_is_bounded(rng):
    """Whether H ≤ log2 k for a random distribution over k values, with equality for the uniform one only."""
    k = int(rng.integers(2, 20))
    p = rng.dirichlet(np.full(k, rng.choice([0.1, 1.0, 100.0])))
    uniform = np.full(k, 1 / k)
    entropies = [-(q[q > 0] * np.log2(q[q > 0])).sum() for q in (p, uniform)]
    return bool(entropies[0] < np.log2(k) and abs(entropies[1] - np.log2(k)) < 1e-12)


def truth_table(n_variables):
    """All rows of ``n_variables`` Boolean variables, float64 (2^n, n)."""
    rows = np.arange(2**n_variables)
    return (rows[:, None] >> np.arange(n_variables) & 1).astype(float)


def boolean_functions(key, seed):
    """How many of the Boolean functions from ``first`` to ``last`` (exclusive) a tree represents exactly.

    Parameters
    ----------
    key : {"n_variables", "first", "last"}
        A function's number holds its truth table in binary.
    """
    X = truth_table(key["n_variables"])
    bits = np.arange(len(X))
    exact = 0
    for number in range(key["first"], key["last"]):
        y = number >> bits & 1
        exact += np.array_equal(TreePredictor().fit(X, y).predict(X), y)
    return {"exact": int(exact), "functions": key["last"] - key["first"]}


def _multiway_tree(seed):
    """An ID3 tree of a small random table with contradictions, and the table's classes."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.integers(0, 4, (40, 3)), columns=list("abc")).astype("category")
    y = rng.integers(0, 3, 40)
    return MultiwayTreePredictor().fit(X, y), X, y


def mixed_leaves_take_the_majority(seed):
    """Whether leaves that are still mixed, no attribute being left, say what most of their samples say.

    Parameters
    ----------
    seed : int
    """
    tree, X, y = _multiway_tree(seed)
    leaves = tree.apply(X)
    for leaf in np.unique(leaves):
        found = y[leaves == leaf]
        counts = np.bincount(found, minlength=3)
        alike = (X[leaves == leaf].nunique() == 1).all()
        if len(np.unique(found)) > 1 and not alike:
            return False  # an attribute was left
        if tree.nodes_["label"][leaf] != counts.argmax():
            return False
    return True


def empty_leaves_take_the_parents_majority(seed):
    """Whether every leaf without samples says what most samples of its parent say.

    Parameters
    ----------
    seed : int
    """
    tree, X, _ = _multiway_tree(seed)
    nodes = tree.nodes_
    for node in np.flatnonzero(nodes["feature"] >= 0):
        first = nodes["first_child"][node]
        children = np.arange(first, first + X.iloc[:, nodes["feature"][node]].nunique())
        empty = children[nodes["n_samples"][children] == 0]
        if (nodes["label"][empty] != tree.class_counts_[node].argmax()).any():
            return False
    return True


def leaves_are_boxes(seed):
    """Whether the leaves of a tree are boxes that tile the space: each random point lies in exactly its own.

    Parameters
    ----------
    seed : int
    """
    X, _, y, _ = noisy_split(seed, 400)
    X = X[:, :3]
    tree = TreePredictor().fit(X, y)
    low = np.full((tree.n_nodes_, 3), -np.inf)  # boxes are open below and closed above
    high = np.full((tree.n_nodes_, 3), np.inf)
    for node in np.flatnonzero(tree.nodes_["feature"] >= 0):
        feature, first, value = (tree.nodes_[node][name] for name in ("feature", "first_child", "value"))
        low[[first, first + 1]], high[[first, first + 1]] = low[node], high[node]
        low[first, feature] = value
        high[first + 1, feature] = value
    leaves = np.flatnonzero(tree.nodes_["feature"] < 0)
    points = np.random.default_rng(seed).normal(0, 3, (500, 3))
    inside = ((points[:, None] > low[leaves]) & (points[:, None] <= high[leaves])).all(axis=2)
    return bool(
        (inside.sum(axis=1) == 1).all() and (leaves[inside.argmax(axis=1)] == tree.apply(points)).all()
    )


_SMOOTH = {
    "sine": lambda x: np.sin(2 * np.pi * x[:, 0]) * np.sin(np.pi * x[:, 1]),
    "bump": lambda x: np.exp(-20 * ((x - 0.4) ** 2).sum(axis=1)),
    "plane": lambda x: x[:, 0] + 0.5 * x[:, 1],
}


def approximation(key, seed):
    """Root mean square error of a tree's steps on a smooth function, for each number of leaves.

    The function's values are rounded to 64 levels, which are the tree's classes.

    Parameters
    ----------
    key : {"function", "leaves", "replicate"}
    seed : int

    Returns
    -------
    dict with "rms", list of float
    """
    rng = np.random.default_rng(seed)
    X, X_test = rng.random((4000, 2)), rng.random((2000, 2))
    f = _SMOOTH[key["function"]]
    edges = np.quantile(f(X), np.linspace(0, 1, 65))
    level = np.clip(np.searchsorted(edges, f(X)) - 1, 0, 63)
    middles = np.array([f(X)[level == k].mean() if (level == k).any() else 0.0 for k in range(64)])
    found = []
    for n_leaves in key["leaves"]:
        tree = TreePredictor("gini", max_leaf_nodes=n_leaves).fit(X, level)
        found.append(float(np.sqrt(np.mean((middles[tree.predict(X_test)] - f(X_test)) ** 2))))
    return {"rms": found}


def _walk(tree, X, flipped):
    """Label of each row when one node sends its rows to the wrong side, and who passed that node."""
    at = np.zeros(len(X), np.int64)
    passed = np.zeros(len(X), bool)
    nodes = tree.nodes_
    while (nodes["feature"][at] >= 0).any():
        moving = np.flatnonzero(nodes["feature"][at] >= 0)
        here = nodes[at[moving]]
        outcome = X[moving, here["feature"]] <= here["value"]
        wrong = at[moving] == flipped
        passed[moving[wrong]] = True
        at[moving] = here["first_child"] + (outcome ^ wrong)
    return tree.classes_[nodes["label"][at]], passed


def flipped_node(key, seed):
    """Error below and beside an inner node that decides wrongly: a node of the second to fourth level.

    Parameters
    ----------
    key : {"replicate"}
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, noise=0.0)
    tree = TreePredictor().fit(X, y)
    rng = np.random.default_rng(seed)
    upper = np.flatnonzero((tree.nodes_["feature"] >= 0) & np.isin(tree.nodes_["depth"], (1, 2, 3)))
    labels, below = _walk(tree, X_test, rng.choice(upper))
    wrong = labels != y_test
    return {
        "below": float(wrong[below].mean()) if below.any() else None,
        "beside": float(wrong[~below].mean()),
    }


def overfitting(key, seed):
    """Training and test error of trees of growing depth on noisy labels.

    Parameters
    ----------
    key : {"depths", "replicate"}
        ``depths`` are numbers of levels, the root's included: a lone root is 1.
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed)
    trees = [TreePredictor(max_depth=levels - 1).fit(X, y) for levels in key["depths"]]
    return {
        "train": [error(tree, X, y) for tree in trees],
        "test": [error(tree, X_test, y_test) for tree in trees],
    }


def pruning(key, seed):
    """Test error and size of a grown tree, of one stopped early, and of one pruned on held-out data.

    All three see the same data: the pruned tree grows on two thirds and is pruned on the rest.

    Parameters
    ----------
    key : {"noise", "replicate"}
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, 3000, key["noise"])
    X_grow, X_prune, y_grow, y_prune = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    trees = {
        "grown": TreePredictor().fit(X, y),
        "stopped": TreePredictor(min_entropy=0.5).fit(X, y),
        "pruned": TreePredictor().fit(X_grow, y_grow).prune(X_prune, y_prune),
    }
    found = {name: error(tree, X_test, y_test) for name, tree in trees.items()}
    return found | {f"{name} leaves": int(tree.n_leaves_) for name, tree in trees.items()}


def pruning_on_training_data_does_nothing(seed):
    """Whether no inner node's subtree is less accurate on its own training data than the node's majority.

    The lecture's algorithm replaces a subtree only if it is.

    Parameters
    ----------
    seed : int
    """
    X, _, y, _ = noisy_split(seed, 400)
    tree = TreePredictor().fit(X, y)
    correct = tree.class_counts_.max(axis=1)
    below = np.where(tree.nodes_["feature"] < 0, correct, 0.0)
    for node in range(tree.n_nodes_ - 1, -1, -1):  # children come after their parents
        if tree.nodes_["feature"][node] >= 0:
            first = tree.nodes_["first_child"][node]
            below[node] = below[first] + below[first + 1]
    return bool((below >= correct).all())


def costs(key, seed):
    """Counted work of growing and pruning a tree on n samples.

    Growing looks at each sample of each inner node once a feature; pruning sends each sample of the pruning
    set down to its leaf and visits each node once.

    Parameters
    ----------
    key : {"n", "replicate"}
    seed : int
    """
    X, X_prune, y, _ = noisy_split(seed, 2 * key["n"])
    tree = TreePredictor().fit(X, y)
    inner = tree.nodes_["feature"] >= 0
    steps = tree.nodes_["depth"][tree.apply(X_prune)] + 1  # nodes on the path, the root and leaf included
    return {
        "growing": int(tree.nodes_["n_samples"][inner].sum()) * X.shape[1],
        "pruning": int(steps.sum()) + tree.n_nodes_,
    }


def smoothing(key, seed):
    """Log-loss of a tree's class shares, raw and with Laplace's smoothing.

    Parameters
    ----------
    key : {"noise", "replicate"}
    seed : int
    """
    X, X_test, y, y_test = noisy_split(seed, noise=key["noise"])
    found = {}
    for name, laplace in (("raw", 0.0), ("smoothed", 1.0)):
        tree = TreePredictor(min_samples_split=10, laplace=laplace).fit(X, y)
        found[name] = float(log_loss(y_test, tree.predict_proba(X_test)))
    return found


def ranking_is_convex(seed):
    """Whether leaves in order of their class share give a convex ROC curve on the training data.

    Parameters
    ----------
    seed : int
    """
    X, _, y, _ = noisy_split(seed, 400)
    tree = TreePredictor(max_leaf_nodes=20).fit(X, y)
    counts = tree.class_counts_[tree.nodes_["feature"] < 0]
    share = counts[:, 1] / counts.sum(axis=1)
    steps = counts[np.argsort(-share, kind="stable")] / counts.sum(axis=0)  # false, true positives a leaf
    turns = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    return bool((turns <= 1e-12).all())


def discretised(key, seed):
    """Test accuracy of a tree on continuous features and on the same in five bins of equal frequency.

    Parameters
    ----------
    key : {"data", "replicate"}
        ``data`` is one of ``REAL_SETS``.
    seed : int
    """
    X, y = REAL_SETS[key["data"]](return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    bins = KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # bins of constant features and of few values are merged
        X_binned, X_test_binned = bins.fit_transform(X), bins.transform(X_test)
    return {
        "continuous": 1 - error(TreePredictor().fit(X, y), X_test, y_test),
        "discretised": 1 - error(TreePredictor().fit(X_binned, y), X_test_binned, y_test),
    }


def impurity_ratio(index, parent, child, weighted):
    """Impurity of a child relative to its parent, the child's weighted by its share of the samples or not.

    Parameters
    ----------
    index : callable, from class shares to an impurity
    parent, child : array (n_classes,), class counts
    weighted : bool
    """
    parent, child = np.asarray(parent, float), np.asarray(child, float)
    ratio = index(child / child.sum()) / index(parent / parent.sum())
    return float(ratio * (child.sum() / parent.sum() if weighted else 1.0))
