"""Tables of pandas as a page shows them, without a browser."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from studylib.study import table
from studylib.study.site.tables import tidy
from tests.study.html_document import rows


def shown(frame, classes=None):
    """The table that a page makes of a frame."""
    printed = frame.to_html(classes=classes)
    soup = BeautifulSoup(f"<style>.dataframe {{}}</style><div>{printed}</div>", "html.parser")
    assert tidy(soup, "How many?", 4) == 5
    assert not soup.style
    assert soup.figcaption.get_text().startswith("Table 5. How many?")
    return soup


def test_a_value_and_its_interval_share_a_column_in_the_digits_that_it_supports():
    frame = pd.DataFrame(
        {"mean": [0.12345, -2.0], "low": [0.1012, -4.0], "high": [0.2034, 0.0], "n_sets": [3, np.nan]},
        index=pd.Index(["a", "b"], name="max_depth"),
    )
    assert rows(shown(frame)) == [
        ["max depth", "mean (low to high)", "number of sets"],
        ["a", "0.123 (0.101 to 0.203)", "3.0"],
        ["b", "−2 (−4 to 0)", "–"],
    ]


def test_intervals_that_name_their_value_and_spreads_share_its_column_too():
    frame = pd.DataFrame({"error": [1.0], "error, low": [0.5], "error, high": [1.5], "kind": ["x y"]})
    frame.index = ["a"]
    assert rows(shown(frame)) == [["", "error (low to high)", "kind"], ["a", "1.0 (0.5 to 1.5)", "x y"]]
    columns = pd.MultiIndex.from_product([["train", "test"], ["mean", "std"]])
    soup = shown(pd.DataFrame([[1.5, 0.1, 2.5, 0.2]], index=["a"], columns=columns))
    assert soup.select_one(".note").get_text() == "mean (± standard deviation)."
    assert rows(soup) == [["", "train", "test"], ["a", "1.5 (± 0.1)", "2.5 (± 0.2)"]]
    assert soup.table["aria-label"] == "Table 5, How many?"
    exact = pd.DataFrame({"mean": [15.72, 2.0], "std": [0.45356, 0.0]}, index=["a", "b"])
    assert rows(shown(exact))[1:] == [["a", "15.72 (± 0.45)"], ["b", "2 (± 0)"]]


def test_an_interval_is_that_of_the_mean_and_of_nothing_else():
    frame = pd.DataFrame({"sets": [75], "mean": [1.0], "low": [0.5], "high": [1.5], "ties": [3]}, index=["a"])
    assert rows(shown(frame))[1] == ["a", "75", "1.0 (0.5 to 1.5)", "3"]
    assert rows(shown(frame.drop(columns="mean")))[1] == ["a", "75", "0.5", "1.5", "3"]


def test_places_of_rows_are_no_labels():
    frame = pd.DataFrame({"name": ["a", "b"], "right": [True, False]})
    assert rows(shown(frame)) == [["name", "right"], ["a", "yes"], ["b", "no"]]


def test_names_and_entries_of_a_table_of_a_user_stay():
    frame = pd.DataFrame(
        {"n_visits": ["10115", "True"], "share": ["1.0 (0.5 to 1.5)", "-3"]}, ["gene_0", "b"]
    )
    assert rows(shown(frame, "verbatim")) == [
        ["", "n_visits", "share"],
        ["gene_0", "10115", "1.0 (0.5 to 1.5)"],
        ["b", "True", "-3"],
    ]
    assert rows(shown(frame))[:2] == [
        ["", "number of visits", "share"],
        ["gene 0", "10,115", "1.0 (0.5 to 1.5)"],
    ]


@pytest.mark.parametrize(
    ("shape", "layout"),
    [((20, 3), ""), ((3, 9), "turned"), ((9, 9), "stacked"), ((3, 20), "")],  # the last is turned everywhere
)
def test_a_table_too_wide_for_a_phone_is_laid_out_anew_there(shape, layout):
    frame = pd.DataFrame(np.full(shape, 0.12345), index=[f"row {k}" for k in range(shape[0])])
    soup = shown(frame.add_prefix("column "))
    assert set(soup.table["class"]) - {"dense"} == {"study-table", "data", *filter(None, [layout])}
    assert ("data-rows" in soup.table.attrs) == (max(len(frame), (shape[1] > 12) * shape[1]) > 14)
    assert (soup.td.get("data-label") is not None) == (layout == "stacked")


def test_cells_that_are_no_numbers_are_merged_as_they_were_printed():
    frame = pd.DataFrame({"mean": ["12%"], "low": ["10%"], "high": ["-1%"]}, index=["a"])
    assert rows(shown(frame))[1] == ["a", "12% (10% to −1%)"]


def test_what_is_no_plain_frame_of_pandas_stays_as_it_is():
    styled = pd.DataFrame({"n_trees": [1]}).style.to_html()
    text = "<table><tr><td>1</td></tr></table><table class='dataframe'><tr><td>1</td></tr></table>" + styled
    soup = BeautifulSoup(text, "html.parser")
    before = str(soup)
    assert tidy(soup, "", 0) == 0
    assert str(soup) == before


def test_a_table_of_ours_only_gets_a_number():
    ours = table(pd.DataFrame({"kind": ["n_trees"], "n_sets": [12345.678]}, index=["a"]), "Sets <b>")
    soup = BeautifulSoup(ours._repr_html_(), "html.parser")
    head, body = str(soup.thead), str(soup.tbody)
    assert tidy(soup, "", 4) == 5
    assert (str(soup.thead), str(soup.tbody)) == (head, body)
    assert soup.select_one("figure.table#table-5 > .scroll > table.study-table:not(:has(caption))")
    assert soup.figcaption.get_text() == "Table 5. Sets <b>"
    assert soup.table["aria-label"] == "Table 5, Sets <b>"


def test_a_part_of_a_frame_does_not_say_so_in_pandas_words():
    frame = pd.DataFrame(np.arange(1000.0).reshape(100, 10))
    soup = BeautifulSoup(frame._repr_html_(), "html.parser")
    assert "100 rows" in soup.get_text()
    tidy(soup, "", 0)
    assert "100 rows" not in soup.get_text()
