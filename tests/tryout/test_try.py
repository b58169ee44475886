"""``studylib try``: the comparison and its conclusion."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from studylib.tryout import pictures, words
from studylib.tryout.compare import compare, splits_of
from studylib.tryout.models import BASELINE, LIGHTGBM, ONE_RULE, PARTIAL, TREE, classifiers
from studylib.tryout.table import N_FOLDS, Table


def table_of(X, y):
    """A table as ``load_table`` makes it."""
    return Table(X, pd.Series(y).astype(str), "label", pd.DataFrame(), len(X))


@pytest.fixture(scope="module")
def irises():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return table_of(X, y)


def test_errors_are_those_of_a_cross_validation_by_scikit_learn(irises):
    """An oracle: with one setting, nested cross-validation is a plain one over the same folds."""
    models = {"tree": (DecisionTreeClassifier(random_state=0), {}), BASELINE: (DummyClassifier(), {})}
    said = []
    found = compare(irises, models, say=said.append)
    assert found.repeats == 2
    assert said == ["training tree, method 1 of 2", f"training {BASELINE}, method 2 of 2", ""]
    splits = [split for r in range(2) for split in splits_of(irises, r)]
    for name, (model, _) in models.items():
        expected = 1 - cross_val_score(model, irises.X, irises.y, cv=splits)
        np.testing.assert_allclose(found.errors(name), expected)
    first = np.concatenate([test for _, test in splits[:N_FOLDS]])
    assert sorted(first) == list(range(150))
    wrong = found.predictions["tree"] != irises.y.to_numpy()
    assert wrong.mean() == pytest.approx(found.errors("tree")[:N_FOLDS].mean())


def test_losses_of_a_rare_class_are_those_of_the_roc_auc():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.integers(0, 3, 300)}).astype(float)
    table = table_of(X, np.where(X["a"] + rng.normal(size=300) > 1.8, "late", "in time"))
    models = {
        name: (DecisionTreeClassifier(max_depth=k, random_state=0), {}) for name, k in [("a", 2), ("b", 3)]
    }
    found = compare(table, models, repeats=1)
    assert found.focus
    rare = (table.y == "late").to_numpy()
    for name in models:
        lacks = 1 - found.errors(name, "auc").mean()
        assert found.losses[name][~rare].mean() == pytest.approx(lacks, abs=0.01)  # folds differ by a row
        assert found.losses[name][rare].mean() == pytest.approx(lacks, abs=0.01)


def test_rows_with_the_same_features_are_in_one_fold():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.integers(0, 40, 400), "b": rng.integers(0, 5, 400)}).astype(float)
    X.loc[::50, "a"] = np.nan
    table = table_of(X, rng.integers(0, 2, 400))
    for train, test in splits_of(table, 0):
        seen = set(map(str, X.iloc[train].to_numpy().tolist()))
        assert seen.isdisjoint(map(str, X.iloc[test].to_numpy().tolist()))


@pytest.mark.slow
def test_all_classifiers_take_mixed_columns_with_missing_values_and_new_categories():
    rng = np.random.default_rng(0)
    n = 300
    colour = pd.Series(rng.choice(["red", "green", "blue"], n)).where(rng.random(n) > 0.1)
    colour[5] = "only once"
    X = pd.DataFrame(
        {"x": np.where(rng.random(n) > 0.1, rng.normal(size=n), np.nan), "c": colour.astype("category")}
    )
    table = table_of(X, np.where((X["x"] > 0) | (X["c"] == "red"), "yes", "no"))
    models = classifiers(table)
    found = compare(table, models, repeats=1)
    assert set(found.folds["model"]) == set(models)
    assert not found.folds["error"].isna().any()
    assert found.interval(TREE).mean < found.interval(BASELINE).mean / 2
    frame, name = pictures.importances(table, models, found)
    assert set(frame.index) == {"x", "c"}
    assert (frame["mean"] > 0.05).all()  # both tell the label


@pytest.mark.slow
def test_jobs_change_nothing(irises):
    models = {name: pair for name, pair in classifiers(irises).items() if name in (TREE, PARTIAL)}
    one, two = (compare(irises, models, repeats=1, jobs=jobs) for jobs in (1, 2))
    columns = ["model", "fold", "error", "auc", "settings"]
    pd.testing.assert_frame_equal(one.folds[columns], two.folds[columns])


def test_ranking_is_that_of_scikit_learn_and_a_rare_class_is_known():
    """An oracle: the scorers of a cross-validation over the same folds; and the constant is chance."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X, y = X[["mean area", "mean texture"]], y.map({0: "sick", 1: "well"})
    few = pd.concat([y[y == "well"], y[y == "sick"][:40]]).index
    table = table_of(X.loc[few].reset_index(drop=True), y[few].reset_index(drop=True))
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    found = compare(table, {"tree": (model, {}), BASELINE: (DummyClassifier(), {})}, repeats=1)
    assert (found.rarest, found.uneven) == ("sick", True)
    for column, score in (("auc", "roc_auc"), ("average_precision", "average_precision")):
        expected = cross_val_score(model, table.X, table.y == "sick", cv=splits_of(table, 0), scoring=score)
        np.testing.assert_allclose(found.errors("tree", column), expected)
    assert found.errors(BASELINE, "auc").tolist() == [0.5] * N_FOLDS
    assert found.best_ranking()[0] == "tree"
    shown = pictures.table_of_errors(found)
    assert list(shown)[:3] == [
        "ROC AUC", "average precision", "behind the first, hundredths"
    ]  # fmt: skip
    assert list(shown.index) == ["tree", BASELINE]
    threshold, called = found.called("tree")
    assert called.sum() >= 40
    assert (found.chances["tree"][called] >= threshold).all()
    counts = pictures.table_of_found(found).map(int)
    assert counts.sum(axis=1).tolist() == [40, len(table.y) - 40]
    assert counts.iloc[:, 0].sum() == called.sum()


def test_probability_scores_are_those_of_scikit_learn(irises):
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    for table in (irises, table_of(irises.X[50:].reset_index(drop=True), irises.y[50:].to_numpy())):
        found = compare(table, {TREE: (model, {})}, repeats=1)
        splits, classes = splits_of(table, 0), sorted(set(table.y))
        shares = cross_val_predict(model, table.X, table.y, cv=splits, method="predict_proba")
        for column, score in (("log_loss", log_loss), ("brier", brier_score_loss)):
            two = (
                {"pos_label": classes[1]} if len(classes) == 2 and column == "brier" else {"labels": classes}
            )
            given = shares[:, 1] if len(classes) == 2 else shares
            expected = [score(table.y.iloc[test], given[test], **two) for _, test in splits]
            np.testing.assert_allclose(found.errors(TREE, column), expected)


@pytest.mark.slow
def test_a_rare_class_is_looked_for_by_weighted_classifiers():
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(600, 3)), columns=list("abc"))
    table = table_of(X, np.where(X["a"] + 0.5 * rng.normal(size=600) > 1.7, "late", "in time"))
    assert (table.rarest, table.uneven, table.focus) == ("late", True, True)
    models = classifiers(table)
    weights = {name: model.get_params() for name, (model, _) in models.items()}
    assert weights[TREE]["class_weight"] == weights[PARTIAL]["model__class_weight"] == "balanced"
    assert "class_weight" not in weights[ONE_RULE]
    found = compare(table, {name: models[name] for name in (TREE, PARTIAL, BASELINE)}, repeats=1)
    train, _ = splits_of(table, 0)[0]
    inner = StratifiedKFold(3, shuffle=True, random_state=0)
    search = GridSearchCV(*models[TREE], scoring="roc_auc", cv=inner).fit(X.iloc[train], table.y[train])
    assert found.folds.loc[found.folds["model"] == TREE, "settings"].iloc[0] == search.best_params_
    said = " ".join(words.conclusion(table, found))
    assert (
        f"Only {words.percent((table.y == 'late').mean())} of the rows are 'late'. Tree finds them best"
        in said
    )
    assert "Of the rows that are 'late', the partial forest (PCF)" in said
    frame, name = pictures.importances(table, models, found)
    assert (name, frame.index[0]) == (TREE, "a")
    assert 0.1 < frame["mean"].iloc[0] < 0.6  # of ROC AUC
    assert "ROC AUC" in pictures.draw_errors(found)[1]


@pytest.mark.parametrize("labels", [("0", "1"), ("1", "2"), ("no", "yes")])
def test_every_classifier_takes_a_rare_class_of_any_name(labels):
    """Digits are the usual labels; scikit-learn 1.9 takes them as text only without "balanced" in its forest."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 3)), columns=list("abc"))
    table = table_of(X, np.where(X["a"] > 1.3, *labels[::-1]))
    assert table.focus
    for model, _ in classifiers(table).values():
        few = {k: 4 for k in model.get_params() if k.endswith("n_estimators") or k == "max_iter"}
        assert set(model.set_params(**few).fit(table.X, table.y.to_numpy()).classes_) == set(labels)


def test_no_curve_of_dependence_leaves_its_axis(irises):
    """The curves share an axis, and those of later columns are often higher than the first."""
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(irises.X, irises.y)
    found = pd.DataFrame({"mean": [3.0, 2.0, 1.0]}, index=irises.X.columns[[0, 2, 3]])
    figure, _ = pictures.draw_dependence(irises, found, tree, "2")
    highest = max(line.get_ydata().max() for ax in figure.axes for line in ax.lines)
    for ax in figure.axes:
        assert ax.get_ylim()[0] == 0
        assert ax.get_ylim()[1] >= highest


def test_of_many_classes_the_error_matters_unless_one_is_named():
    y = np.repeat(["a", "b", "c"], [100, 100, 10])
    table = table_of(pd.DataFrame({"x": np.arange(210.0)}), y)
    assert (table.uneven, table.focus) == (True, False)
    table.positive = "c"
    assert table.focus
    table.positive = "a"
    assert not table.focus


def test_rows_of_a_group_stay_together_also_where_settings_are_chosen(monkeypatch, irises):
    rng = np.random.default_rng(0)
    table = table_of(irises.X, irises.y.to_numpy())
    table.groups = rng.integers(0, 30, 150)
    seen = []

    def watch(estimator, grid, X, y, cv):
        seen.extend((X.index[train], X.index[valid]) for train, valid in cv)
        return SimpleNamespace(best_params={})

    monkeypatch.setattr("studylib.tryout.compare.flat_cv", watch)
    compare(table, {TREE: (DecisionTreeClassifier(), {"max_depth": [2, 3]})}, repeats=1)
    assert len(seen) == 3 * N_FOLDS
    for train, test in [*splits_of(table, 0), *seen]:
        assert set(table.groups[train]).isdisjoint(table.groups[test])


def test_with_times_the_tests_are_later_than_the_fits():
    rng = np.random.default_rng(0)
    table = table_of(pd.DataFrame({"x": rng.normal(size=120)}), rng.choice(["a", "b"], 120))
    table.times = rng.permutation(120).astype(float)
    for train, test in splits_of(table, 0):
        assert table.times[train].max() < table.times[test].min()
    found = compare(table, {TREE: (DecisionTreeClassifier(), {"max_depth": [2, 3]})})
    assert found.repeats == 1
    assert len(found.tested) == len(found.predictions[TREE]) == 100
    assert table.times[found.tested].min() == 20
    np.testing.assert_array_equal(found.labels, table.y.to_numpy()[found.tested])


def test_lightgbm_takes_any_names_missing_values_and_new_categories():
    pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    X = pd.DataFrame({'a",[1]': rng.normal(size=200), "c": pd.Categorical(rng.choice(["u", "v", None], 200))})
    table = table_of(X, np.where((X['a",[1]'] > 0) ^ (X["c"] == "u"), "yes", "no"))
    model = classifiers(table)[LIGHTGBM][0].fit(X, table.y)
    assert np.mean(model.predict(X) == table.y) > 0.95
    assert set(model.predict(X.assign(c=pd.Categorical(["new"] * 200)))) <= {"yes", "no"}
