"""Λ: what it is for each type of label, and how it comes out of a vote."""

import math
import warnings

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from sklearn.ensemble import VotingClassifier
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.tree import DecisionTreeClassifier

from studylib.pcf import LowCoverageWarning, PartialClassificationForest, PartialClassificationTree
from tests.pcf.support import blobs, nodes_of

# Where a forest abstains everywhere, the test says so itself.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

# The left ten samples have one label and can be predicted; the right ten have both, in turn.
X = np.arange(20.0)[:, None]
FIRST = np.array([0] * 10 + [0, 1] * 5)


def fit(labels, **parameters):
    """A forest that predicts some of ``X`` and abstains on the rest; ``labels`` are two."""
    settings = {"random_state": 0} | parameters
    return PartialClassificationForest(15, **settings).fit(X, np.asarray(labels)[FIRST])


def assert_predicts_only(forest, label):
    """Classes and ``label`` come out, both of them, and nothing else."""
    predicted = forest.predict(X)
    told = forest.vote_shares(X).argmax(axis=1) != len(forest.classes_)
    told &= forest.vote_shares(X)[:, -1] < forest.vote_shares(X)[:, :-1].max(axis=1)
    assert 0 < told.sum() < len(X)
    assert forest.coverage(X) == told.mean()
    for given_label, is_told in zip(predicted.tolist(), told, strict=True):
        if is_told:
            assert given_label in forest.classes_.tolist()
        else:
            assert given_label == label
            assert given_label not in forest.classes_.tolist()
    for stage in forest.staged_predict(X):
        assert stage.dtype == predicted.dtype
    assert stage.tolist() == predicted.tolist()
    return predicted


# Chosen by the forest


@pytest.mark.parametrize(
    ("labels", "abstain"),
    [
        (np.array([0, 1]), -1), (np.array([3, 7], np.int8), -1), (np.array([-1, 1]), -2),
        (np.array([-1, -5], np.int16), -6), (np.array([-128, -1], np.int8), -129), (np.array([0, 255], np.uint8), -1),
        (np.array([False, True]), -1), (np.array([0.0, 2.0]), -1), (np.array([-1.0, 2.0]), -2),
        (np.array([-1.0, 2.0], np.float32), -2), (np.array(["a", "b"]), "abstain"),
        (np.array(["abstain", "b"]), "abstain_"), (np.array(["abstain_", "abstain"]), "abstain__"),
        (np.array(["abstain", "b"], object), "abstain_"), (np.array(["a long label, longer than Λ", "b"]), "abstain"),
        (np.array([-(2**63), -1]), -(2**63) - 1),
    ],
    ids=repr,
)  # fmt: skip
def test_auto_is_minus_one_or_below_for_numbers_and_a_word_for_others(labels, abstain):
    forest = fit(labels)
    assert forest.abstain_label_ == abstain
    predicted = assert_predicts_only(forest, abstain)
    kind = labels.dtype.kind
    if abstain == -(2**63) - 1:
        kind = "O"
    assert predicted.dtype.kind == {"b": "i", "u": "i"}.get(kind, kind)
    tree = PartialClassificationTree(random_state=0).fit(X, labels[FIRST])
    assert tree.abstain_label_ == abstain


def test_labels_beyond_the_exact_floats_come_back_whole():
    for dtype in (np.int64, np.uint64):
        assert_predicts_only(fit(np.array([2**60 + 1, 2**60 + 3], dtype)), -1)
    assert_predicts_only(fit(np.array([2**60 + 1, 2**60 + 3]), abstain_label=0.5), 0.5)


def test_auto_is_no_label_where_floats_have_no_neighbours():
    """-2.0 ** 60 - 1 is -2.0 ** 60."""
    forest = fit(np.array([-1.0, -(2.0**60)]))
    assert forest.abstain_label_ not in forest.classes_
    assert_predicts_only(forest, forest.abstain_label_)


@pytest.mark.parametrize("dtype", ["string", "category", object])
def test_labels_of_a_series_come_back(dtype):
    y = pd.Series(np.array(["no", "yes"])[FIRST], dtype=dtype, index=range(5, 25))
    forest = PartialClassificationForest(15, random_state=0).fit(X, y)
    assert assert_predicts_only(forest, "abstain").dtype == object


# Chosen by the user


@pytest.mark.parametrize(
    ("labels", "abstain", "kind"),
    [
        ([0, 1], -7, "i"), ([0, 1], 2, "i"), ([-1, 1], 0, "i"), ([0, 1], 0.5, "f"), ([0, 1], math.inf, "f"),
        ([0, 1], np.int8(-3), "i"), ([0, 1], "1", "O"), ([0, 1], None, "O"), ([0.0, 1.0], -1, "f"),
        ([False, True], 2, "i"), ([False, True], None, "O"), (["a", "b"], "a word longer than the labels", "U"),
        (["a", "b"], "", "U"), (["a", "b"], None, "O"), (["a", "b"], -1, "O"), (["0", "1"], 0, "O"),
    ],
)  # fmt: skip
def test_label_of_the_users_choice(labels, abstain, kind):
    forest = fit(labels, abstain_label=abstain)
    assert forest.abstain_label_ == abstain
    predicted = assert_predicts_only(forest, abstain)
    assert predicted.dtype.kind == kind
    assert forest.get_params()["abstain_label"] == abstain


@pytest.mark.parametrize(
    ("labels", "abstain"),
    [
        ([0, 1], 1.0), ([0, 1], True), ([-1, 1], np.int64(-1)), ([0.0, 1.0], 1), ([False, True], 0),
        (["a", "b"], "b"), (["a", "abstain"], "abstain"), (["a", "b"], np.str_("a")),
    ],
)  # fmt: skip
def test_label_of_the_label_set_is_refused(labels, abstain):
    for owner in (PartialClassificationForest, PartialClassificationTree):
        with pytest.raises(ValueError, match="abstain_label must not be one of the labels") as caught:
            owner(abstain_label=abstain).fit(X, np.asarray(labels)[FIRST])
        message = str(caught.value)
        assert message.startswith(f"{owner.__name__}: ")
        assert repr(abstain) in message
        assert "\n" not in message


@pytest.mark.parametrize(
    "abstain",
    [[1], [0], {}, (0,), b"x", object, np.array(7), np.array([5, 6]), np.array([0, 1]), pd.NA],
    ids=str,
)
def test_what_is_no_label_is_refused(abstain):
    message = "^PartialClassificationForest: abstain_label must be .*'auto', a number, a string or None, got "
    with pytest.raises(ValueError, match=message):
        fit([0, 1], abstain_label=abstain)


@pytest.mark.parametrize("abstain", ["auto", -7, 0.5, "unknown", None])
@pytest.mark.parametrize("labels", [[0, 1], ["a", "b"], [0.0, 1.0], [False, True]], ids=str)
def test_score_counts_an_abstention_as_an_error_whatever_it_is_called(labels, abstain):
    forest = fit(labels, abstain_label=abstain)
    y = np.asarray(labels)[FIRST]
    right = [given == true for given, true in zip(forest.predict(X).tolist(), y.tolist(), strict=True)]
    assert 0 < sum(right) < len(y)
    assert forest.score(X, y) == pytest.approx(sum(right) / len(y))
    weights = np.arange(1.0, 21.0)
    assert forest.score(X, y, sample_weight=weights) == pytest.approx(np.average(right, weights=weights))
    with pytest.raises(ValueError, match=f"X has {len(y)} rows and y has 1 labels"):
        forest.score(X, y[:1])


# The vote


class Sequence:
    """A leaf model by which the Trees say one thing each, in turn; None is Λ."""

    def __init__(self, labels):
        self.labels = list(labels)

    def __call__(self, X, y):
        label = self.labels.pop(0)
        return (y[0], 1.0) if label is None else (label, 0.0)


def voted(labels, voting):
    """What a forest says whose Trees say ``labels``."""
    X = [[0.0]] * 4  # identical: every Tree is one leaf
    forest = PartialClassificationForest(
        len(labels), leaf_model=Sequence(labels), voting=voting, abstain_label=None
    ).fit(X, list("abcd"))
    return forest, forest.predict([[3.0]])[0]


@pytest.mark.parametrize(
    ("labels", "plurality", "ignoring"),  # "always" says what "ignoring" says, or "a", the first of the tied
    [
        ([None], None, None), (["b"], "b", "b"), (["b", None], None, "b"), (["b", "b", None], "b", "b"),
        (["c", "b"], "b", "b"), (["c", "b", "b", "c", None], "b", "b"), (["d", "d", "a", None, None], None, "d"),
        (["d", "c", "b", "a", None, None], None, "a"), (["d", "d", "d", None, None, "a"], "d", "d"),
    ],
)  # fmt: skip
def test_lambda_wins_ties_with_labels_and_the_first_class_ties_among_them(labels, plurality, ignoring):
    assert voted(labels, "plurality")[1] == plurality
    assert voted(labels, "ignore_abstain")[1] == ignoring
    assert voted(labels, "always")[1] == (ignoring or "a")


def test_probabilities_where_no_tree_predicts_are_the_shares_of_the_training_set():
    """As the docstring has it."""
    forest = PartialClassificationForest(2, min_samples_leaf=50).fit(X, [0] * 15 + [1] * 5)
    np.testing.assert_allclose(forest.predict_proba(X), [[0.75, 0.25]] * 20)


def test_voting_may_be_changed_after_fitting():
    X, y = blobs(300)
    forest = PartialClassificationForest(10, random_state=0).fit(X, y)
    other = PartialClassificationForest(10, voting="ignore_abstain", random_state=0).fit(X, y)
    assert forest.coverage(X) < other.coverage(X)
    forest.set_params(voting="ignore_abstain")
    assert forest.predict(X).tolist() == other.predict(X).tolist()


def test_forest_that_can_predict_nothing_abstains_everywhere():
    for voting in ("plurality", "ignore_abstain"):
        with pytest.warns(LowCoverageWarning):
            forest = fit([0, 1], min_samples_leaf=21, voting=voting)
        assert forest.coverage(X) == 0.0
        assert forest.predict(X).tolist() == [-1] * 20
        assert (forest.tree_predict(X) == -1).all()
        assert (forest.vote_shares(X) == [0, 0, 1]).all()
        np.testing.assert_allclose(forest.predict_proba(X).sum(axis=1), 1.0)
        assert forest.score(X, FIRST) == 0.0
        assert [len(nodes) for nodes in nodes_of(forest)] == [1] * 15


def test_nan_is_refused_because_nothing_equals_it():
    with pytest.raises(ValueError, match="abstain_label must not be NaN"):
        PartialClassificationForest(abstain_label=float("nan")).fit([[0.0], [1.0]], [0, 1])


def test_integer_that_floats_do_not_hold_stays_whole_beside_float_labels():
    label = 2**60 + 1
    forest = PartialClassificationForest(5, abstain_label=label, random_state=0)
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0.0, 2.0**60, 0.0, 2.0**60]
    assert label in forest.fit(X, y).predict(X).tolist()


@pytest.mark.parametrize("n", [2, 30, 99, 100, 5000])
def test_a_forest_that_would_be_silent_says_so_at_fit(n):
    rng = np.random.default_rng(0)
    X, y = rng.random((n, 5)), np.arange(n) % 2
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forest = PartialClassificationForest(30, min_samples_leaf=20, random_state=0).fit(X, y)
        for all_rows in (
            {"max_loss": 1.0, "min_samples_leaf": 1},
            {"voting": "always", "min_samples_leaf": 20},
        ):
            PartialClassificationForest(30, random_state=0, **all_rows).fit(X, y)
        PartialClassificationTree(min_samples_leaf=20, random_state=0).fit(X, y)
    assert forest.coverage(X) < 0.01
    assert [warning.category for warning in caught] == [LowCoverageWarning]
    assert caught[0].filename == __file__
    assert str(caught[0].message).startswith("PartialClassificationForest: 0.0% of the training data would")


def test_a_small_forest_that_predicts_a_single_row_says_nothing():
    """Of 99 rows one is more than 1 %."""
    rows = np.append(np.zeros(98), 1.0)[:, None]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        forest = PartialClassificationForest(1, min_samples_leaf=1, max_depth=1, random_state=0)
        forest.fit(rows, [0, 1] * 49 + [0])
    assert forest.coverage(rows) == 1 / 99
    assert caught == []


# A forest that always answers


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -1], np.int8), np.array([1.0, 2.0], np.float32), np.array([False, True]),
        np.array(["yes", "abstain"]), np.array(["yes", "no"], object), np.array([2**60 + 1, 2**60 + 3]),
    ],
    ids=repr,
)  # fmt: skip
@pytest.mark.parametrize("growth", [{}, {"min_samples_leaf": 21}, {"max_loss": 0.5}], ids=str)
def test_a_forest_that_always_answers_predicts_a_class_everywhere(labels, growth):
    forest = fit(labels, voting="always", **growth)
    for rows in (X, X + 1e9, -X - 1e9):
        predicted = forest.predict(rows)
        assert predicted.dtype == forest.classes_.dtype
        assert np.isin(predicted, forest.classes_).all()
        assert forest.coverage(rows) == 1.0
        assert predicted.tolist() == forest.classes_[forest.predict_proba(rows).argmax(axis=1)].tolist()
        for stage in forest.staged_predict(rows):
            assert stage.dtype == predicted.dtype
        assert stage.tolist() == predicted.tolist()
    assert forest.vote_shares(X).shape == (20, 3)  # Λ still has its votes


def test_where_no_tree_predicts_the_most_frequent_class_does_the_first_of_those_tied():
    for y, most in (([0] * 12 + [1] * 8, 0), ([0] * 8 + [1] * 12, 1), ([0, 1] * 10, 0), ([2, 1] * 10, 1)):
        forest = PartialClassificationForest(3, min_samples_leaf=50, voting="always").fit(X, y)
        assert forest.predict(X).tolist() == [most] * 20
        assert forest.score(X, y) == np.mean(np.equal(y, most))


def test_always_answers_in_hard_voting_and_in_plots_of_decision_boundaries():
    X, y = blobs(80)
    names = np.array(["no", "yes"])[y]
    forest = PartialClassificationForest(10, voting="always", random_state=0)
    vote = VotingClassifier([("forest", forest), ("stump", DecisionTreeClassifier(max_depth=1))])
    assert set(vote.fit(X, names).predict(X)) == {"no", "yes"}
    display = DecisionBoundaryDisplay.from_estimator(
        forest.fit(X, names), X, response_method="predict", grid_resolution=20
    )
    assert set(np.unique(display.response)) == {0, 1}
    plt.close(display.figure_)
