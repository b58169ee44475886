"""TreePredictor beside scikit-learn's DecisionTreeClassifier, on numbers whose best splits are unique."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from studylib.trees import TreePredictor

CRITERIA = pytest.mark.parametrize(("ours", "theirs"), [("gini", "gini"), ("information", "entropy")])


def normal_table(seed, n=500, d=4, n_classes=3):
    """Numbers that float32 holds exactly (scikit-learn's trees compare in it), with noisy labels."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32).astype(np.float64)
    score = X[:, 0] + 0.5 * X[:, 1] * X[:, 2] + 0.7 * rng.normal(size=n)
    return X, np.digitize(score, np.linspace(-0.7, 0.7, n_classes - 1))


def walk(feature, low, high, value, counts):
    """Features, thresholds and class counts of all nodes, depth first with the low side first."""
    features, values, tallies, stack = [], [], [], [0]
    while stack:
        i = stack.pop()
        tallies.append(np.round(counts[i]).tolist())
        features.append(max(int(feature[i]), -1))
        if features[-1] >= 0:
            values.append(float(value[i]))
            stack += [int(high[i]), int(low[i])]
    return features, values, tallies


def in_order(tree, peer):
    """Both trees walked alike: ours has the true side (x <= threshold) as child 1, theirs on the left."""
    nodes, t = tree.nodes_, peer.tree_
    first = nodes["first_child"]
    ours = walk(nodes["feature"], first + 1, first, nodes["value"], tree.class_counts_)
    sizes = t.weighted_n_node_samples[:, None]
    return ours, walk(t.feature, t.children_left, t.children_right, t.threshold, t.value[:, 0] * sizes)


def gain_of_their_root(tree):
    t = tree.tree_
    left, right = t.children_left[0], t.children_right[0]
    share = t.weighted_n_node_samples / t.weighted_n_node_samples[0]
    return t.impurity[0] - share[left] * t.impurity[left] - share[right] * t.impurity[right]


@CRITERIA
@pytest.mark.parametrize("seed", range(5))
def test_whole_tree_agrees_while_splits_are_unique(ours, theirs, seed):
    """The upper levels over continuous noise; small nodes further down have tied splits."""
    X, y = normal_table(seed, n=1500)
    tree = TreePredictor(ours, max_depth=3).fit(X, y)
    peer = DecisionTreeClassifier(criterion=theirs, max_depth=3, random_state=seed).fit(X, y)
    assert tree.n_nodes_ == peer.tree_.node_count > 10
    assert tree.depth_ == peer.get_depth()
    assert tree.nodes_["gain"][0] == pytest.approx(gain_of_their_root(peer), rel=1e-9)
    (features, values, counts), (their_features, their_values, their_counts) = in_order(tree, peer)
    assert features == their_features
    assert counts == their_counts
    assert values == pytest.approx(their_values, rel=1e-12)
    new, _ = normal_table(seed + 100)
    assert tree.predict(new).tolist() == peer.predict(new).tolist()
    np.testing.assert_allclose(tree.predict_proba(new), peer.predict_proba(new), rtol=1e-12)


@CRITERIA
def test_weighted_root_gain_agrees(ours, theirs):
    X, y = normal_table(7)
    weight = np.random.default_rng(7).integers(1, 5, len(y)) / 4
    tree = TreePredictor(ours, max_depth=1).fit(X, y, sample_weight=weight)
    peer = DecisionTreeClassifier(criterion=theirs, max_depth=1).fit(X, y, sample_weight=weight)
    assert tree.nodes_["feature"][0] == peer.tree_.feature[0]
    assert tree.nodes_["value"][0] == pytest.approx(peer.tree_.threshold[0], rel=1e-12)
    assert tree.nodes_["gain"][0] == pytest.approx(gain_of_their_root(peer), rel=1e-9)
