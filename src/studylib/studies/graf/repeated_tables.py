"""What the comparisons over many splits and seeds found beside those of ``suite_tables``, as tables."""

import numpy as np
import pandas as pd

from studylib.statistics import mean_interval
from studylib.studies.graf.repeated import BLEND, RF
from studylib.studies.graf.suite_tables import MEASURES, gains, gains_over_rivals

#: The groups of sets by size that were formed before the run: the largest number of samples in each.
_SIZES = {"up to 306 samples": 306, "307 to 1,473": 1473, "1,474 and more": np.inf}


def by_size(folds, n_samples, rivals, without):
    """Gains in accuracy over each rival, by groups of sets, with 95% intervals.

    Parameters
    ----------
    folds : DataFrame, from :func:`~studylib.studies.graf.suite_tables.fold_table`
    n_samples : dict of str to int
        Samples of each data set.
    rivals : sequence of str
    without : str
        One more group, if this set is there, are all others.

    Returns
    -------
    DataFrame
        Rows ``(group, rival)``: "sets", "mean", "low", "high"; a single set has no interval.
    """
    rows = {}
    for rival in rivals:
        d = gains(folds, BLEND, rival)
        n = d.index.map(n_samples)
        groups = {"all": d}
        if without in d:
            groups[f"without {without}"] = d.drop(without)
        least = 0
        for name, most in _SIZES.items():
            if len(some := d[(n > least) & (n <= most)]):
                groups[name] = some
            least = most
        for group, some in groups.items():
            interval = mean_interval(some) if len(some) > 1 else (some.mean(), np.nan, np.nan)
            rows[group, rival] = {
                "sets": len(some),
                **dict(zip(("mean", "low", "high"), interval, strict=True)),
            }
    table = pd.DataFrame.from_dict(rows, orient="index")
    table.index.names = ["sets", "blend −"]
    return table.sort_index(level=0, sort_remaining=False, key=lambda names: names.map(list(groups).index))


def chosen_sizes(keys, found):
    """How often the blend chose each least node size, by family, in percent of its fits."""
    counts = {}
    for key, one in zip(keys, found, strict=True):
        if key["method"] == BLEND:
            for by_family in one["sizes"]:
                for family, m in by_family.items():
                    counts.setdefault(family, []).append(m)
    table = pd.DataFrame({f: pd.Series(sizes).value_counts() for f, sizes in counts.items()}).sort_index()
    table.index.name = "m"
    return 100 * table.fillna(0) / table.sum()


def six_gains(folds):
    """What the six claims about the tables kept back are judged on: gains by measure and rival.

    Parameters
    ----------
    folds : DataFrame, from :func:`~studylib.studies.graf.suite_tables.fold_table`

    Returns
    -------
    dict of str to Series
        "accuracy, random forest" and so on, in points, and "log loss, random forest" and so on, in nats.
    """
    return {
        f"{MEASURES[measure][0]}, {rival}": d
        for measure in ("accuracy", "log_loss")
        for rival, d in gains_over_rivals(folds, BLEND, measure).items()
    }


def by_table(folds):
    """Mean accuracy of each method on each data set, and how much the blend gains over a random forest.

    Parameters
    ----------
    folds : DataFrame, from :func:`~studylib.studies.graf.suite_tables.fold_table`

    Returns
    -------
    DataFrame
        In percent, sorted by the last column, "blend − random forest", in percentage points.
    """
    table = folds.pivot_table("accuracy", "data", "method", sort=False)
    table.index = [name.split(" ", 1)[-1] for name in table.index]  # without the kind of data set
    table.columns.name = None
    table[f"{BLEND} − {RF}"] = table[BLEND] - table[RF]
    return table.sort_values(table.columns[-1])
