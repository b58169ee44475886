"""Guided Random Forest: trees of global random hyperplanes, their codes, the sensitivity of samples.

:class:`studylib.blend.BlendedForestClassifier` can be imported from here, too.
"""

from studylib.graf._nodes import PARTITION_DTYPE, SHARE_DTYPE
from studylib.graf._partitions import impurity
from studylib.graf._tree import Tree
from studylib.graf.forest import GuidedRandomForestClassifier

__all__ = [
    "PARTITION_DTYPE",
    "SHARE_DTYPE",
    "BlendedForestClassifier",
    "GuidedRandomForestClassifier",
    "Tree",
    "impurity",
]


def __getattr__(name):
    """Import the blend, which was here before, late: at the top the packages would import each other."""
    if name == "BlendedForestClassifier":
        from studylib.blend import BlendedForestClassifier

        return BlendedForestClassifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
