"""Tasks that compare γ with one another, and the forest with other selective classifiers, on halves of data.

Data and split depend on data set and replicate alone, so methods are paired.
"""

import time
from functools import cache

import numpy as np
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from threadpoolctl import threadpool_limits

from studylib.datasets import load_uci_suite, make_clean_partitions
from studylib.statistics import conformal_confidence, risk_coverage
from studylib.studies import suites
from studylib.studies.pcf import tuning
from studylib.studies.pcf.tuning import FITTED, LEAF_MODELS
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest

#: Share of the rows that a split tests on: the other half is trained on.
TEST_SHARE = 0.5
#: Real sets by properties alone: in alphabetical order the first twelve of the UCI suite with 150 to 2,000
#: rows, 4 to 30 features, no separate test file and ten rows or more in every class; of sets whose names
#: begin with the same word the first.
UCI_SETS = (
    "balance-scale", "blood", "breast-cancer", "car", "congressional-voting", "contrac", "credit-approval",
    "energy-y1", "heart-cleveland", "hepatitis", "ilpd-indian-liver", "iris",
)  # fmt: skip
#: Methods that a forest that abstains is compared with.
PEERS = ("random forest", "boosting", "conformal")

_TURNS = 3


def load_uci_sets():
    """Names of the real data sets, after a check that they are there."""
    load_uci_suite(UCI_SETS[0])
    return UCI_SETS


@cache
def _rows(name, n_plane):
    return make_clean_partitions(n_plane, random_state=0) if name == "plane" else suites.rows(name)


def halves(key):
    """X and y of the half that is trained on, then of the half that is tested on; class indices.

    ``data`` is "plane", of ``n_plane`` points, one of ``UCI_SETS`` or a bundled one.
    """
    X, y = _rows(key["data"], key["n_plane"])
    codes = np.unique(y, return_inverse=True)[1]
    return train_test_split(X, codes, test_size=TEST_SHARE, random_state=key["replicate"], stratify=codes)


def _forest(leaf_model, settings, n_trees, seed):
    model = LEAF_MODELS[leaf_model]
    return PartialClassificationForest(
        n_trees, leaf_model=model if leaf_model in FITTED else clone(model), max_loss=settings["max_loss"],
        min_samples_leaf=settings["min_samples_leaf"], random_state=seed,
    )  # fmt: skip


def thresholds(key, seed):
    """τ_l and τ_|X| of a γ, chosen on the training half."""
    X, _, y, _ = halves(key)
    with threadpool_limits(1):
        max_loss, smallest, area = tuning.chosen_thresholds(
            key["leaf_model"], X, y, key["n_tuning_trees"], seed
        )
    return {"max_loss": max_loss, "min_samples_leaf": smallest, "area": area}


def price(key, seed):
    """Seconds of one processor that a Tree of each γ takes with its own thresholds, in ``settings``.

    This is the only measured time of these comparisons.  The fits take turns, so that a drift of the machine
    hits all of them; the median counts.  Repeated, the result differs, so nothing else is measured here.
    """
    X, _, y, _ = halves(key)
    forests = {
        name: _forest(name, settings, 2 if name in FITTED else key["n_trees"], seed)
        for name, settings in key["settings"].items()
    }
    seconds = {name: [] for name in forests}
    with threadpool_limits(1):
        for forest in forests.values():
            forest.fit(X, y)  # compiles
        for _ in range(_TURNS):
            for name, forest in forests.items():
                start = time.process_time()
                forest.fit(X, y)
                seconds[name].append((time.process_time() - start) / forest.n_estimators)
    return {name: float(np.median(taken)) for name, taken in seconds.items()}


def trees_for_the_price(n_trees, price, other):
    """How many Trees one gets for the price of others, rounded down to one significant digit; at least one.

    Rounded, because prices are measured: a few percent of noise shall not change an experiment.
    """
    number = max(1, int(n_trees * other / price))
    digits = len(str(number)) - 1
    return number // 10**digits * 10**digits


def forest_area(key, seed):
    """Risk–coverage curve of a forest with given thresholds, on the other half.

    Few Trees at a time are in memory; the curve is that of all their votes.
    """
    X, X_test, y, y_test = halves(key)
    votes = np.zeros((len(X_test), y.max() + 2))
    states = np.random.RandomState(seed)
    block = 10 if key["leaf_model"] in FITTED else 100
    with threadpool_limits(1):
        for start in range(0, key["n_estimators"], block):
            n_trees = min(block, key["n_estimators"] - start)
            forest = _forest(key["leaf_model"], key, n_trees, states.randint(2**31 - 1)).fit(X, y)
            votes += forest.vote_shares(X_test) * n_trees
    return _curve(y_test, *tuning.ranked(votes.round().astype(int), np.bincount(y)))


def peer_area(key, seed):
    """Risk–coverage curve of a method that one would use instead."""
    X, X_test, y, y_test = halves(key)
    if key["method"] == "boosting":
        peer = HistGradientBoostingClassifier(random_state=seed)
    else:
        peer = RandomForestClassifier(key["n_estimators"], random_state=seed)
    with threadpool_limits(1):
        if key["method"] == "conformal":
            X, X_held, y, y_held = train_test_split(X, y, test_size=0.25, random_state=seed, stratify=y)
            shares = peer.fit(X, y).predict_proba(X_test)
            return _curve(y_test, *conformal_confidence(peer.predict_proba(X_held), y_held, shares))
        shares = peer.fit(X, y).predict_proba(X_test)
    return _curve(y_test, shares.argmax(axis=1), shares.max(axis=1))


def _curve(y, codes, confidence):
    curve = risk_coverage(y, codes, confidence)
    at = np.linspace(0.02, 1, 50)
    return {
        "area": curve.area,
        "coverage": at.round(2).tolist(),
        "risk": np.interp(at, curve.coverage, curve.risk).tolist(),
        "accuracy": float((codes == y).mean()),
    }


def split_keys(sets, n_plane, n_splits):
    """A key for every data set and split."""
    return [{"data": data, "n_plane": n_plane, "replicate": r} for data in sets for r in range(n_splits)]


def price_keys(chosen, n_trees):
    """Keys of :func:`price`: every split with the thresholds that were chosen on it."""
    models = {name: part.to_dict("records") for name, part in chosen.groupby("leaf_model", sort=False)}
    return [
        {name: row[name] for name in ("data", "n_plane", "replicate")}
        | {
            "n_trees": n_trees,
            "settings": {
                model: {"max_loss": rows[k]["max_loss"], "min_samples_leaf": rows[k]["min_samples_leaf"]}
                for model, rows in models.items()
            },
        }
        for k, row in enumerate(next(iter(models.values())))
    ]


def _area_key(row, n_trees):
    names = ("data", "n_plane", "replicate", "leaf_model", "max_loss", "min_samples_leaf")
    return {name: row[name] for name in names} | {"n_estimators": n_trees}


def area_keys(chosen, prices, n_trees):
    """Keys of :func:`forest_area` for all γ, with as many Trees and with as many as the price allows.

    The prices are in the order of :func:`price_keys`; the majority γ has ``n_trees`` Trees.
    """
    equal_number, equal_price = [], []
    for _, part in chosen.groupby("leaf_model", sort=False):
        for row, seconds in zip(part.to_dict("records"), prices, strict=True):
            price, source_price = seconds[row["leaf_model"]], seconds["majority"]
            number = n_trees if price == source_price else trees_for_the_price(n_trees, price, source_price)
            equal_number.append(_area_key(row, n_trees))
            equal_price.append(_area_key(row, number))
    return equal_number, equal_price


def source_keys(chosen, n_trees):
    """Keys of :func:`forest_area` for forests with the source's γ."""
    return [_area_key(row, n_trees) for row in chosen.query("leaf_model == 'majority'").to_dict("records")]
