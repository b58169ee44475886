"""Titles above a table, and totals and notes below it, which are no rows."""

import pandas as pd
import pytest

from studylib.tryout.reading import read_table

TOTALS = ["Total", "grand total", "Subtotal", "TOTALS"]


@pytest.fixture
def read(tmp_path):
    """Writes text and reads it as a table: the frame and the remarks."""

    def read(text):
        (tmp_path / "a.csv").write_text(text)
        return read_table(tmp_path / "a.csv")

    return read


def test_lines_above_and_below_a_table_are_no_part_of_it(read):
    rows = "".join(f"k{k};{k};{k * k}\n" for k in range(9))
    frame, remarks = read(f"Bericht 2024;;\n\nname;one;two\n{rows};;\nTotal;36;204\n;;\nQuelle: Amt\n")
    assert frame.columns.tolist() == ["name", "one", "two"]
    assert frame["name"].tolist() == [f"k{k}" for k in range(9)]
    assert remarks == [
        "Above the header, 1 line of text: 'Bericht 2024'.",
        "Left out: 4 rows below the table, with totals or notes.",
    ]


@pytest.mark.parametrize("first", ["", '"sep=;"\n'])
def test_titles_are_said_without_their_delimiters(read, first):
    frame, remarks = read(f"{first}Bericht ;;\nStand 2024;;\nname;one;two\nk;1;2\nl;3;4\n")
    assert frame.to_dict("list") == {"name": ["k", "l"], "one": ["1", "3"], "two": ["2", "4"]}
    assert remarks == ["Above the header, 2 lines of text: 'Bericht Stand 2024'."]


def test_the_title_of_two_columns_is_a_line_without_a_delimiter(read):
    rows = "k1;1\nk2;2\nk3;3\n"
    frame, remarks = read(f"Bericht\nname;one\n{rows}")
    assert frame.columns.tolist() == ["name", "one"]
    assert remarks == ["Above the header, 1 line of text: 'Bericht'."]
    frame, remarks = read(f"name;\n{rows}")  # a column without a name is no title
    assert frame.columns.tolist() == ["name", "Unnamed: 1"]
    assert remarks == []


def test_a_table_of_one_column_has_no_title(read):
    assert read("name\nk\nl\nm\n")[0].to_dict("list") == {"name": ["k", "l", "m"]}


@pytest.mark.parametrize("word", TOTALS)
def test_a_total_is_known_by_its_word(read, word):
    frame, remarks = read(f"name;one;two\nk;1;2\nl;3;4\n{word};4;6\n")
    assert frame["name"].tolist() == ["k", "l"]
    assert remarks == ["Left out: 1 row below the table, with totals or notes."]


@pytest.mark.parametrize("last", ["total;1;2\ntotal;3;4", "Sumatra;4;6", "m;;6"])
def test_the_last_row_counts_if_it_is_like_others(read, last):
    frame, remarks = read(f"name;one;two\nk;1;2\n{last}\n")
    assert len(frame) == 2 + last.count("\n")
    assert remarks == []


def test_a_table_keeps_its_only_row(read):
    assert len(read("name;one;two\nk;1;2\nTotal;1;2\n")[0]) == 1
    assert len(read("name;one;two\nTotal;1;2\n")[0]) == 1


def test_an_excel_file_of_one_sheet_is_read_without_a_word(tmp_path):
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_excel(tmp_path / "a.xlsx", index=False)
    frame, remarks = read_table(tmp_path / "a.xlsx")
    assert frame.to_dict("list") == {"a": [1, 2], "b": ["x", "y"]}
    assert remarks == []
