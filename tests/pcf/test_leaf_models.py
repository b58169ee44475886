"""The source's γ: losses that count, classifiers, and models of the user's own."""

import math
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from studylib.pcf import (
    ConfidenceBound,
    CrossValidated,
    Laplace,
    Majority,
    PartialClassificationForest,
    PartialClassificationTree,
)
from tests.naive import partial_tree as naive
from tests.pcf.support import assert_same_trees, blobs, grow_naive, majority_gamma, nodes_of, problems

COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n)))
SMALL_LEAVES = st.sampled_from(["inactive", "as_printed"])

# Losses that count


@given(COUNTS, st.sampled_from([0.6, 0.9, 0.95, 0.999]))
def test_confidence_bound_solves_wilsons_equation(counts, confidence):
    wrong, n = counts
    q, p = ConfidenceBound(confidence).loss(wrong, n, 2), wrong / n
    z = NormalDist().inv_cdf(confidence)
    assert p < q < 1
    assert (q - p) ** 2 == pytest.approx(z * z * q * (1 - q) / n, rel=1e-9)


def test_names_stand_for_the_models():
    X, y = blobs(100)
    settings = {"max_loss": 0.3, "min_samples_leaf": 12, "voting": "ignore_abstain", "random_state": 0}
    for name, model in {
        "majority": Majority(),
        "laplace": Laplace(1.0),
        "confidence_bound": ConfidenceBound(0.95),
        "nearest_neighbor": CrossValidated(KNeighborsClassifier(1)),
        "logistic": CrossValidated(),
    }.items():
        by_name, by_model = (
            PartialClassificationForest(2, leaf_model=m, **settings).fit(X, y) for m in (name, model)
        )
        assert_same_trees(by_name, by_model)
        assert by_name.predict(X).tolist() == by_model.predict(X).tolist()
        assert by_name.coverage(X) > 0


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (Laplace(-1), r"Laplace: alpha must be a number .*, got -1\."),
        (Laplace("1"), r"Laplace: alpha must be a number .*, got '1'\."),
        (Laplace(math.nan), r"Laplace: alpha must be a number .*, got nan\."),
        (Laplace(math.inf), r"Laplace: alpha must be .*, got inf\."),  # its loss is ∞/∞
        (Laplace(1e308), "Laplace: alpha must be .* got 1e.308"),
        (ConfidenceBound(0.4), r"ConfidenceBound: confidence must be .* 0\.5 .*, got 0\.4\."),
        (ConfidenceBound(None), r"ConfidenceBound: confidence must be .* 0\.5 .*, got None\."),
        (ConfidenceBound(1.0), r"ConfidenceBound: confidence must be .*below 1, got 1\.0\."),
        (CrossValidated(cv=1), r"CrossValidated: cv must be an integer >= 2, got 1\."),
        (CrossValidated(cv=2.5), r"CrossValidated: cv must be an integer >= 2, got 2\.5\."),
    ],
    ids=str,
)
def test_bad_parameters_of_leaf_models_are_refused_in_one_sentence(model, says):
    with pytest.raises(ValueError, match=says):
        PartialClassificationTree(leaf_model=model).fit(*blobs(20))
    if hasattr(model, "loss"):
        with pytest.raises(ValueError, match=says):
            model.loss(0, 4, 2)


def test_parameters_of_a_leaf_model_are_reached_through_the_forest():
    forest = PartialClassificationForest(leaf_model=Laplace())
    forest.set_params(leaf_model__alpha=0.5)
    assert forest.leaf_model.alpha == 0.5
    assert clone(forest).get_params()["leaf_model__alpha"] == 0.5


# Models of the user's own


class Always:
    """A predictor that is an object."""

    def __init__(self, label):
        self.label = label

    def predict(self, X):
        return [self.label] * len(X)


def through_a_function(X, y):
    label, loss = majority_gamma(X, y)
    return (lambda rows: np.full(len(rows), label)), loss


def through_an_object(X, y):
    label, loss = majority_gamma(X, y)
    return Always(label), loss


@pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")
@settings(max_examples=60)
@given(problem=problems(), small_leaves=SMALL_LEAVES, seed=st.integers(0, 2**32 - 1))
def test_majority_in_python_grows_the_trees_of_the_compiled_one(problem, small_leaves, seed):
    rows, y, growth = problem
    compiled, in_python = (
        PartialClassificationForest(
            3, leaf_model=model, small_leaves=small_leaves, random_state=seed, **growth
        ).fit(rows, y)
        for model in ("majority", majority_gamma)
    )
    assert_same_trees(in_python, compiled)
    assert in_python.predictors_ == compiled.predictors_ == [[], [], []]
    assert in_python.predict(rows).tolist() == compiled.predict(rows).tolist()


@pytest.mark.parametrize("labels", [[0, 1, 2], [-5, 2, 7], ["a", "b", "abstain"], [False, True, True]])
@pytest.mark.parametrize("gamma", [through_a_function, through_an_object])
def test_predictor_may_be_a_function_or_an_object(gamma, labels):
    X, y = blobs(200, 2, 3)
    y = np.array(labels)[y]
    plain = PartialClassificationForest(10, random_state=0).fit(X, y)
    with_predictors = PartialClassificationForest(10, leaf_model=gamma, random_state=0).fit(X, y)
    for nodes, others, predictors in zip(
        nodes_of(plain), nodes_of(with_predictors), with_predictors.predictors_, strict=True
    ):
        for field in ("threshold", "loss", "feature", "first_child", "n_samples"):
            np.testing.assert_array_equal(nodes[field], others[field])
        active = nodes["label"] >= 0
        assert sorted(-2 - others["label"][active]) == list(range(len(predictors)))
        assert (others["label"][~active] == -1).all()
    new = np.random.default_rng(1).uniform(-0.1, 1.1, (300, 2))
    assert 0 < plain.coverage(new) < 1
    assert with_predictors.tree_predict(new).tolist() == plain.tree_predict(new).tolist()
    assert with_predictors.vote_shares(new).tolist() == plain.vote_shares(new).tolist()
    assert with_predictors.predict(new).dtype == plain.predict(new).dtype
    assert with_predictors.predict(new).tolist() == plain.predict(new).tolist()
    for stage, other in zip(with_predictors.staged_predict(new), plain.staged_predict(new), strict=True):
        assert stage.tolist() == other.tolist()


@settings(max_examples=40)
@given(problem=problems(), small_leaves=SMALL_LEAVES, seed=st.integers(0, 2**32 - 1))
def test_model_is_asked_once_a_node_in_preorder_with_the_samples_in_it(problem, small_leaves, seed):
    rows, y, growth = problem
    seen = []

    def gamma(X, labels):
        assert (X.dtype, X.shape) == (np.float64, (len(labels), len(rows[0])))
        assert X.flags.c_contiguous
        seen.append(sorted(zip(X.tolist(), labels.tolist(), strict=True)))
        answer = majority_gamma(X, labels)
        X[:], labels[:] = 9.0, labels[0]  # what a model does with its copies is its own business
        return answer

    names = np.array([f"class {k}" for k in y])
    before = np.array(rows)
    X = before.copy()
    tree = PartialClassificationTree(
        leaf_model=gamma, small_leaves=small_leaves, random_state=seed, **growth
    ).fit(X, names)
    np.testing.assert_array_equal(X, before)
    assert names.tolist() == [f"class {k}" for k in y]
    (nodes,) = grow_naive(rows, y, naive.majority_loss, growth, small_leaves, seed)
    pending, expected = [0], []
    while pending:
        node = nodes[pending.pop()]
        pending += reversed(node.children or ())
        if node.loss is not None:
            expected.append(sorted((rows[i], f"class {y[i]}") for i in node.rows))
    assert seen == expected
    assert len(tree.nodes_) == len(nodes)


@pytest.mark.parametrize("loss", [0, 0.0, np.float32(0), np.float64(0), np.int8(0), False, -1.0, Fraction(0)])
def test_loss_may_be_any_finite_number(loss):
    tree = PartialClassificationTree(leaf_model=lambda X, y: (y[0], loss)).fit([[0.0]] * 4, list("abab"))
    assert tree.nodes_["loss"].tolist() == [float(loss)]
    assert tree.predict([[3.0]]).tolist() == ["a"]


@pytest.mark.parametrize(
    ("labels", "given"), [([0, 1], 1.0), ([0, 1], np.int8(1)), ([0.0, 1.0], 1), (["a", "b"], np.str_("b"))]
)
def test_label_may_come_in_another_type(labels, given):
    tree = PartialClassificationTree(leaf_model=lambda X, y: (given, 0)).fit([[0.0], [1.0]] * 2, labels * 2)
    assert tree.predict([[3.0]]).tolist() == labels[1:]


# Classifiers


@pytest.mark.parametrize(
    "classifier",
    [
        DecisionTreeClassifier(max_depth=2, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        KNeighborsClassifier(1),
    ],
    ids=["tree", "pipeline", "neighbor"],
)
def test_classifier_is_judged_by_cross_validation_in_the_leaf(classifier):
    X, y = blobs(100, 2, 2)
    y = np.array(["no", "yes"])[y]
    tree, wrapped = (
        PartialClassificationTree(leaf_model=model, max_loss=0.2, min_samples_leaf=10, random_state=1).fit(
            X, y
        )
        for model in (classifier, CrossValidated(classifier))
    )
    assert_same_trees(tree, wrapped)
    assert not hasattr(classifier, "classes_")  # cloned, never fitted itself
    assert len(tree.predictors_) > 0
    leaves, labels = tree.apply(X), tree.predict(X)
    for leaf in np.unique(leaves):
        node, here = tree.nodes_[leaf], leaves == leaf
        assert node["n_samples"] == here.sum()
        if node["label"] < -1:
            predictor = tree.predictors_[-2 - node["label"]]
            assert labels[here].tolist() == predictor.predict(X[here]).tolist()
            folds = StratifiedKFold(min(3, np.unique(y[here], return_counts=True)[1].min()))
            wrong = cross_val_predict(classifier, X[here], y[here], cv=folds) != y[here]
            assert node["loss"] == pytest.approx(wrong.mean())
            assert node["loss"] <= 0.2
        elif node["label"] == -1:
            assert (labels[here] == "abstain").all()
        else:
            assert set(labels[here]) == {tree.classes_[node["label"]]}


def test_cross_validation_of_a_leaf_with_a_single_class_or_a_rare_one():
    model = CrossValidated()
    assert model([[0.0], [1.0]], np.array(["b", "b"])) == ("b", 0.0)
    label, loss = model(np.arange(5.0)[:, None], np.array(["b", "b", "a", "b", "b"]))
    assert (label, loss) == ("b", pytest.approx(0.2))
    label, loss = model([[0.0], [1.0]], np.array(["b", "a"]))
    assert (label, loss) == ("a", 0.5)


def test_predictor_is_fitted_to_all_samples_of_the_leaf():
    X, y = blobs(60)
    predictor, loss = CrossValidated(KNeighborsClassifier(1))(X, y)
    assert predictor.n_samples_fit_ == 60
    assert predictor.predict(X).tolist() == y.tolist()
    assert loss > 0


def test_logistic_leaf_draws_a_line_that_boxes_cannot():
    rng = np.random.default_rng(0)
    X = rng.random((400, 2))
    y = (X.sum(axis=1) > 1).astype(int)
    settings = {"max_loss": 0.03, "min_samples_leaf": 12, "voting": "ignore_abstain", "random_state": 0}
    majority = PartialClassificationForest(5, **settings).fit(X, y)
    logistic = PartialClassificationForest(5, leaf_model="logistic", **settings).fit(X, y)
    new = rng.random((300, 2))
    assert logistic.coverage(new) > majority.coverage(new)
    predicted = logistic.predict(new)
    told = predicted != logistic.abstain_label_
    assert (predicted == (new.sum(axis=1) > 1))[told].mean() > 0.95


def test_a_loss_of_ones_own_is_refused_where_it_would_not_be_asked():
    class Pessimist(Majority):
        def loss(self, n_wrong, n, n_classes):
            return 1.0

    with pytest.raises(ValueError, match="Pessimist has a loss of its own, .* write a callable"):
        PartialClassificationTree(leaf_model=Pessimist()).fit([[0.0], [1.0]], [0, 1])


def test_unseeded_classifier_in_the_leaf_gives_the_same_forest_again():
    X, y = blobs(80)
    forest = PartialClassificationForest(
        4, leaf_model=DecisionTreeClassifier(splitter="random"), max_loss=0.4, random_state=0
    )
    losses = [[nodes["loss"].tobytes() for nodes in nodes_of(clone(forest).fit(X, y))] for _ in range(3)]
    assert losses[0] == losses[1] == losses[2]
