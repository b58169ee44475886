"""What the lecture on non-linear classification says, measured: tasks ``(key, seed) -> plain data``.

The lecture: *Non-linear classification models*.
"""

import warnings

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score, roc_curve
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import KBinsDiscretizer

from studylib.datasets import load_bundled, load_golf
from studylib.statistics.decompositions import bias_variance
from studylib.studies.forest_lecture.experiments import error, forest, noisy_split
from studylib.trees import (
    AdaBoostClassifier,
    TreePredictor,
    entropy,
    information_gain,
)

#: Shares of random labels that pruning is measured at.
NOISES = [0.0, 0.1, 0.2, 0.3]

#: Shares of random labels that costs are measured at, by what they are called.
COST_NOISES = {"clean labels": 0.0, "20 % noise": 0.2}

#: Class shares are clipped to this distance from 0 and 1 for the log-loss.
CLIP = 1e-3


def golf_bits():
    """Entropy of the lecture's golf table and the gains of its two attributes in bits, by claim."""
    golf = load_golf()
    return {
        "l2-golf-entropy": entropy(golf.target),
        "l2-golf-wind": information_gain(golf.data["wind"], golf.target),
        "l2-golf-humidity": information_gain(golf.data["humidity"], golf.target),
    }


def pruning(key, seed):
    """Test error and size of a grown tree, of one stopped early, and of one pruned on held-out data.

    All three see the same data: the pruned tree grows on two thirds and is pruned on the rest.
    """
    X, X_test, y, y_test = noisy_split(seed, 3000, key["noise"])
    X_grow, X_prune, y_grow, y_prune = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    trees = {
        "grown": TreePredictor().fit(X, y),
        "stopped": TreePredictor(min_entropy=0.5).fit(X, y),
        "pruned": TreePredictor().fit(X_grow, y_grow).prune(X_prune, y_prune),
    }
    errors = {name: error(tree, X_test, y_test) for name, tree in trees.items()}
    return errors | {f"{name} leaves": int(tree.n_leaves_) for name, tree in trees.items()}


def costs(key, seed):
    """Counted work of growing and pruning a tree on n samples.

    Growing looks at each sample of each inner node once per feature; pruning sends each sample of the pruning
    set down to its leaf and visits each node once.
    """
    X, X_prune, y, _ = noisy_split(seed, 2 * key["n"], key["noise"])
    tree = TreePredictor().fit(X, y)
    inner = tree.nodes_["feature"] >= 0
    steps = tree.nodes_["depth"][tree.apply(X_prune)] + 1  # nodes on the path, the root and leaf included
    return {
        "growing": int(tree.nodes_["n_samples"][inner].sum()) * X.shape[1],
        "pruning": int(steps.sum()) + tree.n_nodes_,
    }


def smoothing(key, seed):
    """Brier score and log-loss of a tree's class shares, raw and with Laplace's smoothing.

    For the log-loss shares are clipped to 0.001 … 0.999: a wrong share of 0 would cost infinitely much.
    """
    X, X_test, y, y_test = noisy_split(seed, noise=key["noise"])
    losses = {"Brier score": {}, "log-loss": {}}
    for name, laplace in (("raw", 0.0), ("smoothed", 1.0)):
        tree = TreePredictor(min_samples_split=10, laplace=laplace).fit(X, y)
        share = tree.predict_proba(X_test)[:, 1]
        losses["Brier score"][name] = float(brier_score_loss(y_test, share))
        losses["log-loss"][name] = float(log_loss(y_test, np.clip(share, CLIP, 1 - CLIP)))
    return losses


def roc_curves(seed=1):
    """ROC curves of the leaves' class shares: two trees on test data, and one on its training data."""
    X, X_test, y, y_test = noisy_split(seed, 2000)
    curves = {}
    for name, leaves in (("20 leaves", 20), ("grown", None)):
        scores = TreePredictor(max_leaf_nodes=leaves, laplace=1.0).fit(X, y).predict_proba(X_test)[:, 1]
        area = roc_auc_score(y_test, scores)
        curves[f"{name}, test: area {area:.2f}"] = roc_curve(y_test, scores)[:2]
    scores = TreePredictor(max_leaf_nodes=20).fit(X, y).predict_proba(X)[:, 1]
    curves["20 leaves, training: convex"] = roc_curve(y, scores, drop_intermediate=False)[:2]
    return curves


def discretised(key, seed):
    """Test accuracy of a tree on continuous features and on the same in five bins of equal frequency."""
    X, y = load_bundled(key["data"])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    bins = KBinsDiscretizer(5, encode="ordinal", strategy="quantile", quantile_method="averaged_inverted_cdf")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # bins of constant features and of few values are merged
        X_binned, X_test_binned = bins.fit_transform(X), bins.transform(X_test)
    return {
        "continuous": 1 - error(TreePredictor().fit(X, y), X_test, y_test),
        "discretised": 1 - error(TreePredictor().fit(X_binned, y), X_test_binned, y_test),
    }


def tree_and_forest(key, seed):
    """Training and test error of a tree and a forest, with and without noise in the training labels only."""
    X, X_test, y, y_test = noisy_split(seed, 2000, 0.0)
    rng = np.random.default_rng(seed)
    flipped = np.where(rng.random(len(y)) < key["noise"], 1 - y, y)
    errors = {}
    for name, model in {
        "tree": TreePredictor(),
        "forest": forest(key["n_estimators"], random_state=seed),
    }.items():
        for kind, labels in (("clean", y), ("noisy", flipped)):
            model.fit(X, labels)
            errors[f"{name}, {kind}"] = {
                "train": error(model, X, labels),
                "test": error(model, X_test, y_test),
            }
    return errors


def errors_of_tree_and_forest(runs):
    """Results of :func:`tree_and_forest` in long form: model, labels, part, error."""
    shown = runs.filter(like=": ").melt(var_name="case", value_name="error")
    return shown.join(shown["case"].str.extract(r"(?P<model>\w+), (?P<labels>\w+): (?P<part>\w+)"))


def out_of_bag(key, seed):
    """Out-of-bag and test error of a forest on a large set."""
    X, X_test, y, y_test = noisy_split(seed, key["n_samples"], 0.1)
    fitted = forest(key["n_estimators"], oob_score=True, random_state=seed).fit(X, y)
    return {"out of bag": float(fitted.oob_error_), "test": error(fitted, X_test, y_test)}


def pruned_forest(key, seed):
    """Test error of a forest of grown trees and of the same forest, each tree pruned on held-out data."""
    X, X_test, y, y_test = noisy_split(seed, 3000, key["noise"])
    X, X_prune, y, y_prune = train_test_split(X, y, test_size=1 / 3, random_state=seed)
    fitted = forest(key["n_estimators"], random_state=seed).fit(X, y)
    votes = {"grown": 0, "pruned": 0}
    for tree in fitted.estimators_:
        votes["grown"] += tree.predict(X_test) == 1
        votes["pruned"] += tree.prune(X_prune, y_prune).predict(X_test) == 1
    return {
        name: float(((count > key["n_estimators"] / 2) != y_test).mean()) for name, count in votes.items()
    }


def boosting_rounds(key, seed):
    """AdaBoost's rounds, the weights computed independently from the stumps' predictions.

    Of each round the error ε, Z = Σ w exp(−α t M), and the weight of what is misclassified after the update.
    """
    X, _, y, _ = noisy_split(seed, 1000, 0.1)
    boosted = AdaBoostClassifier(n_estimators=key["n_estimators"]).fit(X, y)
    sign = np.where(y == boosted.classes_[1], 1.0, -1.0)
    weights = np.full(len(y), 1 / len(y))
    by_round = {"epsilon": [], "z": [], "mass": []}
    for stump, alpha in zip(boosted.estimators_, boosted.estimator_weights_, strict=True):
        wrong = stump.predict(X) != y
        vote = np.where(wrong, -sign, sign)
        by_round["epsilon"].append(float(weights[wrong].sum()))
        moved = weights * np.exp(-alpha * sign * vote)
        by_round["z"].append(float(moved.sum()))
        weights = moved / moved.sum()
        by_round["mass"].append(float(weights[wrong].sum()))
    return by_round


def boosting_bias(key, seed):
    """Squared bias and variance of AdaBoost along its rounds, over models of different training sets."""
    X, X_test, y, y_test = noisy_split(seed, 4000, 0.0)
    rng = np.random.default_rng(seed)
    predictions = []
    for _ in range(key["n_models"]):
        rows = rng.choice(len(X), 500, replace=False)
        boosted = AdaBoostClassifier(n_estimators=max(key["rounds"])).fit(X[rows], y[rows])
        staged = list(boosted.staged_predict(X_test))
        predictions.append([staged[min(k, len(staged)) - 1] for k in key["rounds"]])
    predictions = np.array(predictions)
    parts = [bias_variance(predictions[:, k], y_test) for k in range(len(key["rounds"]))]
    return {"bias2": [part.bias2 for part in parts], "variance": [part.variance for part in parts]}


def reliability(key, seed):
    """Area under the ROC curve of AdaBoost's feature shares: five informative features, fifteen others."""
    X, y = make_classification(
        1000, 20, n_informative=5, n_redundant=0, n_clusters_per_class=1, shuffle=False, random_state=seed
    )
    shares = AdaBoostClassifier(n_estimators=key["n_estimators"]).fit(X, y).feature_importances_
    return {"area": float(roc_auc_score(np.arange(20) < 5, shares)), "shares": shares.tolist()}
