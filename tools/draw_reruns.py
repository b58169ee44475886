"""Which sets of notebook 05 are tuned and tested again ten times: ``python -m tools.draw_reruns``.

The rule was fixed before any of these runs: all sets in a random order with the seed 20261129; each is taken
whose ten runs still fit into three processor hours, by the stored seconds of one run (tuning and test of the
source's four methods).  It prints the names for study.toml.
"""

import json
import random
from collections import defaultdict
from pathlib import Path

from studylib.studies.graf.uci_grids import SOURCE

TASKS = Path(__file__).parents[1] / "reports/paper/tasks/05_graf_uci_comparison.jsonl"
SEED, RUNS, BUDGET = 20261129, 10, 3 * 3600


def seconds_of_a_run(tasks):
    """Stored seconds of tuning and one test of the source's methods, by data set."""
    seconds = defaultdict(float)
    for task in tasks:
        key, name = task["key"], task["task"].rpartition(".")[2]
        first = name in ("tuning_accuracies", "fold_accuracies") and not key.get("replicate", 0)
        if first and key["method"] in SOURCE:
            seconds[key["data"]] += task["seconds"]
    return seconds


def drawn(seconds, seed=SEED, runs=RUNS, budget=BUDGET):
    """Names of the sets that fit into the budget, in the order in which they are drawn."""
    names, chosen = sorted(seconds), []
    for name in random.Random(seed).sample(names, len(names)):
        if runs * seconds[name] <= budget:
            chosen.append(name)
            budget -= runs * seconds[name]
    return chosen


if __name__ == "__main__":
    lines = TASKS.read_text(encoding="utf-8").splitlines()
    print(drawn(seconds_of_a_run(map(json.loads, lines))))
