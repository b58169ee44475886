"""The report site without a browser: what the HTML holds, and what it must never hold."""

import re

import nbformat
import pytest
from nbformat import v4

from studylib.study.site import (
    VERDICTS,
    ClaimRow,
    Deviation,
    NotebookCard,
    PageHeader,
    Site,
    Source,
    figures,
    write_index,
    write_page,
)
from tests.study.html_document import Document, assert_links_inside_resolve, assert_self_contained

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
EVIL = '<script src="https://evil.example/x.js">alert("1")</script><img src=x onerror=alert(1)>'
WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "text/plain": "0%|     | 0/5"}


def _claim(number, **changes):
    row = {
        "id": f"claim{number}",
        "source": "GRaF",
        "place": f"Table {number}",
        "statement": f"statement {number}",
        "value": f"0.{number}",
        "kind": "exact",
        "rule": f"rule {number}",
        "verdict": "reproduced",
        "ours": f"0.{number}1",
        "interval": "[0, 1]",
        "notebook": "03_graf",
        "href": f"03_graf.html#cell-c{number}",
    }
    return ClaimRow(**row | changes)


def _site(claims, **changes):
    content = {"profile": "quick", "title": "A study", "subtitle": "of trees", "generated": "2026-01-02"}
    return Site(**content | {"claims": claims} | changes)


def _header(**changes):
    content = {
        "question": "Is it so?",
        "profile": "quick",
        "data": "simulated planes, seed 0",
        "duration": "3 s",
        "rerun": "make reproduce",
        "notebook_href": "01_try.ipynb",
        "parameters": {"seed": 0, "name": "<b>"},
    }
    return PageHeader(**content | changes)


def _code(source, *outputs, id="c", tags=(), run=True):
    cell = v4.new_code_cell(source, outputs=list(outputs), execution_count=1 if run else None)
    cell["id"] = id
    cell.metadata["tags"] = list(tags)
    return cell


def _display(data, **metadata):
    return v4.new_output("display_data", data=data, metadata=metadata)


def _page(tmp_path, cells, **changes):
    path = tmp_path / "01_try.html"
    write_page(v4.new_notebook(cells=cells), path, _header(**changes))
    return Document(path)


@pytest.fixture
def index(tmp_path):
    claims = [_claim(n, verdict=verdict) for n, verdict in enumerate(VERDICTS)]
    claims.append(_claim(20, id="evil", statement=EVIL, rule=EVIL, reason=EVIL, notes=[EVIL], source=EVIL))
    cards = [
        NotebookCard(
            name="03_graf", title="Trees", question="So?", status="ok", href="03_graf.html", n_claims=2
        ),
        NotebookCard(name="04_x", title=EVIL, question=EVIL, status="failed", error="ValueError: no"),
        NotebookCard(
            name="05_y", title="Y", question="?", status="planned", image="cards/5.png", alt="a curve"
        ),
        NotebookCard(
            name="06_z", title="Z", question="?", status="ok", image=f"data:image/png;base64,{PIXEL}"
        ),
    ]
    site = _site(
        claims,
        banner=["Computed from simulated data."],
        notebooks=cards,
        provenance={"Environment": {"python": "3.11", "note": EVIL}},
        deviations=[Deviation(source="GRaF", place="eq 10", text=EVIL, claim_ids=["claim1", "evil"])],
        api="api/index.html",
    )
    path = tmp_path / "quick" / "index.html"
    write_index(path, site)
    return Document(path)


def test_index_is_self_contained_and_its_links_resolve(index):
    assert_self_contained(index)
    assert_links_inside_resolve(index)
    assert index.find("a", href="03_graf.html#cell-c2")
    assert index.find("a", href="03_graf.html")
    assert index.find("a", href="api/index.html")


def test_index_shows_every_claim_without_javascript(index):
    rows = [a for t, a, _ in index.elements if t == "tr" and "data-verdict" in a]
    assert [row["id"] for row in rows] == [f"claim-claim{n}" for n in range(len(VERDICTS))] + ["claim-evil"]
    assert not any("hidden" in row for row in rows)
    for n in range(len(VERDICTS)):
        for text in (f"statement {n}", f"rule {n}", f"Table {n}", f"0.{n}1"):
            assert text in index.source


def test_index_escapes_what_it_is_given(index):
    assert "<script src" not in index.source
    assert "<img src=x" not in index.source
    assert index.source.count("&lt;script src=") >= 8
    assert (EVIL, {}) in index.find("dd")


def test_index_counts_verdicts_with_icon_and_text(index):
    chips = index.find("button", class_="chip v-not-reproduced")
    assert chips[0][0].split() == ["not", "reproduced", "1"]
    bar = index.find("div", class_="bar")[0][1]["aria-label"]
    assert bar.startswith("Findings by verdict: 2 reproduced, 1 partly, 1 not reproduced")
    for verdict in VERDICTS:
        assert f"#v-{verdict.replace(' ', '-')}" in {a.get("href") for _, a, _ in index.elements}


def test_index_opens_with_an_answer_for_each_source(tmp_path):
    claims = [
        _claim(1),
        _claim(2, verdict="not reproduced"),
        _claim(3, verdict="planned", statement="nobody knows <b>"),
        _claim(4, verdict="checked", nature="identity"),
        _claim(5, source="PCF & Co"),
    ]
    picture = {
        "image": f"data:image/png;base64,{PIXEL}",
        "alt": "a curve",
        "figure_href": "03_graf.html#figure-2",
    }
    sources = [
        Source("PCF & Co", "B. Two", "Second", finding="It is <so>.", caveat="Elsewhere.", **picture),
        Source(
            "GRaF",
            "A. One",
            "First",
            "2019",
            "arXiv:1",
            "https://one.example/",
            notebooks={"Trees": "t.html"},
        ),
    ]
    write_index(tmp_path / "index.html", _site(claims, sources=sources))
    document = Document(tmp_path / "index.html")
    assert_self_contained(document)
    assert_links_inside_resolve(document)
    pcf, graf = (text for text, a in document.find("article") if "answer" in a["class"])
    assert document.source.index('id="answers"') < document.source.index('id="claims"')
    assert "It is <so>." in pcf
    assert "Elsewhere." in pcf
    assert "Its one claim is judged." in pcf
    assert "1 reproduced" in graf
    assert "No summary of this source has been written" in graf
    assert "Still unjudged: 1 of 4 claims" in graf
    assert "nobody knows <b>" in graf
    assert document.find("a", href="https://one.example/")[0][0] == "arXiv:1"
    assert document.find("a", href="03_graf.html#figure-2")
    assert document.find("a", href="t.html")
    assert document.find("a", href="?source=GRaF&nature=identity&verdict=checked#claims")[0][0] == "1 checked"
    assert document.find("a", href="?source=PCF%20%26%20Co&nature=finding&verdict=reproduced#claims")


def test_index_puts_findings_before_identities_and_sources_in_order(tmp_path):
    claims = [
        _claim(1, nature="identity"),
        _claim(2, nature="arithmetic"),
        _claim(3, nature="question", verdict="answered"),
        _claim(4, source="B"),
        _claim(5),
    ]
    sources = [Source("GRaF", "", ""), Source("B", "", "")]
    write_index(tmp_path / "index.html", _site(claims, sources=sources))
    rows = [a["id"] for t, a, _ in Document(tmp_path / "index.html").elements if t == "tr" and "id" in a]
    assert rows == [f"claim-claim{n}" for n in (5, 4, 3, 2, 1)]


def test_ledger_says_what_an_interval_is_and_what_is_required(tmp_path):
    several = {"ours": "a: 1 (0 … 2); b: 3 (2 … 4)", "interval": ""}
    claims = [
        _claim(1, ours="0.3", interval="0.1 … 0.5", interval_name="95 % interval", required="> 0"),
        _claim(2, **several),
        _claim(3, nature="question", verdict="answered", **several),
    ]
    write_index(tmp_path / "index.html", _site(claims))
    document = Document(tmp_path / "index.html")
    assert [t for t, _ in document.find("small") if "0" in t] == [
        "95 % interval 0.1\u00a0…\u00a00.5",
        "required > 0",
    ]
    assert [t for t, _ in document.find("li")] == ["a: 1 (0\u00a0…\u00a02)", "b: 3 (2\u00a0…\u00a04)"]
    assert several["ours"].replace(" … ", "\u00a0…\u00a0") in [t for t, _ in document.find("b")]


def test_index_says_banner_profile_and_failure(index):
    assert index.find("p", class_="error")[0][0] == "ValueError: no"
    assert "Computed from simulated data." in index.find("aside", class_="banner")[0][0]
    assert [a["alt"] for t, a, _ in index.elements if t == "img"] == ["a curve", "Z"]


@pytest.mark.parametrize(
    ("verdicts", "sentence", "toggle"),
    [
        (["shown", "planned"], "shown beside the source’s but never judged", True),
        (["planned", "planned"], "Nothing has been judged yet", False),
        (["reproduced"], "fixed before this project computed its first result", False),
    ],
)
def test_lead_and_planned_toggle_follow_the_verdicts(tmp_path, verdicts, sentence, toggle):
    path = tmp_path / "index.html"
    write_index(path, _site([_claim(n, verdict=verdict) for n, verdict in enumerate(verdicts)]))
    document = Document(path)
    assert sentence in document.source
    assert bool(document.find("button", id="planned-toggle")) == toggle


def test_index_of_nothing_is_a_page(tmp_path):
    write_index(tmp_path / "index.html", _site([]))
    assert_self_contained(Document(tmp_path / "index.html"))


@pytest.mark.parametrize(
    ("site", "sentence"),
    [
        (
            _site([_claim(1, verdict="maybe")]),
            "Claim 'claim1' has the verdict 'maybe'; allowed are reproduced, ",
        ),
        (_site([_claim(1), _claim(1)]), "Claim ids must be unique, but these come more than once: claim1."),
        (_site([_claim(1, href="https://evil.example")]), "The link of claim 'claim1' must be relative"),
        (_site([_claim(1, href=" javascript:alert(1)")]), "The link of claim 'claim1' must be relative"),
        (
            _site([], sources=[Source("A", "", "", image="https://evil.example/x.png")]),
            "The link of the picture of 'A' must be relative",
        ),
        (
            _site([], sources=[Source("A", "", "", figure_href="//evil.example")]),
            "The link of the figure of 'A' must be relative",
        ),
        (_site([], api="//evil.example"), "The link of the API pages must be relative"),
        (
            _site([], deviations=[Deviation(source="a", place="p. 3", text="b", claim_ids=["none"])]),
            "The deviation at 'p. 3' names unknown claims: none.",
        ),
        (
            _site([], notebooks=[NotebookCard(name="n", title="t", question="q", status="done")]),
            "Notebook 'n' has the status 'done'; allowed are ok, stale, failed, planned.",
        ),
        (
            _site(
                [], notebooks=[NotebookCard(name="n", title="", question="", status="ok", image="http://x/y")]
            ),
            "The link of the picture of notebook 'n' must be relative",
        ),
    ],
)
def test_index_refuses_in_one_sentence(tmp_path, site, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        write_index(tmp_path / "index.html", site)
    assert not list(tmp_path.iterdir())


def test_page_header_says_what_was_run(tmp_path):
    document = _page(tmp_path, [v4.new_markdown_cell("# The title\n\ntext")], banner=["Simulated."])
    assert_self_contained(document)
    assert [text for text, _ in document.find("h1")] == ["The title"]
    assert document.find("title")[0][0] == "The title – quick"
    assert document.find("p", class_="subtitle")[0][0] == "Is it so?"
    assert document.find("a", href="index.html")
    assert document.find("a", href="01_try.ipynb")
    assert document.find("code", class_="command")[0][0] == "make reproduce"
    assert "Simulated." in document.find("aside", class_="banner")[0][0]
    assert "simulated planes, seed 0" in document.find("dl", class_="facts")[0][0]
    table = document.find("details", class_="parameters")[0][0]
    assert "seed" in table
    assert "'<b>'" in table


def test_page_title_falls_back_to_the_file_and_gives_way_to_the_header(tmp_path):
    assert _page(tmp_path, []).find("h1")[0][0] == "01_try"
    document = _page(tmp_path, [v4.new_markdown_cell("# Other")], title="Mine")
    assert [text for text, _ in document.find("h1")] == ["Mine", "Other"]


def test_page_contents_link_to_unique_headings(tmp_path):
    cells = [
        v4.new_markdown_cell("## Same & same\n\n### Cell-x\n\n#### Deep"),
        v4.new_markdown_cell("## Same & same"),
    ]
    document = _page(tmp_path, cells)
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
        _code("seed = 0", id="defaults", tags=["parameters"]),
        _code("seed = 1", id="given", tags=["injected-parameters"]),
        _code("def f(x):\n    return '<b>'", id="abc-1"),
        _code("secret = 1", id="gone", tags=["remove-cell"]),
        _code("", id="empty"),
    ]
    document = _page(tmp_path, cells, parameters={})
    summaries = [re.sub(r"\s+", " ", text) for text, _ in document.find("summary")]
    assert summaries == ["Parameters (defaults) [1]", "Parameters set for this run [1]", "Code [1]"]
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
    document = _page(tmp_path, [papermill, _code("1/0", error, id="bad"), _code("x", id="after", run=False)])
    assert_links_inside_resolve(document)
    assert [text for text, _ in document.find("a", href="#cell-bad")] == ["ValueError: no <b>"]
    assert "1 of 2 code cells were not run" in document.source
    assert document.find("pre", class_="output traceback")[0][0].split("\n") == ["line <1>", "2"]
    assert "open" in document.find("details", class_="source")[0][1]
    assert "An Exception was encountered" not in document.source


def test_half_executed_notebook_says_so(tmp_path):
    document = _page(tmp_path, [_code("a", id="a"), _code("b", id="b", run=False)])
    assert "unfinished run: 1 of 2 code cells" in document.find("aside")[0][0].replace("\n", " ")


def test_error_without_value_or_traceback(tmp_path):
    error = v4.new_output("error", ename="KeyboardInterrupt", evalue="", traceback=[])
    document = _page(tmp_path, [_code("x", error, id="bad")])
    assert document.find("a", href="#cell-bad")[0][0] == "KeyboardInterrupt"
    assert document.find("pre", class_="output traceback")[0][0] == "KeyboardInterrupt"


def test_header_concludes_and_the_question_is_asked_once(tmp_path):
    texts = [
        "# T\n\n**Question.** Is it so?\n\nSource: nobody.",
        "## Conclusions about the method\n\nNot these.",
        "## What follows\n\nThese, with *stress* and <b id='x'>an anchor</b>.\n\n- one\n\n### Details\n\nAnd more.",
        "## Appendix\n\nNot this.",
    ]
    document = _page(tmp_path, [v4.new_markdown_cell(text) for text in texts])
    assert_links_inside_resolve(document)
    (said, _) = document.find("section", class_="conclusion prose")[0]
    assert re.sub(r"\s+", " ", said) == "What came out These, with stress and an anchor. one DetailsAnd more."
    assert document.source.count("Is it so?") == 1
    assert "Source: nobody." in document.source
    long = [v4.new_markdown_cell("## Conclusion\n\n" + "\n\n".join(f"{n} {'x' * 700}" for n in "abc"))]
    (folded, _) = next(d for d in _page(tmp_path, long).find("details") if d[0].startswith("More"))
    assert re.sub(r"[\sx]", "", folded) == "Morec"
    assert "conclusion-title" not in _page(tmp_path, [v4.new_markdown_cell("# T\n\n## Conclusion")]).ids


def test_notebooks_beside_it_are_linked(tmp_path):
    document = _page(tmp_path, [], previous=("One <b>", "01.html"), next=("Three", "03.html"))
    assert [a["rel"] for _, a in document.find("a") if "rel" in a] == ["prev", "next", "prev", "next"]
    assert "One &lt;b&gt;" in document.source
    assert not [a for _, a in _page(tmp_path, []).find("a") if "rel" in a]
    with pytest.raises(ValueError, match="must be relative"):
        _page(tmp_path, [], next=("x", "//evil.example"))


def test_verdicts_link_to_the_ledger_and_are_those_of_the_ledger(tmp_path):
    old = '<div class="claim" id="claim-claim1">an old verdict</div>'
    outputs = [
        _display({"text/html": old, "text/plain": "old"}, claim="claim1"),
        _display({"text/html": '<p id="claim-other">kept</p>', "text/plain": "old"}, claim="other"),
    ]
    path = tmp_path / "01_try.html"
    row = _claim(
        1, verdict="not reproduced", statement="x < y", interval_name="95 % interval", reason="so <b>"
    )
    write_page(v4.new_notebook(cells=[_code("x", *outputs)]), path, _header(), {"claim1": row})
    document = Document(path)
    assert_self_contained(document)
    assert document.find("a", href="index.html#claim-claim1")[0][0] == "not reproduced"
    said = document.find("div", id="claim-claim1")[0][0]
    assert all(part in said for part in ("x < y", "95 % interval [0, 1]", "so <b>", "0.11"))
    assert "an old verdict" not in document.source
    assert "claim-other" in document.ids


def test_formulas_become_mathml(tmp_path):
    text = "Error $\\frac{a}{b} < 1$ and\n\n$$\\sum_i x_i$$\n\nand `$5` and $\\undefinedmacro{$."
    latex = _display({"text/latex": "$$\\sqrt{2}$$", "text/plain": "?"})
    document = _page(tmp_path, [v4.new_markdown_cell(text), _code("x", latex)])
    assert_self_contained(document)
    displays = [attributes["display"] for _, attributes in document.find("math")]
    assert displays == ["inline", "block", "block"]
    assert {"mfrac", "munder", "msqrt"} <= {tag for tag, _, _ in document.elements}
    assert "$5" in document.source
    assert "frac{a}" not in document.source
    assert r"\undefinedmacro{" in [text for text, _ in document.find("code")]  # as it was typed


def test_figures_are_counted_as_the_page_counts_them(tmp_path):
    cells = [
        _code("x", _display({"image/png": PIXEL}, **{"image/png": {"alt": "first"}}), id="a"),
        _code("x", _display({"image/png": PIXEL}), id="b", tags=["remove-cell"]),
        _code("x", _display({"image/png": PIXEL, "text/html": "<p>table</p>"}), id="c"),
        _code("x", _display({"image/png": PIXEL, **WIDGET}), id="d"),
        _code("x", _display({"image/svg+xml": "<svg/>", "image/png": PIXEL}), id="e"),
    ]
    found = [(cell.id, mime) for cell, _, mime in figures(v4.new_notebook(cells=cells))]
    assert found == [("a", "image/png"), ("e", "image/svg+xml")]
    document = _page(tmp_path, cells)
    assert [text for text, _ in document.find("figcaption")] == ["Figure 1. first", "Figure 2. 01_try"]


def test_outputs_are_inert(tmp_path):
    html = (
        EVIL
        + "<link rel=stylesheet href='https://evil.example/x.css'><style>@import 'https://evil.example'</style>"
        "<style>td{background:url( 'https://evil.example/y' )}</style><style>td{color:red}</style>"
        "<iframe src='https://evil.example'></iframe><p style='background:url(//evil.example)'>kept</p>"
        "<a href='javascript:alert(1)'>a</a><a href='https://fine.example/'>fine</a>"
        "<img src='https://evil.example/far.png' alt='far'><img alt='near' src='data:image/png;base64,AAAA'>"
        "<svg><image href='https://evil.example/z.png'/></svg>"
    )
    markdown = v4.new_markdown_cell("![plot](https://evil.example/plot.png) <script>alert(1)</script>")
    outputs = [
        _display({"text/html": html}),
        _display({"text/markdown": EVIL}),
        _display({"text/html": "a.html"}),
    ]
    document = _page(tmp_path, [markdown, _code("x", *outputs)])
    assert_self_contained(document)
    assert "evil.example" not in document.source
    assert "alert(1)" not in document.source
    assert {a.get("href") for _, a in document.find("a")} >= {"https://fine.example/"}
    assert ("kept", {}) in document.find("p")
    assert "td{color:red}" in document.source
    assert "[far: not part of this file]" in document.source
    assert [a["alt"] for _, a in document.find("img")] == ["near"]


def test_scripted_outputs_are_dropped(tmp_path):
    outputs = [
        _display(WIDGET),
        _display({"application/javascript": "alert(1)", "text/plain": "<Javascript object>"}),
        _display({"application/x-unknown": "?"}),
        _display({"text/plain": "kept <b>"}),
        v4.new_output("stream", name="stderr", text=" 0%|\r 50%|\r100%| done\n"),
    ]
    document = _page(tmp_path, [_code("x", *outputs)])
    assert [text for text, _ in document.find("pre", class_="output")] == ["kept <b>"]
    assert document.find("pre", class_="output stderr")[0][0] == "100%| done"
    assert "0/5" not in document.source


def test_images_are_embedded_and_described(tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    first = _code("x", _display({"image/png": PIXEL + "\n", "text/plain": "<Figure>"}), id="first")
    outputs = [
        _display({"image/png": PIXEL}),
        _display({"image/png": PIXEL}, **{"image/png": {"alt": "curve", "width": 300}}),
        v4.new_output("execute_result", data={"image/svg+xml": svg}, metadata={"alt": 'a "drawing"'}),
    ]
    document = _page(tmp_path, [first, v4.new_markdown_cell("### Depth"), _code("x", *outputs)])
    images = [attributes for _, attributes in document.find("img")]
    assert [image["alt"] for image in images] == [
        f"Figure {n}, described in its caption" for n in range(1, 5)
    ]
    captions = [text for text, _ in document.find("figcaption")]
    assert captions == ["Figure 1. 01_try", "Figure 2. Depth", "Figure 3. curve", 'Figure 4. a "drawing"']
    assert [a["id"] for _, a in document.find("figure")] == [f"figure-{n}" for n in range(1, 5)]
    assert images[2]["width"] == "300"
    assert images[0]["src"] == f"data:image/png;base64,{PIXEL}"
    assert images[3]["src"].startswith("data:image/svg+xml;base64,")
    assert "alert(1)" not in document.source


def test_pandas_table_stays_a_table(tmp_path):
    table = "<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table>"
    document = _page(tmp_path, [_code("df", v4.new_output("execute_result", data={"text/html": table}))])
    assert document.find("div", class_="output html")[0][0] == "a1"
    assert document.find("td")[-1] == ("1", {})


def test_notebook_is_not_changed_and_old_ones_without_cell_ids_work(tmp_path):
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell("# T"), _code("x", _display(WIDGET))])
    before = nbformat.writes(notebook)
    write_page(notebook, tmp_path / "a.html", _header())
    assert nbformat.writes(notebook) == before
    for cell in notebook.cells:
        del cell["id"]
    notebook.nbformat_minor = 4
    write_page(notebook, tmp_path / "b.html", _header())
    assert "cell-1" in Document(tmp_path / "b.html").ids


@pytest.mark.parametrize("field", ["notebook_href", "index_href"])
def test_page_refuses_links_that_leave(tmp_path, field):
    with pytest.raises(ValueError, match="must be relative, but it is 'file:///x'"):
        _page(tmp_path, [], **{field: "file:///x"})


def test_writes_are_atomic_and_leave_nothing(tmp_path, monkeypatch):
    path = tmp_path / "new" / "index.html"
    write_index(path, _site([_claim(1)]))
    write_page(v4.new_notebook(), tmp_path / "new" / "page.html", _header())
    assert sorted(p.name for p in path.parent.iterdir()) == ["index.html", "page.html"]

    def refuse(*_):
        raise OSError("disk full")

    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_index(path, _site([]))
    assert path.read_text(encoding="utf-8") == before
    assert sorted(p.name for p in path.parent.iterdir()) == ["index.html", "page.html"]


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vnd.x+y:z",
        "/etc/passwd",
        " /etc/passwd",
        "\\\\host\\x",
        "\\x",
        "C:\\x",
        "//host/x",
        "\t//host/x",
    ],
)
def test_a_link_to_another_place_is_refused(tmp_path, link):
    with pytest.raises(ValueError, match="must be relative"):
        write_page(v4.new_notebook(), tmp_path / "x.html", _header(notebook_href=link))


@pytest.mark.parametrize(
    "link", ["a.ipynb", "notebooks/a.ipynb", "../a.ipynb", "./a:b.ipynb", "a.html#x:y", "a?b=c:d"]
)
def test_a_relative_link_is_kept(tmp_path, link):
    write_page(v4.new_notebook(), tmp_path / "x.html", _header(notebook_href=link))
    assert f'href="{link}"' in (tmp_path / "x.html").read_text()
