"""Rules about the Guided Random Forest that are of no standard kind: from a measurement to a finding.

The numbers of each rule are in ``claims.toml``; ``CASES`` are measurements that it tells apart.
"""

import math
from typing import NamedTuple

from studylib.study import rules
from studylib.study.rules import Finding

#: Verdict on a statement that holds, does not, or stays open.
VERDICTS = {True: rules.REPRODUCED, False: rules.NOT_REPRODUCED, None: rules.INCONCLUSIVE}


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
        held = lies(numbers, *rules.mean_interval(case["GRAF − best"], numbers["level"]))
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
            answers.append(lies(numbers, *rules.mean_interval(runs, level)))
        holds[name] = True if True in answers else None if None in answers else False
    return _over_sets(holds)


class HolmStep(NamedTuple):
    """What Holm's procedure says about one of several mean differences.

    Parameters
    ----------
    rank : int
        Place among them, by falling ``|t|``; 1 is the first.
    level : float
        Of the interval, corrected for those that are not decided before it.
    mean, low, high : float
    holds : bool or None
        Whether the difference is above the bound (True) or below it (False); None if it is undecided.
    tested : bool
        False if the procedure stopped before it.
    """

    rank: int
    level: float
    mean: float
    low: float
    high: float
    holds: bool | None
    tested: bool


def holm_steps(measured, numbers):
    """Decide on several mean differences, with Holm's correction for their number.

    Intervals (Student's t) are taken in the order of falling ``|t|``, the k-th of m at the level
    1 − (1 − level) / (m − k + 1).  The first that includes the bound ends the procedure: it and all that
    follow are undecided.

    Parameters
    ----------
    measured : dict of str to list of float
        Differences on the same sets against each rival.
    numbers : dict
        ``above``, the bound; ``level``.

    Returns
    -------
    dict of str to HolmStep, in the order of the procedure

    Raises
    ------
    ValueError
        If the lists differ in length, so that ``|t|`` does not order them by their p-values.
    """
    if len({len(runs) for runs in measured.values()}) != 1:
        raise ValueError("holm_steps: the differences against all rivals must be on the same sets.")
    ordered = sorted(measured, key=lambda name: -_abs_t(measured[name], numbers["above"]))
    steps, stopped = {}, False
    for k, name in enumerate(ordered):
        level = 1 - (1 - numbers["level"]) / (len(ordered) - k)
        low, high = rules.mean_interval(measured[name], level)
        excluded = not stopped and not low <= numbers["above"] <= high
        holds = low > numbers["above"] if excluded else None
        mean = math.fsum(measured[name]) / len(measured[name])
        steps[name] = HolmStep(k + 1, level, mean, low, high, holds, not stopped)
        stopped = holds is None
    return steps


def better_by_holm(measured, numbers):
    """Whether the mean difference against one of several rivals is above the bound, by :func:`holm_steps`.

    Parameters
    ----------
    measured : dict of str to list of float
        Differences against each rival, one number per data set.
    numbers : dict
        ``rival``, whom the claim is about; ``above``, ``level`` and ``unit``.
    """
    steps = holm_steps(measured, numbers)
    step = steps[numbers["rival"]]
    verdict = VERDICTS[step.holds]
    reason = f"number {step.rank} of {len(steps)} by |t|: {100 * step.level:.4g}% interval"
    if not step.tested:
        reason += ", not tested because Holm’s procedure stopped before it"
    return Finding(
        verdict,
        f"{rules.value_text(step.mean)} {numbers['unit']}",
        f"{rules.value_text(step.low)} … {rules.value_text(step.high)}",
        reason,
    )


def _abs_t(runs, bound):
    """Distance of the mean from the bound in standard errors; infinite without any spread."""
    n = len(runs)
    mean = math.fsum(runs) / n
    error = math.sqrt(math.fsum((x - mean) ** 2 for x in runs) / (n - 1) / n)
    distance = abs(mean - bound)
    return distance / error if error else math.inf * distance if distance else 0.0


def lies(bounds, low, high):
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


def _rivals(difference):
    runs = [difference - 0.1, difference + 0.1]
    rivals = ("random forest", "extra trees", "histogram boosting")
    return {f"{measure}{rival}": runs for measure in ("", "accuracy, ", "log loss, ") for rival in rivals}


#: Measurements that lead to different verdicts.
CASES = {
    "better_by_holm": [_rivals(100.0), _rivals(-100.0), _rivals(0.0)],
    "ahead_of_all": [_case(-1.0, -1.0), _case(1.0, -1.0), _case(-1.0, 1.0)],
    "some_subset_is_enough": [_subset(0.0), _subset(1.0)],
}
