"""Table I and Fig. 9 of GRAF: sensitive rows and support vectors, as tables and figures (notebook 06)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from studylib import plots
from studylib.statistics import resampled_interval
from studylib.studies.graf.approximation import TABLE_1, TEST_SHARE
from studylib.studies.graf.readings import READINGS
from studylib.studies.graf.scales import note
from studylib.studies.graf.sensitivity import WEIGHTS
from studylib.studies.graf.support_vectors import GROUPS, MACHINES
from studylib.studies.replicates import in_percent, unrolled

#: The four numbers of a row of Table I, as the ledger names them, and where they are found.
PARTS = {
    "support vectors": "vectors",
    "overlap": "overlap",
    "accuracy on all samples": "accuracy",
    "accuracy on the subset": "sensitive",
}
#: Id of the claim about each row.
ROW_CLAIMS = {name: f"graf-t1-{name}" for name in TABLE_1}
#: What is judged on every half: gains over random rows in accuracy and overlap, and Fig. 9's correlation.
QUANTITIES = {
    "accuracy, sensitive − random": lambda table: table["sensitive"] - table["random"],
    "overlap − chance": lambda table: table["overlap"] - table["vectors"],
    "|α| and p": lambda table: table["correlation"],
}
_GROUP_STYLES = dict(
    zip(
        GROUPS,
        ((plots.PALETTE[6], "-"), (plots.PALETTE[0], "-"), (plots.PALETTE[1], "--")),
        strict=True,
    )
)


def subset_table(machines):
    """A row per key and replicate, in percent but for "correlation" (NaN if it has no value)."""
    lists = ["replicates", "overlap", "sensitive", "random", "correlation"]
    table = unrolled(machines, lists).rename(columns={"replicates": "replicate"})
    table["correlation"] = table["correlation"].astype(float)
    return in_percent(table, "vectors", "accuracy", "overlap", "sensitive", "random")


def judged(table):
    """The rows that verdicts are about: the tuned machine, sensitivities by height."""
    return table[(table["machine"] == MACHINES[0]) & (table["weight"] == WEIGHTS[0])]


def row_parts(table, name):
    """The four numbers of a row of Table I, in percent, None each for a set that was not measured."""
    rows = judged(table)[lambda t: t["data"] == name]
    return {part: rows[column].tolist() or None for part, column in PARTS.items()}


def row_table(table, random_ranks, claims):
    """Table I as printed and as found, in percent, with both machines and three readings of eq 37.

    The printed numbers are the ledger's claims.  Random ranks are from ``third_reading``, for the tuned
    machine.  Overlap and "subset", the accuracy on the most sensitive points, are by height and the order of
    the data set unless they say depth or random rank.
    """
    names = {"vectors": "support vectors", "accuracy": "all", "overlap": "overlap", "sensitive": "subset"}
    means = table.groupby(["weight", "data", "machine"], sort=False)[[*names, "random"]].mean()
    height, depth = (means.loc[weight] for weight in WEIGHTS)
    ours = height.rename(columns=names)
    ours[["overlap, depth", "subset, depth"]] = depth[["overlap", "sensitive"]]
    for column, of in (("overlap, random rank", "overlap"), ("subset, random rank", "sensitive")):
        ours[column] = pd.Series({(name, MACHINES[0]): v for name, v in random_ranks[of].items()})
    printed = {}
    for name in table["data"].unique():
        if name in ROW_CLAIMS:
            parts = claims[ROW_CLAIMS[name]].judge["parts"]
            values = [parts[part]["published"] for part in ("support vectors", "accuracy on all samples")]
            values += [parts[part]["published"] for part in ("overlap", "accuracy on the subset")]
            printed[name, "printed"] = dict(zip(names.values(), values, strict=True))
    rows = pd.concat([pd.DataFrame(printed).T, ours])
    return rows.reindex(
        [(n, m) for n in table["data"].unique() for m in ("printed", *MACHINES) if (n, m) in rows.index]
    )


def quantile_table(machines):
    """Distribution of n · p in each of ``GROUPS``, from the first forest of what is judged."""
    first = judged(machines)[lambda rows: rows["replicates"].str[0] == 0]
    groups = {f"quantiles: {group}": group for group in GROUPS}
    table = first.rename(columns=groups).melt("data", list(GROUPS), "group", "relative")
    table["share"] = [np.linspace(0, 1, len(values)) for values in table["relative"]]
    return unrolled(table, ["share", "relative"])


def reading_table(halves):
    """``QUANTITIES`` per key and reading, in percent but for "correlation"; half −1 is the archive's."""
    names = ("overlap", "sensitive", "correlation")
    rows = pd.concat(
        halves[["data", "half", "vectors", "accuracy", "random"]].assign(
            reading=reading, **{name: halves[f"readings: {reading}: {name}"] for name in names}
        )
        for reading in READINGS
    )
    table = in_percent(rows, "vectors", "accuracy", "random", "overlap", "sensitive")
    half = table["half"].astype(float).fillna(-1).astype(int)
    return table.assign(half=half, **{name: of(table) for name, of in QUANTITIES.items()})


def on_random_halves(table):
    """The rows of a :func:`reading_table` about random halves."""
    return table[table["half"] >= 0]


def runs(table, quantity, reading=READINGS[0]):
    """For each data set one of ``QUANTITIES`` on every random half, None where one has no value."""
    rows = on_random_halves(table)
    by_set = rows[rows["reading"] == reading].groupby("data", sort=False)[quantity]
    return {name: None if values.isna().any() else values.tolist() for name, values in by_set}


def set_means(runs_of_sets):
    """The mean of each set that has runs, a list: for statements about a mean over the sets."""
    return [float(np.mean(values)) for values in runs_of_sets.values() if values is not None]


def interval_table(table, quantity):
    """One of ``QUANTITIES`` by set and reading, with 95% intervals for random halves."""
    columns = {}
    for reading in READINGS:
        intervals = {
            name: (np.nan,) * 3 if values is None else resampled_interval(values, TEST_SHARE)
            for name, values in runs(table, quantity, reading).items()
        }
        for k, part in enumerate(("mean", "low", "high")):
            columns[reading, part] = pd.Series({name: interval[k] for name, interval in intervals.items()})
    return pd.DataFrame(columns)


def third_reading(table):
    """Overlap and accuracy on the subset with random ranks, on the archive's halves, a row per data set."""
    rows = table[(table["half"] < 0) & (table["reading"] == READINGS[-1])]
    return rows.groupby("data", sort=False)[["overlap", "sensitive"]].mean()


@plots.nine_points
def control(table, caption):
    """Accuracy on the most sensitive rows − on as many random ones: all halves, means and intervals."""
    figure, ax = plt.subplots(
        figsize=(plots.WIDTH, 0.36 * table["data"].nunique() + 1.2), layout="constrained"
    )
    _draw_halves(ax, table, "accuracy, sensitive − random")
    ax.set_xlabel("SVM’s accuracy, sensitive − random rows, percentage points")
    return note(figure, caption)


@plots.nine_points
def weights(table, quantiles, bound, caption):
    """Rank correlation of |α| and p on random halves, and an example of what the source draws (Fig. 9).

    The example is the distribution of the last set.  The correlation has to exceed ``bound``.
    """
    figure, (left, right) = plt.subplots(
        1,
        2,
        figsize=(plots.WIDTH, 0.36 * table["data"].nunique() + 1.6),
        width_ratios=[3, 2],
        layout="constrained",
    )
    _draw_halves(left, table, "|α| and p")
    left.axvline(bound, color=plots.PALETTE[1], ls="--", lw=1)
    left.set(title=f"each half, mean and interval;\ndashed: {bound}", xlabel="rank correlation of |α| and p")
    name = quantiles["data"].iloc[-1]
    for group, (color, style) in _GROUP_STYLES.items():
        shown = quantiles[(quantiles["data"] == name) & (quantiles["group"] == group)]
        right.plot(shown["relative"], shown["share"], color=color, ls=style, label=group)
    right.set(
        title=f"{name},\none forest",
        xlim=(0, None),
        ylim=(0, 1),
        xlabel="p over its mean",
        ylabel="share of points",
    )
    figure.legend(*right.get_legend_handles_labels(), loc="outside upper right", ncols=3)
    return note(figure, caption)


def _draw_halves(ax, table, quantity):
    """One of ``QUANTITIES`` by data set: every half, their mean and its interval."""
    by_set = {name: drawn for name, drawn in runs(table, quantity).items() if drawn is not None}
    intervals = interval_table(table, quantity)[READINGS[0]]
    rng = np.random.default_rng(0)
    for k, (name, values) in enumerate(by_set.items()):
        ax.scatter(
            values, k + rng.uniform(-0.2, 0.2, len(values)), s=10, color=plots.PALETTE[6], alpha=0.6, lw=0
        )
        mean, low, high = intervals.loc[name, ["mean", "low", "high"]]
        ax.errorbar(mean, k, xerr=[[mean - low], [high - mean]], fmt="o", color=plots.PALETTE[0], capsize=4)
    ax.axvline(0, color="#555555", lw=1)
    ax.set_yticks(range(len(by_set)), by_set)
    ax.invert_yaxis()
    ax.grid(visible=False, axis="y")
