"""Speed of apriori against mlxtend's apriori and fpgrowth and, if it is installed, the C code of pyfim.

``make bench`` prints ratios, in one run on one thread.  Both sides of a ratio get the same input: lists of
items for pyfim, a Boolean frame for mlxtend.  pyfim is no requirement of this project: ``pip install --target
DIR pyfim`` and ``PYTHONPATH=DIR`` add its columns.  Memory is the peak of what ours (from lists) and mlxtend
allocate from Python and numpy, by tracemalloc in a run of its own.
"""

import time
import tracemalloc

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori as mlxtend_apriori
from mlxtend.frequent_patterns import fpgrowth as mlxtend_fpgrowth
from scipy.sparse import csr_matrix

from benchmarks.timing import medians, peak_mib
from studylib import datasets
from studylib.rules import apriori, association_rules

try:
    import fim
except ImportError:
    fim = None


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
        for k in rng.choice(n_patterns, 8 * size, p=weights / weights.sum()) if size else ():
            kept = patterns[k][
                : len(patterns[k]) - min(rng.geometric(1 - 0.99 * dropped[k]) - 1, len(patterns[k]))
            ]
            basket.update(kept)
            if len(basket) >= size:
                break
        found.append(list(basket)[:size])
    return found


def mushrooms():
    """The Secondary Mushroom set, "attribute = value", numbers in quartiles."""
    try:
        frame, origin = datasets.load_secondary_mushroom().frame, "Secondary Mushroom"
    except datasets.DataNotAvailableError as error:
        print(f"simulated mushrooms, because {error}\n")
        frame, origin = datasets.simulate_secondary_mushrooms().frame, "simulated mushrooms"
    frame = frame.assign(**{c: pd.qcut(frame[c], 4).astype(str) for c in frame.select_dtypes("number")})
    rows = frame.astype(object).to_numpy()
    return [[f"{c} = {v}" for c, v in zip(frame, row, strict=True) if pd.notna(v)] for row in rows], origin


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


def peak(action):
    """Peak of the memory that an action allocates, in MiB."""
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


def compare(transactions, share, with_mlxtend):
    """Print a line: seconds, and how many times as long the others take."""
    frame = one_hot(transactions) if with_mlxtend else None
    actions = {"ours": lambda: apriori(transactions, share)}
    if fim:
        actions["C eclat"] = lambda: fim.eclat(transactions, supp=100 * share)
        actions["C fpgrowth"] = lambda: fim.fpgrowth(transactions, supp=100 * share)
    times = dict(zip(actions, medians(*actions.values(), repeats=5), strict=True))
    if with_mlxtend:  # too slow for as many repetitions
        slow = {
            "mlxtend apriori": lambda: mlxtend_apriori(frame, share, use_colnames=True, low_memory=True),
            "mlxtend fpgrowth": lambda: mlxtend_fpgrowth(frame, share, use_colnames=True),
        }
        both = medians(lambda: apriori(frame, share), *slow.values(), repeats=3)
        print(f"{'':8} ours from the frame {both[0]:.3f} s, to which mlxtend is compared")
        times |= {name: times["ours"] * s / both[0] for name, s in zip(slow, both[1:], strict=True)}
        actions |= slow
    found = apriori(transactions, share)
    text = "  ".join(f"{name} {s / times['ours']:6.2f}×" for name, s in times.items() if name != "ours")
    memory = "  ".join(
        f"{name} {peak(actions[name]):.0f}" for name in [n for n in times if not n.startswith("C ")]
    )
    print(
        f"{share:8.2%} {len(found):9,} itemsets  ours {times['ours']:6.3f} s  {text}  MiB: {memory}",
        flush=True,
    )
    if len(found) < 100_000:  # of more itemsets there are tens of millions of rules
        start = time.perf_counter()
        rules = association_rules(found, 0.8)
        spent = time.perf_counter() - start
        print(f"{'':8} {len(rules):9,} rules of confidence 0.8 in {spent:.3f} s", flush=True)


def main():
    """Print the tables."""
    sets = {"T10.I4.D100K baskets": (baskets(), ((0.01, True), (0.005, False), (0.001, False)))}
    held, origin = mushrooms()
    sets[origin] = (held, ((0.2, True), (0.1, True), (0.05, False), (0.02, False), (0.005, False)))
    association_rules(apriori(held[:100], 0.5, max_len=2))  # compiles or loads the kernels
    for name, (transactions, shares) in sets.items():
        size = sum(map(len, transactions)) / len(transactions)
        print(f"{name}: {len(transactions):,} transactions of {size:.1f} items on average")
        for share, with_mlxtend in shares:
            compare(transactions, share, with_mlxtend)
    print(f"peak resident memory of the whole run: {peak_mib():.0f} MiB")


if __name__ == "__main__":
    main()
