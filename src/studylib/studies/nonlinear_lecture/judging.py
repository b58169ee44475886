"""The rule of the lecture on non-linear classification that is no standard kind."""

from studylib.study import rules
from studylib.study.rules import Finding


def better_on_half_of_the_sets(measured, numbers):
    """Not reproduced unless the difference is significant on a share of the sets; a tie counts against it.

    On all sets: reproduced; on at least the share: partly.

    Parameters
    ----------
    measured : dict of set to paired runs
        Over random splits of the set.
    numbers : dict
        ``above``, the bound for first − second; ``least_share`` of the sets; ``test_share``, of a
        set's samples, and ``level`` of the interval.

    Returns
    -------
    Finding
    """
    better, shown = 0, []
    for name, runs in measured.items():
        differences = [a - b for a, b in zip(runs["first"], runs["second"], strict=True)]
        low, high = rules.resampled_interval(differences, numbers["test_share"], numbers["level"])
        better += low > numbers["above"]
        shown.append(f"{name} {_text(sum(differences) / len(differences))} ({_text(low)} … {_text(high)})")
    if better == len(measured):
        verdict = rules.REPRODUCED
    else:
        share = better / len(measured)
        verdict = rules.PARTLY if share >= numbers["least_share"] else rules.NOT_REPRODUCED
    return Finding(verdict, f"{better} of {len(measured)}", reason="; ".join(shown))


def _text(number):
    return rules.value_text(round(number, 4))


def _sets(*differences):
    return {
        f"set {k}": {"first": [d, d + 1e-3], "second": [0.0, 0.0]} for k, d in enumerate(differences, start=1)
    }


#: Measurements that lead to different verdicts.
CASES = {"better_on_half_of_the_sets": [_sets(0.1, 0.2), _sets(0.1, 0.0), _sets(0.0, 0.0)]}
