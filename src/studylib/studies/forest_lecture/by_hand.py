"""What the lecture on random forests computes by hand, from its own tables and pictures."""

import re

import pandas as pd

from studylib.trees import MultiwayTreePredictor, conditional_entropy, entropy, information_gain

#: Nodes of the lecture's tree on smoking: number of adolescents, share that intends to smoke.
SMOKING = {"all": (200, 0.40), "no smoking friend": (92, 0.18), "smoking friends": (108, 0.60)}

#: A printed number, or a printed range of numbers.
_NUMBER_OR_RANGE = re.compile(r"[<>]?\d+(\.\d+)?(-\d+(\.\d+)?)?")


def entropies(table, wait):
    """Entropies that the lecture computes by hand, in bits, by claim."""
    return {
        "l1-coin": entropy(["heads", "tails"]),
        "l1-die": entropy(range(6)),
        "l1-eight": entropy(range(8)),
        "l1-root": entropy(wait),
        "l1-patrons": conditional_entropy(table["Patrons"], wait),
        "l1-type": conditional_entropy(table["Type"], wait),
    }


def gains(table, target):
    """Information gain of each attribute at the root in bits, a Series from the smallest to the largest."""
    return pd.Series({name: information_gain(table[name], target) for name in table}).sort_values()


def restaurant_trees(table, wait):
    """The ID3 tree, and a larger one that always takes the first attribute: dict of name to tree."""
    trees = {"ID3": MultiwayTreePredictor(), "first attribute": MultiwayTreePredictor(lambda counts: 0.0)}
    return {name: tree.fit(table, wait) for name, tree in trees.items()}


def fitted_rows(trees, table, wait):
    """How many of the examples each tree classifies correctly, a list."""
    return [int((tree.predict(table) == wait).sum()) for tree in trees.values()]


def mean_tests(trees, table):
    """Mean number of attributes that each tree asks about for one of the examples: dict of name to number."""
    return {name: float(tree.nodes_["depth"][tree.apply(table)].mean()) for name, tree in trees.items()}


def fewest(tests):
    """The name with the smallest number, or all such names, joined."""
    return " and ".join(name for name, number in tests.items() if number == min(tests.values()))


def attribute_kinds(table):
    """How many attributes are Boolean, discrete and continuous, by their printed values alone.

    An attribute of two values is Boolean; one whose values are numbers or ranges of numbers is continuous.
    """
    kinds = [_kind(table[name].astype(str).unique()) for name in table]
    return [kinds.count(kind) for kind in ("Boolean", "discrete", "continuous")]


def _kind(values):
    if len(values) == 2:
        return "Boolean"
    return "continuous" if all(map(_NUMBER_OR_RANGE.fullmatch, values)) else "discrete"


def implied_smoking_share():
    """Share of all adolescents that the two lower nodes of the smoking tree imply."""
    (n_all, _), (n_without, without), (n_with, with_friends) = SMOKING.values()
    return (without * n_without + with_friends * n_with) / n_all


def majority_errors():
    """Shares of adolescents whose answer their node's majority misses: before the first split, and after."""
    (n_all, share), *children = SMOKING.values()
    return min(share, 1 - share), sum(n * min(part, 1 - part) for n, part in children) / n_all
