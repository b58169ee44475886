"""Rules: 1-R and its discretiser, frequent itemsets, association rules, and classification by them."""

from studylib.rules.association import association_rules
from studylib.rules.classifier import RuleClassifier
from studylib.rules.itemsets import apriori
from studylib.rules.one_r import OneRClassifier, OneRDiscretizer

__all__ = ["OneRClassifier", "OneRDiscretizer", "RuleClassifier", "apriori", "association_rules"]
