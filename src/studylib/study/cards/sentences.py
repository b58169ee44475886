"""What rules and findings say, in words: the one place where text is made of them.

Two voices: the rule as the ledger's reader sees it (``in_words``), and the card, which says what was
measured, what the rule asks for, and how the one decides the other.
"""

import re

from studylib.study import findings
from studylib.study.cards.choices import how_many_more, what_it_depends_on
from studylib.study.cards.numbers import interval_texts, number_text
from studylib.study.rules import PLACE

_BOUNDS = {"above": "more than", "least": "at least", "below": "less than", "most": "at most"}
_SIGNS = {"above": ">", "least": "≥", "below": "<", "most": "≤"}
_MET = (findings.REPRODUCED, findings.CHECKED)
#: Most sets that are shown one by one, and numbers in them; of more, only how many hold.
_FEW, _FEW_NUMBERS = 3, 9
#: Numbers without names that a reader takes in, and names of sets.
_TAKEN_IN = 6
_SPACED = re.compile(r"(?<=\d)\s%")
_MINUS = re.compile(r"(?<![\w.)–−-])-(?=\d)")
#: Why nothing was decided, whatever the parts say.
_STOPPED = ("few cores", "few pairs", "busy")


# The rule


def in_words(kind, rule):
    """The rule as a reader of the ledger sees it, from the table that judges; empty without one."""
    if "function" in rule:
        numbers = "; ".join(
            f"{k.replace('_', ' ')} {number_text(v)}" for k, v in rule.get("numbers", {}).items()
        )
        return f"judged by the function {rule['function']}" + (f" with {numbers}" if numbers else "")
    if "parts" in rule:
        common = {key: value for key, value in rule.items() if key != "parts"}
        return "; ".join(f"{name}: {in_words(kind, common | own)}" for name, own in rule["parts"].items())
    return _IN_WORDS.get(kind, _position_words)(rule)


def required(kind, rule):
    """What a number must be for the statement to hold, such as ``"> 0"``; empty where no bound says."""
    elsewhere = {"function", "parts", "monotone"}
    if kind not in ("bound", "paired", "equivalent", "trend") or not elsewhere.isdisjoint(rule):
        return ""
    if "relative" in rule:
        return f"within {100 * rule['relative']:.4g}%"
    return (f"within ± {number_text(rule['within'])}" if "within" in rule else _signs(rule)) + _unit(rule)


def _rounding(rule):
    if "decimals" not in rule:
        return ""
    return f"{'cut' if rule.get('cut') else 'rounded'} to {rule['decimals']} decimals"


def _exact_words(rule):
    how = _rounding(rule)
    return f"equal to {number_text(rule['published'])}{f', {how}' if how else ''}"


def _published_words(rule):
    if "within" in rule:
        return f"our mean within ± {number_text(rule['within'])} of {_published(rule)}{_unit(rule)}"
    how = f", each {_rounding(rule)}" if "decimals" in rule else ""
    wide = (
        f"; undecided if that reaches farther than ± {number_text(rule['widest'])}"
        if "widest" in rule
        else ""
    )
    return f"{_published(rule)} inside the {_level(rule)} prediction interval of our runs{how}{wide}"


def _position_words(rule):
    back = number_text(rule.get("reversal", 0))
    if "monotone" in rule:
        farther = f" by more than {back}" if "reversal" in rule else ""
        return (
            f"{rule['monotone']}: no step goes the other way{farther} (level corrected for the number of "
            f"steps), and the {_level(rule)} interval of last − first excludes 0"
        )
    if "relative" in rule:
        where = (
            f"within {100 * rule['relative']:.4g}% of the second value or ± {number_text(rule['absolute'])}"
        )
    elif "within" in rule:
        where = f"within ± {number_text(rule['within'])}"
    else:
        where = _signs(rule)
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


def _share_of_sets_words(rule):
    where = f"contains {_published(rule)}" if "published" in rule else f"lies {_signs(rule)}"
    wide = (
        f"; undecided if it reaches farther than ± {number_text(rule['widest'])}" if "widest" in rule else ""
    )
    return (
        f"the {_level(rule)} Wilson interval of the share of sets {where}{wide}; undecided if no set was run "
        f"{rule['runs']} times"
    )


_IN_WORDS = {
    "exact": _exact_words,
    "tolerance": lambda rule: f"within ± {number_text(rule['within'])} of {_published(rule)}{_unit(rule)}",
    "published-run": _published_words,
    "property": lambda rule: "true in at least one case" if rule.get("some") else "true in every case",
    "counterexample": lambda rule: f"refuted by one case with a value {_signs(rule)}{_unit(rule)}",
    "bound": lambda rule: f"{_signs(rule)}{_unit(rule)}",
    "ahead-of-all": lambda rule: (
        f"{_signs(rule)}{_unit(rule)}: the whole {_level(rule)} interval of the mean difference to the best; "
        "a single run, or none, cannot refute, but leaves a case undecided unless its difference lies there"
    ),
    "any-of": lambda rule: (
        f"at least one difference {_signs(rule)}{_unit(rule)}: its whole interval, at {_level(rule)} "
        "corrected for how many there are"
    ),
    "holm": lambda rule: (
        f"{_signs(rule)}{_unit(rule)} against {rule['rival']}: the whole interval of the mean difference, "
        f"by Holm's procedure over all rivals at {_level(rule)}"
    ),
    "share-of-sets": _share_of_sets_words,
    "share": lambda rule: (
        f"reproduced if the {_level(rule)} Wilson interval of the share reaches "
        f"{number_text(rule['typical'])}, not reproduced if it lies below "
        f"{number_text(rule['rare'])}, partly in between"
    ),
    "share-above": lambda rule: (
        f"{rule['of']}: the whole {_level(rule)} Wilson interval of the share of draws above "
        f"{number_text(rule['exceeds'])} is {_signs(rule)}"
    ),
    "speed-up": lambda rule: (
        f"by T threads at least {number_text(rule['least_share'])} T times as fast: the whole {_level(rule)} "
        f"interval of the mean ratio; undecided below {rule['least_cores']} cores, below "
        f"{rule['least_pairs']} pairs of runs, or above {number_text(rule['largest_load'])} busy cores"
    ),
    "question": lambda rule: "answered with numbers",
    "not-testable": lambda rule: "",
}


def _signs(rule):
    return " and ".join(f"{sign} {number_text(rule[key])}" for key, sign in _SIGNS.items() if key in rule)


def _level(rule):
    return f"{100 * rule.get('level', 0.95):.6g}%"


def _published(rule):
    return number_text(rule["published"])


def _unit(rule):
    unit = rule.get("unit", "")
    return unit if unit == "%" else f" {unit}" if unit else ""


# The card: what was measured


def headline(claim, entry):
    """Our value as a card shows it, ``(lines, interval, form)``; see :class:`.Card`."""
    parts, rule = entry.get("parts", []), claim.judge
    if claim.kind == "question" and parts:
        return [_answer(rule["answer"], parts)], "", "value"
    if not parts:
        return [], "", ""
    if "set" in parts[0]:
        sets = {}
        for part in parts:
            sets.setdefault(part["set"], []).append(part)
        if len(sets) <= _FEW and len(parts) <= _FEW_NUMBERS:
            names = sorted(sets, key=natural)
            return [f"{words(name)}: {_joined(claim.kind, rule, sets[name])}" for name in names], "", "value"
        held, of = _held(parts)
        return [f"holds for {held or 'none'} of {of}"], "", "count"
    published = rule.get("published")
    bare = parts[0].get("outcome") and isinstance(published, list) and "labels" not in rule
    if bare and len(published) > _TAKEN_IN:
        return [f"All {len(published)} values agree"], "", "sentence"
    if parts[0].get("value") is None:
        return ["This run did not measure it"], "", "sentence"
    value, interval = part_texts(claim.kind, rule, parts[0])
    return [value], interval, "value"


def in_a_line(claim, entry):
    """Our value in one line, with its interval."""
    lines, interval, _ = headline(claim, entry)
    return "; ".join(lines) + (f" ({interval})" if interval else "")


def part_texts(kind, rule, part):
    """Texts of the value (with its unit) and the interval of a part, as :meth:`.Part.plain` gives it."""
    value, count, note = part.get("value"), part.get("count"), part.get("note", {})
    bounds, unit, interval = part.get("bounds", []), _unit(part), ""
    if value is None:
        return number_text(value), ""
    if "low" in part:
        said, low, high = interval_texts(value, part["low"], part["high"], bounds)
        said = f"{round(value * count):,} of {count:,}, {said}" if count else said
        interval = f"{low} … {high}"
    elif kind == "exact":
        said = _exact_text(rule, value)
    elif kind == "tolerance":
        said = number_text(value, bounds) + (f", the farthest of {count}" if count else "")
    elif count:
        said = f"{value:,} of {count:,}" + (" cases" if kind == "property" else "")
    else:
        said = number_text(value, bounds)
    if note.get("why") == "found":
        said += f" in {note['n']:,} of {note['of']:,} cases"
    return f"{said}{unit}", interval


def _exact_text(rule, value):
    """A value that is compared digit by digit, with all that were compared."""
    values = [_all_digits(one) for one in (value if isinstance(value, list) else [value])]
    if isinstance(value, list) and "labels" in rule:
        values = [f"{label} {one}" for label, one in zip(rule["labels"], values, strict=True)]
    return rule.get("shown", "{}").replace("{}", ", ".join(values))


def _all_digits(value):
    return number_text(value, [value]) if isinstance(value, float) else number_text(value)


def _joined(kind, rule, parts):
    """The numbers of a set: what they are, where there are several, and how much."""
    texts = []
    for part in parts:
        own = rule | rule.get("parts", {}).get(part["set"], {})
        value, interval = part_texts(kind, own, part)
        named = words(f"{part.get('name', '')} {value}".strip())
        texts.append(f"{named} ({interval})" if interval else named)
    return "; ".join(texts)


def _answer(text, parts):
    by_name = {part["name"]: part for part in parts}
    return percent(PLACE.sub(lambda place: _quantity(by_name[place.group(1)]), text))


def _quantity(part):
    """A quantity that nothing judges, with its interval in brackets."""
    value, interval = part_texts("", {}, part)
    return f"{value} ({interval})" if interval else value


def _held(parts):
    """How many sets hold, and of how many; parts that are only shown do not count."""
    judged = [part for part in parts if part.get("note", {}).get("why") != "beside"]
    answers = _answers(judged).values()
    return sum(answer is True for answer in answers), len(answers)


def _answers(parts):
    return findings.answers([findings.Part(part["outcome"], set=part["set"]) for part in parts])


# The card: what else belongs to the verdict


def reason(claim, entry):
    """What else belongs to a verdict, such as the sets that it does not hold for; or empty."""
    parts = entry.get("parts", [])
    said = [entry.get("reason", ""), what_it_depends_on(claim, entry)]
    for part in parts:
        own = claim.judge | claim.judge.get("parts", {}).get(part.get("set"), {})
        if text := _note_text(own, part.get("note", {})):
            said.append(f"{part['set']}: {text}" if "set" in part else text)
    stopped = entry.get("note", {}).get("why") in _STOPPED
    judged = [p for p in parts if "set" in p and p.get("note", {}).get("why") != "beside" and not stopped]
    for what, wanted in (("does not hold for", False), ("undecided for", None)):
        if names := [name for name, answer in _answers(judged).items() if answer is wanted]:
            said.append(f"{what} {_listed(names)}")
    said.append(how_many_more(claim, entry))
    said += [f"{part['name']} {_quantity(part)}" for part in entry.get("beside", [])]
    said.append(getattr(claim, "note", ""))
    return "; ".join(filter(None, [_note_text(claim.judge, entry.get("note", {})), *map(words, said)]))


def _listed(names):
    """Which sets, by name if they are few; a name with a comma in parentheses."""
    if len(names) > _TAKEN_IN:
        return f"{len(names)} of them"
    return ", ".join(f"({name})" if "," in str(name) else str(name) for name in names)


def _note_text(rule, note):
    return _NOTES[note["why"]](rule, note) if note else ""


def _turned(rule, note):
    """Where a curve that goes the right way from first to last turns back, and what the rule says to it."""
    moves, wanted = {"rising": ("falls", "a rise"), "falling": ("rises", "a fall")}[rule["monotone"]]
    by, low, high = interval_texts(note["by"], note["low"], note["high"], [rule.get("reversal", 0.0)])
    first, last = note["steps"]
    said = f"right from first to last, but from {first} to {last} it {moves} by {by} ({low} … {high})"
    if note["low"] <= rule.get("reversal", 0):
        return f"{said}, which the rule’s margin of {number_text(rule['reversal'])} allows"
    more = f", and against the rule at {note['n'] - 1} more of the steps" if note["n"] > 1 else ""
    return f"{said}{more}; the rule asks for {wanted} at every step"


def _holm(rule, note):
    said = f"number {note['rank']} of {note['of']} by |t|: {100 * note['level']:.4g}% interval"
    return said if note["tested"] else f"{said}, not tested because Holm’s procedure stopped before it"


def _varies(rule, note):
    wide = f"the interval reaches farther than ± {number_text(note['widest'])}; " if "widest" in note else ""
    return (
        f"{wide}from one run to another the share varies by {note['deviation']:.2g} (one standard deviation)"
    )


def _machine(rule, note):
    return f"{note['cores']} cores, {number_text(note['load'])} of them busy before the runs"


_NOTES = {
    "no real data": lambda rule, note: "real data absent",
    "other parameters": lambda rule, note: (
        f"no verdict: {', '.join(note['names'])} differs from the profile {note['profile']}"
    ),
    "too wide": lambda rule, note: f"the interval reaches farther than ± {number_text(note['widest'])}",
    "turned": _turned,
    "found": lambda rule, note: "",
    "beside": lambda rule, note: "",
    "objected": lambda rule, note: "a method with a single run is not behind, or was not run",
    "holm": _holm,
    "not run again": lambda rule, note: f"no set was run {note['runs']} times",
    "varies": _varies,
    "few cores": lambda rule, note: (
        f"the rule asks for {rule['least_cores']} cores or more, and this machine has {note['cores']}"
    ),
    "few pairs": lambda rule, note: (
        f"the rule asks for {rule['least_pairs']} pairs of runs, and there are {note['pairs']}"
    ),
    "busy": lambda rule, note: f"not on an idle machine: {_machine(rule, note)}",
    "machine": _machine,
    "said": lambda rule, note: note["text"],
}


# The card: what the rule asks for, and how that decides


def asked(kind, rule):
    """What the rule of a claim asks for, to follow "The rule asks for"; empty where its words say it best."""
    if "function" in rule or "parts" in rule:
        return ""
    return percent(_ASKED.get(kind, _asked_position)(rule))


def _asked_position(rule):
    if "monotone" in rule:
        moves = {"rising": "a rise", "falling": "a fall"}[rule["monotone"]]
        return f"{moves} from first to last, and no clear step the other way"
    if "relative" in rule:
        return f"a difference of at most {100 * rule['relative']:.4g}%"
    if "within" in rule:
        return f"a value within ± {number_text(rule['within'])}{_unit(rule)}"
    return " and ".join(
        f"{said} {number_text(rule[key])}{_unit(rule)}" for key, said in _BOUNDS.items() if key in rule
    )


def _asked_published(rule):
    if "within" in rule:
        return f"a mean within ± {number_text(rule['within'])} of the printed {_published(rule)}"
    return f"the printed {_published(rule)} to lie in the range of our own runs"


def _asked_exact(rule):
    how = _rounding(rule)
    said = number_text(rule["published"])
    return f"exactly {said if len(said) <= 40 else 'what is printed'}{f', {how}' if how else ''}"


_ASKED = {
    "exact": _asked_exact,
    "tolerance": lambda rule: f"a value within ± {number_text(rule['within'])} of {_published(rule)}",
    "published-run": _asked_published,
    "property": lambda rule: f"{'one case' if rule.get('some') else 'every case'} to be so",
    "counterexample": lambda rule: f"no value of {_asked_position(rule)}",
    "share-of-sets": lambda rule: (
        f"the printed {_published(rule)} to lie in the interval"
        if "published" in rule
        else _asked_position(rule)
    ),
    **dict.fromkeys(
        ("any-of", "ahead-of-all", "share", "share-above", "speed-up", "question", "not-testable"),
        lambda rule: "",
    ),
}


def because(claim, entry):
    """How our value decides the rule, to follow what it asks for; empty where nothing was decided."""
    verdict, parts, rule, kind = entry["verdict"], entry.get("parts", []), claim.judge, claim.kind
    verdict = entry.get("at_main", verdict)  # the numbers beside it are those at the main choice
    decided = (*_MET, findings.PARTLY, findings.NOT_REPRODUCED, findings.INCONCLUSIVE)
    if verdict not in decided or not parts or ("function" in rule and "set" not in parts[0]):
        return ""  # a rule of a study's own says more in words
    met = verdict in _MET
    if "set" in parts[0] and kind != "speed-up":
        return _over_sets(verdict, *_held(parts), what="parts" if "parts" in rule else "sets")
    if kind == "counterexample":
        return "there is none" if met else "there is one"
    if (kind == "published-run" and "within" not in rule) or (
        kind == "share-of-sets" and "published" in rule
    ):
        said = {findings.INCONCLUSIVE: "the interval is too wide to decide"}
        return said.get(verdict, "it does" if met else "it does not")
    if kind == "share":
        return {True: "that is typical", None: "that is neither typical nor rare", False: "that is rare"}[
            parts[0]["outcome"]
        ]
    if "low" in parts[0] and "monotone" not in rule and kind != "speed-up":
        return _where(rule, verdict)
    said = {findings.INCONCLUSIVE: "our runs do not decide", findings.PARTLY: "it is so in part"}
    return said.get(verdict, "it is so" if met else "it is not")


def _over_sets(verdict, held, of, what):
    if of == 1:
        undecided = verdict == findings.INCONCLUSIVE
        return "it is so" if verdict in _MET else "our runs do not decide" if undecided else "it is not"
    if verdict in _MET:
        return f"it holds for {'both' if of == 2 else f'all {of}'} {what}"
    if verdict == findings.PARTLY:
        return f"it holds for {held} of {of} {what}"
    if verdict == findings.INCONCLUSIVE:
        return "too many of them are undecided"
    if not held:
        return f"it holds for {'neither' if of == 2 else 'none'} of the {of} {what}"
    return f"it holds for only {held} of {of} {what}"


def _where(rule, verdict):
    if verdict in _MET:
        return "our whole interval lies there"
    if verdict == findings.NOT_REPRODUCED:
        return "our whole interval lies elsewhere"
    one_bound = sum(key in rule for key in _BOUNDS) == 1 and "within" not in rule
    if verdict == findings.INCONCLUSIVE and one_bound:
        return "our interval reaches to both sides of that"
    return "our interval lies only partly there" if verdict == findings.INCONCLUSIVE else "it is so in part"


def interval_name(kind, rule, part):
    """What the interval beside our value is, such as ``"95% interval"``."""
    if "function" in rule or "parts" in rule or rule.get("correction"):
        return "interval"
    level = part.get("note", {}).get("level") or rule.get("level", 0.95)
    prediction = kind == "published-run" or rule.get("interval") == "prediction"
    return f"{100 * level:.4g}% {'prediction ' if prediction else ''}interval"


# Words


def words(name):
    """A name out of the code as a reader says it: ``n_trees`` is the number of trees.

    Names within a sentence are put in words, too; everything else stays.
    """
    said = re.sub(r"\b[A-Za-z]\w*\b", lambda found: _word(found.group()), name)
    return percent(said.replace("bias2", "bias²"))


def percent(text):
    """A text with its percent signs right behind the numbers, as in 95%, and minus signs before them."""
    return _MINUS.sub("−", _SPACED.sub("%", text))


def natural(text):
    """A key that sorts numbers in a text as numbers: N = 2 before N = 10."""
    parts = re.split(r"(\d{1,99})", text.replace(",", ""))  # Python reads no number of thousands of digits
    return [(not part.isdecimal(), int(part) if part.isdecimal() else part) for part in parts]


def _word(name):
    if not re.fullmatch(r"[A-Za-z][a-z0-9]*(_[a-z0-9]+)+", name):
        return name
    said = name.replace("_", " ")
    return re.sub(r"^n (?=.*s$)", "number of ", said)  # of trees, but not of train
