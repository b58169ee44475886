"""What a comparison says, in two or three sentences made from its numbers."""

import html

import numpy as np
from IPython.display import HTML

from studylib.tryout.models import BASELINE, ONE_RULE, PARTIAL, TREE

_SIMPLE = (ONE_RULE, TREE)


def conclusion(table, compared):
    """The conclusion; honest where there is none.

    Parameters
    ----------
    table : Table
    compared : Comparison

    Returns
    -------
    list of str
        Sentences.
    """
    best, baseline = compared.ranked[0], compared.interval(BASELINE).mean
    constant = f"always answering {table.y.mode()[0]!r}"
    equal = compared.not_worse()
    if best == BASELINE or BASELINE in equal:
        return [
            f"These data do not show that any of the classifiers predicts “{table.target}” better than "
            f"{constant}, which is wrong for {percent(baseline)} of the rows{_chance(compared, best)}.",
            "Either the columns say little about it, or it takes more rows to see what they say.",
            _partial(compared),
        ]
    first = (
        f"{best[0].upper()}{best[1:]} has the lowest error: {_spread(compared.interval(best))} of the rows; "
        f"{constant} would be wrong for {percent(baseline)}."
    )
    beaten = [name for name in compared.ranked[1:] if name not in equal and name != BASELINE]
    if not equal:
        second = (
            f"It is better than each of the {len(beaten)} others (intervals that hold together with 95 %)."
        )
    else:
        second = f"The data support no difference between it and {_list(equal)}"
        second += f"; it is better than {_list(beaten)}." if beaten else "."
        simple = next((name for name in _SIMPLE if name in equal), None)
        if simple:
            second += f" The simplest of these is the {simple}; see its rules below."
    return [first, second, _partial(compared)]


def _chance(compared, best):
    """What the best one seems to gain."""
    if best == BASELINE:
        return ""
    gain = compared.difference(BASELINE, best)
    ends = f"{100 * gain.low:.1f} to {100 * gain.high:.1f}".replace("-", "−")
    mean = f"{100 * gain.mean:.1f} points (interval {ends})"
    return f"; the best of them, {best}, gains {mean}, which may be chance"


def _partial(compared):
    coverage, accuracy = compared.interval(PARTIAL, "coverage").mean, compared.errors(PARTIAL, "accuracy")
    if coverage == 0:
        return "The partial forest (PCF) finds no clean region and abstains on all rows."
    rest = "the others" if coverage < 1 else "none"
    return (
        f"The partial forest (PCF) predicts {percent(coverage)} of the rows, {percent(np.nanmean(accuracy))} "
        f"of them correctly, and abstains on {rest}."
    )


def as_list(sentences):
    """Sentences as an HTML list; they hold names from the file."""
    return HTML("".join(["<ul>", *(f"<li>{html.escape(one)}</li>" for one in sentences), "</ul>"]))


def as_paragraph(sentences):
    """Sentences as an HTML paragraph."""
    return HTML(f"<p>{html.escape(' '.join(sentences))}</p>")


def counted(kinds):
    """How many columns there are of each kind, ``"numbers (12), left out: constant (1)"``."""
    return ", ".join(f"{kind} ({n})" for kind, n in kinds.items())


def percent(share):
    """A share as ``"12.3 %"``, without a false zero or hundred."""
    value = 100 * share
    if 0 < value < 0.1:
        return "less than 0.1 %"
    if 99.9 < value < 100:
        return "more than 99.9 %"
    return f"{value:.0f} %" if value in (0, 100) else f"{value:.1f} %"


def _spread(interval):
    low, high = max(interval.low, 0.0), min(interval.high, 1.0)
    digits = 1 if high > 0.005 else 2
    return f"{percent(interval.mean)} (95 % interval {100 * low:.{digits}f} to {100 * high:.{digits}f})"


def _list(names):
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
