"""The rule of the lecture on random forests that is no standard kind."""

from studylib.study import rules
from studylib.study.rules import Finding


def threads_speed_up(measured, numbers):
    """Training and prediction by T > 1 threads are at least share · T times as fast as by one thread.

    A machine that others use, one of few cores, or few pairs of runs cannot decide it.

    Parameters
    ----------
    measured : dict
        ``cores``; ``load``, the cores that others kept busy before the runs; and ``seconds``, for each part
        of the work a list of seconds per number of threads, as strings; the runs took turns.
    numbers : dict
        ``least_share``: of T, the speed-up that is asked for, by the whole interval of the mean ratio, of
        ``level``; ``least_pairs`` of runs, ``least_cores`` and ``largest_load``.

    Returns
    -------
    Finding
    """
    answers, shown, pairs = [], [], []
    for part, seconds in measured["seconds"].items():
        for threads, runs in seconds.items():
            if threads != "1":
                ratios = [one / run for one, run in zip(seconds["1"], runs, strict=True)]
                low, high = rules.mean_interval(ratios, numbers["level"])
                asked = numbers["least_share"] * int(threads)
                answers.append(True if low >= asked else False if high < asked else None)
                pairs.append(len(ratios))
                mean, low, high = (rules.value_text(v) for v in (sum(ratios) / len(ratios), low, high))
                shown.append(f"{part} {mean} ({low} … {high}) by {threads} threads")
    ours = "; ".join(shown)
    load, cores = measured["load"], measured["cores"]
    if cores < numbers["least_cores"]:
        said = f"the rule asks for {numbers['least_cores']} cores or more, and this machine has {cores}"
        return Finding(rules.INCONCLUSIVE, ours, reason=said)
    if min(pairs) < numbers["least_pairs"]:
        said = f"the rule asks for {numbers['least_pairs']} pairs of runs, and there are {min(pairs)}"
        return Finding(rules.INCONCLUSIVE, ours, reason=said)
    said = f"{cores} cores, {rules.value_text(load)} of them busy before the runs"
    if load > numbers["largest_load"]:
        return Finding(rules.INCONCLUSIVE, ours, reason=f"not on an idle machine: {said}")
    return Finding(rules.over_sets(answers), ours, reason=said)


def _machine(load, second, cores=4, pairs=30):
    seconds = {"1": [2.0] * pairs, "2": [second] * pairs}
    return {"cores": cores, "load": load, "seconds": {"training": seconds, "prediction": seconds}}


#: Measurements that lead to different verdicts.
CASES = {
    "threads_speed_up": [
        _machine(0.0, 1.1), _machine(0.0, 1.9), _machine(1.5, 1.1), _machine(0.0, 1.1, cores=2),
    ]
}  # fmt: skip
