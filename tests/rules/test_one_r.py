"""1-R and its discretiser: the lecture's table, the book's intervals, slow twins, tables of every kind, errors."""

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.datasets import load_weather
from studylib.rules import OneRClassifier, OneRDiscretizer
from tests.estimator_checks import parametrize_with_checks
from tests.naive import rules as naive

WEATHER = load_weather()
NUMBERS = load_weather(numeric=True)


@parametrize_with_checks(
    [
        OneRClassifier(),
        OneRClassifier(min_bucket_size=1),
        OneRDiscretizer(),
        OneRDiscretizer(min_bucket_size=2),
    ]
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


# The lecture


def test_table_of_the_lecture():
    model = OneRClassifier().fit(WEATHER.data, WEATHER.target)
    rows = [
        (r.feature, str(r.value).lower(), r.label, f"{r.errors:g}/{r.n_samples:g}")
        for r in model.table_.itertuples()
    ]
    assert rows == [
        ("outlook", "sunny", "no", "2/5"),
        ("outlook", "overcast", "yes", "0/4"),
        ("outlook", "rainy", "yes", "2/5"),
        ("temperature", "hot", "no", "2/4"),
        ("temperature", "mild", "yes", "2/6"),
        ("temperature", "cool", "yes", "1/4"),
        ("humidity", "high", "no", "3/7"),
        ("humidity", "normal", "yes", "1/7"),
        ("windy", "false", "yes", "2/8"),
        ("windy", "true", "no", "3/6"),
    ]
    assert model.errors_.to_dict() == {"outlook": 4, "temperature": 5, "humidity": 4, "windy": 5}


def test_first_feature_wins_a_tie():
    model = OneRClassifier().fit(WEATHER.data, WEATHER.target)
    assert (model.feature_, model.feature_index_) == ("outlook", 0)
    assert model.rule_ == {"sunny": "no", "overcast": "yes", "rainy": "yes"}
    assert model.score(WEATHER.data, WEATHER.target) == 10 / 14
    turned = OneRClassifier().fit(WEATHER.data.iloc[:, ::-1], WEATHER.target)
    assert (turned.feature_, turned.rule_) == ("humidity", {"high": "no", "normal": "yes"})


def test_intervals_of_the_book():
    """Witten, Frank and Hall, section 4.1: buckets of 3 in the weather data with numbers."""
    numbers = NUMBERS.data[["temperature", "humidity"]]
    cut = OneRDiscretizer(3).fit(numbers, NUMBERS.target)
    assert [c.tolist() for c in cut.cuts_] == [[77.5], [82.5, 95.5]]
    assert cut.value_names_[0] == ["temperature ≤ 77.5", "temperature > 77.5"]
    model = OneRClassifier(3).fit(NUMBERS.data, NUMBERS.target)
    assert (model.feature_, model.errors_["humidity"], model.errors_["temperature"]) == ("humidity", 3, 5)
    assert list(model.rule_.values()) == ["yes", "no", "yes"]
    assert [interval.right for interval in model.rule_] == [82.5, 95.5, np.inf]


# Slow twins


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=1, max_size=60),
    st.sampled_from([1, 2, 3, 6]),
)
def test_cuts_equal_the_slow_twin(samples, least):
    values, labels = map(list, zip(*samples, strict=True))
    cut = OneRDiscretizer(least).fit(np.array(values, float)[:, None], labels)
    assert cut.cuts_[0].tolist() == naive.cuts(values, labels, least)


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from("npq")),
        min_size=1,
        max_size=30,
    )
)
def test_rule_and_errors_equal_the_slow_twin(rows):
    *columns, labels = map(list, zip(*rows, strict=True))
    model = OneRClassifier().fit(pd.DataFrame(dict(enumerate(columns))).add_prefix("c"), labels)
    assert (model.errors_.tolist(), model.rule_) == naive.one_r(columns, labels)


# Tables


def mixed():
    frame = pd.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 4.0, np.nan, 6.0],
            "cap": ["bell", None, "flat", "flat", "bell", "flat"],
            "ring": pd.Categorical(
                ["low", "high", "low", None, "high", "low"], ["low", "high"], ordered=True
            ),
            "wet": pd.array([True, False, None, True, False, True], dtype="boolean"),
        }
    )
    return frame, ["a", "a", "b", "a", "b", "a"]


def test_missing_entries_are_a_value_and_new_ones_get_the_majority():
    X, y = mixed()
    model = OneRClassifier(1).fit(X[["size"]], y)
    assert model.rule_[None] == "b"
    assert model.predict(pd.DataFrame({"size": [np.nan, -7.0, 99.0]})).tolist() == ["b", "a", "a"]
    model = OneRClassifier().fit(X[["ring"]].iloc[[0, 1, 2]], ["a", "b", "a"])
    new = pd.DataFrame({"ring": ["high", "none", None]})
    assert model.predict(new).tolist() == ["b", "a", "a"]
    np.testing.assert_array_equal(model.predict_proba(new), [[0, 1], [2 / 3, 1 / 3], [2 / 3, 1 / 3]])


def test_discretiser_codes_every_kind_of_column():
    X, y = mixed()
    cut = OneRDiscretizer(1).fit(X, y)
    nan = np.nan
    expected = [[0, 0, 0, 1], [0, nan, 1, 0], [nan, 1, 0, nan], [0, 1, nan, 1], [nan, 0, 1, 0], [0, 1, 0, 1]]
    np.testing.assert_array_equal(cut.transform(X), expected)
    assert cut.value_names_[1:] == [
        ["cap = bell", "cap = flat"], ["ring = low", "ring = high"], ["wet = False", "wet = True"],
    ]  # fmt: skip
    assert np.isnan(cut.transform(X.assign(cap="conical"))[:, 1]).all()
    assert cut.get_feature_names_out().tolist() == list(X)
    assert list(cut.set_output(transform="pandas").transform(X)) == list(X)
