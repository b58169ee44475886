"""Partial Classification Forest and its single Tree: classifiers that abstain."""

import warnings

import numpy as np

from studylib.core.forest import Forest
from studylib.core.frames import feature_names
from studylib.pcf._base import PartialClassifier, samples
from studylib.pcf._nodes import NO_LABEL, node_boxes, node_depths


class SilentForestWarning(UserWarning):
    """A forest would predict less than 1 % of its training data."""


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
        ``"nearest_neighbor"``; a leaf model of :mod:`studylib.pcf.leaf_models`; a scikit-learn classifier,
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
    abstain_label_ : Λ
    class_prior_ : float64 ndarray (n_classes,)
        Shares of the classes in the training set.
    bounds_ : float64 ndarray (2, n_features)
        β_X: smallest and largest value of each dimension.
    estimators_, trees_ : list of structured ndarray (n_nodes,)
        The Trees' nodes; see :data:`studylib.pcf.NODE_DTYPE`.
    predictors_ : list of lists
        For each Tree the predictors of those leaves that do not stand for a single label.
    n_features_in_ : int
    feature_names_in_ : ndarray of str, if ``X`` had string column names

    Notes
    -----
    :meth:`score` is the accuracy over all samples, where an abstention counts as an error.  The source's
    measures are :meth:`coverage` and :func:`studylib.statistics.selective_accuracy`; for ``GridSearchCV``
    there is :func:`studylib.statistics.selective_scorer`.  ``fit`` warns with a
    :class:`studylib.pcf.SilentForestWarning` if less than 1 % of the training data would be predicted, of
    fewer than 100 rows if none would.

    What other forests have and this one has not: weights of samples and classes, since a leaf model is asked
    about samples and labels; samples out of bag, since every Tree sees all; and importances, since no
    criterion chooses a split.

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
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _warn_of_silence(self, X):
        # A thousand rows tell 1 % well enough and take no time; with predictors in leaves, which may be slow,
        # nothing is asked.
        if any(self.predictors_):
            return
        rows = np.ascontiguousarray(X[:: -(-len(X) // 1000)])
        share = float(np.mean(~self._abstains(self._votes(rows))))
        if share < 0.01:
            warnings.warn(
                f"{type(self).__name__}: {share:.1%} of the training data would be predicted; a larger "
                "max_loss, a smaller min_samples_leaf or voting='ignore_abstain' makes it more, and "
                "voting='always' all.",
                SilentForestWarning,
                stacklevel=4,
            )


class PartialClassificationTree(PartialClassifier):
    """A single Tree of a Partial Classification Forest.

    Parameters
    ----------
    leaf_model, max_loss, min_samples_leaf, max_depth, small_leaves, abstain_label, random_state
        As in :class:`PartialClassificationForest`.

    Attributes
    ----------
    classes_, abstain_label_, class_prior_, bounds_, n_features_in_, feature_names_in_
        As in :class:`PartialClassificationForest`.
    nodes_ : structured ndarray (n_nodes,)
        The nodes in a flat array; see :data:`studylib.pcf.NODE_DTYPE`.
    depth_ : int
        Of the deepest node; a lone root has 0.
    estimators_, trees_, predictors_
        As in the forest, with one entry.

    Examples
    --------
    >>> from studylib.pcf import PartialClassificationTree
    >>> tree = PartialClassificationTree(min_samples_leaf=2, random_state=0)
    >>> tree.fit([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict([[0.5]])
    array(['a'], dtype='<U7')
    """

    n_estimators, voting = 1, "plurality"

    def __init__(
        self,
        *,
        leaf_model="majority",
        max_loss=0.0,
        min_samples_leaf=4,
        max_depth=32,
        small_leaves="inactive",
        abstain_label="auto",
        random_state=None,
    ):
        self.leaf_model = leaf_model
        self.max_loss = max_loss
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.small_leaves = small_leaves
        self.abstain_label = abstain_label
        self.random_state = random_state

    @property
    def nodes_(self):
        return self.estimators_[0]

    @property
    def depth_(self):
        return int(node_depths(self.nodes_).max())

    def apply(self, X):
        """Index of the leaf that each sample reaches, int64 (n_samples,)."""
        return self._leaves(0, self._valid(X))

    def explain(self, x):
        """Why the Tree predicts or abstains at a point, as text.

        Parameters
        ----------
        x : array-like (n_features,) or (1, n_features)
        """
        x = self._valid(np.atleast_2d(x) if not hasattr(x, "columns") else x)
        if len(x) != 1:
            raise ValueError(f"{type(self).__name__}: explain takes one sample, got {len(x)}.")
        at = int(self._leaves(0, x)[0])
        leaf, depth = self.nodes_[at], int(node_depths(self.nodes_)[at])
        lower, upper = (bound[at] for bound in node_boxes(self.nodes_, self.bounds_))
        names = feature_names(self)
        cut = (lower > self.bounds_[0]) | (upper < self.bounds_[1])
        box = ", ".join(f"{names[j]} in [{lower[j]:.4g}, {upper[j]:.4g})" for j in np.flatnonzero(cut))
        where = f"leaf of {samples(leaf['n_samples'])} at depth {depth}: {box or 'the whole box'}"
        if leaf["label"] != NO_LABEL:
            label = self._outcome(self._votes(x))[0]
            return f"{where}\n→ {label}, because its loss {leaf['loss']:.4g} ≤ max_loss"
        if leaf["n_samples"] < self.min_samples_leaf:
            reason = f"it has fewer than min_samples_leaf = {self.min_samples_leaf} samples"
        elif self.max_depth is not None and depth >= self.max_depth:
            reason = f"its loss {leaf['loss']:.4g} > max_loss and max_depth is reached"
        else:
            reason = f"its samples are all equal and its loss {leaf['loss']:.4g} > max_loss"
        return f"{where}\n→ abstains, because {reason}"
