"""Association rules: items that imply others, with measures of each rule."""

from itertools import chain, combinations

import numpy as np
import pandas as pd

from studylib.core.parameters import check_boolean, check_choice, check_integer, check_real, describe
from studylib.rules import _imply

__all__ = ["association_rules"]

_BYTES = 112  # of a rule in the result: two references and twelve numbers
_UNBOUNDED = float("inf")
#: The measures of a rule and where they lie.
_METRICS = {
    "antecedent support": (0.0, 1.0),
    "consequent support": (0.0, 1.0),
    "support": (0.0, 1.0),
    "confidence": (0.0, 1.0),
    "lift": (0.0, _UNBOUNDED),
    "leverage": (-1.0, 1.0),
    "conviction": (0.0, _UNBOUNDED),
    "zhangs_metric": (-1.0, 1.0),
    "jaccard": (0.0, 1.0),
    "certainty": (-_UNBOUNDED, 1.0),
    "kulczynski": (0.0, 1.0),
    "representativity": (0.0, 1.0),
}


def association_rules(
    itemsets,
    min_confidence=None,
    *,
    metric="confidence",
    min_threshold=None,
    max_rules=10_000_000,
    support_only=False,
    return_metrics=tuple(_METRICS),
    num_itemsets=1,
    df_orig=None,
    null_values=False,
):
    """All rules A ⇒ C between disjoint, non-empty itemsets that are sure enough, or good by another measure.

    ``support`` is that of A ∪ C, ``confidence`` is supp(A ∪ C) / supp(A), and ``lift`` is supp(A ∪ C) /
    (supp(A) · supp(C)).  For one A ∪ C the confidence does not rise as the consequent grows (the second
    downward closure), so only extensions of consequents that are sure enough are tried.  By another measure
    all rules are tried.

    Parameters
    ----------
    itemsets : DataFrame
        All frequent itemsets, with the columns ``support`` and ``itemsets``, as :func:`apriori` returns them.
    min_confidence : float or None
        In [0, 1]; None is 0.8.  The lecture asks for more than its γ; here, as in ``mlxtend``, equality
        suffices.
    metric : str
        The measure, a column of the result, that ``min_threshold`` is about.
    min_threshold : float or None
        The least value of the measure; None is 0.8.  ``min_confidence=c`` is short for
        ``metric="confidence", min_threshold=c``, ``mlxtend``'s way to say it; give only one of the two.
    max_rules : int
        ``association_rules`` raises as soon as there are more rules than that; by another measure than the
        confidence, rules below ``min_threshold`` count, too.
    support_only : bool
        Whether the supports of A ∪ C alone are asked for, so that subsets of an itemset may be absent from
        ``itemsets``.  The measure is then the support, and all others are NaN.
    return_metrics : sequence of str
        The measures that become columns, in their order; by default all of them.
    num_itemsets, df_orig, null_values
        Of ``mlxtend``, for transactions with missing entries, which neither its ``apriori`` takes nor this
        module: ``null_values`` must be False, and then the other two change nothing.

    Returns
    -------
    DataFrame
        A rule in each row, in the order of ``itemsets``; names and numbers of the columns as in ``mlxtend``:

        - ``antecedents``, ``consequents``: frozensets A and C
        - ``antecedent support``, ``consequent support``, ``support``, ``confidence``, ``lift``
        - ``leverage`` = supp(A ∪ C) - supp(A) · supp(C)
        - ``conviction`` = (1 - supp(C)) / (1 - confidence), infinite at confidence 1
        - ``zhangs_metric`` = leverage / max(supp(A ∪ C) · (1 - supp(A)), supp(A) · (supp(C) - supp(A ∪ C))),
          0 where that is 0 / 0
        - ``jaccard`` = supp(A ∪ C) / (supp(A) + supp(C) - supp(A ∪ C))
        - ``certainty`` = (confidence - supp(C)) / (1 - supp(C)), 0 where supp(C) is 1.  The certainty factor
          of expert systems divides by supp(C) where the confidence is below it; this, as in ``mlxtend``, does
          not, and may be below -1.
        - ``kulczynski``: mean of the confidences of A ⇒ C and C ⇒ A
        - ``representativity``: share of transactions in which no item of the rule is missing; itemsets come
          from transactions without missing values, so it is 1.

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
    >>> len(association_rules(apriori(baskets, 0.25), metric="lift", min_threshold=1.0))
    6
    """
    owner = "association_rules"
    if check_boolean(owner, "null_values", null_values):
        raise ValueError(
            f"{owner}: null_values must be False, since itemsets come from transactions without missing "
            "entries; drop such transactions, or fill the entries in."
        )
    support_only = check_boolean(owner, "support_only", support_only)
    metric, least = _threshold(owner, min_confidence, "support" if support_only else metric, min_threshold)
    most = check_integer(owner, "max_rules", max_rules, 1)
    shown = _shown(owner, return_metrics)
    sets, support = _checked(owner, itemsets)
    if support_only:
        return _of_supports(owner, sets[support >= least], support[support >= least], most, shown)
    starts, items, names = _encoded(owner, sets)
    words = np.random.default_rng(0).integers(
        2**64, size=len(names), dtype=np.uint64
    )  # only places in a hash table
    sure = least if metric == "confidence" else 0.0
    whole, body, head, missing = _imply.imply(starts, items, support, words, sure, most)
    if missing != _imply.ABSENT:
        raise ValueError(
            f"{owner}: itemsets contains {describe(set(sets[missing]))}, but not all subsets of it; pass "
            "all frequent itemsets, as apriori returns them."
        )
    if len(whole) > most:
        advice = "raise min_confidence, " if metric == "confidence" else ""
        raise MemoryError(
            f"{owner}: more than {most:,} rules have a confidence of at least {sure:g}, and so many take "
            f"{max(1, most * _BYTES >> 20):,} MiB; {advice}pass fewer itemsets, or raise max_rules."
        )
    measures = _measures(support[whole], support[body], support[head])
    if metric != "confidence":
        kept = np.flatnonzero(measures[metric] >= least)
        body, head = body[kept], head[kept]
        measures = {name: values[kept] for name, values in measures.items()}
    return _as_frame(sets[body], sets[head], {name: measures[name] for name in shown})


def _as_frame(bodies, heads, measures):
    rules = {"antecedents": pd.Series(bodies, dtype=object), "consequents": pd.Series(heads, dtype=object)}
    return pd.DataFrame({**rules, **measures})


def _of_supports(owner, sets, support, most, shown):
    """The rules that itemsets can be divided into, without a look at other itemsets."""
    numbers = np.array([2 ** len(items) - 2 for items in sets], dtype=object)
    if numbers.sum() > most:
        raise MemoryError(f"{owner}: {numbers.sum():,} rules; raise min_threshold, or raise max_rules.")
    bodies = [
        (items, frozenset(body))
        for items in sets
        for size in range(len(items) - 1, 0, -1)
        for body in combinations(items, size)
    ]
    measures = dict.fromkeys(shown, np.nan) | {"support": np.repeat(support, numbers.astype(np.int64))}
    return _as_frame([body for _, body in bodies], [items - body for items, body in bodies], measures)


def _shown(owner, names):
    """The measures that are asked for, a list."""
    wrong = [name for name in names if name not in _METRICS] if not isinstance(names, str) else [names]
    if wrong:
        raise ValueError(
            f"{owner}: return_metrics must be a list of measures among {', '.join(map(repr, _METRICS))}, got "
            f"{describe(wrong[0])}."
        )
    return list(names)


def _threshold(owner, min_confidence, metric, min_threshold):
    """The measure that decides about a rule, and its least value."""
    metric = check_choice(owner, "metric", metric, _METRICS)
    if min_confidence is not None:
        if metric != "confidence" or min_threshold is not None:
            raise ValueError(
                f"{owner}: give either min_confidence or metric and min_threshold, not both; got "
                f"min_confidence={describe(min_confidence)}, metric={metric!r} and "
                f"min_threshold={describe(min_threshold)}."
            )
        return metric, check_real(owner, "min_confidence", min_confidence, 0.0, 1.0)
    least = 0.8 if min_threshold is None else min_threshold
    return metric, check_real(owner, "min_threshold", least, *_METRICS[metric])


def _checked(owner, itemsets):
    """The itemsets, an array of objects, and their supports as float64."""
    if not isinstance(itemsets, pd.DataFrame) or not {"support", "itemsets"} <= set(itemsets.columns):
        what = describe(list(itemsets.columns)) if isinstance(itemsets, pd.DataFrame) else describe(itemsets)
        raise ValueError(
            f"{owner}: itemsets must be a pandas DataFrame with the columns 'support' and 'itemsets', as "
            f"apriori returns it, got {what}."
        )
    sets = itemsets["itemsets"].to_numpy(object)
    support = pd.to_numeric(itemsets["support"], errors="coerce").to_numpy(np.float64, na_value=np.nan)
    odd = [entry for entry in sets if not isinstance(entry, frozenset | set)]
    if odd:
        raise ValueError(f"{owner}: column 'itemsets' must hold frozensets, got {describe(odd[0])}.")
    wrong = support[~((support > 0) & (support <= 1))]
    if len(wrong):
        raise ValueError(f"{owner}: column 'support' must hold shares in (0, 1], got {wrong[0]:g}.")
    return sets, support


def _encoded(owner, sets):
    """Start of each set, its items as ascending int32 codes, and the items."""
    sizes = np.fromiter(map(len, sets), np.int64, len(sets))
    codes = {item: k for k, item in enumerate(dict.fromkeys(chain.from_iterable(sets)))}
    flat = np.fromiter(map(codes.__getitem__, chain.from_iterable(sets)), np.int64, int(sizes.sum()))
    key = np.repeat(np.arange(len(sets)), sizes) * max(1, len(codes)) + flat
    key.sort()
    return np.append(0, np.cumsum(sizes)), (key % max(1, len(codes))).astype(np.int32), list(codes)


def _measures(both, antecedent, consequent):
    """The measures of rules by their names, given the supports of A ∪ C, A and C."""
    confidence, leverage = both / antecedent, both - antecedent * consequent
    conviction, zhang, certainty = np.full(len(both), np.inf), np.zeros(len(both)), np.zeros(len(both))
    np.divide(1.0 - consequent, 1.0 - confidence, out=conviction, where=confidence < 1.0)
    scale = np.maximum(both * (1.0 - antecedent), antecedent * (consequent - both))
    np.divide(leverage, scale, out=zhang, where=scale != 0.0)
    np.divide(confidence - consequent, 1.0 - consequent, out=certainty, where=consequent < 1.0)
    return {
        "antecedent support": antecedent,
        "consequent support": consequent,
        "support": both,
        "confidence": confidence,
        "lift": confidence / consequent,
        "leverage": leverage,
        "conviction": conviction,
        "zhangs_metric": zhang,
        "jaccard": both / (antecedent + consequent - both),
        "certainty": certainty,
        "kulczynski": (confidence + both / consequent) / 2.0,
        "representativity": np.ones(len(both)),
    }
