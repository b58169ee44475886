"""The rule about the PCF that is no standard kind."""

from studylib.study import rules


def share_of_ones(measured, numbers):
    """Judge how many seeds have an accuracy of exactly 1 throughout, by Wilson's interval of the share.

    Parameters
    ----------
    measured : list of bool, one for each seed
    numbers : dict
        ``typical``: reproduced if the interval contains it or more.  ``rare``: not reproduced if the interval
        lies below it.  ``level``: of the interval.

    Returns
    -------
    Finding
    """
    true, of = sum(measured), len(measured)
    low, high = rules.wilson_interval(true, of, numbers["level"])
    if high >= numbers["typical"]:
        verdict = rules.REPRODUCED
    else:
        verdict = rules.NOT_REPRODUCED if high < numbers["rare"] else rules.PARTLY
    return rules.Finding(verdict, f"{true:,} of {of:,} seeds", f"{low:.3f} … {high:.3f}")


#: For every function, measurements that lead to different verdicts.
CASES = {"share_of_ones": [[True] * 20, [False] * 100, [True] * 20 + [False] * 80]}
