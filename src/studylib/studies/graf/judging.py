"""From what was measured to the verdicts about the Guided Random Forest.

Every function returns a :class:`~studylib.study.rules.Judgement`.  The thresholds of all rules are in the
block of constants below; the rules in words are in ``claims.toml``.
"""

import itertools

import numpy as np

from studylib.graf import impurity
from studylib.statistics import Interval, mean_interval
from studylib.studies.graf.tables import compared_stages, over_seeds
from studylib.study import rules

#: How far the share of hyperplanes that divide their partition may be from 1.
SPLIT_WITHIN = 0.01
#: Above this difference two formulas do not give the same number; below the other they do.
DIFFERS, AGREES = 1e-6, 1e-12
#: A curve is flat if its change is within this share of its last value, or within so many points.
FLAT_SHARE, FLAT_POINTS = 0.05, 0.2
#: Points by which GRAF may be above the best other method and still count as ahead of it.
AHEAD_BY = {"variance": 0.0, "error": 0.5}
#: Error probability of all steps of a curve together.
ALPHA = 0.05
#: Values of M whose effect the source describes.
TWO_FEATURES, HALF_OF_THE_FEATURES = 2, 5
FEW_FEATURES, ALL_FEATURES = (3, 7), 10


def _all(answers):
    """Whether all answers are yes: no if one is no, open if one is open."""
    return False if False in answers else None if None in answers else True


def _steps(wide, n_corrected):
    """Intervals of the changes from one M to the next, each at a level corrected for their number."""
    level = 1 - ALPHA / n_corrected
    return [mean_interval(wide[b] - wide[a], level) for a, b in itertools.pairwise(wide.columns)]


# Notebook 03


def superadditive():
    """Whether the impurity of the whole is at least the sum over its parts, in a case where it is not."""
    totals = np.array([2, 6])
    whole, first, second = (impurity(np.array(n), totals) for n in ((2, 1), (1, 1), (1, 0)))
    shown = f"N = (2, 6), (2, 1) → (1, 1) + (1, 0): {whole:.3f} < {first + second:.3f}"
    return rules.counterexample(bool(whole < first + second), shown)


def splits_almost_surely(shares):
    """Whether practically every hyperplane divides the partition that it was drawn for.

    Parameters
    ----------
    shares : list of float
        Of the hyperplanes of each forest.
    """
    return rules.tolerance(float(np.mean(shares)), 1.0, SPLIT_WITHIN)


def extension_adds_purity(gains):
    """Whether a hyperplane makes the partitions purer that it was not drawn for.

    Parameters
    ----------
    gains : list of float, of each forest
    """
    reason = "Gini purity that a hyperplane adds to the other partitions, in samples per sample"
    return rules.paired(mean_interval(gains), "positive", reason=reason)


def class_weights_help(table):
    """Whether class weights raise the balanced accuracy where leaves may be impure.

    Parameters
    ----------
    table : DataFrame
        "min_samples_split" and "gain" of each replicate.
    """
    reason = "min_samples_split = 20; with 2, the default, all leaves are pure and weights change nothing"
    gain = table.loc[table["min_samples_split"] == 20, "gain"]
    return rules.paired(mean_interval(gain), "positive", reason=reason)


def printed_forms_add_up(forms):
    """Whether bias² and variance as printed add up to the error, as they do in the original form.

    Parameters
    ----------
    forms : DataFrame, from :func:`~studylib.studies.graf.tables.forms_of_decomposition`
    """
    original, printed = forms["bias² + variance − error"], forms["as printed"]
    if original.abs().max() > AGREES:
        raise ArithmeticError("bias² and variance of the original form do not add up to the error.")
    shown = (
        f"bias² + variance − error: 0 for the original form; {printed.min():.3f} to {printed.max():.3f} "
        "for the printed one"
    )
    return rules.counterexample(bool(printed.abs().max() > DIFFERS), shown)


def saturates(by_trees):
    """Whether error, bias² and variance are flat from a hundred trees on.

    Parameters
    ----------
    by_trees : DataFrame, from :func:`~studylib.studies.graf.tables.decomposition_table`
    """
    near, last = compared_stages(by_trees)
    saturated = {}
    for data, curves in by_trees.groupby("data", sort=False):
        flat = []
        for _, curve in curves.groupby("part", sort=False):
            wide = over_seeds(curve, "per cent", "trees")
            margin = max(FLAT_SHARE * wide[last].mean(), FLAT_POINTS)
            flat.append(rules.lies(mean_interval(wide[near] - wide[last]), -margin, margin))
        saturated[data] = _all(flat)
    n_seeds = by_trees["data_seed"].nunique()
    reason = f"all three curves, {near} against {last} trees, {n_seeds} data seeds"
    return rules.k_sets(saturated, "equivalent", reason=reason)


def error_falls_with_features(by_subspace):
    """Whether the error is lower with all features than with the fewest, and no step on the way raises it.

    Parameters
    ----------
    by_subspace : DataFrame, from :func:`~studylib.studies.graf.tables.decomposition_table`
    """
    falls = {}
    for data, wide in _errors(by_subspace):
        first, *_, last = wide.columns
        rises = any(rules.lies(step, low=0) for step in _steps(wide, len(wide.columns)))
        falls[data] = False if rises else rules.lies(mean_interval(wide[last] - wide[first]), high=0)
    return rules.k_sets(falls, "trend", reason=f"M from {first} to {last}")


def two_features_are_too_few(by_subspace):
    """Whether the error is higher with two features per tree than with half of them.

    Parameters
    ----------
    by_subspace : DataFrame, from :func:`~studylib.studies.graf.tables.decomposition_table`
    """
    higher = {
        data: rules.lies(mean_interval(wide[TWO_FEATURES] - wide[HALF_OF_THE_FEATURES]), low=0)
        for data, wide in _errors(by_subspace)
    }
    return rules.k_sets(higher, "paired")


def _errors(by_subspace):
    """The error for each data set: a row per data seed, a column for each M."""
    for data, part in by_subspace[by_subspace["part"] == "error"].groupby("data", sort=False):
        yield data, over_seeds(part, "per cent", "max_features")


def falls_with_samples(by_size, part):
    """Whether a part of GRAF's error is smaller with the largest training sets than with the smallest.

    Parameters
    ----------
    by_size : DataFrame, from :func:`~studylib.studies.graf.tables.decomposition_table`
    part : {"bias²", "variance"}
    """
    chosen = by_size[(by_size["part"] == part) & (by_size["method"] == "GRAF")]
    smallest, largest = chosen["n_train"].min(), chosen["n_train"].max()
    fallen = {}
    for data, one in chosen.groupby("data", sort=False):
        wide = over_seeds(one, "per cent", "n_train")
        fallen[data] = rules.lies(mean_interval(wide[smallest] - wide[largest]), low=0)
    return rules.k_sets(fallen, "paired", reason=f"{smallest} against {largest} samples")


def ahead_of_peers(gaps, part, kind):
    """For which sets and sizes GRAF has the least variance or error, up to a margin.

    A case stays open where GRAF is ahead of random forest and AdaBoost over all seeds, but not of gradient
    boosting on the seeds that have it.

    Parameters
    ----------
    gaps : DataFrame, from :func:`~studylib.studies.graf.tables.gaps_to_peers`
    part : {"variance", "error"}
    kind : str, the claim's kind
    """
    margin, ahead = AHEAD_BY[part], {}
    for (data, n), row in gaps.iterrows():
        held = rules.lies(Interval(*(row[f"{part}: {end}"] for end in Interval._fields)), high=margin)
        ahead[f"{data}, {n}"] = None if held and not row[f"{part}: to boosting"] <= margin else held
    absent = gaps[f"{part}: to boosting"].isna().all()
    reason = "per set and size" + ("; gradient boosting not run" if absent else "")
    return rules.k_sets(ahead, kind, reason=reason)


# Notebook 04


def rises_with_features(forests, measure):
    """Whether a measure is higher with all features than with the fewest, and no step on the way lowers it.

    Parameters
    ----------
    forests : DataFrame, from :func:`~studylib.studies.graf.tables.strength_table`
    measure : {"strength", "correlation"}
    """
    rises = {}
    for data, part in forests.groupby("data", sort=False):
        wide = over_seeds(part, measure, "max_features")
        first, *_, last = wide.columns
        falls = any(rules.lies(step, high=0) for step in _steps(wide, len(wide.columns) - 1))
        rises[data] = False if falls else rules.lies(mean_interval(wide[last] - wide[first]), low=0)
    return rules.k_sets(rises, "trend")


def correlation_still_rises(forests):
    """Whether the correlation is higher with all features than with three, and than with seven.

    Parameters
    ----------
    forests : DataFrame, from :func:`~studylib.studies.graf.tables.strength_table`
    """
    rises = {}
    for data, part in forests.groupby("data", sort=False):
        wide = over_seeds(part, "correlation", "max_features")
        late = [rules.lies(mean_interval(wide[ALL_FEATURES] - wide[m]), low=0) for m in FEW_FEATURES]
        rises[data] = _all(late)
    return rules.k_sets(rises, "paired")


def bound_holds(measured):
    """Whether the bound is at least the test error of every forest.

    Parameters
    ----------
    measured : DataFrame, from :func:`~studylib.studies.graf.tables.strength_table`
    """
    holds = measured["test_error"] <= measured["bound"]
    ratio = (measured["bound"] / measured["test_error"]).median()
    reason = f"the bound is {ratio:.1f} times the error in the median"
    return rules.holds_in_all(int(holds.sum()), len(holds), reason=reason)


def printed_deviation_is_breimans(measured):
    """Whether the printed standard deviation gives Breiman's correlation.

    Parameters
    ----------
    measured : DataFrame, from :func:`~studylib.studies.graf.tables.strength_table`
    """
    gap = (measured["printed_correlation"] - measured["correlation"]).abs().max()
    shown = (
        f"ρ = {measured['correlation'].mean():.3f} with Breiman's deviation, "
        f"{measured['printed_correlation'].mean():.3f} with the printed one (means)"
    )
    return rules.counterexample(bool(gap > DIFFERS), shown)


def extension_lowers_the_bound(differences):
    """For which data sets and M the bound is higher without extended hyperplanes.

    Parameters
    ----------
    differences : DataFrame, from :func:`~studylib.studies.graf.tables.ablation_table`
    """
    lower = {
        f"{data}, M = {m}": rules.lies(Interval(row["bound"], row["bound, low"], row["bound, high"]), low=0)
        for (data, m), row in differences.iterrows()
    }
    return rules.k_sets(lower, "paired", reason="per data set and M")
