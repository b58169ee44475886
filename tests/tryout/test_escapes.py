"""Names and entries of a file are text in whatever they are put into, and never code."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib import __main__ as program
from studylib.core.files import write_json
from studylib.study.ledger.reading import notebook_from_text
from studylib.study.site.page import PageHeader, write_page
from studylib.tryout import command, pictures
from studylib.tryout.escapes import in_shell, is_formula, visible
from studylib.tryout.options import as_words
from studylib.tryout.table import load_table
from studylib.tryout.words import as_list, captioned
from tests.study.html_document import rows
from tests.tryout.parsed import read_parsed

CELL = "\n\n# %%\nimport pathlib; pathlib.Path('PWNED').touch()"
HOSTILE = [
    CELL,
    "# %% [markdown]\r\n# %% parameters",
    "</h1></title><script>alert(1)</script><img src=x onerror=alert(1)>",
    "[x](javascript:alert(1)) `code` **b** | # <a href='javascript:alert(1)'>x</a>",
    "$\\frac{$ \\(x\\) \\[y\\] $$\\href{javascript:alert(1)}{z}$$ \\begin{equation}x\\end{equation}",
    "{title} {target} {0} {x!r} %s %(x)s {{7*7}} ${HOME} `id` $(id)",
    "\x1b]0;title\x07\x1b[2J\u202eright\u2066to left\x9b\x7f",
    "\u2028next\u2029line\x85 ",
    "&lt;b&gt; &#36; '\" \\' \\",
    '=HYPERLINK("http://a","b")',
]
TEMPLATE = command._NOTEBOOK.read_text(encoding="utf-8")


@pytest.mark.parametrize("place", [0, 1], ids=["file", "target"])
@settings(max_examples=25)
@given(name=st.sampled_from(HOSTILE) | st.text())
def test_no_name_changes_the_cells_of_the_notebook(place, name):
    names = ["flowers.csv: sort", "sort"]
    names[place] = name
    found = command._notebook(*names)
    nbformat.validate(found)
    template = nbformat.reads(notebook_from_text(TEMPLATE), as_version=4)
    assert found.cells[1:] == template.cells[1:]
    assert found.cells[0].cell_type == "markdown"


HEADER = PageHeader(question="", profile="", data="", duration="", rerun="", notebook_href="a.ipynb")


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_is_text_on_the_page(name, tmp_path):
    notebook = command._notebook(name, name)
    shown = pd.DataFrame({name: [name, "b"]}).rename_axis(name)
    outputs = [
        nbformat.v4.new_output("display_data", {"text/html": html.data})
        for html in (as_list([name]), captioned(shown, name))
    ]
    notebook.cells[-1].source += f"\n\n{as_list([name]).data}"
    code = nbformat.v4.new_code_cell(repr(name), outputs=outputs)
    notebook.cells = [notebook.cells[0], code, notebook.cells[-1]]
    write_page(notebook, tmp_path / "a.html", HEADER)
    page = BeautifulSoup((tmp_path / "a.html").read_text(encoding="utf-8"), "html.parser")
    seen = visible(name)
    assert page.title.get_text().strip() == page.h1.get_text() == seen.strip()
    assert [one.get_text() for one in page.select("li:not(.level-2)")] == [seen] * 2
    assert seen.strip() in page.find("figcaption").get_text()
    assert "mathjax_ignore" in captioned(shown, name).data  # as the notebook shows it
    assert not page.select(
        "em, strong, math, img, main script, main a[href]:not([href^='#'], [href='a.ipynb'])"
    )


def test_names_and_entries_are_shown_as_the_file_has_them(tmp_path):
    shown = pd.DataFrame({"n_visits": ["True", "10115"]}, ["utm_source", "a"]).rename_axis("if")
    output = nbformat.v4.new_output("display_data", {"text/html": captioned(shown, "A table.").data})
    notebook = command._notebook("a", "b")
    notebook.cells = [notebook.cells[0], nbformat.v4.new_code_cell("shown", outputs=[output])]
    write_page(notebook, tmp_path / "a.html", HEADER)
    page = BeautifulSoup((tmp_path / "a.html").read_text(encoding="utf-8"), "html.parser")
    assert rows(page) == [["if", "n_visits"], ["utm_source", "True"], ["a", "10115"]]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_figure_shows_a_name_as_text(name):
    table = SimpleNamespace(y=pd.Series([name, "b", "b"]), target=name)
    figure, _ = pictures.draw_classes(table)
    figure.canvas.draw()
    plt.close(figure)
    found = pd.DataFrame(
        {"mean": [0.3, 0.2, 0.1], "deviation": 0.0}, index=[name, 40 * "a" + "b", 40 * "a" + "c"]
    )
    figure, _ = pictures.draw_importances(found, "tree")
    figure.canvas.draw()
    assert [bar.get_width() for bar in figure.axes[0].patches] == pytest.approx([30, 20, 10])
    assert len({round(bar.get_y(), 6) for bar in figure.axes[0].patches}) == 3  # names that begin alike
    plt.close(figure)


@pytest.mark.parametrize("name", [*HOSTILE, "-x.csv", "a b", "Füße"])
def test_a_shell_gives_the_words_back(name):
    words = as_words({"drop": [name], "positive": name})
    line = in_shell("printf", "%s\\0", *words)
    assert line.isprintable()
    printed = subprocess.run(
        ["bash", "-c", line], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    ).stdout
    assert printed.decode().split("\0")[:-1] == words


def table_of(names, n=60):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).round(4)
    number, day, sort, target, labels = names
    return pd.DataFrame(
        {
            number: x,
            day: pd.date_range("2024-01-01", periods=n).strftime("%Y-%m-%d"),
            sort: rng.choice(HOSTILE, n),
            target: np.where(x + rng.normal(scale=0.3, size=n) > 0, f"yes{labels}", f"no{labels}"),
        }
    )


def test_names_and_entries_come_back_from_the_parsed_table(tmp_path):
    table_of([f"{k}{name}" for k, name in enumerate(HOSTILE[:4])] + [CELL]).to_csv(
        tmp_path / "a.csv", index=False
    )
    target = f"3{HOSTILE[3]}"
    table = load_table(tmp_path / "a.csv", target)
    assert set(table.X.iloc[:, 2].cat.categories) == {name.strip() for name in HOSTILE}
    write_json(tmp_path / "columns.json", table.details)
    (tmp_path / "parsed.csv").write_text(command.as_csv(table.parsed), encoding="utf-8", newline="")
    X, y = read_parsed(tmp_path)
    pd.testing.assert_frame_equal(X, table.X, check_categorical=False)
    assert y.tolist() == table.y.tolist()


@pytest.mark.parametrize("text", ["=1+1", "@SUM(A1)", "+a", "-5 °C", "-2+3+cmd|' /C calc'!A0", "=\n1"])
def test_what_a_spreadsheet_would_run_is_said_once(text, tmp_path):
    frame = table_of("absdx").rename(columns={"s": "sort"})
    frame["sort"] = frame["sort"].map(lambda entry: "red" if entry < "[" else text)
    frame.to_csv(tmp_path / "a.csv", index=False)
    table = load_table(tmp_path / "a.csv", "d")
    said = [one for one in table.remarks if "spreadsheet" in one]
    assert said == [
        f"A spreadsheet that opens parsed.csv may take {text!r:.40} for a formula and run it: import all "
        "columns as text there."
    ]
    assert text in set(table.parsed["sort"])


@pytest.mark.parametrize("text", ["-", "+", "-1", "+1,5", "-.5%", "a=b", "", "--"[:1]])
def test_numbers_and_signs_are_no_formulas(text):
    assert not is_formula(text)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_message_is_one_printable_line(name, tmp_path, capsys):
    (tmp_path / "a.csv").write_bytes(pd.DataFrame({name: [1, 2], "b": [3, 4]}).to_csv(index=False).encode())
    for words in (
        [],
        [f"--target=b{name}"],
        ["--target=b", f"--group={name}"],
        ["--target=b", f"--encoding={name}"],
    ):
        assert program.main(["try", str(tmp_path / "a.csv"), *words]) == 2
        said = capsys.readouterr().err
        assert said.startswith("studylib: try: ")
        assert said.rstrip("\n").isprintable()


def test_a_name_that_is_not_utf_8_is_refused(tmp_path, capsys):
    table_of("absdx").to_csv(tmp_path / "a.csv", index=False)
    try:
        (tmp_path / "a.csv").rename(tmp_path / "\udcff.csv")
    except (OSError, UnicodeError):
        pytest.skip("this file system has no such names")
    assert program.main(["try", str(tmp_path / "\udcff.csv"), "--target=d"]) == 2
    assert "\\udcff.csv has a name that is not UTF-8; rename it." in capsys.readouterr().err


def test_a_long_name_makes_a_short_folder():
    assert len(command._folder_name(Path("ü" * 120 + ".csv")).encode()) < 128
    assert command._folder_name(Path("..{0}/\n.csv")) == "table"


@pytest.mark.slow
def test_nothing_in_a_hostile_table_is_run(tmp_path, monkeypatch, capsys):
    pwned = tmp_path / "PWNED"
    monkeypatch.setenv("PWNED", str(pwned))
    code = "\n\n# %%\nopen(__import__('os').environ['PWNED'], 'w')\n"
    folder = tmp_path / "{x} {0} {data} $a"
    folder.mkdir()
    target = f"sort{code}# {{title}} <b>"
    table_of([f"0{HOSTILE[4]}", f"1{HOSTILE[5]}", f"2{HOSTILE[6]}", target, code], 120).to_csv(
        folder / f"a{code}.csv", index=False
    )
    words = ["try", str(folder / f"a{code}.csv"), f"--target={target}", "--repeats=1", f"--missing={code}"]
    assert program.main([*words, "--out", str(folder / "{out}")]) == 0
    assert not pwned.exists()
    said = capsys.readouterr().out
    assert all(line.isprintable() for line in said.splitlines())
    (name,) = (folder / "{out}").glob("*.ipynb")
    notebook = json.loads(name.read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    template = json.loads(notebook_from_text(TEMPLATE))
    expected = ["".join(cell["source"]) for cell in template["cells"] if cell["cell_type"] == "code"]
    assert cells[:1] + cells[2:] == expected
    given = {}
    exec(cells[1], given)
    assert (given["target"], given["options"]) == (target, {"missing": [code]})
    page = BeautifulSoup((folder / "{out}" / "index.html").read_text(encoding="utf-8"), "html.parser")
    assert page.h1.get_text() == visible(f"a{code}.csv: {target}")
    assert not page.select("math, b:not(figcaption b), img[onerror]")
