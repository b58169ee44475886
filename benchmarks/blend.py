"""Speed and memory of "canonical" hyperplanes and of the blend against scikit-learn's forests, on one thread.

``python -m benchmarks.blend`` prints ratios to a random forest of the same run, slopes in samples and
features, and the peak memory for a million rows; ``speed``, ``slopes`` or ``memory`` after it only one table.
100 trees each, everything at its defaults.  Compilation is timed separately.
"""

import resource
import subprocess
import sys
import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from benchmarks.graf import letter, seconds, synthetic
from studylib import datasets
from studylib.graf import BlendedForestClassifier, GuidedRandomForestClassifier

N_TREES = 100
TARGETS = {  # times faster than a random forest, fit + predict, that the project aims at
    "canonical": {"letter": 3.0, "synthetic": 12.0},
    "blend": {"letter": 1.5, "spambase": 1.5, "synthetic": 5.0},
}


def models():
    """What is compared, by name."""
    return {
        "forest": RandomForestClassifier(N_TREES),
        "extra": ExtraTreesClassifier(N_TREES),
        "guided": GuidedRandomForestClassifier(N_TREES, hyperplane="guided"),
        "canonical": GuidedRandomForestClassifier(N_TREES, hyperplane="canonical"),
        "blend": BlendedForestClassifier(N_TREES),
    }


def spambase():
    """The UCI suite's spambase, 3,450 rows of 57 features to fit; nothing stands in for it."""
    bunch = datasets.load_uci_suite("spambase")
    X, y = np.asarray(bunch.data), np.asarray(bunch.target)
    train, test = bunch.folds[0]
    return "spambase", X[train], y[train], X[test], y[test]


def speed():
    """Print a table for each data set."""
    for load, repeats in ((letter, 7), (spambase, 9), (synthetic, 2)):
        try:
            title, X, y, probes, labels = load()
        except datasets.DataNotAvailableError as error:
            print(f"left out: {error}\n")
            continue
        compared = models()
        found = seconds(compared, X, y, probes, repeats)
        print(f"{title}, {len(X):,} × {X.shape[1]} to fit, {len(probes):,} to predict; {repeats} runs")
        print(
            f"{'':10} {'fit':>8} {'predict':>8} {'sum':>8} {'accuracy':>9}  times faster than forest [target]"
        )
        for name, (fit, predict) in found.items():
            accuracy = compared[name].score(probes, labels)
            ratio = found["forest"].sum() / (fit + predict)
            goal = next((g for of, g in TARGETS.get(name, {}).items() if title.startswith(of)), None)
            said = f"{ratio:5.2f}" + (f" [{goal:g}]" if goal else "")
            print(f"{name:10} {fit:6.2f} s {predict:6.2f} s {fit + predict:6.2f} s {accuracy:9.4f}  {said}")
        print()


def slopes():
    """Print how the time of fit and predict grows with samples and with features."""
    _, X, y, probes, _ = synthetic()
    wide = np.random.default_rng(0).normal(size=(10_000, 320))
    along = (wide[:, :10].sum(axis=1) > 0).astype(int)
    print("seconds of fit + predict, and the exponent between the first and the last")
    for title, sizes, part in (
        ("samples, of 20 features", (5_000, 20_000, 80_000), lambda n: (X[:n], y[:n], probes[: n // 4])),
        (
            "features, of 10,000 samples",
            (20, 80, 320),
            lambda d: (wide[:8000, :d], along[:8000], wide[8000:, :d]),
        ),
    ):
        rows = {}
        for size in sizes:
            for name, total in seconds(models(), *part(size), 1).items():
                rows.setdefault(name, []).append(total.sum())
        print(f"{title:28} " + " ".join(f"{size:>8,}" for size in sizes) + "  exponent")
        for name, times in rows.items():
            exponent = np.log(times[-1] / times[0]) / np.log(sizes[-1] / sizes[0])
            print(f"{name:28} " + " ".join(f"{t:8.2f}" for t in times) + f"  {exponent:8.2f}")
    print()


def memory():
    """Print the peak memory of fitting and predicting a million rows, each in a process of its own."""
    print("1,000,000 × 20 rows, 100 trees, two threads; peak memory of the process, data included")
    for name in ("canonical", "blend"):
        call = [sys.executable, "-m", "benchmarks.blend", "million", name]
        print(subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip(), flush=True)


def million(name):
    """Fit and predict a million rows."""
    _, X, y, probes, labels = synthetic(1_000_000, 20_000)
    X, before = X.copy(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.perf_counter()
    accuracy = models()[name].set_params(n_jobs=2, random_state=0).fit(X, y).score(probes, labels)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        f"{name:10} {peak / 2**20:5.2f} GiB ({before / 2**20:.2f} GiB of it to make the data), "
        f"{time.perf_counter() - start:.0f} s, accuracy {accuracy:.4f}"
    )


def main():
    """Print the tables."""
    wanted = sys.argv[1:] or ["speed", "slopes", "memory"]
    if wanted[0] == "million":
        million(wanted[1])
        return
    start = time.perf_counter()
    for name, model in models().items():
        if name in ("guided", "canonical", "blend"):
            for y in ([0, 1] * 20, [0, 1, 2, 3] * 10):
                X = np.random.default_rng(0).normal(size=(40, 5))
                model.set_params(n_estimators=2).fit(X, y).predict(X)
    print(f"compilation, or loading of the kernels: {time.perf_counter() - start:.1f} s\n")
    for table in wanted:
        {"speed": speed, "slopes": slopes, "memory": memory}[table]()


if __name__ == "__main__":
    main()
