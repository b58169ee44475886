"""What one thread of this machine can do at most, and how near to it the kernels come."""

import time

import numpy as np
import pandas as pd
from numba import njit

from benchmarks import data, profiles
from studylib.graf import GuidedRandomForestClassifier
from studylib.graf._predict import _PRODUCTS
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest
from studylib.trees import RandomForestClassifier, TreePredictor


@njit(cache=True)
def _triad(a, b, c):
    for i in range(len(a)):
        a[i] = b[i] + 3.0 * c[i]


@njit(cache=True)
def _gather(values, order):
    total = 0.0
    for i in order:
        total += values[i]
    return total


@njit(cache=True)
def _chase(following, n_steps):
    """Eight ways through a table, each step of which waits for the one before."""
    at = np.arange(8)
    for _ in range(n_steps):
        for k in range(8):
            at[k] = following[at[k]]
    return at


@njit(cache=True)
def _look(labels, sizes, sums):
    """Add up the labels of each node's samples, which lie one behind the other."""
    start = 0
    for node in range(len(sizes)):
        n = sizes[node]
        if start + n > len(labels):
            start = 0
        total = 0
        for i in range(start, start + n):
            total += labels[i]
        sums[node] = total
        start += n


@njit(cache=True, fastmath={"contract"})
def _multiply(line, a, b, c, n_rounds):
    for _ in range(n_rounds):
        for i in range(len(line)):
            line[i] += np.float32(0.3) * a[i] + np.float32(0.5) * b[i] + np.float32(0.7) * c[i]


def _clock(function, *arguments):
    start = time.perf_counter()
    function(*arguments)
    return time.perf_counter() - start


def _best(repeats, function, *arguments):
    function(*arguments)  # compiles
    return min(_clock(function, *arguments) for _ in range(repeats))


def bandwidth(scale=1.0, n=20_000_000, repeats=5):
    """What one thread of this machine reads and writes, and what growing a tree on numbers reads.

    Each level of the tree reads each sample of a node that is divided in every feature once; levels above the
    leaves are counted from the fitted tree.

    Parameters
    ----------
    scale : float
        Of the table that the tree is grown on.
    n : int
        Values in the arrays that are read: more than a cache holds.

    Returns
    -------
    DataFrame
        For a STREAM triad, for reads in random order and for the tree: millions of values per second, and the
        GB/s that they are.
    """
    a, b, c = np.zeros(n), np.ones(n), np.ones(n)
    order = np.random.default_rng(0).permutation(n)[: n // 4]
    _, X, y, *_ = data.noisy(scale)
    tree = TreePredictor("gini")
    growing = _best(3, tree.fit, X, y)
    nodes = tree.nodes_
    read = float(nodes["n_samples"][nodes["first_child"] >= 0].sum()) * X.shape[1]
    values = {
        "in order (a STREAM triad)": 3 * n / _best(repeats, _triad, a, b, c),
        "in random order": len(order) / _best(repeats, _gather, b, order),
        "growing a tree": read / growing,
    }
    each = pd.Series(values)
    return pd.DataFrame({"millions of values per second": each / 1e6, "GB/s": 8 * each / 1e9})


def reads(n_values, waiting, repeats=5, n=2_000_000):
    """Millions of float64 (``waiting``: of indices) per second, read in random order from so many of them.

    Parameters
    ----------
    n_values : int
    waiting : bool
        Whether each read tells where the next one is, eight at a time, as in a walk down a tree.
    """
    order = np.random.default_rng(0).permutation(n_values)
    if waiting:
        following = np.empty(n_values, np.int64)
        following[order] = np.roll(order, 1)  # one cycle through all
        return n / _best(repeats, _chase, following, n // 8) / 1e6
    order = np.resize(order, n)
    return n / _best(repeats, _gather, np.ones(n_values), order) / 1e6


def products(repeats=5, n=512, n_rounds=10_000):
    """Millions of float32 products per second, added up in the first cache, three arrays at a time."""
    line, *others = (np.ones(n, np.float32) for _ in range(4))
    return 3 * n * n_rounds / _best(repeats, _multiply, line, *others, n_rounds) / 1e6


def looks(sizes, repeats=5):
    """Millions of nodes per second whose samples are looked at once: the labels of each are added up.

    Parameters
    ----------
    sizes : int array (n_nodes,)
        Samples in each node, in the order in which a tree's nodes were made.
    """
    labels, sums = np.ones(max(sizes), np.int32), np.empty(len(sizes), np.int64)
    return len(sizes) / _best(repeats, _look, labels, sizes, sums) / 1e6


def nearness(scale=1.0, n_trees=20):
    """How near some kernels come to what the machine can do, in millions per second.

    Returns
    -------
    DataFrame
        A row for each: what is counted, how many a second, how many the machine can do, and the share.
    """
    rows = {}
    _, X, y, probes, _ = data.numbers(scale)
    forest = RandomForestClassifier(n_trees, criterion="gini", random_state=0).fit(X, y)
    depths = [tree.nodes_["depth"][tree.apply(probes)].sum() for tree in forest.estimators_]
    n_nodes = sum(len(tree.nodes_) for tree in forest.estimators_) // n_trees
    rows["random forest on numbers: predict"] = (
        "reads of nodes and entries, one after the other",
        2 * sum(depths) / _best(3, forest.predict, probes) / 1e6,
        reads(2 * n_nodes, waiting=True),
    )
    _, X, y, probes, _ = data.letter(scale)
    guided = GuidedRandomForestClassifier(n_trees, random_state=0).fit(X, y)
    shares = profiles.profile(lambda: guided.predict(probes), profiles.GUIDED_PREDICT)
    k = guided.max_features_
    rows["GRAF, box, letter: predict, first hyperplanes"] = (
        "products",
        n_trees * len(probes) * (_PRODUCTS // k * k)
        / (_best(3, guided.predict, probes) * shares["kernel"] * shares["give_bits"]) / 1e6,
        products(),
    )  # fmt: skip
    for what, hyperplane, rows_of in (("letter", "box", data.letter), ("noisy", "guided", data.noisy)):
        _, X, y, *_ = rows_of(scale)
        guided = GuidedRandomForestClassifier(n_trees, hyperplane=hyperplane, random_state=0)
        shares = profiles.profile(lambda forest=guided, X=X, y=y: forest.fit(X, y), profiles.GUIDED_FIT)
        sizes = [tree.n_samples[1:] for tree in guided.trees_]
        rows[f"GRAF, {hyperplane}, {what}: fit, judging new nodes"] = (
            "nodes, a sum over the samples of each",
            sum(map(len, sizes))
            / (_best(3, guided.fit, X, y) * shares["kernel"] * shares["classify_partitions"])
            / 1e6,
            looks(sizes[0]),
        )
    X, y, _, _ = data.clean_partitions(scale)
    partial = PartialClassificationForest(n_trees, max_depth=32, random_state=0)
    shares = profiles.profile(lambda: partial.fit(X, y), profiles.PARTIAL_FIT)
    kernel = _best(3, partial.fit, X, y) * shares["kernel"]
    sizes = [tree.nodes_["n_samples"] for tree in partial.estimators_]
    divided = sum(
        int(tree.nodes_["n_samples"][tree.nodes_["first_child"] >= 0].sum()) for tree in partial.estimators_
    )
    rows["PCF: fit, dividing nodes"] = (
        "samples, each a read of a column",
        divided / (kernel * shares["partition"]) / 1e6,
        reads(len(X), waiting=False),
    )
    rows["PCF: fit, judging new nodes"] = (
        "nodes, a sum over the samples of each",
        sum(map(len, sizes)) / (kernel * shares["_try_leaf"]) / 1e6,
        looks(sizes[0]),
    )
    columns = ["what is counted", "millions per second", "the machine's"]
    found = pd.DataFrame(rows, columns).T.astype(dict.fromkeys(columns[1:], float))
    return found.assign(share=found[columns[1]] / found[columns[2]])
