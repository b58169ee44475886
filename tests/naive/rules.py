"""Slow twins of 1-R, its discretiser, frequent itemsets, association rules and CBA's list; imports nothing of ours."""

from fractions import Fraction
from itertools import combinations


def itemsets(baskets, min_support, max_len=None):
    """Supports of all frequent itemsets, by trying every subset of the items; {frozenset: support}."""
    items = sorted({item for basket in baskets for item in basket})
    longest = len(items) if max_len is None else max_len
    supports = {}
    for k in range(1, longest + 1):
        for tried in combinations(items, k):
            support = sum(set(tried) <= set(basket) for basket in baskets) / len(baskets)
            if support >= min_support:
                supports[frozenset(tried)] = support
    return supports


def rules(baskets, min_support, min_confidence):
    """{(antecedent, consequent): (support, confidence, lift)} of all rules, by the definitions."""
    supports = itemsets(baskets, min_support)
    kept = {}
    for whole, support in supports.items():
        for k in range(1, len(whole)):
            for antecedent in map(frozenset, combinations(sorted(whole), k)):
                consequent = whole - antecedent
                confidence = support / supports[antecedent]
                if confidence >= min_confidence:
                    kept[antecedent, consequent] = (support, confidence, confidence / supports[consequent])
    return kept


def measures(baskets, antecedent, consequent):
    """What is said of a rule, by name, as exact fractions of counts; None stands for infinity."""
    n, a, c, both, neither = len(baskets), 0, 0, 0, 0
    for basket in baskets:
        holds_a, holds_c = antecedent <= set(basket), consequent <= set(basket)
        a, c, both = a + holds_a, c + holds_c, both + (holds_a and holds_c)
        neither += not (holds_a or holds_c)
    without_a, without_c, a_alone, c_alone = n - a, n - c, a - both, c - both
    # Zhang: P(C | A) - P(C | not A), by the larger of the two.
    given_a, given_not_a = Fraction(both, a), Fraction(c_alone, without_a) if without_a else Fraction(0)
    larger = max(given_a, given_not_a)
    return {
        "antecedent support": Fraction(a, n),
        "consequent support": Fraction(c, n),
        "support": Fraction(both, n),
        "confidence": given_a,
        "lift": Fraction(both * n, a * c),
        "leverage": Fraction(both, n) - Fraction(a * c, n * n),
        "conviction": Fraction(a * without_c, n * a_alone) if a_alone else None,
        "zhangs_metric": (given_a - given_not_a) / larger if larger and without_a else Fraction(0),
        "jaccard": Fraction(both, n - neither),
        "certainty": 1 - Fraction(a_alone, a) / Fraction(without_c, n) if without_c else Fraction(0),
        "kulczynski": (Fraction(both, a) + Fraction(both, c)) / 2,
        "representativity": Fraction(1),
    }


def majority(labels):
    """The most frequent label; ties go to the first in order."""
    return min(sorted(set(labels)), key=lambda label: -labels.count(label))


def cuts(values, labels, least):
    """1R's cuts of one column: intervals of at least ``least`` samples of their majority class, merged."""
    groups = {}
    for value, label in sorted(zip(values, labels, strict=True)):
        groups.setdefault(value, []).append(label)
    buckets, bucket = [], []
    for value, group in groups.items():
        inside = [label for _, several in bucket for label in several]
        full = inside and inside.count(majority(inside)) >= least
        if full and set(group) != {majority(inside)}:
            buckets.append(bucket)
            bucket = []
        bucket.append((value, group))
    buckets.append(bucket)
    classes = [majority([label for _, group in bucket for label in group]) for bucket in buckets]
    return [
        (a[-1][0] + b[0][0]) / 2
        for a, b, first, other in zip(buckets, buckets[1:], classes, classes[1:], strict=False)
        if first != other
    ]


def one_r(columns, labels):
    """Errors of the rule of each column of categories, and the classes of the values of the best one."""
    errors, best = [], []
    for column in columns:
        by_value = {v: [c for w, c in zip(column, labels, strict=True) if w == v] for v in set(column)}
        best.append({value: majority(held) for value, held in by_value.items()})
        errors.append(sum(len(f) - f.count(majority(f)) for f in by_value.values()))
    return errors, best[errors.index(min(errors))]


def class_rules(baskets, labels, min_support, min_confidence, max_len):
    """CBA's list of rules (M1) and its default class: [(antecedent, label), ...], label.

    ``baskets`` are sets of integers; of rules with the same confidence and support the one with fewer items, then
    the lexicographically first, comes first.
    """
    n, candidates = len(baskets), []
    for itemset in itemsets(baskets, 1e-9, max_len):
        classes = [c for basket, c in zip(baskets, labels, strict=True) if itemset <= set(basket)]
        label = majority(classes)
        right = classes.count(label)
        if right / n >= min_support and right / len(classes) >= min_confidence:
            candidates.append((-right / len(classes), -right, len(itemset), sorted(itemset), label))
    left, kept, wrong = list(range(n)), [], 0
    lists = [(_wrong([labels[i] for i in left]), [], majority(list(labels)))]
    for *_, items, label in sorted(candidates):
        here = [i for i in left if set(items) <= set(baskets[i])]
        if not any(labels[i] == label for i in here):
            continue
        kept = [*kept, (frozenset(items), label)]
        wrong += sum(labels[i] != label for i in here)
        left = [i for i in left if i not in here]
        rest = [labels[i] for i in left]
        lists.append((wrong + _wrong(rest), kept, majority(rest or list(labels))))
    return min(lists, key=lambda pair: pair[0])[1:]


def _wrong(labels):
    return len(labels) - labels.count(majority(labels)) if labels else 0
