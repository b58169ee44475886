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
    threshold = float(f"{days[k - 1 : k + 1].mean():.12g}")  # as a rule has it
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


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("day ≤ 12.5", "day ≤ 2024-01-13"),
        ("2.5 < day ≤ 1e+02 and sort is 'a'", "2024-01-03 < day ≤ 2024-04-10 and sort is 'a'"),
        ("x > 3 and day > 0.5 (or missing)", "x > 3 and day > 2024-01-01 (or missing)"),
        ("birth day ≤ 12.5 and day is known", "birth day ≤ 12.5 and day is known"),
        ("x and day ≤ 12.5", "x and day ≤ 12.5"),
        ("day is missing", "day is missing"),
        ("always", "always"),
    ],
)
def test_only_thresholds_of_dates_are_written_anew(rule, expected):
    days = AsDate(pd.Series(pd.date_range("2024-01-01", periods=200)))
    table = SimpleNamespace(X=["day", "x", "birth day", "x and day", "sort"], dates={"day": days})
    assert rules.with_dates(rule, table) == expected


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
