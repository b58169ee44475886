"""The lecture's rules, Apriori and 1-R as tasks and pictures: exact tables, brute force, repeatable."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.datasets import load_weather
from studylib.studies.forest_lecture.experiments import moons
from studylib.studies.nonlinear_lecture import (
    mining,
    mining_figures,
    neighbour_figures,
    rule_figures,
    simple_rules,
)
from tests.naive import rules as naive

tables = st.lists(st.lists(st.booleans(), min_size=5, max_size=5), min_size=1, max_size=40).map(np.array)
shares = st.sampled_from([0.1, 0.25, 0.3, 0.5, 1.0])


# The lecture's examples


def test_xor_rules_classify_the_four_points_and_a_single_one_does_not():
    assert simple_rules.points_classified() == 4
    for label in ("★", "●"):
        alone = [rule for rule in simple_rules.XOR if rule.label == label]
        assert [bool(simple_rules.classes(alone, point)) for point in simple_rules.POINTS].count(True) == 2


def test_fruit_rules_lose_a_property_with_a_rule_less_or_more_or_another_colour():
    fruits = simple_rules.fruits()
    check = simple_rules.consistent_and_complete
    assert check(simple_rules.FRUIT, fruits) == [True, True]
    for k in range(3):
        assert check(simple_rules.FRUIT[:k] + simple_rules.FRUIT[k + 1 :], fruits) == [True, False]
    light = simple_rules.Rule("weight < 100 g", lambda color, grams: grams < 100, "pear")
    assert check([*simple_rules.FRUIT, light], fruits) == [False, True]
    assert check(simple_rules.FRUIT, simple_rules.fruits(("red", "yellow", "green"))) == [True, False]


def test_support_in_words_counts_cases_without_the_antecedent():
    baskets = [["a", "c"], ["a"], ["c"], ["b"]]
    supports = simple_rules.supports(baskets)
    assert supports["a", "c"] == (1, 3)
    assert supports["c", "b"] == (0, 2)
    agree, example = simple_rules.support_as_in_words()
    assert not any(agree)
    # three sunny days without a game of five; nine days were not sunny
    assert list(example.values()) == [3, 12]


def test_one_r_is_a_stump_though_a_stump_may_ask_for_another_feature():
    assert all(simple_rules.stumps_agree(30))
    assert 0 < simple_rules.same_feature(100) < 100


@pytest.mark.parametrize("size", [1, 2, 3, 6])
@pytest.mark.parametrize("name", ["temperature", "humidity"])
def test_cuts_of_the_exercise_equal_the_slow_twin(name, size):
    weather = load_weather(numeric=True)
    values, labels = weather.data[name].tolist(), weather.target.tolist()
    cuts, errors = simple_rules.cut(name, size)
    assert cuts == naive.cuts(values, labels, size)
    inside = [[c for v, c in zip(values, labels, strict=True) if a < v <= b] for a, b in _gaps(cuts)]
    assert errors == sum(len(part) - part.count(naive.majority(part)) for part in inside)


def _gaps(cuts):
    return itertools.pairwise([-np.inf, *cuts, np.inf])


# Apriori


@settings(deadline=None)
@given(tables, shares)
def test_the_slides_apriori_equals_brute_force_and_counts_no_set_in_vain_twice(held, share):
    levels = mining.by_level(held, share)
    supports = {frozenset(s): n / len(held) for level in levels for s, n in level.frequent.items()}
    assert supports == naive.itemsets([np.flatnonzero(row).tolist() for row in held], share)
    counted = {frozenset(s) for level in levels for s in level.counted}
    every = [frozenset(s) for k in range(1, 6) for s in itertools.combinations(range(5), k)]
    needed = {s for s in every if len(s) == 1 or all(s - {item} in supports for item in s)}
    assert counted == needed


@pytest.mark.parametrize(("column", "check"), [("confidence", "_is_chain"), ("lift", "_lift")])
def test_a_wrong_measure_is_caught(monkeypatch, column, check):
    held = mining.generated(np.random.default_rng(0))
    right, of = mining.all_rules, {"_is_chain": (np.random.default_rng(0),), "_lift": ()}[check]
    assert np.all(getattr(mining, check)(held, *of))
    monkeypatch.setattr(
        mining, "all_rules", lambda held: right(held).assign(**{column: lambda f: 2 - f[column]})
    )
    assert not np.all(getattr(mining, check)(held, *of))


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 7), st.integers(1, 7), st.integers(1, 7), st.integers(1, 7))
def test_independent_items_have_no_lift_above_1_by_rounding(a, b, c, d):
    """Item 0 in a of a + b transactions, item 1 in c of c + d, in all combinations."""
    pairs = itertools.product([True] * a + [False] * b, [True] * c + [False] * d)
    assert mining._lift(np.array(list(pairs))) == (True, True)


def test_confidences_of_the_chain_are_those_of_counting():
    held = mining.drawn_transactions()[0][:, :4]
    both = held.all(axis=1).sum()
    expected = {
        frozenset(body): both / held[:, body].all(axis=1).sum()
        for k in (1, 2, 3)
        for body in itertools.combinations(range(4), k)
    }
    assert mining.confidences_within(held) == pytest.approx(expected)


# Pictures


@pytest.mark.parametrize(
    ("make", "values"),
    [
        (mining_figures.thresholds_sliders, [0.5, 0.9]),
        (rule_figures.bucket_slider, [6]),
        (lambda: neighbour_figures.sliders(*moons()), [40, "manhattan", "inverse_square"]),
    ],
)
def test_the_exercises_draw_anew_when_a_control_moves(make, values):
    controls, picture = make().children
    seen = {bytes(picture.value)}
    for control, value in zip(controls.children, values, strict=True):
        control.value = value
        seen.add(bytes(picture.value))
    assert len(seen) == 1 + len(values)
    assert all(image.startswith(b"\x89PNG") for image in seen)
