"""γ compared with one another, and the forest with other classifiers: tables and figures (notebook 02)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MaxNLocator
from scipy import stats

from studylib import plots
from studylib.pcf import ConfidenceBound, Laplace
from studylib.statistics import resampled_interval
from studylib.studies.pcf.comparison import PEERS, TEST_SHARE
from studylib.studies.pcf.tuning import LEAF_MODELS

#: Level of the tests that the answer about γ counts, after Holm's correction.
LEVEL = 0.05
SOURCE, *OTHERS = LEAF_MODELS


def resampled_p_value(differences, test_share):
    """Two-sided p-value of the mean of paired differences over splits, corrected as ``resampled_interval``.

    Returns 1 where all differences are zero.
    """
    values = np.asarray(differences, float)
    error = values.std(ddof=1) * np.sqrt(1 / len(values) + test_share / (1 - test_share))
    if error == 0:
        return float(values.mean() == 0)
    return float(2 * stats.t.sf(abs(values.mean()) / error, len(values) - 1))


def holm(p_values):
    """P-values adjusted for their number by Holm's step-down procedure, float64 (n_tests,).

    Holm, *A Simple Sequentially Rejective Multiple Test Procedure*, Scand. J. Statist. 6 (1979).
    """
    p_values = np.asarray(p_values, float)
    order = np.argsort(p_values, kind="stable")
    steps = p_values[order] * np.arange(len(order), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1)
    return adjusted


def gains(areas):
    """How much smaller the area under the risk–coverage curve is with another γ than with the majority.

    Mean and interval per data set and γ, and the p-value, adjusted over all rows.
    """
    wide = areas.pivot(index=["data", "replicate"], columns="leaf_model", values="area")
    rows = {}
    for data in areas["data"].unique():
        for model in OTHERS:
            gain = wide.loc[data, SOURCE] - wide.loc[data, model]
            interval = resampled_interval(gain, TEST_SHARE)._asdict()
            rows[data, model] = interval | {"p": resampled_p_value(gain, TEST_SHARE)}
    table = pd.DataFrame(rows).T
    return table.assign(p=holm(table["p"]))


def counts_of_gains(table):
    """How often each γ has a significantly smaller and a significantly larger area than the majority."""
    clear = table["p"] < LEVEL
    return {
        model: f"{(clear & (table['mean'] > 0)).xs(model, level=1).sum()} : "
        f"{(clear & (table['mean'] < 0)).xs(model, level=1).sum()}"
        for model in OTHERS
    }


def relative_costs(prices):
    """How many times as long as with the majority a Tree takes: the geometric mean over all splits.

    Two significant digits: it is a measured time.
    """
    table = pd.DataFrame(prices)
    ratios = np.exp(np.log(table[OTHERS].div(table[SOURCE], axis=0)).mean())
    return {model: float(f"{ratio:.2g}") for model, ratio in ratios.items()}


def against_best_peer(forests, peers):
    """Areas of the forest and of the peer that is the best on average, for every data set and split.

    And a table: mean areas of the PCF and of all peers, and the name of the best of these.
    """
    wide = peers.pivot(index=["data", "replicate"], columns="method", values="area")[list(PEERS)]
    forest = forests.set_index(["data", "replicate"])["area"]
    areas, rows = {}, {}
    for data in forests["data"].unique():
        means = wide.loc[data].mean()
        areas[data] = {
            "first": forest.loc[data].tolist(),
            "second": wide.loc[data, means.idxmin()].loc[forest.loc[data].index].tolist(),
        }
        rows[data] = {"PCF": forest.loc[data].mean(), **means, "best peer": means.idxmin()}
    return areas, pd.DataFrame(rows).T


def differences(areas, table):
    """How much larger the forest's area is than the best peer's, with intervals corrected for the splits.

    "low" and "high" are at 95%; "lowest" and "highest" at the level that is corrected for the number of sets,
    by which the claim is judged.
    """
    corrected = 1 - LEVEL / len(areas)
    rows = {}
    for data, pair in areas.items():
        gap = np.subtract(pair["first"], pair["second"])
        mean, low, high = resampled_interval(gap, TEST_SHARE, 1 - LEVEL)
        _, lowest, highest = resampled_interval(gap, TEST_SHARE, corrected)
        rows[data] = {"mean": mean, "low": low, "high": high, "lowest": lowest, "highest": highest}
    return pd.DataFrame(rows).T.join(table["best peer"])


@plots.nine_points
def losses_of_pure_leaves():
    """The loss that each γ gives to a pure leaf, against the leaf's size; both axes are logarithmic."""
    sizes = np.arange(1, 101)
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 3.2), layout="constrained")
    ax.plot(sizes, 1 / sizes, color="#888888", lw=1, ls=":")
    ax.annotate("1/n", (1.6, 0.72), color="#555555")
    for name, model, color, spot in (
        ("confidence bound, 95%", ConfidenceBound(), plots.PALETTE[2], (14, 0.24)),
        ("Laplace, α = 1", Laplace(), plots.PALETTE[1], (1.15, 0.12)),
    ):
        ax.plot(sizes, [model.loss(0, n, 2) for n in sizes], color=color)
        ax.annotate(name, spot, color=color)
    ax.annotate(
        "majority (the source's): 0 at every size, below any logarithmic axis", (0.02, 0.05),
        xycoords="axes fraction", color=plots.PALETTE[0],
    )  # fmt: skip
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    ax.set(
        xscale="log", yscale="log", xlim=(1, 100), ylim=(0.003, 1.1),
        xlabel="observations in a pure leaf, n (two classes)", ylabel="loss",
    )  # fmt: skip
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_formatter(plain)
    ax.minorticks_off()
    return figure


@plots.nine_points
def gains_of_leaf_models(tables):
    """How much each γ gains on the majority, a panel for each comparison."""
    effect = sum(table["mean"].groupby(level=0, sort=False).mean() for table in tables.values())
    sets = effect.sort_values(ascending=False).index
    figure, axes = plt.subplots(
        1, len(tables), figsize=(plots.WIDTH, 1.6 + 0.44 * len(sets)), sharex=True, sharey=True,
        layout="constrained", squeeze=False,
    )  # fmt: skip
    for ax, (title, table) in zip(axes[0], tables.items(), strict=True):
        ax.axvline(0, color="#555555", lw=1)
        better, worse = table["low"] > 0, table["high"] < 0
        for k, (_, part) in enumerate(table.groupby(level=1, sort=False)):
            part = part.droplevel(1).loc[sets]
            places = np.arange(len(part)) + 0.19 * (k - 1.5)
            certain = (part["low"] > 0) | (part["high"] < 0)
            for shown, face, width in ((certain, plots.PALETTE[k], 1.8), (~certain, "white", 0.7)):
                some = part[shown]
                ax.errorbar(
                    some["mean"], places[shown],
                    xerr=[some["mean"] - some["low"], some["high"] - some["mean"]],
                    fmt="osD^"[k], ms=4, mfc=face, mew=1, lw=width, color=plots.PALETTE[k],
                )  # fmt: skip
        ax.set_title(f"{title}\nof {len(table)}: {better.sum()} better, {worse.sum()} worse")
        ax.set(yticks=range(len(sets)), yticklabels=sets, ylim=(len(sets) - 0.5, -0.5))
        ax.xaxis.set_major_locator(MaxNLocator(4))
        ax.grid(visible=False, axis="y")
        for place in range(1, len(sets), 2):
            ax.axhspan(place - 0.5, place + 0.5, color="#f4f4f4", lw=0, zorder=0)
    figure.supxlabel("area with the majority γ − area with this γ (above 0: this γ is better)")
    names = next(iter(tables.values())).index.unique(1)
    handles = [
        Line2D([], [], color=color, marker=marker, lw=1, label=name)
        for name, color, marker in zip(names, plots.PALETTE, "osD^", strict=False)
    ]
    handles += [
        Line2D([], [], color="#555555", marker="o", lw=1.8, label="excludes 0"),
        Line2D([], [], color="#555555", marker="o", mfc="white", lw=0.7, label="includes 0"),
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    return figure


@plots.nine_points
def differences_from_best_peer(differences, curves, margin):
    """The difference in area from the best peer on each set, and the curves of three sets.

    ``margin`` is how much larger the area of a competitive forest may be.
    """
    rows = differences.sort_values("mean")
    heights = 1.1 + 0.24 * len(rows), 2.2
    figure = plt.figure(figsize=(plots.WIDTH, sum(heights)), layout="constrained")
    above, below = figure.subfigures(2, 1, height_ratios=heights)
    ax, places = above.subplots(), np.arange(len(rows))
    ax.axvspan(-margin, margin, color="#dddddd", alpha=0.7, lw=0)
    ax.axvline(0, color="#555555", lw=1)
    for ends, width, words in (
        (("low", "high"), 3.5, "95% interval"),
        (("lowest", "highest"), 1, f"the same, corrected for {len(rows)} sets"),
    ):
        ax.hlines(places, *(rows[end] for end in ends), color=plots.PALETTE[0], lw=width, label=words)
    ax.scatter(rows["mean"], places, s=20, color="white", edgecolor=plots.PALETTE[0], lw=1.2, zorder=3)
    ax.set_yticks(places, [f"{data} ({peer})" for data, peer in rows["best peer"].items()])
    ax.invert_yaxis()
    ax.set_xlabel(f"area of the PCF − area of the best peer (grey: within {margin})")
    above.legend(loc="outside lower right", ncols=2)
    competitive, worse = (rows["highest"] <= margin).sum(), (rows["lowest"] > margin).sum()
    ax.set_title(
        f"{len(rows)} sets: competitive on {competitive}, not on {worse}, "
        f"undecided on {len(rows) - competitive - worse}"
    )
    chosen = dict.fromkeys(rows.index[k] for k in (0, len(rows) // 2, -1))
    axes = below.subplots(1, 3, squeeze=False)[0]
    for ax, data in zip(axes, chosen, strict=False):
        peer = rows.loc[data, "best peer"]
        _two_curves(ax, curves[curves["data"] == data], peer)
        ax.set_title(f"{data}\n({peer})")
    for ax in axes[len(chosen) :]:
        ax.axis("off")
    axes[0].set_ylabel("risk, %")
    below.legend(*axes[0].get_legend_handles_labels(), loc="outside lower right", ncols=2)
    return figure


def _two_curves(ax, curves, peer):
    """Risk against coverage of the PCF and of one peer, each the mean over the splits."""
    lines = {"PCF": ("PCF", plots.PALETTE[0], "-"), peer: ("best peer", plots.PALETTE[1], "--")}
    for method, (words, color, style) in lines.items():
        rows = curves[curves["method"] == method]
        coverage, risk = np.array(rows["coverage"].iloc[0]), np.mean(list(rows["risk"]), axis=0)
        ax.plot(100 * coverage, 100 * risk, color=color, ls=style, label=words)
    ax.set(xlabel="coverage, %", ylim=(0, None), xticks=[0, 50, 100])
