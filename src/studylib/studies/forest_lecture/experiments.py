"""What the lecture on random forests says, measured: tasks ``(key, seed) -> plain data``.

The lecture: Zachmann, *Classification and Prediction Using Random Forests*.
"""

import numpy as np
from sklearn.datasets import make_classification, make_moons
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier
from threadpoolctl import threadpool_limits

from studylib.trees import RandomForestClassifier, TreePredictor

#: Numbers of neighbours, depths (the root's is 0) and leaves that the experiments go through.
NEIGHBOURS = [1, 3, 7, 15, 31, 61]
DEPTHS = [1, 2, 3, 5, 7, 11, 15]
LEAVES = [2, 4, 8, 16, 32, 64, 128, 256, 512]


def noisy_split(seed, n_samples=2000, noise=0.2):
    """Two classes in ten dimensions with a share of random labels, split in half."""
    X, y = make_classification(n_samples, 10, n_informative=6, flip_y=noise, random_state=seed)
    return train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)


def error(tree, X, y):
    """Share of wrong predictions."""
    return float((tree.predict(X) != y).mean())


def forest(n_estimators, **options):
    """A random forest that draws ⌈√d⌉ features per node."""
    return RandomForestClassifier(n_estimators, max_features="ceil_sqrt", voting="hard", **options)


def moons():
    """The points of the pictures: two moon-shaped classes that overlap."""
    return make_moons(150, noise=0.3, random_state=1)


class RegressionClassifier:
    """Linear regression as a classifier of two classes: a plane fitted to labels 0 and 1, cut at one half."""

    def fit(self, X, y):
        """Fit the plane."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self._plane = LinearRegression().fit(X, codes)
        return self

    def predict(self, X):
        """Class on each row's side of the plane."""
        return self.classes_[(self._plane.predict(X) > 0.5).astype(int)]


def border_models(X, y):
    """A plane, one neighbour and fifteen neighbours, fitted: dict of name to classifier."""
    models = {
        "linear regression": RegressionClassifier(),
        "nearest neighbour": KNeighborsClassifier(1),
        "15 nearest neighbours": KNeighborsClassifier(15),
    }
    return {name: model.fit(X, y) for name, model in models.items()}


def neighbours(key, seed):
    """Test error of nearest neighbours for several k, on two overlapping clouds."""
    rng = np.random.default_rng(seed)
    y, y_test = rng.integers(0, 2, 400), rng.integers(0, 2, 2000)
    X, X_test = (rng.normal(0, 1, (len(labels), 2)) + 1.2 * labels[:, None] for labels in (y, y_test))
    with threadpool_limits(1):
        return {"errors": [error(KNeighborsClassifier(k).fit(X, y), X_test, y_test) for k in key["ks"]]}


def truth_table(n_variables):
    """All rows of ``n_variables`` Boolean variables, float64 (2^n, n)."""
    rows = np.arange(2**n_variables)
    return (rows[:, None] >> np.arange(n_variables) & 1).astype(float)


def boolean_functions(key, seed):
    """How many of the Boolean functions from ``first`` to ``last`` (exclusive) a tree represents exactly.

    A function's number holds its truth table in binary.
    """
    X = truth_table(key["n_variables"])
    bits = np.arange(len(X))
    exact = 0
    for number in range(key["first"], key["last"]):
        y = number >> bits & 1
        exact += np.array_equal(TreePredictor().fit(X, y).predict(X), y)
    return {"exact": int(exact), "functions": key["last"] - key["first"]}


def boolean_keys(n_variables):
    """Keys of :func:`boolean_functions` for all functions of 1 to ``n_variables`` variables."""
    keys = []
    for n in range(1, n_variables + 1):
        n_functions = 2**2**n
        step = min(n_functions, 4096)
        keys += [{"n_variables": n, "first": k, "last": k + step} for k in range(0, n_functions, step)]
    return keys


#: Smooth functions on the unit square.
SMOOTH = {
    "sine": lambda x: np.sin(2 * np.pi * x[:, 0]) * np.sin(np.pi * x[:, 1]),
    "bump": lambda x: np.exp(-20 * ((x - 0.4) ** 2).sum(axis=1)),
    "plane": lambda x: x[:, 0] + 0.5 * x[:, 1],
}


def approximation(key, seed):
    """Root mean square error of a tree's steps on a smooth function, for each number of leaves.

    The function's values are rounded to 64 levels, which are the tree's classes.
    """
    rng = np.random.default_rng(seed)
    X, X_test = rng.random((4000, 2)), rng.random((2000, 2))
    f = SMOOTH[key["function"]]
    edges = np.quantile(f(X), np.linspace(0, 1, 65))
    level = np.clip(np.searchsorted(edges, f(X)) - 1, 0, 63)
    middles = np.array([f(X)[level == k].mean() if (level == k).any() else 0.0 for k in range(64)])
    errors = []
    for n_leaves in key["leaves"]:
        tree = TreePredictor("gini", max_leaf_nodes=n_leaves).fit(X, level)
        errors.append(float(np.sqrt(np.mean((middles[tree.predict(X_test)] - f(X_test)) ** 2))))
    return {"rms": errors}


def _walk(tree, X, flipped):
    """Label of each row when one node sends its rows to the wrong side, and which rows passed that node."""
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
    """Error below and beside an inner node of the second to fourth level that decides wrongly."""
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
    """Training and test error of trees of growing depth on noisy labels, and of one without a limit.

    The root's depth is 0.
    """
    X, X_test, y, y_test = noisy_split(seed)
    trees = [TreePredictor(max_depth=depth).fit(X, y) for depth in key["depths"]]
    grown = TreePredictor().fit(X, y)
    return {
        "train": [error(tree, X, y) for tree in trees],
        "test": [error(tree, X_test, y_test) for tree in trees],
        "train grown": error(grown, X, y),
        "test grown": error(grown, X_test, y_test),
        "depth": int(grown.depth_),
    }


def resampled_models(X, y, n_trees=3, seed=5):
    """Trees of bootstrap samples, and a forest of all points."""
    rng = np.random.default_rng(seed)
    models, points = {}, []
    for k in range(n_trees):
        rows = rng.integers(0, len(X), len(X))
        models[f"tree of sample {k + 1}"] = TreePredictor().fit(X[rows], y[rows])
        points.append((X[rows], y[rows]))
    models["forest"] = forest(100, random_state=0).fit(X, y)
    return models, [*points, (X, y)]


def instability(key, seed):
    """Share of test samples on which two models of two bootstrap samples differ: trees, and forests."""
    X, X_test, y, _ = noisy_split(seed, 1000, 0.1)
    rng = np.random.default_rng(seed)
    changed = {"tree": [], "forest": []}
    for _ in range(2):
        rows = rng.integers(0, len(X), len(X))
        models = {
            "tree": TreePredictor(),
            "forest": forest(key["n_estimators"], random_state=seed),
        }
        for name, model in models.items():
            changed[name].append(model.fit(X[rows], y[rows]).predict(X_test))
    return {name: float((first != second).mean()) for name, (first, second) in changed.items()}
