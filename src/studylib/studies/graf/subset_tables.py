"""Tables about sensitive points and support vectors (Table I), and about other ways to choose."""

import itertools

import numpy as np
import pandas as pd

from studylib.statistics import mean_interval
from studylib.studies.graf.approximation import TABLE_1
from studylib.studies.graf.selection import LEARNERS, WAYS
from studylib.studies.graf.sensitivity import WEIGHTS
from studylib.studies.graf.support_vectors import GROUPS, MACHINES

#: The four numbers of a row of Table I, as the ledger names them, and where they are found.
PARTS = {
    "support vectors": "vectors",
    "overlap": "overlap",
    "accuracy on all samples": "accuracy",
    "accuracy on the subset": "sensitive",
}
#: Id of the claim about each row.
ROW_CLAIMS = {name: f"graf-t1-{name}" for name in TABLE_1}


def subset_table(keys, found):
    """Results of ``support_vectors.subset_accuracies``, a row per key and replicate.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        "data", "machine", "weight", "C", "gamma", "replicate"; "vectors", "accuracy", "overlap", "sensitive"
        and "random" in percent, and "correlation" (NaN if it has no value).
    """
    rows = []
    for key, one in zip(keys, found, strict=True):
        fixed = {name: key[name] for name in ("data", "machine", "weight", "C", "gamma")}
        fixed |= {name: 100 * one[name] for name in ("vectors", "accuracy")}
        for k, replicate in enumerate(key["replicates"]):
            per_cent = {name: 100 * one[name][k] for name in ("overlap", "sensitive", "random")}
            correlation = one["correlation"][k]
            rho = np.nan if correlation is None else correlation
            rows.append(fixed | {"replicate": replicate, **per_cent, "correlation": rho})
    return pd.DataFrame(rows)


def judged(table):
    """The rows that verdicts are about: the tuned machine, sensitivities by height."""
    return table[(table["machine"] == MACHINES[0]) & (table["weight"] == WEIGHTS[0])]


def row_parts(table, name):
    """The four numbers of a row of Table I, in percent, None each for a set that was not measured.

    Parameters
    ----------
    table : DataFrame, from :func:`subset_table`
    name : str

    Returns
    -------
    dict of str to list of float
    """
    rows = judged(table)[lambda t: t["data"] == name]
    return {part: rows[column].tolist() or None for part, column in PARTS.items()}


def row_table(table, random_ranks, claims):
    """Table I as it is printed and as it was found, with both machines and three readings of eq 37.

    Parameters
    ----------
    table : DataFrame, from :func:`subset_table`
    random_ranks : DataFrame, from ``half_tables.third_reading``
        For the tuned machine.
    claims : dict of str to Claim
        The ledger's, which hold the printed numbers.

    Returns
    -------
    DataFrame
        In percent, a row per data set and machine ("printed" for the source's).  Overlap and "subset", the
        accuracy on the most sensitive points, are by height and the order of the data set unless they say
        depth or random rank.
    """
    names = {"vectors": "support vectors", "accuracy": "all", "overlap": "overlap", "sensitive": "subset"}
    means = table.groupby(["weight", "data", "machine"], sort=False)[[*names, "random"]].mean()
    height, depth = (means.loc[weight] for weight in WEIGHTS)
    ours = height.rename(columns=names)
    ours[["overlap, depth", "subset, depth"]] = depth[["overlap", "sensitive"]]
    for column, of in (("overlap, random rank", "overlap"), ("subset, random rank", "sensitive")):
        ours[column] = pd.Series({(name, MACHINES[0]): v for name, v in random_ranks[of].items()})
    printed = {}
    for name in table["data"].unique():
        if name in ROW_CLAIMS:
            parts = claims[ROW_CLAIMS[name]].judge["parts"]
            values = [parts[part]["published"] for part in ("support vectors", "accuracy on all samples")]
            values += [parts[part]["published"] for part in ("overlap", "accuracy on the subset")]
            printed[name, "printed"] = dict(zip(names.values(), values, strict=True))
    rows = pd.concat([pd.DataFrame(printed).T, ours])
    return rows.reindex(
        [(n, m) for n in table["data"].unique() for m in ("printed", *MACHINES) if (n, m) in rows.index]
    )


def quantile_table(keys, found):
    """Distribution of n · p in each of ``GROUPS``, from the first forest of what is judged.

    Returns
    -------
    DataFrame
        "data", "group", "share" (0 … 1) and "relative", the probability over its mean.
    """
    frames = []
    for key, one in zip(keys, found, strict=True):
        if (key["machine"], key["weight"], key["replicates"][0]) == (MACHINES[0], WEIGHTS[0], 0):
            for group in GROUPS:
                values = one["quantiles"][group]
                share = np.linspace(0, 1, len(values))
                frames.append(
                    pd.DataFrame({"data": key["data"], "group": group, "share": share, "relative": values})
                )
    return pd.concat(frames, ignore_index=True)


def way_table(keys, found):
    """Results of ``selection.way_accuracies``, a row per key, way, learner and share.

    Returns
    -------
    DataFrame
        "data", "replicate", "way", "learner", "share" (1 for "all rows"), and "accuracy" in percent.
    """
    rows = [
        {
            "data": key["data"],
            "replicate": key["replicate"],
            "way": way,
            "learner": learner,
            "share": share,
            "accuracy": 100 * accuracy,
        }
        for key, by_way in zip(keys, found, strict=True)
        for way, by_learner in by_way.items()
        for learner, accuracies in by_learner.items()
        for share, accuracy in zip([1.0] if way == "all rows" else key["shares"], accuracies, strict=True)
    ]
    return pd.DataFrame(rows)


def differences_from_uniform(ways):
    """Mean accuracy of each way − that of uniform sampling, a row per data set.

    Parameters
    ----------
    ways : DataFrame, from :func:`way_table`

    Returns
    -------
    DataFrame
        "data", "share", "learner", "way" and "difference", in points.
    """
    parts = ways[ways["way"] != "all rows"]
    means = parts.pivot_table("accuracy", ["data", "share", "learner"], "way", sort=False)
    others = means[list(WAYS[1:])].sub(means["uniform"], axis=0)
    return others.melt(ignore_index=False, var_name="way", value_name="difference").reset_index()


def way_summary(ways):
    """Mean difference from uniform over the data sets with its 95% interval, wins and losses.

    Parameters
    ----------
    ways : DataFrame, from :func:`way_table`

    Returns
    -------
    DataFrame
        A row per share, learner and way.  A difference of at most half a point is neither won nor lost.
    """
    by_group, rows = differences_from_uniform(ways).groupby(["share", "learner", "way"]), {}
    shares = sorted(ways.loc[ways["way"] != "all rows", "share"].unique())
    for group in itertools.product(shares, LEARNERS, WAYS[1:]):
        d = by_group.get_group(group)["difference"]
        rows[group] = {
            **mean_interval(d)._asdict(),
            "won": int((d > 0.5).sum()),
            "lost": int((d < -0.5).sum()),
            "worst": d.min(),
        }
    table = pd.DataFrame(rows).T.rename_axis(["share", "learner", "way"])
    return table.astype({"won": int, "lost": int})


def mean_way_accuracies(ways):
    """Accuracy in percent by share, learner and way: the mean over data sets of means over repetitions."""
    by_set = ways.groupby(["way", "learner", "share", "data"], sort=False)["accuracy"].mean()
    means = by_set.groupby(level=["way", "learner", "share"]).mean()
    shares = sorted(ways.loc[ways["way"] != "all rows", "share"].unique())
    rows = {
        (share, learner): {way: means[way, learner, share] for way in WAYS}
        | {"all rows": means["all rows", learner, 1.0]}
        for share in shares
        for learner in LEARNERS
    }
    return pd.DataFrame(rows).T.rename_axis(["share", "learner"])
