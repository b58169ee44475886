"""What a claim's ``[claim.judge]`` table may hold, and which verdicts it can give."""

import importlib
import math
import sys
from dataclasses import asdict

from studylib.study import kinds, rules
from studylib.study.intervals import wilson_interval
from studylib.study.ledger.schema import shown
from studylib.study.shapes import fits, shape_in_words

NATURES = ("finding", "arithmetic", "identity", "question")
_BOUNDS = ("above", "below", "least", "most")
_POSITION = (*_BOUNDS, "reversal", "interval", "level", "test_share", "correction", "unit")
#: By kind, the keys that a rule needs, and others that it may have.
_KEYS = {
    "exact": (("published",), ("decimals", "cut", "unit", "shown", "labels")),
    "tolerance": (("published", "within"), ("unit",)),
    "published-run": (("published",), ("within", "decimals", "cut", "level", "widest", "unit")),
    "bound": ((), (*_BOUNDS, "unit")),
    "paired": ((), _POSITION),
    "equivalent": ((), (*_POSITION, "within", "relative", "absolute")),
    "trend": ((), (*_POSITION, "monotone")),
    "property": ((), ("some",)),
    "counterexample": ((), (*_BOUNDS, "unit")),
    "ahead-of-all": (("level",), (*_BOUNDS, "reversal", "unit")),
    "any-of": (("level",), (*_BOUNDS, "reversal", "unit")),
    "holm": (("rival", "above", "level"), ("unit",)),
    "share-of-sets": (("runs", "level"), ("published", "widest", *_BOUNDS)),
    "share": (("typical", "rare", "level"), ()),
    "share-above": (("of", "exceeds", "level"), _BOUNDS),
    "speed-up": (("least_share", "least_pairs", "least_cores", "largest_load", "level"), ()),
    "question": (("answer",), ()),
    "not-testable": ((), ()),
}
KINDS = tuple(_KEYS)
#: The shapes of keys; "published" may be anything if nothing is computed with it.
_SHAPES = {
    **dict.fromkeys(
        (
            *_BOUNDS, "reversal", "widest", "within", "relative", "absolute", "level", "test_share",
            "typical", "rare", "exceeds", "least_share", "largest_load",
        ),
        float,
    ),
    **dict.fromkeys(("decimals", "runs", "least_pairs", "least_cores"), int),
    **dict.fromkeys(("unit", "shown", "answer", "rival", "of", "function"), str),
    **dict.fromkeys(("cut", "some"), bool),
    "labels": list,
    "numbers": dict,
    "interval": ("mean", "resampled", "prediction", "wilson"),
    "correction": ("parts",),
    "monotone": ("rising", "falling"),
}  # fmt: skip


def check_rule(kind, rule):
    """Raise ValueError, in one sentence, if a rule does not suit its kind, or could give one verdict only."""
    if "function" in rule:
        _check_keys("with a function", rule, ("function", "numbers"))
        return
    parts = rule.get("parts", {})
    common = {key: value for key, value in rule.items() if key != "parts"}
    needed, others = _KEYS[kind]
    allowed = (*needed, *others)
    _check_keys(f"of kind {kind!r}", common, allowed)
    for name, of_part in parts.items():
        _check_keys(f"of kind {kind!r}, part {shown(name)},", of_part, allowed)
    for whole in [common | of_part for of_part in parts.values()] or [common]:
        for key in needed:
            if key not in whole:
                raise ValueError(f"a rule of kind {kind!r} lacks the key {key!r}.")
        _check_decides(kind, whole, allowed)


def _check_keys(of, table, allowed):
    for key, value in table.items():
        if key not in allowed:
            raise ValueError(
                f"a rule {of} has the unknown key {shown(key)}; allowed are {', '.join(allowed) or 'none'}."
            )
        shape = _SHAPES.get(key, object)
        if not fits(value, shape):
            raise ValueError(f"key {key!r} of a rule must be {shape_in_words(shape)}, got {shown(value)}.")
        if isinstance(value, int) and abs(value) > sys.float_info.max:
            raise ValueError(f"key {key!r} of a rule must be a number that a float can hold.")


def _check_decides(kind, rule, allowed):
    published = rule.get("published", 0)
    any_value = kind == "exact" and ("decimals" not in rule or isinstance(published, list))
    if not any_value and not fits(published, float):
        raise ValueError(f"key 'published' of a rule must be a number, got {shown(published)}.")
    if kind == "share-of-sets" and ("published" in rule) != ("widest" in rule):
        raise ValueError(
            "the keys 'published' and 'widest' of a rule of kind 'share-of-sets' belong together."
        )
    if set(_BOUNDS) & set(allowed) and not (kind == "share-of-sets" and "published" in rule):
        bounds = [key for key in (*_BOUNDS, "within", "relative", "monotone") if key in rule]
        if not bounds or any(not math.isfinite(rule[key]) for key in bounds if key != "monotone"):
            raise ValueError(f"a rule of kind {kind!r} has no finite bound, so it can give one verdict only.")
        if ("relative" in rule) != ("absolute" in rule):
            raise ValueError("the keys 'relative' and 'absolute' of a rule belong together.")
    if "reversal" in rule and not 0 <= rule["reversal"] < math.inf:
        raise ValueError(f"key 'reversal' of a rule must be 0 or more, got {shown(rule['reversal'])}.")
    if "widest" in rule and not 0 < rule["widest"] < math.inf:
        raise ValueError(f"key 'widest' of a rule must be above 0, got {shown(rule['widest'])}.")
    for key in ("level", "test_share"):
        if key in rule and not 0 < rule[key] < 1:
            raise ValueError(f"key {key!r} of a rule must be between 0 and 1, got {shown(rule[key])}.")
    if (rule.get("interval") == "resampled") != ("test_share" in rule):
        raise ValueError("the interval 'resampled' of a rule needs 'test_share', and only that interval.")


def function_of(rule):
    """The function ``(measured, numbers) -> Finding`` of a rule, and measurements that show its verdicts."""
    module_name, _, name = rule["function"].partition(":")
    module = importlib.import_module(module_name)
    return getattr(module, name), module.CASES[name]


def examples(kind, rule, like=None):
    """Measurements that exercise every verdict of a rule: the first meets it, the second does not.

    They have the form of ``like``, a measurement that the rule judges, if there is one: a number has no
    interval, and a statement about several sets can hold in part.
    """
    if "function" in rule:
        return function_of(rule)[1]
    if kind in _EXAMPLES_OF_ALL:
        return _EXAMPLES_OF_ALL[kind](rule)
    if "parts" in rule:
        common = {key: value for key, value in rule.items() if key != "parts"}
        like = like if kinds.is_mapping(like) else {}
        rules_of = {name: common | of_part for name, of_part in rule["parts"].items()}
    elif kinds.is_mapping(like) and like:
        rules_of = dict.fromkeys(like, rule)
    else:
        return _of_one_set(kind, rule, like)
    return _of_sets({name: _of_one_set(kind, of, like.get(name)) for name, of in rules_of.items()})


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


def _of_one_set(kind, rule, like):
    while kinds.is_mapping(like) and like:  # all parts of a set must hold: one stands for all
        like = next(iter(like.values()))
    return _EXAMPLES.get(kind, _position_examples)(rule, like)


def _exact_examples(rule, like):
    value = rule["published"]
    return [value, [*value[:-1], f"not {value[-1]}"] if isinstance(value, list) else f"not {value}"]


def _tolerance_examples(rule, like):
    return [rule["published"], rule["published"] + 2 * rule["within"] + 1]


def _published_examples(rule, like):
    value = float(rule["published"])
    runs = [[value] * 3, [value + 10, value + 10.5, value + 11]]
    wide = 10 * rule.get("widest", 0)
    return [*runs, [value - wide, value, value + wide]] if wide else runs


def _position_examples(rule, like):
    if "monotone" in rule:
        return _curves(rule)
    if rule.get("interval") == "wilson":
        ends = {k: wilson_interval(k, 1000, 0.95) for k in (0, 1000, 500)}
        met = next(k for k in ends if kinds.inside(rule, *ends[k]))
        missed = next((k for k in ends if kinds.outside(rule, *ends[k])), 1000 - met)
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
    runs = {
        "rising": [[0.0, 1.0], [0.0, 1.1]],
        "falling": [[1.0, 0.0], [1.1, 0.0]],
        "varying": [[0.0, 1.0], [1.0, 0.0]],
    }
    order = ["rising", "falling"] if rule["monotone"] == "rising" else ["falling", "rising"]
    return [{"steps": [1, 2], "runs": runs[name]} for name in (*order, "varying")]


_EXAMPLES = {
    "exact": _exact_examples,
    "tolerance": _tolerance_examples,
    "published-run": _published_examples,
    "property": lambda rule, like: [{"true": 2, "of": 2}, {"true": 0, "of": 2}],
    "counterexample": lambda rule, like: _position_examples(rule, 0.0)[1::-1],
    "question": lambda rule, like: [],
    "not-testable": lambda rule, like: [],
}


def _ahead_of_all_examples(rule):
    good, bad, open_ = _runs(rule)
    cases = [{"to the best": runs, "single run": good[0]} for runs in (good, bad, open_)]
    cases.append({"to the best": good, "single run": None})
    return [*({"a": case} for case in cases), {"a": cases[0], "b": cases[1]}]


def _any_of_examples(rule):
    sets = [{"a pair": {"first": runs, "second": [0.0] * len(runs)}} for runs in _runs(rule)]
    return [*({"a": pairs} for pairs in sets), {"a": sets[0], "b": sets[1]}]


def _runs(rule):
    """Runs that meet the bounds, that do not, and that leave it open."""
    return _position_examples({**rule, "reversal": rule.get("reversal", 1.0)}, None)


def _holm_examples(rule):
    return [{rule["rival"]: [rule["above"] + d - 0.1, rule["above"] + d + 0.1]} for d in (100.0, -100.0, 0.0)]


def _share_of_sets_examples(rule):
    def share_of(share, n_sets=400, n_runs=rule["runs"]):
        return {f"set {k}": [k < share * n_sets] * n_runs for k in range(n_sets)}

    shares = _from_what_is_met(rule, [k / 10 for k in range(11)])
    if "published" in rule:
        shares.insert(0, rule["published"])
    return [*map(share_of, shares), share_of(0.5, 10), share_of(0.5, n_runs=1)]


def _share_examples(rule):
    between = round(500 * (rule["typical"] + rule["rare"]))
    return [[True] * 20, [False] * 100, {"true": between, "of": 1000}]


def _share_above_examples(rule):
    above, below = rule["exceeds"] + 1.0, rule["exceeds"] - 1.0
    counts = _from_what_is_met(rule, range(0, 101, 5))
    return [{"a set": {rule["of"]: [above] * true + [below] * (100 - true)}} for true in counts]


def _from_what_is_met(rule, ascending):
    """The end that meets the bounds, then the one that does not, then what is between."""
    least, *between, most = ascending
    return [most, least, *between] if {"above", "least"} & rule.keys() else [least, most, *between]


def _speed_up_examples(rule):
    def machine(speed_up, load=0.0, cores=rule["least_cores"]):
        seconds = {"1": [2.0] * rule["least_pairs"], "2": [2.0 / speed_up] * rule["least_pairs"]}
        return {"cores": cores, "load": load, "seconds": {"work": seconds}}

    return [machine(2.0), machine(0.1), machine(2.0, load=rule["largest_load"] + 1.0)]


_EXAMPLES_OF_ALL = {
    "ahead-of-all": _ahead_of_all_examples,
    "any-of": _any_of_examples,
    "holm": _holm_examples,
    "share-of-sets": _share_of_sets_examples,
    "share": _share_examples,
    "share-above": _share_above_examples,
    "speed-up": _speed_up_examples,
}


def by_function(rule, measured):
    """What the function of a rule says about a measurement; ValueError if that is no Finding to be shown."""
    finding = function_of(rule)[0](measured, rule.get("numbers", {}))
    if not isinstance(finding, rules.Finding):
        raise ValueError(f"{rule['function']} must return a Finding, not {type(finding).__name__}.")
    for note in filter(None, [finding.note, *(part.note for part in finding.parts)]):
        if note.keys() != {"why", "text"} or note["why"] != "said":
            raise ValueError(f'a note of {rule["function"]} must be {{"why": "said", "text": ...}}.')
    return finding


def verdicts_it_can_give(claim, like=None):
    """The verdicts to which the :func:`examples` of a claim's rule lead, a sorted list of str."""
    verdicts = {judge_claim(claim, measured).verdict for measured in examples(claim.kind, claim.judge, like)}
    return sorted(verdicts, key=rules.VERDICTS.index)


def judge_claim(claim, measured):
    """What the rule of a claim says about a measurement, a Finding."""
    return rules.finding(asdict(claim), measured, by_function)
