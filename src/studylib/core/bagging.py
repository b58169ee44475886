"""Forests whose trees are grown on samples drawn with replacement, and their out-of-bag scores."""

import numbers
from typing import NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.forest import Forest, grow_trees
from studylib.core.parameters import describe
from studylib.core.random import draw_by_weight, draw_evenly
from studylib.core.weights import weighted_mean


class Bags(NamedTuple):
    """Bootstrap samples of the trees, ``size`` draws of ``n``, drawn again from a tree's state on request.

    ``sums``, float64 (n,), are running sums of the samples' weights, or None if all have the same.
    """

    n: int
    size: int
    sums: np.ndarray | None

    def draw(self, state):
        """Count how often a tree has each sample, int64 (n,); ``state``, uint64 (1,), moves on."""
        if self.sums is None:
            return draw_evenly(self.n, self.size, state)
        return draw_by_weight(self.sums, self.size, state)


class MaxSamples(NamedTuple):
    """Constraint of the draws per tree: None, an integer, or a share of the samples."""

    def __call__(self, owner, name, value):
        _bag_size(owner, value, 1)
        return value


class BaggedForest(Forest):
    """A forest with the parameters ``bootstrap``, ``max_samples`` and ``oob_score``.

    Its ``fit`` calls ``_set_bags`` before and ``_set_out_of_bag`` after the trees are grown.
    """

    def _check_together(self, parameters):
        name = type(self).__name__
        if parameters.bootstrap:
            return
        if parameters.oob_score:
            raise ValueError(f"{name}: oob_score=True needs samples out of bag, so bootstrap must be True.")
        if parameters.max_samples is not None:
            raise ValueError(
                f"{name}: max_samples must be None unless bootstrap=True, got {describe(self.max_samples)}."
            )

    def _set_bags(self, n, weight, drawn=False):
        """Set ``_bags``, None where every tree has all ``n`` samples.

        A sample's chance to be drawn is its weight, float (n,) or None.  With ``drawn``, samples are drawn
        without ``bootstrap``, too.
        """
        at_hand = n if weight is None else np.count_nonzero(weight)
        size = _bag_size(type(self).__name__, self.max_samples, at_hand)
        self._n_samples = n
        self._bags = None
        if self.bootstrap or drawn:
            self._bags = Bags(n, size, None if weight is None else np.cumsum(weight))

    @property
    def estimators_samples_(self):
        """Rows of the training set that each tree was grown on, a list of int32 arrays.

        A row appears as often as it was drawn.
        """
        check_is_fitted(self)
        rows = np.arange(self._n_samples, dtype=np.int32)
        if self._bags is None:
            return [rows] * len(self)
        return [np.repeat(rows, self._bags.draw(state.copy())) for state in self._states]

    def _some(self, rows, chosen):
        """Some of the rows that ``_to_view`` returned."""
        return rows[chosen]

    def _out_of_bag(self, X):
        """Yield for each tree the valid rows of the training set that it has not seen, and their leaves."""
        rows = self._to_view(X)

        def look(numbers):
            parts = []
            for k in numbers:
                unseen = np.flatnonzero(self._bags.draw(self._states[k].copy()) == 0)
                leaves = self._leaves(k, self._some(rows, unseen)) if len(unseen) else np.empty(0, np.int64)
                parts.append((unseen, leaves))
            return parts

        return grow_trees(look, np.arange(len(self)), self.n_jobs)

    def _votes_out_of_bag(self, X, before=None):
        """Votes on each row of the training set by the trees that have not seen it, and their number.

        ``before`` is called before each tree votes, with its number, what it has not seen, and its leaves.
        """
        votes, n_trees = self._no_votes(self._n_samples), np.zeros(self._n_samples)
        for k, (unseen, leaves) in enumerate(self._out_of_bag(X)):
            if before is not None:
                before(k, unseen, leaves)
            some = votes[unseen]
            self._add_votes(k, leaves, None, some)
            votes[unseen], n_trees[unseen] = some, n_trees[unseen] + 1
        return votes, n_trees

    def _set_out_of_bag(self, shares, y, weight):
        """Set the out-of-bag attributes that ``oob_score`` asks for, or remove those of an earlier fit.

        ``shares``, float64 (n_samples, n_classes) or None, are of the votes of the trees that have not seen a
        sample, NaN if there are none; ``y`` are class indices, int (n_samples,).
        """
        if shares is None:
            for name in {"oob_error_", "oob_score_", "oob_decision_function_"} & set(vars(self)):
                delattr(self, name)
            return
        self.oob_decision_function_ = shares
        rows = np.flatnonzero(~np.isnan(shares[:, 0]))
        labels = shares[rows].argmax(axis=1)
        self.oob_error_ = float(weighted_mean(labels != y[rows], weight, rows, otherwise=np.nan))
        self.oob_score_ = float(weighted_mean(labels == y[rows], weight, rows, otherwise=np.nan))
        if callable(self.oob_score):
            self.oob_score_ = self.oob_score(self.classes_[y[rows]], self.classes_[labels])


def _bag_size(owner, max_samples, n):
    """Number of draws per tree."""
    if max_samples is None:
        return n
    real = isinstance(max_samples, numbers.Real) and not isinstance(max_samples, bool)
    if real and 0 < max_samples < 2**31:
        if isinstance(max_samples, numbers.Integral):
            return int(max_samples)
        return max(1, int(max_samples * n))
    raise ValueError(
        f"{owner}: max_samples must be None, an integer from 1 to {2**31 - 1} or a positive share of the "
        f"samples, got {describe(max_samples)}."
    )
