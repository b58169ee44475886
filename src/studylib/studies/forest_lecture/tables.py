"""From the tasks' results to what the judge gets: pairs and slopes, per replicate."""

from studylib.studies.replicates import log_slopes, slope


def error_slopes(steps):
    """Slope of log error in log leaves per replicate, for each smooth function: dict of str to list."""
    return {name: log_slopes(part, "leaves", "rms") for name, part in steps.groupby("function")}


def overfitted(runs, gap):
    """What overfitting claims: the gap of the grown tree, and how the gap moves with depth.

    ``runs``: results of :func:`studylib.studies.forest_lecture.experiments.overfitting`. ``gap``: test −
    training error, one row per replicate, one column per depth. Returns a dict of str to runs.
    """
    return {
        "gap at full depth": {"first": runs["test grown"], "second": runs["train grown"]},
        "slope in depth": [slope(gap.columns, row) for row in gap.to_numpy()],
    }
