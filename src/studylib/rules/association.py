"""Association rules: which items imply which others, and how surely."""

from itertools import chain

import numpy as np
import pandas as pd

from studylib.core.parameters import check_integer, check_real, describe
from studylib.rules import _imply

__all__ = ["association_rules"]

_BYTES = 80  # of a rule in the result: two references and seven numbers


def association_rules(itemsets, min_confidence=0.8, *, max_rules=10_000_000):
    """All rules A ⇒ C between disjoint, non-empty itemsets whose confidence is at least ``min_confidence``.

    ``support`` is that of A ∪ C, ``confidence`` is supp(A ∪ C) / supp(A), and ``lift`` is supp(A ∪ C) /
    (supp(A) · supp(C)).  For one A ∪ C the confidence does not rise as the consequent grows (the second
    downward closure), so only extensions of consequents that are sure enough are tried.

    Parameters
    ----------
    itemsets : DataFrame
        All frequent itemsets, with the columns ``support`` and ``itemsets``, as :func:`apriori` returns them.
    min_confidence : float
        In [0, 1].  The lecture asks for more than its γ; here, as in ``mlxtend``, equality suffices.
    max_rules : int
        ``association_rules`` raises as soon as there are more rules than that.

    Returns
    -------
    DataFrame
        ``antecedents`` and ``consequents`` (frozensets) and ``antecedent support``, ``consequent support``,
        ``support``, ``confidence``, ``lift``, ``leverage`` = supp(A ∪ C) - supp(A) · supp(C) and
        ``conviction`` = (1 - supp(C)) / (1 - confidence), infinite at confidence 1: names and numbers as in
        ``mlxtend``.  Rules follow the order of ``itemsets``.

    Raises
    ------
    MemoryError
        If there are more than ``max_rules`` rules.

    References
    ----------
    Agrawal and Srikant, *Fast Algorithms for Mining Association Rules*, 1994, section 3.

    Examples
    --------
    >>> from studylib.rules import apriori, association_rules
    >>> baskets = [["bread", "milk"], ["bread", "butter"], ["bread", "butter", "milk"], ["milk"]]
    >>> rules = association_rules(apriori(baskets, 0.25), 0.9)
    >>> for rule in rules.itertuples():
    ...     print(sorted(rule.antecedents), sorted(rule.consequents), rule.confidence, round(rule.lift, 2))
    ['butter'] ['bread'] 1.0 1.33
    ['butter', 'milk'] ['bread'] 1.0 1.33
    """
    owner = "association_rules"
    least = check_real(owner, "min_confidence", min_confidence, 0.0, 1.0)
    most = check_integer(owner, "max_rules", max_rules, 1)
    sets, support = _checked(owner, itemsets)
    starts, items, names = _encoded(owner, sets)
    words = np.random.default_rng(0).integers(
        2**64, size=len(names), dtype=np.uint64
    )  # only places in a hash table
    whole, body, head, missing = _imply.imply(starts, items, support, words, least, most)
    if missing != _imply.ABSENT:
        raise ValueError(
            f"{owner}: itemsets contains {describe(set(sets[missing]))}, but not all subsets of it; pass "
            "all frequent itemsets, as apriori returns them."
        )
    if len(whole) > most:
        raise MemoryError(
            f"{owner}: more than {most:,} rules have a confidence of at least {least:g}, and so many take "
            f"{max(1, most * _BYTES >> 20):,} MiB; raise min_confidence, pass fewer itemsets, or raise "
            "max_rules."
        )
    return _measured(sets, support, whole, body, head)


def _checked(owner, itemsets):
    """The itemsets, an array of objects, and their supports as float64."""
    if not isinstance(itemsets, pd.DataFrame) or not {"support", "itemsets"} <= set(itemsets.columns):
        what = describe(list(itemsets.columns)) if isinstance(itemsets, pd.DataFrame) else describe(itemsets)
        raise ValueError(
            f"{owner}: itemsets must be a DataFrame with the columns 'support' and 'itemsets', as apriori "
            f"returns it, got {what}."
        )
    sets, support = itemsets["itemsets"].to_numpy(object), itemsets["support"].to_numpy(np.float64)
    odd = [entry for entry in sets if not isinstance(entry, frozenset | set)]
    if odd:
        raise ValueError(f"{owner}: column 'itemsets' must hold frozensets, got {describe(odd[0])}.")
    wrong = support[~((support > 0) & (support <= 1))]
    if len(wrong):
        raise ValueError(f"{owner}: column 'support' must hold shares in (0, 1], got {wrong[0]:g}.")
    return sets, support


def _encoded(owner, sets):
    """Where each set starts, its items as ascending int32 codes, and the items."""
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    codes = {item: k for k, item in enumerate(dict.fromkeys(chain.from_iterable(sets)))}
    flat = np.fromiter(map(codes.__getitem__, chain.from_iterable(sets)), np.int64, int(sizes.sum()))
    key = np.repeat(np.arange(len(sets)), sizes) * max(1, len(codes)) + flat
    key.sort()
    return np.append(0, np.cumsum(sizes)), (key % max(1, len(codes))).astype(np.int32), list(codes)


def _measured(sets, support, whole, body, head):
    both, one, other = support[whole], support[body], support[head]
    confidence = both / one
    sure = confidence >= 1.0
    conviction = np.full(len(whole), np.inf)
    np.divide(1.0 - other, 1.0 - confidence, out=conviction, where=~sure)
    return pd.DataFrame(
        {
            "antecedents": pd.Series(sets[body], dtype=object),
            "consequents": pd.Series(sets[head], dtype=object),
            "antecedent support": one,
            "consequent support": other,
            "support": both,
            "confidence": confidence,
            "lift": confidence / other,
            "leverage": both - one * other,
            "conviction": conviction,
        }
    )
