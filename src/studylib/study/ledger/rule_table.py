"""What a claim's ``[claim.judge]`` table may hold, how it reads in words, and which verdicts it can give."""

import importlib
import math
import sys
from dataclasses import asdict

from studylib.study import rules
from studylib.study.ledger.schema import shown

NATURES = ("finding", "arithmetic", "identity", "question")
KINDS = (
    "exact", "tolerance", "published-run", "paired", "equivalent", "trend", "property", "counterexample",
    "question", "not-testable",
)  # fmt: skip

_BOUNDS = ("above", "below", "least", "most")
_SHOWING = ("unit", "shown", "labels")
_INTERVALS = ("mean", "resampled", "prediction", "wilson")
_POSITION = (*_BOUNDS, "reversal", "interval", "level", "test_share", "correction", "unit")
_ALLOWED = {
    "exact": ("published", "decimals", "cut", *_SHOWING),
    "tolerance": ("published", "within", "unit"),
    "published-run": ("published", "within", "decimals", "cut", "level", "widest", "unit"),
    "paired": _POSITION,
    "equivalent": (*_POSITION, "within", "relative", "absolute"),
    "trend": (*_POSITION, "monotone"),
    "property": ("some",),
    "counterexample": (*_BOUNDS, "unit"),
    "question": ("answer",),
    "not-testable": (),
}
_TYPES = {
    **dict.fromkeys(
        (*_BOUNDS, "reversal", "widest", "within", "relative", "absolute", "level", "test_share"),
        (int, float),
    ),
    **dict.fromkeys(("cut", "some"), bool),
    **dict.fromkeys(("unit", "shown", "interval", "correction", "monotone", "answer"), str),
    "decimals": int,
    "labels": list,
}
_WORDS = {bool: "true or false", str: "a string", int: "an integer", list: "a list", (int, float): "a number"}


def check_rule(kind, rule):
    """Refuse a table that its kind does not know, or that could give one verdict only.

    Raises
    ------
    ValueError
        One sentence about the first thing that is wrong.
    """
    if "function" in rule:
        _check_keys("with a function", rule, ("function", "numbers"))
        return
    parts = rule.get("parts", {})
    common = {key: value for key, value in rule.items() if key != "parts"}
    _check_keys(f"of kind {kind!r}", common, _ALLOWED[kind])
    for name, own in parts.items():
        _check_keys(f"of kind {kind!r}, part {shown(name)},", own, _ALLOWED[kind])
    for own in [common | own for own in parts.values()] or [common]:
        _check_decides(kind, own)


def _check_keys(of, table, allowed):
    for key, value in table.items():
        if key not in allowed:
            raise ValueError(
                f"a rule {of} has the unknown key {shown(key)}; allowed are {', '.join(allowed) or 'none'}."
            )
        kind = _TYPES.get(key)
        if kind and (not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool)):
            raise ValueError(f"key {key!r} of a rule must be {_WORDS[kind]}, got {shown(value)}.")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise ValueError(f"key {key!r} of a rule must be a number that a float can hold.")


def _check_decides(kind, rule):
    needed = {
        "exact": ["published"],
        "tolerance": ["published", "within"],
        "published-run": ["published"],
        "question": ["answer"],
    }
    for key in needed.get(kind, []):
        if key not in rule:
            raise ValueError(f"a rule of kind {kind!r} lacks the key {key!r}.")
    if kind in ("paired", "equivalent", "trend", "counterexample"):
        bounds = [key for key in (*_BOUNDS, "within", "relative", "monotone") if key in rule]
        if not bounds or any(not math.isfinite(rule[key]) for key in bounds if key != "monotone"):
            raise ValueError(f"a rule of kind {kind!r} has no finite bound, so it can give one verdict only.")
        if ("relative" in rule) != ("absolute" in rule):
            raise ValueError("the keys 'relative' and 'absolute' of a rule belong together.")
    for key in ("reversal", "widest"):
        if key in rule and not 0 < rule[key] < math.inf:
            raise ValueError(f"key {key!r} of a rule must be above 0, got {shown(rule[key])}.")
    for key in ("level", "test_share"):
        if key in rule and not 0 < rule[key] < 1:
            raise ValueError(f"key {key!r} of a rule must be between 0 and 1, got {shown(rule[key])}.")
    for key, allowed in (
        ("interval", _INTERVALS),
        ("correction", ("parts",)),
        ("monotone", ("rising", "falling")),
    ):
        if rule.get(key, allowed[0]) not in allowed:
            raise ValueError(
                f"key {key!r} of a rule must be one of {', '.join(allowed)}, got {shown(rule[key])}."
            )
    if (rule.get("interval") == "resampled") != ("test_share" in rule):
        raise ValueError("the interval 'resampled' of a rule needs 'test_share', and only that interval.")


def in_words(kind, rule):
    """The rule as a reader of the ledger sees it, from the table that judges; empty without one."""
    if "function" in rule:
        numbers = "; ".join(f"{k.replace('_', ' ')} {_value(v)}" for k, v in rule.get("numbers", {}).items())
        return f"judged by the function {rule['function']}" + (f" with {numbers}" if numbers else "")
    if "parts" in rule:
        common = {key: value for key, value in rule.items() if key != "parts"}
        said = "; ".join(f"{name}: {in_words(kind, common | own)}" for name, own in rule["parts"].items())
        return said
    return _IN_WORDS.get(kind, _position_words)(rule)


def required(kind, rule):
    """What a number must be for the statement to hold, such as ``"> 0"``; empty where no bound says."""
    elsewhere = {"function", "parts", "monotone"}
    if kind not in ("paired", "equivalent", "trend") or not elsewhere.isdisjoint(rule):
        return ""
    if "relative" in rule:
        return f"within {100 * rule['relative']:.4g}%"
    return (f"within ± {_value(rule['within'])}" if "within" in rule else _bounds(rule)) + _unit(rule)


def interval_name(kind, rule):
    """What the interval beside our value is, such as ``"95% interval"``."""
    if "function" in rule or "parts" in rule or rule.get("correction"):
        return "interval"
    prediction = kind == "published-run" or rule.get("interval") == "prediction"
    return f"{_level(rule)} {'prediction ' if prediction else ''}interval"


def _exact_words(rule):
    how = ""
    if "decimals" in rule:
        how = f", {'cut' if rule.get('cut') else 'rounded'} to {rule['decimals']} decimals"
    return f"equal to {_value(rule['published'])}{how}"


def _tolerance_words(rule):
    return f"within ± {_value(rule['within'])} of {_value(rule['published'])}{_unit(rule)}"


def _published_words(rule):
    if "within" in rule:
        return f"our mean within ± {_value(rule['within'])} of {_value(rule['published'])}{_unit(rule)}"
    how = ""
    if "decimals" in rule:
        how = f", each {'cut' if rule.get('cut') else 'rounded'} to {rule['decimals']} decimals"
    wide = f"; undecided if that reaches farther than ± {_value(rule['widest'])}" if "widest" in rule else ""
    return f"{_value(rule['published'])} inside the {_level(rule)} prediction interval of our runs{how}{wide}"


def _property_words(rule):
    return "true in at least one case" if rule.get("some") else "true in every case"


def _counterexample_words(rule):
    return f"refuted by one case with a value {_bounds(rule)}{_unit(rule)}"


def _position_words(rule):
    back = _value(rule.get("reversal", 0))
    if "monotone" in rule:
        farther = f" by more than {back}" if "reversal" in rule else ""
        return (
            f"{rule['monotone']}: no step goes the other way{farther} (level corrected for the number of "
            f"steps), and the {_level(rule)} interval of last − first excludes 0"
        )
    if "relative" in rule:
        where = f"within {100 * rule['relative']:.4g}% of the second value or ± {_value(rule['absolute'])}"
    elif "within" in rule:
        where = f"within ± {_value(rule['within'])}"
    else:
        where = _bounds(rule)
    how = {
        "mean": "interval (Student's t) of the mean",
        "resampled": "interval of the mean over resampled splits (Nadeau and Bengio, "
        f"test share {rule.get('test_share')})",
        "prediction": "prediction interval",
        "wilson": "Wilson interval of the share",
    }[rule.get("interval", "mean")]
    corrected = ", corrected for the number of parts" if rule.get("correction") == "parts" else ""
    refuted = f"; refuted only from {back} beyond the bound on" if "reversal" in rule else ""
    return f"{where}{_unit(rule)}; of runs, the whole {_level(rule)} {how}{corrected}{refuted}"


def _bounds(rule):
    words = {"above": ">", "least": "≥", "below": "<", "most": "≤"}
    return " and ".join(f"{sign} {_value(rule[key])}" for key, sign in words.items() if key in rule)


def _level(rule):
    return f"{100 * rule.get('level', 0.95):.6g}%"


def _unit(rule):
    unit = rule.get("unit", "")
    return unit if unit == "%" else f" {unit}" if unit else ""


def _value(value):
    return rules.value_text(value)


_IN_WORDS = {
    "exact": _exact_words,
    "tolerance": _tolerance_words,
    "published-run": _published_words,
    "property": _property_words,
    "counterexample": _counterexample_words,
    "question": lambda rule: "answered with numbers",
    "not-testable": lambda rule: "",
}


def function_of(rule):
    """The function of a rule that is no standard kind, and the cases that show its verdicts.

    Returns
    -------
    function : callable ``(measured, numbers) -> Finding``
    cases : list of measurements
    """
    module, _, name = rule["function"].partition(":")
    found = importlib.import_module(module)
    return getattr(found, name), found.CASES[name]


def examples(kind, rule, like=None):
    """Measurements that exercise every verdict of a rule: the first meets it, the second does not.

    Parameters
    ----------
    kind : str
    rule : dict
    like : plain data or None
        A measurement that has the form of those that the rule judges: a number has no interval, and a
        statement about several sets can hold in part.

    Returns
    -------
    list of plain data
    """
    if "function" in rule:
        return function_of(rule)[1]
    if "parts" in rule:
        common = {key: value for key, value in rule.items() if key != "parts"}
        like = like if rules.is_mapping(like) else {}
        rules_of = {name: common | own for name, own in rule["parts"].items()}
    elif rules.is_mapping(like) and like:
        rules_of = dict.fromkeys(like, rule)
    else:
        return _one(kind, rule, like)
    return _of_sets({name: _one(kind, own, like.get(name)) for name, own in rules_of.items()})


def _of_sets(singles):
    """Examples for several sets: all of a kind; only the first meets the rule; all but the last do."""
    if not all(singles.values()):
        return []
    n = len(singles)
    chosen = [[k] * n for k in range(max(map(len, singles.values())))]
    chosen += [[0] + [k] * (n - 1) for k in (1, -1)] + [[0] * (n - 1) + [k] for k in (1, -1)]
    return [
        {name: single[min(k, len(single) - 1)] for (name, single), k in zip(singles.items(), ks, strict=True)}
        for ks in chosen
    ]


def _one(kind, rule, like):
    while rules.is_mapping(like) and like:  # all parts of a set must hold: one stands for all
        like = next(iter(like.values()))
    return _EXAMPLES.get(kind, _position_examples)(rule, like)


def _exact_examples(rule, like):
    value = rule["published"]
    return [value, [*value[:-1], f"not {value[-1]}"] if isinstance(value, list) else f"not {value}"]


def _tolerance_examples(rule, like):
    return [rule["published"], rule["published"] + 2 * rule["within"] + 1]


def _published_examples(rule, like):
    value = float(rule["published"])
    found = [[value] * 3, [value + 10, value + 10.5, value + 11]]
    wide = 10 * rule.get("widest", 0)
    return [*found, [value - wide, value, value + wide]] if wide else found


def _position_examples(rule, like):
    if "monotone" in rule:
        return _curves(rule)
    if rule.get("interval") == "wilson":
        ends = {k: rules.wilson_interval(k, 1000, 0.95) for k in (0, 1000, 500)}
        met = next(k for k in ends if rules.inside(rule, *ends[k]))
        missed = next((k for k in ends if rules.outside(rule, *ends[k])), 1000 - met)
        return [{"true": met, "of": 1000}, {"true": missed, "of": 1000}, {"true": 1, "of": 2}]
    if "relative" in rule:
        ones = {"first": [1.0, 1.0], "second": [1.0, 1.0]}
        return [ones, ones | {"first": [99.0, 99.0]}, ones | {"first": [-99.0, 99.0]}]
    if "within" in rule:
        rule = rule | {"least": -rule["within"], "most": rule["within"]}
    low = max(rule.get("above", -math.inf), rule.get("least", -math.inf))
    high = min(rule.get("below", math.inf), rule.get("most", math.inf))
    back = rule.get("reversal", 0)
    if math.isinf(low):
        values = [high - 1.0, high + 1.0 + back, high + back / 2]
    elif math.isinf(high):
        values = [low + 1.0, low - 1.0 - back, low - back / 2]
    else:
        values = [(low + high) / 2, high + 1.0 + back, high + back / 2]
    if isinstance(like, (int, float)):
        return values if back else values[:2]
    far = 10 + 10 * max(abs(v) for v in values)
    return [[values[0]] * 2, [values[1]] * 2, [values[0] - far, values[0] + far]]


def _curves(rule):
    """A curve that meets a rule about every step, its opposite, and one that only varies."""
    curves = [[[0.0, 1.0], [0.0, 1.1]], [[1.0, 0.0], [1.1, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]
    found = [{"steps": [1, 2], "runs": runs} for runs in curves]
    return found if rule["monotone"] == "rising" else [found[1], found[0], found[2]]


_EXAMPLES = {
    "exact": _exact_examples,
    "tolerance": _tolerance_examples,
    "published-run": _published_examples,
    "property": lambda rule, like: [{"true": 2, "of": 2}, {"true": 0, "of": 2}],
    "counterexample": lambda rule, like: _position_examples(rule, 0.0)[1::-1],
    "question": lambda rule, like: [],
    "not-testable": lambda rule, like: [],
}


def by_function(rule, measured):
    """What the function of a rule says about a measurement, a Finding."""
    return function_of(rule)[0](measured, rule.get("numbers", {}))


def verdicts_it_can_give(claim, like=None):
    """The verdicts to which the :func:`examples` of a claim's rule lead, a sorted list of str."""
    found = {judge_claim(claim, measured).verdict for measured in examples(claim.kind, claim.judge, like)}
    return sorted(found, key=rules.VERDICTS.index)


def judge_claim(claim, measured):
    """What the rule of a claim says about a measurement, a Finding."""
    return rules.finding(asdict(claim), measured, by_function)
