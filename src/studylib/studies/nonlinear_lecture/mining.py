"""Apriori as the lecture prints it, and what the lecture says about supports, confidences and the cost."""

import math
import timeit
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from studylib.datasets import load_bundled
from studylib.rules import apriori, association_rules
from studylib.studies.replicates import log_slope, slope

#: The ten transactions that are drawn; each letter is an item.
BASKETS = ["ABCD", "ABC", "ABCD", "ABD", "ACD", "BC", "ABCE", "CDE", "ABC", "BE"]

#: Sets of transactions, and the supports that are tried on each.
THRESHOLDS = {
    "digits": [0.5, 0.4, 0.3, 0.25, 0.2],
    "breast cancer": [0.3, 0.25, 0.2, 0.15],
    "wine": [0.3, 0.2, 0.1, 0.05, 0.03],
}

#: The confidences that are tried, and for each set the support of the itemsets.
CONFIDENCES = [0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
OF_RULES = {"digits": 0.2, "breast cancer": 0.25, "wine": 0.05}

#: Shares of the transactions that hold each item, in the dense and in two less dense tables.
DENSITIES = [0.9, 0.6, 0.3]

#: Numbers of items that are tried on these tables, and the least support there.
ITEMS, SMALL_SUPPORT = [4, 6, 8, 10, 12, 14, 16], 0.01


# Apriori, level by level


class Level(NamedTuple):
    """The itemsets of one size: dict of itemset (tuple of ascending columns) to number of transactions."""

    counted: dict
    frequent: dict


def by_level(held, share):
    """Apriori as the lecture prints it: count the sets of size l, combine the frequent ones to size l + 1.

    A combination is counted only if all its subsets of size l are frequent: their support is ``share`` or
    more.
    """
    candidates = {(j,): int.from_bytes(np.packbits(column).tobytes()) for j, column in enumerate(held.T)}
    levels = []
    while candidates:
        counts = {items: bits.bit_count() for items, bits in candidates.items()}
        frequent = {items: count for items, count in counts.items() if count / len(held) >= share}
        levels.append(Level(counts, frequent))
        candidates = _combined({items: candidates[items] for items in frequent})
    return levels


def _combined(frequent):
    """Sets with one more item, and the bits of their transactions."""
    groups = {}
    for items in frequent:
        groups.setdefault(items[:-1], []).append(items)
    out = {}
    for group in groups.values():
        for a, b in combinations(group, 2):
            items = (*a, b[-1])
            if all(part in frequent for part in combinations(items, len(a))):
                out[items] = frequent[a] & frequent[b]
    return out


def drawn_transactions():
    """The ten transactions as a Boolean table, and the letters of its columns."""
    letters = sorted(set("".join(BASKETS)))
    return np.array([[letter in basket for letter in letters] for basket in BASKETS]), letters


def subsets_by_extension(n):
    """Number of non-empty sets in the lattice of n items: each set is extended by every later item."""
    waiting, n_subsets = [(j,) for j in range(n)], 0
    while waiting:
        n_subsets += 1
        last = waiting.pop()
        waiting.extend((*last, j) for j in range(last[-1] + 1, n))
    return n_subsets


# Properties, on generated transactions


def generated(rng):
    """Random transactions with 4 to 6 items, all of which are together in the first one; bool (n, d)."""
    n, d = int(rng.integers(10, 60)), int(rng.integers(4, 7))
    held = rng.random((n, d)) < rng.uniform(0.3, 0.9, d)
    held[0] = True
    return held


def support_is_closed(n_cases, seed=1):
    """Whether no set has more support than it has without one of its items, in tables: a list of bool."""
    rng = np.random.default_rng(seed)
    return [_is_closed(generated(rng)) for _ in range(n_cases)]


def _is_closed(held):
    sets = [items for k in range(1, held.shape[1] + 1) for items in combinations(range(held.shape[1]), k)]
    support = {items: held[:, items].all(axis=1).mean() for items in sets}
    return all(
        support[part] >= support[items]
        for items in sets
        for part in combinations(items, len(items) - 1)
        if part
    )


def all_rules(held):
    """All rules between sets that some transaction holds."""
    return association_rules(apriori(held, 1 / len(held)), 0.0)


def confidence_chains(n_cases, seed=2):
    """Whether conf(ABC ⇒ D) ≥ conf(AB ⇒ CD) ≥ conf(A ⇒ BCD) in random tables, in all orders of four items."""
    rng = np.random.default_rng(seed)
    return [_is_chain(generated(rng), rng) for _ in range(n_cases)]


def _is_chain(held, rng):
    four = np.sort(rng.permutation(held.shape[1])[:4])
    confidence = confidences_within(held[:, four])
    return all(
        confidence[body] >= confidence[part]
        for body in confidence
        for part in map(frozenset, combinations(body, len(body) - 1))
        if part
    )


def confidences_within(held):
    """Confidence of A ⇒ the other columns, by A (frozenset of columns)."""
    mined = all_rules(held)
    whole = mined["antecedents"].map(len) + mined["consequents"].map(len) == held.shape[1]
    return dict(zip(mined["antecedents"][whole], mined["confidence"][whole], strict=True))


def lift_is_as_said(n_cases, seed=3):
    """Whether the lift of every rule is conf ÷ supp(head), and above 1 if and only if body and head are
    together in more transactions than by chance, in random tables: dict of list of bool."""
    rng = np.random.default_rng(seed)
    cases = {"conf ÷ supp(head)": [], "above 1 ⇔ more often than by chance": []}
    for _ in range(n_cases):
        formula, equivalence = _lift(generated(rng))
        cases["conf ÷ supp(head)"].append(formula)
        cases["above 1 ⇔ more often than by chance"].append(equivalence)
    return cases


def _lift(held):
    mined, n = all_rules(held), len(held)
    bodies, heads = ([held[:, list(s)].all(axis=1) for s in mined[c]] for c in ("antecedents", "consequents"))
    body, head = (np.array([rows.sum() for rows in sets]) for sets in (bodies, heads))
    both = np.array([(a & c).sum() for a, c in zip(bodies, heads, strict=True)])
    lift = mined["lift"].to_numpy()
    above = lift > 1 + 1e-12  # where body and head are independent, a quotient of floats can be just above 1
    formula = np.allclose(lift, (both / body) / (head / n), rtol=1e-12, atol=0)
    return bool(formula), bool((above == (both * n > body * head)).all())


# Cost


def itemsets_per_item(key, seed):
    """Number of itemsets of at least 1% support among 4 to 16 items, in 1000 random transactions.

    ``density`` is the share of the transactions that hold an item.
    """
    held = np.random.default_rng(seed).random((1000, ITEMS[-1])) < key["density"]
    return {"itemsets": [len(apriori(held[:, :n], SMALL_SUPPORT)) for n in ITEMS]}


def doublings(runs):
    """Slope of log2(itemsets) in the number of items, per replicate."""
    return [slope(ITEMS, map(math.log2, counts)) for counts in runs["itemsets"]]


def transactions(name):
    """A set that scikit-learn includes as transactions, its class among the items; bool (n, n_items).

    The items of a digit are its lit pixels; of wine and breast cancer, the third that each feature is in.
    """
    X, y = load_bundled(name)
    if name == "digits":
        values = [X >= 8]
    else:
        cuts = np.quantile(X, [1 / 3, 2 / 3], axis=0)
        third = (cuts[:, None] < X).sum(axis=0)
        values = [third == k for k in range(3)]
    return np.column_stack([*values, y[:, None] == np.unique(y)])


def timed_thresholds(n_runs, seed=0):
    """Frequent itemsets and seconds of :func:`by_level`, by support; rules and seconds, by confidence.

    Each run takes a random 80% of a set's transactions.  No task, so never stored: seconds differ between
    runs.
    """
    rng, rows = np.random.default_rng(seed), []
    for name in THRESHOLDS:
        table = transactions(name)
        for run in range(n_runs):
            held = table[rng.permutation(len(table))[: round(0.8 * len(table))]]
            itemsets = apriori(held, OF_RULES[name])
            association_rules(itemsets.head(10))  # compiles or loads the kernels
            for by, thresholds, measure in (
                ("support", THRESHOLDS[name], lambda share, held=held: _n_frequent(held, share)),
                ("confidence", CONFIDENCES, lambda c, sets=itemsets: len(association_rules(sets, c))),
            ):
                rows += [
                    {"data": name, "replicate": run, "by": by, "threshold": at} | _timed(measure, at)
                    for at in thresholds
                ]
    return pd.DataFrame(rows)


def _n_frequent(held, share):
    return sum(len(level.frequent) for level in by_level(held, share))


def _timed(measure, threshold):
    """What is found, and the fewer seconds of two runs, without garbage collections."""
    counts = []
    seconds = min(timeit.repeat(lambda: counts.append(measure(threshold)), number=1, repeat=2))
    return {"found": counts[0], "seconds": seconds}


def sensitivity_to_support(timed):
    """Slopes of log itemsets and of log time in log θ, per run: dict of set to dict of the two."""
    timed = timed[timed["by"] == "support"]
    return {
        name: {
            what: [
                log_slope(runs["threshold"], runs[column])
                for _, runs in part.groupby("replicate", sort=False)
            ]
            for what, column in (("itemsets", "found"), ("time", "seconds"))
        }
        for name, part in timed.groupby("data", sort=False)
    }
