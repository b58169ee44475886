"""What the comparisons over many splits and seeds found, as tables; a data set is one observation."""

import numpy as np
import pandas as pd

from studylib.statistics import mean_interval
from studylib.studies.graf.judging import holm_steps
from studylib.studies.graf.repeated import BLEND

#: Measures, what a point of each is, and whether more of it is better.
_MEASURES = {"accuracy": (100.0, 1), "log_loss": (1.0, -1), "brier": (1.0, -1)}
#: Differences of means below this are rounding: a tie.
_ROUNDING = 1e-9
#: The groups of sets by size that were formed before the run: the largest number of samples in each.
_SIZES = {"up to 306 samples": 306, "307 to 1,473": 1473, "1,474 and more": np.inf}


def fold_table(keys, found):
    """Results of ``repeated.scores``, a row per key and fold: the key's columns, "fold", and the measures."""
    frames = [
        pd.DataFrame({**key, "fold": range(key["n_folds"]), **{name: one[name] for name in _MEASURES}})
        for key, one in zip(keys, found, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def gains(folds, rival, measure="accuracy", method=BLEND):
    """How much better a method is than a rival on each data set, a Series; positive where it is better.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    rival, method : str
    measure : {"accuracy", "log_loss", "brier"}
        Accuracy in points; the others as they are, rival − method.

    Returns
    -------
    Series, indexed by data set
        Means of paired differences over folds and splits, each over the model seeds; 0 if rounding only.
    """
    factor, sign = _MEASURES[measure]
    means = folds.groupby(["method", "data", "split_seed", "fold"], sort=False)[measure].mean()
    found = sign * factor * (means[method] - means[rival])
    found = found.groupby(level="data", sort=False).mean()
    return found.where(found.abs() > _ROUNDING, 0.0)


def gains_over(folds, rivals, measure="accuracy"):
    """:func:`gains` over each rival, a dict of str to Series."""
    return {rival: gains(folds, rival, measure) for rival in rivals}


def comparison_table(folds, rivals, numbers=None):
    """What the blend gains over each rival: means over the data sets with 95 % intervals, not corrected.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    rivals : sequence of str
    numbers : dict or None
        Numbers of the rule of Holm's procedure over the first three rivals, as the ledger has them.

    Returns
    -------
    DataFrame
        A row per rival: accuracy in points ("mean", "low", "high", "wins", "ties", "losses"), and what is
        gained in log loss and Brier score.
    """
    steps = {}
    if numbers is not None:
        steps = holm_steps({r: d.tolist() for r, d in gains_over(folds, rivals[:3]).items()}, numbers)
    rows = {}
    for rival in rivals:
        d, loss = gains(folds, rival), gains(folds, rival, "log_loss")
        rows[f"blend − {rival}"] = {
            **mean_interval(d)._asdict(),
            "wins": int((d > 0).sum()),
            "ties": int((d == 0).sum()),
            "losses": int((d < 0).sum()),
            **({"by Holm’s procedure": _said(steps.get(rival))} if steps else {}),
            **dict(zip(("log loss", "log loss low", "log loss high"), mean_interval(loss), strict=True)),
            "Brier score": gains(folds, rival, "brier").mean(),
        }
    return pd.DataFrame(rows).T.infer_objects()


def _said(step):
    return "–" if step is None else {True: "better", False: "worse", None: "undecided"}[step.holds]


def mean_scores(folds):
    """Mean accuracy in per cent, log loss and Brier score of each method over the data sets."""
    by_set = folds.groupby(["method", "data"], sort=False)[list(_MEASURES)].mean()
    table = by_set.groupby(level="method", sort=False).mean()
    return table.assign(accuracy=100 * table["accuracy"]).rename(
        columns={"log_loss": "log loss", "brier": "Brier score"}
    )


def by_size(folds, n_samples, rivals, without):
    """Gains in accuracy over each rival, by groups of sets, with 95 % intervals.

    Parameters
    ----------
    folds : DataFrame, from :func:`fold_table`
    n_samples : dict of str to int
        Samples of each data set.
    rivals : sequence of str
    without : str
        One more group are all sets but this one.

    Returns
    -------
    DataFrame
        Rows ``(group, rival)``: "sets", "mean", "low", "high"; a single set has no interval.
    """
    rows = {}
    for rival in rivals:
        d = gains(folds, rival)
        n = d.index.map(n_samples)
        groups = {"all": d, f"without {without}": d.drop(without, errors="ignore")}
        least = 0
        for name, most in _SIZES.items():
            groups[name] = d[(n > least) & (n <= most)]
            least = most
        for group, some in groups.items():
            interval = mean_interval(some) if len(some) > 1 else (some.mean(), np.nan, np.nan)
            rows[group, rival] = {
                "sets": len(some),
                **dict(zip(("mean", "low", "high"), interval, strict=True)),
            }
    table = pd.DataFrame(rows).T.astype({"sets": int})
    table.index.names = ["sets with", "blend −"]
    return table.sort_index(level=0, sort_remaining=False, key=lambda names: names.map(list(groups).index))


def chosen_sizes(keys, found):
    """How often the blend chose each least node size, by family, in per cent of its fits."""
    counts = {}
    for key, one in zip(keys, found, strict=True):
        if key["method"] == BLEND:
            for by_family in one["sizes"]:
                for family, m in by_family.items():
                    counts.setdefault(family, []).append(m)
    table = pd.DataFrame({f: pd.Series(sizes).value_counts() for f, sizes in counts.items()}).sort_index()
    table.index.name = "m"
    return 100 * table.fillna(0) / table.sum()
