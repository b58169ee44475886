"""Rules about the mushroom report that are of no standard kind: from a measurement to a finding.

The numbers of each rule are in ``claims.toml``; ``CASES`` are measurements that it tells apart.
"""

from studylib.study import rules
from studylib.study.rules import Finding


def percentages(measured, numbers):
    """Whether printed numbers are percentages: the largest exceeds 1, the largest of fractions.

    Parameters
    ----------
    measured : float
        The largest of the printed numbers.
    numbers : dict
        ``largest_fraction``.
    """
    holds = measured > numbers["largest_fraction"]
    return Finding(
        rules.REPRODUCED if holds else rules.NOT_REPRODUCED, f"largest number {rules.value_text(measured)}"
    )


def variation_changes_the_tree(measured, numbers):
    """For which sizes of the training set a small variation often gives an entirely different tree.

    A size holds if the interval of the share of such trees is above the bound, and is refuted if it is below.

    Parameters
    ----------
    measured : dict of str to dict
        For each size and variation the share of nodes that changed, a list over draws.
    numbers : dict
        ``variation``, the one that is judged; the others are shown.  ``changed_more_than``, above which share
        a tree is entirely different; ``above`` and ``level`` of Wilson's interval of the share of such trees.
    """
    holds, shown = [], []
    for size, variations in measured.items():
        counts = {
            name: (sum(share > numbers["changed_more_than"] for share in shares), len(shares))
            for name, shares in variations.items()
        }
        low, high = rules.wilson_interval(*counts[numbers["variation"]], numbers["level"])
        holds.append(True if low > numbers["above"] else False if high < numbers["above"] else None)
        shown.append(f"{size}: " + ", ".join(f"{name} {k} of {n}" for name, (k, n) in counts.items()))
    return Finding(rules.over_sets(holds), "; ".join(shown))


def _draws(*shares):
    return {"200 rows": {"1 %": list(shares) * 100}}


#: Measurements that lead to different verdicts.
CASES = {
    "percentages": [95.0, 0.95],
    "variation_changes_the_tree": [_draws(0.9), _draws(0.1), {"200 rows": {"1 %": [0.9] + [0.1] * 9}}],
}
