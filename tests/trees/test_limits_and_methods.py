"""What single trees share with scikit-learn's: class weights, limits on leaves and gains, readouts, refusals."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.tree import DecisionTreeClassifier

from studylib.trees import AdaBoostClassifier, MultiwayTreePredictor, RandomForestClassifier, TreePredictor
from tests.trees.support import assert_same_tree, mushrooms

TREES = pytest.mark.parametrize("kind", [TreePredictor, MultiwayTreePredictor])


def plain_gini(counts):
    shares = counts / counts.sum()
    return 1.0 - (shares * shares).sum()


# Weights of classes


@TREES
def test_class_weights_multiply_the_samples_weights(kind):
    X, y = mushrooms(150)
    weight = np.arange(150) % 4 + 0.5
    of_class = {"edible": 3.0, "poisonous": 0.25}
    one = kind(class_weight=of_class).fit(X, y, sample_weight=weight)
    other = kind().fit(X, y, sample_weight=weight * pd.Series(y).map(of_class).fillna(1.0).to_numpy())
    assert_same_tree(one, other)


@TREES
def test_balanced_classes_weigh_the_same(kind):
    X, y = mushrooms(150)
    tree = kind(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(tree.class_counts_[0], 50.0)
    assert tree.class_counts_[0].sum() == pytest.approx(150)


def test_class_weights_are_scikit_learns():
    X, y = make_classification(300, 6, weights=[0.8], random_state=0)
    for of_class in ("balanced", {0: 1.0, 1: 5.0}):
        ours = TreePredictor("gini", class_weight=of_class, max_depth=3).fit(X, y)
        theirs = DecisionTreeClassifier(class_weight=of_class, max_depth=3, random_state=0).fit(X, y)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_class_of_weight_zero_is_known_but_never_predicted():
    tree = TreePredictor(class_weight={"a": 0}).fit([[1], [2], [3]], ["a", "b", "c"])
    assert tree.classes_.tolist() == ["a", "b", "c"]
    assert tree.predict([[1], [3]]).tolist() == ["b", "c"]


def test_a_fold_without_a_class_takes_its_weight_but_a_wrong_name_is_refused():
    X, y = [[1], [2]], [0, 1]
    TreePredictor(class_weight={0: 1.0, 1: 2.0, 2: 3.0}).fit(X, y)
    with pytest.raises(ValueError, match=r"^TreePredictor: class_weight has the class 'b', but y has only"):
        TreePredictor(class_weight={"b": 2.0}).fit(X, y)
    for wrong in ("equal", [1.0, 2.0], 3):
        with pytest.raises(ValueError, match="class_weight must be None, 'balanced' or a dict .*, got"):
            MultiwayTreePredictor(class_weight=wrong).fit(X, y)
    with pytest.raises(ValueError, match=r"class_weight\[1\] must be a number .*, got -2"):
        TreePredictor(class_weight={1: -2}).fit(X, y)


# Limits


@pytest.mark.parametrize(
    "limit",
    [{"min_samples_leaf": 7}, {"min_impurity_decrease": 0.01}, {"min_weight_fraction_leaf": 0.08}],
    ids=str,
)
@pytest.mark.parametrize(("ours", "theirs"), [("gini", "gini"), ("entropy", "entropy")])
def test_limits_mean_what_scikit_learns_do(limit, ours, theirs):
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    tree = TreePredictor(ours, **limit).fit(X, y, sample_weight=weight)
    peer = DecisionTreeClassifier(criterion=theirs, random_state=0, **limit).fit(X, y, sample_weight=weight)
    assert tree.n_leaves_ == peer.get_n_leaves() < 12
    np.testing.assert_allclose(tree.predict_proba(X), peer.predict_proba(X))


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e3])
def test_a_least_share_of_the_weight_holds_whatever_the_weights_sum_to(scale):
    """A share that is less than the weight of one sample, too."""
    X, y, weight = [[0.0], [1.0], [2.0]], [0, 1, 1], scale * np.array([0.1, 1.0, 0.1])
    for share, n_nodes in ((0.0, 3), (0.05, 3), (0.25, 1)):
        tree = TreePredictor("gini", min_weight_fraction_leaf=share).fit(X, y, sample_weight=weight)
        assert tree.n_nodes_ == n_nodes


@pytest.mark.parametrize("limit", [{"min_samples_leaf": 6}, {"min_weight_fraction_leaf": 0.1}], ids=str)
def test_custom_index_has_the_same_limits(limit):
    X, y = mushrooms(120)
    for condition in ("threshold", "equality"):
        own = TreePredictor(plain_gini, continuous_condition=condition, **limit).fit(X, y)
        named = TreePredictor("gini", continuous_condition=condition, **limit).fit(X, y)
        np.testing.assert_array_equal(own.nodes_["feature"], named.nodes_["feature"])
        np.testing.assert_array_equal(own.nodes_["n_samples"], named.nodes_["n_samples"])
        assert named.n_nodes_ > 1
    own, named = (MultiwayTreePredictor(index, **limit).fit(X, y) for index in (plain_gini, "gini"))
    np.testing.assert_array_equal(own.nodes_["n_samples"], named.nodes_["n_samples"])


def test_multiway_limits():
    X, y = mushrooms(200)
    whole = MultiwayTreePredictor().fit(X, y)
    for most in (1, 3, 30):
        assert MultiwayTreePredictor(max_leaf_nodes=most).fit(X, y).n_leaves_ <= most
    assert MultiwayTreePredictor(max_leaf_nodes=whole.n_leaves_).fit(X, y).n_leaves_ == whole.n_leaves_
    least = MultiwayTreePredictor(min_impurity_decrease=0.02).fit(X, y)
    inner = least.nodes_["feature"] >= 0
    decrease = least.nodes_["gain"] * least.nodes_["n_samples"] / 200
    assert 1 < least.n_nodes_ < whole.n_nodes_
    assert decrease[inner].min() >= 0.02
    heavy = MultiwayTreePredictor(min_weight_fraction_leaf=0.2).fit(X, y, sample_weight=np.arange(200))
    for node in np.flatnonzero(heavy.nodes_["feature"] >= 0):
        first = heavy.nodes_["first_child"][node]
        below = heavy.class_counts_[first : first + heavy.condition(node).n_outcomes].sum(axis=1)
        assert (below >= 0.2 * np.arange(200).sum()).sum() >= 2


# Readouts


@TREES
def test_decision_path_leads_from_the_root_to_where_a_sample_ends(kind):
    X, y = mushrooms(120)
    tree = kind(max_depth=4).fit(X, y)
    path, ends = tree.decision_path(X), tree.apply(X)
    assert (path.shape, path.dtype, path.format) == ((120, tree.n_nodes_), np.int64, "csr")
    parents = tree._parents()
    for row, end in zip(path, ends, strict=True):
        nodes = row.indices
        assert (nodes[0], nodes[-1]) == (0, end)
        assert parents[nodes[1:]].tolist() == nodes[:-1].tolist()
    np.testing.assert_array_equal(path.sum(axis=0).A1, tree.nodes_["n_samples"])


def test_decision_path_depth_and_leaves_are_scikit_learns():
    X, y = load_iris(return_X_y=True)
    ours = TreePredictor("gini", max_depth=2).fit(X, y)
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert (ours.get_depth(), ours.get_n_leaves()) == (theirs.get_depth(), theirs.get_n_leaves())
    mine, their = (sorted(tree.decision_path(X).sum(axis=0).A1) for tree in (ours, theirs))
    assert mine == their  # nodes have other numbers: their sizes are compared


@pytest.mark.parametrize(
    "estimator",
    [TreePredictor(max_depth=2), MultiwayTreePredictor(max_depth=2), AdaBoostClassifier(5)],
    ids=lambda e: type(e).__name__,
)
def test_logarithms_of_probabilities(estimator):
    X, y = mushrooms(80)
    fitted = estimator.fit(X, y)
    np.testing.assert_allclose(np.exp(fitted.predict_log_proba(X)), fitted.predict_proba(X))


def test_stages_of_probabilities_end_in_the_whole():
    X, y = mushrooms(80)
    model = AdaBoostClassifier(6).fit(X, y)
    *_, last = model.staged_predict_proba(X)
    assert last.tobytes() == model.predict_proba(X).tobytes()


# Names and refusals

EVERY = pytest.mark.parametrize(
    "estimator",
    [TreePredictor(), MultiwayTreePredictor(), AdaBoostClassifier(3), RandomForestClassifier(3)],
    ids=lambda e: type(e).__name__,
)


@EVERY
def test_entropy_is_another_name_of_information(estimator):
    X, y = mushrooms(80)
    if "random_state" in estimator.get_params():
        estimator = clone(estimator).set_params(random_state=0)
    one, other = (clone(estimator).set_params(criterion=c).fit(X, y) for c in ("entropy", "information"))
    assert one.predict_proba(X).tobytes() == other.predict_proba(X).tobytes()


@EVERY
@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_array], ids=lambda c: c.__name__)
def test_sparse_tables_are_refused_in_one_sentence(estimator, container):
    X, y = np.eye(4), [0, 1, 0, 1]
    says = rf"^{type(estimator).__name__}: X is a sparse \w+, but only dense tables are taken; pass X.toarray\(\), .*sparse_output=False.*\.$"
    with pytest.raises(TypeError, match=says):
        clone(estimator).fit(container(X), y)
    fitted = clone(estimator).fit(X, y)
    with pytest.raises(TypeError, match=says):
        fitted.predict(container(X))


@TREES
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"min_samples_leaf": 0}, "min_samples_leaf must be an integer >= 1, got 0"),
        ({"min_samples_leaf": 0.5}, "min_samples_leaf must be an integer >= 1, got 0.5"),
        ({"min_weight_fraction_leaf": 0.6}, "min_weight_fraction_leaf must be a number from 0 to 0.5, got 0.6"),
        ({"min_impurity_decrease": -1}, "min_impurity_decrease must be a number >= 0, got -1"),
        ({"max_leaf_nodes": 0}, "max_leaf_nodes must be an integer >= 1 or None, got 0"),
    ],
    ids=str,
)  # fmt: skip
def test_wrong_limit_is_named(kind, parameters, message):
    with pytest.raises(ValueError, match=f"^{kind.__name__}: {message}"):
        kind(**parameters).fit([[0], [1]], [0, 1])
