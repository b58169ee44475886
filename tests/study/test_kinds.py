"""The kinds that judge all that was measured at once: every verdict, slow twins, and bad measurements."""

import contextlib
import copy

import numpy as np
import pytest
from scipy import stats

from studylib.study import rules
from studylib.study.findings import answers, over_sets
from studylib.study.intervals import holm_steps, prediction_interval, wilson_interval
from studylib.study.ledger import rule_table

R, P, N, I = rules.REPRODUCED, rules.PARTLY, rules.NOT_REPRODUCED, rules.INCONCLUSIVE  # noqa: E741
RULES = {
    "bound": {"above": 1, "unit": "%"},
    "ahead-of-all": {"most": 0.5, "level": 0.95, "unit": "points"},
    "any-of": {"most": 0.2, "level": 0.95, "unit": "points"},
    "holm": {"rival": "y", "above": 0, "level": 0.95, "unit": "points"},
    "share-of-sets": {"published": 0.6, "widest": 0.1, "runs": 10, "level": 0.95},
    "share": {"typical": 0.5, "rare": 0.05, "level": 0.95},
    "share-above": {"of": "1 %", "exceeds": 0.5, "above": 0.1, "level": 0.95},
    "speed-up": {"least_share": 0.75, "least_pairs": 30, "least_cores": 4, "largest_load": 0.5, "level": 0.95},
}  # fmt: skip
MAJORITY = {"above": 0.5, "runs": 10, "level": 0.95}


def judge(kind, measured, rule=None):
    rule = rule or RULES[kind]
    rule_table.check_rule(kind, rule)
    return rules.judge("finding", kind, rule, measured)


def ahead(difference, *singles, spread=0.0):
    runs = [difference - spread, difference + spread]
    return {"to the best": runs} | {f"single {k}": single for k, single in enumerate(singles)}


def some(*differences, spread=0.0):
    return {f"M = {d}": {"first": [d + 1 - spread, d + 1 + spread], "second": [1, 1]} for d in differences}


def spread(mean, error):
    """Three numbers with that mean and standard error."""
    return [mean - error * 3**0.5, mean, mean + error * 3**0.5]


def sets(true, of=110, n_runs=10):
    return {f"set {k}": [k < true] * n_runs for k in range(of)}


def draws(true, of=100, **more):
    return {"1 %": [0.9] * true + [0.5] * (of - true)} | more


def machine(second, load=0.0, cores=4, pairs=30, **more):
    seconds = {"training": {"1": [3.0] * pairs, "2": [second] * pairs}}
    return {"cores": cores, "load": load, "seconds": seconds | more}


# Every verdict, and the parts behind it


EVERY_VERDICT = [
    ("bound", 95.0, R, [True]),
    ("bound", 1, N, [False]),
    ("bound", None, I, [None]),
    ("bound", {"a": 2, "b": 1}, P, [True, False]),
    ("ahead-of-all", {"a": ahead(0.5)}, R, [True]),
    ("ahead-of-all", {"a": ahead(0.6, 0.5)}, N, [False]),
    ("ahead-of-all", {"a": ahead(0.4, 0.5), "b": ahead(0.6)}, P, [True, False]),
    ("ahead-of-all", {"a": ahead(0.4, 0.51)}, I, [None]),  # a single run objects
    ("ahead-of-all", {"a": ahead(0.4, 0.5, None)}, I, [None]),  # and so does one that is not there
    ("ahead-of-all", {"a": ahead(0.4, spread=1.0)}, I, [None]),
    ("ahead-of-all", {"a": {"x": [0, 0], "y": [0, 1], "z": [1, 1]}}, N, [True, None, False]),
    ("any-of", {"a": some(0.9, 0.0, 0.5)}, R, [True]),
    ("any-of", {"a": some(0.3)}, N, [False]),
    ("any-of", {"a": some(0.3), "b": some(0.1)}, P, [False, True]),
    ("any-of", {"a": some(0.1, 0.3, spread=1.0)}, I, [None]),
    ("any-of", {"a": some(0.9) | some(0.1, spread=1.0)}, I, [None]),
    ("holm", {"x": spread(0, 1), "y": spread(20, 1)}, R, [True]),
    ("holm", {"x": spread(0, 1), "y": spread(-20, 1)}, N, [False]),
    ("holm", {"x": spread(30, 1), "y": spread(1, 1)}, I, [None]),
    ("share-of-sets", sets(66), R, [True]),
    ("share-of-sets", sets(52), N, [False]),  # Wilson’s interval ends at 0.566
    ("share-of-sets", sets(12, of=20), I, [None]),  # too wide
    ("share-of-sets", sets(66, n_runs=9), I, [None]),
    ("share", [True] * 100, R, [True]),
    ("share", {"true": 43, "of": 100}, R, [True]),
    ("share", {"true": 38, "of": 100}, P, [None]),
    ("share", [True] + [False] * 99, P, [None]),
    ("share", {"true": 0, "of": 100}, N, [False]),
    ("share", {"true": 1, "of": 1000}, N, [False]),
    ("share-above", {"a": draws(18), "b": draws(40)}, R, [True, True]),
    ("share-above", {"a": draws(0), "b": draws(4)}, N, [False, False]),
    ("share-above", {"a": draws(10), "b": draws(12)}, I, [None, None]),
    ("share-above", {"a": draws(18), "b": draws(4)}, P, [True, False]),
    ("share-above", {"a": draws(18, other=[0.1])}, R, [True, None]),
    ("speed-up", machine(2.0), R, [True]),  # 1.5 = 0.75 · 2
    ("speed-up", machine(2.01), N, [False]),
    ("speed-up", machine(2.0, prediction={"1": [3.0] * 30, "4": [1.01] * 30}), P, [True, False]),
    ("speed-up", machine(1.0, load=0.51), I, [True]),
    ("speed-up", machine(3.0, cores=3), I, [False]),
    ("speed-up", machine(1.0, pairs=29), I, [True]),
    ("speed-up", {"cores": 1, "load": 0.0, "seconds": {"training": {"1": [1.0]}}}, I, []),
    ("speed-up", machine(2.0, training={"1": [2.0, 4.0] * 15, "2": [2.0] * 30}), I, [None]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "measured", "verdict", "outcomes"), EVERY_VERDICT)
def test_every_verdict(kind, measured, verdict, outcomes):
    finding = judge(kind, measured)
    assert (finding.verdict, [part.outcome for part in finding.parts]) == (verdict, outcomes)
    assert {part.unit for part in finding.parts} <= {RULES[kind].get("unit", "")}


def test_a_share_of_sets_may_have_a_bound_instead_of_a_printed_share():
    assert [judge("share-of-sets", sets(k), MAJORITY).verdict for k in (80, 30, 55)] == [R, N, I]


@pytest.mark.parametrize("kind", rule_table.OF_ALL)
def test_the_verdicts_that_the_ledger_announces_are_those_that_are_given(kind):
    assert {R, N, *rule_table.OF_ALL[kind]} == {verdict for of, _, verdict, _ in EVERY_VERDICT if of == kind}


# Notes: what else belongs to the verdict


def test_an_objection_is_noted_where_it_decides():
    objected = [
        judge("ahead-of-all", {"a": ahead(d, single)}).parts[0].note
        for d, single in ((0, 0), (0, 1), (0, None), (1, 1))
    ]
    assert objected == [None, {"why": "objected"}, {"why": "objected"}, None]


def test_holm_notes_its_place_and_whether_it_came_to_it():
    measured = {"x": spread(5, 1), "y": spread(-6, 1), "z": spread(7, 1)}
    [part] = judge("holm", measured).parts
    assert (part.value, part.bounds) == (-6, (0,))
    assert part.note == {
        "why": "holm", "rank": 2, "of": 3, "level": pytest.approx(0.975), "tested": False
    }  # fmt: skip
    assert judge("holm", measured, RULES["holm"] | {"rival": "z"}).parts[0].note["tested"]


def test_a_share_of_sets_notes_how_runs_vary():
    rule = {"above": 0, "runs": 2, "level": 0.95}
    [part] = judge("share-of-sets", {"a": [True, False, False], "b": [True] * 3}, rule).parts
    # a's variance is 1/3, b's none: the mean, 1/6, over two sets
    assert part.note == {"why": "varies", "deviation": pytest.approx(12**-0.5)}
    assert (part.value, part.count, part.bounds) == (pytest.approx(2 / 3), None, (0,))
    wide, seldom = (judge("share-of-sets", held).parts[0].note for held in (sets(12, 20), sets(66, n_runs=9)))
    assert wide == {"why": "varies", "deviation": 0.0, "widest": 0.1}
    assert seldom == {"why": "not run again", "runs": 10}


def test_draws_beside_those_that_are_judged_are_shown():
    finding = judge("share-above", {"a": {"1 row": [0.5, 0.6, 0.7]} | draws(0)})
    assert [(p.name, p.value, p.count, p.note) for p in finding.parts] == [
        ("1 row", 2, 3, {"why": "beside"}), ("1 %", 0, 100, None),
    ]  # fmt: skip
    assert finding.verdict == N


@pytest.mark.parametrize(
    ("measured", "why"),
    [
        (machine(1.0), "machine"),
        (machine(1.0, load=0.6), "busy"),
        (machine(1.0, pairs=20, load=0.6), "few pairs"),
        (machine(1.0, pairs=20, load=0.6, cores=2), "few cores"),
    ],
)
def test_a_speed_up_notes_the_machine_and_why_it_cannot_decide(measured, why):
    pairs = len(measured["seconds"]["training"]["1"])
    note = {"why": why, "cores": measured["cores"], "load": measured["load"], "pairs": pairs}
    assert judge("speed-up", measured).note == note


# Slow twins: intervals of Student's t by scipy, and the rules in words; test_rules compares Wilson's with scipy's


def student(runs, level):
    return tuple(stats.ttest_1samp(runs, 0).confidence_interval(level))


def below(high, low, bound):
    return True if high <= bound else False if low > bound else None


def twin_ahead_of_all(rng):
    measured, expected = {}, []
    for k in range(rng.integers(1, 8)):
        runs = (rng.normal(size=5) + rng.choice([-2, 0, 0.5, 3])).tolist()
        single = rng.choice([None, -1.0, 0.5, 0.6])
        low, high = student(runs, 0.95)
        held = below(high, low, 0.5)
        objects = single is None or single > 0.5
        measured[f"set {k}"] = {"to the best": runs, "single": single}
        expected.append((None if held and objects else held, np.mean(runs), low, high))
    return RULES["ahead-of-all"], measured, expected


def twin_any_of(rng):
    measured, expected = {}, []
    for k in range(rng.integers(1, 6)):
        m = rng.integers(1, 5)
        second = rng.normal(size=(m, 6))
        first = second + rng.normal(0, 0.3, (m, 6)) + rng.choice([-0.5, 0.2, 0.8])
        ends = [student(a - b, 1 - 0.05 / m) for a, b in zip(first, second, strict=True)]
        outcomes = [below(high, low, 0.2) for low, high in ends]
        held = True if any(outcomes) else None if None in outcomes else False
        pairs = {f"M = {i}": {"first": first[i].tolist(), "second": second[i].tolist()} for i in range(m)}
        measured[f"set {k}"] = pairs
        expected.append((held, sum(outcome is True for outcome in outcomes), None, None))
    return RULES["any-of"], measured, expected


def twin_share_of_sets(rng):
    bounded, n = bool(rng.integers(2)), int(rng.choice([10, 110, 400]))
    measured = {
        f"set {k}": (rng.random(rng.choice([3, 10])) < rng.choice([0.2, 0.55, 1.0])).tolist()
        for k in range(n)
    }
    share = np.mean([np.mean(runs) for runs in measured.values()])
    low, high = wilson_interval(share * n, n, 0.95)
    if max(map(len, measured.values())) < 10:
        held = None
    elif bounded:
        held = True if low > 0.5 else False if high <= 0.5 else None
    else:
        held = False if not low <= 0.6 <= high else True if high - low <= 0.2 else None
    return MAJORITY if bounded else RULES["share-of-sets"], measured, [(held, share, low, high)]


def twin_share(rng):
    values = rng.random(rng.choice([5, 100, 1000])) < rng.choice([0, 0.04, 0.3, 0.5])
    low, high = wilson_interval(values.sum(), len(values), 0.95)
    held = True if high >= 0.5 else False if high < 0.05 else None
    return RULES["share"], values.tolist(), [(held, values.mean(), low, high)]


def twin_share_above(rng):
    measured, expected = {}, []
    for k in range(rng.integers(1, 4)):
        values = rng.random(100) * rng.choice([0.51, 0.55, 0.8])
        true = int((values > 0.5).sum())
        low, high = wilson_interval(true, 100, 0.95)
        measured[f"set {k}"] = {"1 %": values.tolist()}
        expected.append((True if low > 0.1 else False if high < 0.1 else None, true, None, None))
    return RULES["share-above"], measured, expected


def twin_speed_up(rng):
    seconds, expected = {}, []
    for work in ("training", "prediction"):
        single = rng.uniform(2, 3, 30)
        seconds[work] = {"1": single.tolist()}
        for threads in (2, 4):
            many = single / threads / rng.choice([0.6, 0.75, 0.9]) * rng.uniform(0.9, 1.1, 30)
            low, high = student(single / many, 0.95)
            held = True if low >= 0.75 * threads else False if high < 0.75 * threads else None
            seconds[work][str(threads)] = many.tolist()
            expected.append((held, np.mean(single / many), low, high))
    return RULES["speed-up"], {"cores": 4, "load": 0.5, "seconds": seconds}, expected


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    "twin",
    [twin_ahead_of_all, twin_any_of, twin_share_of_sets, twin_share, twin_share_above, twin_speed_up],
)
def test_a_kind_decides_as_its_slow_twin(twin, seed):
    rule, measured, expected = twin(np.random.default_rng(seed))
    kind = twin.__name__.removeprefix("twin_").replace("_", "-")
    finding = judge(kind, measured, rule)
    assert [part.outcome for part in finding.parts] == [outcome for outcome, *_ in expected]
    for part, (_, *numbers) in zip(finding.parts, expected, strict=True):
        assert [part.value, part.low, part.high] == pytest.approx(numbers, abs=1e-9)
    if kind == "share":
        assert finding.verdict == {True: R, None: P, False: N}[expected[0][0]]
    else:
        outcomes = [part.outcome for part in finding.parts]
        by_set = outcomes if kind == "speed-up" else list(answers(finding.parts).values())
        assert finding.verdict == over_sets(by_set)


# Holm's procedure


def naive_holm(measured, bound, alpha=0.05):
    """Decisions from scipy's p-values: True, False or None for each rival, by the textbook's step-down loop."""
    tests = {name: stats.ttest_1samp(runs, bound) for name, runs in measured.items()}
    left, decisions = sorted(tests, key=lambda name: tests[name].pvalue), dict.fromkeys(tests)
    while left and tests[left[0]].pvalue < alpha / len(left):
        name = left.pop(0)
        decisions[name] = bool(tests[name].statistic > 0)
    return decisions


@pytest.mark.parametrize("seed", range(60))
def test_holm_decides_as_a_slow_twin(seed):
    rng = np.random.default_rng(seed)
    shifts = rng.choice([-0.6, -0.35, 0, 0.35, 0.45, 0.6], 3)
    measured = {
        name: (s * (rng.normal(size=30) + shift) + 2).tolist()
        for name, s, shift in zip("xyz", (1, 2, 3), shifts, strict=True)
    }
    rule = RULES["holm"] | {"above": 2}
    steps = holm_steps(measured, rule)
    for name, decision in naive_holm(measured, 2).items():
        finding = judge("holm", measured, rule | {"rival": name})
        [part] = finding.parts
        assert part.outcome is decision
        assert finding.verdict == {True: R, False: N, None: I}[decision]
        assert (part.low, part.high) == pytest.approx(student(measured[name], steps[name].level))


def test_holm_stops_at_the_first_that_is_undecided():
    """Each alone excludes 0 at 95 % (|t| > 4.30), none at 98.3 % (7.65): nothing is decided."""
    measured = {"x": spread(5, 1), "y": spread(-6, 1), "z": spread(7, 1)}
    steps = holm_steps(measured, RULES["holm"])
    assert list(steps) == ["z", "y", "x"]
    assert [step.holds for step in steps.values()] == [None] * 3
    assert [step.tested for step in steps.values()] == [True, False, False]
    measured["z"] = spread(8, 1)  # opens the way: 6.21 at 97.5 % stops y, and with it x
    assert [step.holds for step in holm_steps(measured, RULES["holm"]).values()] == [True, None, None]
    measured["y"] = spread(-6.5, 1)
    assert [step.holds for step in holm_steps(measured, RULES["holm"]).values()] == [True, False, True]


def test_differences_without_spread_are_decided_unless_they_are_zero():
    measured = {"x": [0.0, 0.0], "y": [1.0, 1.0], "z": [-1.0, -1.0]}
    assert {name: step.holds for name, step in holm_steps(measured, RULES["holm"]).items()} == {
        "x": None, "y": True, "z": False,
    }  # fmt: skip


# Bad measurements


@pytest.mark.parametrize(
    ("kind", "measured", "message"),
    [
        *((kind, {}, "no set was measured") for kind in RULES),
        *((kind, "text", "cannot judge 'text'|expected Booleans") for kind in RULES),
        ("bound", {"a": {}, "b": 2}, "a"),  # nothing of a set
        ("ahead-of-all", {"a": {"x": [1.0]}}, "at least two runs, got 1"),
        ("ahead-of-all", {"a": {"x": [1.0, None]}}, "1 of 2 runs have no value"),
        ("ahead-of-all", {"a": {"x": [1.0, 2.0], "y": "b"}}, "cannot judge"),
        ("ahead-of-all", {"a": {"x": 1.0}}, "a"),  # no runs: nothing to judge
        ("any-of", {"a": {}}, "cannot judge"),
        ("any-of", {"a": {"x": {"first": [1, 2], "second": [1]}}}, "pairs of 2 and 1 runs"),
        ("holm", {"y": [1.0, 2.0], "x": [1.0, 2.0, 3.0]}, "on the same sets"),
        ("holm", {"x": [1.0, 2.0]}, "cannot judge"),  # not of the rival
        ("share-of-sets", {"a": []}, "cannot judge"),
        ("share-of-sets", {"a": [None] * 10}, "10 of 10 runs have no value"),
        ("share", {"true": 0, "of": 0}, "cannot judge"),
        ("share", {"true": 3, "of": 2}, "math domain"),
        ("share", [0.5], "expected Booleans or a count"),
        ("share-above", {"a": {"1 %": []}}, "cannot judge"),
        ("share-above", {"a": {"5 %": [0.9]}}, "1 %"),  # none of the draws that are judged
        ("speed-up", {"cores": 4, "load": 0.0}, "cannot judge"),
        ("speed-up", {"cores": 4, "load": 0.0, "seconds": {"a": {"2": [1.0, 1.0]}}}, "cannot judge"),
        ("speed-up", machine(1.0, more={"1": [1.0, 2.0], "2": [1.0]}), "shorter"),
        ("speed-up", machine(0.0), "cannot judge"),
    ],
)  # fmt: skip
def test_a_bad_measurement_is_refused(kind, measured, message):
    with pytest.raises(ValueError, match=message):
        judge(kind, measured)


def places(measured):
    """Every mapping and list of a measurement, with the keys of what it holds."""
    if isinstance(measured, (dict, list)):
        keys = list(measured if isinstance(measured, dict) else range(len(measured)))
        yield from ((measured, key) for key in keys[:3])
        for key in keys[:3]:
            yield from places(measured[key])


@pytest.mark.parametrize("bad", [None, "a", [], {}, -1, 10**400, [1.0], {"true": 1}, float("inf")], ids=str)
@pytest.mark.parametrize("kind", RULES)
def test_whatever_stands_in_a_measurement_there_is_a_verdict_or_a_value_error(kind, bad):
    for measured in copy.deepcopy([measured for of, measured, *_ in EVERY_VERDICT if of == kind]):
        for table, key in places(measured):
            kept, table[key] = table[key], bad
            with contextlib.suppress(ValueError):
                assert judge(kind, measured).verdict in rules.VERDICTS
            table[key] = kept


# Exactly at a bound


def test_a_rule_decides_at_its_bound():
    runs, of = [3.0, 4.0, 6.0], 100
    low, high = prediction_interval(runs, 0.95)
    widest = {"published": 5, "widest": (high - low) / 2}
    [part] = judge("published-run", runs, widest).parts
    assert (part.outcome, part.note) == (True, None)
    [part] = judge("published-run", runs, narrower := widest | {"widest": 0.999 * widest["widest"]}).parts
    assert (part.outcome, part.note) == (None, {"why": "too wide", "widest": narrower["widest"]})
    low, high = wilson_interval(60, of, 0.95)
    shares = {"widest": (high - low) / 2, "runs": 2, "level": 0.95}
    for published in (low, high):
        [part] = judge("share-of-sets", sets(60, of, 2), shares | {"published": published}).parts
        assert (part.outcome, part.bounds) == (True, (published,))
    for rule, verdict in (({"typical": high, "rare": 0.1}, R), ({"typical": 0.9, "rare": high}, P)):
        assert judge("share", {"true": 60, "of": of}, rule | {"level": 0.95}).verdict == verdict
    assert judge("tolerance", 3.0, {"published": 3.25, "within": 0.25}).parts[0].bounds == (3.0, 3.5)
    curve = {"steps": [1, 2, 3], "runs": [[0.0, 2.0, 1.5], [0.0, 2.0, 1.5]]}
    for reversal, holds in ((0.5, True), (0.4, False)):
        [part] = judge("trend", curve, {"monotone": "rising", "reversal": reversal}).parts
        assert (part.outcome, part.bounds) == (holds, (0.0,))


@pytest.mark.parametrize("rule", [{"least": 1, "most": 3}, {"above": 1, "below": 3}])
def test_a_part_knows_the_bounds_of_its_rule(rule):
    assert judge("bound", 2.0, rule).parts[0].bounds == (1.0, 3.0)
