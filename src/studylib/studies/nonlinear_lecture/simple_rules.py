"""The lecture's examples of rules and 1-R, checked, and how well rules classify."""

import itertools
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import train_test_split

from studylib.datasets import load_bundled, load_weather
from studylib.rules import OneRClassifier, OneRDiscretizer, RuleClassifier
from studylib.studies.forest_lecture.experiments import error
from studylib.trees import MultiwayTreePredictor, TreePredictor


class Rule(NamedTuple):
    """A condition, as text and as a function of an example's features, and the class that it implies."""

    text: str
    holds: object
    label: str


XOR = [
    Rule("(x ∧ ¬y) ∨ (y ∧ ¬x)", lambda x, y: (x and not y) or (y and not x), "★"),
    Rule("(¬y ∧ ¬x) ∨ (x ∧ y)", lambda x, y: (not y and not x) or (x and y), "●"),
]

#: The four points and their classes.
POINTS = {(False, False): "●", (False, True): "★", (True, False): "★", (True, True): "●"}

FRUIT = [
    Rule("color = red", lambda color, grams: color == "red", "apple"),
    Rule("color = yellow ∧ weight < 150 g", lambda color, grams: color == "yellow" and grams < 150, "pear"),
    Rule("color = yellow ∧ weight ≥ 150 g", lambda color, grams: color == "yellow" and grams >= 150, "apple"),
]

#: What is compared on new samples.
MODELS = {
    "most frequent class": DummyClassifier,
    "1-R": OneRClassifier,
    "association rules": lambda: RuleClassifier(0.02, 0.5, max_len=2),
    "decision tree": TreePredictor,
}

#: Sizes of buckets that are tried.
SIZES = [1, 2, 4, 6, 8, 16, 32]

#: Colours of the example, and weights in grams on both sides of the threshold.
COLORS, GRAMS = ("red", "yellow"), (80, 149, 150, 151, 220)


def classes(rules, example):
    """The classes that the rules imply for an example, a set."""
    return {rule.label for rule in rules if rule.holds(*example)}


def points_classified():
    """How many of the four points get their own class, and no other, by the two XOR rules."""
    return sum(classes(XOR, point) == {label} for point, label in POINTS.items())


def consistent_and_complete(rules, examples):
    """Whether no example gets two classes, and whether each gets one: two bool."""
    answers = [classes(rules, example) for example in examples]
    return [all(len(labels) <= 1 for labels in answers), all(answers)]


def fruits(colors=COLORS):
    """All combinations of colour and weight."""
    return [(color, grams) for color in colors for grams in GRAMS]


# Support


def weather_baskets():
    """The weather table's rows as sets of items, "attribute = value"."""
    frame = load_weather().frame
    return [
        [f"{name} = {str(value).lower()}" for name, value in row.items()] for row in frame.to_dict("records")
    ]


def supports(baskets):
    """Both readings of supp(A ⇒ C), for each pair of items of the baskets.

    How many baskets hold A and C, as the formula counts; in how many A implies C, as the words say.
    """
    items = sorted({item for basket in baskets for item in basket})
    held = {item: [item in basket for basket in baskets] for item in items}
    counts = {}
    for a, c in itertools.permutations(items, 2):
        pairs = list(zip(held[a], held[c], strict=True))
        counts[a, c] = sum(p and q for p, q in pairs), sum(q or not p for p, q in pairs)
    return counts


def support_as_in_words():
    """Whether both readings of support agree, for each pair of items of the weather table, and an example."""
    baskets = weather_baskets()
    counts = supports(baskets)
    both, implied = counts["outlook = sunny", "play = no"]
    example = {"sunny ⇒ no, cases with both": both, "cases in which the implication is true": implied}
    return [formula == words for formula, words in counts.values()], example


# 1-R


def errors_as_printed(model):
    """Errors of each feature's rule as the lecture prints them, such as 4/14: dict of str."""
    n = model.table_.loc[model.table_["feature"] == model.feature_, "n_samples"].sum()
    return {name: f"{errors:g}/{n:g}" for name, errors in model.errors_.items()}


def printed_table(model):
    """The rules of 1-R as the lecture prints them: DataFrame with the columns feature, rule and error."""
    table = model.table_
    return pd.DataFrame(
        {
            "feature": table["feature"],
            "rule": [f"{str(v).lower()} → {c}" for v, c in zip(table["value"], table["label"], strict=True)],
            "error": [f"{e:g}/{n:g}" for e, n in zip(table["errors"], table["n_samples"], strict=True)],
        }
    )


def stumps_agree(n_cases, seed=4):
    """Whether 1-R and a tree of depth 1 on the same feature predict alike, in random tables: list of bool.

    The tree gets the feature that 1-R chose: which one it would choose depends on its criterion.
    """
    rng = np.random.default_rng(seed)
    return [_agree(*_random_table(rng)) for _ in range(n_cases)]


def same_feature(n_cases, seed=4):
    """In how many of the same tables a tree of depth 1 by information gain chooses the feature of 1-R."""
    rng = np.random.default_rng(seed)
    same = 0
    for _ in range(n_cases):
        X, y = _random_table(rng)
        tree = MultiwayTreePredictor(max_depth=1).fit(X, y)
        same += int(tree.nodes_["feature"][0]) == OneRClassifier().fit(X, y).feature_index_
    return same


def _random_table(rng):
    n, d = int(rng.integers(5, 80)), int(rng.integers(1, 5))
    X = pd.DataFrame({f"x{j}": rng.choice(list("pqrst"), n) for j in range(d)})
    return X, rng.integers(0, int(rng.integers(2, 4)), n)


def _agree(X, y):
    rule = OneRClassifier().fit(X, y)
    chosen = X[[rule.feature_]]
    tree = MultiwayTreePredictor(max_depth=1).fit(chosen, y)
    return bool((rule.predict(X) == tree.predict(chosen)).all())


def cut(name, min_bucket_size):
    """1-R's cuts of a column of the weather table with numbers, and the training errors of its rule."""
    weather = load_weather(numeric=True)
    column = weather.data[[name]]
    cuts = OneRDiscretizer(min_bucket_size).fit(column, weather.target).cuts_[0].tolist()
    return cuts, int(OneRClassifier(min_bucket_size).fit(column, weather.target).errors_.iloc[0])


def bucket_sizes(key, seed):
    """Training and test error of 1-R on numbers, and its intervals, by the least size of a bucket."""
    X, y = load_bundled(key["data"])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    model = OneRClassifier(key["size"]).fit(X, y)
    return {
        "training": error(model, X, y),
        "test": error(model, X_test, y_test),
        "intervals": len(model.rule_),
    }


def rules_and_trees(key, seed):
    """Test error of the models, by name; 70% of a set, which the seed draws, for training."""
    X, y = load_bundled(key["data"])
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    return {name: error(make().fit(X, y), X_test, y_test) for name, make in MODELS.items()}
