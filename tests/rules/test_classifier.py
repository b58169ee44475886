"""RuleClassifier: equal to CBA's algorithm done slowly, tables, errors."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.datasets import load_weather
from studylib.rules import RuleClassifier
from tests.estimator_checks import parametrize_with_checks
from tests.naive import rules as naive

WEATHER = load_weather()


@parametrize_with_checks([RuleClassifier(), RuleClassifier(0.05, 0.8, max_len=2)])
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(*[st.sampled_from("ab")] * 3, st.sampled_from("npq")), min_size=1, max_size=25),
    st.sampled_from([0.05, 0.2]),
    st.sampled_from([0.0, 0.5, 0.9]),
    st.sampled_from([1, 2, 3]),
)
def test_rules_equal_the_slow_twin(rows, support, confidence, max_len):
    *columns, labels = map(list, zip(*rows, strict=True))
    X = pd.DataFrame(dict(zip("xyz", columns, strict=True)))
    items = [f"{name} = {value}" for name in X for value in sorted(set(X[name]))]
    baskets = [
        {items.index(f"{name} = {value}") for name, value in row.items()} for row in X.to_dict("records")
    ]
    model = RuleClassifier(support, confidence, max_len=max_len).fit(X, labels)
    expected, default = naive.class_rules(baskets, labels, support, confidence, max_len)
    rules = list(zip(model.rules_["antecedents"], model.rules_["label"], strict=True))
    assert rules == [(frozenset(items[k] for k in rule), label) for rule, label in expected] + [
        (frozenset(), default)
    ]
    predicted = [next((c for a, c in expected if a <= basket), default) for basket in baskets]
    assert model.predict(X).tolist() == predicted
    assert model.rules_["n_decided"].tolist() == np.bincount(model.decide(X), minlength=len(rules)).tolist()


def test_missing_and_new_values_fulfil_no_condition():
    X = pd.DataFrame({"cap": ["bell", "bell", "flat", None], "size": [1.0, np.nan, 2.0, 3.0]})
    model = RuleClassifier(0.25, min_bucket_size=1).fit(X[["cap"]], ["a", "a", "b", "b"])
    new = pd.DataFrame({"cap": ["bell", "conical", None]})
    assert model.predict(new).tolist() == ["a", "b", "b"]
    assert model.decide(new).tolist()[1:] == [len(model.rules_) - 1] * 2
    assert RuleClassifier().fit(X, ["a", "a", "b", "b"]).predict(X).shape == (4,)


def test_no_rule_at_all_leaves_the_majority():
    model = RuleClassifier(1.0).fit(WEATHER.data, WEATHER.target)
    assert len(model.rules_) == 1
    assert set(model.predict(WEATHER.data)) == {"yes"}
    np.testing.assert_array_equal(model.predict_proba(WEATHER.data[:1]), [[5 / 14, 9 / 14]])


def test_too_many_itemsets_are_refused():
    with pytest.raises(
        MemoryError, match=r"^RuleClassifier: more than 20 frequent itemsets; raise min_support"
    ):
        RuleClassifier(max_itemsets=20).fit(WEATHER.data, WEATHER.target)
