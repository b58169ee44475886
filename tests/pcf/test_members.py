"""Trees of a forest by themselves."""

import re

import numpy as np
import pandas as pd
import pytest

from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from tests.pcf.support import blobs, majority_gamma

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")


def grown(**parameters):
    X, y = blobs(200, 2, 3)
    X, y = pd.DataFrame(X, columns=["stem", "cap"]), np.array(["a", "b", "c"])[y]
    return PartialClassificationForest(4, random_state=0, **parameters).fit(X, y), X


@pytest.mark.parametrize("model", ["majority", majority_gamma], ids=["compiled", "callable"])
def test_members_predict_what_they_vote(model):
    forest, X = grown(leaf_model=model, abstain_label="none of them")
    codes = forest.tree_predict(X)
    for k, tree in enumerate(forest):
        assert isinstance(tree, PartialClassificationTree)
        assert tree.vote_shares(X).argmax(axis=1).tolist() == (codes[k] % 4).tolist()
        assert tree.coverage(X) == np.mean(codes[k] >= 0)
        shares = tree.predict_proba(X)
        assert (shares[codes[k] >= 0].max(axis=1) == 1).all()
        np.testing.assert_array_equal(
            shares[codes[k] < 0], np.tile(forest.class_prior_, (sum(codes[k] < 0), 1))
        )
        row = X.iloc[0]
        for low, name, high in re.findall(r"(?:(\S+) ≤ )?(stem|cap)(?: < (\S+?))?[,\n]", tree.explain(row)):
            assert float(low or "-inf") - 1e-3 < row[name] < float(high or "inf") + 1e-3
    assert forest.vote_shares(X).tolist() == np.mean([t.vote_shares(X) for t in forest], axis=0).tolist()


def test_a_member_can_be_fitted_anew():
    forest, X = grown()
    tree = forest.estimators_[1].fit(X.to_numpy()[:50], np.arange(50) % 2)
    assert tree.predict(X.to_numpy()).dtype.kind == "i"
    with pytest.raises(ValueError, match="has a tree of 2 features and 2 classes"):
        forest.predict(X)


def test_dot_names_features_labels_and_abstentions():
    forest, _ = grown()
    dot = forest.estimators_[0].to_dot()
    assert dot.count("->") == len(forest.estimators_[0].nodes_) - 1
    for text in ("stem < ", "cap < ", "Λ\\nn = ", 'label="true"'):
        assert text in dot
