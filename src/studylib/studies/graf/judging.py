"""Rules about the Guided Random Forest that are of no standard kind: from a measurement to a finding.

The numbers of each rule are in ``claims.toml``; ``CASES`` are measurements that it tells apart.
"""

from studylib.study import rules
from studylib.study.rules import Finding


def ahead_of_all(measured, numbers):
    """For which sets and sizes GRAF is ahead of all other methods, up to a margin.

    A case stays open where GRAF is ahead of the methods that ran on all data seeds, but not of gradient
    boosting, which runs on the first seed only or not at all.

    Parameters
    ----------
    measured : dict of str to dict
        For each case "GRAF − best": runs, a difference per data seed; and "GRAF − boosting": their mean
        difference on the seeds that have it, or None.
    numbers : dict
        ``below`` or ``most``: what a difference must be; ``level`` of the intervals.
    """
    holds = {}
    for name, case in measured.items():
        held = _lies(numbers, *rules.mean_interval(case["GRAF − best"], numbers["level"]))
        boosting = case["GRAF − boosting"]
        objected = boosting is None or not rules.inside(numbers, boosting, boosting)
        holds[name] = None if held and objected else held
    reason = (
        "gradient boosting not run" if all(c["GRAF − boosting"] is None for c in measured.values()) else ""
    )
    return _over_sets(holds, reason)


def some_subset_is_enough(measured, numbers):
    """On which sets some number of features is as good as all.

    A set fails if every M is worse than all features by more than the margin, and holds if one is not; the
    level is corrected for the number of Ms among which one is chosen.

    Parameters
    ----------
    measured : dict of str to dict
        For each set and M paired runs, first the error with M features, second the one with all.
    numbers : dict
        ``most``, the margin, and ``level``.
    """
    holds = {}
    for name, by_subset in measured.items():
        level = 1 - (1 - numbers["level"]) / len(by_subset)
        answers = []
        for pair in by_subset.values():
            runs = [a - b for a, b in zip(pair["first"], pair["second"], strict=True)]
            answers.append(_lies(numbers, *rules.mean_interval(runs, level)))
        holds[name] = True if True in answers else None if None in answers else False
    return _over_sets(holds)


def _lies(bounds, low, high):
    """Whether an interval is inside of bounds: yes, no (it is outside) or None."""
    if rules.inside(bounds, low, high):
        return True
    return False if rules.outside(bounds, low, high) else None


def _over_sets(holds, reason=""):
    names = {
        said: [name for name, answer in holds.items() if answer is of]
        for said, of in (("does not hold for", False), ("undecided for", None))
    }
    remarks = [reason]
    for said, which in names.items():
        listed = ", ".join(f"({name})" for name in which) if len(which) <= 6 else f"{len(which)} of them"
        remarks.append(f"{said} {listed}" if which else "")
    n_held = sum(answer is True for answer in holds.values())
    return Finding(
        rules.over_sets(list(holds.values())),
        f"{n_held} of {len(holds)}",
        reason="; ".join(filter(None, remarks)),
    )


def _case(difference, boosting):
    return {"a set": {"GRAF − best": [difference, difference], "GRAF − boosting": boosting}}


def _subset(difference):
    return {"a set": {"M = 5": {"first": [difference, difference], "second": [0.0, 0.0]}}}


#: Measurements that lead to different verdicts.
CASES = {
    "ahead_of_all": [_case(-1.0, -1.0), _case(1.0, -1.0), _case(-1.0, 1.0)],
    "some_subset_is_enough": [_subset(0.0), _subset(1.0)],
}
