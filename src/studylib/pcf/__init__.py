"""Partial Classification Forest: predict where a clean partition was found, abstain elsewhere."""

from studylib.pcf._nodes import NODE_DTYPE, node_boxes, node_depths
from studylib.pcf.algorithm1 import fit_as_printed
from studylib.pcf.forest import PartialClassificationForest, PartialClassificationTree
from studylib.pcf.leaf_models import ConfidenceBound, CrossValidated, Laplace, Majority

__all__ = [
    "NODE_DTYPE",
    "ConfidenceBound",
    "CrossValidated",
    "Laplace",
    "Majority",
    "PartialClassificationForest",
    "PartialClassificationTree",
    "fit_as_printed",
    "node_boxes",
    "node_depths",
]
