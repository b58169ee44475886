"""Base class of forest and Tree: parameters, the training set, and Λ."""

import numbers
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from studylib.core.labels import as_labels, encode_labels
from studylib.core.model import Classifier, fit_whole
from studylib.core.parameters import Choice, ClassWeight, Integer, Real, describe
from studylib.core.table import TableReader
from studylib.core.tree import copy_records
from studylib.core.weights import training_weights
from studylib.pcf import _grow
from studylib.pcf._grow_with_model import grow_with_model
from studylib.pcf._nodes import NO_LABEL
from studylib.pcf.leaf_models import Gamma, check_takes_weights

_NO_LIMIT = 2**30


class AbstainLabel(NamedTuple):
    """Constraint: a label that stands for Λ; it is compared with the labels of the data later."""

    def __call__(self, owner, name, value):
        if not (value is None or isinstance(value, (str, numbers.Number))):
            raise ValueError(
                f"{owner}: {name} must be 'auto', a number, a string or None, got {describe(value)}."
            )
        if value != value:
            raise ValueError(f"{owner}: {name} must not be NaN, which does not even equal itself.")
        return value


#: Constraints that forest and Tree share, in the order of their parameters.
GROWTH = {
    "leaf_model": Gamma(),
    "max_loss": Real(0.0),
    "min_samples_leaf": Integer(1),
    "max_depth": Integer(0, none_as=_NO_LIMIT),
}
LEAVES = {
    "small_leaves": Choice(("inactive", "as_printed")),
    "abstain_label": AbstainLabel(),
    "class_weight": ClassWeight(),
}


class Training(NamedTuple):
    """A training set, and the settings by which a Tree grows on it.

    ``columns`` is float64 (n_features, n_samples) in C order, ``y`` int32 (n_samples,), class indices,
    ``weight`` float64 (n_samples,), all positive, or None, ``classes`` (n_classes,), ``bounds`` β_X, float64
    (2, n_features).  ``gamma`` is a γ that is not compiled, or None.
    """

    columns: np.ndarray
    y: np.ndarray
    weight: np.ndarray | None
    classes: np.ndarray
    bounds: np.ndarray
    settings: _grow.Settings
    gamma: object

    def grow(self, owner, state):
        """Grow one Tree (Algorithm 1) from its random state, uint64 (1,); ``owner`` is the estimator's name.

        Returns the nodes, PARTIAL_NODE_DTYPE (n_nodes,), the predictors of leaves that do not stand for a
        single label, and the Tree's label of each sample, int32 (n_samples,).
        """
        lower, upper = self.bounds.copy()
        labels = np.full(len(self.y), NO_LABEL, np.int32)
        data = self.columns, self.y, self.weight
        if self.gamma is not None:
            nodes, predictors = grow_with_model(
                owner, self.gamma, *data, self.classes, lower, upper, self.settings, state, labels
            )
            return nodes, predictors, labels
        counts = np.empty(len(self.classes), np.int64 if self.weight is None else np.float64)
        nodes, n_nodes = _grow.grow(*data, counts, lower, upper, self.settings, state, labels)
        return copy_records(nodes[:n_nodes]), [], labels

    def threads(self):
        """A context in which γ has one thread: a node is too small for more, and Trees have theirs."""
        return nullcontext() if self.gamma is None else threadpool_limits(1)


class PartialClassifier(Classifier):
    """Base of the classifiers that abstain; their ``__init__`` stores the parameters read here."""

    def fit(self, X, y, sample_weight=None):
        """Grow the Trees (Algorithms 1 and 3).

        Parameters
        ----------
        X : array-like (n_samples, n_features), finite numbers
        y : array-like (n_samples,), class labels of any type
        sample_weight : array-like (n_samples,) or None
            Non-negative: a sample of weight 2 counts as two in the loss of its leaf; one of weight 0 is left
            out.

        Returns
        -------
        self
        """
        return fit_whole(self, X, y, sample_weight)

    def _training(self, parameters, X, y, sample_weight):
        """Read a training set, with ``_checked`` parameters; sets the fitted attributes that are no Trees."""
        code, constant, gamma = parameters.leaf_model
        if sample_weight is not None or parameters.class_weight is not None:
            check_takes_weights(type(self).__name__, gamma, self.leaf_model)
        self._reader = TableReader()
        X = self._reader.fit(self, X)
        self.classes_, y = encode_labels(type(self).__name__, y, len(X))
        self.abstain_label_ = self._resolved_abstain_label()
        weight = training_weights(self, X, y, sample_weight, parameters.class_weight)
        if weight is None:
            self.class_prior_ = np.bincount(y) / len(y)
        else:
            used = weight > 0
            X, y, weight = X[used], y[used], weight[used]
            self.class_prior_ = np.bincount(y, weight, len(self.classes_)) / weight.sum()
        self.bounds_ = np.stack([X.min(axis=0), X.max(axis=0)])
        settings = _grow.Settings(
            leaf_model=-1 if code is None else code,
            leaf_parameter=constant,
            max_loss=parameters.max_loss,
            min_samples_leaf=parameters.min_samples_leaf,
            max_depth=min(parameters.max_depth, _NO_LIMIT),
            small_leaves_active=parameters.small_leaves == "as_printed",
        )
        return Training(np.ascontiguousarray(X.T), y, weight, self.classes_, self.bounds_, settings, gamma)

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
        predicted = self.predict(X)
        return float(
            np.average(predicted == as_labels(type(self).__name__, y, len(predicted)), weights=sample_weight)
        )

    def _read_rows(self, X):
        return np.require(self._reader.transform(self, X), requirements=["C", "W"])

    def _resolved_abstain_label(self):
        """Label that stands for Λ, never an element of the label set."""
        label, known = self.abstain_label, self.classes_.tolist()
        if isinstance(label, str) and label == "auto":
            if self.classes_.dtype.kind in "biuf":
                return -1 if -1 not in known else _number_below(min(known))
            label = "abstain"
            while label in known:
                label += "_"
            return label
        if label in known:
            raise ValueError(
                f"{type(self).__name__}: abstain_label must not be one of the labels, got {label!r}, which "
                "is."
            )
        return label

    def _named(self, codes):
        """Labels of class indices, Λ for -1; of a dtype that holds both."""
        labels = self.classes_[codes].astype(_common_dtype(self.classes_, self.abstain_label_))
        labels[codes == NO_LABEL] = self.abstain_label_
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
