"""The figures of the comparison on the UCI suite (section 5.3), as notebook 05 shows them."""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from matplotlib.transforms import Bbox

from studylib import plots
from studylib.studies.graf import scales, uci_results
from studylib.studies.graf.scales import difference_axis, legend, note, scatter

#: How an axis of differences is divided, said on the axis.
_SYMLOG = "(symmetric log scale)"
_WON, _LOST = plots.PALETTE[0], plots.PALETTE[1]
_LABELS = ("better by more than 1 point", "within 1 point", "worse by more than 1 point")
#: So many points below the median accuracy, a method would press the others together.
_FAR = 5
#: Where the name of a mark may stand, in order of preference: offset in points, and alignment.
_SIDES = [
    ((dx, dy), ha, va)
    for dy, va in ((4, "bottom"), (-4, "top"), (14, "bottom"), (-14, "top"), (24, "bottom"), (-24, "top"))
    for dx, ha in ((6, "left"), (-6, "right"), (0, "center"))
]


@plots.nine_points
def sorted_differences(table, rivals, caption):
    """GRAF − rival on all data sets, sorted, a panel for each rival; the share that the source printed.

    ``table``: from ``means``. ``rivals``: dict of str to float; rivals, and the share of sets on
    which the source calls GRAF better or comparable.
    """
    figure, axes = plt.subplots(1, len(rivals), figsize=(plots.WIDTH, 4.4), sharey=True, layout="constrained")
    everything = np.concatenate([table["GRAF"] - table[rival] for rival in rivals])
    for ax, (rival, published) in zip(axes, rivals.items(), strict=True):
        d = np.sort(table["GRAF"] - table[rival])
        scatter(ax, range(1, len(d) + 1), d, d, _LABELS, uci_results.COMPARABLE, size=10)
        difference_axis(ax, "y", everything)
        ours = (d >= -uci_results.COMPARABLE).mean()
        ax.set(
            title=f"{rival}\nbetter or\ncomparable: {ours:.0%}\nin the source: {published:.0%}",
            xlabel="data sets, sorted",
        )
        ax.xaxis.get_major_locator().set_params(integer=True, nbins=4)
    axes[0].set_ylabel(f"accuracy, GRAF − rival, points {_SYMLOG}")
    return legend(figure, axes[0], caption)


@plots.nine_points
def rank_diagram(table, caption):
    """Mean ranks of all methods; a bar joins those that differ less than Nemenyi's critical difference.

    ``table``: from ``means``.
    """
    mean = uci_results.ranks(table).mean().sort_values()
    cd, n = uci_results.critical_difference(table.shape[1], len(table)), len(mean)
    groups = _alike(mean.to_numpy(), cd)
    below = -0.6 - 0.4 * len(groups)  # where the names begin
    half = (n + 1) // 2
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 0.24 * (half + 3.2 - below)), layout="constrained")
    for k, (method, rank) in enumerate(mean.items()):
        left = k < half
        edge, height = (0.8, below - k) if left else (n + 0.2, below - (n - 1 - k))
        ours = method == "GRAF"
        color = _LOST if ours else "#555555"
        ax.plot([rank, rank, edge], [0, height, height], color=color, lw=2 if ours else 1)
        ax.annotate(
            f"{method}  {rank:.2f}" if left else f"{rank:.2f}  {method}",
            (edge, height), (-4 if left else 4, 0), textcoords="offset points", va="center",
            ha="right" if left else "left", color=color, weight="bold" if ours else "normal",
        )  # fmt: skip
    for k, (first, last) in enumerate(groups):
        ends = mean.iloc[first] - 0.06, mean.iloc[last] + 0.06
        ax.plot(ends, [-0.4 * (k + 1)] * 2, color=_WON, lw=4, solid_capstyle="butt", zorder=3)
    ax.plot([1, 1 + cd], [2.3, 2.3], color=_WON, lw=1.5, marker="|", ms=8)
    ax.annotate(f"critical difference {cd:.2f}", (1, 2.3), (0, 5), textcoords="offset points")
    ax.xaxis.tick_top()
    ax.spines[:].set_visible(False)
    ax.spines["top"].set(visible=True, position=("data", 0))
    ax.grid(visible=False)
    ax.set(xlim=(-1.2, n + 2.2), ylim=(below - half + 0.4, 3.4), xticks=range(1, n + 1), yticks=[])
    ax.spines["top"].set_bounds(1, n)
    ax.xaxis.set_ticks_position("top")
    ax.tick_params(axis="x", top=True, length=4, pad=1)
    ax.set_xlabel(f"mean rank over {len(table)} data sets; 1 is best; a bar joins methods that may be equal")
    return note(figure, caption)


def _alike(mean, cd):
    """First and last of each largest group of sorted ranks that differ by less than ``cd``."""
    groups, reached = [], 0
    for first, rank in enumerate(mean):
        last = int(np.flatnonzero(mean < rank + cd)[-1])
        if last > max(first, reached):
            groups.append((first, last))
            reached = last
    return groups


@plots.nine_points
def accuracy_against_time(table, caption):
    """Mean accuracy against the time of a fit, relative to a random forest, a mark for each method.

    ``table``: a row per method: "accuracy", "low" and "high" (percent), and "time", a ratio. A method far
    below the median is an arrow at the lower edge.
    """
    figure, ax = plt.subplots(figsize=(plots.WIDTH, 4.2), layout="constrained")
    far = table["accuracy"] < table["accuracy"].median() - _FAR
    near = table[~far]
    errors = [near["accuracy"] - near["low"], near["high"] - near["accuracy"]]
    ax.errorbar(near["time"], near["accuracy"], errors, fmt="o", color=plots.PALETTE[0], ecolor="#aaaaaa")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g} ×"))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.axvline(1, color="#555555", lw=1, ls=":")
    ax.set(
        xlabel="processor time of a fit, random forest = 1", ylabel="mean accuracy, %",
        xlim=(table["time"].min() / 1.8, table["time"].max() * 1.8),
        ylim=(near["low"].min() - (0.15 if far.any() else 0.04) * np.ptp(near[["low", "high"]]), None),
    )  # fmt: skip
    for method, row in table[far].iterrows():
        ax.annotate(
            f"{method}: {row['accuracy']:.1f}% ({row['low']:.1f} to {row['high']:.1f})",
            (row["time"], 0), (0, 24), xycoords=("data", "axes fraction"), textcoords="offset points",
            ha="right" if row["time"] > np.sqrt(table["time"].min() * table["time"].max()) else "left",
            arrowprops={"arrowstyle": "->", "color": "#555555"},
        )  # fmt: skip
    note(figure, caption)
    _name_marks(ax, near)
    return figure


def _name_marks(ax, table):
    """Write each method's name next to its mark, on the first side where it meets no mark and no name."""
    ax.figure.draw_without_rendering()
    marks = ax.transData.transform(table[["time", "accuracy"]])
    taken = [Bbox.from_bounds(x - 6, y - 6, 12, 12) for x, y in marks]
    for method, row in table.iterrows():
        others = list(taken)
        for offset, ha, va in _SIDES:
            name = ax.annotate(
                method, (row["time"], row["accuracy"]), offset, textcoords="offset points", ha=ha, va=va
            )
            box = name.get_window_extent()
            inside = ax.bbox.x0 <= box.x0 and box.x1 <= ax.bbox.x1
            if inside and not any(box.overlaps(other) for other in others):
                break
            name.remove()
        else:
            ax.add_artist(name)  # nowhere is free: the last side
        taken.append(box)


@plots.nine_points
def against_properties(table, properties, rival, caption):
    """GRAF − rival against samples, features, classes and the share of coded columns.

    ``table``: from ``means``. ``properties``: columns of ``PROPERTIES``, with the same
    index.
    """
    d = table["GRAF"] - table[rival]
    title = "rank correlation ρ ="
    figure, axes = scales.against_properties(properties, d, _LABELS, title, uci_results.COMPARABLE)
    figure.supylabel(f"accuracy, GRAF − {rival}, points {_SYMLOG}")
    return legend(figure, axes[0, 0], caption)


def shift_figure(table, caption):
    """Loss of accuracy by a shift of the origin, per set, without and with standardisation.

    ``table``: of ``uci.shifted_accuracies`` in percent, a row per set.
    """
    figure, ax = plt.subplots(figsize=(8, 3.8), layout="constrained")
    columns = {"shifted": (_LOST, "v"), "shifted, standardised": (_WON, "o")}
    for name, (color, marker) in columns.items():
        d = np.sort(table[name] - table["as stored"])
        ax.scatter(range(1, len(d) + 1), d, s=18, color=color, marker=marker, label=name)
    difference_axis(ax, "y", (table[list(columns)].sub(table["as stored"], axis=0)).to_numpy())
    ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set(xlabel="data sets, sorted", ylabel=f"change of accuracy, points\n{_SYMLOG}")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower right", ncols=2, fontsize=9)
    figure.text(0.01, 0.01, caption, fontsize="small", color="dimgray")
    return figure
