"""The one loop of all forests: trees are grown in threads from seeds drawn before, rows predicted in threads.

Results are bit-identical for any ``n_jobs``: a tree's draws follow from its own seed, what trees return is
used in the order of the seeds, and every thread fills its own rows.
"""

import itertools

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numba import njit
from sklearn.utils.validation import check_is_fitted

_TASKS_PER_JOB = 8


def grow_trees(grow, seeds, n_jobs, *, trees_per_task=None):
    """Yield what ``grow`` makes of each seed, in the order of the seeds.

    Parameters
    ----------
    grow : callable
        From several seeds to a list with one entry for each.
    seeds : array (n_estimators, ...)
    n_jobs : int or None
        Threads.
    trees_per_task : int or None
        By default a task grows several trees, since for small data the dispatch of one costs as much as a
        tree; 1 where what ``grow`` returns is too large to be kept for several.
    """
    n_tasks = min(len(seeds), _TASKS_PER_JOB * effective_n_jobs(n_jobs))
    if trees_per_task is not None:
        n_tasks = -(-len(seeds) // trees_per_task)
    grown = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator")(
        delayed(grow)(some) for some in np.array_split(seeds, n_tasks)
    )
    return itertools.chain.from_iterable(grown)


def over_rows(task, X, n_jobs, at_most=None):
    """Call ``task(X[rows], rows)`` for slices of the rows of ``X``, in threads; returns the results in order.

    Parameters
    ----------
    task : callable
    X : array or DataFrame (n_samples, n_features)
    n_jobs : int or None
        Threads; one slice for each.
    at_most : int or None
        No slice has more rows.
    """
    n_jobs = min(effective_n_jobs(n_jobs), len(X))
    size = -(-len(X) // n_jobs)
    size = size if at_most is None else min(size, at_most)
    rows = getattr(X, "iloc", X)
    return Parallel(n_jobs=n_jobs, require="sharedmem")(
        delayed(task)(rows[start : start + size], slice(start, min(start + size, len(X))))
        for start in range(0, len(X), size)
    )


@njit(cache=True, nogil=True)
def add_votes(labels, weight, votes):
    """Add ``weight`` to each row of ``votes`` at the row's label; -1 is the last column."""
    for i in range(labels.shape[0]):
        votes[i, labels[i]] += weight


class Voting:
    """A classifier whose fitted trees vote.

    A subclass has the parameter ``n_jobs``, the fitted trees in ``trees_`` (or says in ``_trees`` where they
    are) and the methods below that raise ``NotImplementedError``.
    """

    n_jobs = None
    _rows_per_task = None  # None: as many tasks as threads

    @property
    def _trees(self):
        """The fitted trees, a list."""
        return self.trees_

    def _valid(self, X):
        """Rows to predict, checked; raises if the classifier is not fitted."""
        raise NotImplementedError

    def _walked(self, X):
        """Valid rows as the walk down a tree reads them."""
        return X

    def _leaves(self, k, rows):
        """Leaf that each row, as ``_walked`` returns it, reaches in tree ``k``; int (n_samples,)."""
        raise NotImplementedError

    def _labels(self, k, leaves, X):
        """Class index that tree ``k`` gives to each of the valid rows ``X``, given their leaves."""
        raise NotImplementedError

    def _no_votes(self, n):
        """Room for the votes on ``n`` samples, zeros (n, ...)."""
        return np.zeros((n, len(self.classes_)))

    def _add_votes(self, k, leaves, X, votes):
        """Add what tree ``k`` says of the valid rows ``X``."""
        add_votes(self._labels(k, leaves, X), 1, votes)

    def _outcome(self, votes):
        """Label that each row of votes ends in; a tie goes to the first class."""
        return self.classes_[votes.argmax(axis=1)]

    def _over_rows(self, task, X):
        return over_rows(task, X, self.n_jobs, self._rows_per_task)

    def _votes(self, X, votes=None, add=None):
        """Votes of all trees on valid rows; ``votes`` and ``add`` stand in for the classifier's own."""
        votes = self._no_votes(len(X)) if votes is None else votes
        add = self._add_votes if add is None else add

        def count(part, rows):
            seen = self._walked(part)
            for k in range(len(self._trees)):
                add(k, self._leaves(k, seen), part, votes[rows])

        self._over_rows(count, X)
        return votes

    def predict(self, X):
        """Label that the trees' votes end in, (n_samples,).

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        """
        return self._outcome(self._votes(self._valid(X)))


class Forest(Voting):
    """What all forests offer beside ``predict``: what their trees say one by one, and after one another."""

    def __len__(self):
        check_is_fitted(self)
        return len(self._trees)

    def apply(self, X):
        """Leaf that each sample reaches in every tree, int64 (n_samples, n_estimators): node indices.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        """
        return np.array(self._all_leaves(self._valid(X)).T, np.int64, order="C")

    def tree_predict(self, X):
        """What each tree says by itself: indices into ``classes_``, int32 (n_estimators, n_samples).

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        """
        X = self._valid(X)
        labels = np.empty((len(self._trees), len(X)), np.int32)

        def ask(part, rows):
            seen = self._walked(part)
            for k in range(len(labels)):
                labels[k, rows] = self._labels(k, self._leaves(k, seen), part)

        self._over_rows(ask, X)
        return labels

    def staged_predict(self, X):
        """Labels by the first 1, 2, … trees: one forest shows what every smaller one would have said.

        Parameters
        ----------
        X : array-like (n_samples, n_features)

        Yields
        ------
        ndarray (n_samples,)
        """
        for votes in self._staged_votes(X):
            yield self._outcome(votes)

    def _staged_votes(self, X):
        """Yield the votes after each tree, in the same array each time."""
        X = self._valid(X)
        votes = self._no_votes(len(X))
        for k, leaves in enumerate(self._all_leaves(X)):
            self._add_votes(k, leaves, X, votes)
            yield votes

    def _all_leaves(self, X):
        """Leaves of valid rows, int32 (n_estimators, n_samples)."""
        leaves = np.empty((len(self._trees), len(X)), np.int32)

        def walk(part, rows):
            seen = self._walked(part)
            for k, out in enumerate(leaves):
                out[rows] = self._leaves(k, seen)

        self._over_rows(walk, X)
        return leaves
