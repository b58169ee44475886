"""Partial Classification Forest: predict where a clean partition was found, abstain elsewhere."""

from studylib.pcf._nodes import PARTIAL_NODE_DTYPE, node_boxes, node_depths
from studylib.pcf.forest import LowCoverageWarning, PartialClassificationForest
from studylib.pcf.leaf_models import ConfidenceBound, CrossValidated, Laplace, Majority
from studylib.pcf.tree import PartialClassificationTree

__all__ = [
    "PARTIAL_NODE_DTYPE",
    "ConfidenceBound",
    "CrossValidated",
    "Laplace",
    "LowCoverageWarning",
    "Majority",
    "PartialClassificationForest",
    "PartialClassificationTree",
    "node_boxes",
    "node_depths",
]
