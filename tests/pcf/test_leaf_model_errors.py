"""What a leaf model of the user's own may not do; each mistake is named with the node's size and depth."""

import math
import re
from decimal import Decimal

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from studylib.pcf import CrossValidated, PartialClassificationForest, PartialClassificationTree
from tests.pcf.support import blobs, majority_gamma, nodes_of

X = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]]
Y = [0, 1, 0, 1, 0, 1]


def fit(gamma, y=Y, **parameters):
    return PartialClassificationTree(leaf_model=gamma, min_samples_leaf=2, **parameters).fit(X, y)


def raised(call):
    with pytest.raises(ValueError, match="PartialClassification") as caught:
        call()
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence


# In fit


@pytest.mark.parametrize(
    "answer",
    [None, 0, "ab", (0,), (0, 0.0, 0.0), [0, 0.0], {}, pytest.param((majority_gamma,), id="a function")],
    ids=repr,
)
def test_answer_that_is_no_pair_is_refused(answer):
    message = raised(lambda: fit(lambda X, y: answer))
    assert re.search(r"a node of 6 samples at depth 0, must return \(predictor, loss\), got ", message)
    assert message.startswith("PartialClassificationTree: leaf_model")


@pytest.mark.parametrize(
    "loss", [math.nan, math.inf, -math.inf, None, "0", 0j, [0.0], np.nan, Decimal(0), np.zeros(1)], ids=repr
)
def test_loss_that_is_no_finite_number_is_refused(loss):
    message = raised(lambda: fit(lambda X, y: (0, loss)))
    assert "a node of 6 samples at depth 0, must return a finite number as loss" in message
    assert message.endswith(f"got {loss!r}.")


def test_number_beyond_all_floats_is_no_finite_loss():
    assert "a node of 6 samples at depth 0" in raised(lambda: fit(lambda X, y: (0, 10**400)))


@pytest.mark.parametrize("label", [2, -1, "0", None, 0.5, math.nan, [0], (0,), np.array([0])], ids=repr)
def test_label_outside_the_label_set_is_refused(label):
    message = raised(lambda: fit(lambda X, y: (label, 0.0)))
    assert "a node of 6 samples at depth 0, must return a label of the training set" in message
    assert message.endswith(f"got {label!r}.")


def test_label_of_an_inactive_leaf_is_not_asked_about():
    tree = fit(lambda X, y: ("no label at all", 0.5), max_loss=0.4)
    assert tree.predict(X).tolist() == [-1] * 6


def test_what_the_model_raises_is_passed_on_with_the_node():
    def gamma(X, y):
        raise KeyError("no such key")

    with pytest.raises(
        ValueError, match=r"a node of 6 samples at depth 0, raised KeyError: 'no such key'"
    ) as e:
        fit(gamma)
    assert isinstance(e.value.__cause__, KeyError)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_error_names_the_forest_and_the_node_deep_in_a_tree(n_jobs):
    X, y = blobs(200)

    def gamma(X, y):
        if len(y) == 37:
            raise ZeroDivisionError("37 samples")
        return majority_gamma(X, y)

    plain = PartialClassificationForest(300, n_jobs=n_jobs, random_state=0).fit(X, y)
    assert any((nodes["n_samples"] == 37).any() for nodes in nodes_of(plain))
    pattern = (
        r"^PartialClassificationForest: leaf_model, in a node of 37 samples at depth [1-9]\d*, "
        r"raised ZeroDivisionError: 37 samples$"
    )
    with pytest.raises(ValueError, match=pattern):
        plain.set_params(leaf_model=gamma).fit(X, y)


def test_depth_in_the_message_is_the_nodes():
    def gamma(X, y):
        if len(X) < 6:
            raise RuntimeError
        return 0, 1.0

    for seed in range(20):
        nodes = fit(lambda X, y: (0, 1.0), random_state=seed).nodes_
        at = depth = 0
        while nodes["n_samples"][at] == 6:
            first = nodes["first_child"][at]
            at = first if nodes["n_samples"][first] > 1 else first + 1  # of one sample it is not asked
            depth += 1
        size = nodes["n_samples"][at]
        with pytest.raises(ValueError, match=rf"of {size} samples at depth {depth}, raised RuntimeError"):
            fit(gamma, random_state=seed)


def test_classifier_that_fails_in_the_leaf_is_named_with_the_node():
    for model in (CrossValidated(LogisticRegression(C=-1.0)), LogisticRegression(C=-1.0)):
        with pytest.raises(ValueError, match=r"a node of 6 samples at depth 0, raised .*'C'"):
            fit(model)


@pytest.mark.parametrize(
    "model",
    ["gini", None, 3, [], LogisticRegression, CrossValidated, Ridge()],
    ids=["name", "None", "number", "list", "class", "own class", "regressor"],
)
def test_what_is_no_leaf_model_is_refused_with_what_is_one(model):
    message = raised(lambda: fit(model))
    assert message.startswith("PartialClassificationTree: leaf_model must be one of 'majority', 'laplace', ")
    for allowed in ("'confidence_bound'", "'logistic'", "'nearest_neighbor'", "classifier", "callable"):
        assert allowed in message
    assert repr(model)[:50] in message


# In predict

PREDICTORS = {
    "stray label": (lambda rows: [0] * (len(rows) - 1) + [7], r"predicted .*7.*, which is no label"),
    "stray string": (lambda rows: ["a"] * len(rows), r"predicted .*'a'.*, which is no label"),
    "nan": (lambda rows: [math.nan] * len(rows), r"predicted .*nan.*, which is no label"),
    "None": (lambda rows: [None] * len(rows), r"predicted None, which is no label"),
    "one label for all": (lambda rows: 0, r"one label per row, \(6,\), got shape \(\)"),
    "too few": (lambda rows: [0] * (len(rows) - 1), r"one label per row, \(6,\), got shape \(5,\)"),
    "too many": (lambda rows: np.zeros(len(rows) + 1), r"one label per row, \(6,\), got shape \(7,\)"),
    "shares": (lambda rows: np.zeros((len(rows), 2)), r"one label per row, \(6,\), got shape \(6, 2\)"),
    "raises": (lambda rows: 1 / 0, r"raised ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize("case", PREDICTORS)
def test_predictor_that_misbehaves_is_named_with_its_leaf(case):
    predictor, message = PREDICTORS[case]
    tree = fit(lambda X, y: (predictor, 0.0))
    pattern = rf"PartialClassificationTree: .*leaf of 6 samples at depth 0 .*{message}"
    for method in (tree.predict, tree.predict_proba, tree.vote_shares, tree.coverage):
        with pytest.raises(ValueError, match=pattern) as caught:
            method(X)
        assert "\n" not in str(caught.value)
    forest = PartialClassificationForest(2, leaf_model=lambda X, y: (predictor, 0.0)).fit(X, Y)
    pattern = pattern.replace("Tree", "Forest")
    for method in (forest.tree_predict, lambda rows: list(forest.staged_predict(rows))):
        with pytest.raises(ValueError, match=pattern):
            method(X)


def test_predictor_is_asked_only_for_the_rows_in_its_leaf():
    asked = []

    def gamma(X, y):
        low, high = X[:, 0].min(), X[:, 0].max()

        def predictor(rows):
            asked.append((low, high, rows))
            return np.full(len(rows), y[0])

        return predictor, float(len(set(y)) > 1)

    y = [0, 0, 0, 1, 1, 1]
    tree = PartialClassificationTree(leaf_model=gamma, min_samples_leaf=1, random_state=0).fit(X, y)
    assert tree.predict(X).tolist() == y
    assert sum(len(rows) for *_, rows in asked) == 6
    for low, high, rows in asked:
        assert rows.shape[1] == 1
        assert low <= rows.min()
        assert rows.max() <= high


def test_leaf_that_no_row_reaches_is_not_asked():
    def gamma(X, y):
        return (lambda rows: 1 / 0) if len(set(y)) == 1 else 0, float(len(set(y)) > 1)

    tree = fit(gamma, [0, 0, 0, 1, 1, 1], random_state=0)
    inactive = [x for x, leaf in zip(X, tree.apply(X), strict=True) if tree.nodes_["label"][leaf] == -1]
    assert 0 < len(inactive) < 6
    assert len(tree.predictors_) > 0
    assert tree.predict(inactive).tolist() == [-1] * len(inactive)
    with pytest.raises(ValueError, match="raised ZeroDivisionError"):
        tree.predict(X)
