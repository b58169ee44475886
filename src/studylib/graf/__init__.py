"""Guided Random Forest: trees of global random hyperplanes, their codes, the sensitivity of samples."""

from studylib.graf._partitions import impurity
from studylib.graf._tree import NODE_DTYPE, SHARE_DTYPE, Tree
from studylib.graf.blend import BlendedForestClassifier
from studylib.graf.forest import GuidedRandomForestClassifier

__all__ = [
    "NODE_DTYPE",
    "SHARE_DTYPE",
    "BlendedForestClassifier",
    "GuidedRandomForestClassifier",
    "Tree",
    "impurity",
]
