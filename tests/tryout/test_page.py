"""``studylib try`` from the command line to the page, and what lies beside it."""

import html
import json
import os
import pickle
import re
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier

from studylib import __main__ as program
from studylib.tryout import load_model, pictures
from studylib.tryout.command import _prepare_demo
from studylib.tryout.compare import compare
from studylib.tryout.models import BASELINE, BLEND, CLAUSES, FOREST, LIGHTGBM, TREE, classifiers
from studylib.tryout.table import Table, kept_table, load_table
from tests.tryout.parsed import read_parsed

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tried(tmp_path_factory):
    """A small table, tried once; the folder, the exit code and what was said."""
    folder = tmp_path_factory.mktemp("tried")
    rng = np.random.default_rng(0)
    n = 120
    x = rng.normal(size=n).round(4)
    frame = pd.DataFrame(
        {
            "<b>x</b>": x,
            "day": pd.date_range("2024-01-01", periods=n, freq="D").strftime("%Y-%m-%d"),
            "id": rng.permutation(n),
            "sort": rng.choice(["a & b", "c"], n),
            "la*bel*": np.where(x + rng.normal(scale=0.3, size=n) > 0, "yes", "no"),
        }
    )
    frame.to_csv(folder / "my flowers.csv", index=False)
    words = ["try", str(folder / "my flowers.csv"), "--target", "la*bel*", "--jobs", "2", "--repeats", "1"]
    return folder, program.main([*words, "--out", str(folder / "out")])


def test_a_small_run_from_the_command_line_to_the_page(tried):
    folder, code = tried
    assert code == 0
    assert sorted(p.name for p in (folder / "out").iterdir()) == [
        "columns.json", "index.html", "leaderboard.csv", "model.skops", "my-flowers.ipynb", "parsed.csv",
    ]  # fmt: skip
    columns = {row["name"]: row for row in json.loads((folder / "out" / "columns.json").read_text())}
    assert (columns["day"]["format"], columns["day"]["dropped"]) == ("year-month-day", False)
    assert columns["day"]["examples"][0] == ["2024-01-01", "2024-01-01"]
    assert columns["id"]["dropped"]
    assert columns["id"]["reason"].endswith("an identifier; it is left out.")
    parsed = pd.read_csv(folder / "out" / "parsed.csv")
    assert list(parsed) == ["<b>x</b>", "day", "sort", "la*bel*"]
    given = pd.read_csv(folder / "my flowers.csv")
    pd.testing.assert_frame_equal(parsed, given[list(parsed)])
    page = (folder / "out" / "index.html").read_text(encoding="utf-8")
    conclusion = page.index("What came out")
    assert page.index("How well can “la*bel*” be predicted") < conclusion < page.index('<dl class="facts">')
    assert "has the lowest error" in page[conclusion : conclusion + 1000]
    assert page.index("How this page was made") > page.index("Where the partial forest abstains")
    assert "days since 2024-01-01" in page
    assert "an identifier; it is left out" in page
    assert "<b>x</b>" not in page  # a name in the file is text
    assert "All claims and notebooks" not in page
    assert len(re.findall('src="data:image/png', page)) == 5
    notebook = json.loads((folder / "out" / "my-flowers.ipynb").read_text(encoding="utf-8"))
    assert not [o for c in notebook["cells"] for o in c.get("outputs", []) if o["output_type"] == "error"]


def test_the_numbers_do_not_depend_on_the_machine(tried):
    """Another locale, time zone, order of sets and number of jobs; the table is read by another process, too."""
    folder, _ = tried
    words = ["try", str(folder / "my flowers.csv"), "--target", "la*bel*", "--jobs", "1", "--repeats", "1"]
    elsewhere = {"LC_ALL": "C", "PYTHONUTF8": "0", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "studylib", *words, "--out", str(folder / "elsewhere")]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **elsewhere})
    for name in ("columns.json", "parsed.csv"):
        assert (folder / "elsewhere" / name).read_bytes() == (folder / "out" / name).read_bytes()
    here, there = (pd.read_csv(folder / out / "leaderboard.csv") for out in ("out", "elsewhere"))
    pd.testing.assert_frame_equal(
        here.drop(columns="seconds"), there.drop(columns="seconds"), check_exact=True
    )


def test_a_table_that_was_kept_is_not_read_again(tmp_path):
    (tmp_path / "table").write_bytes(pickle.dumps("the table"))
    assert kept_table(tmp_path / "table", "nowhere.csv", "target") == "the table"
    with pytest.raises(ValueError, match=r"there is no file .*nowhere\.csv"):
        kept_table(tmp_path / "none", "nowhere.csv", "target")


def test_costs_need_a_rare_class(tried, capsys):
    folder, _ = tried
    words = ["try", str(folder / "my flowers.csv"), "--target", "la*bel*", "--cost-miss"]
    assert program.main([*words, "0"]) == 2
    assert "--cost-miss and --cost-false-alarm must be above 0, got 0, 1." in capsys.readouterr().err
    assert program.main([*words, "5"]) == 2
    assert (
        "set a threshold where a class is rare, and 'la*bel*' has no such class." in capsys.readouterr().err
    )


def test_the_page_ends_with_commands_that_predict_new_rows(tried, monkeypatch, capsys):
    folder, _ = tried
    written = (folder / "out" / "index.html").read_text(encoding="utf-8")
    page = html.unescape(re.sub("<[^>]+>", "", written))
    shell = f"studylib predict {folder / 'out'} new.csv"
    assert page.index("Where the partial forest abstains") < page.index("New rows") < page.index(shell)
    assert f"model = load_model({str(folder / 'out')!r})" in page
    monkeypatch.chdir(folder)
    (folder / "new.csv").write_bytes((folder / "my flowers.csv").read_bytes())
    assert program.main(shell.split()[1:]) == 0
    said = pd.read_csv("predictions.csv")
    X, _ = read_parsed(folder / "out")
    assert said["prediction"].tolist() == load_model("out").estimator.predict(X).tolist()
    assert said["id"].tolist() == pd.read_csv("new.csv")["id"].tolist()
    capsys.readouterr()


def test_a_demo_needs_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chosen = SimpleNamespace(demo=True, data=None, target=None, out=None, repeats=None)
    _prepare_demo(chosen)
    assert (chosen.target, chosen.repeats, str(chosen.out)) == ("diagnosis", 1, "reports/try/demo")
    table = load_table(chosen.data, chosen.target)
    assert (table.n_rows, table.X.shape[1]) == (569, 10)
    assert table.y.value_counts().to_dict() == {"benign": 357, "malignant": 212}
    assert table.remarks == []


def test_the_demo_is_a_page_with_a_row_for_each_classifier(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert program.main(["try", "--demo"]) == 0
    written = (tmp_path / "reports" / "try" / "demo" / "index.html").read_text(encoding="utf-8")
    page = " ".join(html.unescape(written).split())  # its spaces may be narrow
    assert "studylib try --demo" in page
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "studylib: tumours.csv, 569 of 569 rows, 10 columns, 2 classes"
    assert said[-1] == f"page: {tmp_path / 'reports' / 'try' / 'demo' / 'index.html'}"
    model = tmp_path / "reports" / "try" / "demo" / "model.skops"
    assert said[-2] == f"model: {model}; for new rows: studylib predict reports/try/demo new.csv"
    assert said[-3].startswith("The model stored is the ")
    assert 'load_model("reports/try/demo")' in page.replace("'", '"')
    assert said[1].startswith("studylib: comparing the methods takes")
    assert [sentence for sentence in said[2:-2] if sentence not in page] == []
    for name in classifiers(load_table("reports/try/demo/tumours.csv", "diagnosis")):
        assert name in page
        assert CLAUSES[name] in page


def test_each_classifier_has_a_clause_about_what_it_does():
    y = pd.Series(["a", "b"] * 20)
    table = Table(pd.DataFrame({"x": np.arange(40.0)}), y, "label", pd.DataFrame(), 40)
    assert set(classifiers(table)) | {LIGHTGBM} == set(CLAUSES)
    others = [
        clause for name, clause in CLAUSES.items() if name not in (FOREST, LIGHTGBM)
    ]  # others do the same
    assert len(set(others)) == len(others)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "name a file, and by --target the column to predict"),
        (["nowhere.csv"], "there is no file"),
        (["nowhere.csv", "--demo"], "--demo brings its own table"),
        (["nowhere.csv", "--target", "x"], "there is no file"),
        (["nowhere.csv", "--target", "x", "--rows", "3"], "--rows must be at least 40, got 3"),
        (["nowhere.csv", "--target", "x", "--jobs", "0"], "--jobs must be at least 1, got 0"),
        (
            ["nowhere.csv", "--target", "x", "--first-year", "12"],
            "--first-year must be at least 1000, got 12",
        ),
        (["https://example.org/a.csv", "--target", "x"], "is an address; download the file"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(arguments, said, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert program.main(["try", *arguments]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_without_a_target_the_columns_are_listed(capsys, tmp_path):
    (tmp_path / "t.csv").write_text("size;type\n1;a\n2;b\n")
    assert program.main(["try", str(tmp_path / "t.csv")]) == 2
    said = capsys.readouterr().err
    assert "which column is to be predicted?" in said
    assert said.endswith("t.csv has size, type.\n")


def test_of_a_wide_table_only_columns_that_a_forest_uses_are_shuffled():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(80, 150)), columns=[f"g{k}" for k in range(150)])
    y = pd.Series(np.where(X["g7"] > 0, "yes", "no"))
    table = Table(X, y, "label", pd.DataFrame(), len(X))
    models = {name: pair for name, pair in classifiers(table).items() if name in (TREE, BLEND)}
    found = compare(table, {TREE: models[TREE], BASELINE: (DummyClassifier(), {})}, repeats=1)
    frame, name = pictures.importances(table, models, found)
    assert (len(frame), name, frame.index[0]) == (100, TREE, "g7")
    assert frame["mean"].iloc[0] > 0.2
