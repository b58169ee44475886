"""Decision trees over mixed columns, and ensembles of them: conditions, criteria, growing, rules as text."""

from studylib.trees._nodes import NODE_DTYPE
from studylib.trees.boosting import AdaBoostClassifier
from studylib.trees.conditions import (
    MISSING,
    BinaryCondition,
    Condition,
    EqualityCondition,
    MembershipCondition,
    ThresholdCondition,
)
from studylib.trees.criteria import CRITERIA
from studylib.trees.forest import RandomForestClassifier
from studylib.trees.predictor import TreePredictor

__all__ = [
    "CRITERIA",
    "MISSING",
    "NODE_DTYPE",
    "AdaBoostClassifier",
    "BinaryCondition",
    "Condition",
    "EqualityCondition",
    "MembershipCondition",
    "RandomForestClassifier",
    "ThresholdCondition",
    "TreePredictor",
]
