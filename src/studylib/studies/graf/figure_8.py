"""Fig. 8 of GRAF: accuracy against the fraction of the rows, as tables and a figure (notebook 06)."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from studylib import plots
from studylib.statistics import resampled_interval
from studylib.studies.graf.approximation import LEARNERS, TEST_SHARE
from studylib.studies.graf.figure_7 import MARKERS, SCHEME_COLORS, SCHEME_NAMES
from studylib.studies.graf.sensitivity import SCHEMES
from studylib.studies.replicates import in_percent, unrolled

#: A fraction reaches an accuracy if it is at most so many points below it.
REACHED = 0.5
#: The comparisons of Fig. 8 whose signs are compared.
_AGAINST_U = ("P", "S")


def fraction_table(forests):
    """A row per key, learner, scheme and "fraction", and the "accuracy" in percent.

    ``forests``: of ``approximation.fraction_curves``, by "learner" and "scheme".
    """
    names = {"fractions": "fraction", "value": "accuracy"}
    return in_percent(unrolled(forests, list(names)).rename(columns=names), "accuracy")


def _by_curve(curves):
    """A row per data set, learner, scheme and half, a column per fraction."""
    index = ["data", "learner", "scheme", "half"]
    return curves.pivot_table("accuracy", index, "fraction", sort=False).sort_index(axis=1)


def areas(curves):
    """Mean height of each curve: the area under it over its range of fractions, in points.

    ``curves``: from :func:`fraction_table`. Returns a Series, by data, learner, scheme and half.
    """
    wide = _by_curve(curves)
    fractions = wide.columns.to_numpy()
    area = np.trapezoid(wide.to_numpy(), fractions) / (fractions[-1] - fractions[0])
    return pd.Series(area, wide.index)


def smallest_fractions(curves):
    """Smallest fraction with an accuracy at most ``REACHED`` points below that of all rows.

    ``curves``: from :func:`fraction_table`. Returns a Series, by data, learner, scheme and half.
    """
    wide = _by_curve(curves)
    # A step of accuracy can be 0.5 points up to rounding.
    reached = wide.ge(wide[wide.columns[-1]] - REACHED - 1e-9, axis=0)
    return reached.idxmax(axis=1).astype(float)


def _of(values, scheme):
    return values.xs(scheme, level="scheme")


def _runs(curves, values):
    """``values``, a Series by data, learner and half, as the ledger judges them: lists by set and learner."""
    return {
        name: {learner: values[name, learner].sort_index().tolist() for learner in LEARNERS}
        for name in curves["data"].unique()
    }


def sampled_against_uniform(curves):
    """Area of P − area of U, in points: for each data set and learner the runs."""
    area = areas(curves)
    return _runs(curves, _of(area, "P") - _of(area, "U"))


def reached_early(curves):
    """For each data set and learner the runs of S's smallest fraction − 1."""
    return _runs(curves, _of(smallest_fractions(curves), "S") - 1)


def reached_before_uniform(curves):
    """For each data set and learner the runs of S's smallest fraction − U's."""
    smallest = smallest_fractions(curves)
    return _runs(curves, _of(smallest, "S") - _of(smallest, "U"))


def losses(curves, fraction):
    """Accuracy with a fraction of the most sensitive rows − with all: runs by data set and learner."""
    wide = _by_curve(curves)
    return _runs(curves, _of(wide[fraction] - wide[wide.columns[-1]], "S"))


def sign_agreement(curves):
    """For each data set the share of cases in which both learners' mean differences have one sign.

    ``curves``: from :func:`fraction_table`. Returns a dict of str to float: cases are P − U and S − U at
    every fraction below 1; two differences of zero agree.
    """
    means = _by_curve(curves).groupby(level=["data", "learner", "scheme"], sort=False).mean().iloc[:, :-1]
    agreement = {}
    for name in curves["data"].unique():
        signs = [
            [
                np.sign((means.loc[name, learner, s] - means.loc[name, learner, "U"]).round(9))
                for s in _AGAINST_U
            ]
            for learner in LEARNERS
        ]
        agreement[name] = float(np.mean(np.array(signs[0]) == np.array(signs[1])))
    return agreement


def fraction_summary(curves):
    """A row per data set and learner: accuracy with all rows, areas of P and S − U, smallest fractions."""
    area, smallest = areas(curves), smallest_fractions(curves)
    complete = _by_curve(curves).iloc[:, -1]
    rows = {}
    for name in curves["data"].unique():
        for learner in LEARNERS:
            of = {scheme: (name, learner, scheme) for scheme in SCHEMES}
            rows[name, learner] = {
                "all rows": complete[of["U"]].mean(),
                "area P − U": area[of["P"]].mean() - area[of["U"]].mean(),
                "area S − U": area[of["S"]].mean() - area[of["U"]].mean(),
                **{f"fraction {s}": smallest[of[s]].mean() for s in SCHEMES},
            }
    return pd.DataFrame(rows).T


@plots.nine_points
def rows_needed(curves, caption):
    """Share of the rows that each scheme needs for the accuracy of all rows, a panel per learner.

    ``curves``: from :func:`~studylib.studies.graf.figure_8.fraction_table`. ``caption``: what the
    figure is made from.
    """
    shares = 100 * smallest_fractions(curves)
    names = list(curves["data"].unique())
    figure, axes = plt.subplots(
        1,
        len(LEARNERS),
        figsize=(plots.WIDTH, 0.42 * len(names) + 1.6),
        sharex=True,
        sharey=True,
        layout="constrained",
    )
    for ax, learner in zip(axes, LEARNERS, strict=True):
        for k, (scheme, label) in enumerate(SCHEME_NAMES.items()):
            runs = [shares[name, learner, scheme] for name in names]
            mean, low, high = np.array([resampled_interval(values, TEST_SHARE) for values in runs]).T
            bars = [mean - low.clip(0), high.clip(max=100) - mean]
            y = np.arange(len(names)) + 0.24 * (k - 1)
            ax.errorbar(
                mean,
                y,
                xerr=bars,
                fmt=MARKERS[scheme],
                color=SCHEME_COLORS[scheme],
                label=label,
                lw=1.5,
                ms=5,
            )
        ax.set(title=learner, xlim=(0, 103), xticks=[0, 25, 50, 75, 100])
        ax.grid(visible=False, axis="y")
        for k in range(1, len(names), 2):
            ax.axhspan(k - 0.5, k + 0.5, color="#f4f4f4", lw=0, zorder=0)
    axes[0].set_yticks(range(len(names)), names)
    axes[0].set_ylim(len(names) - 0.5, -0.5)
    figure.supxlabel(f"rows needed to come within {REACHED} percentage points of the accuracy of all rows, %")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, columnspacing=1)
    figure.text(0.01, -0.04, caption, color="dimgray")
    return figure
