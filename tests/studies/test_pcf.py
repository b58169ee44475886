"""The experiments with the PCF: their tasks are repeatable, paired and about what they say."""

import numpy as np
import pytest

from studylib.datasets import make_clean_partitions
from studylib.pcf import PartialClassificationForest
from studylib.studies.pcf import experiments, growth, properties

PLANE = {"replicate": 0, "n_estimators": 8, "min_samples_leaf": 4}
GROWTH = growth.BASE | {"n_samples": 400, "n_estimators": 3, "replicate": 0}


def test_curves_end_where_the_whole_forest_does():
    curves = experiments.curves_over_trees(PLANE, 3)
    whole = experiments.readings(PLANE, 3)["inactive, plurality"]
    assert curves["test_predicted"][-1] == whole["predicted"]
    assert curves["test_accuracy"][-1] == whole["accuracy"]


def test_growth_counts_what_is_there():
    measures = growth.growth(GROWTH | {"max_depth": 0}, 0)
    assert measures["nodes"] == measures["leaves"] == 1
    assert measures["depth"] == measures["active_share"] == measures["steps"] == 0
    assert measures["fit_work"] == 3 * (400 + 1)
    assert measures["predict_work"] == 3  # no comparison, a vote a Tree
    assert measures["bytes"] == 3 * growth.NODE_BYTES


def test_without_a_limit_trees_are_deeper_and_a_larger_loss_makes_them_smaller():
    free, limited, careless = (
        growth.growth(GROWTH | more, 0) for more in ({}, {"max_depth": 5}, {"max_loss": 0.4})
    )
    assert limited["depth"] == 5 < free["depth"]
    assert careless["nodes"] < free["nodes"] == 2 * free["leaves"] - 1
    assert free["steps"] > np.log2(400 / 4)


def test_bytes_of_a_node_are_what_a_fitted_forest_keeps():
    X, y = experiments.plane(0)[::2]
    forest = PartialClassificationForest(2, random_state=0).fit(X, y)
    kept = sum(tree.nodes_.nbytes + tree._routes.nbytes for tree in forest.estimators_)
    assert growth.NODE_BYTES * sum(len(tree.nodes_) for tree in forest.estimators_) == kept


def test_dimension_is_the_vote_of_its_trees():
    """Against the forest's own voting, with Trees of the same seeds."""
    n = growth.N_QUERIES
    X, y = make_clean_partitions(2000 + n, 2, random_state=7)
    states, votes = np.random.RandomState(7), np.zeros((n, 3))
    for _ in range(3):
        tree = PartialClassificationForest(1, random_state=states.randint(2**31 - 1)).fit(X[n:], y[n:])
        votes += tree.vote_shares(X[:n])
    labels = [-1 if row[2] >= max(row[:2]) else int(row[1] > row[0]) for row in votes]
    key = {"n_features": 2, "n_relevant": 2, "n_samples": 2000, "n_estimators": 3, "min_samples_leaf": 4}
    measures = growth.dimension(key | {"replicate": 0}, 7)
    assert measures["predicted"] == np.mean([label != -1 for label in labels])
    right = [label == truth for label, truth in zip(labels, y[:n], strict=True) if label != -1]
    assert measures["accuracy"] == pytest.approx(np.mean(right))


def test_lambda_inside_the_label_set_is_refused():
    assert properties.abstain_label_is_outside([0, 1], 1)
    assert properties.abstain_label_is_outside(["a", "b"], "c")
