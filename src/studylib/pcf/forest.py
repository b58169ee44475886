"""Partial Classification Forest: a classifier that abstains."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.forest import Forest, add_votes, grow_trees
from studylib.core.parameters import NUMBER, Boolean, Choice, Jobs, RandomState
from studylib.core.random import spawn_states
from studylib.core.text import warn
from studylib.pcf._base import GROWTH, LEAVES, PartialClassifier
from studylib.pcf._nodes import NO_LABEL
from studylib.pcf.tree import PartialClassificationTree

#: So many rows of the training set, at most, tell well enough if 1% of it would be predicted.
_ASKED = 1000


class LowCoverageWarning(UserWarning):
    """A forest would predict less than 1% of its training data."""


class PartialClassificationForest(Forest, PartialClassifier):
    """Forest of random Trees that predicts only in partitions it found clean, and abstains elsewhere.

    Each Tree cuts the box of the training data at random places, one dimension after the other, until a
    partition is clean enough, too small, or too deep.  A clean partition is an *active* leaf; every other
    leaf votes Λ, "no prediction".  In today's terms: classification with a reject option.

    Parameters
    ----------
    n_estimators : int
        Number of Trees (the source's N).
    leaf_model : str, classifier or callable
        The source's γ: ``"majority"`` (the source's), ``"laplace"``, ``"confidence_bound"``, ``"logistic"``,
        ``"nearest_neighbor"``; a leaf model such as :class:`Laplace`; a scikit-learn classifier,
        judged by cross-validation in the leaf; or a custom callable ``(X, y) -> (predictor, loss)``.
    max_loss : float
        τ_l: loss up to which a leaf is active.  The source's "τ_l = 1" is an accuracy, ``0.0`` here.
    min_samples_leaf : int
        τ_|X|: a node with fewer samples is a leaf, and inactive unless ``small_leaves="as_printed"``.
    max_depth : int or None
        τ_h: a node at this depth is a leaf; the root has depth 0.  So a Tree has at most
        2^(τ_h + 1) − 1 nodes.
    voting : {"plurality", "ignore_abstain", "always"}
        Whether Λ counts as a label in the vote (Algorithm 4), a tie between Λ and a label being Λ's; or
        abstentions are ignored unless all Trees abstain; or they are always ignored, and where all Trees
        abstain the forest predicts the most frequent class of the training set, so that Λ is never
        predicted, as hard voting and plots of decision boundaries need it.  A tie between labels goes to the
        first class.  Changed after ``fit``, it counts for the next prediction.
    small_leaves : {"inactive", "as_printed"}
        Whether a leaf with fewer than ``min_samples_leaf`` samples is inactive, as the source's text and
        figures have it, or active if it is clean, as Algorithm 1 is printed.
    abstain_label : "auto", number, str or None
        Λ, what :meth:`predict` returns where the forest abstains; never one of the labels.  "auto" is −1
        for numeric labels (one below the smallest if −1 is a label), and ``"abstain"`` for others.  Booleans
        count as numbers: they are predicted as 0, 1 and −1.
    class_weight : "balanced", dict of class to weight, or None
        Weights of the classes in the losses of the leaves and in ``class_prior_``; "balanced" gives all
        classes the same total weight, a class that a dict does not name has weight 1.
    warm_start : bool
        Whether ``fit`` keeps the Trees that there are and grows further ones, up to ``n_estimators``: the
        same forest, bit by bit, as if all were grown at once.  The data must be the same.
    n_jobs : int or None
        Threads; the results are bit-identical for any value.
    random_state : int, RandomState instance or None
        With the same seed, a smaller forest is the beginning of a larger one.

    Attributes
    ----------
    classes_ : ndarray (n_classes,)
    abstain_label_ : label
        Λ as :meth:`predict` returns it.
    class_prior_ : float64 ndarray (n_classes,)
        Shares of the classes in the training set, by weight.
    bounds_ : float64 ndarray (2, n_features)
        β_X: smallest and largest value of each dimension.
    estimators_, trees_ : list of PartialClassificationTree
    predictors_ : list of lists
        For each Tree the predictors of those leaves that do not stand for a single label.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names

    Notes
    -----
    :meth:`score` is the accuracy over all samples, where an abstention counts as an error.  The source's
    measures are :meth:`coverage` and :func:`studylib.statistics.selective_accuracy`; for ``GridSearchCV``
    there is :func:`studylib.statistics.selective_scorer`.  ``fit`` warns with a
    :class:`studylib.pcf.LowCoverageWarning` if less than 1% of the training data would be predicted, of
    fewer than 100 rows if none would.

    Weights count as numbers of samples in the losses of the bundled leaf models: a sample of weight 2 is like
    two, but ``min_samples_leaf`` counts samples.  Splits are drawn without a look at weights.

    What other forests have and this one has not: samples out of bag, since every Tree sees all; and
    importances, since no criterion chooses a split.

    Readings of the source where it contradicts itself: the split is uniform between the bounds of the
    Tree's box, and the box is cut at each split; a dimension in which a node's samples are all equal is
    passed over without a draw; a node of identical samples is a leaf at once.

    References
    ----------
    Faßbender, *Partial Classification Forest*, sections II and III.

    Examples
    --------
    >>> import numpy as np
    >>> from studylib.datasets import make_clean_partitions
    >>> from studylib.pcf import PartialClassificationForest
    >>> X, y = make_clean_partitions(random_state=0)
    >>> forest = PartialClassificationForest(min_samples_leaf=4, random_state=0).fit(X[:4500], y[:4500])
    >>> predicted = forest.predict(X[4500:]) != forest.abstain_label_
    >>> bool(0.1 < predicted.mean() < 0.25)
    True
    """

    _constraints: ClassVar[dict] = {
        "n_estimators": NUMBER,
        **GROWTH,
        "voting": Choice(("plurality", "ignore_abstain", "always")),
        **LEAVES,
        "warm_start": Boolean(),
        "n_jobs": Jobs(),
        "random_state": RandomState(),
    }

    def __init__(
        self,
        n_estimators=100,
        *,
        leaf_model="majority",
        max_loss=0.0,
        min_samples_leaf=4,
        max_depth=32,
        voting="plurality",
        small_leaves="inactive",
        abstain_label="auto",
        class_weight=None,
        warm_start=False,
        n_jobs=None,
        random_state=None,
    ):
        self.n_estimators = n_estimators
        self.leaf_model = leaf_model
        self.max_loss = max_loss
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.voting = voting
        self.small_leaves = small_leaves
        self.abstain_label = abstain_label
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, X, y, sample_weight):
        parameters = self._checked()
        training = self._training(parameters, X, y, sample_weight)
        kept, rng = self._kept(parameters.n_estimators, training.columns, training.y, training.weight)
        owner, states = type(self).__name__, spawn_states(rng, parameters.n_estimators)[kept:]
        step = -(-len(training.y) // _ASKED)

        def grow(states):
            grown = (training.grow(owner, state) for state in states)
            return [(nodes, predictors, labels[::step].copy()) for nodes, predictors, labels in grown]

        with training.threads():
            grown = list(grow_trees(grow, states, self.n_jobs))
        shared = PartialClassificationTree._shared_with(self)
        self.estimators_ = self.estimators_[:kept] if kept else []
        self.estimators_ += [PartialClassificationTree._member(shared, *tree) for *tree, _ in grown]
        self._warn_of_low_coverage(training.columns[:, ::step].T, [labels for *_, labels in grown])
        return self

    def _warn_of_low_coverage(self, X, labels):
        """Warn if next to nothing of the training set would be predicted.

        ``labels``, int32, are what each of the Trees that were grown last predicts for ``X``, some of its
        rows.
        """
        if any(self.predictors_):  # which may be slow
            return
        votes, n_kept = self._no_votes(len(X)), len(self) - len(labels)
        rows = np.ascontiguousarray(X) if n_kept else None
        for k in range(n_kept):
            self._add_votes(k, self._leaves(k, rows), rows, votes)
        for of_tree in labels:
            add_votes(of_tree, 1, votes)
        share = float(np.mean(~self._abstains(votes)))
        if share < 0.01:
            warn(
                f"{type(self).__name__}: {share:.1%} of the training data would be predicted; a larger "
                "max_loss, a smaller min_samples_leaf or voting='ignore_abstain' makes it more, and "
                "voting='always' all.",
                LowCoverageWarning,
            )

    @property
    def predictors_(self):
        return [tree.predictors_ for tree in self.estimators_]

    def predict(self, X):
        """Label of each sample, ``abstain_label_`` where the forest abstains (Algorithm 4), (n_samples,)."""
        return super().predict(X)

    def predict_proba(self, X):
        """Shares of the labels among the Trees that predict, float64 (n_samples, n_classes).

        Λ's share is left out, so that a row sums to 1 as scikit-learn's users expect;
        :meth:`vote_shares` has it.  A row that no Tree predicts gets ``class_prior_``, the classes' shares
        of the training set.  So the largest share may be that of a label where :meth:`predict` abstains;
        with ``voting="always"`` it is that of the label predicted.
        """
        votes = self._votes(self._check_X(X))[:, :-1].astype(np.float64)
        n_votes = votes.sum(axis=1, keepdims=True)
        return np.where(n_votes > 0, votes / np.maximum(n_votes, 1), self.class_prior_)

    def vote_shares(self, X):
        """Shares of all votes, float64 (n_samples, n_classes + 1); the last column is Λ's."""
        votes = self._votes(self._check_X(X))
        return votes / len(self.estimators_)

    def coverage(self, X):
        """Share of samples that are predicted (the source's *predicted*), float."""
        return float(np.mean(~self._abstains(self._votes(self._check_X(X)))))

    def _check_X(self, X):
        check_is_fitted(self)
        return self._read_rows(X)

    def _no_votes(self, n):
        """Room for the votes on ``n`` samples, int32 zeros (n, n_classes + 1); the last column is Λ's."""
        return np.zeros((n, len(self.classes_) + 1), np.int32)

    def _rows_at_once(self, d):
        # Each call of a leaf's model costs about the same, however few its rows are.
        return None if any(tree.predictors_ for tree in self.estimators_) else super()._rows_at_once(d)

    def _parents(self, k):
        return self.estimators_[k]._parents()

    def _leaves(self, k, rows):
        return self.estimators_[k]._leaves_of(rows)

    def _labels(self, k, leaves, X):
        return self.estimators_[k]._labels_of(leaves, X, type(self).__name__)

    def _abstains(self, votes):
        """Samples whose votes end in Λ, bool (n,)."""
        voting = self._value("voting")
        if voting == "always":
            return np.zeros(len(votes), dtype=bool)
        best = votes[:, :-1].max(axis=1)
        if voting == "ignore_abstain":
            return best == 0
        return votes[:, -1] >= best

    def _outcome(self, votes):
        """Label that each row of votes ends in, Λ included; a tie between labels goes to the first class.

        Algorithm 4, lines 5 and 6.
        """
        told = votes[:, :-1]
        if self._value("voting") == "always":  # where no Tree predicts, the training set decides
            told = np.where(told.any(axis=1, keepdims=True), told, self.class_prior_)
            return super()._outcome(told)
        codes = told.argmax(axis=1)
        codes[self._abstains(votes)] = NO_LABEL
        return self._named(codes)
