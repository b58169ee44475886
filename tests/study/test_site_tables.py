"""Tables of a notebook's page, sorted in a real headless browser."""

import numpy as np
import pandas as pd
import pytest

from tests.study.site_pieces import code_cell, display, page_of

pytestmark = pytest.mark.browser

NAMED = pd.DataFrame(
    {"accuracy": [9.5, 10.25, -1.0, np.nan, 100.0, 2.0], "kind": list("bacfed")},
    index=pd.Index(["s10", "s2", "s1", "s3", "s5", "s4"], name="data"),
)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    tables = {"named": NAMED, "few": NAMED.head(3), "nested": pd.concat([NAMED, NAMED], keys=["x", "y"])}
    tables["wide"] = NAMED.T.stack().unstack(0)
    cells = [
        code_cell("table", display({"text/html": frame.to_html()}), id=name) for name, frame in tables.items()
    ]
    page_of(folder, cells)
    return folder


def rows(page):
    return page.eval_on_selector_all(
        "#cell-named tbody tr th", "found => found.map(cell => cell.textContent)"
    )


def test_a_table_sorts_by_numbers_by_names_and_back_with_the_empty_cell_last(visit):
    page = visit("01_try.html")
    before = rows(page)
    accuracy = "#cell-named thead button:text-is('accuracy')"
    page.click(accuracy)
    assert rows(page) == ["s1", "s4", "s10", "s2", "s5", "s3"]
    page.click(accuracy)
    assert rows(page) == ["s5", "s2", "s10", "s4", "s1", "s3"]
    page.click(accuracy)
    assert rows(page) == before
    page.focus("#cell-named thead button:text-is('data')")
    page.keyboard.press("Enter")
    assert rows(page) == ["s1", "s2", "s3", "s4", "s5", "s10"]
    assert page.get_attribute("#cell-named thead th", "aria-sort") == "ascending"


def test_a_heading_stands_over_its_column(visit):
    page = visit("01_try.html")
    for column, side in (("2", "right"), ("3", "left")):  # numbers, words
        for part in ("thead", "tbody"):
            cell = f"#cell-named {part} tr:last-child > :nth-child({column})"
            assert page.eval_on_selector(cell, "cell => getComputedStyle(cell).textAlign") == side


def test_short_and_nested_tables_stay_as_they_are(visit):
    page = visit("01_try.html")
    assert page.query_selector_all("#cell-few thead button") == []
    assert page.query_selector_all("#cell-nested thead button") == []
    assert len(page.query_selector_all("#cell-wide thead button")) == 3
