"""What a verdict depends on, in words: choices that could be made, and how many more runs would decide."""

from studylib.study import findings
from studylib.study.cards.numbers import number_text

#: Of more, it is not said how many times as many runs would decide what is open.
_MOST_TIMES = 100


def choices(claim, entry):
    """What was chosen together, with the verdict at it, and whether it is the main choice: (str, str, bool).

    Only what the verdict depends on is listed; if it depends on nothing, every combination.
    """
    by_text = {}
    names = _deciding(claim, entry)
    main = {choice["id"]: choice["main"] for choice in claim.choices}
    for choice in entry.get("choices", []):
        at = {id_: choice["at"][id_] for id_ in names}
        values = [_text(value) for value in at.values()]
        text = values[0] if len(values) == 1 else f"({', '.join(values)})"
        by_text[text] = _verdict_at(choice), all(value == main[id_] for id_, value in at.items())
    return [(text, verdict, is_main) for text, (verdict, is_main) in by_text.items()]


def _text(value):
    """A value, or several that are chosen as one: 0.05 / 0.01."""
    return " / ".join(map(number_text, value)) if isinstance(value, list) else number_text(value)


def _verdict_at(choice):
    """The verdict at a combination of choices, in words."""
    return "not measured" if choice.get("note", {}).get("why") == "not measured" else choice["verdict"]


def _deciding(claim, entry):
    """Ids of the choices on which the verdict depends: two combinations differ in nothing else; or of all."""
    judged = [(choice["at"], _verdict_at(choice)) for choice in entry.get("choices", [])]
    ids = [choice["id"] for choice in claim.choices]
    deciding = [
        id_
        for id_ in ids
        if any(
            verdict != other and all(at[k] == other_at[k] for k in ids if k != id_)
            for at, verdict in judged
            for other_at, other in judged
        )
    ]
    return deciding or ids


def what_it_depends_on(claim, entry):
    """At which choices a claim has which verdict, and why there is a choice; empty without one."""
    if not entry.get("choices"):
        return ""
    names = _deciding(claim, entry)
    why = "; ".join(dict.fromkeys(choice["why"] for choice in claim.choices if choice["id"] in names))
    at = {}
    for text, verdict, main in choices(claim, entry):
        at.setdefault(verdict, []).append(text + " (our main choice)" * main)
    if len(at) == 1:
        values = [f"{c['id']}: {_and([_text(v) for v in c['values']])}" for c in claim.choices]
        return f"the same for each {'; for each '.join(values)}; {why}"
    return f"by {_and(names)}: {'; '.join(f'{verdict} at {_and(of)}' for verdict, of in at.items())}; {why}"


def _and(words):
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def how_many_more(claim, entry):
    """About how many times as many runs would decide what is open; empty where their number does not.

    An interval of a mean or a share is as wide as one over the root of their number, so its half width falls
    to the distance from the next bound at the square of their ratio.  An interval for a single run does not
    shrink with their number, and one of resampled halves hardly does, because its test share stays.
    """
    single = claim.kind in ("paired", "equivalent", "trend", "bound", "share-of-sets", "ahead-of-all")
    rule = claim.judge  # between a bound and its reversal no number of runs decides
    stays = "reversal" in rule or "monotone" in rule or rule.get("interval") == "prediction"
    if entry["verdict"] != findings.INCONCLUSIVE or not single or stays:
        return ""
    if rule.get("interval") == "resampled":
        return "more splits of the same rows would hardly narrow our interval; more rows would"
    factors = []
    for part in entry.get("parts", []):
        note = part.get("note", {"why": "varies"})
        open_ = part["outcome"] is None and note["why"] == "varies" and "widest" not in note
        if open_ and "low" in part and "bounds" in part:
            away = min(abs(part["value"] - bound) for bound in part["bounds"])
            half = (part["high"] - part["low"]) / 2
            factors.append((half / away) ** 2 if half < 10 * away else _MOST_TIMES)
    if not factors:
        return ""
    first, last = (
        f"more than {_MOST_TIMES}"
        if factor >= _MOST_TIMES
        else f"{factor:.1f}"
        if factor < 3
        else f"{factor:.0f}"
        for factor in (min(factors), max(factors))
    )
    times = first if first == last else f"{first} to {last}"
    about = "" if times.startswith("more") else "about "
    return (
        f"if our values stay as they are, {about}{times} times as many runs or sets would decide what is open"
    )
