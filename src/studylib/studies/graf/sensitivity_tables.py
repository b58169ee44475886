"""What sensitivity does on the six patterns (Fig. 7), and accuracy against fraction (Fig. 8), as tables."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from studylib.statistics import mean_interval
from studylib.studies.graf import patterns
from studylib.studies.graf.approximation import LEARNERS
from studylib.studies.graf.readings import READINGS
from studylib.studies.graf.sensitivity import (
    PATTERN_LEARNERS,
    SCHEMES,
    SHARE,
    WEIGHTS,
    order_of_rows,
    pattern_forest,
)

#: Ids of the claims about single patterns.
PATTERN_CLAIMS = dict(
    zip(
        patterns.PATTERNS,
        [f"graf-fig7-{kind}-{n}" for kind in ("circles", "pie", "xor") for n in ("2", "k")],
        strict=True,
    )
)
#: What :func:`property_runs` gives, and how it follows from a task's numbers.
PROPERTIES = {
    "weight and local entropy": lambda row: row["entropy"],
    "largest partition, with − without rank": lambda row: row["largest_with"] - row["largest_without"],
    "minority, with − without classes": lambda row: row["minority_with"] - row["minority_without"],
}
#: A fraction reaches an accuracy if it is at most so many points below it.
REACHED = 0.5
#: The comparisons of Fig. 8 whose signs are compared.
_AGAINST_U = ("P", "S")


class Example(NamedTuple):
    """A pattern's points with their sensitivities, and the rows that each scheme chooses.

    Parameters
    ----------
    X, y, sensitivity : ndarrays
    rows : dict of str to int ndarray
    """

    X: np.ndarray
    y: np.ndarray
    sensitivity: np.ndarray
    rows: dict


def examples(n_points, n_trees, seed=0):
    """One :class:`Example` of every pattern, a dict."""
    found = {}
    for pattern in patterns.PATTERNS:
        rng = np.random.default_rng(seed)
        X, y = patterns.draw(pattern, n_points, rng)
        scores = pattern_forest(X, y, n_trees, seed).sensitivity_
        n_chosen = round(SHARE * n_points)
        rows = {scheme: order_of_rows(scheme, scores, rng)[:n_chosen] for scheme in SCHEMES}
        found[pattern] = Example(X, y, scores, rows)
    return found


def boundary_table(keys, found):
    """Results of ``sensitivity.boundary_accuracies``, a row per key, learner and scheme.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        "pattern", "replicate", "learner", "scheme", "near" and "everywhere", accuracies in percent.
    """
    rows = [
        {"pattern": key["pattern"], "replicate": key["replicate"], "learner": learner, "scheme": scheme}
        | {where: 100 * accuracy for where, accuracy in one.items()}
        for key, by_learner in zip(keys, found, strict=True)
        for learner, by_scheme in by_learner.items()
        for scheme, one in by_scheme.items()
    ]
    return pd.DataFrame(rows)


def gains(boundary, where="near", scheme="S", other="U"):
    """For each pattern and learner the runs of a scheme's accuracy − that of another, in points.

    Parameters
    ----------
    boundary : DataFrame, from :func:`boundary_table`
    where : {"near", "everywhere"}
    scheme, other : str, of ``SCHEMES``

    Returns
    -------
    dict of str to dict of str to list of float
    """
    wide = boundary.pivot_table(where, ["pattern", "learner", "replicate"], "scheme", sort=False)
    runs = wide[scheme] - wide[other]
    return {
        pattern: {learner: runs[pattern, learner].tolist() for learner in PATTERN_LEARNERS}
        for pattern in boundary["pattern"].unique()
    }


def gain_table(boundary):
    """Mean accuracies near the boundary by scheme, and differences of schemes with 95% intervals.

    Parameters
    ----------
    boundary : DataFrame, from :func:`boundary_table`

    Returns
    -------
    DataFrame
        A row per pattern and learner: S − U near the boundary and everywhere, S − P and P − U near it.
    """
    near = boundary.pivot_table("near", ["pattern", "learner"], "scheme", sort=False)[[*SCHEMES, "all"]]
    table = pd.concat({"accuracy near the boundary": near}, axis=1)
    table = table.reindex([(p, one) for p in boundary["pattern"].unique() for one in PATTERN_LEARNERS])
    for scheme, other, where in (
        ("S", "U", "near"), ("S", "U", "everywhere"), ("S", "P", "near"), ("P", "U", "near"),
    ):  # fmt: skip
        found = gains(boundary, where, scheme, other)
        intervals = np.array([mean_interval(found[pattern][learner]) for pattern, learner in table.index])
        for name, values in zip(("mean", "low", "high"), intervals.T, strict=True):
            table[f"{scheme} − {other} {where}", name] = values
    return table


def property_runs(keys, found, weight="height"):
    """What weights, ranks and the normalisation by classes do, for each of ``PROPERTIES`` and pattern.

    Parameters
    ----------
    keys, found : lists of dict
        Of ``sensitivity.properties``.
    weight : str, of ``WEIGHTS``

    Returns
    -------
    dict of str to dict of str to list of float
        By property and pattern; shares in points.
    """
    runs = {name: {pattern: [] for pattern in patterns.PATTERNS} for name in PROPERTIES}
    for key, one in zip(keys, found, strict=True):
        for name, of in PROPERTIES.items():
            scale = 1 if name == "weight and local entropy" else 100
            runs[name][key["pattern"]].append(scale * of(one[weight]))
    return runs


def property_table(keys, found):
    """Means of :func:`property_runs` for each pattern, property and reading of the weight."""
    by_weight = {weight: property_runs(keys, found, weight) for weight in WEIGHTS}
    columns = {
        (name, weight): pd.Series({p: np.mean(runs) for p, runs in by_weight[weight][name].items()})
        for name in PROPERTIES
        for weight in WEIGHTS
    }
    return pd.DataFrame(columns)


def confusion_table(keys, found):
    """Results of ``readings.confusion``, a row per key and reading.

    Returns
    -------
    DataFrame
        "pattern", "reading", and the rank correlations of sensitivity, "entropy" and "row".
    """
    rows = [
        {"pattern": key["pattern"], "reading": reading, **one}
        for key, by_reading in zip(keys, found, strict=True)
        for reading, one in by_reading.items()
    ]
    return pd.DataFrame(rows)


def confusion_runs(confusion):
    """For each pattern the rank correlations of sensitivity and entropy, by the reading that is judged."""
    judged = confusion[confusion["reading"] == READINGS[0]]
    return {pattern: one.tolist() for pattern, one in judged.groupby("pattern", sort=False)["entropy"]}


def noise_table(keys, found):
    """Results of ``label_noise.noisy_accuracies``, a row per key and scheme.

    Parameters
    ----------
    keys, found : lists of dict

    Returns
    -------
    DataFrame
        The columns of the keys, "scheme", and in percent "rate" of wrong labels, "accuracy", "wrong".
    """
    rows = [
        {**key, "rate": 100 * key["rate"], "scheme": scheme} | {name: 100 * v for name, v in one.items()}
        for key, by_scheme in zip(keys, found, strict=True)
        for scheme, one in by_scheme.items()
    ]
    return pd.DataFrame(rows)


def fraction_table(keys, found):
    """Results of ``approximation.fraction_curves``, a row per key, learner, scheme and fraction.

    Parameters
    ----------
    keys : list of dict
    found : list of dict, one for each key

    Returns
    -------
    DataFrame
        "data", "half", "learner", "scheme", "fraction", and "accuracy" in percent.
    """
    rows = [
        {
            "data": key["data"],
            "half": key["half"],
            "learner": learner,
            "scheme": scheme,
            "fraction": fraction,
            "accuracy": 100 * accuracy,
        }
        for key, by_learner in zip(keys, found, strict=True)
        for learner, by_scheme in by_learner.items()
        for scheme, curve in by_scheme.items()
        for fraction, accuracy in zip(key["fractions"], curve, strict=True)
    ]
    return pd.DataFrame(rows)


def _by_curve(curves):
    """A row per data set, learner, scheme and half, a column per fraction."""
    index = ["data", "learner", "scheme", "half"]
    return curves.pivot_table("accuracy", index, "fraction", sort=False).sort_index(axis=1)


def areas(curves):
    """Mean height of each curve: the area under it over its range of fractions, in points.

    Parameters
    ----------
    curves : DataFrame, from :func:`fraction_table`

    Returns
    -------
    Series, by data, learner, scheme and half
    """
    wide = _by_curve(curves)
    fractions = wide.columns.to_numpy()
    area = np.trapezoid(wide.to_numpy(), fractions) / (fractions[-1] - fractions[0])
    return pd.Series(area, wide.index)


def smallest_fractions(curves):
    """Smallest fraction with an accuracy at most ``REACHED`` points below that of all rows.

    Parameters
    ----------
    curves : DataFrame, from :func:`fraction_table`

    Returns
    -------
    Series, by data, learner, scheme and half
    """
    wide = _by_curve(curves)
    # A step of accuracy can be 0.5 points up to rounding.
    reached = wide.ge(wide[wide.columns[-1]] - REACHED - 1e-9, axis=0)
    return reached.idxmax(axis=1).astype(float)


def _runs(values, name, learner, scheme):
    return values[name, learner, scheme].sort_index()


def sampled_against_uniform(curves):
    """Area of P − area of U, in points: for each data set and learner the runs, as the ledger judges them."""
    area = areas(curves)
    return {
        name: {one: (_runs(area, name, one, "P") - _runs(area, name, one, "U")).tolist() for one in LEARNERS}
        for name in curves["data"].unique()
    }


def reached_early(curves):
    """For each data set and learner the runs of S's smallest fraction − 1, as the ledger judges them."""
    smallest = smallest_fractions(curves)
    return {
        name: {one: (_runs(smallest, name, one, "S") - 1).tolist() for one in LEARNERS}
        for name in curves["data"].unique()
    }


def reached_before_uniform(curves):
    """For each data set and learner the runs of S's smallest fraction − U's."""
    smallest = smallest_fractions(curves)
    return {
        name: {
            one: (_runs(smallest, name, one, "S") - _runs(smallest, name, one, "U")).tolist()
            for one in LEARNERS
        }
        for name in curves["data"].unique()
    }


def sign_agreement(curves):
    """For each data set the share of cases in which both learners' mean differences have one sign.

    Parameters
    ----------
    curves : DataFrame, from :func:`fraction_table`

    Returns
    -------
    dict of str to float
        Cases are P − U and S − U at every fraction below 1; two differences of zero agree.
    """
    means = _by_curve(curves).groupby(level=["data", "learner", "scheme"], sort=False).mean().iloc[:, :-1]
    found = {}
    for name in curves["data"].unique():
        signs = [
            [np.sign((means.loc[name, one, s] - means.loc[name, one, "U"]).round(9)) for s in _AGAINST_U]
            for one in LEARNERS
        ]
        found[name] = float(np.mean(np.array(signs[0]) == np.array(signs[1])))
    return found


def fraction_summary(curves):
    """A row per data set and learner: accuracy with all rows, areas of P and S − U, smallest fractions."""
    area, smallest = areas(curves), smallest_fractions(curves)
    complete = _by_curve(curves).iloc[:, -1]
    rows = {}
    for name in curves["data"].unique():
        for learner in LEARNERS:
            of = {scheme: (name, learner, scheme) for scheme in SCHEMES}
            rows[name, learner] = {
                "all rows": complete[of["U"]].mean(),
                "area P − U": area[of["P"]].mean() - area[of["U"]].mean(),
                "area S − U": area[of["S"]].mean() - area[of["U"]].mean(),
                **{f"fraction {s}": smallest[of[s]].mean() for s in SCHEMES},
            }
    return pd.DataFrame(rows).T
