"""Speed and memory of the Partial Classification Forest against scikit-learn's random-split ensembles.

Part of ``make bench``: 100 trees on 100,000 × 10 rows, one thread for all; then a million rows by 20.
"""

import time

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, RandomTreesEmbedding

from benchmarks.timing import medians, peak_mib
from studylib.datasets import make_clean_partitions
from studylib.pcf import PartialClassificationForest
from studylib.studies.pcf.growth import NODE_BYTES

N_TREES, MAX_DEPTH = 100, 32


def compare():
    """Print the ratios for 100,000 × 10."""
    X, y = make_clean_partitions(100_000, 10, n_relevant=2, random_state=0)
    ours = PartialClassificationForest(N_TREES, max_depth=MAX_DEPTH, random_state=0)
    start = time.perf_counter()
    ours.fit(X[:100], y[:100]).predict(X[:100])
    print(f"first fit and predict, compilation or loading included: {time.perf_counter() - start:.1f} s\n")
    peers = {
        "extra trees, 1 feature": ExtraTreesClassifier(
            N_TREES, max_features=1, max_depth=MAX_DEPTH, random_state=0
        ),
        "random trees embedding": RandomTreesEmbedding(N_TREES, max_depth=MAX_DEPTH, random_state=0),
    }
    fits = medians(lambda: ours.fit(X, y), *(lambda m=m: m.fit(X, y) for m in peers.values()), repeats=3)
    rows = X[:20_000]
    applied = [
        peers["extra trees, 1 feature"].predict,
        peers["random trees embedding"].apply,
    ]
    predicts = medians(lambda: ours.predict(rows), *(lambda f=f: f(rows) for f in applied), repeats=3)
    print(f"{N_TREES} trees on 100,000 × 10, depth at most {MAX_DEPTH}, one thread")
    print(f"{'':24} {'fit':>8} {'ratio':>7} {'predict 20,000':>15} {'ratio':>7}")
    for name, fit, predict in zip(["PCF", *peers], fits, predicts, strict=True):
        print(f"{name:24} {fit:6.2f} s {fit / fits[0]:6.1f}× {predict:13.2f} s {predict / predicts[0]:6.1f}×")


def large():
    """Print time and memory of a million rows."""
    rng = np.random.default_rng(0)
    X, y = rng.random((1_000_000, 20)), rng.integers(0, 2, 1_000_000)
    PartialClassificationForest(1).fit(X[:100], y[:100])
    before, start = peak_mib(), time.perf_counter()
    forest = PartialClassificationForest(10, random_state=0).fit(X, y)
    seconds, more = time.perf_counter() - start, peak_mib() - before
    n_nodes = sum(map(len, forest.trees_))
    kept = NODE_BYTES * n_nodes / 2**20
    print(f"1,000,000 × 20 rows ({X.nbytes / 2**20:.0f} MiB), 10 trees, random labels: {seconds:.1f} s,")
    print(f"{n_nodes:,} nodes of {NODE_BYTES} bytes ({kept:.0f} MiB); peak memory grew by {more:.0f} MiB\n")


if __name__ == "__main__":
    large()  # first: peak memory never falls
    compare()
