"""Speed and memory of GuidedRandomForestClassifier against scikit-learn's forests, in one run on one thread.

``python -m benchmarks.graf`` prints ratios; absolute seconds depend on the machine.  100 trees each, M = d/2
for the source's hyperplanes, scikit-learn's forests at their defaults (√d features per split).  Compilation
is timed separately.  ``python -m benchmarks.graf memory`` prints only the last table: a million rows.
"""

import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.datasets import make_classification
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from studylib import datasets
from studylib.graf import GuidedRandomForestClassifier

N_TREES = 100
TARGETS = {  # ratios that the project aims at: (letter, synthetic)
    ("box", "forest"): (2.5, 8.0),
    ("box", "extra"): (1.5, 2.0),
    ("guided", "forest"): (4.0, 10.0),
}


def letter():
    """The UCI suite's letter, 15,000 rows to fit and 5,000 to predict, or a stand-in of that shape."""
    try:
        bunch = datasets.load_uci_suite("letter")
        X, y = np.asarray(bunch.data), np.asarray(bunch.target)
        train, test = bunch.folds[0]
        return "letter", X[train], y[train], X[test], y[test]
    except datasets.DataNotAvailableError as error:
        print(f"a simulated stand-in for letter, because {error}\n")
    X, y = make_classification(
        20_000,
        16,
        n_informative=12,
        n_classes=26,
        n_clusters_per_class=2,
        class_sep=2.0,
        flip_y=0.0,
        random_state=0,
    )
    return "stand-in for letter", X[:15_000], y[:15_000], X[15_000:], y[15_000:]


def synthetic(n_train=80_000, n_test=20_000):
    """Two overlapping classes in 20 features, the labels of 5 % of the rows flipped."""
    n = n_train + n_test
    X, y = make_classification(n, 20, n_informative=10, n_redundant=5, flip_y=0.0, random_state=0)
    flipped = np.random.default_rng(0).permutation(n)[: n // 20]
    y[flipped] = 1 - y[flipped]
    name = f"synthetic {n_train // 1000}k/{n_test // 1000}k × 20"
    return name, X[:n_train], y[:n_train], X[n_train:], y[n_train:]


def seconds(models, X, y, probes, repeats):
    """Median seconds of fit and of predict, by name; the models take turns, so that a drift affects all."""
    times = {name: [] for name in models}
    for repeat in range(repeats):
        for name, model in models.items():
            model.set_params(random_state=repeat)
            start = time.perf_counter()
            model.fit(X, y)
            middle = time.perf_counter()
            model.predict(probes)
            times[name].append((middle - start, time.perf_counter() - middle))
    return {name: np.median(kept, axis=0) for name, kept in times.items()}


def table(k, data, repeats):
    """Print one data set's table; ``k`` is its place in ``TARGETS``."""
    title, X, y, probes, labels = data
    models = {
        "box": GuidedRandomForestClassifier(N_TREES),
        "centred": GuidedRandomForestClassifier(N_TREES, hyperplane="centred"),
        "guided": GuidedRandomForestClassifier(N_TREES, hyperplane="guided"),
        "forest": RandomForestClassifier(N_TREES),
        "extra": ExtraTreesClassifier(N_TREES),
    }
    found = seconds(models, X, y, probes, repeats)
    print(f"{title}, {repeats} interleaved runs")
    print(f"{'':8} {'fit':>8} {'predict':>8} {'sum':>8}  {'accuracy':>8}")
    for name, (fit, predict) in found.items():
        accuracy = models[name].score(probes, labels)
        print(f"{name:8} {fit:6.2f} s {predict:6.2f} s {fit + predict:6.2f} s  {accuracy:8.4f}")
    print("times faster than scikit-learn, the project's target in brackets")
    for ours in ("box", "centred", "guided"):
        said = []
        for theirs in ("forest", "extra"):
            goal = TARGETS.get((ours, theirs))
            ratio = found[theirs].sum() / found[ours].sum()
            said.append(f"fit + predict vs {theirs} {ratio:5.2f}" + (f" [{goal[k]:g}]" if goal else ""))
        said.append(f"predict vs forest {found['forest'][1] / found[ours][1]:5.2f} [1]")
        print(f"{ours:8} " + ", ".join(said))
    print()


def memory():
    """Peak memory of fitting and predicting a million rows, in a separate process."""
    print("1,000,000 × 20 rows, 100 trees, two threads; peak memory of the process, data included [4 GB]")
    for hyperplane in ("box", "guided"):
        call = [sys.executable, "-m", "benchmarks.graf", "million", hyperplane]
        print(subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip(), flush=True)


def million(hyperplane):
    """Fit and predict a million rows; ``memory`` runs this in a separate process."""
    _, X, y, probes, labels = synthetic(1_000_000, 20_000)
    X, before = X.copy(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    forest = GuidedRandomForestClassifier(N_TREES, hyperplane=hyperplane, n_jobs=2, random_state=0)
    accuracy = forest.fit(X, y).score(probes, labels)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    nodes = sum(len(tree.nodes) for tree in forest.trees_)
    print(
        f"{hyperplane:8} {peak / 2**20:5.2f} GiB ({before / 2**20:.2f} GiB of it to make the data), "
        f"{time.perf_counter() - start:.0f} s, {nodes / N_TREES:,.0f} nodes per tree, accuracy {accuracy:.4f}"
    )


def main():
    """Print the tables."""
    if sys.argv[1:2] == ["million"]:
        million(sys.argv[2])
        return
    if sys.argv[1:] != ["memory"]:
        start = time.perf_counter()
        for hyperplane in ("box", "guided"):
            small = GuidedRandomForestClassifier(2, hyperplane=hyperplane, random_state=0)
            small.fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])
        print(f"compilation, or loading of the kernels: {time.perf_counter() - start:.1f} s\n")
        table(0, letter(), 7)
        table(1, synthetic(), 3)
    memory()


if __name__ == "__main__":
    main()
