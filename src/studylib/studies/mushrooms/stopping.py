"""The report's five stopping criteria (section 3.4.1), and what its defaults do (section 3.4)."""

import numpy as np
import pandas as pd

from studylib.trees import TreePredictor

#: The report's defaults, by the names of :class:`studylib.trees.TreePredictor`.
DEFAULTS = {"max_depth": 100, "min_entropy": 0.0}


def _limits(rng):
    """A limit for each criterion, by the criterion's name: the parameter and its value."""
    return {
        "depth": ("max_depth", int(rng.integers(1, 6))),
        "leaves": ("max_leaf_nodes", int(rng.integers(1, 12))),
        "nodes": ("max_nodes", int(rng.integers(1, 24))),
        "samples": ("min_samples_split", int(rng.integers(2, 30))),
        "entropy": ("min_entropy", float(rng.uniform(0, 1))),
    }


def _keeps(tree, name, value):
    """Whether a tree keeps the limit of a criterion."""
    inner = tree.nodes_["feature"] >= 0
    return {
        "depth": lambda: tree.depth_ <= value,
        "leaves": lambda: tree.n_leaves_ <= value,
        "nodes": lambda: tree.n_nodes_ <= value,
        "samples": lambda: (tree.nodes_["n_samples"][inner] >= value).all(),
        "entropy": lambda: all(_entropy(counts) > value for counts in tree.class_counts_[inner]),
    }[name]()


def _entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


def limits_are_kept(n_cases, random_state=0, **options):
    """For each criterion, whether a tree grown with a random limit keeps it, on random data."""
    rng, kept = np.random.default_rng(random_state), {}
    for _ in range(n_cases):
        n = int(rng.integers(20, 80))
        X = pd.DataFrame({"x": rng.normal(size=n), "c": pd.Categorical(rng.choice(list("abcd"), n))})
        y = rng.integers(0, 3, n)
        for name, (parameter, value) in _limits(rng).items():
            tree = TreePredictor(**{parameter: value}, **options).fit(X, y)
            kept.setdefault(name, []).append(bool(_keeps(tree, name, value)))
    return kept


def n_overshot(n_cases):
    """In how many cases the published program exceeds a limit of the whole tree, a dict of counts."""
    kept = limits_are_kept(n_cases, source_compatible=True)
    return {
        f"{name} overshot by the program": {"true": len(kept[name]) - sum(kept[name]), "of": len(kept[name])}
        for name in ("depth", "leaves", "nodes")
    }


def same_with_defaults(trees, X, y):
    """Whether trees grown without limits are the same with the report's defaults, list of bool."""
    same = []
    for tree in trees:
        limited = TreePredictor(**tree.get_params() | DEFAULTS).fit(X, y)
        same.append(limited.nodes_.tobytes() == tree.nodes_.tobytes())
    return same
