"""Every classifier on three tables with a class of about 3%, with and without balanced weights.

``python -m benchmarks.rare_classes`` prints the tables of ``docs/rare_classes.md``, and ``--write`` puts
them there; names of classifiers select some.  It takes about three minutes on two cores.
"""

import inspect
import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.base import clone
from sklearn.metrics import average_precision_score, balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from sklearn.utils.class_weight import compute_sample_weight

from studylib.blend import BlendedForestClassifier
from studylib.datasets import load_uci_suite
from studylib.graf import GuidedRandomForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.pcf import PartialClassificationForest
from studylib.rules import OneRClassifier, RuleClassifier
from studylib.trees import (
    AdaBoostClassifier,
    MultiwayTreePredictor,
    RandomForestClassifier,
    TreePredictor,
)

PAGE = Path(__file__).parents[1] / "docs/rare_classes.md"
MARK = "<!-- given: benchmarks/rare_classes.py writes it -->"

#: The rare class of each set of the UCI suite.
RARE = {"ozone": 1, "thyroid": 0, "yeast": 4}

CLASSIFIERS = {
    "TreePredictor": TreePredictor(min_samples_leaf=5),
    "MultiwayTreePredictor": MultiwayTreePredictor(min_samples_leaf=5),
    "RandomForestClassifier": RandomForestClassifier(random_state=0),
    "AdaBoostClassifier": AdaBoostClassifier(random_state=0),
    "GuidedRandomForestClassifier": GuidedRandomForestClassifier(hyperplane="guided", random_state=0),
    "BlendedForestClassifier": BlendedForestClassifier(random_state=0),
    "PartialClassificationForest": PartialClassificationForest(
        max_loss=0.2, min_samples_leaf=5, voting="always", random_state=0
    ),
    "KNeighborsClassifier": KNeighborsClassifier(15),
    "OneRClassifier": OneRClassifier(),
    "RuleClassifier": RuleClassifier(),
}


def takes_weights(model):
    """Whether ``fit`` takes weights of samples or of classes."""
    return "sample_weight" in inspect.signature(model.fit).parameters


def measured(model, X, rare, balanced=False, n_repeats=2):
    """Balanced accuracy and average precision, both in percent: means over repeated five-fold validation."""
    scores = []
    for seed in range(n_repeats):
        for train, test in StratifiedKFold(5, shuffle=True, random_state=seed).split(X, rare):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                weight = {"sample_weight": compute_sample_weight("balanced", rare[train])} if balanced else {}
                fitted = clone(model).fit(X[train], rare[train], **weight)
            shares = fitted.predict_proba(X[test])[:, 1]
            scores.append(
                (
                    balanced_accuracy_score(rare[test], fitted.predict(X[test])),
                    average_precision_score(rare[test], shares),
                )
            )
    return 100.0 * np.mean(scores, axis=0)


def table(name, classifiers):
    """The lines of one set's table."""
    bunch = load_uci_suite(name)
    X, rare = np.asarray(bunch.data, float), np.asarray(bunch.target) == RARE[name]
    yield f"### {name}"
    yield ""
    yield MARK
    yield f"{rare.sum()} of {len(rare):,} rows are in the rare class ({100 * rare.mean():.1f}%)."
    yield ""
    yield MARK
    yield "| classifier | balanced accuracy | balanced weights | average precision | balanced weights |"
    yield "|---|---|---|---|---|"
    for label, model in classifiers.items():
        plain, weighted = measured(model, X, rare), ["–", "–"]
        if takes_weights(model):
            weighted = [f"{value:.1f}" for value in measured(model, X, rare, balanced=True)]
        yield f"| `{label}` | {plain[0]:.1f} | {weighted[0]} | {plain[1]:.1f} | {weighted[1]} |"
    yield ""


def main(words):
    """Print the tables, or write the page."""
    write = "--write" in words
    names = [word for word in words if word != "--write"]
    classifiers = {name: model for name, model in CLASSIFIERS.items() if not names or name in names}
    lines = []
    for name in RARE:
        for line in table(name, classifiers):
            print(line, flush=True)
            lines.append(line)
    if write:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(text.split("### ")[0] + "\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
