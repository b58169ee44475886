"""What ``studylib try`` says of a table that may be wrong; and that it is silent of tables that are not."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from studylib.tryout.doubts import doubts, leaks
from studylib.tryout.table import load_table


def alarms(X, y, target):
    return [*leaks(X, y, target), *doubts(X, y, target)]


@pytest.fixture
def plain():
    """Columns and labels that raise no doubt."""
    rng = np.random.default_rng(0)
    n = 400
    X = pd.DataFrame({"x": rng.normal(size=n), "c": pd.Categorical(rng.choice(["low", "high", "none"], n))})
    y = pd.Series(np.where(X["x"] + rng.normal(size=n) > 0, "yes", "no"))
    return X, y


def test_a_plain_table_raises_no_doubt(plain):
    assert alarms(*plain, "label") == []


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_known_tables_raise_no_doubt(load):
    X, y = load(return_X_y=True, as_frame=True)
    assert alarms(X.astype(float), y.astype(str), "label") == []


@pytest.mark.parametrize("kind", ["number", "huge number", "category", "missing"])
def test_a_column_that_gives_the_label_away_is_named(plain, kind):
    X, y = plain
    rng = np.random.default_rng(1)
    known = y == "yes"
    X["paid on"] = {
        "number": known * 10 + rng.random(400),
        "huge number": known * 1e300 + rng.random(400),
        "category": pd.Categorical(
            np.where(known, rng.choice(list("abcd"), 400), rng.choice(list("efg"), 400))
        ),
        "missing": pd.Series(rng.random(400)).where(known),
    }[kind]
    (said,) = alarms(X, y, "label")
    assert said.startswith("Column 'paid on' alone tells 'label' almost without error.")
    assert "With '--drop=paid on' it is left out" in said  # as a shell takes it, and no full stop behind it
    assert leaks(X, y, "label") == [said]


def test_a_column_that_gives_a_rare_label_away_is_named(plain):
    X, _ = plain
    rng = np.random.default_rng(1)
    y = pd.Series(np.where(np.arange(400) % 20 == 0, "yes", "no"))
    X["x"] = np.where(y == "yes", 2.0, rng.choice([0.0, 1.0], 400))
    assert len(alarms(X, y, "label")) == 1


@pytest.mark.parametrize("kind", ["category", "range", "empty"])
def test_a_single_value_that_gives_a_rare_label_away_is_named(plain, kind):
    X, _ = plain
    rng = np.random.default_rng(1)
    y = pd.Series(np.where(np.arange(400) % 12 == 0, "yes", "no"))  # 34 rows
    told = (y == "yes") & (y.groupby(y).cumcount() < 22)
    assert alarms(X, y, "label") == []
    X["note"], part = {
        "category": (
            pd.Categorical(np.where(told, "paid back", rng.choice(["a", "b"], 400))),
            "is 'paid back'",
        ),
        "range": (np.where(told, 7.5, rng.integers(0, 7, 400)), "is 7.5"),
        "empty": (pd.Series(rng.integers(0, 7, 400)).where(~told), "is empty"),
    }[kind]
    (said,) = leaks(X, y, "label")
    assert said == (
        f"Of the 22 rows in which 'note' {part}, 22 are 'yes', and of all rows 8.5%. With --drop=note the column "
        "is left out: do so if it is filled in only once 'label' is known."
    )


def test_an_identifier_with_repetitions_is_named(plain):
    X, y = plain
    X["customer_id"] = np.repeat(np.arange(100.0), 4)
    (said,) = alarms(X, y, "label")
    assert said.startswith(
        "Column 'customer_id' looks like an identifier with repetitions: 100 values in 400 rows."
    )
    assert "--group=customer_id" in said
    assert "--id=customer_id" in said


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (["Yes", "yes", "no"], "'Yes' and 'yes'"),
        (["New York", "new-york", "Rome"], "'New York' and 'new-york'"),
        (["no", "none", "normal"], None),
        (["A", "AB", "B", "0"], None),
        (["+", "-"], None),
        (["<1", ">1"], None),
    ],
)
def test_entries_that_are_written_in_two_ways_are_named(plain, entries, said):
    X, y = plain
    X["c"] = pd.Categorical(np.random.default_rng(2).choice(entries, 400))
    found = alarms(X, y, "label")
    labels = alarms(X[["x"]], pd.Series(np.asarray(X["c"], object)), "label")
    if said is None:
        assert found == labels == []
    else:
        assert [said in one for one in found] == [True]
        assert "count as different categories" in found[0]
        assert [said in one for one in labels] == [True]
        assert "count as different classes" in labels[0]


def test_identical_columns_are_named_also_if_one_has_texts_for_the_numbers(plain):
    X, y = plain
    X["copy"] = X["x"]
    X["code"] = X["c"].cat.codes.astype(float)
    X["other"] = np.random.default_rng(3).normal(size=400)
    X.loc[1], y[1] = X.loc[0], y[0]  # a row that is there twice ties columns of different numbers
    (said,) = alarms(X, y, "label")
    assert said == "Columns that tell the same in every row: 'x' and 'copy'; 'c' and 'code'."


def test_doubts_are_remarks_of_a_table_and_times_are_read(plain, tmp_path):
    X, y = plain
    day = pd.date_range("2024-01-01", periods=400).strftime("%d.%m.%Y")
    frame = X.assign(copy=X["x"], day=day[::-1], label=y)
    frame.to_csv(tmp_path / "t.csv", index=False)
    table = load_table(tmp_path / "t.csv", "label", time="day")
    assert "day" not in table.X
    assert (np.diff(table.times) == -1).all()
    assert any("tell the same in every row" in remark for remark in table.remarks)
    assert any("says which rows are later" in remark for remark in table.remarks)


def test_times_that_cannot_be_used_are_refused_in_a_sentence(plain, tmp_path):
    X, y = plain
    frame = X.assign(when=np.arange(400.0), label=y)
    frame.loc[3, "when"] = None
    frame.to_csv(tmp_path / "gap.csv", index=False)
    with pytest.raises(
        ValueError, match="--time=when needs a date or a number in each row, and 1 row of 400"
    ):
        load_table(tmp_path / "gap.csv", "label", time="when")
    frame = X.assign(when=np.arange(400), group=np.arange(400) % 7, label=np.sort(y))
    frame.to_csv(tmp_path / "sorted.csv", index=False)
    with pytest.raises(ValueError, match="the earliest 66 rows all have the label 'no'"):
        load_table(tmp_path / "sorted.csv", "label", time="when")
    with pytest.raises(ValueError, match="--group and --time were both given"):
        load_table(tmp_path / "sorted.csv", "label", time="when", group="group")
    with pytest.raises(ValueError, match="has no column 'whn'"):
        load_table(tmp_path / "sorted.csv", "label", time="whn")
