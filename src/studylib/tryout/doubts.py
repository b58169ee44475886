"""Possible mistakes in a table, reported and not corrected: only its owner can know."""

import re

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from studylib.core.text import shorten
from studylib.tryout.columns import looks_like_identifier
from studylib.tryout.escapes import in_shell, is_formula
from studylib.tryout.phrases import number, several

_ALMOST_PERFECT = 0.99  # balanced accuracy of one column, on rows that chose nothing
_LEAF = 5  # rows
#: One value or range gives away a class that at most this share of all rows has, if this share of at least so
#: many rows with it are of the class.
_RARE, _PURE, _ROWS = 0.1, 0.95, 20
_MANY = 20  # different entries of an identifier
_SHOWN = 3
#: Marks and blanks between letters; elsewhere they tell, as in A-, <1 and 1-2.
_MARKS = re.compile(r"(?<=[^\W\d_])[\s_./-]+(?=[^\W\d_])")


def doubts(X, y, target):
    """Sentences about what should be looked at before the page is believed.

    ``X`` has columns of float64 and category, ``y`` is a Series of str.
    """
    codes = {name: pd.factorize(X[name])[0] for name in X}
    found = [*_identifiers(codes), *_alike(f"Labels of {target!r}", "classes", sorted(set(y)))]
    for name, column in X.select_dtypes("category").items():
        found += _alike(f"Entries of {name!r}", "categories", column.cat.categories)
    return [*found, *_identical(X, codes)]


def leaks(X, y, target):
    """What may make all of the page worthless: columns that alone predict nearly all rows of every class.

    A single value or range that alone tells a rare class counts, too.  Parameters and result are those of
    :func:`doubts`.
    """
    found, truth = [], pd.factorize(y)[0]
    train, test = train_test_split(np.arange(len(y)), test_size=0.5, random_state=0, stratify=truth)
    tree = DecisionTreeClassifier(min_samples_leaf=_LEAF, class_weight="balanced", random_state=0)
    for name in X:
        numbers = X[name].cat.codes if isinstance(X[name].dtype, pd.CategoricalDtype) else X[name]
        # A tree needs only the order, and scikit-learn's works in single precision, which 1e39 is beyond.
        numbers = numbers.rank(method="dense").to_numpy()[:, None]
        right = tree.fit(numbers[train], truth[train]).predict(numbers[test]) == truth[test]
        recalls = np.bincount(truth[test], right) / np.bincount(truth[test])
        if recalls.mean() >= _ALMOST_PERFECT:
            found.append(name)
    return [
        f"Column {name!r} alone tells {target!r} almost without error. With "
        f"{in_shell(f'--drop={name}')} it is left out: do so if it is known only once {target!r} is."
        for name in found[:_SHOWN]
    ] + _telling_values(X.drop(columns=found), y, target)[:_SHOWN]


def _telling_values(X, y, target):
    """Sentences about values or ranges, the one of most rows first."""
    base, found = y.value_counts(normalize=True), []
    tree = DecisionTreeClassifier(
        max_leaf_nodes=8, min_samples_leaf=_ROWS, class_weight="balanced", random_state=0
    )
    if base.min() > _RARE:
        return []
    for name, column in X.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            parts = column.astype(object).map(lambda value: f"is {value!r:.40}", na_action="ignore")
        else:
            ranks = column.rank(method="dense").to_frame().to_numpy()
            leaves = pd.Series(tree.fit(ranks, y).apply(ranks), column.index)
            ends = column.groupby(leaves).agg(["min", "max"])
            words = {
                leaf: f"is {number(low)}" if low == high else f"is between {number(low)} and {number(high)}"
                for leaf, low, high in ends.itertuples()
            }
            parts = leaves.map(words).where(column.notna())
        counts = pd.crosstab(parts.fillna("is empty"), y)
        for label in base.index[base <= _RARE]:
            n_rows, n_label = counts.sum(axis=1), counts[label]
            telling = counts.index[(n_rows >= _ROWS) & (n_label >= _PURE * n_rows)]
            found += [(n_rows[part], n_label[part], name, part, label) for part in telling]
    return [
        f"Of the {n_rows:,} rows in which {name!r} {part}, {n_label:,} are {label!r}, and of all rows "
        f"{100 * base[label]:.1f}%. With {in_shell(f'--drop={name}')} the column is left out: do so if it is "
        f"filled in only once {target!r} is known."
        for n_rows, n_label, name, part, label in sorted(found, key=lambda one: -one[0])
    ]


def formulas(X, y, target):
    """What a spreadsheet would do with texts of ``parsed.csv``, which holds them as they are.

    Parameters and result are those of :func:`doubts`.
    """
    texts = [*X, target, *y.unique()]
    for _, column in X.select_dtypes("category").items():
        texts += list(column.cat.categories)
    found = [text for text in texts if is_formula(text)]
    if not found:
        return []
    return [
        f"A spreadsheet that opens parsed.csv may take {found[0]!r:.40} for a formula and run it: import all "
        "columns as text there."
    ]


def _identifiers(codes):
    """Columns that name something which has several rows."""
    for name, numbers in codes.items():
        n_rows, n_named = len(numbers), numbers.max() + 1
        if looks_like_identifier(name) and _MANY < n_named <= n_rows / 1.2:
            yield (
                f"Column {name!r} looks like an identifier with repetitions: {n_named:,} values in "
                f"{several(n_rows, 'row')}. {in_shell(f'--group={name}')} keeps rows of the same value "
                f"together, in training or in test; {in_shell(f'--id={name}')} leaves it out."
            )


def _alike(what, kind, entries):
    """Entries that differ only in how they are written."""
    same = {}
    for entry in map(str, entries):
        same.setdefault(_MARKS.sub("", entry.strip().casefold()).rstrip(".") or entry, []).append(entry)
    if shown := _groups(same, 200):
        yield f"{what} that differ only in case, blanks or marks count as different {kind}: {shown}."


def _identical(X, codes):
    """Columns in which the same rows hold the same; if most entries differ, these must be equal, too."""
    first = {}
    for name, numbers in codes.items():
        if 2 * (numbers.max() + 1) > len(numbers):
            numbers = pd.util.hash_pandas_object(X[name], index=False).to_numpy()
        first.setdefault(numbers.tobytes(), []).append(name)
    if shown := _groups(first, 300):
        yield f"Columns that tell the same in every row: {shown}."


def _groups(members, most):
    """The first of those groups that have several members, in words; empty if there are none."""
    groups = [group for group in members.values() if len(group) > 1]
    shown = "; ".join(" and ".join(map(repr, group[:_SHOWN])) for group in groups[:_SHOWN])
    more = f"; and {several(len(groups) - _SHOWN, 'more group')}" if len(groups) > _SHOWN else ""
    return shorten(shown, most) + more
