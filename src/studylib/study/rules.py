"""The rules that turn numbers into verdicts, one small function per kind.

Every function returns a :class:`Judgement`.  Which rule judges which claim is fixed in ``claims/*.toml``;
a notebook brings the numbers only.  The verdict is ``reproduced`` if the rule is met, ``partly`` if it is
met on at least half of several sets, ``not reproduced`` if it is not met, and ``inconclusive`` if our
interval does not decide.  ``reason`` is a remark shown with the verdict.
"""

from dataclasses import dataclass

import numpy as np

__all__ = [
    "VERDICTS",
    "Judgement",
    "counterexample",
    "equivalent",
    "exact",
    "holds_in_all",
    "k_sets",
    "lies",
    "not_testable",
    "paired",
    "published_run",
    "tolerance",
    "trend",
]

REPRODUCED = "reproduced"
PARTLY = "partly"
NOT_REPRODUCED = "not reproduced"
INCONCLUSIVE = "inconclusive"
NOT_TESTABLE = "not testable"
PLANNED = "planned"
DISPUTED = "disputed"
SHOWN = "shown"

VERDICTS = (REPRODUCED, PARTLY, NOT_REPRODUCED, INCONCLUSIVE, NOT_TESTABLE, PLANNED, DISPUTED, SHOWN)


@dataclass(frozen=True)
class Judgement:
    """What a rule found.

    Parameters
    ----------
    kinds : tuple of str
        The kinds of claims that the rule may judge.
    verdict : str
        One of ``VERDICTS``.
    ours, interval, reason : str
        Our value, its interval and a remark, ready to read.
    """

    kinds: tuple
    verdict: str
    ours: str
    interval: str = ""
    reason: str = ""


def _text(value):
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, (int, np.integer)):
        return f"{value:,}"
    return str(value)


def _span(interval):
    return f"{interval.low:.4g} … {interval.high:.4g}"


def exact(ours, published, *, shown=None, reason=""):
    """Our value equals the published one (round it to the published digits first).

    Parameters
    ----------
    ours, published : comparable by ``==``
    shown : str or None
        How our value is printed, where its own form is too long.
    reason : str
    """
    verdict = REPRODUCED if ours == published else NOT_REPRODUCED
    return Judgement(("exact",), verdict, shown or _text(ours), reason=reason)


def lies(interval, low=-np.inf, high=np.inf):
    """Whether an interval lies within bounds: yes, no (it lies outside), or None where it does not decide.

    Parameters
    ----------
    interval : Interval
    low, high : float
        Excluded, so that ``lies(difference, low=0)`` asks for a positive difference.

    Returns
    -------
    bool or None, an answer for :func:`k_sets`
    """
    if interval.low > low and interval.high < high:
        return True
    return False if interval.high <= low or interval.low >= high else None


def k_sets(holds, kind, *, shown=None, reason=""):
    """A statement about several sets: all hold = reproduced, at least half = partly.

    Otherwise not reproduced, or inconclusive if the undecided sets could still make it half.

    Parameters
    ----------
    holds : mapping of str to bool or None
        Which set it holds for; None where our interval does not decide.
    kind : str, the claim's kind
    shown : str or None
    reason : str
    """
    n, k = len(holds), sum(bool(h) for h in holds.values())
    n_open = sum(h is None for h in holds.values())
    if n == 0:
        raise ValueError("k_sets: no set was judged.")
    if k < n and 2 * k >= n:
        verdict = PARTLY
    elif k < n:
        verdict = INCONCLUSIVE if 2 * (k + n_open) >= n else NOT_REPRODUCED
    else:
        verdict = REPRODUCED
    remarks = [
        reason,
        _sets("does not hold for", [name for name, held in holds.items() if held is not None and not held]),
        _sets("undecided for", [name for name, held in holds.items() if held is None]),
    ]
    return Judgement((kind,), verdict, shown or f"{k} of {n}", reason="; ".join(filter(None, remarks)))


def _sets(what, names):
    """Which sets, by name if they are few; a name with a comma in parentheses."""
    named = ", ".join(f"({name})" if "," in str(name) else str(name) for name in names)
    return f"{what} {named if len(names) <= 6 else f'{len(names)} of them'}" if names else ""


def tolerance(ours, published, within, *, reason=""):
    """Our value lies within ``within`` of the published one.

    Parameters
    ----------
    ours, published, within : float
    reason : str
    """
    verdict = REPRODUCED if abs(ours - published) <= within else NOT_REPRODUCED
    return Judgement(("tolerance",), verdict, _text(ours), reason=reason)


def published_run(published, prediction, *, reason=""):
    """A published single run lies inside our 95 % *prediction* interval.

    Parameters
    ----------
    published : float
    prediction : Interval, from :func:`studylib.statistics.prediction_interval`
    reason : str
    """
    verdict = REPRODUCED if published in prediction else NOT_REPRODUCED
    return Judgement(("published-run",), verdict, _text(prediction.mean), _span(prediction), reason)


def paired(difference, direction, *, reason=""):
    """A paired difference excludes 0 in the stated direction.

    Parameters
    ----------
    difference : Interval of the mean difference
    direction : {"positive", "negative", "none"}
        ``"none"`` is the statement that there is no difference: an interval can contradict it, but cannot
        confirm it, so it ends as not reproduced or inconclusive.
    reason : str
    """
    if direction not in ("positive", "negative", "none"):
        raise ValueError(f"paired: direction must be 'positive', 'negative' or 'none', got {direction!r}.")
    found = "positive" if difference.low > 0 else "negative" if difference.high < 0 else "none"
    if found == "none":
        verdict = INCONCLUSIVE
    else:
        verdict = REPRODUCED if found == direction else NOT_REPRODUCED
    return Judgement(("paired",), verdict, f"{difference.mean:+.4g}", _span(difference), reason)


def equivalent(difference, margin, *, reason=""):
    """The interval of a difference lies inside ``± margin``; wholly outside contradicts.

    Parameters
    ----------
    difference : Interval
    margin : float, positive
    reason : str
    """
    if -margin <= difference.low and difference.high <= margin:
        verdict = REPRODUCED
    elif difference.low > margin or difference.high < -margin:
        verdict = NOT_REPRODUCED
    else:
        verdict = INCONCLUSIVE
    return Judgement(("equivalent",), verdict, f"{difference.mean:+.4g}", _span(difference), reason)


def trend(value, low, high, *, reason=""):
    """A slope or other summary of a trend lies from ``low`` to ``high``.

    Parameters
    ----------
    value : float or Interval
        An interval must lie inside for "reproduced" and outside for "not reproduced".
    low, high : float, ``-inf`` and ``inf`` allowed
    reason : str
    """
    if not hasattr(value, "low"):
        verdict = REPRODUCED if low <= value <= high else NOT_REPRODUCED
        return Judgement(("trend",), verdict, _text(float(value)), reason=reason)
    if low <= value.low and value.high <= high:
        verdict = REPRODUCED
    elif value.high < low or value.low > high:
        verdict = NOT_REPRODUCED
    else:
        verdict = INCONCLUSIVE
    return Judgement(("trend",), verdict, _text(value.mean), _span(value), reason)


def holds_in_all(n_holding, n_cases, *, reason=""):
    """A property holds in every generated case.

    Parameters
    ----------
    n_holding, n_cases : int
    reason : str
    """
    if n_cases < 1:
        raise ValueError("holds_in_all: no case was generated.")
    verdict = REPRODUCED if n_holding == n_cases else NOT_REPRODUCED
    return Judgement(("property",), verdict, f"{n_holding:,} of {n_cases:,} cases", reason=reason)


def counterexample(found, shown, *, reason=""):
    """A statement is refuted by one case: found = not reproduced.

    Parameters
    ----------
    found : bool
    shown : str, the case, or what was searched without finding one
    reason : str
    """
    return Judgement(("counterexample",), NOT_REPRODUCED if found else REPRODUCED, shown, reason=reason)


def not_testable(reason):
    """No computation can decide the statement.

    Parameters
    ----------
    reason : str
    """
    return Judgement(("not-testable",), NOT_TESTABLE, "", reason=reason)
