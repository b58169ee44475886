"""Speed of TreePredictor against scikit-learn's DecisionTreeClassifier, in one run on one thread.

``make bench`` prints ratios; absolute seconds depend on the machine.  Both sides get their data prepared:
ours a frame with categorical columns, theirs a float32 one-hot or ordinal matrix.  Compilation is timed
separately.
"""

import time

import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.timing import medians
from studylib import datasets
from studylib.trees import TreePredictor


def data():
    """The first 48,000 rows of the cleaned mushrooms for training, 12,000 for prediction."""
    try:
        frame, origin = datasets.load_secondary_mushroom().frame, "Secondary Mushroom"
    except datasets.DataNotAvailableError as error:
        print(f"simulated mushrooms, because {error}\n")
        frame, origin = datasets.simulate_secondary_mushrooms().frame, "simulated mushrooms"
    X, y = datasets.clean(frame.iloc[:60_000], 0.20, "u")
    order = np.random.default_rng(0).permutation(len(X))
    return X.iloc[order], y.iloc[order], origin


def main():
    """Print the table."""
    X, y, origin = data()
    categorical = list(X.select_dtypes(exclude="number"))
    frame = X.astype(dict.fromkeys(categorical, "category"))
    numbers = X.drop(columns=categorical).to_numpy(np.float32)
    one_hot = np.hstack(
        [numbers, OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(X[categorical])]
    )
    ordinal = np.hstack([numbers, OrdinalEncoder(dtype=np.float32).fit_transform(X[categorical])])
    train, test = slice(0, 48_000), slice(48_000, None)

    start = time.perf_counter()
    TreePredictor().fit(frame[:100], y[:100])
    print(f"{origin}: 48,000 × {X.shape[1]} rows to fit, {len(X) - 48_000:,} to predict, one thread")
    print(f"first fit, compilation or loading of the kernels included: {time.perf_counter() - start:.1f} s\n")
    print(f"{'criterion':12} {'task':8} {'ours':>9} {'one-hot':>9} {'ratio':>7} {'ordinal':>9} {'ratio':>7}")
    for ours_name, theirs_name in (("information", "entropy"), ("gini", "gini")):
        ours = TreePredictor(ours_name).fit(frame[train], y[train])
        a = DecisionTreeClassifier(criterion=theirs_name, random_state=0).fit(one_hot[train], y[train])
        b = DecisionTreeClassifier(criterion=theirs_name, random_state=0).fit(ordinal[train], y[train])
        for task, seconds in (
            ("fit", medians(
                lambda m=ours: m.fit(frame[train], y[train]),
                lambda m=a: m.fit(one_hot[train], y[train]),
                lambda m=b: m.fit(ordinal[train], y[train]),
            )),
            ("predict", medians(
                lambda m=ours: m.predict(frame[test]),
                lambda m=a: m.predict(one_hot[test]),
                lambda m=b: m.predict(ordinal[test]),
            )),
        ):  # fmt: skip
            mine, hot, flat = seconds
            print(
                f"{ours_name:12} {task:8} {1e3 * mine:6.1f} ms {1e3 * hot:6.1f} ms {hot / mine:6.1f}× "
                f"{1e3 * flat:6.1f} ms {flat / mine:6.1f}×"
            )
    matrix = ordinal.astype(np.float64)
    ours_matrix = TreePredictor("gini").fit(matrix[train], y[train])
    for task, (mine, theirs) in (
        (
            "fit",
            medians(
                lambda: ours_matrix.fit(matrix[train], y[train]), lambda: b.fit(ordinal[train], y[train])
            ),
        ),
        ("predict", medians(lambda: ours_matrix.predict(matrix[test]), lambda: b.predict(ordinal[test]))),
    ):
        print(
            f"{'gini':12} {task:8} {1e3 * mine:6.1f} ms {'':17} {1e3 * theirs:6.1f} ms {theirs / mine:6.1f}×"
            "  the ordinal matrix for both"
        )
    many = 50
    rows = pd.concat([frame[test]] * many)
    matrices = [np.tile(matrix[test], (many, 1)) for matrix in (one_hot, ordinal)]
    seconds = medians(
        lambda: ours.predict(rows),
        lambda: a.predict(matrices[0]),
        lambda: b.predict(matrices[1]),
    )
    each = [1e9 * s / len(rows) for s in seconds]
    print(
        f"\npredict {len(rows):,} rows, ns per row: ours {each[0]:.0f} from the frame; scikit-learn "
        f"{each[1]:.0f} one-hot, {each[2]:.0f} ordinal"
    )


if __name__ == "__main__":
    main()
