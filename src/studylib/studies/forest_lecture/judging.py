"""The rule of the lecture on random forests that is no standard kind."""

from statistics import median

from studylib.study import rules
from studylib.study.rules import Finding


def threads_speed_up(measured, numbers):
    """Training and prediction by T > 1 threads take at most 1 / (share · T) of the time of one thread.

    A machine that others use, or of a single core, cannot decide it.

    Parameters
    ----------
    measured : dict
        ``cores``; ``load``, the cores that others kept busy beforehand; and ``seconds``, for each part of the
        work a list of seconds per number of threads, as strings; the runs took turns.
    numbers : dict
        ``least_share``: of T, the speed-up that is asked for; ``largest_load``.

    Returns
    -------
    Finding
    """
    held, shown = [], []
    for part, seconds in measured["seconds"].items():
        for threads, runs in seconds.items():
            if threads != "1":
                ratio = median(one / run for one, run in zip(seconds["1"], runs, strict=True))
                held.append(ratio >= numbers["least_share"] * int(threads))
                shown.append(f"{part} {rules.value_text(ratio)} by {threads} threads")
    ours = "; ".join(shown)
    load, cores = measured["load"], measured["cores"]
    said = f"{cores} cores, {rules.value_text(load)} of them busy beforehand"
    if cores < 2 or not held:
        return Finding(rules.INCONCLUSIVE, ours, reason="a single core cannot tell")
    if load > numbers["largest_load"]:
        return Finding(rules.INCONCLUSIVE, ours, reason=f"not on an idle machine: {said}")
    return Finding(rules.over_sets(held), ours, reason=said)


def _machine(load, second):
    seconds = {"1": [2.0, 2.0, 2.0], "2": [second] * 3}
    return {"cores": 2, "load": load, "seconds": {"training": seconds, "prediction": seconds}}


#: Measurements that lead to different verdicts.
CASES = {"threads_speed_up": [_machine(0.0, 1.1), _machine(0.0, 1.9), _machine(1.5, 1.1)]}
