"""Locality sensitive hashing: similar sets probably share a bucket of a hash table."""

import time

import numpy as np
from datasketch import MinHash, MinHashLSH
from sklearn.datasets import load_digits

#: Neighbours that are looked for, sets that look for them, and hash functions per table.
K, N_QUERIES, FUNCTIONS = 10, 200, 4


def lit_pixels(n=None):
    """The handwritten digits as sets: which of 64 pixels are at least half lit; bool (1797, 64)."""
    return load_digits().data >= 8


def baskets(n):
    """Simulated sets: each of 20 items of 1000, a fifth of which differ from one of 200 patterns."""
    rng = np.random.default_rng(0)
    patterns = rng.random((200, 1000)).argsort(axis=1)[:, :20]
    items = patterns[rng.integers(0, 200, n)]
    items = np.where(rng.random(items.shape) < 0.2, rng.integers(0, 1000, items.shape), items)
    table = np.zeros((n, 1000), bool)
    table[np.arange(n)[:, None], items] = True
    return table


#: Tables of sets, from their number (the digits are always the same).
SETS = {"digits": lit_pixels, "baskets": baskets}


class Sets:
    """Sets of items, each to be compared with a new one by Jaccard's similarity, |A ∩ B| / |A ∪ B|."""

    def __init__(self, table):
        self._sizes = table.sum(axis=1)
        self._by_item = np.ascontiguousarray(table.T)  # so that comparing with all is as fast as it can be

    def __len__(self):
        return len(self._sizes)

    def similarities(self, items, rows=None):
        """Similarity of all sets, or of some rows, with the set of ``items``: float64 (n,)."""
        if rows is None:
            common, sizes = self._by_item[items].sum(axis=0, dtype=np.int16), self._sizes
        else:
            common, sizes = self._by_item[items[:, None], rows].sum(axis=0, dtype=np.int16), self._sizes[rows]
        return common / (sizes + len(items) - common)


class HashTables:
    """Sets in at least 2 hash tables, each with a key of four MinHash values: similar ones probably meet."""

    def __init__(self, table, n_tables, seed):
        self.sets, self._options = Sets(table), {"num_perm": FUNCTIONS * n_tables, "seed": seed}
        self._tables = MinHashLSH(num_perm=FUNCTIONS * n_tables, params=(n_tables, FUNCTIONS))
        with self._tables.insertion_session() as session:
            for row, signature in enumerate(self._signatures(table)):
                session.insert(row, signature)

    def _signatures(self, table):
        return MinHash.bulk(
            [[b"%d" % item for item in np.flatnonzero(members)] for members in table], **self._options
        )

    def candidates(self, queries):
        """Rows of the sets that share a bucket with each query, ascending: list of ndarray."""
        met = (self._tables.query(signature) for signature in self._signatures(queries))
        return [np.sort(np.array(rows, np.int64)) for rows in met]

    def nearest(self, queries):
        """Rows of the ten most similar candidates of each query, or fewer, and how many candidates it had."""
        for query, rows in zip(queries, self.candidates(queries), strict=True):
            similar = self.sets.similarities(np.flatnonzero(query), rows)
            yield rows[np.argsort(-similar, kind="stable")[:K]], len(rows)


def split_sets(name, n, seed):
    """Sets to search, and others that search: two bool ndarrays."""
    table = SETS[name](n)
    table = table[np.random.default_rng(seed).permutation(len(table))]
    return table[N_QUERIES:], table[:N_QUERIES]


def hashing(key, seed):
    """Recall of the ten nearest sets by hash tables, and the share of all sets that are candidates.

    A set counts as found if it is at least as similar as the tenth of all.  The seed is of the hash functions
    and of which sets search.
    """
    table, queries = split_sets(key["data"], key["n"], seed)
    tables = HashTables(table, key["tables"], seed)
    nearest = list(tables.nearest(queries))
    return {
        "recall": recall(tables.sets, queries, [rows for rows, _ in nearest]),
        "share": float(np.mean([n_candidates for _, n_candidates in nearest]) / len(table)),
    }


def recall(sets, queries, nearest):
    """Share of ten neighbours that were found: rows at least as similar as the tenth of all."""
    hits = 0
    for query, rows in zip(queries, nearest, strict=True):
        similar = sets.similarities(np.flatnonzero(query))
        hits += (similar[rows] >= np.sort(similar)[-K]).sum()
    return float(hits / (K * len(queries)))


def meetings(n_tables, n, seed=0):
    """How often a pair of baskets shares a bucket, by similarity, in bins with at least 20 pairs."""
    table, queries = split_sets("baskets", n, seed)
    tables, edges = HashTables(table, n_tables, seed), np.linspace(0, 1, 21)
    pairs = np.zeros((2, len(edges) - 1))
    for query, rows in zip(queries, tables.candidates(queries), strict=True):
        similar = tables.sets.similarities(np.flatnonzero(query))
        for total, values in zip(pairs, (similar, similar[rows]), strict=True):
            total += np.histogram(values, edges)[0]
    enough = pairs[0] >= 20
    return ((edges[1:] + edges[:-1]) / 2)[enough], (pairs[1] / np.maximum(pairs[0], 1))[enough]


def recall_curves(runs):
    """Recall by number of tables, a row per replicate: dict of set to curves as the judge takes them."""
    curves = {}
    for name, part in runs.groupby("data", sort=False):
        table = part.pivot(index="replicate", columns="tables", values="recall")
        curves[name] = {"steps": table.columns.tolist(), "runs": table.to_numpy()}
    return curves


def seconds_per_search(table_numbers, n, seed=0):
    """Recall and milliseconds per search of baskets, by number of tables, and of comparing all.

    No task, so never stored: times differ from run to run.
    """
    table, queries = split_sets("baskets", n, seed)
    sets = Sets(table)
    for timed in (queries[:10], queries):
        started = time.perf_counter()
        for query in timed:
            np.argpartition(-sets.similarities(np.flatnonzero(query)), K)
        spent = time.perf_counter() - started
    measured = {"all compared": (1.0, 1000 * spent / len(queries))}
    for number in table_numbers:
        tables = HashTables(table, number, seed)
        list(tables.nearest(queries[:10]))  # the first searches are slower
        started = time.perf_counter()
        rows = [rows for rows, _ in tables.nearest(queries)]
        spent = time.perf_counter() - started
        measured[f"{number} tables"] = recall(sets, queries, rows), 1000 * spent / len(queries)
    return measured
