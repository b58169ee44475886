"""What ``studylib try`` says of files that it cannot use, and of those that it can only partly use."""

import os

import numpy as np
import pandas as pd
import pytest

from studylib.tryout.columns import MAX_CATEGORIES, OTHER, as_column
from studylib.tryout.options import Options
from studylib.tryout.phrases import number
from studylib.tryout.reading import read_table
from studylib.tryout.table import N_FOLDS, load_table

N = 60


def good(**columns):
    """A table of two numbers, a category and a target."""
    rng = np.random.default_rng(0)
    frame = {
        "height": rng.normal(size=N).round(3),
        "weight": rng.normal(size=N).round(3),
        "colour": rng.choice(["red", "blue"], N),
        "label": np.arange(N) % 3,
    }
    return pd.DataFrame({**frame, **columns})


@pytest.fixture
def saved(tmp_path):
    """Saves a frame, or text, as CSV; returns the path."""

    def save(content, name="flowers.csv"):
        path = tmp_path / name
        if isinstance(content, pd.DataFrame):
            content.to_csv(path, index=False)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content)
        return path

    return save


def refused(path, target="label"):
    """The one sentence with which a table is refused."""
    with pytest.raises(ValueError, match="^try: ") as caught:
        load_table(path, target)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_a_missing_file_with_the_names_that_are_like_it(saved, tmp_path):
    saved(good())
    assert "did you mean 'flowers.csv'?" in refused(tmp_path / "flower.csv")
    assert "no folder" in refused(tmp_path / "nowhere" / "flowers.csv")
    assert "is not a file" in refused(tmp_path)


def test_a_missing_target_with_the_names_that_are_like_it(saved):
    path = saved(good())
    assert "no column 'Lable'; did you mean 'label'?" in refused(path, "Lable")
    assert "; there are 'height', 'weight', 'colour', 'label'." in refused(path, "zzz")


def test_an_empty_and_a_binary_file(saved):
    assert "is empty" in refused(saved(""))
    assert "binary file" in refused(saved(b"\x00\x01\x02" * 50))
    assert "cannot be read as CSV" in refused(saved(b"\x1f\x8b no gzip", "flowers.csv"))


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(saved):
    path = saved(good())
    path.chmod(0)
    assert "Permission denied" in refused(path)


def test_ten_gigabytes_are_refused_unread_with_advice(tmp_path):
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(10_000_000_000)  # sparse: it takes no room
    said = refused(path)
    assert "has more than 500 MB, the limit that --max-file-mb sets; draw a sample of its rows" in said
    assert "shuf -n 100000" in said


def test_parquet_is_the_same_table_as_csv(saved, tmp_path):
    good().to_parquet(tmp_path / "flowers.parquet")
    ours, theirs = load_table(saved(good()), "label"), load_table(tmp_path / "flowers.parquet", "label")
    pd.testing.assert_frame_equal(ours.X, theirs.X, check_categorical=False, check_dtype=False)
    assert ours.y.tolist() == theirs.y.tolist()
    assert "cannot be read as Parquet" in refused(saved(b"PAR1 or not", "broken.parquet"))


def test_an_excel_file_is_its_first_sheet_without_titles_and_totals(tmp_path):
    frame = good(when=pd.date_range("2024-01-01", periods=N), paid=[True, False] * (N // 2))
    with pd.ExcelWriter(tmp_path / "flowers.xlsx") as book:
        frame.to_excel(book, sheet_name="Beete", index=False, startrow=3)
        book.sheets["Beete"].cell(1, 1, "Bericht 2024")
        book.sheets["Beete"].cell(N + 5, 1, "Quelle: Amt")
        good()[:2].to_excel(book, sheet_name="andere")
    found, remarks = read_table(tmp_path / "flowers.xlsx")
    pd.testing.assert_frame_equal(found, frame, check_dtype=False)
    assert remarks == [
        "The file has 2 sheets; the first was read, 'Beete'.",
        "Above the header, 1 line of text: 'Bericht 2024'.",
        "Left out: 1 row below the table, with totals or notes.",
    ]
    columns = {row["name"]: row["kind"] for row in load_table(tmp_path / "flowers.xlsx", "label").details}
    assert columns == {
        "height": "numbers", "weight": "numbers", "colour": "categories", "label": "target", "when": "dates",
        "paid": "numbers",
    }  # fmt: skip
    pd.DataFrame().to_excel(tmp_path / "empty.xlsx")
    assert "the sheet 'Sheet1' of" in refused(tmp_path / "empty.xlsx")


def test_two_columns_of_the_targets_name(saved):
    text = good().to_csv(index=False).replace("weight", "label", 1)
    assert "several columns called 'label'" in refused(saved(text))


def test_targets_that_are_no_classes(saved):
    assert "all rows have the same label" in refused(saved(good(label="yes")))
    quantities = (
        np.linspace(0, 1, N),
        np.arange(N) // 2,
        [f"{k},5" for k in range(N)],
        [f"{k}.000" for k in range(N)],
        ["Varies", *(f"{k / 10}" for k in range(N - 1))],
    )
    for quantity in quantities:
        assert "a quantity" in refused(saved(good(label=quantity)))
    assert "names rows rather than classes" in refused(saved(good(label=[f"r{i}" for i in range(N)])))
    assert "has 12 rows with a label" in refused(saved(good()[:12]))
    rare = ["a"] * (N - 3) + ["b", "c", "d"]
    assert "4 classes, 1 of them with at least 5 rows" in refused(saved(good(label=rare)))
    assert "1 row with a label" in refused(saved(good()[:1]))


def test_rare_classes_and_rows_without_label_are_left_out_and_said(saved):
    labels = ["a"] * 30 + ["b"] * 20 + ["c"] * (N_FOLDS - 1) + [None] * (10 - N_FOLDS + 1)
    table = load_table(saved(good(label=labels)), "label")
    assert sorted(set(table.y)) == ["a", "b"]
    said = " ".join(table.remarks)
    assert "Left out: 6 rows without a label." in said
    assert "Left out: 1 class with fewer than 5 rows, one for each fold, in all 4 rows: 'c'." in said
    assert "spelling" not in said
    assert len(table.y) == 50


def test_what_is_said_of_several_columns_alike_is_said_once(saved):
    table = load_table(saved(good(**{f"flag {k}": 1 for k in range(7)}, dull=2)), "label")
    assert table.remarks == [
        "Column 'flag 0' holds nothing but 1; it is left out. "
        "Likewise 'flag 1', 'flag 2', 'flag 3', 'flag 4' and 2 more.",
        "Column 'dull' holds nothing but 2; it is left out.",
    ]
    assert (
        sum(
            row["reason"] == f"Column {row['name']!r} holds nothing but 1; it is left out."
            for row in table.details
        )
        == 7
    )


def test_rare_classes_that_look_misspelt_are_asked_about(saved):
    labels = ["stroke"] * (N - 24) + ["none"] * 20 + ["Stroke", "STROKE", "strok", "other"]
    (said,) = (s for s in load_table(saved(good(label=labels)), "label").remarks if "Left out" in s)
    assert said.endswith(
        "Are these spellings of classes that stay: 'Stroke' ('stroke'), 'STROKE' ('stroke'), 'strok' ('stroke')? "
        "Then correct them in the file."
    )


def test_whole_numbers_with_missing_entries_remain_whole_as_labels(saved):
    table = load_table(saved(good(label=[0, 1, None] * (N // 3))), "label")
    assert sorted(set(table.y)) == ["0", "1"]


def test_rows_are_drawn_with_the_classes_in_their_shares(saved):
    labels = ["a"] * 8_000 + ["b"] * 1_990 + ["c"] * 10
    rng = np.random.default_rng(0)
    path = saved(pd.DataFrame({"x": rng.normal(size=10_000), "label": labels}))
    table = load_table(path, "label", max_rows=1000)
    sizes = table.y.value_counts()
    assert sizes["a"] == 800
    assert sizes["b"] == 199
    assert sizes["c"] == 10  # all: its share would be one row
    assert any("were drawn" in remark for remark in table.remarks)
    again = load_table(path, "label", max_rows=1000)
    pd.testing.assert_frame_equal(table.X, again.X)
    assert not table.X.equals(load_table(path, "label", max_rows=1000, seed=1).X)


def test_none_is_a_class_among_words_and_a_gap_among_numbers(saved):
    table = load_table(saved(good(label=["None", "Insomnia", "NA", "EU"] * (N // 4))), "label")
    assert sorted(set(table.y)) == ["EU", "Insomnia", "None"]
    assert table.remarks[0] == "Read as a class and not as a gap: 'None' (15 rows); a gap is an empty entry."
    table = load_table(saved(good(label=["none", "0", "1"] * (N // 3))), "label")
    assert sorted(set(table.y)) == ["0", "1"]
    assert table.remarks[:2] == [
        "Read as no label: 'none' (20 rows); a class of this name needs another.",
        "Left out: 20 rows without a label.",
    ]


@pytest.mark.parametrize(
    "mark", ["?", ".", "(null)", "<null>", "#NULL!", "n.a.", "NaT", "\\N", "-", "NA", "k.A."]
)
def test_marks_are_missing_among_labels_and_entries_alike(saved, mark):
    table = load_table(
        saved(good(label=["yes", "no", mark] * (N // 3), city=["a", mark, "b"] * (N // 3))), "label"
    )
    assert sorted(set(table.y)) == ["no", "yes"]
    assert f"Read as no label: {mark!r} (20 rows); a class" in " ".join(table.remarks)
    assert list(table.X["city"].cat.categories) == ["a", "b"] or list(table.X["city"].cat.categories) == ["a"]


def test_plus_and_minus_are_a_pair_and_no_mark(saved):
    table = load_table(saved(good(label=["+", "-"] * (N // 2), sign=["-", "+", "+"] * (N // 3))), "label")
    assert sorted(set(table.y)) == ["+", "-"]
    assert table.X["sign"].tolist() == ["-", "+", "+"] * (N // 3)


def test_what_the_user_calls_missing_is_no_label(saved):
    table = load_table(saved(good(label=["a", "b", "unknown"] * (N // 3))), "label", missing=("unknown",))
    assert sorted(set(table.y)) == ["a", "b"]


def test_few_rows_that_are_left_are_an_error_with_numbers(saved):
    rare = [f"r{k % 16}" for k in range(N - 12)] + ["p", "q"] * 5 + ["?", "?"]
    assert refused(saved(good(label=rare))).endswith(
        "10 rows of 58 are in classes of 'label' with at least 5 rows ('p' 5, 'q' 5); a comparison needs at least 40."
    )


def test_a_column_that_a_file_declares_a_category_is_one(tmp_path):
    good(city=pd.Categorical(np.arange(N) % 4 + 1)).to_parquet(tmp_path / "a.parquet")
    good(city=pd.Categorical(np.arange(N) % 4 + 1)).to_feather(tmp_path / "a.arrow")
    for name in ("a.parquet", "a.arrow"):
        assert load_table(tmp_path / name, "label").X["city"].cat.categories.tolist() == ["1", "2", "3", "4"]


def test_blank_labels_are_missing(saved):
    table = load_table(
        saved(good(label=["a", "b ", '" "'] * (N // 3)).to_csv(index=False, quoting=3)), "label"
    )
    assert sorted(set(table.y)) == ["a", "b"]


def kind(values, name="it"):
    column = as_column(name, pd.Series(values))
    return column.kind, column.remark, column.values


def test_text_in_a_column_of_numbers_counts_as_missing():
    what, said, values = kind([str(i / 4) for i in range(50)] + ["?", "n/k", "?"])
    assert what == "numbers"
    assert said == (
        "Column 'it' holds 3 entries without a digit (such as '?', 'n/k'), which count as missing."
    )
    assert values.isna().sum() == 3
    assert values[4] == 1.0
    assert "1 entry without a digit (such as '?'), which counts as missing" in kind(["1", "2", "?"])[1]


@pytest.mark.parametrize(
    ("values", "name", "what"),
    [
        (range(100, 160), "it", "identifier"),  # a running number
        *(
            (np.random.default_rng(0).permutation(10_000)[:60], name, "identifier")
            for name in ("customer_id", "CustomerID", "orderNr", "caseid", "PATIENTID")
        ),
        ([*range(100, 160), 100, 101], "Kunden-Nr", "identifier"),  # with two rows that are there twice
        ([f"u{i}@example.org" for i in range(60)], "mail", "text"),
        ([f"a long remark about the case number {2 * i // 3} and more" for i in range(60)], "it", "text"),
        ([7.5] * 60, "it", "constant"),
        ([None] * 60, "it", "empty"),
        ([[1], [2]] * 30, "it", "lists"),
    ],
)
def test_columns_that_are_left_out_are_named(values, name, what):
    found, said, kept = kind(list(values), name)
    assert found == what
    assert kept is None
    assert repr(name) in said
    assert "left out" in said


def test_measurements_that_are_all_different_are_kept():
    rng = np.random.default_rng(0)
    assert kind(rng.normal(size=60))[0] == "numbers"
    for name in ("salary", "paid", "Amino acid", "ID card number"):
        assert kind(rng.permutation(10_000)[:60], name)[0] == "numbers"


def test_many_categories_and_infinity():
    values = [f"c{i % 300}" for i in range(3000)]
    what, said, kept = kind(values)
    assert what == "categories"
    assert len(kept.cat.categories) == MAX_CATEGORIES
    assert OTHER in set(kept)
    assert "300 categories" in said
    _, said, kept = kind([1.5, np.inf, 2.5] * 20)
    assert "infinity 20 times" in said
    assert kept.isna().sum() == 20


def test_duplicate_rows_are_counted(saved):
    frame = pd.concat([good(), good()[:10]])
    assert "10 rows with the same features as an earlier row" in " ".join(
        load_table(saved(frame), "label").remarks
    )


def test_whole_numbers_beyond_all_floats_are_labels(saved):
    labels = [str(10**400) if k % 2 else "1" for k in range(N)]
    table = load_table(saved(good(label=labels)), "label")
    assert set(table.y) == set(labels)


def test_numbers_without_ten_others_between_them_have_no_bars(saved):
    table = load_table(saved(good(code=10**20 + 20_000 * (np.arange(N, dtype=object) % 2))), "label")
    assert table.columns["distribution"]["code"] == ""


@pytest.mark.parametrize(
    "option", [{"drop": ["label"]}, {"id": ["label"]}, {"group": "label"}, {"time": "label"}]
)
def test_no_option_names_the_target(saved, option):
    with pytest.raises(ValueError, match="^try: 'label' is the column to predict; --drop, --id, --group and"):
        load_table(saved(good()), "label", **option)


def test_a_group_may_be_of_any_type(tmp_path):
    good(days=[[k % 7] for k in range(N)]).to_parquet(tmp_path / "a.parquet")
    assert len(set(load_table(tmp_path / "a.parquet", "label", group="days").groups)) == 7


def test_long_names_are_cut(saved):
    said = refused(saved(pd.DataFrame({"x" * 5000: np.nan, "label": np.arange(N) % 3})))
    assert "no column to predict 'label' from" in said
    assert len(said) < 800


def test_dates_behind_the_year_9999_count_as_days():
    dates = pd.Series(np.array(["12000-01-01", "12000-02-01", "12001-01-01"], "datetime64[s]"))
    found = as_column("when", dates)
    assert found.values.tolist() == [0, 31, 366]
    assert found.remark == "Column 'when' holds dates; they count as days since 12000-01-01."


@pytest.mark.parametrize("dtype", ["int64", "float32", "Int64"])
def test_a_number_that_is_named_counts_as_missing(dtype):
    column = as_column("it", pd.Series([3, -999, 5, 3], dtype=dtype), Options(missing=("-999", "n.b.")))
    assert column.as_text().tolist() == ["3", "", "5", "3"]
    assert as_column("it", pd.Series([-999, -999]), Options(missing=("-999",))).kind == "empty"


def test_a_counter_is_kept_if_it_is_all_there_is(saved):
    table = load_table(saved(pd.DataFrame({"x": range(60), "label": ["a", "b"] * 30})), "label")
    assert table.X["x"].tolist() == list(range(60))
    assert table.remarks[0] == "Column 'x' seems to count the rows; it is kept, because no other is left."
    with pytest.raises(ValueError, match="no column to predict 'label' from: Column 'x' names the rows"):
        load_table(saved(pd.DataFrame({"x": range(60), "label": ["a", "b"] * 30})), "label", id=("x",))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"), (2024, "2024"), (1.5, "1.5"), (477.03, "477.03"), (14394.4, "14,394.4"), (33112000, "33,112,000"),
        (-1234567.4, "-1,234,567"), (99999.97, "100,000"), (0.000123, "0.000123"), (3e-9, "3e-09"), (3e20, "3e+20"),
        (np.inf, "inf"), (9999.5, "9999.5"), (10_000, "10,000"), (100_000.4, "100,000"), (999e12, "999,000,000,000,000"),
        (1e15, "1e+15"), (1e-4, "0.0001"),
    ],
)  # fmt: skip
def test_numbers_are_shown_as_a_reader_writes_them(value, text):
    assert number(value) == text


def test_the_range_of_dates_is_one_of_dates(saved):
    days = pd.date_range("2024-01-30", periods=N)[::-1].strftime("%d.%m.%Y")
    columns = load_table(saved(good(day=days, big=np.arange(N) * 1e6 + 0.5)), "label").columns
    assert columns.loc["day", "values"].startswith("2024-01-30 to 2024-")
    assert "e+" not in columns.loc["big", "values"]


def test_the_details_say_of_each_column_what_became_of_it(saved):
    days = pd.date_range("2024-01-30", periods=N).strftime("%d.%m.%Y")
    extra = {"day": days, "at": ["8:05", "?"] * (N // 2), "paid": ["Ja", "nein"] * (N // 2), "one": ["1"] * N}
    details = {row["name"]: row for row in load_table(saved(good(**extra)), "label").details}
    assert list(details) == list(good(**extra))
    assert {name: (row["kind"], row["format"]) for name, row in details.items()} == {
        "height": ("numbers", "plain"), "weight": ("numbers", "plain"), "colour": ("categories", ""),
        "label": ("target", ""), "day": ("dates", "day.month.year"), "at": ("numbers", "times of day"),
        "paid": ("numbers", "yes or no"), "one": ("constant", ""),
    }  # fmt: skip
    assert details["day"]["examples"] == [[day, f"2024-0{day[4]}-{day[:2]}"] for day in days[:5]]
    assert details["at"]["examples"] == [["8:05", "08:05"], ["?", ""]]
    assert details["paid"]["examples"] == [["Ja", "1"], ["nein", "0"]]
    assert [name for name, row in details.items() if row["dropped"]] == ["one"]
    assert details["one"]["reason"] == "Column 'one' holds nothing but 1; it is left out."
    assert details["one"]["examples"] == [["1", None]]
