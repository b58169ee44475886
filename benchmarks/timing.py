"""Times of contestants that take turns, the ratios between them, and the peak memory of a process.

Seconds are processor seconds of all threads of the process that does the work, so that other programs on the
machine disturb them little.  Nothing here measures compilation: contestants run once before the clock starts.
"""

import gc
import multiprocessing
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits


class Contestant(NamedTuple):
    """Actions without arguments.

    ``fit`` and ``predict`` return the seconds that they took, a float, if somebody else measured them: a
    process of another environment.  ``accuracy`` is called after them, ``close`` at the end.  All but ``fit``
    may be None.  One that is very slow takes part in the first repetition only: ``once``.
    """

    fit: Callable
    predict: Callable = None
    accuracy: Callable = None
    close: Callable = None
    once: bool = False


def estimator(model, X, y, probes, labels):
    """A contestant from an estimator, its training data, and rows to predict with their labels."""
    return Contestant(
        lambda: model.fit(X, y),
        lambda: model.predict(probes),
        lambda: float((model.predict(probes) == labels).mean()),
    )


def in_turn(contestants):
    """A contestant that does the work of others one after the other; its accuracy is their mean."""
    return Contestant(
        lambda: [one.fit() for one in contestants] and None,
        lambda: [one.predict() for one in contestants] and None,
        lambda: float(np.mean([one.accuracy() for one in contestants])),
    )


def _seconds(action):
    gc.collect()
    start = time.process_time()
    said = action()
    return said if isinstance(said, float) else time.process_time() - start


def take_turns(contestants, repeats):
    """Seconds of each contestant's work; they take turns, so that a drift of the machine hits all of them.

    Parameters
    ----------
    contestants : dict of str to Contestant
    repeats : int

    Returns
    -------
    DataFrame
        Columns "repeat", "who", "fit", "predict" and "fit + predict"; what a contestant cannot do is NaN.
    """
    rows = []
    gc.collect()
    gc.freeze()  # what is there already, a notebook's or a test run's, need not be looked through each time
    try:
        with threadpool_limits(1):
            for contestant in contestants.values():  # compiles, or loads what was compiled
                if contestant.once:
                    continue
                contestant.fit()
                if contestant.predict:
                    contestant.predict()
            for repeat in range(repeats):
                for who, contestant in contestants.items():
                    if contestant.once and repeat:
                        continue
                    fit = _seconds(contestant.fit)
                    predict = _seconds(contestant.predict) if contestant.predict else np.nan
                    rows.append((repeat, who, fit, predict, fit + predict))
    finally:
        gc.unfreeze()
    return pd.DataFrame(rows, columns=["repeat", "who", "fit", "predict", "fit + predict"])


def accuracies(contestants):
    """Accuracy of each contestant that has one, after :func:`take_turns`."""
    return {who: one.accuracy() for who, one in contestants.items() if one.accuracy}


def ratios(seconds, targets):
    """How many times as long others take, median and quartiles over the repetitions.

    Parameters
    ----------
    seconds : DataFrame
        From :func:`take_turns`.
    targets : dict
        The ratio that is aimed at, or None, for each ``(ours, other, work)`` to compare.

    Returns
    -------
    DataFrame
        A row for each key of ``targets``; "ours" and "other" in milliseconds.
    """
    rows = []
    for (mine, other, work), target in targets.items():
        wide = seconds.pivot(index="repeat", columns="who", values=work)
        if other not in wide:
            continue  # it could not be installed, which its contest has said
        ratio = wide[other] / wide[mine]
        low, median, high = ratio.quantile([0.25, 0.5, 0.75])
        rows.append(
            {
                "estimator": mine,
                "compared with": other,
                "work": work,
                "ms": 1e3 * wide[mine].median(),
                "its ms": 1e3 * wide[other].median(),
                "ratio": median,
                "lower quartile": low,
                "upper quartile": high,
                "target": np.nan if target is None else target,
                "reached": "" if target is None else ("yes" if median >= target else "no"),
            }
        )
    return pd.DataFrame(rows)


def slope(sizes, seconds):
    """Exponent of the growth of time with size, by least squares on logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def in_a_fresh_process(function, *arguments):
    """What a function returns in a process of its own, and the peak memory of that process in MiB."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, function, arguments))
    process.start()
    theirs.close()
    try:
        return ours.recv()
    except EOFError:
        raise RuntimeError(f"{function.__name__}{arguments} ended without a result.") from None
    finally:
        process.join()


def _answer(pipe, function, arguments):
    found = function(*arguments)
    pipe.send((found, peak_mib()))


def peak_mib():
    """Peak resident memory of this process in MiB.

    On Linux not from ``getrusage``, which tells a child the peak of the process that started it.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024
