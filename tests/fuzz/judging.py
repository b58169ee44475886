"""Cases for what judges: rules of the ledger, intervals, risk and coverage."""

import contextlib
import math

import numpy as np

from studylib import statistics
from studylib.study import rules
from studylib.study.ledger import rule_table
from tests.fuzz.check import Refused, refusals, silence

_NUMBERS = [
    0,
    1,
    -1,
    0.5,
    0.95,
    1e-9,
    1e308,
    -1e308,
    5e-324,
    10**400,
    float("nan"),
    float("inf"),
    True,
    2**53 + 1,
]
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
}


def rule(chance):
    """A rule with a measurement: a verdict, or a sentence."""
    kind = chance.choice(rule_table.KINDS)
    table = _table(chance, kind)
    if chance.random() < 0.15:
        table = {"parts": {"one": _table(chance, kind), "two": {}}, **table}
    measured = _measured(chance)
    with silence(), contextlib.suppress(Refused):
        with refusals((ValueError,)):
            rule_table.check_rule(kind, table)
            said = rule_table.in_words(kind, table)
            assert isinstance(said, str)
            found = rules.judge(chance.choice(rule_table.NATURES), kind, table, measured)
        assert found.verdict in rules.VERDICTS, f"the verdict {found.verdict!r}"
        assert all(isinstance(text, str) for text in (found.ours, found.interval, found.reason))
        return f"rule: {found.verdict}"
    return "rule: refused"


def _table(chance, kind):
    keys = rule_table._ALLOWED[kind]
    chosen = [key for key in keys if chance.random() < 0.35]
    if chance.random() < 0.05:
        chosen.append("unknown")
    found = {}
    for key in chosen:
        at = chance.random()
        usual = _VALUES.get(key, [0.0, 0.5, 1, 0.2])
        found[key] = chance.choice(usual if at < 0.8 else _NUMBERS if at < 0.95 else _OTHERS)
    return found


def _measured(chance, depth=0):
    kind = chance.randrange(9)
    runs = [chance.choice([chance.gauss(0, 1), chance.random(), 0.5, 1]) for _ in range(chance.randint(0, 5))]
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
                found = statistics.risk_coverage(true, predicted, confidence)
            assert ((found.risk >= 0) & (found.risk <= 1)).all()
            assert 0 <= found.area <= 1
            return "scorer: a curve"
        with refusals():
            values = [chance.choice([chance.gauss(0, 1), 0.5]) for _ in range(n)]
            if chance.random() < 0.3 and n:
                values[0] = chance.choice([0, 10**400, 1e100, "a", [], True])
            found = statistics.mean_interval(values, chance.choice([0.95, 0.5, 0, 1, 2, "a", float("nan")]))
        assert all(isinstance(v, float) and not math.isnan(v) for v in found), f"an interval {found}"
        assert found.low <= found.mean <= found.high or np.isclose(found.low, found.high), (
            f"an interval {found}"
        )
        return "scorer: an interval"
    return "scorer: refused"
