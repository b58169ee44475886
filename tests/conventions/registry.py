"""One of each estimator; one that is missing here fails in ``test_interface``.

What tests ask of an estimator follows from its parameters and attributes: ``n_jobs``, ``max_features``, ``depth_``.
"""

import inspect

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.neighbors import BallTree, KDTree, NearestNeighbors

from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.neighbors._search import NearestRows
from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from studylib.rules import OneRClassifier, OneRDiscretizer, RuleClassifier
from studylib.trees import AdaBoostClassifier, MultiwayTreePredictor, RandomForestClassifier, TreePredictor

#: One of each, as small as its tests allow.
FORESTS = [
    PartialClassificationForest(7, min_samples_leaf=1, random_state=0),
    GuidedRandomForestClassifier(7, random_state=0),
    BlendedForestClassifier(7, random_state=0),
    RandomForestClassifier(7, random_state=0),
]
OTHERS = [
    PartialClassificationTree(min_samples_leaf=1, random_state=0),
    TreePredictor(random_state=0),
    MultiwayTreePredictor(),
    AdaBoostClassifier(7, random_state=0),
    KNeighborsClassifier(),
    OneRClassifier(),
    OneRDiscretizer(),
    RuleClassifier(),
]
ESTIMATORS = FORESTS + OTHERS
TAKES_WEIGHTS = [e for e in ESTIMATORS if "sample_weight" in inspect.signature(e.fit).parameters]

#: The table's columns of text are categories to these.
TAKES_TEXT = (
    BlendedForestClassifier,
    GuidedRandomForestClassifier,
    TreePredictor,
    MultiwayTreePredictor,
    RandomForestClassifier,
    AdaBoostClassifier,
    OneRClassifier,
    OneRDiscretizer,
    RuleClassifier,
)


def name_of(estimator):
    return type(estimator).__name__


def output(fitted, X):
    """What an estimator makes of new rows."""
    return fitted.predict(X) if hasattr(fitted, "predict") else fitted.transform(X)


def readers(estimator):
    """Names of the methods that need a table, and nothing else."""
    return [name for name, needed in methods(estimator).items() if needed == ("self", "X")]


def methods(estimator):
    """The public methods of a fitted estimator, and the parameters that they need."""
    members = inspect.getmembers(type(estimator), inspect.isfunction)
    return {
        name: tuple(p.name for p in inspect.signature(method).parameters.values() if p.default is p.empty)
        for name, method in members
        if not name.startswith(("_", "fit", "get_params", "get_metadata", "set_"))
    }


def ask(estimator, name, *given):
    """What a method says; a list of all stages, if it gives these one by one."""
    answer = getattr(estimator, name)(*given)
    return list(answer) if inspect.isgenerator(answer) else answer


def each(estimators):
    return pytest.mark.parametrize("estimator", estimators, ids=name_of)


def having(*parameters):
    return [e for e in ESTIMATORS if set(parameters) <= set(e.get_params())]


def table(n=120, d=7, seed=0):
    """Whole numbers, so that a tree with a branch per value takes them, too."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (n, d)).astype(float)
    return X, (X[:, 0] + X[:, 1] + rng.integers(0, 3, n) > 6).astype(int)


def mixed(n=60):
    """A frame with every kind of column, and labels that follow from its text."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.integers(0, 8, n) / 2,
            "city": rng.choice(["Bern", "Oslo", "Rome"], n),
            "smoker": rng.random(n) < 0.5,
            "size": pd.Categorical(rng.choice(["s", "m"], n), ["s", "m"], ordered=True),
        }
    )
    return X, np.where((X["city"] == "Rome") | (X["age"] > 3), "yes", "no")


def taken(estimator):
    """A frame with names that the estimator takes, with text if it may, and labels."""
    X, y = mixed()
    return (X if isinstance(estimator, TAKES_TEXT) else X[["age", "smoker"]].astype(float)), y


def state(model, new):
    """All of a fitted model, attribute by attribute, and what it says."""
    answer = np.asarray(output(model, new)).tobytes()  # first: an answer may be kept in the model
    return {**attributes(model), "predict": answer}


def attributes(model):
    """What each attribute of a model holds, without addresses."""
    return {name: joblib.hash(_uncounted(value)) for name, value in vars(model).items()}


def _uncounted(value):
    """A value without scikit-learn's trees of neighbours, which count how often they are asked."""
    if isinstance(value, NearestRows | NearestNeighbors):
        return {name: _uncounted(part) for name, part in vars(value).items()}
    return (
        [np.asarray(part) for part in value.get_arrays()] if isinstance(value, KDTree | BallTree) else value
    )


def holds(forest):
    """The numbers of a forest's trees, without what these read tables by."""
    return [getattr(tree, "nodes_", _without_reader(tree)) for tree in forest]


def _without_reader(tree):
    content = getattr(tree, "__dict__", None)
    if content is None:  # an array or a tuple
        return tree
    return {name: value for name, value in content.items() if name not in ("_view", "_space")}


def walked(arrays, X):
    """The leaf of each row, by a tree's plain arrays alone; to the right with NaN, if they do not say where."""
    leaves = []
    for row in X:
        node = 0
        while arrays["children_left"][node] != -1:
            x = row[arrays["feature"][node]]
            left = x <= arrays["threshold"][node]
            if np.isnan(x) and "missing_go_to_left" in arrays:
                left = arrays["missing_go_to_left"][node]
            node = arrays["children_left" if left else "children_right"][node]
        leaves.append(node)
    return leaves
