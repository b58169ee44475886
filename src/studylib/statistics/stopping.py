"""A search over stopping rules that grows one tree."""

import numpy as np
import pandas as pd
from sklearn.base import clone

from studylib.core.parameters import check_integer, check_real
from studylib.core.tree import LEAF, label_counts, parents
from studylib.statistics.validation import Search, checked_configurations, checked_data
from studylib.trees import TreePredictor
from studylib.trees._gains import entropy

_NO_LIMITS = {
    "max_depth": None,
    "max_leaf_nodes": None,
    "max_nodes": None,
    "min_samples_split": 1,
    "min_entropy": 0.0,
}


def stopping_search(tree, grid, X, y, X_valid, y_valid):
    """The result of :func:`holdout_search` for a grid of stopping rules, from a single fit.

    A stopping rule decides whether a node is split and never how.  So the tree of every configuration is the
    tree without limits, cut off at the nodes where the rules, asked in the order of growth, say stop; and the
    validation errors at all its nodes are counted once.

    Parameters
    ----------
    tree : TreePredictor
        With ``max_features=None``: drawn columns would depend on the nodes split before.
    grid : dict of str to list, or list of such dicts
        Of ``max_depth``, ``max_leaf_nodes``, ``max_nodes``, ``min_samples_split`` and ``min_entropy``; a rule
        that it does not name is the tree's own.
    X, X_valid : DataFrame or array (n_samples, n_features)
    y, y_valid : array-like (n_samples,)

    Returns
    -------
    Search, of one split
    """
    if not isinstance(tree, TreePredictor) or tree.max_features is not None:
        raise ValueError(
            f"stopping_search: tree must be a TreePredictor with max_features=None, got {tree!r}."
        )
    name = "stopping_search"
    configurations = checked_configurations(name, tree, grid)
    X_valid, y_valid = checked_data(name, X_valid, y_valid)
    limits_of_tree = {rule: value for rule, value in tree.get_params().items() if rule in _NO_LIMITS}
    limits = [
        _checked_rules(name, limits_of_tree | params, tree.source_compatible) for params in configurations
    ]
    grown = clone(tree).set_params(**_NO_LIMITS).fit(X, y)
    wrong = _errors_at_nodes(grown, X_valid, y_valid)
    nodes = {
        "first_child": grown.nodes_["first_child"].tolist(),
        "depth": grown.nodes_["depth"].tolist(),
        "n_samples": grown.nodes_["n_samples"].tolist(),
        "entropy": [entropy(counts, counts.sum()) for counts in grown.class_counts_],
    }
    errors = [sum(wrong[i] for i in _leaves(nodes, tree.source_compatible, **rules)) for rules in limits]
    return Search(configurations, np.array(errors)[:, None] / len(y_valid))


def _checked_rules(owner, params, source_compatible):
    """The rules of one configuration as numbers, every one checked; ``max_depth`` counts the root as 0."""
    root = int(source_compatible)  # the depth of the root in ``max_depth``
    rules = {}
    for name, value in params.items():
        if name not in _NO_LIMITS:
            raise ValueError(f"{owner}: grid may name {', '.join(_NO_LIMITS)} only, got {name!r}.")
        if name == "min_entropy":
            rules[name] = check_real(owner, name, value, 0.0)
        else:
            none_as = np.inf if _NO_LIMITS[name] is None else None
            low = root if name == "max_depth" else 1
            rules[name] = check_integer(owner, name, value, low, none_as=none_as)
    return rules | {"max_depth": rules["max_depth"] - root}


def _errors_at_nodes(tree, X, y):
    """Number of rows that pass through each node and have another label than it, a list."""
    classes = pd.Index(tree.classes_.astype(object))  # as objects, labels are the same if they are equal
    truth = classes.get_indexer(y.astype(object))  # -1, the last column, if it was not in training
    above = parents(tree.nodes_["first_child"])
    counts = label_counts(tree.apply(X), truth, len(tree.classes_) + 1, above)
    return (counts.sum(axis=1) - counts[np.arange(tree.n_nodes_), tree.nodes_["label"]]).tolist()


def _leaves(nodes, source_compatible, max_depth, max_leaf_nodes, max_nodes, min_samples_split, min_entropy):
    """Nodes of the grown tree at which the limited one ends: its growth without the search for splits."""
    first_child, depths = nodes["first_child"], nodes["depth"]
    queue, leaves = [0], []
    depth, n_nodes, n_leaves = 0, 1, 1
    for i in queue:
        if source_compatible:
            full = depth > max_depth or n_leaves > max_leaf_nodes or n_nodes > max_nodes
        else:
            full = depths[i] >= max_depth or n_leaves >= max_leaf_nodes or n_nodes + 2 > max_nodes
        small = nodes["n_samples"][i] < min_samples_split or nodes["entropy"][i] <= min_entropy
        if full or small or first_child[i] == LEAF:
            leaves.append(i)
            continue
        queue += [first_child[i], first_child[i] + 1]
        depth = max(depth, depths[i] + 1)
        n_nodes += 2
        n_leaves += 1
    return leaves
