"""Measures of selective classification, against cases done by hand and against slow twins."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from studylib.datasets import make_clean_partitions
from studylib.pcf import LowCoverageWarning, PartialClassificationForest
from studylib.statistics import (
    bootstrap_area,
    conformal_confidence,
    coverage,
    risk_coverage,
    selective_accuracy,
    selective_scorer,
)


def test_measures_of_the_source_by_hand():
    y_true, y_pred = ["a", "b", "b", "a"], ["a", "?", "a", "?"]
    assert coverage(y_pred, "?") == 0.5
    assert selective_accuracy(y_true, y_pred, "?") == 0.5
    assert np.isnan(selective_accuracy(y_true, ["?"] * 4, "?"))


def test_curve_and_area_by_hand():
    curve = risk_coverage([1, 1, 0, 0], [1, 0, 0, 1], [0.9, 0.8, 0.7, 0.1])
    assert curve.coverage.tolist() == [0.25, 0.5, 0.75, 1.0]
    assert curve.risk.tolist() == pytest.approx([0, 1 / 2, 1 / 3, 1 / 2])
    assert curve.area == pytest.approx((0 + 1 / 2 + 1 / 3 + 1 / 2) / 4)


small = st.lists(st.tuples(st.booleans(), st.integers(0, 2)), min_size=1, max_size=6)


@given(small)
def test_ties_count_as_the_mean_over_all_orders(samples):
    wrong, confidence = map(list, zip(*samples, strict=True))
    risks = []
    for order in itertools.permutations(range(len(wrong))):
        if all(confidence[a] >= confidence[b] for a, b in itertools.pairwise(order)):
            errors = np.cumsum([wrong[i] for i in order])
            risks.append(errors / np.arange(1, len(wrong) + 1))
    curve = risk_coverage([0] * len(wrong), np.array(wrong, int), confidence)
    assert curve.risk == pytest.approx(np.mean(risks, axis=0))


def test_bootstrap_interval_holds_the_area_and_is_repeatable():
    rng = np.random.default_rng(0)
    y, confidence = rng.integers(0, 2, 300), rng.random(300)
    labels = np.where(rng.random(300) < 0.5 + confidence / 2, y, 1 - y)
    first = bootstrap_area(y, labels, confidence, n_resamples=200, random_state=0)
    assert first == bootstrap_area(y, labels, confidence, n_resamples=200, random_state=0)
    assert first.low < first.mean < first.high
    assert first.mean == risk_coverage(y, labels, confidence).area


@pytest.mark.slow
def test_bootstrap_interval_covers_the_true_area_about_as_often_as_it_says():
    # Confidence is uniform and equals the chance of being right: the risk at coverage c is c / 2.
    rng = np.random.default_rng(1)
    hits = 0
    for seed in range(60):
        confidence = rng.random(400)
        labels = (rng.random(400) > confidence).astype(int)
        interval = bootstrap_area(np.zeros(400, int), labels, confidence, n_resamples=200, random_state=seed)
        hits += 0.25 in interval
    assert hits >= 50


def slow_conformal(calibration, y, proba):
    """p-values from their definition: the share of scores at least as strange, the sample itself counted."""
    scores = [1 - row[label] for row, label in zip(calibration, y, strict=True)]
    return [
        [(1 + sum(s >= 1 - p for s in scores)) / (len(scores) + 1) for p in row] for row in proba
    ]  # fmt: skip


def test_conformal_labels_and_confidence_follow_the_definition():
    rng = np.random.default_rng(0)
    calibration, proba = rng.dirichlet(np.ones(3), 40), rng.dirichlet(np.ones(3), 30)
    y = rng.integers(0, 3, 40)
    label, confidence = conformal_confidence(calibration, y, proba)
    for k, p in enumerate(slow_conformal(calibration, y, proba)):
        assert p[label[k]] == max(p)
        second = sorted(p)[-2]
        assert 1 - second <= confidence[k] <= 1 - second + 1 / 41


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0, 1], [0.5]), "must have one length"),
        (([], [], []), "must have one length"),
        (([0, 1], [0, 1], [0.5, float("nan")]), "confidence holds NaN"),
    ],
)
def test_bad_input_gives_one_sentence(arguments, message):
    with pytest.raises(ValueError, match=message):
        risk_coverage(*arguments)


class Fixed(ClassifierMixin, BaseEstimator):
    """Says what it is told to."""

    def __init__(self, says, abstain_label=None):
        self.says, self.abstain_label = says, abstain_label
        if abstain_label is not None:
            self.abstain_label_ = abstain_label

    def predict(self, X):
        return np.asarray(self.says)


@pytest.mark.parametrize(
    ("says", "share", "score"),
    [
        ([0, 1, -1, -1], 0.5, 1.0),
        ([0, 0, -1, -1], 0.5, 0.5),
        ([0, 0, -1, -1], 0.51, 2 / 4 / 0.51 - 1),
        ([1, -1, -1, -1], 0.25, 0.0),
        ([-1, -1, -1, -1], 0.25, -1.0),
        ([0, 1, 0, 1], 1.0, 1.0),
    ],
)
def test_enough_predictions_score_their_accuracy_and_too_few_what_is_missing(says, share, score):
    scored = selective_scorer(share)(Fixed(says, -1), np.zeros((4, 1)), [0, 1, 0, 1])
    assert scored == pytest.approx(score, abs=1e-15)


def test_a_share_that_is_just_reached_is_enough():
    for n in range(1, 60):
        for k in range(1, n + 1):
            says = np.where(np.arange(n) < k, 1, -1)
            assert selective_scorer(k / n)(Fixed(says, -1), np.zeros((n, 1)), np.ones(n)) == 1.0


def test_a_classifier_that_always_predicts_is_asked_where_it_is_surest():
    X, y = make_classification(300, flip_y=0.2, random_state=0)
    model = LogisticRegression().fit(X[:150], y[:150])
    sure = model.predict_proba(X[150:]).max(axis=1)
    right = model.predict(X[150:]) == y[150:]
    for share, k in ((0.1, 15), (0.5, 75), (1.0, 150)):
        by_hand = right[np.argsort(-sure)[:k]].mean()
        assert selective_scorer(share)(model, X[150:], y[150:]) == pytest.approx(by_hand)


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_the_scorer_chooses_in_a_grid_and_behind_a_pipeline(n_jobs):
    X, y = make_clean_partitions(600, random_state=0)
    forest = make_pipeline(StandardScaler(), PartialClassificationForest(30, random_state=0))
    grid = {"partialclassificationforest__min_samples_leaf": [2, 4, 200]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LowCoverageWarning)
        search = GridSearchCV(forest, grid, scoring=selective_scorer(0.1), n_jobs=n_jobs, cv=3).fit(X, y)
    scores = search.cv_results_["mean_test_score"]
    assert scores[2] == -1.0  # no partition is that large
    assert search.best_score_ == max(scores) > 0
    assert search.score(X, y) == selective_scorer(0.1)(search.best_estimator_, X, y)


@pytest.mark.parametrize("share", [0, 0.0, 1.5, -0.1, None, "half", True, float("nan")])
def test_a_coverage_that_is_no_share_is_refused(share):
    with pytest.raises(ValueError, match="^selective_scorer: coverage must be a number"):
        selective_scorer(share)
