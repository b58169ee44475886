"""What a claim's ``[claim.judge]`` table may hold, and which verdicts it can give."""

import math
import sys
from pkgutil import resolve_name

from studylib.study import kinds, rules
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
#: Kinds that judge where an interval lies.
_BY_POSITION = ("bound", "paired", "equivalent", "trend")
#: By kind that judges all sets at once, the verdicts that it can give besides the two that all kinds can.
OF_ALL = {
    **dict.fromkeys(
        ("ahead-of-all", "any-of", "share-above", "speed-up"), (rules.PARTLY, rules.INCONCLUSIVE)
    ),
    **dict.fromkeys(("holm", "share-of-sets"), (rules.INCONCLUSIVE,)),
    "share": (rules.PARTLY,),
}
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
        if not {"within", "relative", "monotone"} & rule.keys():
            _check_bounds(kind, rule)
    if "reversal" in rule and not 0 <= rule["reversal"] < math.inf:
        raise ValueError(f"key 'reversal' of a rule must be 0 or more, got {shown(rule['reversal'])}.")
    if "widest" in rule and not 0 < rule["widest"] < math.inf:
        raise ValueError(f"key 'widest' of a rule must be above 0, got {shown(rule['widest'])}.")
    for key in ("level", "test_share"):
        if key in rule and not 0 < rule[key] < 1:
            raise ValueError(f"key {key!r} of a rule must be between 0 and 1, got {shown(rule[key])}.")
    if (rule.get("interval") == "resampled") != ("test_share" in rule):
        raise ValueError("the interval 'resampled' of a rule needs 'test_share', and only that interval.")


def _check_bounds(kind, rule):
    """Refuse bounds that every number meets, or none; of a share only numbers from 0 to 1 count."""
    share = kind in ("share-of-sets", "share-above") or rule.get("interval") == "wilson"
    lowest, highest = (0.0, 1.0) if share else (-math.inf, math.inf)
    low = max(lowest, rule.get("above", lowest), rule.get("least", lowest))
    high = min(highest, rule.get("below", highest), rule.get("most", highest))
    can_be_met = low < high or kinds.inside(rule, low, low)
    if not can_be_met or kinds.inside(rule, lowest, highest):
        what = "share" if share else "number"
        raise ValueError(
            f"a rule of kind {kind!r} has bounds that {'every' if can_be_met else 'no'} {what} meets, so it "
            "can give one verdict only."
        )


def by_function(rule, measured):
    """What the function of a rule says about a measurement; ValueError if that is no Finding to be shown."""
    finding = resolve_name(rule["function"])(measured, rule.get("numbers", {}))
    if not isinstance(finding, rules.Finding):
        raise ValueError(f"{rule['function']} must return a Finding, not {type(finding).__name__}.")
    for note in filter(None, [finding.note, *(part.note for part in finding.parts)]):
        if note.keys() != {"why", "text"} or note["why"] != "said":
            raise ValueError(f'a note of {rule["function"]} must be {{"why": "said", "text": ...}}.')
    return finding


def verdicts_it_can_give(claim, measured=None):
    """The verdicts that the rule of a claim can give, in order; by default on runs, else as on ``measured``.

    A number has no interval, so it cannot leave a rule open, and a statement about several sets can hold in
    part.  For a function of a study, these are its verdicts on the ``CASES`` of its module.
    """
    rule = claim.judge
    if "function" in rule:
        module, _, name = rule["function"].partition(":")
        cases = getattr(resolve_name(module), "CASES", {})
        if name not in cases:
            raise ValueError(f"{claim.id}: {module} must list measurements for {name!r} in its dict CASES.")
        verdicts = {by_function(rule, case).verdict for case in cases[name]}
    else:
        met = rules.CHECKED if claim.nature == "identity" else rules.REPRODUCED
        verdicts = {met, rules.NOT_REPRODUCED, *_others(claim.kind, rule, measured)}
    return sorted(verdicts, key=rules.VERDICTS.index)


def _others(kind, rule, measured):
    """The verdicts between "reproduced" and "not reproduced" that a rule can give."""
    if kind in OF_ALL:
        return OF_ALL[kind]
    parts = _parts(rule, measured)
    n_open = sum(_can_stay_open(kind, *part) for part in parts)
    # It takes that less than half hold and less than half are refuted: of an even number two must be open.
    between = {rules.PARTLY: len(parts) > 1, rules.INCONCLUSIVE: n_open >= 2 - len(parts) % 2}
    return {verdict for verdict, can_be in between.items() if can_be}


def _parts(rule, measured):
    """The rule and the measurement of each set, pairs."""
    measured = measured if kinds.is_mapping(measured) else {"": measured}
    if "parts" in rule:
        common = {key: value for key, value in rule.items() if key != "parts"}
        return [(common | of_part, measured.get(name)) for name, of_part in rule["parts"].items()]
    return [(rule, value) for value in measured.values()] or [(rule, None)]


def _can_stay_open(kind, rule, measured):
    """Whether a rule can leave a part undecided: an interval may lie on both sides of its bound."""
    while kinds.is_mapping(measured) and measured:  # all parts of a set must hold: one stands for all
        measured = next(iter(measured.values()))
    if kind == "published-run":
        return "widest" in rule and "within" not in rule
    return kind in _BY_POSITION and (rule.get("reversal", 0) > 0 or not isinstance(measured, (int, float)))
