"""Intervals, decompositions, comparisons, selective classification, validation."""

from studylib.statistics.comparisons import compare_on_splits, has_twin, paired_difference
from studylib.statistics.decompositions import (
    BiasVariance,
    StrengthCorrelation,
    bias_variance,
    strength_correlation,
)
from studylib.statistics.intervals import (
    Interval,
    mean_interval,
    prediction_interval,
    resampled_interval,
)
from studylib.statistics.selective import (
    RiskCoverage,
    bootstrap_area,
    conformal_confidence,
    coverage,
    risk_coverage,
    selective_accuracy,
    selective_scorer,
)
from studylib.statistics.stopping import stopping_search
from studylib.statistics.validation import (
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
    "bias_variance",
    "bootstrap_area",
    "compare_on_splits",
    "conformal_confidence",
    "coverage",
    "flat_cv",
    "has_twin",
    "holdout_search",
    "mean_interval",
    "nested_cv",
    "nested_fold",
    "paired_difference",
    "prediction_interval",
    "resampled_interval",
    "risk_coverage",
    "selective_accuracy",
    "selective_scorer",
    "stopping_search",
    "strength_correlation",
]
