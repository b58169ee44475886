"""What a rule needs and its source does not give: whose each number is, and what else could be chosen.

A ``[[claim.choices]]`` table lists the defensible values of one such number or reading.  The claim is judged
with every combination of them, and has a verdict that all give, or "depends on a choice".
"""

from studylib.study.ledger.rule_table import check_rule
from studylib.study.ledger.schema import shown
from studylib.study.rules import MEASURED, combinations, with_choices

#: What a table of choices holds.
CHOICE = {
    "id": str,
    "sets": object,
    "values": list,
    "main": object,
    "why": str,
    "sources": [str],
    "fixed": str,
    "known": bool,
}
#: How an entry of ``ours`` begins that is about the measurement and not about a key of the rule.
_IN_THE_MEASUREMENT = f"{MEASURED}: "


def check_ours(ours, rule):
    """Raise ValueError if a list of what is ours names what the rule has not."""
    keys = {*rule, *(key for part in rule.get("parts", {}).values() for key in part)}
    for name in ours or []:
        if name not in keys and not name.startswith(_IN_THE_MEASUREMENT):
            raise ValueError(
                f"key 'ours' names {shown(name)}, which the rule has not; what is chosen in the measurement "
                f"begins with {_IN_THE_MEASUREMENT!r}."
            )


def check_choices(claim):
    """Raise ValueError if choices of a claim, a table of ``claims.toml``, cannot be made or judged with."""
    choices, rule = claim.get("choices", []), claim.get("judge", {})
    ids = [choice["id"] for choice in choices]
    if len(set(ids)) < len(ids):
        raise ValueError(f"two choices have the id {shown(max(ids, key=ids.count))}.")
    if choices and (claim["nature"] != "finding" or "function" in rule):
        raise ValueError("only a finding that a standard kind of rule judges has choices.")
    if [choice["sets"] for choice in choices].count(MEASURED) > 1:
        raise ValueError("only one choice may be made in the measurement; list its combinations as values.")
    for choice in choices:
        values, at = choice["values"], f"choice {shown(choice['id'])}:"
        if len(values) < 2 or any(value in values[:k] for k, value in enumerate(values)):
            raise ValueError(f"{at} key 'values' must be two different ones or more, got {shown(values)}.")
        if choice["main"] not in values:
            raise ValueError(f"{at} key 'main' must be one of its values, got {shown(choice['main'])}.")
    main = {choice["id"]: choice["main"] for choice in choices}
    try:
        if with_choices(rule, choices, main) != rule:
            raise ValueError("the rule must have the main values of its choices.")
        for at in combinations(choices):
            check_rule(claim["kind"], with_choices(rule, choices, at))
    except (AttributeError, KeyError, TypeError) as error:
        raise ValueError(
            "key 'sets' of a choice must be 'measured', a key of the rule such as 'within' or "
            f"'parts.error.within', or a list of such keys, with as many in each value ({error})."
        ) from error


def choice_in_the_measurement(claim):
    """The choice of a claim that sets ``"measured"``, a dict; ValueError if there is none."""
    for choice in claim.choices:
        if choice["sets"] == MEASURED:
            return choice
    raise ValueError("by_choice is for claims with a choice that sets 'measured', and this has none.")


def main_of_the_measurement(claim, measured):
    """The main value of the choice in the measurement, as a text; ValueError if it was not measured."""
    choice = choice_in_the_measurement(claim)
    values, main = list(map(str, choice["values"])), str(choice["main"])
    unknown = [value for value in measured if value not in values]
    if unknown or main not in measured:
        raise ValueError(
            f"by_choice must have measurements for {', '.join(values)}, for {main} at least, got "
            f"{', '.join(measured) or 'none'}."
        )
    return main
