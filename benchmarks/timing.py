"""Times of actions that take turns."""

import resource
import time

import numpy as np


def medians(*actions, repeats=9):
    """Median seconds of each action; the actions take turns, so that a drift hits all of them."""
    times = [[] for _ in actions]
    for _ in range(repeats):
        for kept, action in zip(times, actions, strict=True):
            start = time.perf_counter()
            action()
            kept.append(time.perf_counter() - start)
    return [float(np.median(kept)) for kept in times]


def peak_mib():
    """Peak resident memory of this process in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
