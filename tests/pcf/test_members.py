"""Trees of a forest by themselves."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from tests.conventions.registry import walked
from tests.pcf.support import LEAF_MODELS, blobs, majority_gamma, mixed_up_rows, problems

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")


def grown(**parameters):
    X, y = blobs(200, 2, 3)
    X, y = pd.DataFrame(X, columns=["stem", "cap"]), np.array(["a", "b", "c"])[y]
    return PartialClassificationForest(4, random_state=0, **parameters).fit(X, y), X


@pytest.mark.parametrize("model", ["majority", majority_gamma], ids=["compiled", "callable"])
def test_members_predict_what_they_vote(model):
    forest, X = grown(leaf_model=model, abstain_label="none of them")
    codes, leaves = forest.tree_predict(X), forest.apply(X)
    for k, tree in enumerate(forest):
        assert isinstance(tree, PartialClassificationTree)
        names = np.array([*forest.classes_, "none of them"])
        assert tree.predict(X).tolist() == names[codes[k]].tolist()
        assert tree.apply(X).tolist() == leaves[:, k].tolist()
        assert tree.vote_shares(X).argmax(axis=1).tolist() == (codes[k] % 4).tolist()
        assert tree.coverage(X) == np.mean(codes[k] >= 0)
        shares = tree.predict_proba(X)
        assert (shares[codes[k] >= 0].max(axis=1) == 1).all()
        np.testing.assert_array_equal(
            shares[codes[k] < 0], np.tile(forest.class_prior_, (sum(codes[k] < 0), 1))
        )
        assert (tree.get_n_leaves(), tree.get_depth()) == ((len(tree.nodes_) + 1) // 2, tree.depth_)
        assert "leaf of" in tree.explain(X.iloc[:1])
    assert forest.vote_shares(X).tolist() == np.mean([t.vote_shares(X) for t in forest], axis=0).tolist()


def test_a_member_can_be_fitted_anew():
    forest, X = grown()
    tree = forest.estimators_[1].fit(X.to_numpy()[:50], np.arange(50) % 2)
    assert tree.predict(X.to_numpy()).dtype.kind == "i"
    assert forest.predict(X).dtype.kind == "U"


@settings(max_examples=60)
@given(problem=problems(), model=st.sampled_from(list(LEAF_MODELS)), seed=st.integers(0, 2**32 - 1))
def test_arrays_lead_every_row_to_its_leaf(problem, model, seed):
    """By ``<=``, and exactly: rows at and beside each threshold, too."""
    rows, y, growth = problem
    tree = PartialClassificationForest(2, leaf_model=LEAF_MODELS[model][0], random_state=seed, **growth)
    tree = tree.fit(rows, y).estimators_[1]
    arrays = tree.to_arrays()
    new = np.array(mixed_up_rows(rows))
    inner = tree.nodes_[tree.nodes_["feature"] >= 0]
    for node in inner[:20]:
        for value in (node["threshold"], *np.nextafter(node["threshold"], [-np.inf, np.inf])):
            beside = new[:1].copy()
            beside[0, node["feature"]] = value
            new = np.vstack([new, beside])
    reached = walked(arrays, new)
    assert tree.apply(new).tolist() == reached
    abstains = tree.predict(new) == tree.abstain_label_
    values = arrays["value"][reached]
    assert (values.sum(axis=1) == ~abstains).all()
    assert tree.classes_[values.argmax(axis=1)][~abstains].tolist() == tree.predict(new)[~abstains].tolist()


def test_dot_names_features_labels_and_abstentions():
    forest, _ = grown()
    dot = forest.estimators_[0].to_dot()
    assert dot.count("->") == len(forest.estimators_[0].nodes_) - 1
    for text in ("stem < ", "cap < ", "Λ\\nn = ", 'label="true"'):
        assert text in dot
