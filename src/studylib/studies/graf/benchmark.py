"""Processor seconds that guided forests take here, with and without extended hyperplanes."""

import time

import pandas as pd

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf.experiments import RBF_SETS


def fit_times(data_seed, sizes, n_repeats):
    """Processor times of fitting the same forests with and without extension, in turn.

    One thread; its processor time is its duration on an idle machine, and hardly depends on other programs.
    For each of the six sets and each size there are ``n_repeats`` pairs of forests of 20 trees, M = 5; one
    pair more goes first, uncounted.  A row has the median seconds of both, and the median, smallest and
    largest ratio of a pair, extended ÷ own.
    """
    rows = {}
    for data, (n_classes, n_centroids) in RBF_SETS.items():
        X, y = make_random_rbf(max(sizes), 10, n_classes, n_centroids, data_seed)
        for n in sizes:
            pairs = [_pair(X[:n], y[:n], state) for state in range(n_repeats + 1)][1:]
            times = pd.DataFrame(pairs, columns=["extended to all", "own partition only"])
            ratio = times["extended to all"] / times["own partition only"]
            rows[data, n] = {
                **times.median(),
                "ratio": ratio.median(),
                "smallest": ratio.min(),
                "largest": ratio.max(),
            }
    return pd.DataFrame(rows).T.rename_axis(["data", "samples"])


def _pair(X, y, state):
    """Seconds for a forest with and without extension; every second pair in the other order."""
    seconds = {}
    for extend in (True, False) if state % 2 else (False, True):
        forest = GuidedRandomForestClassifier(20, extend=extend, random_state=state)
        start = time.process_time()
        forest.fit(X, y)
        seconds[extend] = time.process_time() - start
    return seconds[True], seconds[False]
