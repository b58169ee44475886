"""What is tuned on the UCI suite: the sets, the grid of each method, and the choice from it."""

from typing import NamedTuple

import numpy as np

from studylib.core.data import DataChangedError
from studylib.core.parameters import resolve_max_features
from studylib.datasets import _uci_archive as archive
from studylib.studies import suites

#: The methods that the source compares, and those that we add.
SOURCE = ("GRAF", "random forest", "gradient boosting", "AdaBoost")
OURS = ("guided", "canonical", "blend")
#: The blend as it was first, with trees grown pure; at its defaults only.
FIRST_BLEND = "blend, m = 2"
#: Compared at their defaults only.
UNTUNED = ("extra trees", "histogram boosting")
#: The source's grid: features of a tree or split, and the smallest partition or node that is divided.
MAX_FEATURES, MIN_SAMPLES_SPLIT = ("log2", "sqrt", "half", None), (2, 3, 4, 5)
#: Gradient boosting grows a tree for each class and round: so many trees at most, unless the first entry of
#: the grid has more; and features are not tuned beyond so many classes.
MOST_BOOSTED_TREES, MOST_CLASSES = 2000, 10
#: Tested several times, because shares of sets are judged over replicates: the source's forests.  AdaBoost
#: draws nothing, boosting only features; of our methods no share is judged.
REPEATED = ("GRAF", "random forest")


class UciSet(NamedTuple):
    """A data set by name, with its numbers of samples, features and classes."""

    name: str
    n: int
    d: int
    classes: int


def load_uci_sets():
    """Read the archive once, and see which of its sets are there whole.

    Raises DataNotAvailableError or DataChangedError if there is no archive, or no set can be read from it.
    """
    path, usable, left_out = archive.find(), [], {}
    problem = f"{path.name} lacks it"
    try:
        for entry, parts in archive.read(path, archive.entries().values()):
            if archive.is_right(entry, parts):
                usable.append(UciSet(entry.name, entry.n_samples, entry.n_features, entry.n_classes))
            else:
                left_out[entry.name] = f"it has been altered in {path.name}"
    except DataChangedError as error:
        if not usable:
            raise
        problem = str(error).replace(str(path), path.name)
    missing = set(archive.entries()) - {data.name for data in usable} - set(left_out)
    left_out |= dict.fromkeys(sorted(missing), problem)
    return suites.Sets(sorted(usable, key=lambda data: (data.n * data.d, data.name)), left_out)


def bundled_sets():
    """The sets that stand in for them: those that come with scikit-learn."""
    sets = []
    for name in suites.bundled_names():
        X, y = suites.rows(name)
        sets.append(UciSet(name, *X.shape, y.max() + 1))
    return suites.Sets(sorted(sets, key=lambda data: data.n * data.d), {})


def choose_sets(sets, n_sets, most_values, without=()):
    """At most ``n_sets`` sets of at most ``most_values`` values (n · d), evenly spaced by size.

    Sets named by ``without`` are not taken; ValueError if the suite has no set of such a name.
    """
    unknown = sorted(set(without) - set(archive.entries()))
    if unknown:
        raise ValueError(f"without names {unknown}, but the UCI suite has no such data sets.")
    sets = [data for data in sets if data.name not in without]
    small = [data for data in sets if data.n * data.d <= most_values] or sets[:1]
    if len(small) <= n_sets:
        return small
    places = np.linspace(len(small) - 1, 0, n_sets).round().astype(int)
    return [small[k] for k in sorted(places)]


def _features(d):
    """The source's four numbers of features of d, each once."""
    named = ("log2", "sqrt", "half", None)
    return sorted({resolve_max_features("grid", value, d, named) for value in MAX_FEATURES})


def first_keys(sets, n_trees):
    """Keys of ``uci.tuning_accuracies`` for the grids of all tuned methods.

    GRAF has the source's whole grid, with trees ``n_trees``.  "guided" and "canonical" see all features; of
    theirs, the trees end at 500, as of all methods but GRAF, and at 200 for the blend, which cannot grow in
    portions.  Where features and splits are tuned with the smallest number of trees only, :func:`second_keys`
    tunes the number.
    """
    keys, fewer = [], _fewer(n_trees)
    ends = (MIN_SAMPLES_SPLIT[0], MIN_SAMPLES_SPLIT[-1])
    for data in sets:
        for M in _features(data.d):
            for split in MIN_SAMPLES_SPLIT:
                keys.append(_key(data, "GRAF", n_trees, M, split))
        for method in ("guided", "canonical"):
            keys += [_key(data, method, fewer, None, split) for split in ends]
        keys.append(_key(data, "blend", _fewer(n_trees, 200), None, "auto"))
        keys.append(_key(data, "AdaBoost", fewer))
        for M in _features(data.d):
            for split in ends:
                keys.append(_key(data, "random forest", n_trees[:1], M, split))
        keys += [_key(data, "gradient boosting", n_trees[:1], M) for M in _boosted_features(data)]
    return keys


def _boosted_features(data):
    features = _features(data.d)
    root = resolve_max_features("grid", "sqrt", data.d)
    return [root] if data.classes > MOST_CLASSES else sorted({root, features[-1]})


def _fewer(n_trees, most=500):
    return [n for n in n_trees if n <= most] or n_trees[:1]


def second_keys(sets, n_trees, first, accuracies):
    """Keys for the number of trees of random forests and boosting, at the features and split chosen first."""
    classes = {data.name: data.classes for data in sets}
    best, keys = chosen(first, accuracies), []
    for (name, method), key in best.items():
        if method not in ("random forest", "gradient boosting"):
            continue
        counts = _fewer(n_trees)
        if method == "gradient boosting":
            counts = _fewer(counts, MOST_BOOSTED_TREES // classes[name])
        if len(counts) > 1:  # else the first search has tried it
            keys.append(key | {"n_trees": counts})
    return keys


def chosen(keys, accuracies):
    """The best configuration by ``(data, method)``, with one number of trees.

    Each key has an accuracy per number of trees; ties go to the fewest trees, then to the first.
    """
    best = {}
    for key, of_key in zip(keys, accuracies, strict=True):
        for n, accuracy in zip(key["n_trees"], of_key, strict=True):
            place, rank = (key["data"], key["method"]), (round(accuracy, 12), -n)
            if place not in best or rank > best[place][0]:
                best[place] = (rank, key | {"n_trees": [n]})
    return {place: key for place, (_, key) in best.items()}


def final_keys(configurations, n_replicates):
    """Keys of ``uci.fold_accuracies`` for chosen configurations, of methods in ``REPEATED`` several times."""
    configurations = list(configurations)
    return [
        key | {"replicate": r}
        for r in range(n_replicates)
        for key in configurations
        if r == 0 or key["method"] in REPEATED
    ]


def default_keys(sets, n_trees):
    """Keys of ``uci.fold_accuracies``: every method at its defaults, with as many trees or rounds.

    Gradient boosting is left out where there are more than ``MOST_CLASSES`` classes: on all features it would
    take longer there than everything else together.
    """
    methods, slow = (*SOURCE, *OURS, *UNTUNED, FIRST_BLEND), "gradient boosting"
    splits = {"blend": "auto", FIRST_BLEND: 2}
    return [
        _key(data, method, [n_trees], None, splits.get(method)) | {"replicate": 0}
        for data in sets
        for method in methods
        if method != slow or data.classes <= MOST_CLASSES
    ]


def _key(data, method, n_trees, max_features=None, min_samples_split=None):
    key = {"data": data.name, "method": method, "n_trees": list(n_trees)}
    if max_features is not None:
        key["max_features"] = max_features
    if min_samples_split is not None:
        key["min_samples_split"] = min_samples_split
    return key
