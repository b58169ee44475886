"""A notebook's page without a browser: header, contents, code, failures, verdicts."""

import re

import nbformat
from nbformat import v4

from studylib.study.site.page import write_page
from tests.study.html_document import Document, assert_links_inside_resolve, assert_self_contained
from tests.study.site_pieces import WIDGET, a_claim, a_header, code_cell, display, page_of


def test_page_header_says_what_was_run(tmp_path):
    document = page_of(
        tmp_path, [v4.new_markdown_cell("# The title\n\ntext")], banner=["Simulated."], edit="make lab"
    )
    assert_self_contained(document)
    assert [text for text, _ in document.find("h1")] == ["The title"]
    assert document.find("title")[0][0] == "The title – quick"
    assert document.find("p", class_="subtitle")[0][0] == "Is it so?"
    assert document.find("a", href="01_try.ipynb")
    links = {"index": "index.html", "claims": "claims.html", "docs": "../docs/index.html"}
    (report,) = page_of(tmp_path, [], links=links).find("nav")
    assert report[0].split("\n") == ["Overview", "Claims", "Guide and API"]
    assert document.find("code", class_="command")[0][0] == "make reproduce"
    assert "Simulated." in document.find("aside", class_="banner")[0][0]
    facts = " ".join(document.find("dl", class_="facts")[0][0].split())
    assert "simulated planes, seed 0" in facts
    assert "make lab opens the notebooks in JupyterLab" in facts
    table = document.find("table", class_="parameters")[0][0]
    assert table in document.find("details", class_="making")[0][0]  # folded below the text
    assert "seed" in table
    assert "'<b>'" in table
    bare = page_of(tmp_path, [])
    assert bare.find("h1")[0][0] == "01_try"
    assert "JupyterLab" not in bare.source
    titled = page_of(tmp_path, [v4.new_markdown_cell("# Mine"), v4.new_markdown_cell("# Other")])
    assert [text for text, _ in titled.find("h1")] == ["Mine", "Other"]


def test_page_contents_link_to_unique_headings(tmp_path):
    cells = [
        v4.new_markdown_cell("## Same & same\n\n### Cell-x\n\n#### Deep"),
        v4.new_markdown_cell("## Same & same"),
    ]
    document = page_of(tmp_path, cells)
    assert_links_inside_resolve(document)
    contents = [(text, a["href"]) for text, a in document.find("a") if a["href"].startswith("#")]
    expected = [
        ("Same & same", "#same-same"),
        ("Cell-x", "#section-cell-x"),
        ("Same & same", "#same-same-2"),
    ]
    assert contents == [("Skip to the notebook", "#content"), *expected, *expected]  # sidebar, then phone


def test_code_is_folded_anchored_and_highlighted(tmp_path):
    cells = [
        code_cell("seed = 0", id="defaults", tags=["parameters"]),
        code_cell("seed = 1", id="given", tags=["injected-parameters"]),
        code_cell("def f(x):\n    return '<b>'", id="abc-1"),
        code_cell("secret = 1", id="gone", tags=["remove-cell"]),
        code_cell("", id="empty"),
    ]
    document = page_of(tmp_path, cells, parameters={})
    summaries = [re.sub(r"\s+", " ", text) for text, _ in document.find("summary")]
    made = ["How this page was made", "Parameters (defaults) [1]", "Parameters set for this run [1]"]
    assert summaries == ["Code [1]", *made]
    assert {"cell-defaults", "cell-given", "cell-abc-1", "cell-empty"} <= set(document.ids)
    assert all("open" not in attributes for _, attributes in document.find("details"))
    assert ("def", {"class": "k"}) in document.find("span")
    assert "secret" not in document.source
    assert "'&lt;b&gt;'" in document.source


def test_failed_notebook_names_the_error_and_links_to_it(tmp_path):
    error = v4.new_output(
        "error",
        ename="ValueError",
        evalue="\x1b[31mno <b>\x1b[0m\nmore",
        traceback=["\x1b[31mline <1>\x1b[0m", "2"],
    )
    papermill = v4.new_markdown_cell(
        "An Exception was encountered", metadata={"tags": ["papermill-error-cell-tag"]}
    )
    document = page_of(
        tmp_path, [papermill, code_cell("1/0", error, id="bad"), code_cell("x", id="after", run=False)]
    )
    assert_links_inside_resolve(document)
    assert [text for text, _ in document.find("a", href="#cell-bad")] == ["ValueError: no <b>"]
    assert "1 of 2 code cells were not run" in document.source
    assert document.find("pre", class_="output traceback")[0][0].split("\n") == ["line <1>", "2"]
    assert "open" in document.find("details", class_="source")[0][1]
    assert "An Exception was encountered" not in document.source
    document = page_of(tmp_path, [code_cell("a", id="a"), code_cell("b", id="b", run=False)])
    assert "unfinished run: 1 of 2 code cells" in document.find("aside")[0][0].replace("\n", " ")
    error = v4.new_output("error", ename="KeyboardInterrupt", evalue="", traceback=[])
    document = page_of(tmp_path, [code_cell("x", error, id="bad")])
    assert document.find("a", href="#cell-bad")[0][0] == "KeyboardInterrupt"
    assert document.find("pre", class_="output traceback")[0][0] == "KeyboardInterrupt"


def test_header_concludes_and_the_question_is_asked_once(tmp_path):
    texts = [
        "# T\n\n**Question.** Is it so?\n\nSource: nobody.",
        "## Conclusions about the method\n\n[These](02_other.ipynb).\n\n## What else\n\nNot this.",
        "## What follows\n\nThese, with *stress* and <b id='x'>an anchor</b><!-- a field -->.\n\n- one\n\n"
        "### Details\n\nAnd more.",
        "## Appendix\n\nNot this.",
    ]
    document = page_of(tmp_path, [v4.new_markdown_cell(text) for text in texts])
    assert_links_inside_resolve(document)
    (conclusion, _) = document.find("section", class_="conclusion prose")[0]
    assert re.sub(r"\s+", " ", conclusion) == (
        "What came out Conclusions about the method These. What follows These, with stress and an anchor. one "
        "DetailsAnd more."
    )
    assert document.source.count("Is it so?") == 1
    assert document.source.count('href="02_other.html"') == 1  # at the top alone
    assert [text for text, _ in document.find("a", href="#conclusion-title")] == ["what came out"] * 2
    assert "02_other.ipynb" not in document.source
    assert "a field" not in document.source
    assert "Source: nobody." in document.source
    long = [v4.new_markdown_cell("## Conclusion\n\n" + "\n\n".join(f"{n} {'x' * 700}" for n in "abc"))]
    (folded, _) = next(d for d in page_of(tmp_path, long).find("details") if d[0].startswith("More"))
    assert re.sub(r"[\sx]", "", folded) == "Morec"
    assert "conclusion-title" not in page_of(tmp_path, [v4.new_markdown_cell("# T\n\n## Conclusion")]).ids


def test_a_folded_cell_opens_by_its_captions(tmp_path):
    frame = (
        "<table class='dataframe'><caption>How it ends.</caption><thead><tr><th></th><th>a</th></tr></thead>"
    )
    shown = v4.new_output(
        "display_data", data={"text/html": f"{frame}<tbody><tr><th>x</th><td>1</td></tr></tbody></table>"}
    )
    document = page_of(
        tmp_path,
        [
            code_cell("a", shown, v4.new_output("stream", text="said"), id="a", tags=["folded"]),
            code_cell("b", shown, id="b"),
        ],
    )
    assert [text for text, _ in document.find("summary") if "Table" in text] == ["Table 1. How it ends."]


def test_notebooks_beside_it_are_linked(tmp_path):
    document = page_of(tmp_path, [], previous=("One <b>", "01.html"), next=("Three", "03.html"))
    assert [a["rel"] for _, a in document.find("a") if "rel" in a] == ["prev", "next", "prev", "next"]
    assert "One &lt;b&gt;" in document.source
    assert not [a for _, a in page_of(tmp_path, []).find("a") if "rel" in a]


def test_verdicts_link_to_the_ledger_and_are_those_of_the_ledger(tmp_path):
    old = '<div class="claim" id="claim-claim1">an old verdict</div>'
    outputs = [
        display({"text/html": old, "text/plain": "old"}, claim="claim1"),
        display({"text/html": '<p id="claim-other">kept</p>', "text/plain": "old"}, claim="other"),
    ]
    more = {"statement": "x < y", "interval_name": "95 % interval", "reason": "so <b>"}
    row = a_claim(1, verdict="not reproduced", **more)
    document = page_of(tmp_path, [code_cell("x", *outputs)], rows={"claim1": row})
    assert_self_contained(document)
    assert document.find("a", href="claims.html#claim-claim1")[0][0] == "not reproduced"
    card = document.find("div", id="claim-claim1")[0][0]
    assert all(
        part in card for part in ("x < y", "95 % interval [0, 1]", "So <b>", "0.11", "The source says 0.1.")
    )
    assert "an old verdict" not in document.source
    assert "claim-other" in document.ids


def test_notebook_is_not_changed_and_old_ones_without_cell_ids_work(tmp_path):
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell("# T"), code_cell("x", display(WIDGET))])
    before = nbformat.writes(notebook)
    write_page(notebook, tmp_path / "a.html", a_header())
    assert nbformat.writes(notebook) == before
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 4
    write_page(notebook, tmp_path / "b.html", a_header())
    assert "cell-1" in Document(tmp_path / "b.html").ids
