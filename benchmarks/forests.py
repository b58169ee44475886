"""Speed of the forest and of boosted stumps against scikit-learn's, in one run on one thread.

``make bench`` prints ratios; absolute seconds depend on the machine.  Both sides get their data prepared:
ours a frame with categorical columns, theirs a float32 one-hot or ordinal matrix.  Compilation time
is excluded.
"""

import argparse

import numpy as np
import pandas as pd
from sklearn import ensemble
from sklearn.datasets import make_classification
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from benchmarks.timing import medians
from benchmarks.trees import data
from studylib.trees import AdaBoostClassifier, RandomForestClassifier


def print_ratios(what, ours, peers, train, test, y, repeats):
    """Times of ``fit`` and ``predict``; ``peers``, ``train`` and ``test`` go by the tables' names.

    The first of the tables is ours.
    """
    mine, *others = train
    pairs = [(ours, mine), *zip(peers, others or [mine], strict=True)]
    for model, name in pairs:
        model.fit(train[name], y).predict(test[name])  # compiles
    for task, actions in (
        ("fit", [lambda m=model, n=name: m.fit(train[n], y) for model, name in pairs]),
        ("predict", [lambda m=model, n=name: m.predict(test[n]) for model, name in pairs]),
    ):
        seconds = medians(*actions, repeats=repeats)
        line = [f"{what:28} {task:8} {1e3 * seconds[0]:8.1f} ms"]
        for (_, name), theirs in zip(pairs[1:], seconds[1:], strict=True):
            line.append(f"{name:8} {1e3 * theirs:8.1f} ms {theirs / seconds[0]:6.2f}×")
        print("  ".join(line))


def mushroom_tables(n):
    """``(tables, labels, where from)``: the frame with categories, and the same one-hot and ordinal."""
    X, y, origin = data()
    X, y = X.iloc[:n], y.iloc[:n]
    categorical = list(X.select_dtypes(exclude="number"))
    numbers = X.drop(columns=categorical).to_numpy(np.float32)
    one_hot = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(X[categorical])
    ordinal = OrdinalEncoder(dtype=np.float32).fit_transform(X[categorical])
    tables = {
        "frame": X.astype(dict.fromkeys(categorical, "category")),
        "one-hot": np.hstack([numbers, one_hot]),
        "ordinal": np.hstack([numbers, ordinal]),
    }
    return tables, y.to_numpy(), origin


def split(tables, at):
    """The tables' rows before and from ``at``."""
    before, after = {}, {}
    for name, table in tables.items():
        rows = table.iloc if isinstance(table, pd.DataFrame) else table
        before[name], after[name] = rows[:at], rows[at:]
    return before, after


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--rows", type=int, default=60_000, help="of the mushrooms; a fifth is for prediction"
    )
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()

    tables, y, origin = mushroom_tables(args.rows)
    at = len(y) * 4 // 5
    train, test = split(tables, at)
    print(f"{origin}: {at:,} rows to fit, {len(y) - at:,} to predict; ratios: their time by ours\n")
    for ours, theirs in (("information", "entropy"), ("gini", "gini")):
        print_ratios(
            f"{args.trees} trees, {ours}",
            RandomForestClassifier(args.trees, criterion=ours, random_state=0),
            [ensemble.RandomForestClassifier(args.trees, criterion=theirs, random_state=0) for _ in range(2)],
            train, test, y[:at], args.repeats,
        )  # fmt: skip
    print_ratios(
        f"{args.rounds} stumps",
        AdaBoostClassifier(args.rounds),
        [ensemble.AdaBoostClassifier(n_estimators=args.rounds) for _ in range(2)],
        train, test, y[:at], args.repeats,
    )  # fmt: skip
    size = min(10_000, args.rows)
    X, y = make_classification(size, 20, n_informative=8, flip_y=0.1, random_state=0)
    numbers = {"numbers": X}
    print(f"\n{size:,} × 20 numbers, the same for both, to fit and to predict")
    for criterion in ("information", "gini"):
        print_ratios(
            f"{args.rounds} stumps, {criterion}",
            AdaBoostClassifier(args.rounds, criterion=criterion),
            [ensemble.AdaBoostClassifier(n_estimators=args.rounds)],
            numbers, numbers, y, args.repeats,
        )  # fmt: skip
    print_ratios(
        f"{args.trees} trees, gini",
        RandomForestClassifier(args.trees, criterion="gini", random_state=0),
        [ensemble.RandomForestClassifier(args.trees, random_state=0)],
        numbers, numbers, y, args.repeats,
    )  # fmt: skip


if __name__ == "__main__":
    main()
