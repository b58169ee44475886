"""From measurements to the rules that judge the claims of the mushroom report."""

import numpy as np
import pandas as pd

from studylib import datasets
from studylib.statistics import paired_difference, prediction_interval, resampled_interval
from studylib.study import rules

#: Table 2.1: share of missing values of each column.
TABLE_21 = pd.Series(
    {
        "class": 0.00,
        "cap-diameter": 0.00,
        "cap-shape": 0.00,
        "cap-surface": 0.23,
        "cap-color": 0.00,
        "does-bruise-or-bleed": 0.00,
        "gill-attachment": 0.16,
        "gill-spacing": 0.41,
        "gill-color": 0.00,
        "stem-height": 0.00,
        "stem-width": 0.00,
        "stem-root": 0.84,
        "stem-surface": 0.62,
        "stem-color": 0.00,
        "veil-type": 0.95,
        "veil-color": 0.88,
        "has-ring": 0.00,
        "ring-type": 0.04,
        "spore-print-color": 0.90,
        "habitat": 0.00,
        "season": 0.00,
    },
    name="Table 2.1",
)

#: Table 4.1: the four trees.
TABLE_41 = pd.DataFrame(
    {
        "depth": [15, 28, 28, 27],
        "nodes": [2027, 773, 837, 1119],
        "leaves": [1014, 387, 419, 560],
        "train error": [0.017, 0.000, 0.000, 0.000],
        "test error": [0.036, 0.004, 0.005, 0.007],
    },
    index=["misclassification", "information", "gini", "chi_square"],
)

#: The other published values, and how far ours may be from them where they need not be equal.
N_ROWS, N_FEATURES = 61_069, (20, 3)
EDIBLE, EDIBLE_WITHIN = 0.55, 0.005
DELETION_THRESHOLD = 0.40
SPLIT_ERROR, FOLDS_ERROR, SEARCH_ERROR, FOREST_ERROR = 0.017, 0.019, 0.028, 0.002

#: Bounds of the trends: a bound n · depth has slope 1; an entirely different tree changes half of its nodes.
COST_SLOPE = (0.9, 1.1)
ENTIRELY_DIFFERENT = (0.5, 1.0)

#: Share of the rows that a split leaves for testing.
TEST_SHARE = 0.2

#: Rounding errors up to which a number is 0.
ALWAYS_ZERO = 1e-12


def cut(error):
    """Three decimals, the rest cut off, as the source prints its errors."""
    return np.floor(1000 * error) / 1000


def n_rows(frame):
    """The table has as many rows as printed."""
    return rules.exact(len(frame), N_ROWS)


def n_features(frame):
    """The table has as many features, and as many continuous ones, as printed."""
    found = frame.shape[1] - 1, frame.select_dtypes("number").shape[1]
    return rules.exact(found, N_FEATURES, shown=f"{found[0]} ({found[1]} continuous)")


def balance(frame):
    """The share of edible mushrooms is the printed one."""
    edible = float((frame["class"] == "e").mean())
    return rules.tolerance(edible, EDIBLE, EDIBLE_WITHIN, reason="the shares are the other way round")


def table_21(missing):
    """All shares of missing values are the printed ones, at two decimals."""
    n_equal = int((missing.round(2) == TABLE_21).sum())
    return rules.exact(n_equal, len(TABLE_21), shown=f"{n_equal} of {len(TABLE_21)} equal")


def unit_of_table_21(missing):
    """The printed numbers are percentages, as the header says."""
    unit = "%" if missing.max() > 1 else "fractions"
    return rules.exact(unit, "%", reason="the printed numbers are shares of 1")


def all_incomplete(frame):
    """Every row has a missing value."""
    incomplete = frame.isna().any(axis=1)
    return rules.exact(bool(incomplete.all()), True, shown=f"{incomplete.mean():.0%} of rows")


def only_categories_remain(frame):
    """After deletion at 0.40 all remaining columns are categorical, by two readings."""
    kept = datasets.delete_features(frame, DELETION_THRESHOLD).drop(columns="class")
    numbers = kept.select_dtypes("number")
    readings = {
        "every remaining column is categorical": numbers.empty,
        "every remaining column with gaps is categorical": not numbers.isna().any(axis=None),
    }
    return rules.k_sets(
        readings,
        "exact",
        shown=f"{numbers.shape[1]} numeric columns remain, none with gaps",
        reason="true of the columns that still have gaps, not of all that remain",
    )


def rows_lost(frame):
    """Cleaning removes no row."""
    return rules.exact(len(frame) - len(datasets.clean(frame, 0.20, "u")[0]), 0)


def _cut_table(table):
    return np.trunc(table * 1000) / 1000


def row_of_table_41(table, criterion):
    """A tree has the published depth, nodes, leaves and errors."""
    ours = tuple(_cut_table(table).loc[criterion])
    shown = "{:.0f} / {:.0f} / {:.0f} / {:.3f} / {:.3f}".format(*ours)
    return rules.exact(ours, tuple(TABLE_41.loc[criterion]), shown=shown)


def no_perfect_tree(table):
    """No grown tree fits its training rows without error."""
    n_perfect = int((table["train error"] == 0).sum())
    return rules.exact(
        n_perfect,
        0,
        shown=f"training error 0 for {n_perfect} of {len(table)} trees",
        reason="where no two rows contradict each other a grown tree is always perfect",
    )


def threshold_of_table_41(tables):
    """Table 4.1 arises at the threshold of the text; ``tables`` maps thresholds to tables."""
    giving = [f"{t:.2f}" for t, table in tables.items() if (_cut_table(table) == TABLE_41).all(axis=None)]
    return rules.exact(
        ", ".join(giving) or "neither",
        f"{DELETION_THRESHOLD:.2f}",
        reason="the threshold at which Table 4.1 arises",
    )


def information_is_best(over_splits):
    """The information tree errs less than the Gini tree, over splits."""
    n_splits = over_splits["seed"].nunique()
    difference = paired_difference(over_splits, "information", "gini", TEST_SHARE)
    return rules.paired(difference, "negative", reason=f"information − Gini, {n_splits} splits")


def duplicates_change_nothing(twins):
    """The test error is the same with and without test rows that have a twin in training."""
    with_twins, without = twins["test error with"], twins["test error without"]
    effect = resampled_interval(with_twins - without, TEST_SHARE)
    size = abs(effect.mean) / without.mean()
    return rules.paired(effect, "none", reason=f"with − without; {size:.1%} of the error")


def leaves_from_nodes(trees):
    """L = (T + 1) / 2 for every tree of a table."""
    return rules.holds_in_all(int((2 * trees["leaves"] == trees["nodes"] + 1).sum()), len(trees))


def printed_gini_says_nothing(values):
    """The printed formula gives 0 for every node: a counterexample."""
    always_zero = bool(np.allclose(values, 0, atol=ALWAYS_ZERO))
    shown = f"0 in {len(values)} random nodes"
    return rules.counterexample(always_zero, shown, reason="1 − Σ p² is meant")


def gain_minimises(counts, n_cases):
    """The split of largest gain has the smallest weighted index in all of ``n_cases`` nodes per criterion."""
    return rules.holds_in_all(sum(counts), len(counts) * n_cases)


def depth_is_number_of_rows(depths, sizes):
    """In the worst case a tree is as deep as it has rows."""
    held = sum(depth == m for depth, m in zip(depths, sizes, strict=True))
    return rules.holds_in_all(held, len(sizes), reason=f"depths {depths} for {list(sizes)} rows")


def cost_of_prediction(slope):
    """Conditions tested grow in proportion to the number of rows: the slope on logarithmic scales."""
    return rules.trend(slope, *COST_SLOPE, reason="conditions tested against rows, log–log")


def one_row_changes_the_tree(changed):
    """Leaving out some single row changes more than half of the nodes."""
    reason = f"largest share over {len(changed)} rows; median {np.median(changed):.3f}"
    return rules.trend(float(np.max(changed)), *ENTIRELY_DIFFERENT, reason=reason)


def single_split(error):
    """The published error of one split on 10,000 rows."""
    return rules.exact(cut(error), SPLIT_ERROR, shown=f"{error:.4f}", reason="the source cuts its decimals")


def five_folds(errors):
    """The published mean error of five folds on 10,000 rows."""
    mean = np.mean(errors)
    return rules.exact(cut(mean), FOLDS_ERROR, shown=f"{mean:.4f}")


def best_of_search(losses):
    """The published smallest loss is one run among ours."""
    interval = prediction_interval(losses)
    return rules.published_run(SEARCH_ERROR, interval, reason=f"{len(losses)} split seeds")


def published_errors(single, folds, best):
    """The three errors of a single tree, as published and as ours."""
    return pd.DataFrame(
        {
            "published": [SPLIT_ERROR, FOLDS_ERROR, SEARCH_ERROR],
            "ours": [single, np.mean(folds), np.mean(best)],
        },
        index=["single split", "5 folds", "best of 560"],
    )


def no_overfitting(curves, n_rows):
    """Test and training error of the largest grown trees are equal.

    Parameters
    ----------
    curves : DataFrame
        Keys and results of ``learning_curve_task``.
    n_rows : int
        Rows that were split into training and test part.
    """
    n_train = curves["n_train"].max()
    wide = curves[curves["n_train"] == n_train].pivot_table(
        ["train_error", "test_error"], "split_seed", "model"
    )
    test_share = TEST_SHARE * n_rows / (TEST_SHARE * n_rows + n_train)
    tests = wide["test_error"]
    gap = resampled_interval(tests["tree"] - wide["train_error", "tree"], test_share)
    gain = resampled_interval(tests["pruned tree"] - tests["tree"], test_share)
    reason = f"pruned − grown: {gain.mean:+.5f} ({gain.low:+.5f} … {gain.high:+.5f})"
    return rules.paired(gap, "none", reason=reason)


def forest_of_five(errors, errors_on_more, n_more):
    """The published error of a forest of five is one run among ours."""
    return rules.published_run(
        FOREST_ERROR,
        prediction_interval(errors),
        reason=f"{len(errors)} forest seeds; on {n_more:,} rows {np.mean(errors_on_more):.4f}",
    )


def forest_is_better(splits):
    """A forest errs less than a tree, over splits."""
    tree, forest = splits["tree_error"], splits["test_error"]
    return rules.paired(
        resampled_interval(tree - forest, TEST_SHARE),
        "positive",
        reason=f"tree {tree.mean():.4f}, forest {forest.mean():.4f}",
    )
