"""What the tables about the PCF say of results that are made for them."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from studylib.studies.pcf import comparison, comparison_results
from studylib.study.ledger.study import current_study
from studylib.study.measured import plain
from studylib.study.rules import judge
from tests.naive import selective as naive

mpl.use("agg")


# Comparisons


@pytest.mark.parametrize("seed", range(5))
def test_holms_correction_is_that_of_its_definition(seed):
    p_values = np.random.default_rng(seed).random(seed + 1) ** 3
    assert comparison_results.holm(p_values) == pytest.approx(naive.holm(p_values.tolist()))
    assert comparison_results.holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


def test_p_value_and_interval_agree():
    gain = np.random.default_rng(0).normal(0.02, 0.02, 20)
    p = comparison_results.resampled_p_value(gain, 0.5)
    interval = comparison_results.resampled_interval(gain, 0.5, confidence=1 - p)
    assert interval.low == pytest.approx(0, abs=1e-12)
    assert comparison_results.resampled_p_value(np.zeros(5), 0.5) == 1
    assert comparison_results.resampled_p_value(np.ones(5), 0.5) == 0


@pytest.mark.parametrize(
    ("cost", "other", "number"),
    [(1.0, 1.0, 50), (1.0, 1.5, 70), (2.0, 1.0, 20), (7.0, 1.0, 7), (900.0, 1.0, 1)],
)
def test_the_price_buys_a_rounded_number_of_trees(cost, other, number):
    assert comparison.trees_for_the_price(50, cost, other) == number


def test_the_figure_says_of_each_set_what_the_rule_says():
    forests, peers = [], []
    for data, gap in {"better": -0.2, "undecided": 0.01, "worse": 0.2}.items():
        for replicate in range(10):
            key = {"data": data, "replicate": replicate, "coverage": [0.5, 1.0], "risk": [0.1, 0.2]}
            area = 0.3 + 0.01 * (replicate % 2)
            peers += [key | {"method": peer, "area": area} for peer in comparison.PEERS]
            forests.append(key | {"method": "PCF", "area": 0.3 + gap + 0.01 * (replicate % 3)})
    forests, peers = pd.DataFrame(forests), pd.DataFrame(peers)
    paired, table = comparison_results.against_best_peer(forests, peers)
    differences = comparison_results.differences(paired, table)
    assert (differences["lowest"] < differences["low"]).all()
    assert (differences["highest"] > differences["high"]).all()
    claim = current_study().ledger.claims["pcf-selective"]
    judged = {part.set: part for part in judge(claim.nature, claim.kind, claim.judge, plain(paired)).parts}
    for data, row in differences.iterrows():  # the thin lines are the intervals that are judged
        part = judged.pop(data)
        assert [part.value, part.low, part.high] == pytest.approx(row[["mean", "lowest", "highest"]].tolist())
    assert not judged
    figure = comparison_results.differences_from_best_peer(
        differences, pd.concat([forests, peers]), claim.judge["most"]
    )
    title = figure.axes[0].get_title()
    assert title == "3 sets: competitive on 1, not on 1, undecided on 1"
    plt.close(figure)
