"""Intervals for what was measured; the standard library only, because ``verify.py`` contains this file."""

import math
from functools import cache
from statistics import NormalDist
from typing import NamedTuple


def mean_interval(runs, level):
    """Student's t interval ``(low, high)`` for the mean of independent runs."""
    return _around(runs, 1 / len(runs), level)


def resampled_interval(runs, test_share, level):
    """Interval for a mean over random splits of one data set, corrected as by Nadeau and Bengio (2003)."""
    return _around(runs, 1 / len(runs) + test_share / (1 - test_share), level)


def prediction_interval(runs, level):
    """Interval that one more run falls into."""
    return _around(runs, 1 + 1 / len(runs), level)


def _around(runs, factor, level):
    n = len(runs)
    if n < 2:
        raise ValueError(f"an interval needs at least two runs, got {n}.")
    mean = math.fsum(runs) / n
    variance = math.fsum((x - mean) ** 2 for x in runs) / (n - 1)
    half = t_quantile(0.5 + level / 2, n - 1) * math.sqrt(variance * factor)
    return mean - half, mean + half


def wilson_interval(true, of, level):
    """Wilson's interval ``(low, high)`` for a share."""
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share, z2 = true / of, z * z
    centre = share + z2 / (2 * of)
    half = z * math.sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    low, high = (centre - half) / (1 + z2 / of), (centre + half) / (1 + z2 / of)
    return (0.0 if true == 0 else low), (1.0 if true == of else high)


@cache
def t_quantile(p, df):
    """The p-quantile, p at least one half, of Student's t with ``df`` degrees of freedom."""
    if not 0.5 <= p < 1:  # nothing is as far out as that
        raise ValueError(f"the level of an interval must be at least 0 and below 1, got {2 * p - 1:.6g}.")
    low, high = 0.0, 1.0
    while _t_cdf(high, df) < p:
        high *= 2
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _t_cdf(middle, df) < p else (low, middle)
    return (low + high) / 2


def _t_cdf(t, df):
    return 1 - _incomplete_beta(df / 2, 0.5, df / (df + t * t)) / 2


def _incomplete_beta(a, b, x):
    """Regularised incomplete beta function by its continued fraction (Lentz's method)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, 1 - x)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    tiny, c = 1e-300, 1.0
    d = 1 / _away(1 - (a + b) * x / (a + 1), tiny)
    total = d
    for m in range(1, 10_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away(1 + numerator * d, tiny)
            c = _away(1 + numerator / c, tiny)
            total *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return front * total / a


def _away(value, tiny):
    return value if abs(value) > tiny else tiny


class HolmStep(NamedTuple):
    """What Holm's procedure says about one of several mean differences.

    ``rank`` is its place by falling ``|t|``, from 1; ``level`` that of its interval, corrected for those that
    are not decided before it.  ``holds``: above the bound (True), below it (False) or undecided (None).
    ``tested`` is False if the procedure stopped before it.
    """

    rank: int
    level: float
    mean: float
    low: float
    high: float
    holds: bool | None
    tested: bool


def holm_steps(measured, rule):
    """Decide on several mean differences, a HolmStep each, with Holm's correction for their number.

    Intervals (Student's t) are taken in the order of falling ``|t|``, the k-th of m at the level
    ``1 − (1 − level) / (m − k + 1)``.  The first that includes the bound ends the procedure: it and all that
    follow are undecided.  ``measured`` has by rival a list of differences on the same sets; ``rule`` the
    bound, ``above``, and ``level``.  Raises ValueError if the lists differ in length, so that ``|t|`` does
    not order them by their p-values.
    """
    if len({len(runs) for runs in measured.values()}) != 1:
        raise ValueError("holm_steps: the differences against all rivals must be on the same sets.")
    bound = rule["above"]
    ordered = sorted(measured, key=lambda name: -_abs_t(measured[name], bound))
    steps, stopped = {}, False
    for k, name in enumerate(ordered):
        level = 1 - (1 - rule["level"]) / (len(ordered) - k)
        low, high = mean_interval(measured[name], level)
        excluded = not stopped and not low <= bound <= high
        holds = low > bound if excluded else None
        mean = math.fsum(measured[name]) / len(measured[name])
        steps[name] = HolmStep(k + 1, level, mean, low, high, holds, not stopped)
        stopped = holds is None
    return steps


def _abs_t(runs, bound):
    """Distance of the mean from the bound in standard errors; infinite without any spread."""
    n = len(runs)
    mean = math.fsum(runs) / n
    error = math.sqrt(math.fsum((x - mean) ** 2 for x in runs) / (n - 1) / n)
    distance = abs(mean - bound)
    return distance / error if error else math.inf * distance if distance else 0.0
