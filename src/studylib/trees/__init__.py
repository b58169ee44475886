"""Decision trees over mixed columns, and ensembles of them: conditions, criteria, growing, rules as text."""

from studylib.trees._nodes import NODE_DTYPE
from studylib.trees.boosting import AdaBoostClassifier
from studylib.trees.conditions import (
    MISSING,
    BinaryCondition,
    Condition,
    CutCondition,
    EqualityCondition,
    MembershipCondition,
    ThresholdCondition,
    ValueCondition,
)
from studylib.trees.criteria import CRITERIA
from studylib.trees.forest import RandomForestClassifier
from studylib.trees.information import conditional_entropy, entropy, information_gain
from studylib.trees.multiway import MULTIWAY_CRITERIA, MultiwayTreePredictor
from studylib.trees.predictor import TreePredictor

__all__ = [
    "CRITERIA",
    "MISSING",
    "MULTIWAY_CRITERIA",
    "NODE_DTYPE",
    "AdaBoostClassifier",
    "BinaryCondition",
    "Condition",
    "CutCondition",
    "EqualityCondition",
    "MembershipCondition",
    "MultiwayTreePredictor",
    "RandomForestClassifier",
    "ThresholdCondition",
    "TreePredictor",
    "ValueCondition",
    "conditional_entropy",
    "entropy",
    "information_gain",
]
