"""Seconds that guided forests take on this machine, with and without extended hyperplanes."""

import time

import numpy as np

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier


def seconds_to_fit(data_seed, extend):
    """Median time of fitting a forest of 20 trees to 10,000 samples.

    Parameters
    ----------
    data_seed : int
    extend : bool
        Whether hyperplanes are extended to all partitions.

    Returns
    -------
    float
    """
    X, y = make_random_rbf(10_000, 10, 2, 50, data_seed)
    times = []
    for state in range(4):
        start = time.perf_counter()
        GuidedRandomForestClassifier(20, extend=extend, random_state=state).fit(X, y)
        times.append(time.perf_counter() - start)
    return float(np.median(times[1:]))  # the first one compiles
