"""Tables that a notebook shows: `studylib.study.table`."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup

from studylib.study import table
from tests.study.html_document import rows


def soup(shown):
    return BeautifulSoup(shown._repr_html_(), "html.parser")


def rows_of(shown):
    return rows(soup(shown))


ENDS = {"mean": ("low", "high")}


@pytest.mark.parametrize(
    ("numbers", "printed"),
    [
        ((12345.678, 12300.12, 12391.2), "12,346 (12,300 to 12,391)"),
        ((-1, -2.5, 0.5), "−1.0 (−2.5 to 0.5)"),
    ],
)
def test_a_value_and_its_interval_share_a_cell_in_the_digits_that_it_supports(numbers, printed):
    shown = table(pd.DataFrame([numbers], ["a"], ["mean", "low", "high"]), "Means.", ENDS)
    assert rows_of(shown) == [["", "mean"], ["a", printed]]
    assert str(shown).splitlines()[0] == "Means."
    assert str(shown).splitlines()[-1].split(maxsplit=1) == ["a", printed]


def test_an_end_that_differs_from_a_bound_does_so_as_printed():
    frame = pd.DataFrame({"mean": [0.5], "low": [0.004], "high": [1.0]}, index=["a"])
    assert rows_of(table(frame, "", ENDS))[1] == ["a", "0.50 (0.00 to 1.00)"]
    assert rows_of(table(frame, "", ENDS, bounds=[0]))[1] == ["a", "0.500 (0.004 to 1.000)"]


def test_numbers_truth_values_and_what_is_missing():
    frame = pd.DataFrame({
        "mean": [1.0, np.nan, 2 / 3],
        "low": [0.5, 0.5, np.nan],
        "high": [1.5, 1.5, 1.0],
        "n_sets": pd.array([12345, None, 3], dtype="Int64"),
        "best": [True, None, np.False_],
        "kind": ["n_trees", None, pd.NaT],
    })  # fmt: skip
    assert rows_of(table(frame.set_index("kind", drop=False).rename_axis("max_depth"), "", ENDS)) == [
        ["max depth", "mean", "number of sets", "best", "kind"],
        ["number of trees", "1.0 (0.5 to 1.5)", "12,345", "yes", "n_trees"],
        ["–", "–", "–", "–", "–"],
        ["–", "0.6667", "3", "no", "–"],
    ]


def test_the_first_column_labels_rows_that_are_only_counted():
    frame = pd.DataFrame({"method": ["a", "b"], "n": [1, 2]})
    assert rows_of(table(frame, "")) == [["method", "n"], ["a", "1"], ["b", "2"]]
    assert len(soup(table(frame, "")).select("tbody th[scope=row]")) == 2
    assert rows_of(table(frame[["n"]], "")) == [["", "n"], ["0", "1"], ["1", "2"]]


def test_labels_of_several_levels():
    columns = pd.MultiIndex.from_product([["train_error", "test"], ["mean", "low", "high", "n"]])
    index = pd.MultiIndex.from_product([[0.1, 0.2], ["a", "b"]], names=["share", "data"])
    frame = pd.DataFrame([[2.0, 1.0, 3.5, 7] * 2] * 4, index, columns)
    ends = {(name, "mean"): ((name, "low"), (name, "high")) for name in ("train_error", "test")}
    value = ["2.0 (1.0 to 3.5)", "7"]
    shown = table(frame.astype({(name, "n"): int for name in ("train_error", "test")}), "", ends)
    assert rows_of(shown) == [
        ["", "train error", "test"],
        ["data", "mean", "n", "mean", "n"],
        ["share 0.1"], ["a", *value * 2], ["b", *value * 2],
        ["share 0.2"], ["a", *value * 2], ["b", *value * 2],
    ]  # fmt: skip
    assert [head["scope"] for head in soup(shown).select("[colspan='2']")] == ["colgroup"] * 2
    assert len(soup(shown).select("[scope=rowgroup][colspan='5']")) == 2
    assert str(shown).splitlines()[2].split() == ["train", "error", "train", "error", "test", "test"]
    assert str(shown).splitlines()[-1].split()[:2] == ["0.2", "b"]


@pytest.mark.parametrize(
    "intervals",
    [
        {"no": ("low", "high")},
        {"mean": ("low", "no")},
        {"mean": ("low", "low")},
        {"mean": ("low", "high"), "high": ("low", "mean")},
        {"mean": ("twice", "high")},
    ],
)
def test_a_column_that_intervals_cannot_name_is_told_in_one_sentence(intervals):
    frame = pd.DataFrame([[1.0] * 5], columns=["mean", "low", "high", "twice", "twice"])
    with pytest.raises(
        ValueError, match=r"^intervals must name columns of the frame, each once, and '\w+' is"
    ):
        table(frame, "", intervals)
    with pytest.raises(ValueError, match=r"^intervals must give a \(low, high\) pair of columns"):
        table(frame, "", {"mean": "low"})


def test_it_can_be_read_by_everybody():
    evil = "<script>&"
    shown = table(pd.DataFrame({evil: [evil, 1]}, index=pd.Index([evil, "b"], name=evil)), evil)
    html = soup(shown)
    assert html.script is None
    assert rows_of(shown) == [[evil, evil], [evil, evil], ["b", "1"]]
    assert html.select_one("table.study-table > caption").get_text() == evil
    assert all(head.get("scope") for head in html("th"))
    assert [head["scope"] for head in html("th")] == ["col", "col", "row", "row"]


@pytest.mark.parametrize("shape", [(0, 2), (0, 0), (2, 0)])
def test_an_empty_frame_is_an_empty_table(shape):
    shown = table(pd.DataFrame(np.zeros(shape)), "Nothing.")
    assert str(shown).startswith("Nothing.")
    assert len(soup(shown).select("tbody tr")) == shape[0]
