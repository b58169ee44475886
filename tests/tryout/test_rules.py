"""Rules on a page: a threshold of a date is a date that divides the rows in the same way."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.rules import OneRClassifier
from studylib.trees import TreePredictor
from studylib.tryout import rules
from studylib.tryout.dates import AsDate
from studylib.tryout.table import load_table

MOMENTS = st.datetimes(pd.Timestamp("1925-01-01"), pd.Timestamp("2029-12-31"))


@given(st.sets(MOMENTS, min_size=2, max_size=20), st.sampled_from(["D", "min", "s"]), st.data())
def test_a_date_divides_the_moments_as_the_threshold_does(moments, unit, data):
    moments = pd.Series(sorted({pd.Timestamp(moment).floor(unit) for moment in moments}))
    days = ((moments - moments.min()) / pd.Timedelta(days=1)).to_numpy()
    if len(days) == 1:
        return
    k = data.draw(st.integers(1, len(days) - 1))
    threshold = days[k - 1 : k + 1].mean()  # as a tree has it
    written = pd.Timestamp(AsDate(moments)(threshold))
    assert (
        (moments <= written).tolist()
        == (days <= threshold).tolist()
        == [True] * k + [False] * (len(days) - k)
    )


def test_days_and_moments_are_written_as_short_as_can_be():
    days = pd.Series(pd.to_datetime(["2024-01-30", None, "2024-03-01"]))
    assert AsDate(days)(0.5) == "2024-01-30"
    minutes = pd.Series(pd.to_datetime(["2024-01-30 08:00", "2024-01-30 09:30"]))
    assert AsDate(minutes)(0.0625) == "2024-01-30 09:30"
    assert AsDate(minutes)(0.00001) == "2024-01-30 08:00"
    seconds = pd.Series(pd.to_datetime(["2024-01-30 08:00:05", "2024-01-30 09:30:00"]))
    assert AsDate(seconds)(0.0) == "2024-01-30 08:00:05"


def rules_of(tree, X, dates):
    table = SimpleNamespace(X=X, dates=dates)
    return rules.table_of_rules(tree, SimpleNamespace(focus=False), table).index.tolist()


@given(st.integers(0, 1000), st.integers(0, 4))
def test_rules_without_dates_are_those_of_the_tree(seed, max_depth):
    rng = np.random.default_rng(seed)
    names = ["x", "x > 1 and y"]
    X = pd.DataFrame(rng.choice([0, 1 / 3, 1e20, -2.5, np.nan], (40, 2)), columns=names).fillna({"x": 1})
    X["sort"] = pd.Categorical(rng.choice(["a", "x ≤ 2", None], 40))
    tree = TreePredictor(max_depth=max_depth).fit(X, rng.integers(0, 2, 40))
    expected = tree.rules().sort_values("n_samples", ascending=False, kind="stable")["rule"]
    assert rules_of(tree, X, {}) == expected.tolist()


def test_only_thresholds_of_dates_are_written_as_dates():
    X = pd.DataFrame({"day": [np.nan, 9, 9, 2, 2, 0], "birth day": [5, 9, 5, 5, 9, 5.0]})
    tree = TreePredictor().fit(X, list("aaabcd"))
    assert rules_of(tree, X, {"day": AsDate(pd.Series(pd.date_range("2024-01-01", periods=10)))}) == [
        "day > 2024-01-06 (or missing)",
        "day ≤ 2024-01-02",
        "2024-01-02 < day ≤ 2024-01-06 and birth day > 7",
        "2024-01-02 < day ≤ 2024-01-06 and birth day ≤ 7",
    ]


@pytest.fixture
def table(tmp_path):
    n = 200
    moments = pd.date_range("2023-05-28", periods=n)[np.random.default_rng(0).permutation(n)]
    frame = pd.DataFrame(
        {
            "bought": moments.strftime("%d.%m.%Y"),
            "size": np.arange(n) % 7,
            "label": np.where(moments >= "2023-08-01", "late", "early"),
        }
    )
    frame.to_csv(tmp_path / "t.csv", index=False)
    return load_table(tmp_path / "t.csv", "label")


def test_rules_of_a_table_name_days(table):
    assert list(table.dates) == ["bought"]
    compared = SimpleNamespace(focus=False, rarest="early", tested=slice(None))
    shown = rules.table_of_rules(TreePredictor(max_depth=1).fit(table.X, table.y), compared, table)
    assert shown.index.tolist() == ["bought > 2023-07-31", "bought ≤ 2023-07-31"]
    assert shown["right"].tolist() == ["100%", "100%"]
    one = rules.table_of_one_rule(OneRClassifier(min_bucket_size=20).fit(table.X, table.y), table)
    assert one.index.tolist() == ["bought > 2023-07-31", "bought ≤ 2023-07-31"]
    early = table.X["bought"] < 20
    compared = SimpleNamespace(tested=slice(None), confidences={rules.PARTIAL: np.where(early, 0.5, 1.5)})
    assert rules.abstention_rules(table, compared).index[0] == "bought ≤ 2023-06-16"
