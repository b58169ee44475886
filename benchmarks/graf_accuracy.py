"""Accuracy of GuidedRandomForestClassifier on the UCI suite, compared with what is expected.

``python -m benchmarks.graf_accuracy`` prints, from the suite's own four folds and 500 trees: the source's
algorithm ("box", M = d/2) on ten sets beside an independent prototype's single run, and ``guided`` at its
defaults on twenty sets beside scikit-learn's forests.  Arguments select data sets by name.  A full run
takes a few minutes on two cores.
"""

import sys
import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from studylib import datasets
from studylib.graf import GuidedRandomForestClassifier

#: Per cent, an independent prototype's: "box", 500 trees, M = d/2, one seed, mean over the four folds.
EXPECTED = {
    "wine": 98.3,
    "ionosphere": 92.6,
    "credit-approval": 88.2,
    "statlog-german-credit": 73.9,
    "statlog-vehicle": 70.5,
    "pendigits": 98.9,
    "letter": 95.1,
    "mushroom": 100.0,
    "plant-margin": 80.8,
    "ringnorm": 97.6,
}
#: Ten more for "guided".
FURTHER = (
    "balance-scale",
    "breast-cancer-wisc-diag",
    "car",
    "conn-bench-sonar-mines-rocks",
    "glass",
    "optical",
    "spambase",
    "statlog-image",
    "waveform",
    "yeast",
)
N_TREES = 500


def accuracies(model, bunch):
    """Test accuracy of each fold, in percent."""
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    return [100.0 * model.fit(X[train], y[train]).score(X[test], y[test]) for train, test in bunch.folds]


def source_table(names):
    """The source's algorithm beside the prototype."""
    model = GuidedRandomForestClassifier(N_TREES, n_jobs=-1, random_state=0)
    print(f"{model}, mean over four folds, percent\n")
    print(f"{'set':30} {'ours':>7} {'expected':>9} {'difference':>11} {'seconds':>8}")
    differences = []
    for name in names:
        start = time.perf_counter()
        ours = np.mean(accuracies(model, datasets.load_uci_suite(name)))
        differences.append(ours - EXPECTED[name])
        print(
            f"{name:30} {ours:7.2f} {EXPECTED[name]:9.1f} {differences[-1]:+11.2f} "
            f"{time.perf_counter() - start:8.1f}",
            flush=True,
        )
    print(f"{'mean':30} {'':7} {'':9} {np.mean(differences):+11.2f}   (within ±1.0 expected)\n")


def guided_table(names):
    """The guided hyperplanes beside scikit-learn's forests."""
    models = {
        "guided": GuidedRandomForestClassifier(N_TREES, hyperplane="guided", n_jobs=-1, random_state=0),
        "forest": RandomForestClassifier(N_TREES, n_jobs=-1, random_state=0),
        "extra": ExtraTreesClassifier(N_TREES, n_jobs=-1, random_state=0),
    }
    print(f"hyperplane='guided' and scikit-learn's forests, defaults, {N_TREES} trees, same folds, percent\n")
    print(f"{'set':30} {'guided':>7} {'forest':>7} {'extra':>7} {'− forest':>9} {'− extra':>9}")
    rows = []
    for name in names:
        bunch = datasets.load_uci_suite(name)
        rows.append([np.mean(accuracies(model, bunch)) for model in models.values()])
        ours, forest, extra = rows[-1]
        print(
            f"{name:30} {ours:7.2f} {forest:7.2f} {extra:7.2f} {ours - forest:+9.2f} {ours - extra:+9.2f}",
            flush=True,
        )
    rows = np.array(rows)
    ours, forest, extra = rows.mean(axis=0)
    print(f"{'mean':30} {ours:7.2f} {forest:7.2f} {extra:7.2f} {ours - forest:+9.2f} {ours - extra:+9.2f}")
    for k, other in ((1, "forest"), (2, "extra trees")):
        error = np.std(rows[:, 0] - rows[:, k], ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.nan
        print(f"standard error of the difference to {other}: {error:.2f}")


def main():
    """Print both tables."""
    wanted = sys.argv[1:] or [*EXPECTED, *FURTHER]
    source_table([name for name in wanted if name in EXPECTED])
    guided_table(wanted)


if __name__ == "__main__":
    main()
