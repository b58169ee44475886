"""Frequent itemsets and association rules: equal to brute force and to mlxtend, closures, inputs, errors."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_matrix, csc_matrix, csr_matrix

from studylib import datasets
from studylib.rules import apriori, association_rules
from tests.naive import rules as naive

BASKETS = [["bread", "milk"], ["bread", "butter"], ["bread", "butter", "milk"], ["milk"]]
FRAME = pd.DataFrame({i: [i in b for b in BASKETS] for i in ("bread", "butter", "milk")})

baskets_of_numbers = st.lists(st.lists(st.integers(0, 6), max_size=7), min_size=1, max_size=90)
shares = st.sampled_from([0.01, 0.1, 0.25, 1 / 3, 0.5, 0.6, 1.0])


def as_dict(frame):
    return dict(zip(frame["itemsets"], frame["support"], strict=True))


# Itemsets


@settings(deadline=None)
@given(baskets_of_numbers, shares, st.sampled_from([None, 1, 2, 3]))
def test_itemsets_equal_brute_force(baskets, share, max_len):
    sets = apriori(baskets, share, max_len=max_len)
    assert as_dict(sets) == naive.itemsets(baskets, share, max_len)
    order = [(len(s), sorted(s)) for s in sets["itemsets"]]
    assert order == sorted(order)


@settings(deadline=None)
@given(baskets_of_numbers, shares)
def test_every_form_of_transactions_gives_the_same_itemsets(baskets, share):
    held = np.array([[item in basket for item in range(7)] for basket in baskets])
    expected = apriori(held, share)
    sparse = pd.DataFrame(held).astype(pd.SparseDtype(bool, False))
    for same in (pd.DataFrame(held), csr_matrix(held), csc_matrix(held), sparse):
        pd.testing.assert_frame_equal(apriori(same, share), expected)
    assert as_dict(apriori(map(tuple, baskets), share)) == as_dict(expected)


def test_support_is_compared_as_a_float():
    """0.29 * 100 is 28.999999999999996, and 7 of 25 is not less than 0.28."""
    for n, count in ((100, 29), (25, 7), (3, 1), (10, 3), (49, 1)):
        held = np.arange(n)[:, None] < [count, count - 1]
        assert apriori(held, count / n)["itemsets"].tolist() == [frozenset({0})]


def test_items_without_an_order_keep_that_of_their_first_appearance():
    sets = apriori([["b", 1], [1, (2,)]], 0.5, max_len=1)
    assert sets["itemsets"].tolist() == [frozenset({"b"}), frozenset({1}), frozenset({(2,)})]


def test_no_frequent_itemsets_are_an_empty_frame():
    for transactions in ([["a"], ["b"], ["c"]], [[], []], np.zeros((3, 2), bool)):
        sets = apriori(transactions, 0.5)
        assert (list(sets.columns), len(sets)) == (["support", "itemsets"], 0)
        assert len(association_rules(sets)) == 0


def test_an_explosion_is_stopped_with_a_sentence():
    rows = np.ones((50, 60), bool)
    says = r"^apriori: more than 1,000 itemsets have a support of at least 0.5, .* raise min_support, set max_len, "
    with pytest.raises(MemoryError, match=says):
        apriori(rows, 0.5, max_itemsets=1000)
    with pytest.raises(MemoryError, match=r"more than 2,000,000 itemsets"):
        apriori(rows, 0.5)
    assert len(apriori(rows, 0.5, max_len=2, max_itemsets=1830)) == 1830
    with pytest.raises(MemoryError):
        apriori(rows, 0.5, max_len=2, max_itemsets=1829)
    with pytest.raises(MemoryError, match=r"^association_rules: more than 100 rules .* raise min_confidence"):
        association_rules(apriori(rows[:, :5], 0.5), 0.5, max_rules=100)
    # By another measure rules that do not pass count, too.
    says = r"^association_rules: more than 179 rules have a confidence of at least 0, .* MiB; pass fewer"
    with pytest.raises(MemoryError, match=says):
        association_rules(apriori(rows[:, :5], 0.5), metric="leverage", min_threshold=1, max_rules=179)
    kept = association_rules(apriori(rows[:, :5], 0.5), metric="leverage", min_threshold=1, max_rules=180)
    assert len(kept) == 0


def test_transactions_are_left_alone():
    matrix = coo_matrix(([1, 0], ([0, 1], [0, 1])), shape=(2, 2)).tocsr()
    before = matrix.copy()
    assert as_dict(apriori(matrix, 0.5)) == {frozenset({0}): 0.5}
    assert (matrix.nnz, (matrix != before).nnz) == (2, 0)


# Rules


@settings(deadline=None)
@given(baskets_of_numbers, shares, st.sampled_from([0.0, 0.3, 0.5, 2 / 3, 0.8, 1.0]))
def test_rules_equal_brute_force(baskets, share, confidence):
    sets = association_rules(apriori(baskets, share), confidence)
    measures = zip(sets["support"], sets["confidence"], sets["lift"], strict=True)
    assert dict(zip(zip(sets["antecedents"], sets["consequents"], strict=True), measures, strict=True)) == (
        naive.rules(baskets, share, confidence)
    )
    assert len(sets) == len(naive.rules(baskets, share, confidence))


METRICS = [
    "antecedent support", "consequent support", "support", "confidence", "lift", "leverage", "conviction",
    "zhangs_metric", "jaccard", "certainty", "kulczynski", "representativity",
]  # fmt: skip


@settings(deadline=None)
@given(baskets_of_numbers, shares)
def test_every_measure_is_that_of_its_definition(baskets, share):
    sets = association_rules(apriori(baskets, share), 0.0)
    assert list(sets.columns) == ["antecedents", "consequents", *METRICS]
    for rule in sets.to_dict("records"):
        expected = naive.measures(baskets, rule["antecedents"], rule["consequents"])
        for name, value in expected.items():
            if value is None:
                assert rule[name] == np.inf
            else:
                assert rule[name] == pytest.approx(float(value), rel=1e-12, abs=1e-12), name


@settings(deadline=None)
@given(
    baskets_of_numbers,
    st.sampled_from([0.01, 0.1, 0.3]),
    st.sampled_from(METRICS),
    st.sampled_from([0.0, 0.3, 0.5, 1.0]),
)
def test_rules_by_any_measure_are_all_that_reach_the_threshold(baskets, share, metric, least):
    sets = apriori(baskets, share)
    every = association_rules(sets, 0.0)
    expected = every[every[metric] >= least].reset_index(drop=True)
    rules = association_rules(sets, metric=metric, min_threshold=least)
    pd.testing.assert_frame_equal(rules, expected, check_exact=True)


def test_thresholds_below_zero_and_above_one_where_the_measure_has_them():
    sets = apriori(FRAME, 0.25)
    every = association_rules(sets, 0.0)
    for metric, least in (("lift", 1.2), ("conviction", 1.1), ("leverage", -0.01), ("zhangs_metric", -0.3)):
        kept = association_rules(sets, metric=metric, min_threshold=least)
        assert 0 < len(kept) < len(every)
        assert len(kept) == (every[metric] >= least).sum()


def test_min_confidence_is_short_for_a_threshold_of_the_confidence():
    sets = apriori(FRAME, 0.25)
    for least in (0.0, 0.6, 1.0):
        same = association_rules(sets, metric="confidence", min_threshold=least)
        pd.testing.assert_frame_equal(association_rules(sets, least), same)
        pd.testing.assert_frame_equal(association_rules(sets, min_threshold=least), same)
    expected = association_rules(sets, 0.8)
    assert 0 < len(expected) < len(association_rules(sets, 0.0))
    pd.testing.assert_frame_equal(association_rules(sets), expected)
    pd.testing.assert_frame_equal(association_rules(sets, metric="confidence"), expected)
    by_lift = association_rules(sets, metric="lift")
    assert by_lift["lift"].min() >= 0.8 > association_rules(sets, 0.0)["lift"].min()


def test_weather_rules_of_the_book():
    """Item sets of the lecture's source: 47 with two items, 39 with three and six with four, in two days or more."""
    frame = datasets.load_weather().frame
    baskets = [[f"{name} = {value}" for name, value in row.items()] for row in frame.to_dict("records")]
    sets = apriori(baskets, 2 / 14)
    assert sets["itemsets"].map(len).value_counts().sort_index().tolist() == [12, 47, 39, 6]
    rules = association_rules(sets, 1.0)
    assert len(rules) == 58
    cool = rules[rules["antecedents"] == {"temperature = cool"}].iloc[0]
    assert (cool["consequents"], cool["support"], cool["lift"]) == ({"humidity = normal"}, 4 / 14, 2.0)


@pytest.mark.slow
def test_itemsets_and_rules_equal_mlxtend_on_the_mushrooms():
    peer = pytest.importorskip("mlxtend.frequent_patterns")
    try:
        frame = datasets.load_secondary_mushroom().frame
    except datasets.DataNotAvailableError as error:
        pytest.skip(str(error))
    items = pd.get_dummies(frame.select_dtypes(exclude="number")).astype(bool)
    expected = peer.fpgrowth(items, 0.05, use_colnames=True)
    sets = apriori(items, 0.05)
    assert len(sets) > 2000
    assert as_dict(sets) == as_dict(expected)
    pd.testing.assert_frame_equal(apriori(items, 0.2), peer.apriori(items, 0.2, use_colnames=True))
    rules = association_rules(sets, 0.7)
    others = peer.association_rules(expected, metric="confidence", min_threshold=0.7)[list(rules.columns)]
    keys = ["antecedents", "consequents"]
    rules, others = (
        table.assign(**{k: table[k].map(lambda s: "|".join(sorted(s))) for k in keys}).sort_values(keys)
        for table in (rules, others)
    )
    pd.testing.assert_frame_equal(
        rules.reset_index(drop=True), others.reset_index(drop=True), check_exact=True
    )


@pytest.mark.parametrize(
    "call",
    [
        {"num_itemsets": 200, "metric": "confidence", "min_threshold": 0.5},
        {"metric": "lift", "min_threshold": 1.0, "return_metrics": ["zhangs_metric", "support"]},
        {"support_only": True, "min_threshold": 0.1},
        {"support_only": True, "min_threshold": 0.1, "metric": "lift", "return_metrics": ["confidence"]},
        {"support_only": True, "min_threshold": 1.0},
        {"null_values": False, "df_orig": None, "metric": "jaccard", "min_threshold": 0.2},
    ],
)
def test_calls_of_mlxtend_are_taken_and_do_the_same(call):
    peer = pytest.importorskip("mlxtend.frequent_patterns")
    held = pd.DataFrame(np.random.default_rng(1).random((200, 6)) < 0.5, columns=list("abcdef"))
    of_apriori = {"min_support": 0.05, "use_colnames": True, "max_len": 4, "verbose": 0, "low_memory": True}
    sets = apriori(held, **of_apriori)
    pd.testing.assert_frame_equal(sets, peer.apriori(held, **of_apriori))
    if call.get("support_only"):
        sets = sets[sets["itemsets"].map(len) > 2]  # without the subsets of most
    tables = []
    for function in (association_rules, peer.association_rules):
        rules = function(sets, **call)
        words = ["|".join(map("".join, map(sorted, pair))) for pair in rules.iloc[:, :2].to_numpy()]
        tables.append(rules.iloc[:, 2:].set_axis(words).sort_index().sort_index(axis=1))
        assert rules.columns[:2].tolist() == ["antecedents", "consequents"]
    ours, theirs = tables
    assert len(ours) == len(theirs)
    if len(ours):
        pd.testing.assert_frame_equal(ours, theirs)


def test_what_is_asked_of_rules_is_checked():
    sets, says = apriori(FRAME, 0.2), "^association_rules: return_metrics must be a list of .*, got "
    with pytest.raises(ValueError, match=f"{says}'lifts'"):
        association_rules(sets, return_metrics=["lift", "lifts"])
    with pytest.raises(ValueError, match=f"{says}'lift'"):
        association_rules(sets, return_metrics="lift")
    with pytest.raises(ValueError, match="^association_rules: null_values must be False, since"):
        association_rules(sets, null_values=True)
    with pytest.raises(MemoryError, match="raise min_threshold, or raise max_rules"):
        association_rules(sets, support_only=True, min_threshold=0.0, max_rules=1)


# Errors


LISTS = "each transaction must be a list"


@pytest.mark.parametrize(
    ("transactions", "error", "says"),
    [
        ([], ValueError, "there are no transactions"),
        (FRAME.iloc[:0], ValueError, "there are no transactions"),
        (csr_matrix((0, 3)), ValueError, "there are no transactions"),
        ("milk", TypeError, "transactions must be a Boolean DataFrame, .* got 'milk'"),
        (3, TypeError, "transactions must be a Boolean DataFrame, .* got 3"),
        (["milk", "bread"], TypeError, f"transaction 0 is 'milk' of type str; {LISTS}"),
        ([["milk"], 3], TypeError, f"transaction 1 is 3 of type int; {LISTS}"),
        ([["milk"], ["a", ["b"]]], TypeError, r"transaction 1 contains \['b'\] of type list, .* must be hashable"),
        ([["milk"], ["a", None]], ValueError, r"transaction 1 contains a missing item \(None\); leave it out"),
        ([["milk", pd.NA]], ValueError, r"transaction 0 contains a missing item \(<NA>\); leave it out"),
        (FRAME.assign(milk=2), ValueError, "column 'milk' holds 2, but must hold True and False .or 1 and 0.; for"),
        (FRAME.assign(milk="yes"), ValueError, "column 'milk' holds 'yes', but must hold True and False"),
        (FRAME.assign(milk=[1.0, None, 0, 1]), ValueError, "column 'milk' holds missing values; an item is"),
        (FRAME.set_axis(["a", "b", "a"], axis=1), ValueError, "the column name 'a' appears more than once"),
        (csr_matrix([[1, 2]]), ValueError, "the sparse matrix holds 2, but must hold only 1"),
    ],
)  # fmt: skip
def test_bad_transactions_are_refused_in_a_sentence(transactions, error, says):
    with pytest.raises(error, match=rf"^apriori: {says}[^\n]*\.$"):
        apriori(transactions, 0.5)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"min_support": 0}, "min_support must be greater than 0, got 0"),
        ({"min_support": 1.5}, "min_support must be a number from 0 to 1, got 1.5"),
        ({"min_support": "half"}, "min_support must be a number"),
        ({"max_len": 0}, "max_len must be an integer >= 1 or None, got 0"),
        ({"max_itemsets": 2.5}, "max_itemsets must be an integer"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(wrong, says):
    with pytest.raises(ValueError, match=f"^apriori: {re.escape(says)}"):
        apriori(BASKETS, **wrong)


def test_bad_itemsets_are_refused_in_a_sentence():
    sets = apriori(BASKETS, 0.25)
    for wrong, says in (
        (BASKETS, "itemsets must be a pandas DataFrame with the columns 'support' and 'itemsets'"),
        (sets[["support"]], "itemsets must be a pandas DataFrame with the columns"),
        (sets.assign(itemsets="milk"), "column 'itemsets' must hold frozensets, got 'milk'"),
        (sets.assign(support="many"), r"column 'support' must hold shares in \(0, 1\], got nan"),
        (sets.assign(support=2.0), r"column 'support' must hold shares in \(0, 1\], got 2"),
        (sets.iloc[1:], r"itemsets contains \{.*\}, but not all subsets of it; pass all frequent itemsets"),
    ):
        with pytest.raises(ValueError, match=f"^association_rules: {says}"):
            association_rules(wrong, 0.0)
    for value in (-0.1, 2, "half"):
        with pytest.raises(
            ValueError, match="^association_rules: min_confidence must be a number from 0 to 1"
        ):
            association_rules(sets, value)
    for other in (pl.DataFrame({"support": [0.5]}), sets["support"], None):
        with pytest.raises(
            ValueError, match=r"^association_rules: itemsets must be a pandas DataFrame [^\n]*\.$"
        ):
            association_rules(other)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"metric": "gini"}, "metric must be one of 'antecedent support', .*'representativity', got 'gini'"),
        ({"metric": None}, "metric must be one of .*, got None"),
        ({"metric": "support", "min_threshold": 20}, "min_threshold must be a number from 0 to 1, got 20"),
        ({"metric": "lift", "min_threshold": -1}, "min_threshold must be a number >= 0, got -1"),
        ({"metric": "leverage", "min_threshold": "a"}, "min_threshold must be a number from -1 to 1, got 'a'"),
        ({"min_threshold": float("nan")}, "min_threshold must be a number from 0 to 1, got nan"),
        ({"min_confidence": 0.5, "metric": "lift"}, "give either min_confidence or .*, not both; got .*'lift'"),
        ({"min_confidence": 0.5, "min_threshold": 0.5}, "give either min_confidence or .*, not both; got "),
    ],
)  # fmt: skip
def test_bad_thresholds_are_refused_in_a_sentence(wrong, says):
    with pytest.raises(ValueError, match=rf"^association_rules: {says}[^\n]*\.$"):
        association_rules(apriori(BASKETS, 0.25), **wrong)
