"""Every tree of a forest can be asked by itself, and agrees with its forest."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from studylib.graf import GuidedRandomForestClassifier
from studylib.trees import AdaBoostClassifier
from tests.conventions.registry import FORESTS, each, name_of, table, walked

OF_TREES = [*FORESTS, AdaBoostClassifier(7, random_state=0)]
AXIS = [forest for forest in FORESTS if name_of(forest) != "GuidedRandomForestClassifier"]


SUMS = GuidedRandomForestClassifier(5, hyperplane="guided", standardize=False, min_samples_split=8)


@pytest.fixture(params=[*FORESTS, SUMS], ids=name_of, scope="module")
def fitted(request):
    """A forest of the registry, fitted."""
    X, y = table()
    return clone(request.param).fit(X, y)


NEW = table(200, seed=1)[0]


def test_a_tree_ends_where_its_forest_says(fitted):
    leaves = fitted.apply(NEW)
    for k, tree in enumerate(fitted.estimators_):
        np.testing.assert_array_equal(tree.apply(NEW), leaves[:, k])


def test_a_tree_predicts_what_its_forest_says(fitted):
    labels = fitted.tree_predict(NEW)
    abstain = getattr(fitted, "abstain_label_", None)
    for tree, codes in zip(fitted.estimators_, labels, strict=True):
        expected = [abstain if label < 0 else fitted.classes_[label] for label in codes]
        assert tree.predict(NEW).tolist() == expected


def test_shares_of_a_tree_add_up_and_their_mean_is_the_forests(fitted):
    shares = np.array([tree.predict_proba(NEW) for tree in fitted.estimators_])
    np.testing.assert_allclose(shares.sum(axis=2), 1.0)
    if name_of(fitted) in ("RandomForestClassifier", "BlendedForestClassifier"):
        np.testing.assert_allclose(shares.mean(axis=0), fitted.predict_proba(NEW), rtol=1e-12)


def test_sizes_agree_with_the_drawing(fitted):
    for tree in fitted.estimators_:
        dot = tree.to_dot()
        nodes = set(re.findall(r"^(\d+) \[", dot, re.M))
        edges = re.findall(r"^(\d+) -> (\d+) \[", dot, re.M)
        assert dot.startswith("digraph")
        assert {node for edge in edges for node in edge} <= nodes
        parent = {child: above for above, child in edges}
        assert len(parent) == len(edges) == len(nodes) - 1
        assert tree.get_n_leaves() == len(nodes - set(parent.values()))

        def depth(node, parent=parent):
            return 0 if node not in parent else 1 + depth(parent[node])

        assert tree.get_depth() == max(map(depth, nodes))


def arrays_of(tree):
    """Arrays of a tree, or None, with a reason, for one whose nodes ask for more than a threshold."""
    message = None
    try:
        return tree.to_arrays()
    except ValueError as error:
        message = str(error)
    assert re.fullmatch(r"\w+: [^\n]{20,300}\.", message), message
    return None


def test_other_tools_find_the_same_leaves_and_shares_in_the_arrays(fitted):
    n_read = 0
    for tree in fitted.estimators_:
        arrays = arrays_of(tree)
        if arrays is None:
            continue
        n_read += 1
        leaves = walked(arrays, NEW)
        assert leaves == tree.apply(NEW).tolist()
        leaf = arrays["children_left"] == -1
        assert (arrays["feature"][leaf] == -2).all()
        assert np.isnan(arrays["threshold"][leaf]).all()
        shares = arrays["value"][leaves]
        says = shares.sum(axis=1) > 0  # an abstaining leaf has none
        np.testing.assert_allclose(shares[says], tree.predict_proba(NEW)[says])
        assert arrays["n_node_samples"][0] > 0
    assert (n_read > 0) == (name_of(fitted) != "GuidedRandomForestClassifier")


@each(AXIS)
def test_thresholds_are_exact_next_to_the_values(estimator):
    X = np.nextafter(1.0, [[0.0], [1.0], [2.0]] * 8).reshape(-1, 1)
    y = np.arange(24) % 3 == 0
    for tree in clone(estimator).fit(X, y).estimators_:
        arrays = arrays_of(tree)
        assert arrays is None or walked(arrays, X) == tree.apply(X).tolist()


@each(OF_TREES)
def test_trees_share_with_their_forest_what_tables_are_read_by(estimator):
    """Their names and classes are kept once, in a copy, too."""
    X, y = table(20)
    X = pd.DataFrame(X, columns=[f"{j} " + 9_999 * "x" for j in range(7)])
    few, many = (
        clone(estimator).set_params(n_estimators=n).fit(X, np.where(y, 9_999 * "n", "y")) for n in (2, 9)
    )
    assert len(pickle.dumps(many)) < len(pickle.dumps(few)) + 30_000
    copied = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(many))))
    assert len(pickle.dumps(copied)) < len(pickle.dumps(few)) + 30_000


@each(OF_TREES)
@pytest.mark.parametrize("names", [[10, 20, 30], ["a", "b", "c"], [("a", 1), ("a", 2), ("b", 1)]])
def test_a_tree_checks_names_as_its_forest_does(estimator, names):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(60, 3)))
    X.columns = pd.Index(names, tupleize_cols=False)
    y = (X.iloc[:, 0] > 0).astype(int)
    fitted = clone(estimator).fit(X, y)
    for tree in fitted.estimators_:
        assert hasattr(tree, "feature_names_in_") == isinstance(names[0], str)
        assert len(tree.predict(X)) == 60
        with pytest.raises(ValueError, match="must be in the same order as at fit time, but column 0 is"):
            tree.predict(X.iloc[:, ::-1])
        with pytest.raises(ValueError, match="X is missing column"):
            tree.predict(X.iloc[:, :2])
