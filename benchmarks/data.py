"""The data sets of the benchmarks: real where the project has them, else announced stand-ins."""

from functools import cache

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.datasets import make_classification
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from studylib import datasets

#: Real tables of 520 to 5,000 rows, with categories, missing values, and two to four classes.
REAL_TABLES = ("diabetes_early", "attrition", "hpc_data", "credit_data", "mlc_churn")


def share_of(n, scale):
    """A share of n rows, at least a hundred."""
    return max(100, round(n * scale))


def load_tables():
    """See that the real tables are there.

    Raises
    ------
    DataNotAvailableError
        If one is not; the functions below then make a stand-in, which their titles say.
    """
    datasets.load_secondary_mushroom()
    for name in ("letter", "spambase"):
        datasets.load_uci_suite(name)
    for name in REAL_TABLES:
        datasets.load_real_table(name)


@cache
def _mushrooms():
    try:
        return datasets.load_secondary_mushroom().frame, "Secondary Mushroom"
    except datasets.DataNotAvailableError:
        return datasets.simulate_secondary_mushrooms().frame, "simulated mushrooms"


def mushroom_tables(scale=1.0):
    """Cleaned mushrooms as a frame with categories, one-hot and ordinal; a fifth of the rows for prediction.

    Each side of a comparison gets its data prepared: ours the frame, others a float32 matrix.

    Returns
    -------
    (str, dict of str to (train, test), ndarray, ndarray)
        A title, the tables by name, and the labels of both parts.
    """
    frame, origin = _mushrooms()
    X, y = datasets.clean(frame.iloc[:60_000], 0.20, "u")
    order = np.random.default_rng(0).permutation(len(X))[: share_of(60_000, scale)]
    X, y = X.iloc[order], y.iloc[order].to_numpy()
    categorical = list(X.select_dtypes(exclude="number"))
    numbers = X.drop(columns=categorical).to_numpy(np.float32)
    one_hot = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(X[categorical])
    ordinal = OrdinalEncoder(dtype=np.float32).fit_transform(X[categorical])
    at = len(y) * 4 // 5
    frame = X.astype(dict.fromkeys(categorical, "category"))
    tables = {"frame": (frame.iloc[:at], frame.iloc[at:])}
    for name, codes in (("one-hot", one_hot), ("ordinal", ordinal)):
        whole = np.hstack([numbers, codes])
        tables[name] = whole[:at], whole[at:]
    return f"{origin}, {at:,} × {X.shape[1]} mixed columns", tables, y[:at], y[at:]


def numbers(scale=1.0):
    """10,000 × 20 numbers, to fit and to predict; labels of a tenth are drawn anew."""
    n = share_of(10_000, scale)
    X, y = make_classification(n, 20, n_informative=8, flip_y=0.1, random_state=0)
    return f"simulated, {n:,} × 20", X, y, X, y


def clean_partitions(scale=1.0):
    """100,000 points of the Partial Classification Forest's synthetic plane with 8 irrelevant features more.

    Returns
    -------
    X, y, and as many as a fifth of them to predict
    """
    n = share_of(100_000, scale)
    X, y = datasets.make_clean_partitions(n, 10, n_relevant=2, random_state=0)
    return X, y, X[: n // 5], y[: n // 5]


def letter(scale=1.0):
    """The UCI suite's letter, 15,000 rows to fit and 5,000 to predict, or a stand-in of that shape."""
    try:
        found = datasets.load_uci_suite("letter")
        train, test = found.folds[0]
        X, y, origin = found.data, found.target, "letter"
    except datasets.DataNotAvailableError:
        X, y = make_classification(
            20_000, 16, n_informative=12, n_classes=26, n_clusters_per_class=2, class_sep=2.0, flip_y=0.0,
            random_state=0,
        )  # fmt: skip
        train, test, origin = np.arange(15_000), np.arange(15_000, 20_000), "stand-in for letter"
    return _parts(origin, X, y, train, test, scale)


def spambase(scale=1.0):
    """The UCI suite's spambase, 3,450 rows of 57 features to fit, or a stand-in of that shape."""
    try:
        found = datasets.load_uci_suite("spambase")
        train, test = found.folds[0]
        X, y, origin = found.data, found.target, "spambase"
    except datasets.DataNotAvailableError:
        X, y = make_classification(4600, 57, n_informative=20, flip_y=0.1, random_state=0)
        train, test, origin = np.arange(3450), np.arange(3450, 4600), "stand-in for spambase"
    return _parts(origin, X, y, train, test, scale)


def noisy(scale=1.0, n_train=80_000, n_test=20_000, dtype=np.float64):
    """Two overlapping classes in 20 features, the labels of 5% of the rows flipped."""
    n = n_train + n_test
    X, y = make_classification(n, 20, n_informative=10, n_redundant=5, flip_y=0.0, random_state=0)
    flipped = np.random.default_rng(0).permutation(n)[: n // 20]
    y[flipped] = 1 - y[flipped]
    X = X.astype(dtype, copy=False)
    return _parts("simulated, noisy", X, y, np.arange(n_train), np.arange(n_train, n), scale)


def wide(scale=1.0):
    """5,000 rows of 300 features, of which 20 are informative, and 20,000 rows to predict."""
    X, y = make_classification(25_000, 300, n_informative=20, flip_y=0.1, random_state=0)
    return _parts("simulated", X, y, np.arange(5_000), np.arange(5_000, 25_000), scale)


def _parts(origin, X, y, train, test, scale):
    if scale < 1:  # sets may be sorted by class
        rng = np.random.default_rng(0)
        train, test = (rng.permutation(rows)[: share_of(len(rows), scale)] for rows in (train, test))
    X, y = np.asarray(X), np.asarray(y)
    return f"{origin}, {len(train):,} × {X.shape[1]}", X[train], y[train], X[test], y[test]


def real_tables(scale=1.0):
    """Frames with categories and labels, three quarters of the rows to fit, or the bundled sets instead.

    Returns
    -------
    (str, list of (X, y, probes, labels))
    """
    try:
        tables = [datasets.load_real_table(name) for name in REAL_TABLES]
        found, origin = [(one.data, one.target) for one in tables], ", ".join(REAL_TABLES)
    except datasets.DataNotAvailableError:
        found = [datasets.load_bundled(name) for name in datasets.BUNDLED]
        found, origin = [(pd.DataFrame(X), pd.Series(y)) for X, y in found], "bundled stand-ins"
    parts = []
    for X, y in found:
        order = np.random.default_rng(0).permutation(len(y))[: share_of(len(y), scale)]
        X, y, at = X.iloc[order], y.iloc[order].to_numpy(), len(order) * 3 // 4
        parts.append((X.iloc[:at], y[:at], X.iloc[at:], y[at:]))
    return origin, parts


def baskets(n=100_000, n_items=1000, length=10, n_patterns=2000, pattern_length=4, seed=0):
    """Baskets as by IBM's Quest generator (Agrawal and Srikant, 1994): T10.I4.D100K by default.

    Patterns share items with the one before; a basket is filled with patterns, of which items are dropped.
    """
    rng = np.random.default_rng(seed)
    patterns, last = [], np.empty(0, int)
    for size in np.maximum(1, rng.poisson(pattern_length, n_patterns)):
        shared = min(len(last), round(min(1.0, rng.exponential(0.5)) * size))
        last = np.unique(np.append(rng.permutation(last)[:shared], rng.integers(0, n_items, size - shared)))
        patterns.append(last.tolist())
    weights = rng.exponential(1.0, n_patterns)
    dropped = np.clip(rng.normal(0.5, np.sqrt(0.1), n_patterns), 0.0, 1.0)
    found = []
    for size in np.maximum(1, rng.poisson(length, n)):
        basket = set()
        for k in rng.choice(n_patterns, 8 * size, p=weights / weights.sum()):
            n_kept = len(patterns[k]) - min(rng.geometric(1 - 0.99 * dropped[k]) - 1, len(patterns[k]))
            basket.update(patterns[k][:n_kept])
            if len(basket) >= size:
                break
        found.append(list(basket)[:size])
    return found


def mushroom_baskets(scale=1.0):
    """The Secondary Mushroom set, "attribute = value", numbers in quartiles.

    Never fewer than 2,000 rows, evenly spaced: a few alike rows have millions of frequent itemsets.
    """
    frame, origin = _mushrooms()
    frame = frame.iloc[:: max(1, len(frame) // max(2000, share_of(len(frame), scale)))]
    frame = frame.assign(**{c: pd.qcut(frame[c], 4).astype(str) for c in frame.select_dtypes("number")})
    rows = frame.astype(object).to_numpy()
    return origin, [[f"{c} = {v}" for c, v in zip(frame, row, strict=True) if pd.notna(v)] for row in rows]


def one_hot(transactions):
    """The Boolean frame that mlxtend takes."""
    items = sorted({item for basket in transactions for item in basket})
    number = {item: k for k, item in enumerate(items)}
    columns = [number[item] for basket in transactions for item in basket]
    ends = np.cumsum([0, *map(len, transactions)])
    shape = (len(transactions), len(items))
    return pd.DataFrame(
        csr_matrix((np.ones(len(columns), bool), columns, ends), shape).toarray(), columns=items
    )
