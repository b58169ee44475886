"""What forest and single Tree share: growing, voting, the abstain label."""

import numbers
from contextlib import nullcontext

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from studylib.core.forest import Voting, grow_trees
from studylib.core.labels import encode_labels
from studylib.core.model import Model, unchanged_on_failure
from studylib.core.parameters import check_choice, check_integer, check_n_jobs, check_real, describe
from studylib.core.random import tree_states
from studylib.core.table import TableReader
from studylib.core.tree import parents
from studylib.core.walk import find_leaves, routes
from studylib.pcf import _grow
from studylib.pcf._grow_with_model import grow_with_model, predict_with
from studylib.pcf._nodes import NO_LABEL, node_depths
from studylib.pcf.leaf_models import resolve

_NO_LIMIT = 2**30


class PartialClassifier(ClassifierMixin, Voting, Model):
    """Base of the classifiers that abstain; their ``__init__`` stores the parameters read here."""

    #: Their votes stay in the processor's cache.
    _rows_per_task = 8192

    def fit(self, X, y):
        """Grow the Trees (Algorithms 1 and 3).

        Parameters
        ----------
        X : array-like (n_samples, n_features), finite numbers
        y : array-like (n_samples,), class labels of any type

        Returns
        -------
        self
        """
        with unchanged_on_failure(self):
            return self._fit(X, y)

    def _fit(self, X, y):
        n_trees, settings, gamma = self._settings()
        self._reader = TableReader()
        X = self._reader.fit(self, X)
        self.classes_, y = encode_labels(type(self).__name__, y, len(X))
        self.abstain_label_ = self._resolved_abstain_label()
        self.class_prior_ = np.bincount(y) / len(y)
        columns = np.ascontiguousarray(X.T)
        self.bounds_ = np.stack([X.min(axis=0), X.max(axis=0)])

        def grow(states):
            return [self._grown(columns, y, settings, gamma, state) for state in states]

        kept, rng = self._kept(n_trees, X, y)
        # A node is too small for threads of its own, and Trees have theirs.
        with threadpool_limits(1) if gamma is not None else nullcontext():
            grown = list(grow_trees(grow, tree_states(rng, n_trees)[kept:], self.n_jobs))
        if not kept:
            self.estimators_, self.predictors_ = [], []
        self.estimators_ = self.estimators_ + [nodes for nodes, _ in grown]
        self.predictors_ = self.predictors_ + [predictors for _, predictors in grown]
        self._routes = [
            routes(nodes["first_child"], nodes["feature"], nodes["threshold"], np.inf)
            for nodes in self.estimators_
        ]
        self._warn_of_silence(X)
        return self

    def _warn_of_silence(self, X):
        """Warn if next to nothing of the training data would be predicted."""

    def _kept(self, n_trees, *data):
        """Trees of an earlier fit that stay, and the generator; only forests keep any."""
        return 0, self.random_state

    def _grown(self, columns, y, settings, gamma, state):
        """One Tree: its nodes, and the predictors of leaves that do not stand for a single label."""
        lower, upper = self.bounds_.copy()
        if gamma is not None:
            return grow_with_model(
                type(self).__name__, gamma, columns, y, self.classes_, lower, upper, settings, state
            )
        nodes, n_nodes = _grow.grow(columns, y, len(self.classes_), lower, upper, settings, state)
        return nodes[:n_nodes].copy(), []

    def predict(self, X):
        """Label of each sample, ``abstain_label_`` where it abstains (Algorithm 4), (n_samples,)."""
        return super().predict(X)

    def predict_proba(self, X):
        """Shares of the labels among the Trees that predict, float64 (n_samples, n_classes).

        Λ's share is left out, so that a row sums to 1 as scikit-learn's users expect;
        :meth:`vote_shares` has it.  A row that no Tree predicts gets ``class_prior_``, the classes' shares
        of the training set.  So the largest share may be that of a label where :meth:`predict` abstains;
        with ``voting="always"`` it is that of the label predicted.
        """
        votes = self._votes(self._valid(X))[:, :-1].astype(np.float64)
        n_votes = votes.sum(axis=1, keepdims=True)
        return np.where(n_votes > 0, votes / np.maximum(n_votes, 1), self.class_prior_)

    def vote_shares(self, X):
        """Shares of all votes, float64 (n_samples, n_classes + 1); the last column is Λ's."""
        votes = self._votes(self._valid(X))
        return votes / len(self.estimators_)

    def score(self, X, y, sample_weight=None):
        """Share of samples that are predicted correctly, an abstention counting as an error, float.

        So a forest is not punished for an error more than for an abstention: to search for parameters, take
        :func:`studylib.statistics.selective_scorer`, accuracy where enough is predicted.

        Parameters
        ----------
        X : array-like (n_samples, n_features)
        y : array-like (n_samples,)
        sample_weight : array-like (n_samples,) or None
        """
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

    def coverage(self, X):
        """Share of samples that are predicted (the source's *predicted*), float."""
        return float(np.mean(~self._abstains(self._votes(self._valid(X)))))

    def _settings(self):
        """Number of Trees, settings for the kernel, and γ where it has to be called; all checked."""
        name = type(self).__name__
        code, parameter, gamma = resolve(name, self.leaf_model)
        small = check_choice(name, "small_leaves", self.small_leaves, ("inactive", "as_printed"))
        settings = _grow.Settings(
            leaf_model=-1 if code is None else code,
            leaf_parameter=parameter,
            max_loss=check_real(name, "max_loss", self.max_loss, 0.0),
            min_samples_leaf=check_integer(name, "min_samples_leaf", self.min_samples_leaf, 1),
            max_depth=min(check_integer(name, "max_depth", self.max_depth, 0, none_as=_NO_LIMIT), _NO_LIMIT),
            small_leaves_active=small == "as_printed",
        )
        check_n_jobs(name, self.n_jobs)
        check_choice(name, "voting", self.voting, ("plurality", "ignore_abstain", "always"))
        return check_integer(name, "n_estimators", self.n_estimators, 1), settings, gamma

    def _resolved_abstain_label(self):
        """Λ: never an element of the label set."""
        label, known = self.abstain_label, self.classes_.tolist()
        if isinstance(label, str) and label == "auto":
            if self.classes_.dtype.kind in "biuf":
                return -1 if -1 not in known else _number_below(min(known))
            label = "abstain"
            while label in known:
                label += "_"
            return label
        if not (label is None or isinstance(label, (str, numbers.Number))):
            raise ValueError(
                f"{type(self).__name__}: abstain_label must be 'auto', a number, a string or None, got "
                f"{describe(label)}."
            )
        if label != label:
            raise ValueError(
                f"{type(self).__name__}: abstain_label must not be NaN, which does not even equal itself."
            )
        if label in known:
            raise ValueError(
                f"{type(self).__name__}: abstain_label must not be one of the labels, got {label!r}, which "
                "is."
            )
        return label

    def _valid(self, X):
        check_is_fitted(self)
        return np.require(self._reader.transform(self, X), requirements=["C", "W"])

    def _no_votes(self, n):
        """The last column is Λ's."""
        return np.zeros((n, len(self.classes_) + 1), np.int32)

    def _parents(self, k):
        return parents(self.estimators_[k]["first_child"])

    def _leaves(self, k, rows):
        return find_leaves(self._routes[k], rows)

    def _labels(self, k, leaves, X):
        """Class indices that Tree ``k`` gives to the rows, ``-1`` where it abstains, int32."""
        nodes = self.estimators_[k]
        labels = nodes["label"][leaves]
        if not self.predictors_[k]:
            return labels
        for leaf in np.unique(leaves[labels < NO_LABEL]):
            here = np.flatnonzero(leaves == leaf)
            where = (
                f"{type(self).__name__}: the predictor of a leaf of {samples(nodes['n_samples'][leaf])} at "
                f"depth {node_depths(nodes)[leaf]}"
            )
            predictor = self.predictors_[k][-2 - nodes["label"][leaf]]
            labels[here] = predict_with(where, predictor, X[here], self.classes_)
        return labels

    def _abstains(self, votes):
        """Whether each row of votes ends in Λ."""
        if self.voting == "always":
            return np.zeros(len(votes), dtype=bool)
        best = votes[:, :-1].max(axis=1)
        if self.voting == "ignore_abstain":
            return best == 0
        return votes[:, -1] >= best

    def _outcome(self, votes):
        """Label that each row of votes ends in, Λ included; a tie between labels goes to the first class."""
        told = votes[:, :-1]
        if self.voting == "always":  # where no Tree predicts, the training set decides
            told = np.where(told.any(axis=1, keepdims=True), told, self.class_prior_)
            return super()._outcome(told)
        labels = super()._outcome(told)
        abstains = self._abstains(votes)
        labels = labels.astype(_common_dtype(self.classes_, self.abstain_label_))
        labels[abstains] = self.abstain_label_
        return labels


def samples(n):
    """A number of samples in words."""
    return f"{n} sample{'s' * int(n != 1)}"


def _number_below(value):
    """The number one below, or the next float where one is too little to tell."""
    below = value - 1
    return below if below < value else float(np.nextafter(value, -np.inf))


def _common_dtype(classes, label):
    """A dtype that holds both the labels and Λ without changing either; object where there is none."""
    kinds = classes.dtype.kind + np.asarray(label).dtype.kind
    if set(kinds) <= set("biu"):
        within = np.iinfo(np.int64)
        values = [*classes.tolist(), int(label)]
        return np.int64 if within.min <= min(values) and max(values) <= within.max else object
    if kinds in ("UU", "ff", "fb") or (kinds == "fi" and abs(int(label)) <= 2**53):
        return np.result_type(classes.dtype, np.asarray(label).dtype)
    if kinds in ("if", "uf", "bf") and all(abs(value) <= 2**53 for value in classes.tolist()):
        return np.float64
    return object
