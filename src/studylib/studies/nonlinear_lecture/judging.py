"""From measurements to the rules that judge the claims of the lecture on non-linear classification."""

import numpy as np

from studylib.statistics import mean_interval, resampled_interval
from studylib.studies.forest_lecture.judging import in_all, larger
from studylib.studies.forest_lecture.judging import printed as _printed
from studylib.studies.replicates import log_slopes
from studylib.study import rules

#: Printed values, and how far ours may be from them.
PRINTED = {
    "l2-golf-entropy": (0.971, 0.0005),
    "l2-golf-wind": (0.971, 0.0005),
    "l2-golf-humidity": (0.02, 0.0005),
}

#: Bounds of trends, for the whole interval.
COST_SLOPE = (-np.inf, 1.2)
BIAS_CHANGE = (-np.inf, 0.0)
RELIABLE_AREA = (0.9, np.inf)

#: Margins of equivalence in percentage points.
PRUNED_FOREST_MARGIN = 0.5
OUT_OF_BAG_MARGIN = 1.0

#: Differences from which numbers count as different, for ratios of impurities and for α, and up to which
#: they count as equal, for sums of weights.
RATIO_MOVES, RATIO_STAYS = 1e-6, 1e-12
ALPHA_TOLERANCE = 1e-6
WEIGHT_TOLERANCE = 1e-12

#: Share of the rows in a test set of the real sets.
TEST_SHARE = 0.3


def printed(claim, ours):
    """Our value is close enough to the printed one."""
    return _printed(claim, ours, PRINTED)


def printed_ratio_moves(largest):
    """The ratio as printed depends on the balance of the classes for √Gini: a counterexample."""
    invariant = largest.loc["√Gini", True] < RATIO_STAYS
    return rules.counterexample(
        bool(largest.loc["√Gini", False] > RATIO_MOVES),
        f"the printed ratio moves by up to {largest.loc['√Gini', False]:.2f}",
        reason=f"weighted by the child's share it {'does not move' if invariant else 'moves, too'}",
    )


def other_ratios_move(largest):
    """The weighted ratios of Gini and entropy depend on the balance; one that stays is a counterexample."""
    gini, entropy = largest.loc[["Gini", "entropy"], True]
    return rules.counterexample(
        bool(min(gini, entropy) < RATIO_MOVES),
        f"weighted ratios move by up to {gini:.2f} (Gini) and {entropy:.2f} (entropy)",
    )


def pruning_helps(noisy):
    """On noisy labels a grown tree errs more than a pruned one."""
    return larger(noisy["grown"], noisy["pruned"], "20 % of labels random")


def stopping_helps(noisy):
    """On noisy labels a grown tree errs more than one stopped early."""
    return larger(noisy["grown"], noisy["stopped"], "20 % of labels random, stopped at 0.5 bits")


def cost_grows(work, what):
    """Counted work grows little faster than the number of samples n."""
    slopes = mean_interval(log_slopes(work, "n", what))
    return rules.trend(slopes, *COST_SLOPE, reason="slope of log counted work in log n")


def bins_gain_accuracy(found):
    """Accuracy is higher with discretised than with continuous features, on every set."""
    better = {
        data: resampled_interval(part["discretised"] - part["continuous"], TEST_SHARE)
        for data, part in found.groupby("data")
    }
    said = ", ".join(f"{data} {interval.mean:+.3f}" for data, interval in better.items())
    return rules.k_sets(
        {data: rules.lies(interval, low=0) for data, interval in better.items()},
        "paired",
        reason=f"discretised − continuous: {said}",
    )


def _change(found, model, kind, part, kind_before, part_before):
    return found[f"{model}, {kind}: {part}"] - found[f"{model}, {kind_before}: {part_before}"]


def noise_costs_less(found):
    """Noise in the training labels costs a tree more accuracy than a forest."""
    tree, forest = (_change(found, m, "noisy", "test", "clean", "test") for m in ("tree", "forest"))
    return larger(tree, forest, f"accuracy lost: tree {tree.mean():.3f}, forest {forest.mean():.3f}")


def forest_overfits_less(found):
    """The gap between test and training error is larger for a tree than for a forest."""
    tree, forest = (_change(found, m, "noisy", "test", "noisy", "train") for m in ("tree", "forest"))
    return larger(tree, forest, f"test − training error: tree {tree.mean():.3f}, forest {forest.mean():.3f}")


def pruning_changes_little(found):
    """Forests of grown and of pruned trees err alike."""
    return rules.equivalent(
        mean_interval(100 * (found["grown"] - found["pruned"])),
        PRUNED_FOREST_MARGIN,
        reason="error of grown − of pruned trees, points; negative: pruning is not only needless, it harms",
    )


def bags_tell_the_error(found):
    """Out-of-bag and test error agree."""
    difference = mean_interval(100 * (found["out of bag"] - found["test"]))
    return rules.equivalent(difference, OUT_OF_BAG_MARGIN, reason="points")


def alpha_is_best(distances):
    """The printed α is where the numerical minimum of Z lies."""
    return in_all(distance < ALPHA_TOLERANCE for distance in distances)


def z_is_the_identity(epsilon, z):
    """Z is 2 √(ε (1 − ε)) in every round."""
    return in_all(np.abs(z - 2 * np.sqrt(epsilon * (1 - epsilon))) < WEIGHT_TOLERANCE, "rounds")


def misclassified_weigh_half(mass):
    """After an update the misclassified samples have half of the weight, in every round."""
    return in_all(np.abs(mass - 0.5) < WEIGHT_TOLERANCE, "rounds")


def z_is_not_the_square_root_of_gini(epsilon, z):
    """Z and √Gini differ: a counterexample."""
    ratio = z / np.sqrt(2 * epsilon * (1 - epsilon))
    return rules.counterexample(
        bool(np.abs(ratio - 1).max() > RATIO_MOVES),
        f"Z is {ratio.min():.4f} to {ratio.max():.4f} times √Gini",
    )


def boosting_stops(stopped):
    """Boosting ends when a stump is no better than chance."""
    return rules.holds_in_all(int(stopped), 1, reason="XOR: each stump's ε is one half")


def bias_falls(bias):
    """Squared bias falls with the rounds; one column per number of rounds."""
    first, last = bias.columns[[0, -1]]
    change = mean_interval(bias[last] - bias[first])
    return rules.trend(change, *BIAS_CHANGE, reason=f"bias² at {last} rounds − at {first}, points")


def shares_find_the_features(areas):
    """Feature shares separate the informative features from the others."""
    return rules.trend(
        mean_interval(areas), *RELIABLE_AREA, reason="area under ROC, informative against other features"
    )
