"""What the lecture says about distances and nearest neighbours, measured: tasks and properties."""

import numpy as np
from scipy.spatial import distance as scipys
from scipy.stats import norm
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from studylib.neighbors import (
    KNeighborsClassifier,
    euclidean,
    exponential_similarity,
    mahalanobis,
    manhattan,
    maximum,
    similarity,
)
from studylib.studies.forest_lecture.experiments import error, forest
from studylib.studies.nonlinear_lecture.forests import small_set

#: So many new samples tell the error of one neighbour.
N_TEST = 20_000

#: Numbers of irrelevant features that are tried.
IRRELEVANT = [0, 1, 2, 4, 8, 16, 32, 64]


# Distances


def metric_axioms(n_cases, seed=1):
    """Whether the lecture's four distances satisfy the three axioms, on random points."""
    rng = np.random.default_rng(seed)
    held = {"Euclidean": [], "Manhattan": [], "maximum": [], "Mahalanobis": []}
    for _ in range(n_cases):
        d = int(rng.integers(1, 8))
        x, y, z = rng.normal(size=(3, d)) * 10.0 ** rng.integers(-3, 4, d)
        scale = rng.uniform(0.1, 10, d)
        metrics = euclidean, manhattan, maximum, lambda a, b, scale=scale: mahalanobis(a, b, scale)
        for holds, metric in zip(held.values(), metrics, strict=True):
            holds.append(satisfies_axioms(metric, x, y, z))
    return held


def satisfies_axioms(metric, x, y, z):
    """Whether a distance satisfies the axioms on three different points, up to rounding in the third."""
    zero = metric(x, x) == 0 < metric(x, y)
    symmetric = metric(x, y) == metric(y, x)
    return bool(zero and symmetric and metric(x, z) <= (metric(x, y) + metric(y, z)) * (1 + 1e-12))


def similarities_in_range(n_cases, seed=2):
    """Whether both similarities lie in (0, 1], for random distances from 0 to 100: dict of list of bool."""
    distances = np.append(0.0, np.random.default_rng(seed).uniform(0, 100, n_cases - 1))
    similarities = {"1/(1 + d)": similarity(distances), "e^(−d)": exponential_similarity(distances)}
    return {name: (values > 0) & (values <= 1) for name, values in similarities.items()}


def readings_of_mahalanobis(n_cases, seed=3):
    """Whether the printed formula is SciPy's standardised Euclidean distance, and its full Mahalanobis.

    Two bool: equal in all random cases.
    """
    rng = np.random.default_rng(seed)
    standardised, full = [], []
    for _ in range(n_cases):
        points = rng.normal(size=(50, 3)) @ rng.normal(size=(3, 3))  # correlated
        covariance = np.cov(points.T)
        variances = np.diag(covariance)
        printed = mahalanobis(points[0], points[1], np.sqrt(variances))
        standardised.append(np.isclose(printed, scipys.seuclidean(*points[:2], variances)))
        full.append(np.isclose(printed, scipys.mahalanobis(*points[:2], np.linalg.inv(covariance))))
    return [bool(np.all(standardised)), bool(np.all(full))]


# Regions


def regions(seed, n_points=6, n_tried=4000):
    """Whether all cells of one neighbour are convex, by metric, on random points of as many classes.

    Two random places of one cell are joined by a line; if a third place on it is clearly nearer to another
    point, the cell is not convex.
    """
    rng = np.random.default_rng(seed)
    points, start, end = rng.random((n_points, 2)), *rng.random((2, n_tried, 2))
    between = start + rng.random((n_tried, 1)) * (end - start)
    convex = {}
    for name, metric in (("Euclidean", euclidean), ("Manhattan", manhattan)):
        first, last, inner = (metric(place[:, None], points) for place in (start, end, between))
        cell = first.argmin(axis=1)
        same = cell == last.argmin(axis=1)
        farther = inner[np.arange(n_tried), cell] - inner.min(axis=1)
        convex[name] = not bool((farther[same] > 1e-9).any())
    return convex


def regions_as_printed(n_cases):
    """What the slide's two pictures say, on many sets of points.

    For Euclidean whether all cells are convex, per set; for Manhattan whether some cell is not, in any, and
    in how many sets.
    """
    sets = [regions(seed) for seed in range(n_cases)]
    n_sets = sum(not cells["Manhattan"] for cells in sets)
    printed = {
        "Euclidean, convex": [cells["Euclidean"] for cells in sets],
        "Manhattan, one is not": [n_sets > 0],
    }
    return printed, n_sets


# Bayes error


def _clouds(d, bayes):
    """Two round clouds in d dimensions, so far apart that the best classifier errs on a share ``bayes``."""

    def draw(rng, n):
        y = rng.integers(0, 2, n)
        X = rng.normal(size=(n, d))
        X[:, 0] += 2 * norm.isf(bayes) * y
        return X, y

    return draw, bayes


def _squares(rng, n):
    """A board of 4 × 4 squares in two colours, a tenth of the labels wrong."""
    X = rng.uniform(0, 4, (n, 2))
    return X, (X.astype(int).sum(axis=1) + (rng.random(n) < 0.1)) % 2


def _coins(rng, n):
    """Labels that do not depend on the place, one in twenty of the second class."""
    return rng.random((n, 2)), (rng.random(n) < 0.05).astype(int)


#: How samples are drawn, and the Bayes error: ``(draw(rng, n), share)``.
KNOWN = {
    "2 features, 5 %": _clouds(2, 0.05),
    "2 features, 15 %": _clouds(2, 0.15),
    "2 features, 30 %": _clouds(2, 0.30),
    "10 features, 15 %": _clouds(10, 0.15),
    "board, 10 %": (_squares, 0.10),
    "coins, 5 %": (_coins, 0.05),
}


def one_neighbour(key, seed):
    """Test error of the nearest of ``n`` samples, relative to the Bayes error, on a set of ``KNOWN``."""
    draw, bayes = KNOWN[key["data"]]
    rng = np.random.default_rng(seed)
    X, y = draw(rng, key["n"])
    model = KNeighborsClassifier(1, algorithm="kd_tree").fit(X, y)
    return {"ratio": error(model, *draw(rng, N_TEST)) / bayes}


# Votes and features


def five_votes():
    """A new point whose five neighbours vote for one class with weights 1/d², for another with equal ones."""
    X = [[1, 0], [0, 2], [0, -2], [-2, 0], [2, 1], [4, 2], [-4, 1], [4, -1], [-4, -2]]
    return np.array(X, float), np.array(list("aabbbbaba")), np.zeros(2)


def nearer_neighbours_weigh_more(n_cases, seed=5):
    """Whether a nearer neighbour has a larger share of the vote, in proportion to 1/d²: a list of bool.

    Each of five neighbours has a class of its own, whose share is the neighbour's.
    """
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(n_cases):
        X, query = rng.normal(size=(5, 3)), rng.normal(size=3)
        shares = KNeighborsClassifier(5).fit(X, np.arange(5)).predict_proba([query])[0]
        distances = euclidean(X, query)
        falls = (np.diff(shares[distances.argsort()]) < 0).all()
        held.append(bool(falls and np.allclose(shares, distances**-2.0 / (distances**-2.0).sum())))
    return held


def irrelevant(key, seed):
    """Test error of five neighbours, and how much nearer the nearest is, by number of irrelevant features.

    Two clouds in two dimensions, 500 training samples, a Bayes error of 10%.  The irrelevant features vary as
    much as the relevant ones.  "error" is by votes of 1/d²; "contrast" the mean distance to the nearest
    training sample relative to that to a random one.
    """
    rng = np.random.default_rng(seed)
    draw, _ = _clouds(2, 0.10)
    (X, y), (X_test, y_test) = draw(rng, 500), draw(rng, 2000)
    noise, noise_test = (rng.normal(size=(len(part), max(key["steps"]))) for part in (X, X_test))
    measured = {"error": [], "error, equal votes": [], "contrast": []}
    for n in key["steps"]:
        wide, wide_test = np.hstack([X, noise[:, :n]]), np.hstack([X_test, noise_test[:, :n]])
        model = KNeighborsClassifier(5).fit(wide, y)
        measured["error"].append(error(model, wide_test, y_test))
        equal = KNeighborsClassifier(5, weights="uniform").fit(wide, y)
        measured["error, equal votes"].append(error(equal, wide_test, y_test))
        nearest = model.kneighbors(wide_test, 1)[0].mean()
        measured["contrast"].append(float(nearest / euclidean(wide_test[:500], wide).mean()))
    return measured


def equal_features(key, seed):
    """Test error of five neighbours with five relevant features, with irrelevant ones, and with weights.

    The weights of the features are the importances of a random forest on the training data.
    """
    X, y = make_classification(2000, 5, n_informative=5, n_redundant=0, random_state=seed)
    noise = np.random.default_rng(seed).normal(size=(len(X), key["n_irrelevant"]))
    X = np.hstack([X / X.std(axis=0), noise])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    weights = forest(50, random_state=seed).fit(X, y).feature_importances_
    errors = {}
    for name, factors in (("without", np.arange(X.shape[1]) < 5), ("with", 1.0), ("weighted", weights)):
        errors[name] = error(KNeighborsClassifier(5).fit(X * factors, y), X_test * factors, y_test)
    return errors


def vote_weights(key, seed):
    """Test error of 15 neighbours with equal votes and with votes of 1/d².

    Features are in units of their standard deviation, so that no unit decides.  The set's data are always the
    same: the split into 70 and 30% depends on the seed.
    """
    X, y = small_set(key["data"])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    errors = {}
    for weights in ("uniform", "inverse_square"):
        model = KNeighborsClassifier(15, metric="mahalanobis", weights=weights).fit(X, y)
        errors[weights] = error(model, X_test, y_test)
    return errors
