"""One tree of the forest, stored as flat arrays with one record per node."""

import numpy as np

from studylib.core import tree
from studylib.core.forest import gini_decreases
from studylib.core.grown_tree import GrownTree
from studylib.graf._nodes import IMPURE, PURE
from studylib.graf._predict import find_leaves
from studylib.graf._space import last_below

_N_TERMS = 4  # of a hyperplane's sum, in text


class Tree(GrownTree):
    """One tree of a Guided Random Forest, with the hyperplanes that divide its partitions.

    Hyperplane ``h`` has bit 1 where ``weights[h] · x[features[h]] > thresholds[h]``.
    ``x`` is a sample as the hyperplanes see it, standardised if the forest is.  The products are summed in
    the order of the features, in training as in prediction, so a training sample reaches its own partition.

    Parameters
    ----------
    nodes : PARTITION_DTYPE (n_nodes,)
    n_samples : int32 (n_nodes,), training samples in each partition
    features : int32 (n_planes, k), or (1, k) where all hyperplanes of the tree use the same features
    weights : float64 (n_planes, k)
    thresholds : float64 (n_planes,), the bias of eq 5 with its sign turned
    origins : int32 (n_planes,), the node ω that each hyperplane was drawn for
    shares : SHARE_DTYPE (n_rows,), the classes of impure leaves
    n_draws : int, hyperplanes drawn, those included that did not divide ω (for "guided": rounds)
    space : Space or None
        What the trees of a forest share; without it a tree reads no tables.

    Attributes
    ----------
    classes_, n_features_in_, feature_names_in_ : as in the forest

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studylib.graf import GuidedRandomForestClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = GuidedRandomForestClassifier(5, random_state=0).fit(X, y).estimators_[0]
    >>> tree.get_n_leaves(), tree.get_depth(), tree.predict(X[:2])
    (64, 10, array([0, 0]))
    """

    def __init__(self, nodes, n_samples, features, weights, thresholds, origins, shares, n_draws, space=None):
        self.nodes = nodes
        self.n_samples = n_samples
        self.features = features
        self.weights = weights
        self.thresholds = thresholds
        self.origins = origins
        self.shares = shares
        self.n_draws = n_draws
        self._space = space  # the forest's, by which the tree reads tables

    @property
    def classes_(self):
        """Classes of the forest, (n_classes,)."""
        return self._space.classes_

    @property
    def n_features_in_(self):
        """Number of columns of the training table."""
        return self._space.column_names.n_features_in_

    @property
    def feature_names_in_(self):
        """Names of the columns of the training table, if all are strings."""
        return self._space.column_names.feature_names_in_

    # The protocol of a grown tree

    def _read_rows(self, X):
        return self._space.rows(self._space.read(self, X))

    def _leaves_of(self, rows):
        return find_leaves(self.nodes, self.features, self.weights, self.thresholds, *rows)

    def _labels_of(self, leaves, rows):
        return self.labels()[leaves]

    def _shares_of(self, leaves, rows):
        return self._node_values()[leaves]

    def _first_child(self):
        return np.where(self.is_leaf(), np.int32(tree.LEAF), self.nodes["next"])

    def _node_samples(self):
        return self.n_samples

    def _node_values(self):
        """Shares of eq 20 in the leaves, 0 elsewhere; float64 (n_nodes, n_classes)."""
        values = np.zeros((len(self.nodes), len(self.classes_)))
        pure = np.flatnonzero(self.nodes["plane"] == PURE)
        values[pure, self.nodes["next"][pure]] = 1.0
        for leaf in np.flatnonzero(self.nodes["plane"] == IMPURE):
            rows = self.leaf_shares(leaf)
            values[leaf, rows["label"]] = rows["share"]
        return values

    def _thresholds(self):
        used = self.weights != 0.0  # what is left of a row of "guided" hyperplanes is filled with zeros
        if (used.sum(axis=1) != 1).any():
            raise ValueError(
                "Tree: to_arrays needs hyperplanes of a single feature each, as with max_features=1 or "
                f"features_per_plane=1, but one of this tree has {used.sum(axis=1).max()} features."
            )
        features = np.broadcast_to(self.features, self.weights.shape)[used]
        indicator = next(filter(self._space.is_indicator, features.tolist()), None)
        if indicator is not None:
            raise ValueError(
                "Tree: to_arrays holds thresholds of numbers only, but a hyperplane asks for "
                f"{self._space.name(indicator)}; see to_dot."
            )
        if len(features) == 0:  # a lone root
            return np.zeros((3, len(self.nodes)), np.int64)
        threshold, below = last_below(self._space, features, self.weights[used], self.thresholds)
        plane = np.maximum(self.nodes["plane"], 0)  # what leaves get is not looked at
        return self._space.columns[features][plane], threshold[plane], below[plane].astype(np.int64)

    def _texts(self, node):
        plane, following = self.nodes[node].tolist()
        n = f"n = {self.n_samples[node]}"
        if plane < 0:
            label = following if plane == PURE else self._heaviest(node)
            return f"{self.classes_[label]}\n{n}", []
        features = self.features[plane if len(self.features) > 1 else 0]
        weights, threshold = self._space.in_units(features, self.weights[plane], self.thresholds[plane])
        used = np.flatnonzero(weights)
        heaviest = used[np.argsort(-np.abs(self.weights[plane] * self._space.deviations[features])[used])]
        terms = [f"{weights[j]:+.3g} · {self._space.name(features[j])}" for j in heaviest[:_N_TERMS]]
        rest = [f"+ {len(used) - _N_TERMS} more"] if len(used) > _N_TERMS else []
        return f"λ{plane + 1}: {' '.join(terms + rest)} > {threshold:.3g}\n{n}", ["no", "yes"]

    def predict_proba(self, X):
        """Shares of eq 20 in the leaf of each sample, float64 (n_samples, n_classes).

        The forest does not average them: it adds ``log2(1 + share)`` of all its trees (eq 23).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        return super().predict_proba(X)

    # What its partitions are

    def is_leaf(self):
        """True for leaves, bool (n_nodes,)."""
        return self.nodes["plane"] < 0

    def labels(self):
        """Class with the largest share of eq 20 in each leaf, the lowest in a tie; -1 in inner nodes."""
        labels = np.where(self.nodes["plane"] == PURE, self.nodes["next"], -1).astype(np.int32)
        for leaf in np.flatnonzero(self.nodes["plane"] == IMPURE):
            labels[leaf] = self._heaviest(leaf)
        return labels

    def _heaviest(self, leaf):
        """Class with the largest share in an impure leaf."""
        rows = self.leaf_shares(leaf)
        return rows["label"][rows["share"].argmax()]

    def leaf_shares(self, leaf):
        """The records of an impure leaf, SHARE_DTYPE (n_present,)."""
        first = self.nodes["next"][leaf]
        return self.shares[first : first + 1 + self.shares["rest"][first]]

    def leaf_counts(self, n_classes):
        """Training samples of each class in the leaves, int64 (n_nodes, n_classes); 0 in inner nodes."""
        counts = np.zeros((len(self.nodes), n_classes), np.int64)
        pure = np.flatnonzero(self.nodes["plane"] == PURE)
        counts[pure, self.nodes["next"][pure]] = self.n_samples[pure]
        for leaf in np.flatnonzero(self.nodes["plane"] == IMPURE):
            rows = self.leaf_shares(leaf)
            counts[leaf, rows["label"]] = rows["count"]
        return counts

    def importances(self, n_features, n_classes, deviations):
        """Share of each feature in the tree's decrease of Gini impurity, float64 (n_features,); sum 1 or 0.

        Parameters
        ----------
        n_features, n_classes : int
        deviations : float64 (n_features,), by which a weight is multiplied
        """
        inner = ~self.is_leaf()
        gains = gini_decreases(self.leaf_counts(n_classes), self._first_child())[inner]
        gains = np.bincount(self.nodes["plane"][inner], gains, len(self.weights))
        features = np.broadcast_to(self.features, self.weights.shape)
        shares = np.abs(self.weights) * deviations[features]
        total = shares.sum(axis=1)
        gains = np.divide(gains, total, out=np.zeros(len(total)), where=total > 0)
        sums = np.bincount(features.ravel(), (shares * gains[:, None]).ravel(), n_features)
        return sums / (sums.sum() or 1.0)

    def heights(self):
        """Hyperplanes drawn until each partition was made, its own included; 0 at the root, int32."""
        plane, child = self.nodes["plane"], self.nodes["next"]
        inner = plane >= 0
        heights = np.zeros(len(plane), np.int32)
        heights[child[inner]] = heights[child[inner] + 1] = plane[inner] + 1
        return heights

    def parents(self):
        """Index of each node's parent, -1 for the root, int64 (n_nodes,); smaller than the node's own."""
        return self._parents()

    def at_height(self, leaves, height):
        """The partition that each sample was in before hyperplane ``height`` was drawn, int64 (n_samples,).

        Parameters
        ----------
        leaves : int array (n_samples,), the leaf of each sample, from a forest's ``apply``
        height : int
        """
        parents, heights, here = self.parents(), self.heights(), leaves.astype(np.int64)
        while (younger := heights[here] > height).any():
            here[younger] = parents[here[younger]]
        return here

    def depths(self):
        """Bits of each partition's code, int32 (n_nodes,)."""
        return tree.depths(self.parents())

    def codes(self):
        """The code of every partition (eq 17) as a string of bits, empty at the root; a list (n_nodes,)."""
        codes = [""] * len(self.nodes)
        for parent, (plane, child) in enumerate(self.nodes.tolist()):
            if plane >= 0:  # children come after their parent
                codes[child] = codes[parent] + "0"
                codes[child + 1] = codes[parent] + "1"
        return codes
