"""The one loop of all forests: trees are grown in threads from seeds drawn before, rows predicted in threads.

Results are bit-identical for any ``n_jobs``: a tree's draws follow from its own seed, what trees return is
used in the order of the seeds, and every thread fills its own rows.
"""

import itertools
import zlib

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from studylib.core.compiling import njit
from studylib.core.random import check_random_state
from studylib.core.text import warn
from studylib.core.tree import LEAF, accumulate_to_ancestors, depths, parents

_TASKS_PER_JOB = 8
#: Numbers of a table that fit in a cache; and so many rows are worth a call of each tree.
_NUMBERS_AT_ONCE, _FEWEST_ROWS = 1 << 18, 256


def grow_trees(grow, seeds, n_jobs, *, trees_per_task=None):
    """Yield what ``grow`` makes of each seed, in the order of the seeds, in ``n_jobs`` threads.

    Take all of them before anything else runs in parallel: within ``joblib.parallel_config`` all share one
    pool of threads; the first to end takes it down, and the others wait forever.

    ``grow`` makes a list of several seeds.  By default a task grows several trees, since for small data the
    dispatch of one costs as much as a tree; ``trees_per_task`` is 1 where what ``grow`` returns is too large
    to be kept for several.
    """
    if len(seeds) == 0:
        return iter(())
    n_tasks = min(len(seeds), _TASKS_PER_JOB * effective_n_jobs(n_jobs))
    if trees_per_task is not None:
        n_tasks = -(-len(seeds) // trees_per_task)
    grown = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(grow)(some) for some in np.array_split(seeds, n_tasks)
    )
    return itertools.chain.from_iterable(grown)


def over_rows(task, X, n_jobs, at_most=None):
    """Call ``task(X[rows], rows)`` for slices of the rows of ``X``, in threads; returns the results in order.

    There is a slice for each of ``n_jobs`` threads, but none has more rows than ``at_most``.
    """
    n_jobs = min(effective_n_jobs(n_jobs), len(X))
    size = -(-len(X) // n_jobs)
    size = size if at_most is None else min(size, at_most)
    slices = [slice(start, min(start + size, len(X))) for start in range(0, len(X), size)]
    if n_jobs == 1:  # joblib takes as long to start as a small forest to predict a row
        return [task(X[rows], rows) for rows in slices]
    return Parallel(n_jobs=n_jobs, require="sharedmem")(delayed(task)(X[rows], rows) for rows in slices)


@njit(cache=True, nogil=True)
def add_votes(labels, weight, votes):
    """Add ``weight`` to each row of ``votes`` at the row's label; -1 is the last column.

    Bounds are not checked: ``votes`` must have a column for every label.
    """
    for i in range(labels.shape[0]):
        votes[i, labels[i]] += weight


def check_trees(ensemble, known=None, own=None):
    """Raise if ``estimators_`` has trees of another ensemble: kernels would look beyond rows and votes.

    ``known`` are the numbers of features and classes that trees know, a set, and ``own`` what they may be.
    """
    if known is None:
        d, k = ensemble.n_features_in_, len(ensemble.classes_)
        strange = [t for t in ensemble.estimators_ if t.n_features_in_ != d or len(t.classes_) != k]
        known, own = {(tree.n_features_in_, len(tree.classes_)) for tree in strange}, {(d, k)}
    if known - own:
        (d, k, *_), (d_own, k_own, *_) = min(known - own), min(own)
        raise ValueError(
            f"{type(ensemble).__name__}: estimators_ has a tree of {d} features and {k} classes, but needs "
            f"trees of {d_own} features and {k_own} classes; take those of a fit on the same columns and "
            "labels."
        )


class Voting:
    """A classifier whose fitted trees vote.

    A subclass has the parameter ``n_jobs``, the fitted trees in ``estimators_`` and the methods below that
    raise ``NotImplementedError``.
    """

    n_jobs = None

    @property
    def trees_(self):
        """``estimators_``, the list of the fitted trees."""
        return self.estimators_

    def _check_X(self, X):
        """Rows to predict, checked; raises if the classifier is not fitted."""
        raise NotImplementedError

    def _to_view(self, X):
        """Valid rows as the walk down a tree reads them."""
        return X

    def _leaves(self, k, rows):
        """Leaf that each row, as ``_to_view`` returns it, reaches in tree ``k``; int (n_samples,)."""
        raise NotImplementedError

    def _labels(self, k, leaves, X):
        """Class index that tree ``k`` gives to each of the valid rows ``X``, given their leaves."""
        raise NotImplementedError

    def _parents(self, k):
        """Parent of each node of tree ``k``, -1 for the root; int64 (n_nodes,)."""
        raise NotImplementedError

    def _no_votes(self, n):
        """Room for the votes on ``n`` samples, zeros (n, ...)."""
        return np.zeros((n, len(self.classes_)))

    def _add_votes(self, k, leaves, X, votes):
        """Add the votes of tree ``k`` on the valid rows ``X``."""
        add_votes(self._labels(k, leaves, X), 1, votes)

    def _outcome(self, votes):
        """Label that each row of votes ends in; a tie goes to the first class."""
        return self.classes_[votes.argmax(axis=1)]

    def _rows_at_once(self, d):
        """Rows of ``d`` columns that all trees read before the next are looked at; None for all rows.

        So they are still in the cache, and what ``_to_view`` makes of them is small.
        """
        return max(_FEWEST_ROWS, _NUMBERS_AT_ONCE // d)

    def _check_trees(self):
        check_trees(self)

    def _over_rows(self, task, X):
        self._check_trees()
        return over_rows(task, X, self.n_jobs, self._rows_at_once(X.shape[1]))

    def _votes(self, X, votes=None, add=None):
        """Votes of all trees on valid rows; ``votes`` and ``add`` stand in for the classifier's own."""
        votes = self._no_votes(len(X)) if votes is None else votes
        add = self._add_votes if add is None else add

        def count(part, rows):
            seen = self._to_view(part)
            for k in range(len(self.estimators_)):
                add(k, self._leaves(k, seen), part, votes[rows])

        self._over_rows(count, X)
        return votes

    def predict(self, X):
        """Label that the trees' votes end in, (n_samples,).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return self._outcome(self._votes(self._check_X(X)))


class Forest(Voting):
    """Base class of forests: leaves, paths and labels by each tree, and labels by the first 1, 2, … trees.

    A subclass has the parameters ``random_state`` and ``warm_start``.
    """

    def __len__(self):
        check_is_fitted(self)
        return len(self.estimators_)

    def __getitem__(self, k):
        check_is_fitted(self)
        return self.estimators_[k]

    def __iter__(self):
        check_is_fitted(self)
        return iter(self.estimators_)

    def _kept(self, n_trees, *data):
        """``(trees of an earlier fit that stay, generator that the seeds of all trees are drawn from)``.

        Without ``warm_start`` none stays.  With it the generator is set back to where it was in the first
        fit, so what is drawn is what one fit would have drawn.  Trees are grown on the arrays ``data``.  On
        other data they would index beyond what they know, so these are compared whatever the first fit was.
        """
        name = type(self).__name__
        mark = _fingerprint(data)
        kept = len(self.estimators_) if self.warm_start and hasattr(self, "_drawn_from") else 0
        if kept > n_trees:
            raise ValueError(
                f"{name}: with warm_start=True, n_estimators must be at least {kept}, the number of trees "
                f"already grown, got {n_trees}."
            )
        if kept and self._grown_on != mark:
            raise ValueError(
                f"{name}: with warm_start=True, X, its categories, y and weights must be the same as before; "
                "set warm_start=False to grow a new forest."
            )
        if kept:
            self._check_trees()
        if kept == n_trees:
            warn("Warm-start fitting without increasing n_estimators does not fit new trees.")
        if kept:
            rng = np.random.RandomState()
            rng.set_state(self._drawn_from)
            return kept, rng
        rng = check_random_state(self.random_state)
        self._drawn_from, self._grown_on = rng.get_state(), mark
        return 0, rng

    def apply(self, X):
        """Leaf that each sample reaches in every tree, int64 (n_samples, n_estimators): node indices.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return np.array(self._all_leaves(self._check_X(X)).T, np.int64, order="C")

    def decision_path(self, X):
        """Nodes that each sample passes in every tree.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Returns
        -------
        indicator : csr_matrix of int64 (n_samples, n_nodes of all trees)
            1 where a sample passes a node.
        n_nodes_ptr : int64 ndarray (n_estimators + 1,)
            The columns of tree ``k`` are ``n_nodes_ptr[k]:n_nodes_ptr[k + 1]``.
        """
        leaves = self._all_leaves(self._check_X(X))
        passed = [_paths(self._parents(k))[at] for k, at in enumerate(leaves)]
        ends = np.cumsum([0, *(paths.shape[1] for paths in passed)])
        return sparse.csr_matrix(sparse.hstack(passed, format="csr")), ends

    def tree_predict(self, X):
        """Label that each tree gives by itself: indices into ``classes_``, int32 (n_estimators, n_samples).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        X = self._check_X(X)
        labels = np.empty((len(self.estimators_), len(X)), np.int32)

        def ask(part, rows):
            seen = self._to_view(part)
            for k in range(len(labels)):
                labels[k, rows] = self._labels(k, self._leaves(k, seen), part)

        self._over_rows(ask, X)
        return labels

    def staged_predict(self, X):
        """Yield the labels by the first 1, 2, … trees, as a forest of these trees alone would give them.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)

        Yields
        ------
        ndarray (n_samples,)
        """
        for votes in self._staged_votes(X):
            yield self._outcome(votes)

    def _staged_votes(self, X):
        """Yield the votes after each tree, in the same array each time."""
        X = self._check_X(X)
        votes = self._no_votes(len(X))
        for k, leaves in enumerate(self._all_leaves(X)):
            self._add_votes(k, leaves, X, votes)
            yield votes

    def _all_leaves(self, X):
        """Leaves of valid rows, int32 (n_estimators, n_samples)."""
        leaves = np.empty((len(self.estimators_), len(X)), np.int32)

        def walk(part, rows):
            seen = self._to_view(part)
            for k, out in enumerate(leaves):
                out[rows] = self._leaves(k, seen)

        self._over_rows(walk, X)
        return leaves


def mean_importances(shares):
    """Mean over trees of their features' shares, float64 (n_features,), of sum 1, or 0 if none divides."""
    mean = np.mean(shares, axis=0)
    return mean / (mean.sum() or 1.0)  # trees that are lone roots have none


def gini_decreases(counts, first_child):
    """Decrease of Gini impurity, times samples, at each inner node, float64 (n_nodes,); 0 in leaves.

    ``counts``, (n_nodes, n_classes), are the samples of each class in the leaves; 0 elsewhere.
    """
    counts = accumulate_to_ancestors(counts, parents(first_child)).astype(np.float64)
    n = counts.sum(axis=1)
    impurity = n - (counts * counts).sum(axis=1) / n
    inner = np.flatnonzero(first_child != LEAF)
    below = first_child[inner]
    decreases = np.zeros(len(counts))
    decreases[inner] = np.maximum(impurity[inner] - (impurity[below] + impurity[below + 1]), 0.0)
    return decreases


def _paths(above):
    """The nodes from the root to each node, csr_matrix (n_nodes, n_nodes) of ones, given its parents."""
    ends = np.cumsum(depths(above) + 1)
    passed = np.empty(ends[-1], np.int64)
    node, place = np.arange(len(above)), ends - 1
    while len(node):  # all go up a step
        passed[place] = node
        node = above[node]
        place = place[node >= 0] - 1
        node = node[node >= 0]
    starts = np.concatenate([[0], ends])
    return sparse.csr_matrix((np.ones(len(passed), np.int64), passed, starts), shape=(len(above),) * 2)


def _fingerprint(data):
    """A number that tells whether arrays are those of an earlier fit; takes a second for 2 GB."""
    mark = 0
    for array in data:
        if array is None:
            continue
        array = np.ascontiguousarray(array if array.dtype.kind != "O" else array.astype(str))
        mark = zlib.crc32(array.view(np.uint8).ravel(), zlib.crc32(repr(array.shape).encode(), mark))
    return mark
