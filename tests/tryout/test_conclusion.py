"""What ``studylib try`` concludes from given numbers."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest, norm
from sklearn.datasets import load_iris
from sklearn.tree import DecisionTreeClassifier

from studylib.statistics import resampled_interval
from studylib.tryout import rules, words
from studylib.tryout.compare import Comparison
from studylib.tryout.doubts import leaks
from studylib.tryout.models import BASELINE, FOREST, LIGHTGBM, ONE_RULE, PARTIAL, TREE, chosen
from studylib.tryout.table import N_FOLDS
from tests.tryout.test_try import table_of


@pytest.fixture(scope="module")
def irises():
    return table_of(*load_iris(return_X_y=True, as_frame=True))


CONSTANT = [0.5, 0.5, 0.52, 0.48, 0.5]


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
        losses=losses, labels=table.y.to_numpy(),
    )  # fmt: skip


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


def test_no_error_is_not_certainty(irises):
    found = made_up({"forest": [0.0] * 5, BASELINE: CONSTANT}, irises).interval("forest")
    assert found.low == 0
    assert found.high == pytest.approx(1 - 0.025 ** (1 / 100))  # Clopper and Pearson, of 100 rows
    alike = made_up({"forest": [0.01] * 5, BASELINE: CONSTANT}, irises).interval("forest")
    expected = binomtest(1, 100).proportion_ci()
    assert (alike.low, alike.high) == pytest.approx((expected.low, expected.high))
    apart = made_up({"forest": [0.1, 0.9] * 2 + [0.5], BASELINE: CONSTANT}, irises)
    assert apart.interval("forest") == (0.5, 0, 1)  # no error is less or more
    apart = made_up({"forest": [0.4, 0.6] * 2 + [0.5], BASELINE: CONSTANT}, irises)
    assert apart.interval("forest") == resampled_interval(apart.errors("forest"), 1 / N_FOLDS)


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


RARE = table_of(pd.DataFrame({"x": np.arange(100.0)}), np.where(np.arange(100) < 20, "ja", "nein"))
LOW = {"forest": [0.01] * 5, "twin": [0.01] * 5, BASELINE: [0.15] * 5}


def test_a_rare_class_is_what_the_conclusion_is_about():
    first, second, third, partial = words.conclusion(RARE, made_up(LOW, RARE, 0.8, "ja", True, focus=True))
    assert first.startswith(
        "Only 20.0% of the rows are 'ja'. Forest finds them best: by its probability of 'ja' it ranks the rows "
        "with a ROC AUC of 0.82 (interval 0."
    )
    assert ", widened because it is the best of 2), where 0.5 is chance" in first
    assert first.endswith("an average precision of 0.30 (interval 0.30 to 0.30), where 0.20 is chance.")
    assert second == "Use it, although these data do not tell it apart from twin."
    assert third == (
        "Of the 20 rows with the highest probabilities (0.90 or more), about as many as the class has, 20 are "
        "'ja': 0 false alarms, and 0 rows missed."
    )
    assert partial == (
        "Of the rows that are 'ja', the partial forest (PCF) predicts 100%, 100% of them correctly; of the others "
        "37.5%, 100% of them correctly. On the rest it abstains."
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
        "Only 20.0% of the rows are 'ja', so the error says little about them: forest has a ROC AUC of 0.82"
        in said
    )
    assert "an average precision of 0.30 (chance: 0.20) and a balanced error of 1.0%" in said
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


def test_where_a_constant_is_as_good_nothing_is_advised(irises):
    found = made_up(CLOSE | {TREE: [0.5] * 5}, irises)
    assert (found.advised, found.beats_constant) == ("", False)
    models = {name: (DecisionTreeClassifier(), {}) for name in ("forest", TREE)}
    assert chosen(models, found)[0] == "forest"
    assert words.of_the_model(found, "forest") == (
        "No method is advised, since none is shown to err less than a constant answer; the model stored is the best, "
        "forest."
    )
    said = " ".join(words.conclusion(irises, found))
    assert "Use it" not in said
    rare = made_up(LOW, RARE, 0.47, "ja", True, focus=True)
    assert rare.advised == ""
    assert "none is shown to rank by more than chance" in words.of_the_model(rare, "forest")


def test_what_cannot_be_stored_is_said(irises):
    errors = {LIGHTGBM: [0.1] * 5, FOREST: [0.2, 0.21, 0.19, 0.21, 0.2], BASELINE: CONSTANT}
    found = made_up(errors, irises)
    models = {name: (DecisionTreeClassifier(), {}) for name in (LIGHTGBM, FOREST)}
    assert chosen(models, found)[0] == LIGHTGBM
    assert chosen(models, found, stored=True)[0] == FOREST
    said = words.of_the_model(found, LIGHTGBM)
    assert said == "The model stored is the advised one, LightGBM, fitted on all rows used."
    said = words.of_the_model(found, FOREST)
    assert said == f"The model stored is the next best, {FOREST}: no file of LightGBM is safe to load."


def test_costs_set_the_threshold_of_a_rare_class():
    """An oracle: the cost of each number of rows."""
    found = made_up(LOW, RARE, 0.8, "ja", True, focus=True)
    chance = found.chances["forest"] = np.random.default_rng(0).integers(1, 20, 100) / 20
    rare = (RARE.y == "ja").to_numpy()
    for costs in ((1.0, 1.0), (30.0, 1.0), (1.0, 50.0)):
        found.costs = costs
        by = {
            t: costs[0] * (rare & (chance < t)).sum() + costs[1] * (~rare & (chance >= t)).sum()
            for t in chance
        }
        threshold, called = found.called("forest")
        assert by[threshold] == min(by.values())
        assert (called == (chance >= threshold)).all()
    said = " ".join(words.conclusion(RARE, found))
    assert "the cheapest number of rows if a miss costs 1 and a false alarm 50, " in said


def test_a_first_answer_says_what_it_leaves_out(irises):
    first, *_ = words.conclusion(irises, made_up(CLOSE, irises), fast=True)
    assert first.startswith("A first answer (--fast), from 150 rows: each method has its defaults")


def test_what_is_said_of_the_tests_is_what_was_done(irises):
    found = made_up(CLOSE, irises)
    assert "folded" not in " ".join(words.of_the_tests(irises, found, fast=False))
    found.repeats = 3
    assert "The table is folded 3 times, so" in " ".join(words.of_the_tests(irises, found, fast=False))
    assert "Settings are chosen" not in " ".join(words.of_the_tests(irises, found, fast=True))
