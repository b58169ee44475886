"""scikit-learn's conventions, what the methods say of each other, and errors."""

import numpy as np
from sklearn.datasets import load_iris

from studylib.graf import GuidedRandomForestClassifier
from tests.estimator_checks import parametrize_with_checks
from tests.graf.support import blobs


@parametrize_with_checks(
    [
        GuidedRandomForestClassifier(10),
        GuidedRandomForestClassifier(7, min_samples_split=5, max_features="log2", n_jobs=2),
        GuidedRandomForestClassifier(7, hyperplane="centred", extend=False, standardize=False),
        GuidedRandomForestClassifier(7, hyperplane="guided", extension_gain=0.5, compute_sensitivity=True),
        GuidedRandomForestClassifier(7, hyperplane="guided", min_samples_split=8, features_per_plane=1),
        GuidedRandomForestClassifier(9, bootstrap=True, oob_score=True, class_weight="balanced"),
    ],
    expected_failed_checks=lambda estimator: {
        "check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"
    },
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


def test_results_depend_on_the_origin_only_without_standardisation():
    X, y = load_iris(return_X_y=True)
    X = np.round(X * 8)  # sums of small whole numbers are exact, so that a shift leaves the same bits
    for standardize in (True, False):
        forest = GuidedRandomForestClassifier(8, standardize=standardize, random_state=0)
        here = forest.fit(X, y).apply(X)
        shifted = forest.fit(X + 2048, y).apply(X + 2048)
        assert (here == shifted).mean() > 0.99 if standardize else (here == shifted).mean() < 0.9


def test_scaling_by_a_power_of_two_changes_no_bit():
    X, y = blobs()
    forest = GuidedRandomForestClassifier(8, random_state=0)
    here = forest.fit(X, y).decision_function(X)
    for factor in (2.0**40, 2.0**-40, 2.0**900):
        np.testing.assert_array_equal(forest.fit(factor * X, y).decision_function(factor * X), here)


def test_sensitivity_is_there_on_request_only():
    X, y = blobs(150)
    forest = GuidedRandomForestClassifier(5, compute_sensitivity=True, random_state=0).fit(X, y)
    assert forest.sensitivity_.shape == (150,)
    assert not hasattr(forest.set_params(compute_sensitivity=False).fit(X, y), "sensitivity_")
