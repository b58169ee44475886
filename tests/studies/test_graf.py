"""The experiments with GRAF and the paper's general statements."""

import json

import numpy as np
import pytest

from studylib.datasets import make_random_rbf
from studylib.graf import GuidedRandomForestClassifier, impurity
from studylib.studies.graf import experiments, judging, properties, tables

SEEDS = range(6)
KEY = {
    "data": "2 classes, 10 centroids", "data_seed": 1, "method": "GRAF", "n_train": 200, "n_models": 4,
    "n_groups": 2, "n_estimators": 6, "max_features": 5, "stages": [2, 6],
}  # fmt: skip


@pytest.mark.parametrize("method", experiments.METHODS)
def test_decomposition_is_repeatable_and_adds_up(method):
    key = KEY | {"method": method, "stages": [2, 6] if method == "GRAF" else None}
    found = experiments.decomposition(key, 3)
    assert json.dumps(found, allow_nan=False) == json.dumps(experiments.decomposition(key, 3))
    error, bias2, variance = (np.array(found[name]) for name in ("error", "bias2", "variance"))
    assert error.shape == (2, 2 if method == "GRAF" else 1)
    assert error == pytest.approx(bias2 + variance, abs=1e-12)


def test_last_stage_is_the_whole_forest():
    whole = experiments.decomposition(KEY | {"stages": None}, 3)
    staged = experiments.decomposition(KEY, 3)
    assert [group[-1] for group in staged["error"]] == [group[0] for group in whole["error"]]


def test_halves_are_disjoint_and_the_same_each_time():
    X, _, X_test, _ = experiments.rbf_halves("5 classes, 50 centroids", 2)
    assert X.shape == X_test.shape == (5000, 10)
    assert not {row.tobytes() for row in X} & {row.tobytes() for row in X_test}
    experiments.rbf_halves.cache_clear()
    assert np.array_equal(experiments.rbf_halves("5 classes, 50 centroids", 2)[0], X)


@pytest.mark.parametrize("extend", [True, False])
def test_strengths_are_repeatable(extend):
    key = {"data": "5 classes, 10 centroids", "data_seed": 1, "max_features": 3, "n_models": 2,
           "n_estimators": 5, "extend": extend}  # fmt: skip
    found = experiments.strengths(key, 0)
    assert found == experiments.strengths(key, 1)  # the seed of the key plays no part
    assert all(len(values) == 2 for values in found.values())


@pytest.mark.parametrize("seed", SEEDS)
def test_properties_of_the_paper_hold_on_small_forests(seed):
    forest, X, y = properties.small_forest(seed)
    everywhere = np.random.default_rng(seed).uniform(-3, 3, (200, X.shape[1]))
    assert properties.nothing_is_empty(forest, everywhere)
    assert properties.within_partition_bound(forest)
    assert properties.votes_like_a_majority(forest, everywhere)
    assert properties.is_boosting(forest, X, y)
    assert properties.split_share(forest) > 0.9
    assert properties.purity_gains(forest, X, y) >= 0


def test_a_local_tree_is_not_algorithm_1():
    held = []
    for seed in SEEDS:
        forest, X, y = properties.small_forest(seed, extend=False)
        held.append(properties.is_boosting(forest, X, y))
    assert not all(held)


def test_counts_of_nodes_by_a_loop():
    forest, X, y = properties.small_forest(3)
    leaves = forest.apply(X)
    for t, tree in enumerate(forest.trees_):
        codes = tree.codes()
        counts = properties.node_counts(tree, leaves[:, t], y, len(forest.classes_))
        mine = forest.codes(X)[:, t]
        for node in range(0, len(codes), 7):
            inside = [label for label, code in zip(y, mine, strict=True) if code.startswith(codes[node])]
            assert counts[node].tolist() == np.bincount(inside, minlength=len(forest.classes_)).tolist()
        assert counts.sum(axis=1).tolist() == tree.n_samples.tolist()


def test_impurity_is_not_superadditive():
    totals = np.array([2, 6])
    whole, first, second = (impurity(np.array(c), totals) for c in ((2, 1), (1, 1), (1, 0)))
    assert round(whole, 3) == 0.735
    assert round(first + second, 3) == 0.750


def test_class_weights_do_nothing_where_leaves_are_pure():
    found = properties.class_weight_gain({"replicate": 0, "min_samples_split": 2, "rare": 0.1}, 1)
    assert found["with"] == found["without"]


def test_forest_takes_the_parameters_that_it_is_given():
    forest, _, _ = properties.small_forest(0, n_estimators=2, hyperplane="guided")
    assert isinstance(forest, GuidedRandomForestClassifier)
    assert (forest.n_estimators, forest.hyperplane) == (2, "guided")


def test_decomposition_table_has_a_row_for_every_stage_and_part():
    key = KEY | {"stages": [2, 4], "n_models": 2, "n_groups": 1}
    found = experiments.decomposition(key, 1)
    table = tables.decomposition_table([key], [found])
    assert len(table) == 6
    row = table[(table["trees"] == 4) & (table["part"] == "bias²")].iloc[0]
    assert row["per cent"] == 100 * found["bias2"][0][1]
    assert (row["method"], row["data"]) == (key["method"], key["data"])


def test_strength_table_has_a_row_for_every_model():
    key = {
        "data": "2 classes, 10 centroids", "data_seed": 1, "max_features": 3, "n_models": 2, "n_estimators": 3,
        "extend": True,
    }  # fmt: skip
    found = experiments.strengths(key, 1)
    table = tables.strength_table([key, key | {"data_seed": 2}], [found, found])
    assert table["model"].tolist() == [0, 1, 0, 1]
    assert table["data_seed"].tolist() == [1, 1, 2, 2]
    assert table["strength"].tolist() == 2 * found["strength"]


def test_strength_where_a_class_has_no_centroid():
    """Trees vote for indices of the classes that are there; they were once compared with the labels."""
    name, data_seed = "5 classes, 10 centroids", 5
    _, y = make_random_rbf(10_000, 10, 5, 10, data_seed)
    assert len(np.unique(y)) == 4
    key = {
        "data": name,
        "data_seed": data_seed,
        "max_features": 5,
        "n_models": 1,
        "n_estimators": 5,
        "extend": True,
    }
    found = experiments.strengths(key, 0)
    assert found["strength"][0] > 0.5
    assert found["error"][0] == pytest.approx(found["test_error"][0], abs=0.05)


# Keys, tables and verdicts

SEEDS_OF_DATA = experiments.DataSeeds([1], [2, 3], 4, 2)


def decompositions(keys, error):
    """A table of decompositions whose error is ``error(key, n_trees)``, half of it variance."""

    def shares(key):
        return [error(key, n) + 0.0001 * key["data_seed"] for n in key["stages"] or [key["n_estimators"]]]

    found = [
        {"error": [one], "bias2": [[e / 2 for e in one]], "variance": [[e / 2 for e in one]]}
        for one in map(shares, keys)
    ]
    return tables.decomposition_table(keys, found)


def test_captions_say_how_many_models_there_are():
    assert SEEDS_OF_DATA.models == {1: 4, 2: 2, 3: 2}
    assert SEEDS_OF_DATA.caption == "data seed 1, 4 models; 2 models on each of the seeds 2, 3"
    assert experiments.DataSeeds([1], [2], 1, 1).caption == "data seed 1, 1 model; 1 model on seed 2"


def test_gradient_boosting_runs_on_the_full_seeds_only_and_only_if_wanted():
    slow = experiments.size_keys(SEEDS_OF_DATA, [200, 500], slow_methods=True)
    assert {key["data_seed"] for key in slow if key["method"] == experiments.SLOW} == {1}
    fast = experiments.size_keys(SEEDS_OF_DATA, [200, 500], slow_methods=False)
    assert [key for key in slow if key["method"] != experiments.SLOW] == fast


def test_ablation_keys_are_pairs():
    keys = experiments.strength_keys(SEEDS_OF_DATA, [3, 10], [10])
    assert {(key["max_features"], key["extend"]) for key in keys} == {(3, True), (10, True), (10, False)}


@pytest.mark.parametrize(("late", "verdict"), [(0.0, "reproduced"), (0.3, "not reproduced")])
def test_curves_saturate_where_they_are_flat_from_a_hundred_trees_on(late, verdict):
    keys = experiments.stage_keys(SEEDS_OF_DATA, 200, 500)
    by_trees = decompositions(keys, lambda key, n: 0.1 + 1 / n**2 - late * 0.1 * (n > 100))
    assert tables.compared_stages(by_trees) == (100, 500)
    assert judging.saturates(by_trees).verdict == verdict


@pytest.mark.parametrize(("bump", "verdict"), [(0.0, "reproduced"), (0.4, "not reproduced")])
def test_a_single_step_up_contradicts_a_falling_error(bump, verdict):
    keys = experiments.subspace_keys(SEEDS_OF_DATA, 200, [2, 5, 10])
    table = decompositions(keys, lambda key, n: 1 / key["max_features"] + bump * (key["max_features"] == 5))
    judged = judging.error_falls_with_features(table)
    assert (judged.verdict, judged.reason.split(";")[0]) == (verdict, "M from 2 to 10")
    assert judging.two_features_are_too_few(table).verdict == verdict


def sizes(gap, boosting, slow_methods=True):
    """GRAF above random forest and AdaBoost by ``gap`` points, and above gradient boosting by ``boosting``."""
    above = {"GRAF": 0.0, "random forest": gap, "AdaBoost": gap - 1, experiments.SLOW: boosting}
    keys = experiments.size_keys(SEEDS_OF_DATA, [200, 2500], slow_methods)
    return decompositions(keys, lambda key, n: 0.3 - 2 * above[key["method"]] / 100 + 10 / key["n_train"])


@pytest.mark.parametrize("part", ["bias²", "variance"])
def test_parts_of_the_error_fall_with_samples(part):
    table = sizes(-1, -1)
    assert judging.falls_with_samples(table, part).verdict == "reproduced"
    table["n_train"] = 2700 - table["n_train"]
    assert judging.falls_with_samples(table, part).verdict == "not reproduced"


@pytest.mark.parametrize(
    ("gap", "boosting", "slow_methods", "verdict"),
    [
        (-1, -1, True, "reproduced"),
        (1, -1, True, "not reproduced"),
        (-1, 1, True, "inconclusive"),  # boosting is ahead, on one seed
        (-1, -1, False, "inconclusive"),  # or was not asked
    ],
)
def test_graf_is_ahead_only_where_boosting_does_not_object(gap, boosting, slow_methods, verdict):
    judged = judging.ahead_of_peers(
        tables.gaps_to_peers(sizes(gap, boosting, slow_methods)), "variance", "paired"
    )
    assert judged.verdict == verdict
    assert ("gradient boosting not run" in judged.reason) is not slow_methods


def forests_of(measures, sub_spaces=(3, 7, 10)):
    """A table of strengths: ``measures(m, extend)`` gives a dict."""
    keys = experiments.strength_keys(SEEDS_OF_DATA, sub_spaces, sub_spaces)
    found = []
    for key in keys:
        one = measures(key["max_features"], key["extend"])
        found.append({k: [v + 0.001 * key["data_seed"]] * key["n_models"] for k, v in one.items()})
    return tables.strength_table(keys, found)


@pytest.mark.parametrize(("sign", "verdict"), [(1, "reproduced"), (-1, "not reproduced")])
def test_strength_and_correlation_rise_or_fall(sign, verdict):
    forests = forests_of(lambda m, extend: {"strength": sign * m / 20, "correlation": sign * m / 30})
    assert judging.rises_with_features(forests, "strength").verdict == verdict
    assert judging.rises_with_features(forests, "correlation").verdict == verdict
    assert judging.correlation_still_rises(forests).verdict == verdict


def test_a_step_down_contradicts_a_rise():
    forests = forests_of(lambda m, extend: {"strength": m / 20 + (m == 7)})
    assert judging.rises_with_features(forests, "strength").verdict == "not reproduced"


@pytest.mark.parametrize(("bound", "verdict"), [(0.5, "reproduced"), (0.1, "not reproduced")])
def test_bound_and_printed_deviation(bound, verdict):
    measured = forests_of(
        lambda m, extend: {
            "bound": bound, "test_error": 0.2, "correlation": 0.3, "printed_correlation": 0.3 + (bound < 0.2)
        }
    )  # fmt: skip
    assert judging.bound_holds(measured).verdict == verdict
    assert judging.printed_deviation_is_breimans(measured).verdict == verdict


@pytest.mark.parametrize(("change", "verdict"), [(-0.1, "reproduced"), (0.1, "not reproduced")])
def test_extended_hyperplanes_lower_the_bound_or_do_not(change, verdict):
    ablation = forests_of(lambda m, extend: dict.fromkeys(tables.MEASURES, 1 + extend * change))
    differences = tables.ablation_table(ablation)
    assert len(differences) == 6 * 3
    assert judging.extension_lowers_the_bound(differences).verdict == verdict
    changes = tables.relative_changes(ablation)
    assert changes["change"].to_numpy() == pytest.approx(100 * change, rel=0.01)


def test_other_verdicts_can_hold_and_fail():
    assert judging.superadditive().verdict == "not reproduced"
    assert judging.splits_almost_surely([1.0, 0.999]).verdict == "reproduced"
    assert judging.splits_almost_surely([0.9, 0.999]).verdict == "not reproduced"
    assert judging.extension_adds_purity([0.1, 0.11, 0.12]).verdict == "reproduced"
    assert judging.extension_adds_purity([-0.1, -0.11, -0.12]).verdict == "not reproduced"
    keys = properties.class_weight_keys(3)
    found = [{"with": 0.8 + 0.01 * key["replicate"], "without": 0.7} for key in keys]
    assert judging.class_weights_help(properties.class_weight_table(keys, found)).verdict == "reproduced"


def test_printed_decomposition_against_the_original_one():
    one = {"error": [[0.3]], "bias2": [[0.1]], "variance": [[0.2]]}
    keys = [{"data": "a", "data_seed": 1}, {"data": "a", "data_seed": 2}]
    for factor, verdict in ((2, "not reproduced"), (1, "reproduced")):
        printed = {f"printed_{name}": [[factor * one[name][0][0]]] for name in ("bias2", "variance")}
        forms = tables.forms_of_decomposition(keys, [one | printed] * 2, 1)
        assert judging.printed_forms_add_up(forms).verdict == verdict
    with pytest.raises(ArithmeticError, match="do not add up"):
        judging.printed_forms_add_up(forms.assign(**{"bias² + variance − error": 0.1}))
