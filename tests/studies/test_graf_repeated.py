"""The blend and its rivals over many splits and seeds, on UCI sets and on real tables: the tasks."""

import json
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

from studylib.datasets import load_bundled
from studylib.studies.graf import blend_results, repeated

KEY = {"n_folds": 4, "split_seed": 3001, "model_seed": 0, "method": "random forest", "n_trees": 5}


class _Same(ClassifierMixin, BaseEstimator):
    """Gives each row the shares of the training rows' classes."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))


# Tasks


@pytest.mark.parametrize(
    "method",
    [
        pytest.param(m, marks=pytest.mark.slow if m == repeated.TUNED else ())
        for m in repeated.methods_on_tables()
    ],
)
def test_scores_are_repeatable_plain_data(method):
    key = KEY | {"data": "bundled iris", "method": method}
    scores = repeated.scores(key, 2**32 - 2)
    assert json.dumps(scores, allow_nan=False) == json.dumps(repeated.scores(key, 2**32 - 2))
    assert [len(scores[measure]) for measure in blend_results.MEASURES] == [4, 4, 4]
    assert min(scores["accuracy"]) > 0.8
    assert max(scores["log_loss"]) < 1.0
    blended = method in (repeated.BLEND, repeated.PURE)
    assert (scores["oblique"] is not None) == (scores["sizes"] is not None) == blended
    if method == repeated.PURE:
        assert scores["sizes"] == [{"oblique": 2, "axis": 2}] * 4


def test_scores_are_those_of_the_folds_of_scikit_learn(monkeypatch):
    monkeypatch.setattr(repeated, "model", lambda method, n_trees, seed: _Same())
    scores = repeated.scores(KEY | {"data": "bundled wine"}, 0)
    X, y = load_bundled("wine")
    for k, (train, test) in enumerate(StratifiedKFold(4, shuffle=True, random_state=3001).split(X, y)):
        shares = np.bincount(y[train]) / len(train)
        brier = sum(((shares - np.eye(3)[label]) ** 2).sum() for label in y[test]) / len(test)
        assert scores["accuracy"][k] == pytest.approx((y[test] == shares.argmax()).mean())
        assert scores["log_loss"][k] == pytest.approx(log_loss(y[test], np.tile(shares, (len(test), 1))))
        assert scores["brier"][k] == pytest.approx(brier)


def test_a_class_that_was_not_there_in_training_has_the_least_share(monkeypatch):
    """The only row of its class is tested in one fold."""
    y = np.array([0] * 20 + [1])
    monkeypatch.setattr(repeated, "_table", lambda name: (np.zeros((21, 1)), y))
    monkeypatch.setattr(repeated, "model", lambda method, n_trees, seed: _Same())
    scores = repeated.scores(KEY | {"data": "any"}, 0)
    with_it = max(range(4), key=lambda k: scores["log_loss"][k])
    with pytest.warns(UserWarning, match="least populated"):
        folds = list(StratifiedKFold(4, shuffle=True, random_state=3001).split(y, y))
    n = len(folds[with_it][1])
    assert scores["log_loss"][with_it] == pytest.approx(-np.log(repeated.LEAST_SHARE) / n)
    assert scores["brier"][with_it] == pytest.approx(2 / n)  # its share is 0, another's is 1
    assert scores["accuracy"][with_it] == pytest.approx((n - 1) / n)


def test_lightgbm_takes_tables_with_any_names(monkeypatch):
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a[1]": rng.normal(size=80), "a,1": pd.Categorical(rng.choice(["u", "v"], 80))})
    monkeypatch.setattr(repeated, "_table", lambda name: (frame, (frame["a[1]"] > 0).to_numpy()))
    assert min(repeated.scores(KEY | {"data": "any", "method": repeated.LIGHTGBM}, 0)["accuracy"]) > 0.8


def test_lightgbm_is_left_out_where_it_is_not_installed(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    assert repeated.methods_on_tables() == repeated.ON_TABLES
    assert capsys.readouterr().out.startswith("LightGBM is left out: ")
