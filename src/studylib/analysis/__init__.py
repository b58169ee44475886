"""Statistics on top of the estimators."""

from studylib.analysis.decompositions import (
    BiasVariance,
    StrengthCorrelation,
    bias_variance,
    strength_correlation,
)
from studylib.analysis.intervals import (
    Interval,
    mean_interval,
    prediction_interval,
    resampled_interval,
)
from studylib.analysis.selective import (
    RiskCoverage,
    bootstrap_area,
    conformal_confidence,
    coverage,
    risk_coverage,
    selective_accuracy,
)
from studylib.analysis.splits import compare_on_splits, has_twin, paired_difference, tree_table
from studylib.analysis.stopping import stopping_search
from studylib.analysis.tree_properties import (
    alternating_chain,
    changed_share,
    drop_one_shares,
    gain_minimises_index,
    is_breadth_first,
    n_tests,
)
from studylib.analysis.validation import (
    NestedSearch,
    Search,
    flat_cv,
    holdout_search,
    nested_cv,
    nested_fold,
)

__all__ = [
    "BiasVariance",
    "Interval",
    "NestedSearch",
    "RiskCoverage",
    "Search",
    "StrengthCorrelation",
    "alternating_chain",
    "bias_variance",
    "bootstrap_area",
    "changed_share",
    "compare_on_splits",
    "conformal_confidence",
    "coverage",
    "drop_one_shares",
    "flat_cv",
    "gain_minimises_index",
    "has_twin",
    "holdout_search",
    "is_breadth_first",
    "mean_interval",
    "n_tests",
    "nested_cv",
    "nested_fold",
    "paired_difference",
    "prediction_interval",
    "resampled_interval",
    "risk_coverage",
    "selective_accuracy",
    "stopping_search",
    "strength_correlation",
    "tree_table",
]
