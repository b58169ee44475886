"""The standard kinds of rules: from a rule, as data, and what was measured to parts and a verdict.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word.
"""

import math
from decimal import Decimal

from studylib.study.findings import (
    INCONCLUSIVE,
    NOT_REPRODUCED,
    PARTLY,
    REPRODUCED,
    Finding,
    Part,
    answers,
    over_sets,
    verdict_on,
)
from studylib.study.intervals import (
    holm_steps,
    mean_interval,
    prediction_interval,
    resampled_interval,
    wilson_interval,
)

_BOUNDS = ("above", "least", "below", "most")
_MOST_DECIMALS = 15  # that a float has


# Kinds that judge one part: a number, runs, paired runs, curves or a count.


def _exact(rule, value, n_parts):
    ours = _digits(rule, value)
    labels = rule.get("labels")
    if labels is not None and isinstance(ours, list) and len(labels) != len(ours):
        raise ValueError(f"the rule has {len(labels)} labels, and {len(ours)} values were measured.")
    return Part(ours == rule["published"], ours)


def _tolerance(rule, value, n_parts):
    values = value if isinstance(value, list) else [value]
    farthest = max(values, key=lambda v: _distance(v, rule["published"]))
    return _near(rule, farthest, len(values) if len(values) > 1 else None)


def _near(rule, value, count=None):
    published, within = Decimal(repr(rule["published"])), Decimal(repr(rule["within"]))
    bounds = (float(published - within), float(published + within))
    return Part(_distance(value, rule["published"]) <= within, value, count=count, bounds=bounds)


def _distance(value, published):
    """How far a value is from a published one, in decimals: as they are printed."""
    return abs(Decimal(repr(value)) - Decimal(repr(published)))


def _published_run(rule, value, n_parts):
    if value is None:
        return Part(None)
    if "within" in rule:  # the rule says how far our mean may be
        return _near(rule, _mean(value) if isinstance(value, list) else value)
    low, high = prediction_interval([_digits(rule, v) for v in _whole(value)], rule.get("level", 0.95))
    holds, note = low <= rule["published"] <= high, None
    if holds and (high - low) / 2 > rule.get("widest", math.inf):
        holds, note = None, {"why": "too wide", "widest": rule["widest"]}
    return Part(holds, _mean(value), low, high, bounds=(rule["published"],), note=note)


def _property(rule, value, n_parts):
    true, of = _count(value)
    if of < 1:
        raise ValueError("no case was generated.")
    return Part(true > 0 if rule.get("some") else true == of, true, count=of)


def _counterexample(rule, value, n_parts):
    values = value if isinstance(value, list) else [value]
    found = [v for v in values if inside(rule, v, v)]
    note = {"why": "found", "n": len(found), "of": len(values)} if len(values) > 1 else None
    return Part(not found, found[0] if found else values[0], bounds=bounds_of(rule), note=note)


def _position(rule, value, n_parts):
    """Where a number or an interval is: bound, paired, equivalent and trend."""
    if value is None:
        return Part(None)
    if isinstance(value, (int, float)):
        rule = _as_bounds(rule, None)
        return Part(lies(rule, value, value), value, bounds=bounds_of(rule))
    if isinstance(value, dict) and value.keys() == {"steps", "runs"}:
        return _monotone(rule, value)
    level, of = rule.get("level", 0.95), None
    if rule.get("correction") == "parts":
        level = 1 - (1 - level) / n_parts
    if rule.get("interval") == "wilson":
        true, of = _count(value)
        mean, (low, high) = true / of, wilson_interval(true, of, level)
    else:
        runs, second = value, None
        if isinstance(value, dict):
            second, runs = value["second"], _differences(value)
        mean = _mean(runs)
        low, high = _interval(rule, runs, level)
        rule = _as_bounds(rule, second)
    return Part(lies(rule, low, high), mean, low, high, count=of, bounds=bounds_of(rule))


def _monotone(rule, value):
    """A curve rises or falls: decided by its ends, and refuted by one significant step the other way.

    A step refutes if its whole interval lies farther the other way than the rule's ``reversal``.
    """
    sign = 1 if rule["monotone"] == "rising" else -1
    rows, n_steps, level = value["runs"], len(value["steps"]) - 1, rule.get("level", 0.95)
    step_level = 1 - (1 - level) / n_steps
    against = []  # steps that significantly go the other way: the interval's end, how far, where, interval
    for k in range(n_steps):
        change = [sign * (row[k + 1] - row[k]) for row in rows]
        low, high = mean_interval(change, step_level)
        if high < 0:
            against.append((high, _mean(change), k, low))
    broken = any(high < -rule.get("reversal", 0) for high, *_ in against)
    change = [row[-1] - row[0] for row in rows]
    low, high = mean_interval(change, level)
    signed = (low, high) if sign > 0 else (-high, -low)
    holds = False if broken or signed[1] <= 0 else True if signed[0] > 0 else None
    note = None
    if against and signed[0] > 0:
        end, by, k, start = min(against)
        steps = value["steps"][k : k + 2]
        note = {"why": "turned", "steps": steps, "by": -by, "low": -end, "high": -start, "n": len(against)}
    return Part(holds, _mean(change), low, high, bounds=(0.0,), note=note)


_OF_PARTS = {
    "exact": _exact,
    "tolerance": _tolerance,
    "published-run": _published_run,
    "bound": _position,
    "paired": _position,
    "equivalent": _position,
    "trend": _position,
    "property": _property,
    "counterexample": _counterexample,
}


# Kinds that judge all that was measured at once.


def _ahead_of_all(rule, measured):
    """For which cases the runs lie where the rule wants them; a single number beside them can only object."""
    parts = []
    for case, given in measured.items():
        if not any(isinstance(value, list) for value in given.values()):
            raise ValueError(f"no runs of {case!r} were measured.")
        singles = [value for value in given.values() if not isinstance(value, list)]
        objected = any(value is None or not inside(rule, value, value) for value in singles)
        for name, runs in given.items():
            if isinstance(runs, list):
                low, high = mean_interval(_whole(runs), rule["level"])
                held = lies(rule, low, high)
                outcome, note = (None, {"why": "objected"}) if held and objected else (held, None)
                found = outcome, _mean(runs), low, high, case, name
                parts.append(Part(*found, bounds=bounds_of(rule), note=note))
    return _of_sets(parts)


def _any_of(rule, measured):
    """On which sets one of several comparisons lies where the rule wants it, corrected for their number."""
    parts = []
    for name, pairs in measured.items():
        level = 1 - (1 - rule["level"]) / len(pairs)
        outcomes = []
        for pair in pairs.values():
            outcomes.append(lies(rule, *mean_interval(_differences(pair), level)))
        outcome = True if True in outcomes else None if None in outcomes else False
        parts.append(Part(outcome, outcomes.count(True), count=len(outcomes), set=name))
    return _of_sets(parts)


def _holm(rule, measured):
    """Whether the mean difference to one of several rivals is above the bound, by ``holm_steps``."""
    steps = holm_steps(measured, rule)
    step = steps[rule["rival"]]
    note = {
        "why": "holm",
        "rank": step.rank,
        "of": len(steps),
        "level": step.level,
        "tested": step.tested,
    }
    part = Part(step.holds, step.mean, step.low, step.high, bounds=(rule["above"],), note=note)
    return Finding(verdict_on(step.holds), (part,))


def _share_of_sets(rule, measured):
    """Share of the sets for which a statement holds; sets and runs are both drawn anew.

    A set counts with the share of its runs in which the statement holds.  Drawing sets with replacement, and
    for each of them one of its runs, gives a binomial number: Wilson's interval over the sets has both
    variances.  Nothing is decided if no set was run ``runs`` times.
    """
    means = [_mean(runs) for runs in measured.values()]
    share, n = _mean(means), len(means)
    low, high = wilson_interval(share * n, n, rule["level"])
    again = [runs for runs in measured.values() if len(runs) >= rule["runs"]]
    bounds = (rule["published"],) if "published" in rule else bounds_of(rule)
    if not again:
        holds, note = None, {"why": "not run again", "runs": rule["runs"]}
    else:
        holds = low <= rule["published"] <= high if "published" in rule else lies(rule, low, high)
        noise = math.sqrt(_mean([_variance(runs) for runs in again]) / n)
        note = {"why": "varies", "deviation": noise}
        if holds and "published" in rule and (high - low) / 2 > rule["widest"]:
            holds, note = None, note | {"widest": rule["widest"]}
    return Finding(verdict_on(holds), (Part(holds, share, low, high, bounds=bounds, note=note),))


def _share(rule, measured):
    """How often something is so: typical, now and then, or rare, by Wilson's interval of the share."""
    true, of = _count(measured)
    low, high = wilson_interval(true, of, rule["level"])
    outcome = True if high >= rule["typical"] else False if high < rule["rare"] else None
    verdict = {True: REPRODUCED, False: NOT_REPRODUCED, None: PARTLY}[outcome]
    part = Part(outcome, true / of, low, high, count=of, bounds=(rule["rare"], rule["typical"]))
    return Finding(verdict, (part,))


def _share_above(rule, measured):
    """For which sets the share of draws that exceed a value is above the bound, by Wilson's interval.

    Of each set, the draws that the rule names in ``of`` are judged; others are shown.
    """
    parts = []
    for name, draws in measured.items():
        if rule["of"] not in draws:
            raise ValueError(f"no draws {rule['of']!r} of {name!r} were measured.")
        for which, values in draws.items():
            true, of = sum(value > rule["exceeds"] for value in values), len(values)
            outcome, shown = None, {"why": "beside"}
            if which == rule["of"]:
                low, high = wilson_interval(true, of, rule["level"])
                outcome, shown = lies(rule, low, high), None
            parts.append(Part(outcome, true, count=of, set=name, name=which, note=shown))
    judged = [part for part in parts if part.name == rule["of"]]
    return Finding(over_sets(list(answers(judged).values())), tuple(parts))


def _speed_up(rule, measured):
    """Work by T > 1 threads is at least ``least_share`` · T times as fast as by one thread.

    A machine that others use, one of few cores, or few pairs of runs cannot decide it.

    ``measured`` has ``cores``; ``load``, the cores that others kept busy before the runs; and ``seconds``,
    for each part of the work a list of seconds per number of threads, as strings; the runs took turns.
    """
    parts, pairs = [], []
    for work, seconds in measured["seconds"].items():
        for threads, runs in seconds.items():
            if threads != "1":
                ratios = [one / run for one, run in zip(seconds["1"], runs, strict=True)]
                low, high = mean_interval(ratios, rule["level"])
                asked = {"least": rule["least_share"] * int(threads)}
                name = f"{threads} threads"
                parts.append(
                    Part(
                        lies(asked, low, high), _mean(ratios), low, high, work, name, bounds=bounds_of(asked)
                    )
                )
                pairs.append(len(ratios))
    machine = {"cores": measured["cores"], "load": measured["load"], "pairs": min(pairs, default=0)}
    for why, too_few in (
        ("few cores", measured["cores"] < rule["least_cores"]),
        ("few pairs", machine["pairs"] < max(rule["least_pairs"], 1)),
        ("busy", measured["load"] > rule["largest_load"]),
    ):
        if too_few:
            return Finding(INCONCLUSIVE, tuple(parts), {"why": why, **machine})
    return Finding(over_sets([part.outcome for part in parts]), tuple(parts), {"why": "machine", **machine})


_OF_ALL = {
    "ahead-of-all": _ahead_of_all,
    "any-of": _any_of,
    "holm": _holm,
    "share-of-sets": _share_of_sets,
    "share": _share,
    "share-above": _share_above,
    "speed-up": _speed_up,
}


def _of_sets(parts):
    return Finding(over_sets(list(answers(parts).values())), tuple(parts))


# Bounds and intervals


def bounds_of(rule):
    """The bounds of a rule, which tell digits apart when they are shown."""
    return tuple(float(rule[key]) for key in _BOUNDS if key in rule)


def _as_bounds(rule, second):
    """The rule with its margin, if it has one, as bounds."""
    margin = rule.get("within")
    if "relative" in rule:
        margin = max(rule["relative"] * abs(_mean(second)), rule["absolute"])
    return rule if margin is None else rule | {"least": -margin, "most": margin}


def lies(rule, low, high):
    """Whether everything from low to high is inside the bounds; None if only a part is, or all too near."""
    return True if inside(rule, low, high) else False if outside(rule, low, high) else None


def inside(rule, low, high):
    """Whether everything from low to high is inside the bounds ``above``, ``below``, ``least``, ``most``."""
    return (
        ("above" not in rule or low > rule["above"])
        and ("least" not in rule or low >= rule["least"])
        and ("below" not in rule or high < rule["below"])
        and ("most" not in rule or high <= rule["most"])
    )


def outside(rule, low, high):
    """Whether everything from low to high is beyond one bound, by the rule's ``reversal`` at least."""
    reversal = rule.get("reversal", 0)
    return (
        ("above" in rule and high <= rule["above"] - reversal)
        or ("least" in rule and high < rule["least"] - reversal)
        or ("below" in rule and low >= rule["below"] + reversal)
        or ("most" in rule and low > rule["most"] + reversal)
    )


def _interval(rule, runs, level):
    how = rule.get("interval", "mean")
    if how == "resampled":
        return resampled_interval(runs, rule["test_share"], level)
    return {"mean": mean_interval, "prediction": prediction_interval}[how](runs, level)


# Forms of measurements


def is_mapping(value):
    """Whether a measurement names several parts, rather than being one."""
    forms = ({"first", "second"}, {"steps", "runs"}, {"true", "of"})
    return isinstance(value, dict) and set(value) not in forms


def _count(value):
    if isinstance(value, dict):
        return value["true"], value["of"]
    if not all(v in (True, False) for v in value):
        raise ValueError("expected Booleans or a count.")
    return sum(value), len(value)


def _differences(pair):
    first, second = _whole(pair["first"]), _whole(pair["second"])
    if len(first) != len(second):
        raise ValueError(f"cannot judge pairs of {len(first)} and {len(second)} runs.")
    return [a - b for a, b in zip(first, second, strict=True)]


def _whole(runs):
    if any(v is None for v in runs):
        raise ValueError(f"{sum(v is None for v in runs)} of {len(runs)} runs have no value.")
    return runs


def _mean(runs):
    return math.fsum(_whole(runs)) / len(runs)


def _variance(runs):
    mean = _mean(runs)
    return math.fsum((one - mean) ** 2 for one in runs) / (len(runs) - 1)


def _digits(rule, value):
    """A value at the rule's number of decimals, rounded or cut."""
    if isinstance(value, list):
        return [_digits(rule, v) for v in value]
    if "decimals" not in rule or not isinstance(value, float):
        return value
    decimals = rule["decimals"]
    if type(decimals) is not int or not 0 <= decimals <= _MOST_DECIMALS:  # 10 to a huge power takes forever
        raise ValueError(f"decimals must be a whole number from 0 to {_MOST_DECIMALS}.")
    scale = 10**decimals
    return math.trunc(value * scale) / scale if rule.get("cut") else round(value, decimals)
