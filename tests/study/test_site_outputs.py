"""What a notebook's page makes of outputs: formulas, figures, tables, and nothing that runs."""

import numpy as np
import pandas as pd
import pytest
from nbformat import v4

from studylib.study.site.figures import figures
from tests.study.html_document import assert_self_contained
from tests.study.site_pieces import EVIL, PIXEL, WIDGET, code_cell, display, page_of


def test_formulas_become_mathml(tmp_path):
    text = "Error $\\frac{a}{b} < 1$ and\n\n$$\\sum_i x_i$$\n\nand `$5` and $\\undefinedmacro{$."
    latex = display({"text/latex": "$$\\sqrt{2}$$", "text/plain": "?"})
    document = page_of(tmp_path, [v4.new_markdown_cell(text), code_cell("x", latex)])
    assert_self_contained(document)
    displays = [attributes["display"] for _, attributes in document.find("math")]
    assert displays == ["inline", "block", "block"]
    assert {"mfrac", "munder", "msqrt"} <= {tag for tag, _, _ in document.elements}
    assert "$5" in document.source
    assert "frac{a}" not in document.source
    assert r"\undefinedmacro{" in [text for text, _ in document.find("code")]  # as it was typed


def test_figures_are_counted_as_the_page_counts_them(tmp_path):
    cells = [
        code_cell("x", display({"image/png": PIXEL}, **{"image/png": {"alt": "first"}}), id="a"),
        code_cell("x", display({"image/png": PIXEL}), id="b", tags=["remove-cell"]),
        code_cell("x", display({"image/png": PIXEL, "text/html": "<p>table</p>"}), id="c"),
        code_cell("x", display({"image/png": PIXEL, **WIDGET}), id="d"),
        code_cell("x", display({"image/svg+xml": "<svg/>", "image/png": PIXEL}), id="e"),
    ]
    counted = [(cell.id, mime) for cell, _, mime in figures(v4.new_notebook(cells=cells))]
    assert counted == [("a", "image/png"), ("e", "image/svg+xml")]
    document = page_of(tmp_path, cells)
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
        display({"text/html": html}),
        display({"text/markdown": EVIL}),
        display({"text/html": "a.html"}),
    ]
    document = page_of(tmp_path, [markdown, code_cell("x", *outputs)])
    assert_self_contained(document)
    assert "evil.example" not in document.source
    assert "alert(1)" not in document.source
    assert {a.get("href") for _, a in document.find("a")} >= {"https://fine.example/"}
    assert ("kept", {}) in document.find("p")
    assert "td{color:red}" in document.source
    assert "[far: not part of this file]" in document.source
    assert [a["alt"] for _, a in document.find("img")] == ["near"]


@pytest.mark.parametrize(
    ("link", "stays"),
    [
        ("https://fine.example/", True),
        ("HTTP://fine.example/", True),
        ("mailto:a@fine.example", True),
        ("#a:b", True),
        ("../a.html", True),
        ("java\tscript:alert(1)", False),
        ("\x01JavaScript:alert(1)", False),
        ("vbscript:x", False),
        ("data:text/html,x", False),
        ("file:///etc/passwd", False),
        ("//host/x", False),
    ],
)
def test_a_link_leads_into_the_report_or_to_the_web(tmp_path, link, stays):
    cell = v4.new_markdown_cell(f'<a href="{link}">somewhere</a>')
    ((_, attributes),) = [a for a in page_of(tmp_path, [cell]).find("a") if a[0] == "somewhere"]
    assert attributes == ({"href": link} if stays else {})


def a_frame(*rows, columns=("mean", "std")):
    return {"text/html": pd.DataFrame(rows, columns=columns).to_html()}


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"image/png": "not base64"}, "Figure 1"),
        ({"image/jpeg": "AAAA"}, "Figure 1"),
        (a_frame(["low", "<b>"], [1.0, np.inf], ["1,000", "2"]), "low (± <b>)"),
        (a_frame(["9" * 5000, 1], columns=("x", "y")), "999"),
        (a_frame([2.0, 1.0]), "2 (± 1)"),
        ({"text/html": a_frame([2.0, 1.0])["text/html"].replace("<th>", '<th rowspan="x" colspan="²">')}, "2 (± 1)"),
        ({"text/latex": r"$\text{<i>a</i>&b}$"}, "<i>a</i>&b"),
    ],
)  # fmt: skip
def test_an_output_of_any_text_has_its_page(tmp_path, data, shown):
    document = page_of(tmp_path, [code_cell("x", display(data))])
    assert_self_contained(document)
    assert shown in "".join(text for text, _ in document.find("figure") + document.find("math"))
    assert not document.find("i")


def test_scripted_outputs_are_dropped(tmp_path):
    outputs = [
        display(WIDGET),
        display({"application/javascript": "alert(1)", "text/plain": "<Javascript object>"}),
        display({"application/x-unknown": "?"}),
        display({"text/plain": "kept <b>"}),
        v4.new_output("stream", name="stderr", text=" 0%|\r 50%|\r100%| done\n"),
    ]
    document = page_of(tmp_path, [code_cell("x", *outputs)])
    assert [text for text, _ in document.find("pre", class_="output")] == ["kept <b>"]
    assert document.find("pre", class_="output stderr")[0][0] == "100%| done"
    assert "0/5" not in document.source


def test_images_are_embedded_and_described(tmp_path):
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    first = code_cell("x", display({"image/png": PIXEL + "\n", "text/plain": "<Figure>"}), id="first")
    outputs = [
        display({"image/png": PIXEL}),
        display({"image/png": PIXEL}, **{"image/png": {"alt": "curve", "width": 300}}),
        v4.new_output("execute_result", data={"image/svg+xml": svg}, metadata={"alt": 'a "drawing"'}),
    ]
    document = page_of(tmp_path, [first, v4.new_markdown_cell("### Depth"), code_cell("x", *outputs)])
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


def test_a_notebook_without_claims_does_not_say_so(tmp_path):
    outputs = [
        display({"text/html": f"<p>{text}</p>", "text/plain": text}) for text in ("no claims", "1 claim")
    ]
    document = page_of(tmp_path, [code_cell("run.finish()", *outputs)])
    assert [text for text, _ in document.find("div", class_="output html")] == ["1 claim"]
