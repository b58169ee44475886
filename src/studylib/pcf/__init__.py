"""Partial Classification Forest: predict where a clean partition was found, abstain elsewhere."""

from studylib.pcf._nodes import NODE_DTYPE, node_boxes, node_depths
from studylib.pcf.forest import (
    PartialClassificationForest,
    PartialClassificationTree,
    SilentForestWarning,
)
from studylib.pcf.leaf_models import ConfidenceBound, CrossValidated, Laplace, Majority

__all__ = [
    "NODE_DTYPE",
    "ConfidenceBound",
    "CrossValidated",
    "Laplace",
    "Majority",
    "PartialClassificationForest",
    "PartialClassificationTree",
    "SilentForestWarning",
    "node_boxes",
    "node_depths",
]
