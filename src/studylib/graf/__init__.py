"""Guided Random Forest: trees of global random hyperplanes, their codes, the sensitivity of samples."""

from studylib.graf._nodes import PARTITION_DTYPE, SHARE_DTYPE
from studylib.graf._partitions import impurity
from studylib.graf._tree import Tree
from studylib.graf.forest import GuidedRandomForestClassifier

__all__ = [
    "PARTITION_DTYPE",
    "SHARE_DTYPE",
    "GuidedRandomForestClassifier",
    "Tree",
    "impurity",
]
