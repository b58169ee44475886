"""Cases for the estimators: hostile tables, labels, weights and parameters."""

import contextlib
import inspect

import numpy as np
import pandas as pd
from sklearn.base import clone

from tests.conventions.registry import ESTIMATORS
from tests.fuzz import values
from tests.fuzz.check import Refused, refusals, silence

#: What a parameter may sensibly be, so that a case gets past the checks.
SENSIBLE = {
    "n_estimators": [1, 2, 3],
    "n_jobs": [None, 1, 2, -1],
    "random_state": [0, 1, None, 2**32 - 1],
    "max_depth": [None, 0, 1, 3],
    "min_samples_leaf": [1, 2, 5],
    "min_samples_split": [1, 2, 5],
    "max_features": [None, "sqrt", "log2", "half", "ceil_sqrt", 1, 0.5],
    "max_leaf_nodes": [None, 1, 2, 5],
    "max_nodes": [None, 1, 5],
    "leaf_model": ["majority"],
    "max_loss": [0.0, 0.1, 0.5],
    "small_leaves": ["inactive", "as_printed"],
    "voting": ["plurality", "ignore_abstain"],
    "abstain_label": ["auto", None, -5, "none"],
    "hyperplane": ["box", "centred", "guided", "canonical"],
    "extension_gain": [0.0, 0.1],
    "features_per_plane": [1, 2, 3],
    "n_candidates": [1, 5],
    "sensitivity_weight": ["height", "depth"],
    "criterion": [
        "information", "entropy", "gini", "gain_ratio", "misclassification", "chi_square", "sqrt_gini",
    ],
    "categorical_features": ["auto", None, "from_dtype", [0], ["c0"]],
    "continuous_condition": ["threshold", "equality"],
    "categorical_condition": ["membership", "equality"],
    "laplace": [0.0, 1.0],
    "min_entropy": [0.0, 0.5],
    "numeric": ["categories", "thresholds"],
    "metric": ["euclidean", "manhattan", "maximum", "mahalanobis", "full_mahalanobis"],
    "algorithm": ["auto", "kd_tree", "ball_tree", "brute"],
    "weights": ["inverse_square", "uniform"],
    "n_neighbors": [1, 2, 5],
    "min_bucket_size": [1, 2, 6],
    "max_len": [1, 2],
    "min_support": [0.01, 0.2],
    "min_confidence": [0.0, 0.5, 1.0],
}  # fmt: skip


def case(chance):
    """One estimator, fitted and asked; what was tried, and what came of it."""
    estimator = clone(chance.choice(ESTIMATORS))
    name = type(estimator).__name__
    hostile = chance.random() < 0.6
    parameters = _parameters(chance, estimator)
    estimator.set_params(**parameters)
    n, d = chance.randint(1, 24), chance.randint(1, 4)
    made = values.columns(chance, n, d, hostile and chance.random() < 0.7)
    X = values.no_table(chance) if hostile and chance.random() < 0.1 else values.table(chance, made)
    y = values.labels(chance, n, hostile and chance.random() < 0.3)
    if chance.random() < 0.05:
        y = chance.choice([None, "labels", 3, [[]], {}])
    with silence(name), contextlib.suppress(Refused):
        with refusals():
            _fit(chance, estimator, X, y, n, hostile)
            if hasattr(estimator, "warm_start") and chance.random() < 0.4:  # grown on, perhaps on other data
                X = chance.choice([X, values.table(chance, values.columns(chance, n, d, False))])
                more = _parameters(chance, estimator) | {"warm_start": True, "n_estimators": 4}
                _fit(chance, estimator.set_params(**more), X, y, n, hostile)
        _ask(chance, estimator, X, made, hostile)
        return f"{name}: a result"
    return f"{name}: refused"


def same(chance):
    """One table by two makers: the same answers, or two refusals."""
    estimator = clone(chance.choice([e for e in ESTIMATORS if hasattr(e, "predict_proba")]))
    name = type(estimator).__name__
    n, d = chance.randint(2, 24), chance.randint(1, 4)
    made = values.columns(chance, n, d, chance.random() < 0.5)
    twice = values.same_table(chance, made)
    if twice is None:
        return f"{name}: no two makers"
    y = [chance.choice("ab") for _ in range(n)]
    answers = []
    with silence(name):
        for X in twice:
            try:
                with refusals():
                    answers.append(clone(estimator).fit(X, y).predict_proba(X).tobytes())
            except Refused as refused:
                answers.append(str(refused)[:20])
    if isinstance(answers[0], bytes) or isinstance(answers[1], bytes):
        kinds = " and ".join(type(X).__name__ for X in twice)
        assert answers[0] == answers[1], (
            f"other answers to {kinds}: {answers[0]!r:.60} and {answers[1]!r:.60}"
        )
        return f"{name}: the same twice"
    return f"{name}: refused twice"


def _parameters(chance, estimator):
    parameters = {}
    for parameter in estimator.get_params(deep=False):
        at = chance.random()
        if at < 0.02:
            parameters[parameter] = chance.choice(values.ODD)
        elif at < 0.4 and parameter in SENSIBLE:
            parameters[parameter] = chance.choice(SENSIBLE[parameter])
        elif parameter == "n_estimators":
            parameters[parameter] = chance.randint(1, 3)
    return parameters


def _fit(chance, estimator, X, y, n, hostile):
    if "sample_weight" in inspect.signature(estimator.fit).parameters:
        weights = values.weights(chance, n, hostile and chance.random() < 0.2)
        estimator.fit(X, y, sample_weight=weights)
        return
    try:
        estimator.fit(X, y)
    except MemoryError as error:  # documented: more itemsets than ``max_itemsets``
        if "max_itemsets" not in str(error):
            raise
        raise ValueError(str(error)) from error


def _ask(chance, fitted, X, made, hostile):
    new = X
    if hostile and chance.random() < 0.5:
        new = _another(chance, X, made)
    with refusals():
        if not hasattr(fitted, "predict"):
            answer = fitted.transform(new)
            assert np.shape(answer) == values.shape(new), "another shape than that of the table"
            return
        shares, predicted = fitted.predict_proba(new), fitted.predict(new)
    n = len(predicted)
    assert shares.shape == (n, len(fitted.classes_)), f"shares of shape {shares.shape}"
    assert np.isfinite(shares).all(), "shares that are not finite"
    assert (shares >= 0).all(), f"a negative share {shares.min()}"
    assert np.abs(shares.sum(axis=1) - 1).max() < 1e-9, f"shares that sum to {shares.sum(axis=1)}"
    allowed = [*fitted.classes_.tolist(), getattr(fitted, "abstain_label_", fitted.classes_.tolist()[0])]
    wrong = [label for label in np.asarray(predicted).tolist() if label not in allowed]
    assert not wrong, f"the label {wrong[0]!r}, which is no class"
    if fitted.get_params().get("random_state", 0) is not None:
        assert fitted.predict_proba(new).tobytes() == shares.tobytes(), "other shares when asked again"


def _another(chance, X, made):
    """Another table to be asked about: columns in another order, fewer, renamed, or of other kinds."""
    kind = chance.randrange(5)
    other = values.rearranged(chance, X) if kind < 2 else None
    if other is not None:
        return other
    if isinstance(X, pd.DataFrame) and kind == 2 and X.shape[1]:
        return X.set_axis([f"new{j}" for j in range(X.shape[1])], axis=1)
    if kind == 3:
        return values.no_table(chance)
    return values.table(chance, values.columns(chance, chance.randint(1, 9), len(made), True))
