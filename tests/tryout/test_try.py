"""``studylib try``: the comparison and its conclusion."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from studylib.statistics import resampled_interval
from studylib.tryout import pictures, rules, words
from studylib.tryout.compare import Comparison, compare, splits_of
from studylib.tryout.doubts import leaks
from studylib.tryout.models import BASELINE, ONE_RULE, PARTIAL, TREE, classifiers
from studylib.tryout.table import N_FOLDS, Table


def table_of(X, y):
    """A table as ``load_table`` makes it."""
    return Table(X, pd.Series(y).astype(str), "label", pd.DataFrame(), len(X), len(X), 0)


@pytest.fixture(scope="module")
def irises():
    X, y = load_iris(return_X_y=True, as_frame=True)
    return table_of(X, y)


def made_up(errors, table, auc=0.5, rarest="2", uneven=False, predicts=None, focus=False):
    """A comparison of given errors, a list for each classifier; PCF says the truth in the rows it predicts."""
    rows = [
        {
            "model": name,
            "fold": k,
            "error": error,
            "auc": 0.5 if name == BASELINE else auc + 0.01 * k,
            "average_precision": 0.3,
            "balanced_error": error,
            "log_loss": 0.4,
            "brier": 0.2,
            "settings": {},
            "seconds": 0.1,
        }
        for name, values in errors.items()
        for k, error in enumerate(values)
    ]
    rows += [{"model": PARTIAL, "fold": k, "error": 0.5} for k in range(N_FOLDS)]
    n = len(table.y)
    predictions = {**{name: np.empty(100) for name in errors}, PARTIAL: table.y.to_numpy()}
    confidences = {PARTIAL: 0.5 + (np.arange(n) < n / 2 if predicts is None else predicts)}
    chances = {name: np.where(table.y == rarest, 0.9, 0.1) for name in errors}
    # Of the 20 rows of a fold, the first are wrong: as few rows as possible tell two methods apart.
    losses = {
        name: np.concatenate([np.arange(20) < round(20 * error) for error in values]).astype(float)
        for name, values in errors.items()
    }
    return Comparison(
        pd.DataFrame(rows), predictions, confidences, 1, rarest, uneven, focus, chances,
        losses=losses, is_rarest=np.arange(100) % 20 < 4,
    )  # fmt: skip


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


def test_two_methods_are_compared_on_the_same_rows(irises):
    """An oracle: McNemar's z, of 100 rows of which 10 tell two methods apart; all intervals hold together."""
    errors = {"forest": [0.1] * 5, TREE: [0.2] * 5, "twin": [0.1] * 5, BASELINE: CONSTANT}
    found = made_up(errors, irises)
    for name, differ in ((TREE, 10), ("twin", 0)):
        behind = found.difference(name, "forest")
        assert behind.mean == pytest.approx(differ / 100)
        reach = norm.ppf(1 - 0.05 / 3 / 2) * np.sqrt(differ - differ**2 / 100 + 1) / 100
        assert (behind.low, behind.high) == pytest.approx((behind.mean - reach, behind.mean + reach))
    found.groups = np.repeat(np.arange(5), 20)  # five groups are five observations
    assert (
        found.difference(TREE, "forest").high < 0.13 < made_up(errors, irises).difference(TREE, "forest").high
    )


def test_a_simple_method_is_advised_only_if_it_is_shown_to_be_as_good(irises):
    def advised(n, forest, tree):
        """Of n rows, the wrong ones of the tree are those of the forest and some more."""
        found = made_up({"forest": [forest / n] * 5, TREE: [tree / n] * 5, BASELINE: CONSTANT}, irises)
        found.losses = {
            "forest": (np.arange(n) < forest) * 1.0, TREE: (np.arange(n) < tree) * 1.0,
            BASELINE: (np.arange(n) % 2) * 1.0,
        }  # fmt: skip
        found.predictions |= {name: np.empty(n) for name in found.losses}
        return found.advised, " ".join(words.conclusion(irises, found))

    name, sentence = advised(10_000, 1000, 1050)  # half a point more, and surely less than one
    assert name == TREE
    assert "Yet use the tree, which can be read: it errs on 10.5%, and is behind by 0.3 to 0.7" in sentence
    assert advised(10_000, 1000, 1095)[0] == "forest"  # perhaps more than one
    assert advised(10_000, 100, 150)[0] == "forest"  # half as many errors again
    assert advised(100, 10, 10)[0] == "forest"  # too few rows to know


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


CONSTANT = [0.5, 0.5, 0.52, 0.48, 0.5]


@pytest.mark.parametrize(
    ("errors", "said"),
    [
        (
            {"forest": [0.1, 0.11, 0.09, 0.1, 0.1], "twin": [0.11, 0.1, 0.1, 0.1, 0.1], BASELINE: CONSTANT},
            [
                "Forest has the lowest error: 10.0%",
                "Use it, although these data do not tell it apart from twin.",
                "always answering '0'",
            ],
        ),
        (
            {"forest": [0.1, 0.11, 0.09, 0.1, 0.1], TREE: [0.2, 0.21, 0.19, 0.21, 0.2], BASELINE: CONSTANT},
            ["Use it: it is better than the tree (intervals that hold together with 95%)."],
        ),
        (
            {"forest": [0.10, 0.11, 0.09, 0.1, 0.1], TREE: [0.11, 0.10, 0.1, 0.1, 0.1], BASELINE: CONSTANT},
            [
                "do not tell it apart from the tree. If you need rules that you can read: the tree errs on 10.2%, and is "
                "behind by −2.0 to 2.4 percentage points."
            ],
        ),
        (
            {ONE_RULE: [0.10, 0.11, 0.09, 0.1, 0.1], TREE: [0.11, 0.10, 0.1, 0.1, 0.1], BASELINE: CONSTANT},
            [
                "1-R (one column) has the lowest error",
                "Use it, although these data do not tell it apart from the tree.",
            ],
        ),
        (
            {TREE: [0.10, 0.11, 0.09, 0.1, 0.1], "twin": [0.11, 0.10, 0.1, 0.1, 0.1], BASELINE: CONSTANT},
            ["Tree has the lowest error", "Use it, although these data do not tell it apart from twin."],
        ),
        (
            {"forest": [0.4, 0.6, 0.5, 0.45, 0.5], BASELINE: CONSTANT},
            [
                "By plain error, these data do not show that any of the classifiers predicts “label” better",
                "may be chance",
                "Nor do these data show that any of them ranks the rows of '2' before the others",
                "Either the columns say little about it",
            ],
        ),
        (
            {"forest": [0.6, 0.6, 0.6, 0.55, 0.6], BASELINE: CONSTANT},
            ["do not show that any of the classifiers"],
        ),
    ],
)
def test_the_conclusion_says_what_the_numbers_support(irises, errors, said):
    sentences = words.conclusion(irises, made_up(errors, irises))
    for part in [*said, "predicts 50.0% of the rows, 100% of them correctly"]:
        assert part in " ".join(sentences)
    assert len(sentences) == 3


def test_a_conclusion_names_few_methods_and_first_a_column_that_tells_too_much(irises):
    many = {f"forest {k}": [0.1, 0.11, 0.09, 0.1, 0.1] for k in range(6)} | {BASELINE: CONSTANT}
    table = table_of(irises.X, irises.y)
    table.leaks = leaks(irises.X.assign(y=irises.y.astype(float)), irises.y, "y")
    leak, first, second, _ = words.conclusion(table, made_up(many, irises))
    assert leak.startswith("Column 'y' alone tells 'y' almost without error.")
    assert first.startswith("Forest 0 has the lowest error")
    assert second == "Use it, although these data do not tell it apart from forest 1, forest 2 and 3 others."


def test_where_the_partial_forest_abstains_is_a_table(irises):
    found = made_up({"forest": [0.1] * 5, BASELINE: CONSTANT}, irises, predicts=irises.X.iloc[:, 0] < 5.8)
    shown = rules.abstention_rules(irises, found)
    assert list(shown) == ["rows", "abstains"]
    assert shown["abstains"].iloc[0] == "100%"
    assert shown["rows"].map(int).sum() == 150
    assert (
        rules.abstention_rules(irises, made_up({BASELINE: CONSTANT}, irises, predicts=np.ones(150))) is None
    )


CLOSE = {"forest": [0.4, 0.6, 0.5, 0.45, 0.5], BASELINE: CONSTANT}


def test_columns_that_rank_the_rows_are_not_said_to_say_little(irises):
    said = " ".join(words.conclusion(irises, made_up(CLOSE, irises, auc=0.75)))
    assert (
        "Yet the columns tell something: by its probability of '2', forest ranks the rows with a ROC AUC"
        in said
    )
    assert "AUC of 0.77 (interval 0.7" in said
    assert "an average precision of 0.30 (chance: 0.33) and a balanced error of 49.0%" in said
    assert "say little" not in said


def test_without_a_rare_row_in_each_fold_nothing_is_said_of_ranking(irises):
    said = " ".join(words.conclusion(irises, made_up(CLOSE, irises, auc=np.nan)))
    assert "That does not say how well their probabilities rank the rows." in said
    assert "say little" not in said


RARE = table_of(pd.DataFrame({"x": np.arange(100.0)}), np.where(np.arange(100) < 5, "ja", "nein"))
LOW = {"forest": [0.01] * 5, "twin": [0.01] * 5, BASELINE: [0.15] * 5}


def test_a_rare_class_is_what_the_conclusion_is_about():
    first, second, third, partial = words.conclusion(RARE, made_up(LOW, RARE, 0.8, "ja", True, focus=True))
    assert first.startswith(
        "Only 5.0% of the rows are 'ja'. Forest finds them best: by its probability of 'ja' it ranks the rows "
        "with a ROC AUC of 0.82 (interval 0."
    )
    assert ", widened because it is the best of 2), where 0.5 is chance" in first
    assert first.endswith("an average precision of 0.30 (interval 0.30 to 0.30), where 0.05 is chance.")
    assert second == "Use it, although these data do not tell it apart from twin."
    assert third == (
        "Of the 5 rows with the highest probabilities (0.90 or more), about as many as the class has, 5 are "
        "'ja': 0 false alarms, and 0 rows missed."
    )
    assert partial == (
        "Of the rows that are 'ja', the partial forest (PCF) predicts 100%, 100% of them correctly; of the others "
        "47.4%, 100% of them correctly. On the rest it abstains."
    )
    simple = {"forest": [0.01] * 5, TREE: [0.01] * 5, BASELINE: [0.05] * 5}
    _, second, *_ = words.conclusion(RARE, made_up(simple, RARE, 0.8, "ja", True, focus=True))
    assert (
        "it apart from the tree. If you need rules that you can read: the tree has a ROC AUC of 0.82, and is"
        in second
    )
    (first, _) = words.conclusion(RARE, made_up(LOW, RARE, 0.47, "ja", True, focus=True))
    assert "these data do not show that any of the classifiers ranks them before the others" in first


def test_a_rare_class_among_many_is_spoken_of_where_the_error_is_low():
    said = " ".join(words.conclusion(RARE, made_up(LOW, RARE, 0.8, "ja", True)))
    assert (
        "Only 5.0% of the rows are 'ja', so the error says little about them: forest has a ROC AUC of 0.82"
        in said
    )
    assert "an average precision of 0.30 (chance: 0.05) and a balanced error of 1.0%" in said
    missing = " ".join(words.conclusion(RARE, made_up(LOW, RARE, np.nan, "ja", True)))
    assert "nan" not in missing
    assert "forest has a balanced error of 1.0% (always the same answer: 15.0%)." in missing


def test_the_partial_forest_is_compared_with_one_answer_and_by_class():
    table = table_of(pd.DataFrame({"x": np.arange(100.0)}), np.where(np.arange(100) < 10, "ja", "nein"))
    found = made_up({"forest": [0.1] * 5, BASELINE: CONSTANT}, table, predicts=np.arange(100) >= 5)
    found.predictions[PARTIAL] = np.array(["nein"] * 99 + ["ja"], object)
    assert words.conclusion(table, found)[-1] == (
        "The partial forest (PCF) predicts 95.0% of the rows, 93.7% of them correctly (always answering 'nein' "
        "would be right for 94.7% of these), and abstains on the others. Of the class on which it errs most, "
        "'ja', it predicts 5 rows, 0 correctly."
    )
    found.confidences[PARTIAL] = np.where(np.arange(100) == 50, 1.5, 0.5)
    assert words.conclusion(table, found)[-1].endswith("All rows that it predicts are 'nein'.")


def test_a_partial_forest_that_always_abstains_is_no_failure(irises):
    found = made_up({"forest": [0.1] * 5, BASELINE: CONSTANT}, irises, predicts=np.zeros(150))
    assert "abstains on all rows" in words.conclusion(irises, found)[-1]


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
    threshold, called = found.called("tree", table)
    assert called.sum() >= 40
    assert (found.chances["tree"][called] >= threshold).all()
    counts = pictures.table_of_found(table, found).map(int)
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
    np.testing.assert_array_equal(found.labels(table), table.y.to_numpy()[found.tested])


def test_no_error_is_not_certainty(irises):
    found = made_up({"forest": [0.0] * 5, BASELINE: CONSTANT}, irises).interval("forest")
    assert found.low == 0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 100))  # Clopper and Pearson, of 100 rows
    alike = made_up({"forest": [0.01] * 5, BASELINE: CONSTANT}, irises).interval("forest")
    expected = binomtest(1, 100).proportion_ci()
    assert (alike.low, alike.high) == pytest.approx((expected.low, expected.high))
    apart = made_up({"forest": [0.1, 0.9] * 2 + [0.5], BASELINE: CONSTANT}, irises)
    assert apart.interval("forest") == resampled_interval(apart.errors("forest"), 1 / N_FOLDS)
