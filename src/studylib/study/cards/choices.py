"""What a verdict depends on, in words: choices that could be made, and how many more runs would decide."""

from studylib.study import findings
from studylib.study.cards.numbers import number_text

#: Of more, it is not said how many times as many runs would decide what is open.
_MOST_TIMES = 100


def choices(claim, entry):
    """What was chosen together, in words, with the verdict at it, and whether it is the main choice.

    Only what the verdict depends on is listed; if it depends on nothing, every combination.

    Returns
    -------
    list of (str, str, bool)
    """
    found = {}
    for at, verdict in _deciding(claim, entry):
        main = all(at[choice["id"]] == choice["main"] for choice in claim.choices if choice["id"] in at)
        values = [number_text(value) for value in at.values()]
        found[values[0] if len(values) == 1 else f"({', '.join(values)})"] = verdict, main
    return [(text, verdict, main) for text, (verdict, main) in found.items()]


def _deciding(claim, entry):
    """For each combination, what was chosen of what a verdict depends on, and the verdict: list of pairs."""
    judged = []
    for choice in entry.get("choices", []):
        missing = choice.get("note", {}).get("why") == "not measured"
        judged.append((choice["at"], "not measured" if missing else choice["verdict"]))
    ids = [choice["id"] for choice in claim.choices] if judged else []
    deciding = [
        id_
        for id_ in ids
        if any(
            one != other and all(at[k] == beside[k] for k in ids if k != id_)
            for at, one in judged
            for beside, other in judged
        )
    ]
    return [({id_: at[id_] for id_ in deciding or ids}, verdict) for at, verdict in judged]


def by_choice(claim, entry):
    """At which choices a claim has which verdict, and why there is a choice; empty without one."""
    deciding = _deciding(claim, entry)
    if not deciding:
        return ""
    names = list(deciding[0][0])
    why = "; ".join(dict.fromkeys(choice["why"] for choice in claim.choices if choice["id"] in names))
    at = {}
    for text, verdict, main in choices(claim, entry):
        at.setdefault(verdict, []).append(text + " (our main choice)" * main)
    if len(at) == 1:
        values = [f"{c['id']} {_and([number_text(v) for v in c['values']])}" for c in claim.choices]
        return f"the same for each {'; each '.join(values)}; {why}"
    return f"by {_and(names)}: {'; '.join(f'{verdict} at {_and(of)}' for verdict, of in at.items())}; {why}"


def _and(words):
    return " and ".join(filter(None, [", ".join(words[:-1]), words[-1]]))


def how_many_more(claim, entry):
    """About how many times as many runs would decide what is open; empty where their number does not.

    An interval of a mean or a share is as wide as one over the root of their number, so its half width falls
    to the distance from the next bound at the square of their ratio.
    """
    single = claim.kind in ("paired", "equivalent", "trend", "bound", "share-of-sets", "ahead-of-all")
    rule = claim.judge  # between a bound and its reversal no number of runs decides
    if entry["verdict"] != findings.INCONCLUSIVE or not single or "reversal" in rule or "monotone" in rule:
        return ""
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
