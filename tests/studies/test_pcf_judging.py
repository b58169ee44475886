"""The verdicts about the PCF, from tables that are made for them: each rule can give more than one."""

import numpy as np
import pandas as pd
import pytest

from studylib.statistics import Interval
from studylib.studies.pcf import experiments, judging, tables


def around(mean):
    return Interval(mean, mean - 0.01, mean + 0.01)


def settings(small, large):
    return {(tau, n): around(mean) for tau, mean in ((2, small), (10, large)) for n in experiments.SIZES}


def curves(*, level=1.0, drop=0.0, rise=0.0, noise=0.2, more=0.02):
    """Curves over 500 Trees of ten seeds: noisy below 30 Trees, then smooth."""
    rng = np.random.default_rng(0)
    numbers = np.arange(1, 501)
    wild = noise * rng.normal(size=(10, 500)) * (numbers < 30) + 1e-4 * rng.normal(size=(10, 500))
    predicted = 0.15 + rise * np.minimum(numbers, 200) / 200 + wild
    accuracy = level - drop * (numbers > 100) + wild
    return {"test_predicted": predicted, "test_accuracy": accuracy, "train_predicted": predicted + more}


FLAT = curves()
CASES = [
    (judging.line_4, ([1, 1], [9, 8]), ([1, 3], [9, 8])),
    (judging.node_bound, ([(True, True), (True, False)],), ([(False, False), (True, False)],)),
    (judging.plane_share, (pd.Series([0.19, 0.21]),), (pd.Series([0.17, 0.21]),)),
    (judging.small_leaves_predict_too_much, (settings(0.3, 0.1),), (settings(0.1, 0.1),)),
    (judging.small_leaves_are_not_accurate, (settings(0.8, 1.0),), (settings(1.0, 1.0),)),
    (judging.large_leaves_predict_too_little, (settings(0.3, 0.1),), (settings(0.3, 0.3),)),
    (judging.few_trees_vary, (FLAT,), (curves(noise=0.0),)),
    (
        judging.accuracy_is_constant,
        (FLAT,),
        ({"test_accuracy": np.linspace(0.7, 1, 500) + np.zeros((5, 1))},),
    ),
    (judging.accuracy_is_one, (FLAT,), (curves(level=0.9),)),
    (judging.predicted_rises, (curves(rise=0.05),), (curves(rise=-0.05),)),
    (judging.predicted_is_higher_and_flat, (curves(rise=0.05),), (curves(rise=-0.05),)),
    (judging.accuracy_drops, (curves(drop=0.1),), (curves(drop=-0.1),)),
    (judging.training_predicts_more, (FLAT,), (curves(more=-0.02),)),
    (
        judging.fit_cost,
        ({"fit_N": 1.0, "fit_n": 1.1},),
        ({"fit_N": 1.5, "fit_n": 1.1},),
    ),
    (
        judging.predict_cost,
        ({"predict_N": 1.0, "predict_n": 0.01},),
        ({"predict_N": 1.0, "predict_n": -0.2},),
    ),
]


@pytest.mark.parametrize(("judge", "held", "failed"), CASES, ids=lambda value: getattr(value, "__name__", ""))
def test_rules_can_hold_and_fail(judge, held, failed):
    assert judge(*held).verdict == "reproduced"
    assert judge(*failed).verdict in ("not reproduced", "partly")


@pytest.mark.parametrize(("regions", "verdict"), [(100, "reproduced"), (10, "not reproduced")])
def test_chaos_is_a_ratio_of_regions(regions, verdict):
    keys = experiments.surface_keys(2, 50)
    found = [{"regions": regions if key["min_samples_leaf"] == 2 else 5} for key in keys]
    found = judging.chaotic(tables.result_table(keys, found))
    assert found.verdict == verdict
    assert found.reason.startswith("connected predicted regions on a 50 × 50 grid")


@pytest.mark.parametrize(("noise", "verdict"), [(0.5, "reproduced"), (0.6, "partly")])
def test_a_plane_is_unpredictable_where_nothing_tells_its_noise_from_a_coin(noise, verdict):
    rows = [{"k-NN": {"whole": 0.6 + wobble, "noise": noise + wobble}} for wobble in (-0.01, 0.0, 0.01)]
    assert judging.unpredictable(tables.nested_table(rows)).verdict == verdict


def risks(areas):
    """A table of areas under the risk–coverage curve; a value per method, with some noise per replicate."""
    keys = experiments.risk_keys(4, 100, 10, list(areas))
    found = [{"area": areas[key["method"]] + 0.001 * key["replicate"] ** 2} for key in keys]
    return tables.result_table(keys, found)


def test_peers_win_lose_or_tie():
    found = tables.comparison_with_peers(
        risks({"majority": 0.1, "random forest": 0.2, "boosting": 0.1, "conformal": 0.05})
    )
    assert found.loc["iris", "outcome"].tolist() == ["win", "tie", "loss"]
    assert judging.competitive(found).verdict == "not reproduced"
    found.loc[["plane", "iris", "wine"], "outcome"] = "tie"
    judged = judging.competitive(found)
    assert (judged.verdict, judged.ours) == ("partly", "3 of 5")


@pytest.mark.parametrize(("area", "ours"), [(0.05, "5 of 5"), (0.1, "0 of 5")])
def test_a_leaf_model_beats_the_majority_where_its_area_is_smaller(area, ours):
    gains = tables.gains_of_leaf_models(
        risks({"majority": 0.1, "Laplace": area, "logistic": 0.2}), judging.LEAF_MODEL_LEVEL
    )
    assert judging.better_leaf_models(gains).ours == ours


def test_slopes_of_growth_are_those_of_a_power_law():
    keys = experiments.growth_keys(2, 64000)
    assert len({tuple(sorted(key.items())) for key in keys}) == len(keys)
    found = [
        {
            "nodes": key["n_samples"] / key["min_samples_leaf"] + key["replicate"],
            "leaves": 1.0,
            "depth": 5.0,
            "active_share": 0.5,
        }
        for key in keys
    ]
    series = tables.growth_series(tables.result_table(keys, found))
    assert series["n_samples"]["n_features"].unique().tolist() == [2]
    slopes = tables.growth_slopes(series)
    assert slopes["n_samples", "nodes"].mean == pytest.approx(1, abs=1e-2)
    assert slopes["min_samples_leaf", "nodes"].mean == pytest.approx(-1, abs=1e-2)
    assert "nodes in τ_|X|: -1.00" in judging.growth_of_trees(slopes).reason


def test_the_slope_over_dimensions_is_per_doubling():
    keys = experiments.dimension_keys(3, [2, 4, 5, 8, 10, 20])
    found = [{"predicted": 0.2 - 0.05 * np.log2(key["n_features"])} for key in keys]
    curve, slope = tables.dimension_curve(tables.result_table(keys, found))
    assert slope.mean == pytest.approx(-0.05)
    assert curve[2].mean == pytest.approx(0.15)
    assert "at d = 2: 0.150" in judging.change_with_dimension(curve, slope).reason
