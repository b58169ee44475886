"""Parameters are data: a constraint for each, checked before anything looks at the table; a sentence for each."""

import inspect
import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as Peer

from studylib.blend import BlendedForestClassifier
from studylib.core import parameters as of
from studylib.neighbors import KNeighborsClassifier
from studylib.rules import RuleClassifier
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, ThresholdCondition, TreePredictor
from tests.conventions.registry import ESTIMATORS, each, having, name_of, output, table

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

NUMBER, SHARE = "an integer from 1 to 1000000", "a number from 0 to 1"
MILLIONS = "an integer from 1 to 2147483647"
FEATURES = "an integer from 1 to the number of features or a share in (0, 1]"
COLUMNS = '"auto", "from_dtype", None, a mask, or indices or names of columns'
CRITERIA = "one of 'misclassification', 'information', 'gini', 'sqrt_gini', 'chi_square'"
WEIGHTS = "None, 'balanced' or a dict of class to weight"
JOBS = "None or an integer other than 0 (-1 takes all processors)"
SEED = "None, an integer from 0 to 4294967295 or a numpy.random.RandomState"
ASKED = "or a subclass of BinaryCondition with a classmethod candidates(values)"
GAMMAS = "'majority', 'laplace', 'confidence_bound', 'logistic', 'nearest_neighbor'"

#: What each parameter must be, in the words of its error.
MUST_BE = {
    "abstain_label": "'auto', a number, a string or None",
    "algorithm": "one of 'auto', 'kd_tree', 'ball_tree', 'brute'",
    "bootstrap": "True or False",
    "categorical_condition": f"one of 'membership', 'equality' {ASKED}",
    "categorical_features": COLUMNS,
    "class_weight": WEIGHTS,
    "compute_sensitivity": "True or False",
    "continuous_condition": f"one of 'threshold', 'equality' {ASKED}",
    "criterion": CRITERIA,
    "estimator": "a classifier or None",
    "extend": "True or False",
    "extension_gain": "a number >= 0",
    "features_per_plane": "an integer >= 1",
    "hyperplane": "one of 'box', 'centred', 'guided', 'canonical'",
    "laplace": "a number from 0 to 1e+09",
    "leaf_model": f"one of {GAMMAS}, a classifier, or a callable (X, y) -> (predictor, loss)",
    "max_depth": "an integer >= 0 or None",
    "max_features": f"None, 'sqrt', 'log2', 'ceil_sqrt', {FEATURES}",
    "max_itemsets": "an integer >= 1",
    "max_leaf_nodes": "an integer >= 1 or None",
    "max_len": "an integer from 1 to 1000",
    "max_loss": "a number >= 0",
    "max_nodes": "an integer >= 1 or None",
    "max_samples": f"None, {MILLIONS} or a positive share of the samples",
    "metric": "one of 'euclidean', 'manhattan', 'maximum', 'mahalanobis', 'full_mahalanobis'",
    "min_bucket_size": "an integer >= 1",
    "min_confidence": SHARE,
    "min_entropy": "a number >= 0",
    "min_impurity_decrease": "a number >= 0",
    "min_samples_leaf": "an integer >= 1",
    "min_samples_split": "an integer >= 1",
    "min_support": SHARE,
    "min_weight_fraction_leaf": "a number from 0 to 0.5",
    "n_candidates": NUMBER,
    "n_estimators": NUMBER,
    "n_jobs": JOBS,
    "n_neighbors": "an integer >= 1",
    "numeric": "one of 'threshold', 'categories', 'refuse'",
    "oob_score": "True or False",
    "random_state": SEED,
    "sensitivity_weight": "one of 'height', 'depth'",
    "small_leaves": "one of 'inactive', 'as_printed'",
    "source_compatible": "True or False",
    "standardize": "True or False",
    "stop": "None or a callable stop(counts, depth)",
    "voting": "one of 'soft', 'hard'",
    "warm_start": "True or False",
    "weighted_votes": "True or False",
    "weights": "one of 'inverse_square', 'uniform'",
    # Where the same name means something else:
    ("PartialClassificationForest", "voting"): "one of 'plurality', 'ignore_abstain', 'always'",
    ("GuidedRandomForestClassifier", "max_features"): f"'half', 'log2', 'sqrt', {FEATURES}",
    ("GuidedRandomForestClassifier", "min_samples_split"): "an integer >= 2",
    ("BlendedForestClassifier", "min_samples_split"): '"auto" or an integer >= 2',
    ("RandomForestClassifier", "min_samples_split"): '"auto" or an integer >= 1',
    ("RandomForestClassifier", "class_weight"): WEIGHTS.replace("'balanced'", "'balanced', 'balanced_subsample'"),
    ("MultiwayTreePredictor", "criterion"): f"{CRITERIA}, 'gain_ratio'",
}  # fmt: skip


class Untouchable:
    """A table that must not be looked at."""

    def __getattr__(self, name):
        raise AssertionError(f"{name} was asked for before the parameters were checked")

    __len__ = __iter__ = __array__ = __getattr__


#: Values that a constraint of each kind does not allow.
BAD = {
    of.Integer: lambda c: [
        *(c.low - 1, 2.5, "3", True, np.nan, [1]),
        *([] if c.high is None else [c.high + 1]),
        *([] if c.none_as is not None else [None]),
    ],
    of.Real: lambda c: [
        *(np.nextafter(c.low, -np.inf), "0.5", True, np.nan, None, 1j),
        *([] if c.high == np.inf else [np.nextafter(c.high, np.inf)]),
    ],
    of.Choice: lambda c: ["no such choice", None, 0, b"x"],
    of.Boolean: lambda c: [0, 1, "True", None, []],
    of.Jobs: lambda c: [0, 1.0, "all", True, 10**6],
    of.RandomState: lambda c: [-1, 2**32, "seed", 1.5],
    of.MaxFeatures: lambda c: [0, -1, 0.0, 1.5, True, "cube", np.nan],
    of.ClassWeight: lambda c: ["even", 1, [1, 2], True],
}


def bad_values():
    """Every parameter of these kinds, alone or beside a callable or "auto", and what it must not be."""
    for estimator in ESTIMATORS:
        for name, constraint in type(estimator)._constraints.items():
            inner = getattr(constraint, "constraint", constraint)
            if type(inner) in BAD:
                values = BAD[type(inner)](inner)
                yield pytest.param(estimator, name, values, id=f"{name_of(estimator)}-{name}")


def refused(estimator, name, value):
    """The error of a fit with one bad parameter, and a table that must not be touched."""
    with pytest.raises(ValueError, match=rf"^{name_of(estimator)}: {name} must be [^\n]*\.$") as caught:
        clone(estimator).set_params(**{name: value}).fit(Untouchable(), Untouchable())
    assert "got " in str(caught.value)
    return str(caught.value)


@each(ESTIMATORS)
def test_every_parameter_has_a_constraint_in_the_order_of_the_signature(estimator):
    assert list(type(estimator)._constraints) == list(inspect.signature(type(estimator)).parameters)


@each(ESTIMATORS)
def test_defaults_satisfy_their_constraints(estimator):
    clone(estimator)._checked()
    type(estimator)()._checked()


@each(ESTIMATORS)
def test_the_first_bad_parameter_is_refused_in_one_sentence_that_says_what_it_must_be(estimator):
    names = list(inspect.signature(type(estimator)).parameters)
    bad = clone(estimator).set_params(**{name: [{"no": "value"}] for name in names})
    for name in names:
        given = "[{'no': 'value'}]"
        if name == "categorical_features":  # a list may be one of names
            bad.set_params(categorical_features="colours")
            given = "'colours'"
        must = MUST_BE.get((name_of(estimator), name), MUST_BE[name])
        with pytest.raises(ValueError, match=".") as caught:
            bad.fit(Untouchable(), Untouchable())
        assert str(caught.value) == f"{name_of(estimator)}: {name} must be {must}, got {given}."
        bad.set_params(**{name: estimator.get_params()[name]})


@each(ESTIMATORS)
def test_errors_name_the_subclass(estimator):
    oak = type("Oak", (type(estimator),), {})(**estimator.get_params(deep=False))
    first = next(iter(type(oak)._constraints))
    X, y = table()
    for model, *data in (
        (clone(oak).set_params(**{first: ()}), X, y),
        (oak, np.full_like(X, np.inf), y),
        (oak, X, None),
    ):
        with pytest.raises(ValueError, match="^Oak: "):
            model.fit(*data)


@pytest.mark.parametrize(("estimator", "name", "values"), list(bad_values()))
def test_values_of_another_kind_or_beyond_the_bounds_are_refused(estimator, name, values):
    for value in values:
        refused(estimator, name, value)


@each(having("max_features"))
def test_more_features_than_there_are_are_refused(estimator):
    says = f"^{name_of(estimator)}: max_features must be .* from 1 to 7 .*, got 8"
    with pytest.raises(ValueError, match=says):
        clone(estimator).set_params(max_features=8).fit(*table())


@each(having("max_features"))
@pytest.mark.parametrize(("value", "number"), [("sqrt", 2), ("log2", 2), (0.5, 3), (0.999, 6), (0.01, 1)])
def test_max_features_is_rounded_down_and_at_least_one(estimator, value, number):
    X, y = table()  # seven features

    def shares(max_features):
        return clone(estimator).set_params(max_features=max_features).fit(X, y).predict_proba(X).tobytes()

    assert shares(value) == shares(number)


#: Values that are refused for another reason than those above, and what is said.
REFUSED = [
    (TreePredictor, {"criterion": "gain"}, f"criterion must be {CRITERIA}, got 'gain'"),
    (RandomForestClassifier, {"criterion": len}, f"criterion must be {CRITERIA}, got <built-in"),
    (TreePredictor, {"stop": "deep"}, "stop must be None or a callable stop(counts, depth), got 'deep'"),
    (TreePredictor, {"continuous_condition": ThresholdCondition}, f"continuous_condition must be one of 'threshold', 'equality' {ASKED}, got <class"),
    (RandomForestClassifier, {"oob_score": True, "bootstrap": False}, "oob_score=True needs samples out of bag, so bootstrap must be True."),
    (RandomForestClassifier, {"weighted_votes": True, "bootstrap": False}, "weighted_votes=True needs samples out of bag, so bootstrap must be True."),
    (RandomForestClassifier, {"min_samples_split": "auto", "bootstrap": False}, 'min_samples_split="auto" needs samples out of bag, so bootstrap must be True.'),
    (AdaBoostClassifier, {"estimator": GaussianNB}, "estimator must be a classifier or None, got <class"),
    (AdaBoostClassifier, {"estimator": LinearRegression()}, "estimator must be a classifier or None, got LinearRegression()"),
    (AdaBoostClassifier, {"estimator": KMeans()}, "estimator must be a classifier or None, got KMeans()"),
    (AdaBoostClassifier, {"estimator": Peer()}, "estimator must be a classifier whose fit takes sample_weight, got KNeighborsClassifier()"),
    (KNeighborsClassifier, {"n_neighbors": 121}, "n_neighbors must be at most n_samples = 120, got 121."),
    (RuleClassifier, {"min_support": 0.0}, "min_support must be greater than 0, got 0.0."),
    (BlendedForestClassifier, {"categorical_features": 2}, f"categorical_features must be {COLUMNS}, got 2."),
    (BlendedForestClassifier, {"categorical_features": ["colours"]}, "has the name 'colours', which is no column of X"),
    (BlendedForestClassifier, {"categorical_features": [9]}, "got 9 in it; X has 7 columns"),
    (BlendedForestClassifier, {"categorical_features": [True, False]}, "is a mask of 2 entries, but X has 7 columns"),
    (BlendedForestClassifier, {"categorical_features": [1.5]}, "got 1.5 in it"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "parameters", "says"), REFUSED, ids=[f"{k.__name__}-{p}" for k, p, _ in REFUSED]
)
def test_what_else_is_refused_in_one_sentence(kind, parameters, says):
    with pytest.raises(ValueError, match=rf"^{kind.__name__}: [^\n]*{re.escape(says)}[^\n]*$"):
        kind(**parameters).fit(pd.DataFrame(table()[0]), table()[1])


# Numbers of other types, and of any size


@each(ESTIMATORS)
def test_numpys_numbers_are_as_good_as_pythons(estimator):
    def answers(change):
        parameters = estimator.get_params(deep=False)
        changed = {
            name: change(value) for name, value in parameters.items() if type(value) in (int, float, bool)
        }
        return output(clone(estimator).set_params(**changed).fit(*table()), table()[0]).tobytes()

    numpys = {int: np.int64, float: np.float64, bool: np.bool_}
    assert answers(lambda value: numpys[type(value)](value)) == answers(lambda value: value)


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        pytest.param(e, name, id=f"{name_of(e)}-{name}")
        for name in ("max_depth", "max_leaf_nodes", "max_nodes")
        for e in having(name)
    ],
)
def test_a_limit_beyond_any_tree_is_none(estimator, name):
    X, y = table()
    expected = clone(estimator).set_params(**{name: None}).fit(X, y).predict_proba(X).tobytes()
    for limit in (2**30, 2**31, sys.maxsize, 10**30):
        fitted = clone(estimator).set_params(**{name: limit}).fit(X, y)
        assert fitted.predict_proba(X).tobytes() == expected


@each(ESTIMATORS)
def test_a_parameter_of_hundreds_of_digits_is_a_limit_or_refused_in_one_line(estimator):
    for name in estimator.get_params(deep=False):
        for value in (10**400, -(10**400), 10**5000):
            message = ""
            try:
                clone(estimator).set_params(**{name: value}).fit(*table(30, 3))
            except ValueError as error:
                message = str(error)
            assert not message or re.search(rf"\b{name}\b.*, got [^\n]*\.$", message), message
