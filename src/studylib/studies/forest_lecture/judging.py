"""From measurements to the rules that judge the claims of the lecture on random forests."""

import numpy as np

from studylib.statistics import mean_interval
from studylib.studies.replicates import log_slope, log_slopes
from studylib.study import rules

#: Printed values, and how far ours may be from them (None: equal up to rounding errors).
PRINTED = {
    "l1-coin": (1.0, None),
    "l1-die": (2.58, 0.005),
    "l1-eight": (3.0, None),
    "l1-root": (1.0, None),
    "l1-patrons": (0.585, 0.005),
    "l1-type": (1.0, None),
}

#: What the other rules ask for: a printed value and its tolerance, or the bounds of an interval.
BEST_ATTRIBUTE = "Patrons"
FITTED_BY_BOTH = 12
ATTRIBUTE_KINDS = "6+3+1"
SMOKING_PER_CENT = (40.0, 0.5)
APPROXIMATION_SLOPE = {"high": 0}
ERROR_PROPAGATION = (0.0, np.inf)
PARALLEL_SLOPE = (0.9, 1.1)


def printed(claim, ours, values=PRINTED):
    """Our value equals the printed one, or is close enough."""
    value, within = values[claim]
    if within is None:
        return rules.exact(round(ours, 12), value)
    return rules.tolerance(ours, value, within)


def in_all(held, reason=""):
    """A property held in every case; ``held`` has one Boolean per case."""
    held = list(held)
    return rules.holds_in_all(int(sum(held)), len(held), reason=reason)


def larger(first, second, reason=""):
    """The first of two paired measurements is larger on average."""
    return rules.paired(mean_interval(first - second), "positive", reason=reason)


def more_neighbours_err_less(errors):
    """One neighbour errs more often than fifteen; ``errors`` has one column per number of neighbours."""
    return larger(errors[1], errors[15], "1 against 15 neighbours, two overlapping clouds")


def best_attribute(gains):
    """The attribute with the largest gain, the last of ``gains``."""
    best = gains.index[-1]
    return rules.exact(best, BEST_ATTRIBUTE, shown=f"{best}, {gains.iloc[-1]:.3f} bits")


def both_fit(trees, table, wait):
    """A small and a large tree classify all training examples correctly."""
    right = [int((tree.predict(table) == wait).sum()) for tree in trees]
    shown = "; ".join(f"{tree.n_nodes_} nodes: {n} of 12" for tree, n in zip(trees, right, strict=True))
    return rules.exact(right, [FITTED_BY_BOTH] * len(trees), shown=shown)


def attribute_kinds(counted):
    """Numbers of Boolean, discrete and continuous attributes."""
    return rules.exact(counted, ATTRIBUTE_KINDS, reason="the waiting time is printed in four intervals")


def smoking_share(implied):
    """The share at the root follows from the shares below it."""
    return rules.tolerance(
        100 * implied, *SMOKING_PER_CENT, reason="only 17 of 92 and 65 of 108 print so: 41.0 %"
    )


def every_boolean_function(found, n_variables):
    """A tree represents every function; ``found`` counts functions and those represented exactly."""
    return rules.holds_in_all(
        int(found["exact"].sum()),
        int(found["functions"].sum()),
        reason=f"all functions of up to {n_variables} variables",
    )


def error_falls_with_leaves(steps):
    """For every function the error falls: the slope of its log in log leaves is negative."""
    slopes = {
        name: mean_interval(log_slopes(part, "leaves", "rms")) for name, part in steps.groupby("function")
    }
    said = ", ".join(f"{name} {slope.mean:.2f}" for name, slope in slopes.items())
    return rules.k_sets(
        {name: rules.lies(slope, **APPROXIMATION_SLOPE) for name, slope in slopes.items()},
        "trend",
        reason=f"slope of log error in log leaves: {said}",
    )


def error_propagates(flips):
    """Below a node that decides wrongly the error is larger than beside it."""
    below, beside = flips["below"].astype(float), flips["beside"]
    return rules.trend(
        mean_interval(below - beside),
        *ERROR_PROPAGATION,
        reason=f"error below the node {below.mean():.1%}, beside it {beside.mean():.1%}",
    )


def trees_are_unstable(found):
    """Trees of two samples differ more than forests of two samples."""
    tree, forest = found["tree"], found["forest"]
    return larger(tree, forest, f"trees differ on {tree.mean():.1%}, forests on {forest.mean():.1%}")


def deep_trees_overfit(train, test):
    """The deepest trees err more on test data than on training data; one column per depth."""
    gap = test - train
    first, last = gap.columns[[0, -1]]
    growth = mean_interval(gap[last] - gap[first])
    return larger(
        test[last],
        train[last],
        f"depth {last}; since depth {first} up by {growth.low:.3f} … {growth.high:.3f}",
    )


def work_divides(speed_up):
    """Speed-up grows as the number of threads does; one column per number of threads."""
    slopes = [log_slope(list(speed_up.columns), row) for row in speed_up.to_numpy()]
    return rules.trend(
        mean_interval(slopes),
        *PARALLEL_SLOPE,
        reason="slope of log speed-up in log threads, by counted work",
    )
