"""The margin of eqs 24 and 25, as it is printed and as Breiman defines it."""

import numpy as np
import pandas as pd

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier

#: Decimals beyond which a difference of two means is rounding.
DIGITS = 12


def printed_margins(forest, X, y):
    """Eq 24: 1 if the forest's decision is right, less 1 if it is one of the other classes, so 1 or −1."""
    decided = forest.predict(X)[:, None] == forest.classes_
    return _of_true_class_minus_best_other(decided.astype(int), forest.classes_, y)


def breiman_margins(forest, X, y):
    """Share of trees that vote for the true class minus that of the most popular other class."""
    votes = forest.tree_predict(X)
    shares = (votes[:, :, None] == np.arange(len(forest.classes_))).mean(axis=0)
    return _of_true_class_minus_best_other(shares, forest.classes_, y)


def _of_true_class_minus_best_other(values, classes, y):
    true = np.asarray(y)[:, None] == classes
    others = np.where(true, -np.inf, values)
    return (values * true).sum(axis=1) - others.max(axis=1).astype(values.dtype)


def margin_table(n_forests):
    """Accuracy and both mean margins on new samples, for forests of 25 trees on small simulated sets."""
    rows = []
    for seed in range(n_forests):
        n_classes = 2 + seed % 4
        X, y = make_random_rbf(600, 4, n_classes, 20, seed)
        forest = GuidedRandomForestClassifier(25, random_state=seed).fit(X[:300], y[:300])
        known = np.isin(y, forest.classes_)
        known[:300] = False  # the training samples
        X_new, y_new = X[known], y[known]
        accuracy = float((forest.predict(X_new) == y_new).mean())
        printed = float(printed_margins(forest, X_new, y_new).mean())
        rows.append(
            {
                "accuracy": accuracy,
                "printed": printed,
                "Breiman's": float(breiman_margins(forest, X_new, y_new).mean()),
                "printed − (2 · accuracy − 1)": round(printed - (2 * accuracy - 1), DIGITS) + 0.0,
            }
        )
    return pd.DataFrame(rows)
