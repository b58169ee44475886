"""Further runs of the source's comparison on some sets, tuning included: how much do runs differ?"""

import numpy as np
import pandas as pd

from studylib.studies.graf import uci
from studylib.studies.graf.uci_grids import (
    MIN_SAMPLES_SPLIT,
    SOURCE,
    UciSet,
    chosen,
    first_keys,
    second_keys,
)
from studylib.studies.keys import crossed
from studylib.studies.replicates import in_percent


def rerun_keys(sets, n_trees, n_reruns):
    """Keys of :func:`rerun`: each method of the source on each set, several times."""
    over = {"rerun": range(n_reruns), "data": [data.name for data in sets], "method": SOURCE}
    return crossed(over, n_trees=list(n_trees))


def rerun(key, seed):
    """Tune and test one method on one set once more, with other folds to tune on and other seeds.

    The grids are those of the full run; only gradient boosting has more, because its smallest split is tuned
    as a random forest's is.  The archive's half to tune on and its four draws stay.  The folds depend on the
    set and "rerun" alone, so all methods have the same.  Returns the mean accuracy over the four draws, and
    what was chosen (None where a method has no such parameter, or its default).
    """
    data = uci._load(key["data"])
    chosen_set = UciSet(key["data"], *data.X.shape, len(np.unique(data.y)))
    # In another order the same function makes other folds.
    rows = np.random.default_rng([key["rerun"], len(data.tuning)]).permutation(data.tuning)
    X, y = data.X[rows], data.y[rows]
    folds = uci._inner_folds(y)
    seeds = iter(np.random.SeedSequence(seed).generate_state(100).tolist())

    def accuracies(keys):
        return [np.mean(uci._over_folds(key, next(seeds), X, y, folds), axis=0).tolist() for key in keys]

    first = _grid(chosen_set, key["method"], key["n_trees"])
    in_cv = accuracies(first)
    best = chosen(first, in_cv)
    second = second_keys([chosen_set], key["n_trees"], first, in_cv)
    best |= chosen(second, accuracies(second))
    configuration = best[chosen_set.name, key["method"]]
    tested = uci._over_folds(configuration, next(seeds), data.X, data.y, data.folds)
    return {
        "accuracy": float(np.mean([row[-1] for row in tested])),
        "n_trees": configuration["n_trees"][0],
        "max_features": configuration.get("max_features"),
        "min_samples_split": configuration.get("min_samples_split"),
    }


def _grid(data, method, n_trees):
    keys = [key for key in first_keys([data], n_trees) if key["method"] == method]
    if method != "gradient boosting":
        return keys
    ends = (MIN_SAMPLES_SPLIT[0], MIN_SAMPLES_SPLIT[-1])
    return [key | {"min_samples_split": split} for key in keys for split in ends]


def rerun_table(runs):
    """Accuracy in percent of each method (columns) in each run of each set, levels "data" and "rerun"."""
    accuracies = in_percent(runs, "accuracy")
    return accuracies.pivot_table("accuracy", ["data", "rerun"], "method", sort=False)[list(SOURCE)]


def runs_of_sets(tables, reruns, holds):
    """Whether a statement holds for a set in each of its runs: the reruns where there are some.

    ``tables`` has the accuracies of the full run, by set and method, one table for each repetition of its
    test; ``holds`` makes a bool Series of a table.
    """
    held = pd.concat([holds(table) for table in tables], axis=1)
    runs = dict(zip(held.index, held.to_numpy().tolist(), strict=True))
    again = holds(reruns).groupby(level="data", sort=False)
    return runs | {name: part.tolist() for name, part in again}


def shares_of_runs(reruns, holds):
    """Share of the rerun sets for which a statement holds, in each run: a list."""
    return holds(reruns).groupby(level="rerun").mean().tolist()


def spread_table(reruns, tables):
    """Accuracy of each method on the rerun sets: mean and deviation over their runs, and in the full run.

    All are means over the sets; the standard deviation is that between a set's runs.
    """
    by_set = reruns.groupby(level="data", sort=False)
    full = sum(tables) / len(tables)
    return pd.DataFrame(
        {
            "mean of the runs": by_set.mean().mean(),
            "deviation between runs": by_set.std().mean(),
            "full run": full.loc[list(by_set.groups), list(SOURCE)].mean(),
        }
    )
