"""What rules and findings say, in words: the one place where text is made of them.

Two voices: the rule as the ledger's reader sees it (``in_words``), and the card, which says what was
measured, what the rule asks for, and how the one decides the other.
"""

import re

from studylib.study import findings
from studylib.study.cards.choices import how_many_more, what_it_depends_on
from studylib.study.cards.numbers import interval_texts, natural, number_text, percent, words
from studylib.study.rules import PLACE

#: The bounds of a rule: by their keys, what the ledger and what a card says before the number.
_BOUNDS = {
    "above": (">", "more than"), "least": ("≥", "at least"),
    "below": ("<", "less than"), "most": ("≤", "at most"),
}  # fmt: skip
_MET = (findings.REPRODUCED, findings.CHECKED)
#: Most sets that are shown one by one, and numbers in them; of more, only how many hold.
_FEW, _FEW_NUMBERS = 3, 9
#: Numbers without names that a reader takes in, and names of sets.
_TAKEN_IN = 6
#: Why nothing was decided, whatever the parts say.
_STOPPED = ("few cores", "few pairs", "busy")


# The rule

_OF_RUNS = (
    "; of runs, the whole {level} {interval}[, corrected for the number of {correction}]"
    "[; refuted only from {reversal} beyond the bound on]"
)
#: A rule by its kind, or by its kind and a key that gives it another form; `_texts` fills the braces.  What
#: stands in brackets is said only of rules that have its number.
_IN_WORDS = {
    "exact": "equal to {published}[, {rounded}]",
    "tolerance": "within ± {within} of {published}{unit}",
    "published-run within": "our mean within ± {within} of {published}{unit}",
    "published-run": "{published} inside the {level} prediction interval of our runs[, each {rounded}]"
    "[; undecided if that reaches farther than ± {widest}]",
    "property some": "true in at least one case",
    "property": "true in every case",
    "counterexample": "refuted by one case with a value {signs}",
    "bound": "{signs}",
    "position monotone": "{monotone}: no step goes the other way[ by more than {reversal}] (level corrected "
    "for the number of steps), and the {level} interval of last − first excludes 0",
    "position relative": "within {relative} of the second value or ± {absolute}{unit}" + _OF_RUNS,
    "position within": "within ± {within}{unit}" + _OF_RUNS,
    "position": "{signs}" + _OF_RUNS,
    "ahead-of-all": "{signs}: the whole {level} interval of the mean difference to the best; a single run, "
    "or none, cannot refute, but leaves a case undecided unless its difference lies there",
    "any-of": "at least one difference {signs}: its whole interval, at {level} corrected for how many there "
    "are",
    "holm": "{signs} against {rival}: the whole interval of the mean difference, by Holm's procedure over "
    "all rivals at {level}",
    "share-of-sets published": "the {level} Wilson interval of the share of sets contains {published}; "
    "undecided if it reaches farther than ± {widest}; undecided if no set was run {runs} times",
    "share-of-sets": "the {level} Wilson interval of the share of sets lies {signs}; undecided if no set was "
    "run {runs} times",
    "share": "reproduced if the {level} Wilson interval of the share reaches {typical}, not reproduced if it "
    "lies below {rare}, partly in between",
    "share-above": "{of}: the whole {level} Wilson interval of the share of draws above {exceeds} is {signs}",
    "speed-up": "by T threads at least {least_share} T times as fast: the whole {level} interval of the mean "
    "ratio; undecided below {least_cores} cores, below {least_pairs} pairs of runs, or above {largest_load} "
    "busy cores",
    "question": "answered with numbers",
}
#: Likewise what a rule asks for; a kind is missing where its words say it best.
_ASKED = {
    "exact": "exactly {printed}[, {rounded}]",
    "tolerance": "a value within ± {within} of {published}",
    "published-run within": "a mean within ± {within} of the printed {published}",
    "published-run": "the printed {published} to lie in the range of our own runs",
    "property some": "one case to be so",
    "property": "every case to be so",
    "counterexample": "no case with {bounds}",
    "bound": "{bounds}",
    "position monotone": "{move} from first to last, and no clear step the other way",
    "position relative": "a difference of at most {relative}[ or {absolute}{unit}, whichever is more]",
    "position within": "a value within ± {within}{unit}",
    "position": "{bounds}",
    "holm": "{bounds}",
    "share-of-sets published": "the printed {published} to lie in the interval",
    "share-of-sets": "{bounds}",
    "share-above": "{bounds} of the draws to be above {exceeds}, at {of}",
}
#: Likewise what a number must be; a kind is missing where no bound says.
_REQUIRED = {
    "bound": "{signs}",
    "position monotone": "",
    "position relative": "within {relative}[ or {absolute}{unit}]",
    "position within": "within ± {within}{unit}",
    "position": "{signs}",
}
#: Keys that give a kind another form.
_FORMS = ("monotone", "relative", "within", "published", "some")
_INTERVALS = {
    "mean": "interval (Student's t) of the mean",
    "resampled": "interval of the mean over resampled splits (Nadeau and Bengio, test share {test_share})",
    "prediction": "prediction interval",
    "wilson": "Wilson interval of the share",
}


def in_words(kind, rule):
    """The rule as a reader of the ledger sees it, from the table that judges; empty without one."""
    if "function" in rule:
        given = rule.get("numbers", {})
        numbers = "; ".join(f"{k.replace('_', ' ')} {number_text(v)}" for k, v in given.items())
        return f"judged by the function {rule['function']}" + (f" with {numbers}" if numbers else "")
    if "parts" in rule:
        common = {key: value for key, value in rule.items() if key != "parts"}
        return "; ".join(f"{name}: {in_words(kind, common | part)}" for name, part in rule["parts"].items())
    return _phrase(_IN_WORDS, kind, rule)


def required(kind, rule):
    """What a number must be for the statement to hold, such as ``"> 0"``; empty where no bound says."""
    return "" if "function" in rule or "parts" in rule else _phrase(_REQUIRED, kind, rule)


def asked(kind, rule):
    """What the rule of a claim asks for, to follow "The rule asks for"; empty where its words say it best."""
    return "" if "function" in rule or "parts" in rule else percent(_phrase(_ASKED, kind, rule))


def _phrase(phrases, kind, rule):
    """The phrase of a rule's form, else of its kind, filled; empty where there is none."""
    kind = "position" if kind in ("paired", "equivalent", "trend") else kind
    forms = [f"{kind} {key}" for key in _FORMS if rule.get(key, False) is not False]
    phrase = next((phrases[name] for name in (*forms, kind) if name in phrases), "")
    texts = _texts(rule)
    parts = re.split(r"\[(.*?)\]", phrase)  # every second one stands in brackets
    chosen = [part for k, part in enumerate(parts) if k % 2 == 0 or re.search(r"{(\w+)}", part)[1] in texts]
    return "".join(chosen).format(**texts)


def _texts(rule):
    """The numbers of a rule as they are printed, and what follows from them."""
    texts = {key: number_text(value) for key, value in rule.items()}
    texts["level"] = f"{100 * rule.get('level', 0.95):.6g}%"
    texts["unit"] = unit = _unit(rule)
    bounds = [(*says, texts[key]) for key, says in _BOUNDS.items() if key in rule]
    texts["signs"] = " and ".join(f"{sign} {number}" for sign, _, number in bounds) + unit
    texts["bounds"] = " and ".join(f"{word} {number}{unit}" for _, word, number in bounds)
    texts["interval"] = _INTERVALS[rule.get("interval", "mean")].format(**texts)
    if "published" in rule:
        texts["printed"] = texts["published"] if len(texts["published"]) <= 40 else "what is printed"
    if "decimals" in rule:
        texts["rounded"] = f"{'cut' if rule.get('cut') else 'rounded'} to {rule['decimals']} decimals"
    if "relative" in rule:
        texts["relative"] = f"{100 * rule['relative']:.4g}%"
    if "monotone" in rule:
        texts["move"] = {"rising": "a rise", "falling": "a fall"}[rule["monotone"]]
    return texts


def _unit(rule):
    unit = rule.get("unit", "")
    return unit if unit == "%" else f" {unit}" if unit else ""


# The card: what was measured


def headline(claim, entry):
    """Our value as a card shows it, ``(lines, interval, form)``; see :class:`.Card`."""
    parts, rule = entry.get("parts", []), claim.judge
    if not parts:
        return [], "", ""
    if claim.kind == "question":
        quantities = {part["name"]: _quantity(part) for part in parts}
        answer = PLACE.sub(lambda place: quantities[place.group(1)], rule["answer"])
        return [percent(answer)], "", "value"
    if "set" in parts[0]:
        names = dict.fromkeys(part["set"] for part in parts)
        if len(names) <= _FEW and len(parts) <= _FEW_NUMBERS:
            return [_of_set(claim, name, parts) for name in sorted(names, key=natural)], "", "value"
        answers = list(_answers(parts).values())
        return [f"holds for {answers.count(True) or 'none'} of {len(answers)}"], "", "count"
    published = rule.get("published")
    bare = parts[0].get("outcome") and isinstance(published, list) and "labels" not in rule
    if bare and len(published) > _TAKEN_IN:
        return [f"All {len(published)} values agree"], "", "sentence"
    if parts[0].get("value") is None:
        return ["This run did not measure it"], "", "sentence"
    value, interval = _value_and_interval(claim.kind, rule, parts[0])
    return [value], interval, "cases" if claim.kind == "property" and parts[0].get("count") else "value"


def one_by_one(claim, entry):
    """Of more sets than a card shows, the numbers of each and what the rule says to it; else empty."""
    parts, said = entry.get("parts", []), {True: "holds", False: "does not hold", None: "undecided"}
    answers = _answers(parts) if headline(claim, entry)[2] == "count" else {}
    return [f"{_of_set(claim, name, parts)}, {said[answers[name]]}" for name in sorted(answers, key=natural)]


def in_a_line(claim, entry):
    """Our value in one line, with its interval."""
    lines, interval, _ = headline(claim, entry)
    return "; ".join(lines) + (f" ({interval})" if interval else "")


def _of_set(claim, name, parts):
    """The numbers of a set: what they are, where there are several, and how much."""
    numbers = [
        words(f"{part.get('name', '')} {_quantity(part, claim.kind, _rule_of(claim.judge, part))}".strip())
        for part in parts
        if part["set"] == name
    ]
    return f"{words(name)}: {'; '.join(numbers)}"


def _value_and_interval(kind, rule, part):
    """Texts of the value (with its unit) and the interval of a part, as :meth:`.Part.plain` gives it."""
    value, count, note = part.get("value"), part.get("count"), part.get("note", {})
    bounds, interval = part.get("bounds", []), ""
    if value is None:
        return number_text(value), ""
    if "low" in part:
        text, low, high = interval_texts(value, part["low"], part["high"], bounds)
        text = f"{round(value * count):,} of {count:,}, {text}" if count else text
        interval = f"{low} … {high}"
    elif kind == "exact":
        text = _exact_text(rule, value)
    elif kind == "tolerance":
        text = number_text(value, bounds) + (f", the farthest of {count}" if count else "")
    elif count:
        text = f"{number_text(value)} of {number_text(count)}" + (" cases" if kind == "property" else "")
    else:
        text = number_text(value, bounds)
    if note.get("why") == "found":
        text += f" in {note['n']:,} of {note['of']:,} cases"
    return text + _unit(part), interval


def _exact_text(rule, value):
    """A value that is compared digit by digit, with all that were compared."""
    several = isinstance(value, list)
    texts = [number_text(v, [v] if isinstance(v, float) else ()) for v in (value if several else [value])]
    if several and "labels" in rule:
        texts = [f"{label} {text}" for label, text in zip(rule["labels"], texts, strict=True)]
    return rule.get("shown", "{}").replace("{}", ", ".join(texts))


def _quantity(part, kind="", rule=None):
    """The value of a part with its interval in brackets; without a kind, nothing judges it."""
    value, interval = _value_and_interval(kind, rule or {}, part)
    return f"{value} ({interval})" if interval else value


def _rule_of(rule, part):
    """The rule with what it says of the part's set alone."""
    return rule | rule.get("parts", {}).get(part.get("set"), {})


def _answers(parts):
    """By set, whether it holds; parts that are only shown do not count."""
    judged = [part for part in parts if "set" in part and part.get("note", {}).get("why") != "beside"]
    return findings.answers([findings.Part(part["outcome"], set=part["set"]) for part in judged])


# The card: what else belongs to the verdict


def reason(claim, entry):
    """What else belongs to a verdict, such as the sets that it does not hold for; or empty."""
    parts, note = entry.get("parts", []), entry.get("note", {})
    remarks = [entry.get("reason", ""), what_it_depends_on(claim, entry)]
    for part in parts:
        if text := _note_text(_rule_of(claim.judge, part), part.get("note", {})):
            remarks.append(f"{part['set']}: {text}" if "set" in part else text)
    answers = {} if note.get("why") in _STOPPED else _answers(parts)
    for what, wanted in (("does not hold for", False), ("undecided for", None)):
        if names := [name for name, answer in answers.items() if answer is wanted]:
            remarks.append(f"{what} {_listed(names)}")
    remarks.append(how_many_more(claim, entry))
    remarks += [f"{part['name'].rstrip(':')}: {_quantity(part)}" for part in entry.get("beside", [])]
    remarks.append(getattr(claim, "note", ""))
    return "; ".join(filter(None, [_note_text(claim.judge, note), *map(words, remarks)]))


def _listed(names):
    """Which sets, by name if they are few; a name with a comma in parentheses."""
    if len(names) > _TAKEN_IN:
        return f"{len(names)} of them"
    return ", ".join(f"({name})" if "," in str(name) else str(name) for name in names)


def _note_text(rule, note):
    if not note:
        return ""
    phrase = _NOTES[note["why"]]
    if callable(phrase):
        return phrase(rule, note)
    return phrase.format(**{key: number_text(value) for key, value in (rule | note).items()})


def _turned(rule, note):
    """Where a curve that goes the right way from first to last turns back, and what the rule says to it."""
    moves, wanted = {"rising": ("falls", "a rise"), "falling": ("rises", "a fall")}[rule["monotone"]]
    by, low, high = interval_texts(note["by"], note["low"], note["high"], [rule.get("reversal", 0.0)])
    first, last = note["steps"]
    way = f"right from first to last, but from {first} to {last} it {moves} by {by} ({low} … {high})"
    if note["low"] <= rule.get("reversal", 0):
        return f"{way}, which the rule’s margin of {number_text(rule['reversal'])} allows"
    more = f", and against the rule at {note['n'] - 1} more of the steps" if note["n"] > 1 else ""
    return f"{way}{more}; the rule asks for {wanted} at every step"


def _holm(rule, note):
    place = f"number {note['rank']} of {note['of']} differences, the clearest first"
    if not note["tested"]:
        return f"{place}: not tested, because Holm’s procedure stopped before it"
    return f"{place}, so Holm’s procedure takes a {100 * note['level']:.4g}% interval"


def _varies(rule, note):
    wide = f"the interval reaches farther than ± {number_text(note['widest'])}; " if "widest" in note else ""
    return (
        f"{wide}from one run to another the share varies by {note['deviation']:.2g} (one standard deviation)"
    )


#: Notes by why they are made, in words: a phrase for the numbers of rule and note, or what makes one.
_NOTES = {
    "no real data": "real data absent",
    "other parameters": "no verdict: {names} differs from the profile {profile}",
    "too wide": "the interval reaches farther than ± {widest}",
    "turned": _turned,
    "found": "",
    "beside": "",
    "objected": "a method with a single run is not behind, or was not run",
    "holm": _holm,
    "not run again": "no set was run {runs} times",
    "varies": _varies,
    "few cores": "the rule asks for {least_cores} cores or more, and this machine has {cores}",
    "few pairs": "the rule asks for {least_pairs} pairs of runs, and there are {pairs}",
    "busy": "not on an idle machine: {cores} cores, {load} of them busy before the runs",
    "machine": "{cores} cores, {load} of them busy before the runs",
    "said": "{text}",
}


# The card: how a value decides

#: Which phrase of a row below a verdict has.
_PLACES = {
    findings.REPRODUCED: 0, findings.CHECKED: 0, findings.NOT_REPRODUCED: 1, findings.INCONCLUSIVE: 2,
    findings.PARTLY: 3,
}  # fmt: skip
_DECIDES = {
    "counterexample": ("there is none", "there is one"),
    "share": ("that is typical", "that is rare", "", "that is neither typical nor rare"),
    "published": ("it does", "it does not", "the interval is too wide to decide"),
    "interval": (
        "our whole interval lies there",
        "our whole interval lies elsewhere",
        "our interval lies only partly there",
        "it is so in part",
    ),
    "": ("it is so", "it is not", "our runs do not decide", "it is so in part"),
}


def because(claim, entry):
    """How our value decides the rule, to follow what it asks for; empty where nothing was decided."""
    verdict = entry.get("at_main", entry["verdict"])  # the numbers next to it are those at the main choice
    text = _decides(claim, entry.get("parts", []), verdict)
    return f"at our main choice {text}" if text and verdict != entry["verdict"] else text


def _decides(claim, parts, verdict):
    rule, kind = claim.judge, claim.kind
    if verdict not in _PLACES or not parts or ("function" in rule and "set" not in parts[0]):
        return ""  # a rule of a study's own says more in words
    form = ""
    if "set" in parts[0] and kind != "speed-up":
        answers = list(_answers(parts).values())
        if len(answers) > 1:
            what = "parts" if kind == "property" else "cases"  # whose cases are counted
            return _over_cases(verdict, answers.count(True), len(answers), what)
    elif kind in ("counterexample", "share"):
        form = kind
    elif kind in ("published-run", "share-of-sets") and "published" in rule and "within" not in rule:
        form = "published"
    elif "low" in parts[0] and "monotone" not in rule and kind != "speed-up":
        form = "interval"
        one_bound = sum(key in rule for key in _BOUNDS) == 1 and "within" not in rule
        if verdict == findings.INCONCLUSIVE and one_bound:
            return "our interval reaches to both sides of that"
    return _DECIDES[form][_PLACES[verdict]]


def _over_cases(verdict, held, of, what):
    if verdict in _MET:
        return f"it holds in {'both' if of == 2 else f'all {of}'} {what}"
    if verdict == findings.PARTLY:
        return f"it holds in {held} of {of} {what}"
    if verdict == findings.INCONCLUSIVE:
        return f"too many of the {of} {what} are undecided"
    if not held:
        return f"it holds in {'neither of the two' if of == 2 else f'none of the {of}'} {what}"
    return f"it holds in only {held} of {of} {what}"


def interval_name(kind, rule, part):
    """What the interval after our value is, such as ``"95% interval"``."""
    if "function" in rule or "parts" in rule or rule.get("correction"):
        return "interval"
    level = part.get("note", {}).get("level") or rule.get("level", 0.95)
    prediction = kind == "published-run" or rule.get("interval") == "prediction"
    return f"{100 * level:.4g}% {'prediction ' if prediction else ''}interval"
