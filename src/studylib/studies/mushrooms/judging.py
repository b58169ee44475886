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


def some_variation_changes_the_tree(measured, numbers):
    """For which sizes of the training set some variation may give an entirely different tree.

    A size holds if the interval of at least one variation's share is above the bound; otherwise it stays
    open, because draws that did not give such a tree do not exclude it.

    Parameters
    ----------
    measured : dict of str to dict
        For each size and variation the share of nodes that changed, a list over draws.
    numbers : dict
        ``changed_more_than``, from which share on a tree is entirely different; ``above`` and ``level`` of
        Wilson's intervals of the share of such trees.
    """
    holds, shown = {}, []
    for size, variations in measured.items():
        counts = {
            name: (sum(share > numbers["changed_more_than"] for share in shares), len(shares))
            for name, shares in variations.items()
        }
        lows = [rules.wilson_interval(k, n, numbers["level"])[0] for k, n in counts.values()]
        holds[size] = True if max(lows) > numbers["above"] else None
        shown.append(f"{size}: " + ", ".join(f"{name} {k} of {n}" for name, (k, n) in counts.items()))
    return Finding(rules.over_sets(list(holds.values())), "; ".join(shown))


def _draws(share):
    return {"200 rows": {"1 row": [share] * 10}}


#: Measurements that lead to different verdicts.
CASES = {"percentages": [95.0, 0.95], "some_variation_changes_the_tree": [_draws(0.9), _draws(0.1)]}
