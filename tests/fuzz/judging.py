"""Cases for what judges: rules of the ledger, intervals, risk and coverage."""

import contextlib
import json
import math
from types import SimpleNamespace

import numpy as np

from studylib import statistics
from studylib.study import rules
from studylib.study.cards import sentences
from studylib.study.ledger import rule_table
from tests.fuzz.check import Refused, refusals, silence

_NUMBERS = [
    0, 1, -1, 0.5, 0.95, 1e-9, 1e308, -1e308, 5e-324, 10**400, float("nan"), float("inf"), True, 2**53 + 1,
]  # fmt: skip
_OTHERS = [None, "", "a", [], [1, 2], {}, ["a"], "mean", "rising"]
_VALUES = {
    "interval": ["mean", "resampled", "prediction", "wilson"],
    "correction": ["parts"],
    "monotone": ["rising", "falling"],
    "answer": ["{a}", "{a} of {b}", "{", "{0}", "{a.b}", "{a!r:>99}"],
    "labels": [["a", "b"], []],
    "shown": ["{}", "{", "{x}"],
    "decimals": [0, 2, -400, 400, 10**6],
    "unit": ["%", ""],
    "cut": [True, False],
    "some": [True, False],
    "level": [0.95, 0.5, 0.0, 1.0, 1.5, -1],
    "published": [0.5, 3, [1, 2], "yes", True],
    "rival": ["one", "a"],
    "of": ["one", "a"],
    **{key: [1, 2, 4] for key in ("runs", "least_pairs", "least_cores")},
}


def rule(chance):
    """A rule with a measurement: a verdict, or a sentence."""
    kind = chance.choice(rule_table.KINDS)
    table = _table(chance, kind)
    if chance.random() < 0.15:
        table = {"parts": {"one": _table(chance, kind), "two": {}}, **table}
    measured = _measured(chance) if chance.random() < 0.5 else _fitting(chance, kind)
    with silence(), contextlib.suppress(Refused):
        with refusals((ValueError,)):
            rule_table.check_rule(kind, table)
            words = sentences.in_words(kind, table)
            finding = rules.judge(chance.choice(rule_table.NATURES), kind, table, measured)
        assert finding.verdict in rules.VERDICTS, f"the verdict {finding.verdict!r}"
        assert finding.parts or finding.verdict not in (rules.REPRODUCED, rules.CHECKED), "nothing holds"
        entry, claim = finding.plain(), SimpleNamespace(kind=kind, judge=table, note="")
        assert json.loads(json.dumps(entry))["verdict"] == finding.verdict
        lines, interval, _ = sentences.headline(claim, entry)
        texts = (words, *lines, interval, sentences.reason(claim, entry), sentences.because(claim, entry))
        assert all(isinstance(text, str) for text in texts)
        return f"rule: {finding.verdict}"
    return "rule: refused"


def _table(chance, kind):
    keys = [key for keys in rule_table._KEYS[kind] for key in keys]
    share = chance.choice([0.35, 0.35, 1])
    chosen = [key for key in keys if chance.random() < share]
    if chance.random() < 0.05:
        chosen.append("unknown")
    table = {}
    for key in chosen:
        at = chance.random()
        usual = _VALUES.get(key, [0.0, 0.5, 1, 0.2])
        table[key] = chance.choice(usual if at < 0.8 else _NUMBERS if at < 0.95 else _OTHERS)
    return table


def _runs(chance, n):
    return [chance.choice([chance.gauss(0, 1), chance.random(), 0.5, 1]) for _ in range(n)]


def _fitting(chance, kind):
    """A measurement of the form that a kind judges, but for one odd value now and then."""
    n = chance.choice([0, 1, 2, 3, 12])
    first, two = ({"one": _runs(chance, n), "a": _runs(chance, n)} for _ in range(2))
    pair = {"first": first["one"], "second": first["a"]}
    shares = [chance.choice([True, False]) for _ in range(n)]
    odd = chance.choice(_NUMBERS + _OTHERS)
    few = [{"one": first}, {"one": first, "a": two}, {"one": first, "a": {}}]
    machine = {"cores": chance.choice([1, 4, 8, odd]), "load": chance.choice([0.0, 0.2, 9.0, odd])}
    seconds = {"1": first["a"], **dict(zip(chance.choice(["2", "4", "24", ""]), two.values(), strict=False))}
    return {
        "ahead-of-all": lambda: chance.choice([*few, {"a": first | {"b": odd}}, {"a": {"one": odd}}]),
        "any-of": lambda: {"a": {"b": pair}, "one": {"b": pair, "c": chance.choice([pair, pair, odd])}},
        "holm": lambda: chance.choice([first, first | {"b": two["a"]}, first | {"b": odd}]),
        "share-of-sets": lambda: {"one": shares, "a": chance.choice([[True], shares, odd])},
        "share": lambda: chance.choice([shares, {"true": len(shares) // 2, "of": len(shares)}]),
        "share-above": lambda: chance.choice([*few, {"a": {"one": odd}}, {"a": {"b": shares}}]),
        "speed-up": lambda: machine | {"seconds": {"one": seconds, "two": seconds}},
    }.get(kind, lambda: _measured(chance))()


def _measured(chance, depth=0):
    kind = chance.randrange(9)
    runs = _runs(chance, chance.randint(0, 5))
    if kind == 0:
        return chance.choice(_NUMBERS + _OTHERS)
    if kind == 1:
        return {"first": runs, "second": [r + chance.choice([0, 0.1]) for r in runs]}
    if kind == 2:
        return {"true": chance.choice([0, 1, 5, -1, 2.5]), "of": chance.choice([0, 1, 5, 10, "5"])}
    if kind == 3:
        return {
            "steps": [1, 2, 3],
            "runs": [[chance.random() for _ in range(3)] for _ in range(chance.randint(0, 3))],
        }
    if kind == 4 and depth < 2:
        return {
            key: _measured(chance, depth + 1)
            for key in chance.choice([["one", "two"], ["a"], [], ["a", "b", "c", "d"]])
        }
    if kind == 5:
        return [chance.choice([True, False]) for _ in range(4)]
    if kind == 6:
        return [*runs, chance.choice(_NUMBERS + _OTHERS)]
    return runs


def scorer(chance):
    """Risk and coverage, and intervals: numbers in their ranges, or a sentence."""
    n = chance.randint(0, 8)
    confidence = [chance.choice([0.1, 0.5, 0.5, chance.random()]) for _ in range(n)]
    if chance.random() < 0.3 and n:
        confidence[0] = chance.choice([*_NUMBERS, None, "a"])
    true, predicted = (
        [chance.choice([0, 1, -1]) for _ in range(n + chance.choice([0, 0, 0, k]))] for k in (0, 1)
    )
    with silence(), contextlib.suppress(Refused):
        if chance.random() < 0.5:
            with refusals():
                value = statistics.risk_coverage(true, predicted, confidence)
            assert ((value.risk >= 0) & (value.risk <= 1)).all()
            assert 0 <= value.area <= 1
            return "scorer: a curve"
        with refusals():
            values = [chance.choice([chance.gauss(0, 1), 0.5]) for _ in range(n)]
            if chance.random() < 0.3 and n:
                values[0] = chance.choice([0, 10**400, -1e200, math.nan, "a", [], True])
            value = statistics.mean_interval(values, chance.choice([0.95, 0.5, 0, 1, 2, "a", float("nan")]))
        assert all(isinstance(v, float) and not math.isnan(v) for v in value), f"an interval {value}"
        assert value.low <= value.mean <= value.high or np.isclose(value.low, value.high), (
            f"an interval {value}"
        )
        return "scorer: an interval"
    return "scorer: refused"
