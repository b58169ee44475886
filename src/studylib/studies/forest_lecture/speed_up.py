"""Wall-clock speed-up of a forest by threads.

No task, so never stored or confirmed: seconds differ from run to run, and nothing else should run beside it.
"""

import os
import time

import joblib
import numpy as np
import psutil

from studylib.studies.forest_lecture.experiments import forest, noisy_split

#: Numbers of threads that are tried, as far as the machine has cores for them.
THREADS = [1, 2, 4, 8]

#: How often each row is predicted, so that prediction takes long enough to be timed.
_COPIES = 10


def load_of_others(seconds=1.0):
    """How many of our cores are busy while this process sleeps, such as 0.1."""
    busy = psutil.cpu_percent(seconds, percpu=True)
    if hasattr(os, "sched_getaffinity"):
        busy = [share for core, share in enumerate(busy) if core in os.sched_getaffinity(0)] or busy
    return sum(busy) / 100


def measure_speed_up(n_samples, n_trees, n_runs=30, seed=0):
    """Seconds to train a forest and to predict with it, one per run, by 1, 2, 4 and 8 threads.

    Only as many threads as there are cores.  The numbers of threads take turns, so that a drift of the
    machine hits all of them alike.  Half of the samples train the forest.  Beside ``seconds``, ``load`` is
    how many of the ``cores`` others kept busy before the runs.
    """
    X, X_test, y, _ = noisy_split(seed, n_samples)
    X_test = np.tile(X_test, (_COPIES, 1))
    cores = joblib.cpu_count()
    threads = [n for n in THREADS if n <= cores]
    for n in threads:
        forest(2 * n, n_jobs=n, random_state=seed).fit(X, y).predict(X_test)  # compiles, starts the threads
    load = load_of_others()
    seconds = {part: {str(n): [] for n in threads} for part in ("training", "prediction")}
    for _ in range(n_runs):
        for n in threads:
            model = forest(n_trees, n_jobs=n, random_state=seed)
            start = time.perf_counter()
            model.fit(X, y)
            middle = time.perf_counter()
            model.predict(X_test)
            seconds["training"][str(n)].append(middle - start)
            seconds["prediction"][str(n)].append(time.perf_counter() - middle)
    return {"cores": cores, "load": load, "seconds": seconds}


def speed_ups(seconds):
    """Mean over the runs of the time by one thread ÷ that by T, for training and prediction.

    ``seconds``: dict of dict of list; as in :func:`measure_speed_up`. Returns a dict of dict:
    ``found["training"]["2"]`` is a float.
    """
    return {
        part: {n: float(np.mean(np.divide(runs["1"], run))) for n, run in runs.items()}
        for part, runs in seconds.items()
    }
