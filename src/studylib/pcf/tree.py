"""A single Tree of a Partial Classification Forest."""

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from studylib.core.frames import as_one_row, feature_names
from studylib.core.grown_tree import GrownTree
from studylib.core.parameters import RandomState
from studylib.core.random import spawn_states
from studylib.core.tree import LEAF
from studylib.core.walk import find_leaves, routes
from studylib.pcf._base import GROWTH, LEAVES, PartialClassifier, samples
from studylib.pcf._grow_with_model import predict_with
from studylib.pcf._nodes import NO_LABEL, node_boxes, node_depths

#: Fitted attributes that a forest's Trees share with it.
_SHARED = {
    "_reader",
    "abstain_label_",
    "bounds_",
    "class_prior_",
    "classes_",
    "feature_names_in_",
    "n_features_in_",
}


class PartialClassificationTree(PartialClassifier, GrownTree):
    """A single Tree of a Partial Classification Forest, by itself or as a forest's member.

    Parameters
    ----------
    leaf_model, max_loss, min_samples_leaf, max_depth, small_leaves, abstain_label, class_weight, random_state
        As in :class:`PartialClassificationForest`.

    Attributes
    ----------
    classes_, abstain_label_, class_prior_, bounds_, n_features_in_, feature_names_in_
        As in :class:`PartialClassificationForest`.
    nodes_ : structured ndarray (n_nodes,)
        The nodes in a flat array; see :data:`studylib.pcf.PARTIAL_NODE_DTYPE`.
    depth_ : int
        Of the deepest node; a lone root has 0.
    predictors_ : list
        The predictors of those leaves that do not stand for a single label.

    Examples
    --------
    >>> from studylib.pcf import PartialClassificationTree
    >>> tree = PartialClassificationTree(min_samples_leaf=2, random_state=0)
    >>> tree.fit([[0.0], [1.0], [8.0], [9.0]], ["a", "a", "b", "b"]).predict([[0.5]])
    array(['a'], dtype='<U7')
    """

    _constraints: ClassVar[dict] = {**GROWTH, **LEAVES, "random_state": RandomState()}

    def __init__(
        self,
        *,
        leaf_model="majority",
        max_loss=0.0,
        min_samples_leaf=4,
        max_depth=32,
        small_leaves="inactive",
        abstain_label="auto",
        class_weight=None,
        random_state=None,
    ):
        self.leaf_model = leaf_model
        self.max_loss = max_loss
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.small_leaves = small_leaves
        self.abstain_label = abstain_label
        self.class_weight = class_weight
        self.random_state = random_state

    def _fit(self, X, y, sample_weight):
        parameters = self._checked()
        training = self._training(parameters, X, y, sample_weight)
        (state,) = spawn_states(parameters.random_state, 1)
        with training.threads():
            nodes, predictors, _ = training.grow(type(self).__name__, state)
        self._become(nodes, predictors)
        return self

    def _become(self, nodes, predictors):
        self.nodes_, self.predictors_ = nodes, predictors
        self._routes = routes(nodes["first_child"], nodes["feature"], nodes["threshold"], np.inf)

    @classmethod
    def _shared_with(cls, forest):
        """Parameters and fitted attributes that a fitted forest's Trees have in common with it, a dict."""
        shared = {name: getattr(forest, name) for name in cls._constraints} | {"random_state": None}
        return shared | {name: value for name, value in vars(forest).items() if name in _SHARED}

    @classmethod
    def _member(cls, shared, nodes, predictors):
        """A fitted Tree of a forest, with what :meth:`_shared_with` returned."""
        tree = cls.__new__(cls)
        vars(tree).update(shared)
        tree._become(nodes, predictors)
        return tree

    @property
    def depth_(self):
        return self.get_depth()

    def predict(self, X):
        """Label of each sample, ``abstain_label_`` where the Tree abstains (Algorithm 2), (n_samples,)."""
        return self._named(self._codes(X))

    def predict_proba(self, X):
        """Class shares: 1 for each sample's label, float64 (n_samples, n_classes).

        Where the Tree abstains it is ``class_prior_``, the classes' shares of the training set.
        """
        return super().predict_proba(X)

    def vote_shares(self, X):
        """Votes: 1 for each sample's label, float64 (n_samples, n_classes + 1); the last column is Λ's."""
        codes = self._codes(X)
        return np.eye(len(self.classes_) + 1)[codes]

    def coverage(self, X):
        """Share of samples that are predicted (the source's *predicted*), float."""
        return float(np.mean(self._codes(X) != NO_LABEL))

    def _codes(self, X):
        """Class index of each sample, -1 where the Tree abstains."""
        check_is_fitted(self)
        rows = self._read_rows(X)
        return self._labels_of(self._leaves_of(rows), rows)

    def _leaves_of(self, rows):
        return find_leaves(self._routes, rows)

    def _labels_of(self, leaves, rows, owner=None):
        labels = self.nodes_["label"][leaves]
        if not self.predictors_:
            return labels
        for leaf in np.unique(leaves[labels < NO_LABEL]):
            here = np.flatnonzero(leaves == leaf)
            where = (
                f"{owner or type(self).__name__}: the predictor of a leaf of "
                f"{samples(self.nodes_['n_samples'][leaf])} at depth {node_depths(self.nodes_)[leaf]}"
            )
            predictor = self.predictors_[-2 - self.nodes_["label"][leaf]]
            labels[here] = predict_with(where, predictor, rows[here], self.classes_)
        return labels

    def _shares_of(self, leaves, rows):
        labels = self._labels_of(leaves, rows)
        return np.vstack([np.eye(len(self.classes_)), self.class_prior_])[labels]

    def _first_child(self):
        return self.nodes_["first_child"]

    def _thresholds(self):
        # x < threshold, to the left, is x <= the float before it
        return self.nodes_["feature"], np.nextafter(self.nodes_["threshold"], -np.inf), 0

    def _node_values(self):
        active = np.flatnonzero(self.nodes_["label"] >= 0)
        values = np.zeros((len(self.nodes_), len(self.classes_)))
        values[active, self.nodes_["label"][active]] = 1.0
        return values

    def _node_samples(self):
        return self.nodes_["n_samples"]

    def _texts(self, node, digits=4):
        node = self.nodes_[node]
        if node["first_child"] != LEAF:
            split = f"{feature_names(self)[node['feature']]} < {node['threshold']:.{digits}g}"
            return split, ["true", "false"]
        label = node["label"]
        text = "Λ" if label == NO_LABEL else "leaf model" if label < 0 else str(self.classes_[label])
        return f"{text}\nn = {node['n_samples']}", []

    def explain(self, x):
        """Reason why the Tree predicts or abstains at a point, as text, with the cuts around its leaf's box.

        Parameters
        ----------
        x : Series, one-row DataFrame, or array-like (n_features,) or (1, n_features)
        """
        check_is_fitted(self)
        x = self._read_rows(as_one_row(type(self).__name__, x))
        at = int(self._leaves_of(x)[0])
        leaf, depth = self.nodes_[at], int(node_depths(self.nodes_)[at])
        lower, upper = (bound[at] for bound in node_boxes(self.nodes_, self.bounds_))
        names = feature_names(self)
        low = [f"{v:.4g} ≤ " if v > bound else "" for v, bound in zip(lower, self.bounds_[0], strict=True)]
        high = [f" < {v:.4g}" if v < bound else "" for v, bound in zip(upper, self.bounds_[1], strict=True)]
        box = ", ".join(low[j] + names[j] + high[j] for j in range(len(names)) if low[j] or high[j])
        where = f"leaf of {samples(leaf['n_samples'])} at depth {depth}: {box or 'the whole box'}"
        if leaf["label"] != NO_LABEL:
            label = self._named(self._labels_of(np.array([at]), x))[0]
            return f"{where}\n→ {label}, because its loss {leaf['loss']:.4g} ≤ max_loss"
        if leaf["n_samples"] < self.min_samples_leaf:
            reason = f"it has fewer than min_samples_leaf = {self.min_samples_leaf} samples"
        elif self.max_depth is not None and depth >= self.max_depth:
            reason = f"its loss {leaf['loss']:.4g} > max_loss and max_depth is reached"
        else:
            reason = f"its samples are all equal and its loss {leaf['loss']:.4g} > max_loss"
        return f"{where}\n→ abstains, because {reason}"
