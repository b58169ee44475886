"""From the tasks' results to what the judge gets: pairs, slopes and Booleans, per replicate or set."""

import numpy as np

from studylib.studies.nonlinear_lecture.experiments import COST_NOISES
from studylib.studies.replicates import log_slopes
from studylib.study import intervals


def pairs(table, first, second, by="data"):
    """Paired runs per set: dict of set to two columns of the results."""
    return {name: {"first": part[first], "second": part[second]} for name, part in table.groupby(by)}


def runs(table, column, by="data"):
    """Runs per set: dict of set to a column of the results."""
    return {name: part[column] for name, part in table.groupby(by)}


def cost_slopes(work, what):
    """Log–log slope in n of the counted work ÷ (n log n), per replicate, for each kind of labels.

    Work of growing counts each of the m features; m is the same for every n, so the slope ignores it.
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


def accuracy_lost(errors):
    """Accuracy that noise in the training labels costs: a tree first, a forest second."""
    return _changes(errors, ("noisy", "test"), ("clean", "test"))


def gaps(errors):
    """Test − training error with noisy training labels: a tree first, a forest second."""
    return _changes(errors, ("noisy", "test"), ("noisy", "train"))


def _changes(errors, after, before):
    return {
        name: errors[f"{model}, {': '.join(after)}"] - errors[f"{model}, {': '.join(before)}"]
        for name, model in (("first", "tree"), ("second", "forest"))
    }


def means(pair, first="tree", second="forest"):
    """Means of paired runs, by the names that a reader understands."""
    return {first: float(np.mean(pair["first"])), second: float(np.mean(pair["second"]))}


def mean_differences(pairs):
    """Mean difference of paired runs on each set: dict of set to number."""
    return {name: float(np.mean(pair["first"]) - np.mean(pair["second"])) for name, pair in pairs.items()}


def joined(table, column):
    """The rounds of all replicates as one array."""
    return np.concatenate(table[column].tolist())


def equal(numbers, expected):
    """Whether numbers are equal up to rounding errors, one by one: ndarray of bool."""
    return np.isclose(numbers, expected, rtol=0, atol=1e-12)


def effects(pairs, test_share=0.3, level=0.95):
    """What weights do to the error, in words: on which sets it is lower, and by how much (points).

    Pairs are errors by plain votes first, by weighted votes second, over random splits of a set.
    """
    names, differences = {"lower": [], "higher": [], "undecided": []}, []
    for name, pair in pairs.items():
        runs = (100 * (pair["first"] - pair["second"])).tolist()
        low, high = intervals.resampled_interval(runs, test_share, level)
        names["lower" if low > 0 else "higher" if high < 0 else "undecided"].append(name)
        differences.append(f"{name} {np.mean(runs):.2f} ({low:.2f} … {high:.2f})")
    sets_by_effect = {what: ", ".join(sets) or "none" for what, sets in names.items()}
    return sets_by_effect | {"differences": "; ".join(differences)}


def search_growth(searches):
    """How the distances that a k-d tree computes grow with the points, by dimension, as in "slope 16".

    Slopes are log–log; "share 16" is the share of the points in % at the largest n.
    """
    growth = {"least n": int(searches["n"].min()), "n": int(searches["n"].max())}
    for d, part in searches.groupby("d"):
        growth[f"slope {d}"] = log_slopes(part, "n", "computed")
        growth[f"share {d}"] = (100 * part.loc[part["n"] == growth["n"], "share"]).tolist()
    return growth


def computed_of(searches, n, dimensions):
    """Shares of ``n`` points that a k-d tree computes the distance of: runs by dimension."""
    of = searches[searches["n"] == n]
    return {f"{d} dimensions": of.loc[of["d"] == d, "share"].tolist() for d in dimensions}


def bucket_errors(table, least, enough):
    """Mean test error of 1-R with two bucket sizes, in words."""
    errors = (100 * table.pivot_table(index="data", columns="size", values="test", sort=False)).round(1)
    shown = [f"{name} {row[least]} and {row[enough]}" for name, row in errors.iterrows()]
    return {"least": least, "enough": enough, "errors": "; ".join(shown)}
