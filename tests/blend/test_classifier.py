"""BlendedForestClassifier: scikit-learn's conventions, its shares, what is missing, categories, errors."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import cross_val_score

from studylib.blend import BlendedForestClassifier, classifier
from studylib.core.forest import grow_trees
from tests.estimator_checks import parametrize_with_checks
from tests.graf.support import blobs


def bootstraps(estimator):
    return {"check_sample_weight_equivalence_on_dense_data": "weights are chances: the draws are others"}


@parametrize_with_checks(
    [BlendedForestClassifier(5), BlendedForestClassifier(4, n_jobs=2)],
    expected_failed_checks=bootstraps,
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    ("load", "least"), [(load_wine, 0.96), (load_breast_cancer, 0.95), (load_digits, 0.94)]
)
def test_it_learns(load, least):
    X, y = load(return_X_y=True)
    assert cross_val_score(BlendedForestClassifier(60, random_state=0), X, y, cv=4).mean() > least


@pytest.mark.parametrize("m", ["auto", 2])
def test_the_family_that_suits_the_data_gets_more_trees(m):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(800, 8))
    y = (X.sum(axis=1) > 0.3).astype(int)
    across = BlendedForestClassifier(40, min_samples_split=m, random_state=0).fit(X, y)
    assert across.family_weights_["oblique"] > 0.9
    X[(y == 1) & (rng.random(800) < 0.9), 2] = np.nan  # which is nothing but a mean to the oblique ones
    along = BlendedForestClassifier(40, min_samples_split=m, random_state=0).fit(X[:, [2]], y)
    assert along.family_weights_["axis"] > (0.6 if m == "auto" else 0.7)  # larger leaves make up for a part
    for forest in (along, across):
        assert sum(forest.family_weights_.values()) == pytest.approx(1.0)
        for name, weight in forest.family_weights_.items():
            assert abs(forest.tree_families_.count(name) - 40 * weight) < 1
        assert len(forest) == len(forest.trees_) == len(forest.tree_families_) == 40


def test_the_families_take_turns():
    X, y = blobs(200, 5, 3)
    forest = BlendedForestClassifier(50, random_state=1).fit(X, y)
    weight = forest.family_weights_["axis"]
    assert 0.1 < weight < 0.9
    for k in range(1, 51):
        assert abs(forest.tree_families_[:k].count("axis") - k * weight) < 1


def test_methods_agree_with_each_other():
    X, y = blobs(250, 6, 3, flips=0.2)
    X[::7] = X[0]  # leaves of several classes
    names = np.array(["c", "a", "b"])[y]
    forest = BlendedForestClassifier(12, random_state=3).fit(X, names)
    probes = np.vstack([blobs(100, 6, 3, seed=2)[0], X[:20]])
    shares = forest.predict_proba(probes)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (forest.predict(probes) == forest.classes_[shares.argmax(axis=1)]).all()
    staged = list(forest.staged_predict(probes))
    assert len(staged) == 12
    assert (staged[-1] == forest.predict(probes)).all()
    votes = forest.tree_predict(probes)
    assert (votes.shape, forest.apply(probes).shape) == ((12, 120), (120, 12))
    leaves, trained = forest.apply(probes), forest.apply(X)
    by_hand = np.zeros((120, 3))
    labels = np.searchsorted(forest.classes_, names)
    for t, family in enumerate(forest.tree_families_):
        if family == "axis":
            continue  # its own rows are a bootstrap sample
        for i, leaf in enumerate(leaves[:, t]):
            counts = np.bincount(labels[trained[:, t] == leaf], minlength=3)
            by_hand[i] += counts / counts.sum()
            assert votes[t, i] == counts.argmax()
    forest.estimators_ = [
        tree for tree, family in zip(forest.trees_, forest.tree_families_, strict=True) if family != "axis"
    ]
    forest._family_of = [0] * len(forest.trees_)
    np.testing.assert_allclose(forest.predict_proba(probes), by_hand / len(forest.trees_))


def test_results_do_not_depend_on_the_number_of_threads():
    X, y = blobs(400, 6, 4)
    X[::9, 2] = np.nan
    first, *others = [
        BlendedForestClassifier(30, n_jobs=n_jobs, random_state=5).fit(X, y) for n_jobs in (None, 2, 3)
    ]
    for other in others:
        assert other.family_weights_ == first.family_weights_
        assert other.predict_proba(X).tolist() == first.predict_proba(X).tolist()
        assert other.apply(X).tolist() == first.apply(X).tolist()


def test_the_families_never_grow_at_the_same_time(monkeypatch):
    """Within joblib.parallel_config both would share a pool of threads, which the first to end takes down."""
    growing = []

    def watched(*words):
        growing.append(None)
        assert len(growing) == 1, "another family is growing"
        yield from grow_trees(*words)
        growing.pop()

    monkeypatch.setattr(classifier, "grow_trees", watched)
    BlendedForestClassifier(6, random_state=0).fit(*blobs())
    assert not growing


def test_it_survives_cloning_and_pickling():
    X, y = blobs()
    forest = BlendedForestClassifier(6, random_state=0).fit(X, y)
    again = pickle.loads(pickle.dumps(forest))
    assert again.predict_proba(X).tolist() == forest.predict_proba(X).tolist()
    assert clone(forest).fit(X, y).predict_proba(X).tolist() == forest.predict_proba(X).tolist()


def test_the_representation_says_how_many_trees_of_each_family_there_are():
    X, y = blobs(100, 3, 2)
    forest = BlendedForestClassifier(10, random_state=0)
    assert repr(forest) == "BlendedForestClassifier(n_estimators=10, random_state=0)"
    forest.fit(X, y)
    n = forest.tree_families_.count("oblique")
    assert repr(forest).endswith(f"  # trees: {n} oblique, {10 - n} axis")


def test_missing_values_tell_something():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(800, 4))
    y = rng.integers(0, 2, 800)
    X[(y == 1) & (rng.random(800) < 0.9), 2] = np.nan
    forest = BlendedForestClassifier(40, random_state=0).fit(X[:400], y[:400])
    assert forest.score(X[400:], y[400:]) > 0.9


def test_missing_values_that_were_not_there_in_training():
    X, y = blobs(400, 6, 2, flips=0.0)
    forest = BlendedForestClassifier(40, random_state=0).fit(X[:300], y[:300])
    probes = X[300:].copy()
    probes[::2, 0] = np.nan
    assert forest.score(probes, y[300:]) > forest.score(X[300:], y[300:]) - 0.15


def test_columns_that_are_missing_altogether_change_nothing_much():
    X, y = blobs(300, 4, 3, flips=0.0)
    forest = BlendedForestClassifier(30, random_state=0).fit(np.column_stack([X, np.full(300, np.nan)]), y)
    assert forest.score(np.column_stack([X, np.full(300, np.nan)]), y) > 0.98


def frame(n=500, seed=0):
    rng = np.random.default_rng(seed)
    colour = rng.choice(["red", "green", "blue", "grey"], n)
    size = rng.choice([3, 5, 900], n)
    X = pd.DataFrame({"width": rng.normal(size=n), "colour": colour, "size": size})
    return X, np.where((colour == "green") ^ (size == 5), "yes", "no")


@pytest.mark.parametrize(
    "wanted",
    [
        ["colour", "size"],
        [1, 2],
        [-2, -1],
        [False, True, True],
        np.array([1, 2]),
        pd.Index(["colour", "size"]),
    ],
)
def test_categories_may_be_named_in_several_ways(wanted):
    X, y = frame()
    forest = BlendedForestClassifier(20, categorical_features=wanted, random_state=0).fit(X[:300], y[:300])
    assert forest.score(X[300:], y[300:]) > 0.98
    assert forest.feature_names_in_.tolist() == ["width", "colour", "size"]


def test_categories_by_their_types():
    X, y = frame()
    X["size"] = X["size"].astype("category")
    forest = BlendedForestClassifier(20, random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.98
    plain, _ = blobs(100, 3, 2)
    assert BlendedForestClassifier(3, categorical_features="from_dtype").fit(plain, _).n_features_in_ == 3


def test_categories_of_an_array_are_those_of_a_frame():
    X, y = frame()
    parameters = {"categorical_features": [1, 2], "random_state": 0}
    of_frame = BlendedForestClassifier(10, **parameters).fit(X, y)
    of_array = BlendedForestClassifier(10, **parameters).fit(X.to_numpy(dtype=object), y)
    of_lists = BlendedForestClassifier(10, **parameters).fit(X.to_numpy(dtype=object).tolist(), y)
    expected = of_frame.predict_proba(X).tolist()
    assert of_array.predict_proba(X.to_numpy(dtype=object)).tolist() == expected
    assert of_lists.predict_proba(X.to_numpy(dtype=object).tolist()).tolist() == expected


def test_codes_of_categories_carry_no_order():
    """The same categories under other names: the same forest but for the order of equally good cuts."""
    X, y = frame()
    other = X.assign(colour=X["colour"].map({"red": "a", "green": "b", "blue": "c", "grey": "d"}))
    for table in (X, other):
        forest = BlendedForestClassifier(30, categorical_features=["colour", "size"], random_state=0)
        assert forest.fit(table[:300], y[:300]).score(table[300:], y[300:]) > 0.98


def test_a_missing_category_is_a_category_and_an_unknown_one_is_none():
    X, y = frame()
    X.loc[X["colour"] == "green", "colour"] = None
    forest = BlendedForestClassifier(20, categorical_features=["colour", "size"], random_state=0).fit(X, y)
    assert forest.score(X, y) > 0.98
    new = X.assign(colour="violet", size=7)
    shares = forest.predict_proba(new)
    assert np.isfinite(shares).all()
    assert (shares.argmax(axis=1) == 0).mean() > 0.9  # neither green nor of size 5


def test_numbers_of_many_values_are_cut_as_finely_as_there_are_intervals():
    X = np.r_[np.zeros(3000), np.arange(1.0, 1001.0)][:, None]
    y = (X[:, 0] > 500).astype(int)
    assert BlendedForestClassifier(20, random_state=0).fit(X, y).score(X, y) > 0.995


@pytest.mark.parametrize("wanted", [{"n_estimators": 0}, {"class_weight": "even"}, {"random_state": "0"}])
def test_parameters_are_checked_before_the_data(wanted):
    [name] = wanted
    with pytest.raises(ValueError, match=f"^BlendedForestClassifier: {name} must be "):
        BlendedForestClassifier(**wanted).fit("no table", None)


@pytest.mark.parametrize(
    ("X", "y"), [([[1.0], [2.0]], ["a", "a"]), ([[1.0, 2.0]], [3]), ([[5.0]] * 6, [0, 1] * 3)]
)
def test_nothing_to_learn(X, y):
    forest = BlendedForestClassifier(4, random_state=0).fit(X, y)
    assert set(forest.predict(X)) in [{label} for label in y]


def test_a_class_of_one_sample():
    X, y = blobs(60, 3, 2)
    y[0] = 5
    assert 5 in BlendedForestClassifier(5, random_state=0).fit(X, y).classes_


def test_numbers_of_any_size():
    X, y = blobs(120, 4, 3, flips=0.0)
    for factor in (1e300, 1e-300):
        assert BlendedForestClassifier(10, random_state=0).fit(factor * X, y).score(factor * X, y) > 0.98


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ("colours", 'categorical_features must be "auto", "from_dtype", None, a mask'),
        (["colours"], "has the name 'colours', which is no column of X"),
        ([5], "got 5 in it; X has 3 columns"),
        ([True, False], "is a mask of 2 entries, but X has 3 columns"),
        (2, 'categorical_features must be "auto", "from_dtype", None, a mask'),
        ([1.5], "got 1.5 in it"),
    ],
)
def test_categories_that_are_not_there(wanted, message):
    X, y = frame(20)
    with pytest.raises(ValueError, match="BlendedForestClassifier: ") as error:
        BlendedForestClassifier(3, categorical_features=wanted).fit(X, y)
    assert message in str(error.value)


def test_text_in_a_column_of_numbers():
    X, y = frame(20)
    with pytest.raises(
        ValueError, match=r"column 'colour' holds text such as '\w+'; name it in categorical_feat"
    ):
        BlendedForestClassifier(3, categorical_features=None).fit(X, y)
    forest = BlendedForestClassifier(3, categorical_features=["colour"]).fit(X, y)
    with pytest.raises(ValueError, match="column 'width' holds text such as 'wide'"):
        forest.predict(X.assign(width="wide"))


def test_too_many_categories():
    X = pd.DataFrame({"name": [f"n{i}" for i in range(255)]})
    with pytest.raises(ValueError, match="column 'name' has 255 categories"):
        BlendedForestClassifier(3, categorical_features=["name"]).fit(X, np.arange(255) % 2)
    X = X[:254]
    BlendedForestClassifier(3, categorical_features=["name"]).fit(X, np.arange(254) % 2).predict(X)


def test_infinity_is_refused():
    with pytest.raises(ValueError, match="column 0 holds infinity"):
        BlendedForestClassifier(3).fit([[np.inf], [1.0]], [0, 1])


@pytest.mark.skipif(np.finfo(np.longdouble).max == np.finfo(float).max, reason="no longer floats here")
def test_categories_beyond_all_floats_warn_of_nothing():
    X = pd.DataFrame({"a": np.array([np.longdouble("1e400"), 1, 2, 3]), "b": [0.0, 1.0, 2.0, 3.0]})
    forest = BlendedForestClassifier(3, categorical_features=["a"], random_state=0).fit(X, [0, 1, 0, 1])
    assert np.isfinite(forest.predict_proba(X)).all()
