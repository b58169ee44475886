"""Parts of ten UCI sets, chosen by sensitivity: the sets, tuning, and accuracy against fraction (Fig. 8)."""

import functools

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score, train_test_split
from sklearn.svm import SVC
from threadpoolctl import threadpool_limits

from studylib.core.data import DataChangedError, DataNotAvailableError
from studylib.datasets import load_uci_suite
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies import suites
from studylib.studies.graf.sensitivity import SCHEMES, fitted, order_of_rows

#: The sets of Table I, smallest first.
TABLE_1 = (
    "synthetic-control", "credit-approval", "breast-cancer-wisc", "energy-y2", "statlog-vehicle",
    "statlog-german-credit", "optical", "pendigits", "mushroom", "letter",
)  # fmt: skip
#: What is trained on the chosen rows in Fig. 8.
LEARNERS = ("random forest", "GRAF")
FRACTIONS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
#: The grid that the support vector machine is tuned on: powers of two, for standardised features.
_GRID = {"C": [2.0**k for k in range(-1, 11, 2)], "gamma": [2.0**k for k in range(-9, 0, 2)]}
_N_FOLDS = 5
#: Share of the rows that are tested.
TEST_SHARE = 0.5


def load_table_1_sets():
    """The sets of Table I; one that is altered or cannot be read is left out and named."""
    names, problems = [], {}
    for name in TABLE_1:
        try:
            load_uci_suite(name)
        except (DataChangedError, DataNotAvailableError) as error:
            if not problems and isinstance(error, DataNotAvailableError):
                raise
            problems[name] = str(error)
        else:
            names.append(name)
    if not names:
        raise DataNotAvailableError(f"none of the ten sets can be used; the first: {problems[TABLE_1[0]]}")
    return suites.Sets(names, problems)


@functools.lru_cache(maxsize=2)
def halves(name):
    """The halves that the suite's authors tuned on, X and y each; a bundled set is halved at random."""
    X, y = suites.rows(name)
    if suites.is_bundled(name):
        train, test = train_test_split(np.arange(len(y)), test_size=0.5, stratify=y, random_state=0)
    else:
        train, test = load_uci_suite(name).tuning_split
    return X[train], y[train], X[test], y[test]


@functools.lru_cache(maxsize=2)
def split(name, half):
    """A training and a test half of a set, with the rows of each in the order of the data set.

    ``half`` numbers a random half, with the classes' shares kept; None is the archive's.
    """
    if half is None:
        return halves(name)
    X, y = suites.rows(name)
    rows = train_test_split(np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=half)
    train, test = (np.sort(part) for part in rows)
    return X[train], y[train], X[test], y[test]


def sizes(name):
    """Rows of both halves, features and classes of a set, a dict."""
    X, y, X_test, _ = halves(name)
    return {"training": len(X), "test": len(X_test), "features": X.shape[1], "classes": int(y.max()) + 1}


def _folds(seed):
    return StratifiedKFold(_N_FOLDS, shuffle=True, random_state=seed)


def tuned_forest(key, seed):
    """M of {log2 d, √d, d/2, d} with the best accuracy in 5 folds of the training half; or the smallest."""
    X, y, *_ = halves(key["data"])
    d = X.shape[1]
    candidates = sorted({max(1, int(m)) for m in (np.log2(d), np.sqrt(d), d / 2, d)})
    accuracy = {}
    with threadpool_limits(1):
        for m in candidates:
            forest = GuidedRandomForestClassifier(key["n_trees"], max_features=m, random_state=seed)
            accuracy[m] = float(cross_val_score(forest, X, y, cv=_folds(seed)).mean())
    best = max(candidates, key=accuracy.get)
    return {"max_features": best, "accuracy": accuracy[best]}


def tuned_svm(key, seed):
    """C and γ of a Gaussian kernel, best in 5 folds of the training half; ties: the smallest C, then γ."""
    X, y, *_ = halves(key["data"])
    with threadpool_limits(1):
        search = GridSearchCV(SVC(cache_size=500), _GRID, cv=_folds(seed), refit=False).fit(X, y)
    return {**search.best_params_, "accuracy": float(search.best_score_)}


def default_svm(name):
    """C and γ of scikit-learn's defaults on the training half of a set, a dict: γ = 1 / (d · variance)."""
    X, *_ = halves(name)
    return {"C": 1.0, "gamma": float(1 / (X.shape[1] * X.var()))}


def sensitivities(X, y, n_trees, max_features, seed, weight="height"):
    """ŝ of eq 39 for every row of a training set, float64 (n,)."""
    return (
        GuidedRandomForestClassifier(
            n_trees,
            max_features=max_features,
            compute_sensitivity=True,
            sensitivity_weight=weight,
            random_state=seed,
        )
        .fit(X, y)
        .sensitivity_
    )


def fraction_keys(forests, n_trees, n_halves):
    """Keys of :func:`fraction_curves`, from what :func:`tuned_forest` found for each set.

    ``n_trees`` are of the forest that gives the sensitivities; the learners have a quarter as many.
    """
    return [
        {
            "data": name,
            "half": half,
            "max_features": tuned["max_features"],
            "n_trees": n_trees,
            "fractions": list(FRACTIONS),
        }
        for name, tuned in forests.items()
        for half in range(n_halves)
    ]


def repetitions(name, n_seeds, n_large_seeds):
    """Number of repetitions on a set: fewer if its training half has more than 5,000 rows."""
    return n_large_seeds if sizes(name)["training"] > 5_000 else n_seeds


def fraction_curves(key, seed):
    """Accuracy on the other half of forests that see a growing part of a random half.

    The last fraction is 1, for which all schemes have the same rows.  Schemes and fractions are paired: the
    seed is of sensitivities, samples and learners.  Returns an accuracy per fraction by learner and scheme.
    """
    X, y, X_test, y_test = split(key["data"], key["half"])
    rng, n_trees, m = np.random.default_rng(seed), key["n_trees"] // 4, key["max_features"]

    def accuracies(rows):
        chosen = np.sort(rows)
        models = {
            "random forest": RandomForestClassifier(n_trees, random_state=seed),
            "GRAF": GuidedRandomForestClassifier(n_trees, max_features=m, random_state=seed),
        }
        return {k: fitted(model, X[chosen], y[chosen]).score(X_test, y_test) for k, model in models.items()}

    with threadpool_limits(1):
        scores = sensitivities(X, y, key["n_trees"], m, seed)
        complete = accuracies(np.arange(len(X)))
        curves = {learner: {} for learner in LEARNERS}
        for scheme in SCHEMES:
            order = order_of_rows(scheme, scores, rng)
            parts = [accuracies(order[: round(f * len(X))]) for f in key["fractions"][:-1]]
            for learner in LEARNERS:
                curves[learner][scheme] = [float(part[learner]) for part in (*parts, complete)]
    return curves
