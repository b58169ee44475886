"""From what was measured to the verdicts about the Partial Classification Forest.

Every function returns a :class:`~studylib.study.rules.Judgement`.  The thresholds of all rules are in the
block of constants below; the rules in words are in ``claims.toml``.  ``curves`` are those of
:func:`~studylib.studies.pcf.tables.tree_curves`.
"""

import numpy as np

from studylib.statistics import mean_interval, prediction_interval
from studylib.studies.pcf.tables import SYMBOLS
from studylib.study import rules

#: Share of the plane that can be predicted, and how far a simulated plane may be from it.
OPTIMUM, OPTIMUM_WITHIN = 0.20, 0.02
#: Accuracy below which the plane as a whole counts as unpredictable.
WHOLE_BELOW = 0.7
#: How many times as many connected regions τ_|X| = 2 must give as τ_|X| = 10 to be called chaotic.
CHAOTIC_RATIO = 5
#: Numbers of Trees that the source's statements on Fig. 3 are about.
FEW, MANY, MORE, MOST = 30, 100, 200, 500
#: How many times as much the measures must vary below ``FEW`` Trees as from there to ``MANY``.
VARIES_RATIO = 2
#: Changes of accuracy and of predicted that still count as none.
ACCURACY_MARGIN, PREDICTED_MARGIN = 0.01, 0.005
#: Number of γ that are tried: the level of their intervals is corrected for it.
N_LEAF_MODELS = 4
LEAF_MODEL_LEVEL = 1 - 0.05 / N_LEAF_MODELS
#: Bounds on the log–log slopes of work: in N, of FIT in n, and of PREDICT in n.
SLOPE_IN_TREES, SLOPE_OF_FIT, SLOPE_OF_PREDICT = (0.9, 1.1), 1.15, 0.05


def _spread(interval):
    return "{:.3f} ({:.3f} … {:.3f})".format(*interval)


# Notebook 01


def line_4(printed, prose):
    """Whether line 4 as printed never splits, and as corrected always does.

    Parameters
    ----------
    printed, prose : list of int
        Nodes of a Tree on each plane.
    """
    shown = f"{max(printed)} node on all {len(printed)} planes; corrected: {min(prose):,} or more"
    return rules.exact(max(printed) == 1 < min(prose), True, shown=shown)


def node_bound(within):
    """Whether the bound on the nodes holds with h ≥ τ_h and is exceeded with h > τ_h.

    Parameters
    ----------
    within : list of (bool, bool)
        From :func:`~studylib.studies.pcf.properties.within_node_bound`.
    """
    ours, printed = (sum(answers) for answers in zip(*within, strict=True))
    n = len(within)
    holds = {"h ≥ τ_h never exceeds it": ours == n, "h > τ_h exceeds it somewhere": printed < n}
    shown = f"h ≥ τ_h: {ours} of {n} within; h > τ_h: {printed}"
    return rules.k_sets(holds, "property", shown=shown)


def plane_share(shares):
    """Whether the five regions hold a fifth of the points on every plane.

    Parameters
    ----------
    shares : Series, of each plane
    """
    farthest = float(shares.iloc[(shares - OPTIMUM).abs().argmax()])
    return rules.tolerance(farthest, OPTIMUM, OPTIMUM_WITHIN, reason="the seed farthest from 0.20")


def unpredictable(peers):
    """Whether no classifier tells the noise from a coin, and none is good on the whole plane.

    Parameters
    ----------
    peers : DataFrame
        Accuracies, a row per plane, columns (classifier, "noise" or "whole").
    """
    noise, whole = (peers.xs(part, axis=1, level=1) for part in ("noise", "whole"))
    best_noise = mean_interval(noise[noise.mean().idxmax()] - 0.5)
    best_whole = mean_interval(whole[whole.mean().idxmax()])
    return rules.k_sets(
        {"noise not told from 0.5": 0 in best_noise, "whole plane below 0.7": best_whole.high < WHOLE_BELOW},
        "paired",
        shown=f"noise {best_noise.mean:+.4f} ({best_noise.low:.4f} … {best_noise.high:.4f}); "
        f"whole {best_whole.mean:.3f}",
    )


def _for_each_size(intervals, tau, holds):
    """A statement about the forests of one τ_|X|, for every N."""
    by_size = {f"N = {n}": found for (size, n), found in intervals.items() if size == tau}
    return rules.k_sets(
        {name: holds(found) for name, found in by_size.items()},
        "paired",
        shown="; ".join(f"{name}: {_spread(found)}" for name, found in by_size.items()),
    )


def small_leaves_predict_too_much(predicted):
    """Whether τ_|X| = 2 predicts more than can be predicted.

    Parameters
    ----------
    predicted : dict of (min_samples_leaf, n_estimators) to Interval
    """
    return _for_each_size(predicted, 2, lambda found: found.low > OPTIMUM)


def small_leaves_are_not_accurate(accuracy):
    """Whether the accuracy of τ_|X| = 2 is below the 1 that τ_l = 0 asks for.

    Parameters
    ----------
    accuracy : dict of (min_samples_leaf, n_estimators) to Interval
    """
    return _for_each_size(accuracy, 2, lambda found: found.high < 1)


def large_leaves_predict_too_little(predicted):
    """Whether τ_|X| = 10 predicts less than can be predicted.

    Parameters
    ----------
    predicted : dict of (min_samples_leaf, n_estimators) to Interval
    """
    return _for_each_size(predicted, 10, lambda found: found.high < OPTIMUM)


def chaotic(surfaces):
    """Whether τ_|X| = 2 gives many times as many connected regions as τ_|X| = 10.

    Parameters
    ----------
    surfaces : DataFrame, a row per key of :func:`~studylib.studies.pcf.experiments.surface`
    """
    regions = surfaces.groupby(["min_samples_leaf", "n_estimators"])["regions"].mean()
    resolution = surfaces["resolution"].iloc[0]
    return rules.k_sets(
        {f"N = {n}": regions[2, n] / regions[10, n] >= CHAOTIC_RATIO for n in regions[2].index},
        "trend",
        shown="; ".join(f"N = {n}: {regions[2, n]:.0f} : {regions[10, n]:.0f}" for n in regions[2].index),
        reason=f"connected predicted regions on a {resolution} × {resolution} grid",
    )


def _at(curve, n):
    """A curve's value at n Trees, for each seed."""
    return curve[:, n - 1]


def few_trees_vary(curves):
    """Whether predicted and accuracy vary more with the number of Trees below 30 than from there to 100.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    ratios = {}
    for measure in ("predicted", "accuracy"):
        curve = curves[f"test_{measure}"]
        few, some = curve[:, : FEW - 1], curve[:, FEW - 1 : MANY]
        ratios[measure] = np.nanmean(np.nanstd(few, axis=1)) / np.nanmean(np.nanstd(some, axis=1))
    return rules.k_sets(
        {measure: ratio >= VARIES_RATIO for measure, ratio in ratios.items()},
        "trend",
        shown="; ".join(f"{measure}: {ratio:.1f} ×" for measure, ratio in ratios.items()),
    )


def accuracy_is_constant(curves):
    """Whether the accuracy is the same at 30 and at 100 Trees.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    accuracy = curves["test_accuracy"]
    return rules.equivalent(mean_interval(_at(accuracy, MANY) - _at(accuracy, FEW)), ACCURACY_MARGIN)


def accuracy_is_one(curves):
    """Whether an accuracy of 1 is within what a single run may show from 30 to 100 Trees.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    single_runs = prediction_interval(curves["test_accuracy"][:, FEW - 1 : MANY].mean(axis=1))
    return rules.published_run(1.0, single_runs, reason="mean accuracy for 30 ≤ N ≤ 100, in single runs")


def predicted_rises(curves):
    """Whether more is predicted at 100 than at 30 Trees.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    predicted = curves["test_predicted"]
    return rules.paired(mean_interval(_at(predicted, MANY) - _at(predicted, FEW)), "positive")


def predicted_is_higher_and_flat(curves):
    """Whether more is predicted beyond 200 than at 100 Trees, and as much at 500 as at 200.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    predicted = curves["test_predicted"]
    higher = mean_interval(predicted[:, MORE - 1 :].mean(axis=1) - _at(predicted, MANY))
    change = mean_interval(_at(predicted, MOST) - _at(predicted, MORE))
    flat = change.low >= -PREDICTED_MARGIN and change.high <= PREDICTED_MARGIN
    return rules.k_sets(
        {"higher than at 100": higher.low > 0, "flat beyond 200": flat},
        "paired",
        shown=f"higher by {_spread(higher)}; change from 200 to 500 {_spread(change)}",
    )


def accuracy_drops(curves):
    """Whether the accuracy is lower at 500 than at 100 Trees.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    accuracy = curves["test_accuracy"]
    return rules.paired(mean_interval(_at(accuracy, MANY) - _at(accuracy, MOST)), "positive")


def training_predicts_more(curves):
    """Whether more training than test observations are predicted from 30 Trees on.

    Parameters
    ----------
    curves : dict of str to ndarray (n_seeds, n_trees)
    """
    more = curves["train_predicted"][:, FEW - 1 :] - curves["test_predicted"][:, FEW - 1 :]
    return rules.paired(mean_interval(more.mean(axis=1)), "positive", reason="mean over N ≥ 30")


# Notebook 02


def better_leaf_models(gains):
    """For which data sets some γ beats the majority.

    Parameters
    ----------
    gains : DataFrame, from :func:`~studylib.studies.pcf.tables.gains_of_leaf_models`
    """
    better = {
        data: list(gains.loc[data].index[gains.loc[data, "low"] > 0])
        for data in gains.index.get_level_values(0).unique()
    }
    by = "; ".join(f"{data}: {', '.join(models) or 'none'}" for data, models in better.items())
    return rules.k_sets(
        {data: bool(models) for data, models in better.items()}, "paired", reason=f"beaten by: {by}"
    )


def change_with_dimension(curve, slope):
    """How predicted changes with the dimensions: a question that the source leaves open.

    Parameters
    ----------
    curve : dict of int to Interval
    slope : Interval
    """
    return rules.trend(
        slope,
        -np.inf,
        np.inf,
        reason="change of predicted for each doubling of d up to 10, 2 dimensions relevant, N = 100; at d = "
        + ", ".join(f"{d}: {curve[d].mean:.3f}" for d in (2, 5, 10, 20)),
    )


def growth_of_trees(slopes):
    """How a Tree grows: a question that the source leaves open.

    Parameters
    ----------
    slopes : dict of (setting, measure) to Interval
    """
    others = (
        ("min_samples_leaf", "nodes"),
        ("n_features", "nodes"),
        ("n_samples", "depth"),
        ("n_samples", "active_share"),
    )
    said = [f"{m.replace('_', ' ')} in {SYMBOLS[n]}: {slopes[n, m].mean:+.2f}" for n, m in others]
    return rules.trend(
        slopes["n_samples", "nodes"],
        -np.inf,
        np.inf,
        reason="; ".join(["log–log slope of nodes in n", *said]),
    )


def _in_trees(slope):
    low, high = SLOPE_IN_TREES
    return {"slope in N within 0.9 … 1.1": low <= slope <= high}


def fit_cost(slopes):
    """Whether the work of FIT is proportional to N and grows little faster than n.

    Parameters
    ----------
    slopes : dict, from :func:`~studylib.studies.pcf.tables.cost_slopes`
    """
    return rules.k_sets(
        _in_trees(slopes["fit_N"]) | {"slope in n at most 1.15": slopes["fit_n"] <= SLOPE_OF_FIT},
        "trend",
        shown=f"slope in N {slopes['fit_N']:.2f}, in n {slopes['fit_n']:.2f}",
    )


def predict_cost(slopes):
    """Whether the work of PREDICT is proportional to N and, with Trees of equal height, free of n.

    Parameters
    ----------
    slopes : dict, from :func:`~studylib.studies.pcf.tables.cost_slopes`
    """
    free_of_n = abs(slopes["predict_n"]) <= SLOPE_OF_PREDICT
    return rules.k_sets(
        _in_trees(slopes["predict_N"]) | {"no slope in n": free_of_n},
        "trend",
        shown=f"slope in N {slopes['predict_N']:.2f}; in n, with Trees of six levels, "
        f"{slopes['predict_n']:+.3f}",
    )


def faster_than_peers(speed):
    """Whether fit and predict take less time than those of each peer.

    Parameters
    ----------
    speed : DataFrame
        Columns "fit" and "predict"; a row for "PCF" and for each peer.
    """
    return rules.k_sets(
        {
            f"{task} faster than {name}": speed.loc[name, task] > speed.loc["PCF", task]
            for task in ("fit", "predict")
            for name in speed.index.drop("PCF")
        },
        "trend",
        reason="time of fit and predict against two peers; the ratios, with memory, stand in the table above",
    )


def competitive(comparison):
    """For which data sets the PCF loses to none of its peers.

    Parameters
    ----------
    comparison : DataFrame, from :func:`~studylib.studies.pcf.tables.comparison_with_peers`
    """
    outcomes = {
        data: comparison.loc[data, "outcome"] for data in comparison.index.get_level_values(0).unique()
    }
    return rules.k_sets(
        {data: (found != "loss").all() for data, found in outcomes.items()},
        "paired",
        reason="; ".join(f"{data}: {', '.join(found)}" for data, found in outcomes.items())
        + " (against random forest, boosting, conformal)",
    )
