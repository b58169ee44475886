"""What is read off a fitted tree: smoothed probabilities, importances, the table of rules."""

import math

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier

from studylib.datasets import load_weather
from studylib.trees import CRITERIA, MultiwayTreePredictor, TreePredictor
from tests.trees.support import BOTH_MODES, mushrooms

# Laplace smoothing


@pytest.mark.parametrize("laplace", [0, 0.5, 1, np.float64(10)])
def test_laplace_smoothing_is_the_formula(laplace):
    X, y = mushrooms(100)
    tree = TreePredictor(max_depth=4, laplace=laplace).fit(X, y, sample_weight=np.arange(100) % 3 + 0.5)
    shares = tree.predict_proba(X)
    for leaf, share in zip(tree.apply(X), shares, strict=True):
        counts = tree.class_counts_[leaf].tolist()
        expected = [(n_c + laplace) / (sum(counts) + 3 * laplace) for n_c in counts]
        assert share == pytest.approx(expected, rel=1e-12)
    assert shares.sum(axis=1) == pytest.approx(1.0)


def test_laplace_ranks_a_large_pure_leaf_before_a_small_one():
    X, y = [[0.0]] * 50 + [[1.0]] + [[2.0]] * 5, [1] * 50 + [0] + [1] * 5
    large, small = TreePredictor(laplace=1).fit(X, y).predict_proba([[0.0], [2.0]])[:, 1]
    assert (large, small) == (51 / 52, 6 / 7)
    tree = TreePredictor().fit(X, y)
    assert tree.predict_proba([[0.0], [2.0]])[:, 1].tolist() == [1, 1]
    with pytest.raises(ValueError, match="TreePredictor: laplace must be a number"):
        tree.set_params(laplace=-1).predict_proba([[0.0]])


# Importances


@pytest.mark.parametrize(("ours", "theirs"), [("gini", "gini"), ("information", "entropy")])
def test_importances_are_scikit_learns(ours, theirs):
    X, y = load_breast_cancer(return_X_y=True)
    X = X.astype(np.float32).astype(float)[:, [1, 22, 27]]
    weight = np.random.default_rng(0).integers(1, 4, len(y)) / 2
    tree = TreePredictor(ours, max_depth=2).fit(X, y, sample_weight=weight)
    peer = DecisionTreeClassifier(criterion=theirs, max_depth=2).fit(X, y, sample_weight=weight)
    assert tree.n_nodes_ == peer.tree_.node_count
    assert tree.feature_importances_ == pytest.approx(peer.feature_importances_, rel=1e-9)


@BOTH_MODES
@pytest.mark.parametrize("criterion", CRITERIA)
def test_importances_are_shares_and_do_not_depend_on_the_scale_of_weights(criterion, source):
    X, y = mushrooms(100)
    X["constant"] = 1.0
    tree = TreePredictor(criterion, source_compatible=source).fit(X, y)
    shares = tree.feature_importances_
    assert shares.shape == (5,)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1.0)
    assert shares[4] == 0
    four = clone(tree).fit(X, y, sample_weight=np.full(100, 4.0))
    assert four.feature_importances_ == pytest.approx(shares)


def test_chi_square_adds_up_over_samples_already():
    """Two nodes below the root are split perfectly: their statistics are their sizes, 4 and 8."""
    X = pd.DataFrame({"half": [0] * 4 + [1] * 8, "p": [0, 0, 1, 1] + [0] * 8, "q": [0] * 4 + [0, 1] * 4})
    tree = TreePredictor("chi_square").fit(X, ["a", "a", "b", "b"] + ["c", "d"] * 4)
    assert sorted(zip(tree.nodes_["feature"], tree.nodes_["gain"], strict=True))[-3:] == [
        (0, pytest.approx(12)),
        (1, pytest.approx(4)),
        (2, pytest.approx(8)),
    ]
    assert tree.feature_importances_ == pytest.approx([12 / 24, 4 / 24, 8 / 24])


def test_importances_of_a_lone_root_and_of_gains_of_zero_are_zero():
    assert TreePredictor().fit([[1.0, 2.0]], [0]).feature_importances_.tolist() == [0, 0]
    flat = TreePredictor(lambda counts: 0.0).fit([[1.0, 2.0], [2.0, 2.0]], [0, 1])
    assert (flat.n_nodes_, flat.feature_importances_.tolist()) == (3, [0, 0])
    with pytest.raises(NotFittedError):
        _ = TreePredictor().feature_importances_


# Rules


def test_rules_of_a_small_tree():
    X = pd.DataFrame(
        {
            "height": [3.0, 9.0, 4.0, 8.0, np.nan, np.nan],
            "cap": ["flat", "bell", "bell", "flat", "bell", None],
        }
    )
    y = ["edible", "poisonous", "edible", "poisonous", "poisonous", "edible"]
    rules = TreePredictor(max_depth=3).fit(X, y).rules()
    expected = pd.DataFrame(
        {
            "rule": [
                "height ≤ 6",
                "height > 6 (or missing) and cap is known",
                "height > 6 (or missing) and cap is missing",
            ],
            "label": ["edible", "poisonous", "edible"],
            "n_samples": [2, 3, 1],
            "share": [1.0, 1.0, 1.0],
        },
        index=pd.Index([2, 3, 4], name="leaf"),
    )
    pd.testing.assert_frame_equal(rules, expected)


def test_thresholds_of_one_column_make_one_interval():
    X, y = np.arange(8.0)[:, None], [0, 0, 1, 1, 0, 0, 1, 1]
    assert TreePredictor().fit(X, y).rules()["rule"].sort_values().tolist() == [
        "1.5 < x0 ≤ 3.5",
        "3.5 < x0 ≤ 5.5",
        "x0 > 5.5",
        "x0 ≤ 1.5",
    ]
    gap = TreePredictor().fit([[1.0], [2.0], [math.nan]], [0, 1, 2]).rules()
    assert gap["rule"].tolist() == ["x0 ≤ 1.5", "x0 is missing", "x0 > 1.5"]


def test_rule_of_a_lone_root_and_share_of_an_impure_leaf():
    row = TreePredictor().fit([[1.0]] * 4, ["b", "a", "b", "b"]).rules().iloc[0]
    assert row.tolist() == ["always", "b", 4, 0.75]


@BOTH_MODES
def test_every_sample_satisfies_the_one_rule_of_its_leaf(source):
    """Read as Python: the rules are what they say."""
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.integers(0, 9, (120, 3)).astype(float), columns=list("pqr"))
    y = rng.integers(0, 3, 120)
    tree = TreePredictor(source_compatible=source).fit(X, y)
    rules = tree.rules()
    assert (rules["rule"].str.len() < 60).all()  # at most three intervals each, however deep the tree
    read = rules["rule"].str.replace("≤", "<=")
    for row, leaf in zip(X.to_dict("records"), tree.apply(X), strict=True):
        assert [i for i, rule in read.items() if eval(rule, {}, row)] == [leaf]
    assert rules["n_samples"].sum() == 120
    assert rules.index.tolist() == np.flatnonzero(tree.nodes_["feature"] < 0).tolist()
    best = [max(counts) / sum(counts) for counts in tree.class_counts_[rules.index].tolist()]
    assert rules["share"].tolist() == best


def test_rules_are_shown_in_full():
    X = pd.DataFrame(
        {f"a column with quite a long name, number {j}": np.arange(8) >> j & 1 for j in range(3)}
    )
    rules = TreePredictor().fit(X, np.arange(8)).rules()
    longest = rules["rule"].max()
    assert len(longest) > 120
    for part in (rules, rules.head(8), rules.sort_values("n_samples")):
        assert longest in repr(part)
        assert longest.replace(">", "&gt;") in part._repr_html_()
        assert "share" in repr(part)


def test_rules_of_a_multiway_tree():
    weather = load_weather(numeric=True)
    tree = MultiwayTreePredictor().fit(weather.data, weather.target)
    rules = tree.rules()
    assert rules["rule"].tolist()[:2] == ["outlook = 'overcast'", "outlook = 'sunny' and humidity ≤ 75"]
    assert rules["n_samples"].sum() == 14
    assert rules.index.tolist() == np.flatnonzero(tree.nodes_["feature"] < 0).tolist()
    X = pd.DataFrame({"a": list("uvw"), "b": [1.0, np.nan, 3.0]})
    empty = MultiwayTreePredictor().fit(pd.concat([X, X]), [0, 1, 2, 0, 1, 0]).rules()
    assert empty.loc[empty["n_samples"] == 0, "share"].between(0, 1).all()


def test_rules_of_a_chain():
    n = 1000
    tree = TreePredictor("gini").fit(np.arange(n, dtype=float)[:, None], np.arange(n) % 2)
    rules = tree.rules()
    assert len(rules) == n
    assert rules["rule"].is_unique
