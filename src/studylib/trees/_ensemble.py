"""What the ensembles share: a table that is encoded once, and trees that all look at it."""

from numba import njit

from studylib.trees._base import MixedTableClassifier


class TreeEnsemble(MixedTableClassifier):
    """Base of the ensembles: takes the tables that a :class:`~studylib.trees.TreePredictor` takes."""

    def _encode(self, X):
        """The table as the kernel ``_grow.grow`` wants it: its first four arguments."""
        codes = self._fit_columns(X)
        return codes, self._columns.n_codes, self._columns.categorical, self._columns.code_values()

    def _rows(self, X):
        """Valid rows as ``find_leaves`` reads them."""
        return self._columns.transform(X, self._columns.categorical)

    def _as_predictor(self, tree, nodes, counts):
        """Turn an unfitted TreePredictor into the tree that was grown; it shares the ensemble's columns."""
        tree.classes_ = self.classes_
        tree.n_features_in_ = self.n_features_in_
        if hasattr(self, "feature_names_in_"):
            tree.feature_names_in_ = self.feature_names_in_
        tree._columns = self._columns
        tree._own_conditions, tree._conditions = {}, []
        return tree._adopt(self._columns.categorical, nodes, counts)


@njit(cache=True, nogil=True)
def add_votes(labels, weight, votes):
    """Add ``weight`` to each row of ``votes``, float64 (n_samples, n_classes), at the row's label."""
    for i in range(labels.shape[0]):
        votes[i, labels[i]] += weight
