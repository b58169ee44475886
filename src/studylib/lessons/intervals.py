"""Intervals to move, with the verdict that a rule gives on each; the judge is that of the study."""

import matplotlib.pyplot as plt
import numpy as np

from studylib.lessons.elements import _picture, _short, _touch
from studylib.study import rules

#: What a reader can choose, in the order of the pictures on paper; a verdict is embedded as its first letter.
VERDICTS = (rules.REPRODUCED, rules.NOT_REPRODUCED, rules.INCONCLUSIVE)


def intervals(asked, means, counts, deviation, unit, alt):
    """Display an interval that a reader moves, and the verdict on it once a guess was made.

    Parameters
    ----------
    asked : dict of str to dict
        Rules as data, with bounds ``above``, ``least``, ``below``, ``most`` or ``within``, by what they ask.
    means, counts : sequence of float, sequence of int
        Where the mean of the runs can be, and how many runs there can be, two at least.
    deviation, unit : float, str
        Standard deviation of the runs, and their unit.
    alt : str
        What the picture shows that stands there on paper and without scripts, in a sentence.
    """
    given = {
        "means": list(means),
        "counts": list(counts),
        "unit": unit,
        "halves": [float(np.round(half_width(n, deviation), 5)) for n in counts],
        "rules": [
            {"asked": name, **_bounds(rule), "verdicts": verdicts(rule, means, counts, deviation)}
            for name, rule in asked.items()
        ],
    }
    figure = _draw(*next(iter(asked.items())), means, counts, deviation, unit)
    _touch({"kind": "intervals", "cases": _short(given)}, _picture(figure, alt))


def runs(mean, n, deviation):
    """As many runs, evenly spread, with this mean and this standard deviation."""
    spread = np.linspace(-1, 1, n)
    return (mean + deviation * spread / spread.std(ddof=1)).tolist()


def half_width(n, deviation):
    """Of the 95% interval of the mean of so many runs."""
    low, high = rules.mean_interval(runs(0.0, n, deviation), 0.95)
    return (high - low) / 2


def verdicts(rule, means, counts, deviation):
    """First letters of the verdicts, a string over the means for each count."""
    return [
        "".join(
            rules.judge("finding", "equivalent", rule, runs(mean, n, deviation)).verdict[0] for mean in means
        )
        for n in counts
    ]


def _bounds(rule):
    """Where a rule's bounds lie, None if there is none on a side."""
    within = rule.get("within")
    low = rule.get("above", rule.get("least", None if within is None else -within))
    return {"low": low, "high": rule.get("below", rule.get("most", within))}


def _draw(name, rule, means, counts, deviation, unit):
    """One interval for each verdict, from the middle count."""
    n = counts[len(counts) // 2]
    half, bounds = half_width(n, deviation), _bounds(rule)
    (given,) = verdicts(rule, means, [n], deviation)
    figure, ax = plt.subplots(figsize=(6.4, 2.2), layout="constrained")
    low, high = (means[0] - half, means[-1] + half)
    ax.axvspan(
        low if bounds["low"] is None else bounds["low"],
        high if bounds["high"] is None else bounds["high"],
        color="C2",
        alpha=0.2,
        lw=0,
    )
    for k, verdict in enumerate(VERDICTS):
        places = [mean for mean, letter in zip(means, given, strict=True) if letter == verdict[0]]
        ax.errorbar(places[len(places) // 2], -k, xerr=half, fmt="o", color="#333333", capsize=5)
    ax.set_yticks(range(0, -len(VERDICTS), -1), VERDICTS)
    ax.set(xlim=(low, high), ylim=(0.6 - len(VERDICTS), 0.6), xlabel=f"{unit}; green: {name}")
    return figure
