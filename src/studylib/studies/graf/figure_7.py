"""Fig. 7 of GRAF: what sensitivity does on the six patterns, as tables and figures (notebook 06)."""

from typing import NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.colors import LinearSegmentedColormap

from studylib import plots
from studylib.statistics import mean_interval
from studylib.studies.graf import patterns
from studylib.studies.graf.readings import READINGS
from studylib.studies.graf.scales import note
from studylib.studies.graf.sensitivity import (
    PATTERN_LEARNERS,
    SCHEMES,
    SHARE,
    WEIGHTS,
    order_of_rows,
    pattern_forest,
)

#: Ids of the claims about single patterns.
PATTERN_CLAIMS = dict(
    zip(
        patterns.PATTERNS,
        [f"graf-fig7-{kind}-{n}" for kind in ("circles", "pie", "xor") for n in ("2", "k")],
        strict=True,
    )
)
#: What :func:`property_runs` gives, and how it follows from a task's numbers.
PROPERTIES = {
    "weight and local entropy": lambda row: row["entropy"],
    "largest partition, with − without rank": lambda row: row["largest_with"] - row["largest_without"],
    "minority, with − without classes": lambda row: row["minority_with"] - row["minority_without"],
}
#: How the schemes are named and drawn.
SCHEME_NAMES = {"U": "uniform (U)", "P": "sampled by sensitivity (P)", "S": "highest sensitivity (S)"}
SCHEME_COLORS = dict(zip(SCHEMES, (plots.PALETTE[6], plots.PALETTE[4], plots.PALETTE[0]), strict=True))
MARKERS = {"U": "s", "P": "D", "S": "o"}
_PLACES = np.linspace(-1.02, 1.02, 200)
#: The most sensitive points stand out from white, and light on dark where a page turns figures round.
_RANKS = LinearSegmentedColormap.from_list("ranks", ["#ccd2d9", "#8250b4", "#240046"])


class Example(NamedTuple):
    """A pattern's points with their sensitivities, and the rows that each scheme chooses."""

    X: np.ndarray
    y: np.ndarray
    sensitivity: np.ndarray
    rows: dict


def examples(n_points, n_trees, seed=0):
    """One :class:`Example` of every pattern, a dict."""
    drawn = {}
    for pattern in patterns.PATTERNS:
        rng = np.random.default_rng(seed)
        X, y = patterns.draw(pattern, n_points, rng)
        scores = pattern_forest(X, y, n_trees, seed).sensitivity_
        n_chosen = round(SHARE * n_points)
        rows = {scheme: order_of_rows(scheme, scores, rng)[:n_chosen] for scheme in SCHEMES}
        drawn[pattern] = Example(X, y, scores, rows)
    return drawn


def gains(boundary, where="near", scheme="S", other="U"):
    """For each pattern and learner the runs of a scheme's accuracy − that of another, in points.

    ``boundary`` has ``sensitivity.boundary_accuracies`` in percent, "near" or "everywhere".
    """
    wide = boundary.pivot_table(where, ["pattern", "learner", "replicate"], "scheme", sort=False)
    runs = wide[scheme] - wide[other]
    return {
        pattern: {learner: runs[pattern, learner].tolist() for learner in PATTERN_LEARNERS}
        for pattern in boundary["pattern"].unique()
    }


def gain_table(boundary):
    """Mean accuracies (percent) near the boundary, by pattern and learner, and differences of schemes.

    S − U near the boundary and everywhere, S − P and P − U near it, with 95% intervals.
    """
    near = boundary.pivot_table("near", ["pattern", "learner"], "scheme", sort=False)[[*SCHEMES, "all"]]
    table = pd.concat({"accuracy near the boundary": near}, axis=1)
    table = table.reindex([(p, name) for p in boundary["pattern"].unique() for name in PATTERN_LEARNERS])
    for scheme, other, where in (
        ("S", "U", "near"), ("S", "U", "everywhere"), ("S", "P", "near"), ("P", "U", "near"),
    ):  # fmt: skip
        differences = gains(boundary, where, scheme, other)
        intervals = np.array(
            [mean_interval(differences[pattern][learner]) for pattern, learner in table.index]
        )
        for name, values in zip(("mean", "low", "high"), intervals.T, strict=True):
            table[f"{scheme} − {other} {where}", name] = values
    return table


def property_runs(points, weight="height"):
    """What weights, ranks and the normalisation by classes do: runs of each of ``PROPERTIES`` by pattern.

    Shares are in points.
    """
    chosen = points[points["weight"] == weight]
    scale = {name: 1 if name == "weight and local entropy" else 100 for name in PROPERTIES}
    return {
        name: {
            pattern: (scale[name] * of(part)).tolist()
            for pattern, part in chosen.groupby("pattern", sort=False)
        }
        for name, of in PROPERTIES.items()
    }


def property_table(points):
    """Means of :func:`property_runs` for each pattern, property and reading of the weight."""
    by_weight = {weight: property_runs(points, weight) for weight in WEIGHTS}
    columns = {
        (name, weight): pd.Series({p: np.mean(runs) for p, runs in by_weight[weight][name].items()})
        for name in PROPERTIES
        for weight in WEIGHTS
    }
    return pd.DataFrame(columns)


def confusion_runs(confusion):
    """For each pattern the rank correlations of sensitivity and entropy, by the reading that is judged."""
    judged = confusion[confusion["reading"] == READINGS[0]]
    return {pattern: rows.tolist() for pattern, rows in judged.groupby("pattern", sort=False)["entropy"]}


@plots.nine_points
def maps(examples, caption):
    """Sensitivity of the points of six patterns, and the quarters that the three schemes choose (Fig. 7)."""
    views = [
        "sensitivity,\nas a rank",
        "uniform\n(U)",
        "sampled by\nsensitivity (P)",
        "highest\nsensitivity (S)",
    ]
    figure, axes = plt.subplots(
        len(examples),
        len(views),
        figsize=(plots.WIDTH, 1.45 * len(examples) + 1.1),
        layout="constrained",
        squeeze=False,
    )
    for row, (pattern, example) in zip(axes, examples.items(), strict=True):
        rank = example.sensitivity.argsort(kind="stable").argsort() / (len(example.X) - 1)
        order = rank.argsort()
        dots = row[0].scatter(*example.X[order].T, c=rank[order], s=4, cmap=_RANKS, vmin=0, vmax=1, lw=0)
        for ax, rows in zip(row[1:], example.rows.values(), strict=True):
            for c, color in zip(np.unique(example.y), plots.PALETTE, strict=False):
                chosen = rows[example.y[rows] == c]
                ax.scatter(*example.X[chosen].T, s=6, color=color, lw=0)
        for ax in row:
            _bare(ax, pattern)
        row[0].set_ylabel(pattern.replace(", ", ",\n"))
    for ax, view in zip(axes[0], views, strict=True):
        ax.set_title(view)
    bar = figure.colorbar(dots, ax=axes[-1, 0], location="bottom", ticks=[0, 0.5, 1], pad=0.03, aspect=12)
    bar.ax.set_xticklabels(["0%", "50%", "100%"])
    bar.set_label("points of lower\nsensitivity")
    return note(figure, caption)


def _bare(ax, pattern):
    """Boundaries between the true classes as thin lines, and no ticks."""
    points = np.stack(np.meshgrid(_PLACES, _PLACES), axis=-1)
    labels = np.where(patterns.inside(pattern, points), patterns.true_classes(pattern, points), -1)
    for level in range(patterns.PATTERNS[pattern][1]):
        ax.contour(_PLACES, _PLACES, labels == level, levels=[0.5], colors="#777777", linewidths=0.6)
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)


@plots.nine_points
def near_boundary(boundary, caption):
    """Accuracy (percent) near the boundary with a quarter of the points, by pattern and learner."""
    names = list(boundary["pattern"].unique())
    figure, axes = plt.subplots(
        1, len(PATTERN_LEARNERS), figsize=(plots.WIDTH, 3.4), sharey=True, layout="constrained"
    )
    labels = SCHEME_NAMES | {"all": "all points"}
    for ax, learner in zip(axes, PATTERN_LEARNERS, strict=True):
        part = boundary[boundary["learner"] == learner]
        for k, (scheme, label) in enumerate(labels.items()):
            runs = part[part["scheme"] == scheme].groupby("pattern")["near"]
            intervals = np.array([mean_interval(runs.get_group(name)) for name in names])
            mean, low, high = intervals.T
            y = np.arange(len(names)) + 0.16 * (k - 1)
            color = SCHEME_COLORS.get(scheme, "black")
            if scheme == "all":
                ax.plot(mean, np.arange(len(names)), "|", color=color, label=label, ms=22)
            else:
                bars = [mean - low, high - mean]
                ax.errorbar(mean, y, xerr=bars, fmt=MARKERS[scheme], color=color, label=label, lw=1.5)
        ax.set(title=learner, xlabel="accuracy near\nthe boundary, %")
        ax.grid(visible=False, axis="y")
    axes[0].set_yticks(range(len(names)), names)
    axes[0].invert_yaxis()
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=2)
    figure.text(0.01, -0.06, caption, color="dimgray")
    return figure


@plots.nine_points
def wrong_labels(noise, caption):
    """What wrong labels do to each scheme, in percent: accuracy on clean points, and wrong labels chosen."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(plots.WIDTH, 3.4), layout="constrained")
    for scheme, label in (SCHEME_NAMES | {"all": "all points"}).items():
        # A replicate is the mean over the patterns.
        runs = noise[noise["scheme"] == scheme].groupby(["rate", "replicate"])[["accuracy", "wrong"]].mean()
        style = {"color": SCHEME_COLORS.get(scheme, "black"), "marker": MARKERS.get(scheme, "x")}
        for ax, column in ((left, "accuracy"), (right, "wrong")):
            intervals = (
                runs[column].groupby(level="rate").apply(lambda values: mean_interval(values.to_numpy()))
            )
            mean, low, high = np.array(intervals.tolist()).T
            ax.errorbar(intervals.index, mean, yerr=[mean - low, high - mean], label=label, **style)
    rates = sorted(noise["rate"].unique())
    for ax, label in ((left, "accuracy on clean points, %"), (right, "wrong among the chosen, %")):
        ax.set(xlabel="wrong labels\namong all points, %", ylabel=label)
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates])
    figure.legend(*left.get_legend_handles_labels(), loc="outside upper center", ncols=2)
    figure.text(0.01, -0.06, caption, color="dimgray")
    return figure
