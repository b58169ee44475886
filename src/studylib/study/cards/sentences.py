"""Verdicts in sentences: what a rule asks for, and how our value decides it."""

import re

from studylib.study import rules

_BOUNDS = {"above": "more than", "least": "at least", "below": "less than", "most": "at most"}
_MET = (rules.REPRODUCED, rules.CHECKED)
_SETS = re.compile(r"(\d+) of (\d+)")
_SPACED = re.compile(r"(?<=\d)\s%")


def asked(kind, rule):
    """What the rule of a claim asks for, to follow "The rule asks for"; empty where its words say it best.

    Parameters
    ----------
    kind : str
    rule : dict
        The claim's ``[claim.judge]`` table.
    """
    if "function" in rule or "parts" in rule:
        return ""
    return percent(_ASKED.get(kind, _position)(rule))


def because(kind, rule, verdict, ours, interval):
    """How our value decides the rule, to follow what it asks for; empty where nothing was decided.

    Parameters
    ----------
    kind, verdict : str
    rule : dict
    ours, interval : str
        As the judge gave them.
    """
    if verdict not in (*_MET, rules.PARTLY, rules.NOT_REPRODUCED, rules.INCONCLUSIVE):
        return ""
    if kind not in ("property", "counterexample") and (sets := _SETS.fullmatch(ours)):
        return _over_sets(verdict, *sets.groups(), what="parts" if "parts" in rule else "sets")
    if "function" in rule:
        return ""  # the rule in words says more
    if ": " in ours and not interval:
        return _over_sets(verdict)
    if kind == "counterexample":
        return "there is none" if verdict in _MET else "there is one"
    if kind == "published-run" and "within" not in rule:
        said = {rules.INCONCLUSIVE: "the interval is too wide to decide"}
        return said.get(verdict, "it does" if verdict in _MET else "it does not")
    if interval and "monotone" not in rule:
        return _where(rule, verdict)
    said = {rules.INCONCLUSIVE: "our runs do not decide", rules.PARTLY: "it is so in part"}
    return said.get(verdict, "it is so" if verdict in _MET else "it is not")


def words(name):
    """A name out of the code as a reader says it: ``n_trees`` is the number of trees.

    Parameters
    ----------
    name : str
        A name, or a sentence with names in it; what is no such name stays.
    """
    said = re.sub(r"\b[A-Za-z]\w*\b", lambda found: _word(found.group()), name)
    return percent(said.replace("bias2", "bias²"))


def percent(text):
    """A text with its percent signs right behind the numbers, as in 95%."""
    return _SPACED.sub("%", text)


def _word(name):
    if not re.fullmatch(r"[A-Za-z][a-z0-9]*(_[a-z0-9]+)+", name):
        return name
    said = name.replace("_", " ")
    return re.sub(r"^n (?=.*s$)", "number of ", said)  # of trees, but not of train


def _over_sets(verdict, held="", of="", what="sets"):
    sets = f"all {of} {what}" if of else "all of them"
    if verdict in _MET:
        return f"it holds for {sets}"
    if verdict == rules.PARTLY:
        return f"it holds for {held} of {of} {what}" if of else "it holds for at least half of them"
    if verdict == rules.INCONCLUSIVE:
        return "too many of them are undecided"
    if of:
        return f"it holds for {'none' if held == '0' else f'only {held}'} of {of} {what}"
    return "it fails on at least half of them"


def _where(rule, verdict):
    if verdict in _MET:
        return "our whole interval lies there"
    if verdict == rules.NOT_REPRODUCED:
        return "our whole interval lies elsewhere"
    one_bound = sum(key in rule for key in _BOUNDS) == 1 and "within" not in rule
    if verdict == rules.INCONCLUSIVE and one_bound:
        return "our interval reaches to both sides of that"
    return "our interval lies only partly there" if verdict == rules.INCONCLUSIVE else "it is so in part"


def _position(rule):
    unit = f" {rule['unit']}" if rule.get("unit") else ""
    if "monotone" in rule:
        moves = {"rising": "a rise", "falling": "a fall"}[rule["monotone"]]
        return f"{moves} from first to last, and no clear step the other way"
    if "relative" in rule:
        return f"a difference of at most {100 * rule['relative']:.4g}%"
    if "within" in rule:
        return f"a value within ± {_value(rule['within'])}{unit}"
    return " and ".join(f"{said} {_value(rule[key])}{unit}" for key, said in _BOUNDS.items() if key in rule)


def _published(rule):
    if "within" in rule:
        return f"a mean within ± {_value(rule['within'])} of the printed {_value(rule['published'])}"
    return f"the printed {_value(rule['published'])} to lie in the range of our own runs"


def _exact(rule):
    how = ""
    if "decimals" in rule:
        how = f", {'cut' if rule.get('cut') else 'rounded'} to {rule['decimals']} decimals"
    said = _value(rule["published"])
    return f"exactly {said}{how}" if len(said) <= 40 else f"exactly what is printed{how}"


def _value(value):
    return rules.value_text(value).replace("-", "−") if not isinstance(value, str) else value


_ASKED = {
    "exact": _exact,
    "tolerance": lambda rule: f"a value within ± {_value(rule['within'])} of {_value(rule['published'])}",
    "published-run": _published,
    "property": lambda rule: f"{'one case' if rule.get('some') else 'every case'} to be so",
    "counterexample": lambda rule: f"no value of {_position(rule)}",
    "question": lambda rule: "",
    "not-testable": lambda rule: "",
}
