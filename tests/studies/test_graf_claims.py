"""From results of GRAF's tasks to measurements, and what the ledger's rules say about them."""

import json

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from studylib.studies.graf import (
    experiments,
    figure_6,
    figures_1_to_5,
    over_seeds,
    properties,
    uci_grids,
    uci_results,
)
from studylib.study.ledger.rule_table import judge_claim
from studylib.study.ledger.study import current_study, study_root
from studylib.study.measured import plain, tidy

mpl.use("agg")
SEEDS_OF_DATA = experiments.DataSeeds([1], [2, 3], 4, 2)
CLAIMS = current_study().ledger.claims


def verdict(claim, measured):
    return judge_claim(CLAIMS[claim], plain(measured)).verdict


def decompositions(keys, error):
    """A table of decompositions whose error is ``error(key, n_trees)``, half of it variance."""

    def shares(key):
        return [error(key, n) + 0.0001 * key["data_seed"] for n in key["stages"] or [key["n_estimators"]]]

    found = [
        {"error": [one], "bias2": [[e / 2 for e in one]], "variance": [[e / 2 for e in one]]}
        for one in map(shares, keys)
    ]
    return figures_1_to_5.decomposition_table(tidy(keys, found, figures_1_to_5.LEVELS))


@pytest.mark.parametrize(("late", "expected"), [(0.0, "reproduced"), (0.3, "not reproduced")])
def test_curves_saturate_where_they_are_flat_from_a_hundred_trees_on(late, expected):
    keys = experiments.stage_keys(SEEDS_OF_DATA, 200, 500)
    by_trees = decompositions(keys, lambda key, n: 0.1 + 1 / n**2 - late * 0.1 * (n > 100))
    stages = [figures_1_to_5.compared_stages(by_trees, share) for share in (0.1, 0.2, 0.4)]
    assert stages == [(50, 500), (100, 500), (200, 500)]
    claims = {"error": "", "bias²": "-bias", "variance": "-variance"}
    for part, suffix in claims.items():
        measured = over_seeds.pairs(by_trees[by_trees["part"] == part], "trees", 100, 500)
        assert verdict(f"graf-fig3-saturates{suffix}", measured) == expected


@pytest.mark.parametrize(("bump", "expected"), [(0.0, "reproduced"), (0.4, "not reproduced")])
def test_a_single_step_up_contradicts_a_falling_error(bump, expected):
    keys = experiments.subspace_keys(SEEDS_OF_DATA, 200, [2, 5, 10])
    table = decompositions(keys, lambda key, n: 1 / key["max_features"] + bump * (key["max_features"] == 5))
    errors = table[table["part"] == "error"]
    measured = over_seeds.curves(errors, "max_features")
    assert measured["2 classes, 10 centroids"]["steps"].tolist() == [2, 5, 10]
    assert verdict("graf-fig4-error-falls", measured) == expected
    assert verdict("graf-fig4-small-m", over_seeds.pairs(errors, "max_features", 2, 5)) == expected


@pytest.mark.parametrize(
    ("least", "expected"), [(10, "not reproduced"), (8, "reproduced"), (5, "reproduced")]
)
def test_one_smaller_number_of_features_is_enough(least, expected):
    keys = experiments.subspace_keys(SEEDS_OF_DATA, 200, [2, 5, 8, 10])
    table = decompositions(keys, lambda key, n: 0.1 + 0.2 * (key["max_features"] < least))
    errors = table[table["part"] == "error"]
    measured = over_seeds.pairs_with_last(errors, "max_features")
    assert list(measured["2 classes, 10 centroids"]) == [f"max_features {m}" for m in (2, 5, 8)]
    assert verdict("graf-subset-enough", measured) == expected
    turned = over_seeds.pairs_from_last(errors, "max_features")["2 classes, 10 centroids"]["max_features 2"]
    pair = measured["2 classes, 10 centroids"]["max_features 2"]
    assert turned["first"].equals(pair["second"])


def sizes(gap, boosting, slow_methods=True):
    """GRAF above random forest and AdaBoost by ``gap`` points, and above gradient boosting by ``boosting``."""
    above = {"GRAF": 0.0, "random forest": gap, "AdaBoost": gap - 1, experiments.SLOW: boosting}
    keys = experiments.size_keys(SEEDS_OF_DATA, [200, 2500], slow_methods)
    return decompositions(keys, lambda key, n: 0.3 - 2 * above[key["method"]] / 100 + 10 / key["n_train"])


@pytest.mark.parametrize(
    ("claim", "part"),
    [("graf-fig5-bias-falls", "bias²"), ("graf-fig5-variance-falls", "variance"), ("graf-fig5-error-falls", "error")],
)  # fmt: skip
def test_parts_of_the_error_fall_with_samples(claim, part):
    table = sizes(-1, -1)
    graf = table[(table["method"] == "GRAF") & (table["part"] == part)]
    assert verdict(claim, over_seeds.pairs(graf, "n_train", 200, 2500)) == "reproduced"
    assert verdict(claim, over_seeds.pairs(graf, "n_train", 2500, 200)) == "not reproduced"


@pytest.mark.parametrize(
    ("gap", "boosting", "slow_methods", "expected"),
    [
        (-1, -1, True, "reproduced"),
        (1, -1, True, "not reproduced"),
        (-1, 1, True, "inconclusive"),  # boosting is ahead, on one seed
        (-1, -1, False, "inconclusive"),  # or was not asked
    ],
)
def test_graf_is_ahead_only_where_boosting_does_not_object(gap, boosting, slow_methods, expected):
    measured = figures_1_to_5.gaps_to_peers(sizes(gap, boosting, slow_methods), "variance")
    found = judge_claim(CLAIMS["graf-fig5-least-variance"], plain(measured))
    assert found.verdict == expected
    objected = {"why": "objected"} if expected == "inconclusive" else None
    assert [part.note for part in found.parts] == [objected] * 12
    assert {case["GRAF − boosting"] is None for case in measured.values()} == {not slow_methods}
    shown = figures_1_to_5.gap_table(sizes(gap, boosting, slow_methods))
    assert shown["variance"].tolist() == pytest.approx([gap] * 12, abs=1e-9)


def test_comparable_is_half_a_point():
    errors = {
        (gap, boosting): sizes(gap / 2, boosting / 2) for gap, boosting in ((0.4, 0.4), (0.6, 0), (0, 0.6))
    }
    found = {
        key: verdict("graf-fig5-error", figures_1_to_5.gaps_to_peers(table, "error"))
        for key, table in errors.items()
    }
    assert list(found.values()) == ["reproduced", "not reproduced", "inconclusive"]


def forests_of(measures, sub_spaces=(3, 7, 10)):
    """A table of strengths: ``measures(m, extend)`` gives a dict."""
    keys = experiments.strength_keys(SEEDS_OF_DATA, sub_spaces, sub_spaces)
    found = []
    for key in keys:
        one = measures(key["max_features"], key["extend"])
        found.append({k: [v + 0.001 * key["data_seed"]] * key["n_models"] for k, v in one.items()})
    return figure_6.strength_table(tidy(keys, found))


@pytest.mark.parametrize(("sign", "expected"), [(1, "reproduced"), (-1, "not reproduced")])
def test_strength_and_correlation_rise_or_fall(sign, expected):
    forests = forests_of(lambda m, extend: {"strength": sign * m / 20, "correlation": sign * m / 30})
    measured = {
        name: over_seeds.curves(forests, "max_features", name) for name in ("strength", "correlation")
    }
    assert verdict("graf-fig6-strength", measured["strength"]) == expected
    assert verdict("graf-subspace-correlation", measured["correlation"]) == expected
    late = over_seeds.pairs_from_last(forests, "max_features", "correlation")
    assert verdict("graf-fig6-correlation", late) == expected


@pytest.mark.parametrize(("change", "expected"), [(-0.1, "reproduced"), (0.1, "not reproduced")])
def test_extended_hyperplanes_lower_the_bound_or_do_not(change, expected):
    ablation = forests_of(lambda m, extend: dict.fromkeys(figure_6.MEASURES, 1 + extend * change))
    falls = figure_6.falls_by_extension(ablation, "bound")
    assert {name: len(runs) for name, runs in falls.items()}["2 classes, 10 centroids, M = 7"] == 3
    assert len(falls) == 6 * 3
    assert np.ravel(list(falls.values())) == pytest.approx(-100 * change, rel=0.01)
    assert verdict("graf-global-bound", falls) == expected
    assert figure_6.ablation_table(ablation)["bound"].to_numpy() == pytest.approx(100 * change, rel=0.01)


def test_printed_deviation_is_refuted_by_one_forest():
    measured = forests_of(lambda m, extend: {"correlation": 0.3, "printed_correlation": 0.3 + 0.2 * (m == 7)})
    difference, means = figure_6.printed_correlations(measured)
    assert difference == pytest.approx(0.2)
    assert list(means.values()) == pytest.approx([0.302, 0.302 + 0.2 / 3], abs=0.001)
    assert verdict("graf-eq34", difference) == "not reproduced"
    assert verdict("graf-eq34", 0.0) == "reproduced"


def test_class_weights_are_judged_on_the_sources_grid():
    keys = properties.class_weight_keys(3)
    found = [{"with": 0.8 + 0.01 * key["replicate"], "without": 0.7} for key in keys]
    measured = properties.class_weight_pairs(tidy(keys, found))
    assert list(measured) == [f"min_samples_split {n}" for n in (2, 3, 4, 5)]
    assert verdict("graf-class-weights", measured) == "reproduced"
    measured["min_samples_split 2"] = {"first": [0.7] * 3, "second": [0.7] * 3}
    assert verdict("graf-class-weights", measured) == "partly"


def test_printed_decomposition_against_the_original_one():
    levels = figures_1_to_5.LEVELS
    one = {"error": [[0.3]], "bias2": [[0.1]], "variance": [[0.2]]}
    keys = [{"data": "a", "data_seed": 1}, {"data": "a", "data_seed": 2}]
    for factor, expected in ((2, "not reproduced"), (1, "reproduced")):
        printed = {f"printed_{name}": [[factor * one[name][0][0]]] for name in ("bias2", "variance")}
        forms = figures_1_to_5.forms_of_decomposition(tidy(keys, [one | printed] * 2, levels), 1)
        assert verdict("graf-eq27-28", forms["as printed"]) == expected
    with pytest.raises(ArithmeticError, match="do not add up"):
        figures_1_to_5.forms_of_decomposition(tidy(keys, [one | printed | {"error": [[0.4]]}] * 2, levels), 1)


def stored_accuracies():
    """Accuracies of the source's tuned methods in the committed paper run, a table for each test."""
    rows = []
    with (study_root() / "reports/paper/tasks/05_graf_uci_comparison.jsonl").open(encoding="utf-8") as lines:
        for task in map(json.loads, lines):
            key = task["key"]
            tuned = key.get("method") == "AdaBoost" or "max_features" in key
            if task["task"].endswith(".fold_accuracies") and key["method"] in uci_grids.SOURCE and tuned:
                rows += [key | {"draw": k, "accuracy": 100 * a} for k, a in enumerate(task["result"])]
    return uci_results.replicates(pd.DataFrame(rows))


def test_no_method_outperforms_itself_and_adaboost_does_not_outperform_graf_in_the_stored_runs():
    tables = stored_accuracies()
    again = [
        one.assign(again=other["random forest"])
        for one, other in zip(tables, [*tables[1:], tables[0]], strict=True)
    ]
    for points in (0.5, 1, 2):
        itself = uci_results.wins(again, "random forest", ["again"], points)
        assert verdict("graf-outperforms", itself) == "not reproduced"
        assert (
            verdict("graf-outperforms", uci_results.wins(tables, "AdaBoost", ["GRAF"], points))
            == "inconclusive"
        )
        of_forest = uci_results.wins(tables, "random forest", ["GRAF"], points)
        assert verdict("graf-outperforms", of_forest) == "reproduced"
