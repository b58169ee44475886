"""One frame for all classifiers: numbers, Booleans, text and categories, and what is said of columns in doubt."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone, is_classifier

from studylib.blend import BlendedForestClassifier
from studylib.core.columns import doubt
from studylib.graf import GuidedRandomForestClassifier
from studylib.rules import OneRClassifier
from studylib.trees import AdaBoostClassifier, MultiwayTreePredictor, RandomForestClassifier, TreePredictor
from tests.conventions.registry import ESTIMATORS, TAKES_TEXT, each, mixed, name_of, output

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

TEXT = [e for e in ESTIMATORS if isinstance(e, TAKES_TEXT)]
NUMBERS_ONLY = [e for e in ESTIMATORS if not isinstance(e, TAKES_TEXT)]


MAKERS = {
    "pandas": lambda X: X,
    "polars": lambda X: pl.DataFrame({c: X[c].astype(object).tolist() for c in X}),
    "Arrow": lambda X: pa.table({c: pa.array(X[c].astype(object).tolist()) for c in X}),
    "array": lambda X: X.to_numpy(dtype=object),
    "lists": lambda X: X.to_numpy(dtype=object).tolist(),
}


@each(TEXT)
@pytest.mark.parametrize("maker", MAKERS)
def test_the_same_frame_works_in_every_classifier_without_a_word(estimator, maker):
    X, y = mixed()
    fitted = clone(estimator).fit(MAKERS[maker](X), y)
    assert len(output(fitted, MAKERS[maker](X))) == len(X)
    if is_classifier(estimator):
        assert fitted.score(MAKERS[maker](X), y) > 0.6


@each(NUMBERS_ONLY)
def test_what_measures_distances_refuses_text_in_a_sentence(estimator):
    with pytest.raises(
        ValueError, match=rf"^{name_of(estimator)}: column 'city' holds text such as [^\n]*\.$"
    ):
        clone(estimator).fit(*mixed())


def test_no_estimator_has_another_policy():
    """Those that have the parameter have the default of those that have none."""
    for estimator in ESTIMATORS:
        parameter = inspect.signature(type(estimator)).parameters.get("categorical_features")
        assert parameter is None or parameter.default == "auto", name_of(estimator)


@each([e for e in TEXT if "categorical_features" in e.get_params()])
def test_from_dtype_means_declared_categories_as_in_scikit_learn(estimator):
    X, y = mixed()
    by_dtype = clone(estimator).set_params(categorical_features="from_dtype")
    with pytest.raises(
        ValueError, match="column 'city' holds text such as '.*'; name it in categorical_feat"
    ):
        by_dtype.fit(X, y)
    declared = X.astype({"city": "category"})
    expected = clone(estimator).fit(X, y).predict_proba(X)
    assert by_dtype.fit(declared, y).predict_proba(declared).tobytes() == expected.tobytes()
    with pytest.raises(ValueError, match="column 'city' holds categories such as '.*'; name it in"):
        by_dtype.set_params(categorical_features=None).fit(declared, y)


# Guided forests on categories


@pytest.mark.parametrize("hyperplane", ["box", "centred", "guided", "canonical"])
@pytest.mark.parametrize("standardize", [True, False])
def test_a_guided_forest_sees_categories_as_indicators(hyperplane, standardize):
    X, y = mixed()
    written_out = np.column_stack(
        [X["age"], *(X["city"] == city for city in ("Bern", "Oslo", "Rome")), X["smoker"], X["size"] == "s"]
    ).astype(float)
    parameters = {"hyperplane": hyperplane, "standardize": standardize, "random_state": 0}
    ours = GuidedRandomForestClassifier(6, oob_score=True, bootstrap=True, **parameters).fit(X, y)
    theirs = clone(ours).fit(written_out, y)
    for method in ("predict_proba", "decision_function", "apply", "scale"):
        assert getattr(ours, method)(X).tobytes() == getattr(theirs, method)(written_out).tobytes()
    assert ours.oob_decision_function_.tobytes() == theirs.oob_decision_function_.tobytes()
    shares = theirs.feature_importances_
    np.testing.assert_allclose(
        ours.feature_importances_, [shares[0], shares[1:4].sum(), shares[4], shares[5]], atol=1e-15
    )
    new = X.assign(city="Cork")
    unknown = written_out.copy()
    unknown[:, 1:4] = 0.0
    assert ours.predict_proba(new).tobytes() == theirs.predict_proba(unknown).tobytes()
    tree = ours.estimators_[0]
    assert tree.predict(X).tolist() == ours.classes_[ours.tree_predict(X)[0]].tolist()
    assert "city = " in tree.to_dot()


def test_a_tree_that_asks_for_a_category_has_no_arrays():
    X, y = mixed()
    forest = GuidedRandomForestClassifier(3, max_features=1, random_state=0).fit(X[["city"]], y)
    with pytest.raises(ValueError, match=r"^Tree: to_arrays .* asks for \[city = \w+\]; see to_dot\.$"):
        forest[0].to_arrays()


def test_a_guided_forest_takes_nothing_missing():
    X, y = mixed()
    X.loc[3, "city"] = None
    with pytest.raises(ValueError, match="column 'city' holds missing values .*first in row 3; fill them in"):
        GuidedRandomForestClassifier(3).fit(X, y)


@each([GuidedRandomForestClassifier(3), BlendedForestClassifier(3)])
def test_a_column_of_too_many_categories_is_refused(estimator):
    X = pd.DataFrame({"name": pd.Categorical([f"n{i}" for i in range(255)])})
    with pytest.raises(ValueError, match="column 'name' has 255 categories, and .* at most 254; group the"):
        clone(estimator).fit(X, np.arange(255) % 2)
    clone(estimator).fit(X[:254], np.arange(254) % 2).predict(X)


# Text in doubt

DOUBTFUL = {
    "numbers": ["1.374,12", "0,5", "-3", "1e-3", "12%", "1 000", ".5", "+7"],
    "money": ["18,79 €", "$1,200", "5 EUR", "CHF 3.20", "£ 7"],
    "dates or times": ["30.04.2021", "2021-4-3", "1/2/21", "12:30", "2021-04-03T10:00", "3 March 2021", "May 3, 2021"],
}  # fmt: skip
FINE = ["Rome", "a1", "007", "1234567890123456", "B-12", "1st", "n", "", "A 4", "1-2", "12 kg", "10.0.0.1", "3+"]  # fmt: skip


def test_text_that_looks_like_numbers_money_or_dates_is_doubted():
    for kind, texts in DOUBTFUL.items():
        for text in texts:
            words = doubt(np.array([text], object), 8)
            assert words == f"looks like {kind}, such as {text!r}", text
        assert doubt(np.array([*texts, "a", "b"], object), 100) is None
    for text in FINE:
        assert doubt(np.array([text], object), 8) is None, text
    assert doubt(np.array([f"n{i}" for i in range(30)], object), 30).startswith("has another text in nearly")
    assert doubt(np.array([f"n{i}" for i in range(12)], object), 12) is None  # of a few rows
    assert doubt(np.array([1, 2.5, True], object), 3) is None


def doubtful():
    X, y = mixed()
    rng = np.random.default_rng(1)
    return X.assign(price=[f"{k},50 €" for k in rng.integers(1, 20, 60)], id=[f"a{k}" for k in range(60)]), y


@each(TEXT)
def test_doubts_are_said_once_at_the_line_of_the_user(estimator):
    X, y = doubtful()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fitted, line = clone(estimator).fit(X, y), inspect.currentframe().f_lineno
        output(fitted, X)
    [warning] = caught
    assert (warning.filename, warning.lineno, warning.category) == (__file__, line, UserWarning)
    assert re.fullmatch(
        rf"{name_of(estimator)}: text is read as categories, but column 'price' looks like money, such as "
        r"'\d+,50 €', and column 'id' has another text in nearly every row, such as 'a0'; make numbers [^\n]*\.",
        str(warning.message),
    )
    declared = X.astype({"price": "category", "id": "category"})
    clone(estimator).fit(declared, y)  # without a warning


@each([e for e in TEXT if "categorical_features" in e.get_params()])
def test_who_names_a_column_has_no_doubts(estimator):
    X, y = doubtful()
    clone(estimator).set_params(categorical_features=["city", "size", "price", "id"]).fit(X, y)


@each(ESTIMATORS)
def test_every_warning_of_names_is_at_the_line_of_the_user(estimator):
    X, y = mixed()
    X = X[["age", "smoker"]].astype(float)
    fitted = clone(estimator).fit(X, y)
    rows = X.to_numpy()
    of_tables = (
        "predict",
        "predict_proba",
        "transform",
        "apply",
        "decision_function",
        "kneighbors",
        "decide",
    )
    for name in of_tables:
        if hasattr(fitted, name):
            with pytest.warns(UserWarning, match="X has no feature names") as caught:
                getattr(fitted, name)(rows)
            line = inspect.currentframe().f_lineno - 1
            [warning] = caught
            assert (warning.filename, warning.lineno) == (__file__, line), name
    for tree in getattr(fitted, "estimators_", [])[:1]:
        with pytest.warns(UserWarning, match="X has no feature names") as caught:
            tree.predict(rows)
        assert caught[0].filename == __file__


# A single row


@each(ESTIMATORS)
def test_a_row_that_is_no_table_is_refused_with_what_to_write(estimator):
    X, y = mixed()
    X = X if isinstance(estimator, TAKES_TEXT) else X[["age", "smoker"]]
    fitted = clone(estimator).fit(X, y)
    methods = [m for m in ("predict", "predict_proba", "transform") if hasattr(fitted, m)]
    for method in methods:
        with pytest.raises(
            ValueError, match=rf"^{name_of(estimator)}: X is a Series.*X\.iloc\[\[0\]\].*to_frame"
        ):
            getattr(fitted, method)(X.iloc[0])
        for row in (X.iloc[0].tolist(), X.iloc[0].to_numpy(), np.array(X.iloc[0].tolist(), object)):
            with pytest.raises(
                ValueError, match=rf"^{name_of(estimator)}: Expected 2D.*Reshape your data: .*\."
            ):
                getattr(fitted, method)(row)
        assert (
            len(getattr(fitted, method)(X.iloc[[0]]))
            == len(getattr(fitted, method)(X.iloc[0].to_frame().T))
            == 1
        )
    if hasattr(fitted, "explain"):
        assert fitted.explain(X.iloc[0]) == fitted.explain(X.iloc[[0]])


# Entries under a mask


@each(ESTIMATORS)
def test_entries_under_a_mask_are_missing(estimator):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.where(X[:, 0] > 0, "a", "b")
    masked = np.ma.masked_array(X, mask=rng.random(X.shape) < 0.2)
    masked.data[masked.mask] = 999.0
    gaps = np.where(masked.mask, np.nan, X)
    if not estimator.__sklearn_tags__().input_tags.allow_nan:
        with pytest.raises(
            ValueError, match=rf"^{name_of(estimator)}: column . holds missing values \(NaN\)"
        ):
            clone(estimator).fit(masked, y)
    else:
        ours, theirs = (clone(estimator).fit(table, y) for table in (masked, gaps))
        np.testing.assert_array_equal(output(ours, masked), output(theirs, gaps))
    nothing = np.ma.masked_array(X, mask=False)
    np.testing.assert_array_equal(
        output(clone(estimator).fit(nothing, y), X), output(clone(estimator).fit(X, y), X)
    )
    with pytest.raises(ValueError, match="y contains missing labels"):
        clone(estimator).fit(X, np.ma.masked_array(y, mask=np.arange(60) < 1))


# Samples of weight 0


@each([TreePredictor(), MultiwayTreePredictor(), RandomForestClassifier(3, random_state=0), AdaBoostClassifier(3),
       BlendedForestClassifier(3, random_state=0), GuidedRandomForestClassifier(3, random_state=0), OneRClassifier()])  # fmt: skip
def test_a_category_that_only_samples_of_weight_0_have_is_as_if_it_were_not_there(estimator):
    X = pd.DataFrame({"city": [*"abab" * 6, "z", "z"], "size": [*range(8)] * 3 + [0, 1]})
    y = np.array([0, 1] * 12 + [1, 1])
    weight = np.where(X["city"] == "z", 0.0, np.arange(26) % 3 + 1.0)
    fitted = clone(estimator).fit(X, y, sample_weight=weight)
    reader = next(
        getattr(fitted, name) for name in ("_columns", "_table", "_reader", "_space") if hasattr(fitted, name)
    )
    assert getattr(reader, "_reader", reader).categories[0].tolist() == ["a", "b"]
    if not isinstance(estimator, FORESTS_THAT_DRAW):
        expected = clone(estimator).fit(X[:24], y[:24], sample_weight=weight[:24])
        assert fitted.predict_proba(X).tobytes() == expected.predict_proba(X).tobytes()


FORESTS_THAT_DRAW = (RandomForestClassifier, GuidedRandomForestClassifier)


def test_a_gap_that_only_samples_of_weight_0_have_is_forgotten():
    X = pd.DataFrame({"city": ["a", "b"] * 6 + [None], "size": [*range(12), np.nan]})
    y, weight = np.array([0, 1] * 6 + [1]), np.r_[np.ones(12), 0.0]
    tree = TreePredictor().fit(X, y, sample_weight=weight)
    assert tree._columns.has_missing.tolist() == [False, False]
    assert tree.to_text() == TreePredictor().fit(X[:12], y[:12]).to_text()


@given(st.integers(0, 2**31 - 1), st.sampled_from([0.1, 0.5, 2.0, 7.3, 1e-200]), st.integers(1, 7))
@settings(max_examples=40, deadline=None)
def test_equal_weights_are_as_none_to_1_r(seed, constant, least):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"size": rng.integers(0, 9, 40), "city": rng.choice(["a", "b", "c"], 40)})
    y = rng.integers(0, 3, 40)
    ours = OneRClassifier(least).fit(X, y, sample_weight=np.full(40, constant))
    theirs = OneRClassifier(least).fit(X, y)
    pd.testing.assert_frame_equal(ours.table_, theirs.table_)
    assert ours.rule_ == theirs.rule_
    assert ours.predict_proba(X).tobytes() == theirs.predict_proba(X).tobytes()
