"""The experiments with the PCF: their tasks are repeatable, paired and about what they say."""

import json

import numpy as np
import pytest

from studylib.datasets import BUNDLED
from studylib.studies.pcf import experiments, properties

PLANE = {"replicate": 0, "n_estimators": 8, "min_samples_leaf": 4}
GROWTH = {"n_samples": 400, "n_features": 2, "min_samples_leaf": 4, "max_depth": 32, "n_estimators": 3}
RISK = {"data": "plane", "n_plane": 300, "method": "majority", "n_estimators": 5, "replicate": 0}
TASKS = [
    (experiments.curves_over_trees, PLANE),
    (experiments.surface, PLANE | {"resolution": 20}),
    (experiments.readings, PLANE),
    (experiments.whole_plane_peers, {"replicate": 0, "n_samples": 300}),
    (experiments.dimension, PLANE | {"n_features": 3, "n_relevant": 2, "n_samples": 300}),
    (experiments.growth, GROWTH | {"replicate": 0}),
    *[
        (experiments.risk_curve, RISK | {"data": data, "method": method})
        for data in ("plane", *BUNDLED)
        for method in ("majority", "conformal")
    ],
    *[
        (experiments.risk_curve, RISK | {"data": "iris", "method": method, "n_estimators": 2})
        for method in (*experiments.LEAF_MODELS, "random forest", "boosting")
    ],
]


@pytest.mark.parametrize(("task", "key"), TASKS, ids=lambda value: getattr(value, "__name__", None))
def test_tasks_are_repeatable_and_return_plain_data(task, key):
    first = json.dumps(task(key, 5), allow_nan=False)
    assert json.dumps(task(key, 5), allow_nan=False) == first


def test_default_reading_gives_the_figures_and_the_printed_one_does_not():
    found = [experiments.readings(PLANE | {"n_estimators": 100}, seed) for seed in range(20)]
    mean = {
        reading: {m: np.mean([run[reading][m] for run in found]) for m in ("predicted", "accuracy")}
        for reading in found[0]
    }
    ours = mean["inactive, plurality"]
    assert 0.13 < ours["predicted"] < 0.19
    assert 0.98 < ours["accuracy"] < 1
    assert mean["as_printed, plurality"]["accuracy"] == pytest.approx(0.75, abs=0.04)
    assert mean["inactive, ignore_abstain"]["predicted"] > 0.9


def test_curves_end_where_the_whole_forest_does():
    curves = experiments.curves_over_trees(PLANE, 3)
    whole = experiments.readings(PLANE, 3)["inactive, plurality"]
    assert curves["test_predicted"][-1] == whole["predicted"]
    assert curves["test_accuracy"][-1] == whole["accuracy"]


def test_growth_counts_what_is_there():
    found = experiments.growth(GROWTH | {"max_depth": 0, "replicate": 0}, 0)
    assert found["nodes"] == found["leaves"] == 1
    assert found["depth"] == found["active_share"] == found["empty_share"] == 0
    assert found["fit_work"] == 3 * (400 + 1)
    assert found["predict_work"] == 3  # no comparison, a vote a Tree


def test_properties_hold_on_small_data_and_the_printed_bound_fails_somewhere():
    rng = np.random.default_rng(0)
    data = [properties.small_data(rng) for _ in range(40)]
    assert all(properties.same_beyond_its_height(X, y, k) for k, (X, y) in enumerate(data))
    bounds = [properties.within_node_bound(X, y, k % 3, k) for k, (X, y) in enumerate(data)]
    assert all(ours for ours, _ in bounds)
    assert not all(printed for _, printed in bounds)


def test_lambda_inside_the_label_set_is_refused():
    assert properties.abstain_label_is_outside([0, 1], 1)
    assert properties.abstain_label_is_outside(["a", "b"], "c")
