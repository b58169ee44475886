"""The rule about shares of data sets, where sets and runs both vary: from a measurement to a finding.

The numbers of the rule are in ``claims.toml``; ``CASES`` are measurements that it tells apart.
"""

import math

from studylib.studies.graf.judging import VERDICTS, lies
from studylib.study import rules
from studylib.study.rules import Finding


def share_of_sets(measured, numbers):
    """Share of the sets for which a statement holds; sets and runs are both drawn anew.

    A set counts with the share of its runs in which the statement holds.  Drawing sets with replacement, and
    for each of them one of its runs, gives a binomial number: Wilson's interval over the sets has both
    variances.  Nothing is decided if no set was run often enough.

    Parameters
    ----------
    measured : dict of str to list of bool
        The runs of each set.
    numbers : dict
        ``published``, a share that the interval must contain, and ``widest``, how far the interval may reach;
        or ``above``, a bound; ``level``; ``runs``, how many a set must have to count as run again.
    """
    means = [math.fsum(runs) / len(runs) for runs in measured.values()]
    share, n = math.fsum(means) / len(means), len(means)
    low, high = rules.wilson_interval(share * n, n, numbers["level"])
    again = [runs for runs in measured.values() if len(runs) >= numbers["runs"]]
    if not again:
        holds, reason = None, f"no set was run {numbers['runs']} times"
    else:
        holds, reason = _lies_at(numbers, low, high)
        noise = math.fsum(_variance(runs) for runs in again) / len(again)
        said = f"from one run to another the share varies by {math.sqrt(noise / n):.2g}"
        reason = "; ".join(filter(None, [reason, f"{said} (one standard deviation)"]))
    interval = f"{rules.value_text(low)} … {rules.value_text(high)}"
    return Finding(VERDICTS[holds], rules.value_text(share), interval, reason)


def _lies_at(numbers, low, high):
    """Whether an interval is where a rule wants it, yes, no or None, and a remark."""
    if "published" not in numbers:
        return lies(numbers, low, high), ""
    if not low <= numbers["published"] <= high:
        return False, ""
    if (high - low) / 2 <= numbers["widest"]:
        return True, ""
    return None, f"the interval reaches farther than ± {rules.value_text(numbers['widest'])}"


def _variance(runs):
    mean = math.fsum(runs) / len(runs)
    return math.fsum((one - mean) ** 2 for one in runs) / (len(runs) - 1)


def _share(share, n_sets, n_runs=10):
    return {f"set {k}": [k < share * n_sets] * n_runs for k in range(n_sets)}


#: Measurements that lead to different verdicts.
CASES = {
    "share_of_sets": [
        *(_share(share, 400) for share in (0.0, 0.46, 0.58, 0.6, 0.82, 1.0)),
        _share(0.5, 10),
        _share(0.5, 400, n_runs=2),
    ],
}
