"""From the tasks' results to what the judge gets: pairs, slopes and Booleans, per replicate or set."""

import numpy as np

from studylib.studies.nonlinear_lecture.experiments import COST_NOISES
from studylib.studies.replicates import log_slopes


def pairs(found, first, second, by="data"):
    """Paired runs per set: dict of set to two columns of the results."""
    return {name: {"first": part[first], "second": part[second]} for name, part in found.groupby(by)}


def runs(found, column, by="data"):
    """Runs per set: dict of set to a column of the results."""
    return {name: part[column] for name, part in found.groupby(by)}


def cost_slopes(work, what):
    """Log–log slope in n of the counted work ÷ (n log n), per replicate, for each kind of labels.

    Parameters
    ----------
    work : DataFrame
        Results of :func:`studylib.studies.nonlinear_lecture.experiments.costs`.
    what : {"growing", "pruning"}
        Work of growing counts each of the m features; m is the same for every n, so the slope ignores it.

    Returns
    -------
    dict of str to list of float
    """
    share = work.assign(share=work[what] / (work["n"] * np.log(work["n"])))
    return {
        name: log_slopes(share[share["noise"] == noise], "n", "share") for name, noise in COST_NOISES.items()
    }


def plain_slopes(work, what):
    """Mean log–log slope in n of the counted work itself, for each kind of labels."""
    return {
        f"slope of the work, {name}": float(np.mean(log_slopes(work[work["noise"] == noise], "n", what)))
        for name, noise in COST_NOISES.items()
    }


def accuracy_lost(found):
    """Accuracy that noise in the training labels costs: a tree first, a forest second."""
    return _changes(found, ("noisy", "test"), ("clean", "test"))


def gaps(found):
    """Test − training error with noisy training labels: a tree first, a forest second."""
    return _changes(found, ("noisy", "test"), ("noisy", "train"))


def _changes(found, after, before):
    return {
        name: found[f"{model}, {': '.join(after)}"] - found[f"{model}, {': '.join(before)}"]
        for name, model in (("first", "tree"), ("second", "forest"))
    }


def means(pair, first="tree", second="forest"):
    """Means of paired runs, by the names that a reader understands."""
    return {first: float(np.mean(pair["first"])), second: float(np.mean(pair["second"]))}


def mean_differences(pairs):
    """Mean difference of paired runs on each set: dict of set to number."""
    return {name: float(np.mean(pair["first"]) - np.mean(pair["second"])) for name, pair in pairs.items()}


def joined(found, column):
    """The rounds of all replicates as one array."""
    return np.concatenate(found[column].tolist())


def equal(found, expected):
    """Whether numbers are equal up to rounding errors, one by one: ndarray of bool."""
    return np.isclose(found, expected, rtol=0, atol=1e-12)
