"""Is a hyperplane extended always (eqs 13 to 15), or only where it improves the purity (Fig. 1)?"""

import numpy as np

from studylib.graf import GuidedRandomForestClassifier
from studylib.statistics.decompositions import strength_correlation
from studylib.studies.graf.experiments import RBF_SETS, rbf_halves
from studylib.studies.graf.properties import node_counts
from studylib.studies.keys import crossed
from studylib.studies.replicates import in_percent

#: When a hyperplane divides another partition than its own, with the forest's ``extension_gain``.
CONDITIONS = {"always": 0.0, "if purity rises": 1e-9, "if it rises by half of ω’s share": 0.5}
_N_TRAIN = 2_500


def condition_keys(seeds):
    """Keys of :func:`condition_on_purity`: as many models on every data seed as the further seeds have."""
    over = {"data": RBF_SETS, "data_seed": seeds.models, "condition": CONDITIONS}
    return crossed(over, n_models=seeds.n_models_further)


def condition_on_purity(key, seed):
    """Error and bound of forests whose hyperplanes are extended under a condition, a list over models each.

    And the hyperplanes per tree, and the share of the extended divisions that are idle: they leave the
    size-weighted Gini purity as it was.  Each model has a hundred trees of M = 5 and is trained on 2,500
    samples drawn at random.  They and the forests' random states are the same under all conditions: they
    depend on data seed and model alone, not on ``seed``.
    """
    X_pool, y_pool, X_test, y_test = rbf_halves(key["data"], key["data_seed"])
    measured = {"error": [], "bound": [], "planes": [], "idle": []}
    for r in range(key["n_models"]):
        rng = np.random.default_rng([key["data_seed"], 3, r])
        rows = rng.choice(len(X_pool), _N_TRAIN, replace=False)
        X, y = X_pool[rows], y_pool[rows]
        forest = GuidedRandomForestClassifier(
            100, max_features=5, extension_gain=CONDITIONS[key["condition"]], random_state=r
        ).fit(X, y)
        classes = np.searchsorted(forest.classes_, y_test)
        measured["error"].append(float((forest.predict(X_test) != y_test).mean()))
        measured["bound"].append(strength_correlation(forest.tree_predict(X_test), classes).bound)
        measured["planes"].append(float(np.mean([len(tree.thresholds) for tree in forest.trees_])))
        measured["idle"].append(idle_share(forest, X, np.searchsorted(forest.classes_, y)))
    return measured


def idle_share(forest, X, y):
    """Share of the extended divisions that leave the size-weighted Gini purity as it was."""
    leaves, n_idle, n_extended = forest.apply(X), 0, 0
    for t, tree in enumerate(forest.trees_):
        counts = node_counts(tree, leaves[:, t], y, len(forest.classes_)).astype(float)
        inner = np.flatnonzero(~tree.is_leaf())
        extended = inner[tree.origins[tree.nodes["plane"][inner]] != inner]
        child = tree.nodes["next"][extended]
        # Purity stays as it was where both children have their parent's class shares.
        n, first = counts[extended].sum(axis=1), counts[child].sum(axis=1)
        same = (
            np.abs(counts[child] * n[:, None] - counts[extended] * first[:, None]).max(axis=1, initial=0)
            < 0.5
        )
        n_idle, n_extended = n_idle + int(same.sum()), n_extended + len(extended)
    return n_idle / max(n_extended, 1)


def condition_table(forests):
    """Error and idle divisions (percent), bound and hyperplanes under each condition, means over models."""
    table = forests.set_index(["data", "data_seed", "condition"])[["bound", "error", "idle", "planes"]]
    return in_percent(table.map(np.mean), "error", "idle")


def condition_answer(table):
    """What the condition changes, for the claim: the mean over sets in each data seed.

    "idle" is in percent of the extended divisions, the change of the error in points, and those of the bound
    and of the number of hyperplanes in percent.
    """
    always, rises, half = (table.xs(name, level="condition") for name in CONDITIONS)

    def by_seed(values):
        return values.groupby(level="data_seed").mean().tolist()

    answer = {"idle": by_seed(always["idle"])}
    for name, forests in (("rises", rises), ("half", half)):
        answer[f"{name}, error"] = by_seed(forests["error"] - always["error"])
        for measure in ("bound", "planes"):
            answer[f"{name}, {measure}"] = by_seed(100 * (forests[measure] / always[measure] - 1))
    return answer
