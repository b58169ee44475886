"""The report site in a real headless browser: behaviour, requests, width and contrast."""

import re

import pytest
from nbformat import v4

from studylib.study.ledger.claims import Deviation
from studylib.study.site.model import NotebookCard
from studylib.study.site.page import write_page
from studylib.study.site.pages import write_site
from tests.study.axe import assert_no_serious_findings
from tests.study.browser_checks import assert_within_the_screen
from tests.study.site_pieces import PIXEL, a_claim, a_header, a_site, a_source, code_cell, display

pytestmark = pytest.mark.browser

LONG = "a_rather_long_name_without_any_place_to_break_it_in_the_middle_of_a_phone's_screen"
NAMES = ["index.html", "claims.html", "notebooks.html", "method.html", "amendments.html", "01_try.html"]
VERDICTS = ["reproduced", "not reproduced", "planned", "partly", "planned", "inconclusive"]
VALUES = ["61,069", "0.0036", "≥ 0.5", "", "identity", "0.017"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    amended = {"date": "2026", "reason": LONG, "first_rule": LONG, "first_verdict": "partly"}
    claims = [
        a_claim(
            n,
            id=f"c{n}",
            source="GRaF" if n < 4 else "PCF",
            nature="identity" if n == 5 else "finding",
            place=f"4.{n + 7}",
            statement=f"statement {n} {LONG if n == 1 else ''}",
            value=value,
            rule=f"rule {n}" + (" uniquely worded" if n == 3 else ""),
            verdict=verdict,
            lines=[] if verdict == "planned" else [f"0.{n}"],
            interval="[0.1, 0.9], 20 seeds",
            notebook="01_try" if n < 2 else "",
            href=("01_try.html#claim-c0", "01_try.html#cell-plot")[n] if n < 2 else "",
            notes=[LONG] if n == 1 else [],
            amended=[amended] if n == 1 else [],
        )
        for n, (verdict, value) in enumerate(zip(VERDICTS, VALUES, strict=True))
    ]
    picture = {"href": "01_try.html", "image": f"data:image/png;base64,{PIXEL}", "alt": "a curve"}
    site = a_site(
        claims,
        banner=["Computed from simulated data."],
        notebooks=[
            NotebookCard(name="01_try", title="Try", question="So?", status="ok", **picture),
            NotebookCard(
                name=LONG, title="Fail", question="So?", status="failed", error=f"ValueError: {LONG}"
            ),
            *(NotebookCard(name=f"0{n}_more", title="More", question="So?", status="ok") for n in range(4)),
        ],
        sources=[
            a_source("GRaF", finding="So.", image=picture["image"], alt="a curve"),
            a_source("PCF", title=LONG, identifier=LONG, link="https://two.example/", caveat=LONG),
        ],
        provenance={"Data": {"sha256": "0" * 64}},
        deviations=[Deviation(source="GRaF", place="eq 10", text="Z is meant.", claims=["c2"])],
    )
    write_site(folder, site)
    wide = "<table><tr>" + "".join(f"<td>column_{n}_{n}</td>" for n in range(40)) + "</tr></table>"
    hostile = (
        "<script src='https://evil.example/x.js'></script><img src='https://evil.example/x.png' alt='x'>"
        "<style>p { background: url(https://evil.example/y.png) }</style><p onclick='alert(1)'>text</p>"
    )
    outputs = [
        display({"text/html": "old"}, claim="c0"),
        display({"image/png": PIXEL}, **{"image/png": {"width": 2000}}),
        display({"text/html": wide}),
        display({"text/html": hostile}),
        v4.new_output("stream", text="x" * 500),
        v4.new_output("error", ename="ValueError", evalue=LONG, traceback=["y" * 300]),
    ]
    plot = code_cell(f"def f():\n    return '{LONG * 3}'  # a comment", *outputs, id="plot")
    formula = "$$\\sum_{i=1}^{n} x_i^2 = \\frac{" + "a + " * 60 + "b}{c}$$"
    conclusion = v4.new_markdown_cell(f"## Conclusion\n\nIt is so: $x < 1$, and\n\n{formula}")
    cells = [
        v4.new_markdown_cell(f"# Try\n\n## Depth\n\n`{LONG}`\n\n```python\n{LONG * 2}\n```"),
        plot,
        conclusion,
    ]
    header = a_header(
        rerun=f"make reproduce {LONG}",
        parameters={"name": LONG},
        banner=["Computed from simulated data."],
        next=(LONG, "index.html"),
        claims="1 reproduced",
    )
    write_page(v4.new_notebook(cells=cells), folder / "01_try.html", header, {c.id: c for c in claims})
    return folder


def _shown(page):
    return page.eval_on_selector_all(
        "#ledger tbody", "rows => rows.filter(r => r.offsetHeight).map(r => r.id)"
    )


def _ids(text):
    return [f"claim-c{digit}" for digit in text]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_nothing_is_wider_than_the_screen(visit, name, script, width):
    page = visit(name, width=width, java_script_enabled=script)
    assert_within_the_screen(page)


@pytest.mark.parametrize("name", NAMES)
def test_theme_button_switches_and_forgets(visit, name):
    page = visit(name, color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click("#theme")
    light = page.evaluate(background)
    assert light != dark
    page.click("#theme")
    assert page.evaluate(background) == dark
    page.click("#theme")
    page.reload()
    assert page.evaluate(background) == dark


@pytest.mark.parametrize("name", NAMES)
def test_print_is_light_and_without_controls(visit, name):
    page = visit(name, color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in ("#theme", ".sidebar", ".tools", "#all-code"):
        assert not page.is_visible(selector)
    if name == "method.html":
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.is_visible(".provenance dd")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert not page.evaluate("document.querySelector('details.provenance').open")


def test_planned_claims_are_shown_on_request_and_without_scripts(visit):
    page = visit("claims.html")
    assert _shown(page) == _ids("0135")
    assert page.inner_text("#shown-count") == "4 of 6 claims shown, 2 planned not shown"
    page.click("#planned-toggle")
    assert _shown(page) == _ids("012345")
    assert page.inner_text("#planned-toggle") == "Hide 2 planned"
    page = visit("claims.html?source=nobody&verdict=maybe&nature=x&sort=y&planned=yes")  # unknown names
    assert _shown(page) == _ids("012345")
    page = visit("claims.html", java_script_enabled=False)
    assert _shown(page) == _ids("012345")
    assert not page.is_visible("#theme")
    assert not page.is_visible(".tools")


def test_filters_by_text_source_and_verdict(visit):
    page = visit("claims.html")
    page.fill("#text-filter", "Uniquely  RULE")
    assert _shown(page) == _ids("3")
    page.fill("#text-filter", "statement nowhere")
    assert _shown(page) == []
    assert page.is_visible("#no-match")
    page.click("#reset")
    assert _shown(page) == _ids("0135")
    page.select_option("#source-filter", "PCF")
    assert _shown(page) == _ids("5")
    page.select_option("#source-filter", "")
    page.click(".chip[data-verdict='not reproduced']")
    assert _shown(page) == _ids("1")
    page.click(".chip[data-verdict='planned']")
    assert _shown(page) == _ids("124")
    page.click(".chip[data-verdict='not reproduced']")
    assert page.get_attribute(".chip[data-verdict='not reproduced']", "aria-pressed") == "false"
    assert _shown(page) == _ids("24")


@pytest.mark.parametrize(
    ("column", "ascending", "descending"),
    [
        ("verdict", "031524", "245130"),
        ("statement", "012345", "543210"),
        ("source", "012345", "450123"),
        ("place", "012345", "543210"),  # 4.7 … 4.12: not decimals
        ("value", "152043", "025143"),  # numbers, then words, what is empty last in both directions
        ("ours", "013524", "531024"),
        ("cell", "012345", "012345"),
    ],
)
def test_sorts_by_every_column(visit, column, ascending, descending):
    page = visit("claims.html")
    page.click("#planned-toggle")
    head = f"th.c-{column}"
    page.focus(f"{head} button")
    for expected, state in [(ascending, "ascending"), (descending, "descending"), ("012345", "none")]:
        page.keyboard.press("Enter")
        assert page.get_attribute(head, "aria-sort") == state
        assert _shown(page) == _ids(expected)
    page.click(f"{head} button")
    page.click("th.c-place button" if column != "place" else "th.c-source button")
    assert page.get_attribute(head, "aria-sort") == "none"


def test_phone_has_stacked_cards_that_still_sort(visit):
    page = visit("claims.html", width=390)
    row = page.query_selector("#claim-c0")
    assert row.bounding_box()["width"] <= 390
    assert row.bounding_box()["height"] > 100
    page.click("th.c-value button")
    assert _shown(page) == _ids("1503")


def test_link_to_a_filtered_claim_arrives(visit):
    page = visit("method.html")
    page.click("#deviations a")
    assert page.is_visible("#claim-c2")
    assert page.evaluate("document.querySelector('#claim-c2 details').open")
    page = visit("claims.html#claim-c4")
    assert page.is_visible("#claim-c4")


def test_a_claim_opens_over_the_full_width(visit):
    page = visit("claims.html")
    page.click("#claim-c0 summary")
    opened, table = page.query_selector("#claim-c0 .opened td"), page.query_selector("#ledger")
    assert opened.bounding_box()["width"] > 0.99 * table.bounding_box()["width"]
    assert page.is_visible("#claim-c0 .measured")


def test_claim_links_to_its_cell_and_back(visit):
    page = visit("claims.html")
    page.click("#claim-c0 .c-cell a")
    assert page.url.endswith("01_try.html#claim-c0")
    assert page.is_visible("#claim-c0")
    page.click("#claim-c0 a")
    assert page.url.endswith("claims.html#claim-c0")
    # The address changes before the page is there.
    page.wait_for_function("document.querySelector('#claim-c0 details')?.open")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_nothing_serious(visit, name, scheme, width):
    assert_no_serious_findings(visit(name, width=width, color_scheme=scheme), scheme)


def test_chips_and_bar_count_what_the_filters_leave(visit):
    page = visit("claims.html")
    chips = "Object.fromEntries([...document.querySelectorAll('.chip')].map(c => [c.dataset.verdict, +c.querySelector('b').textContent]))"
    shares = (
        "[...document.querySelectorAll('.segment')].filter(s => s.offsetWidth).map(s => s.innerText.trim())"
    )
    assert page.evaluate(chips) == dict.fromkeys(VERDICTS, 1) | {"planned": 2}
    assert page.inner_text("#n-findings") == "3 findings"  # the fourth claim shown is an identity
    page.select_option("#source-filter", "GRaF")
    assert page.evaluate(chips) == dict.fromkeys(VERDICTS, 1) | {"inconclusive": 0}
    assert page.evaluate(shares) == ["1", "1", "1"]
    page.click(".chip[data-verdict='partly']")
    assert page.evaluate(chips)["reproduced"] == 1  # what another choice of verdict would show
    assert page.evaluate(shares) == ["1"]
    assert page.get_attribute(".bar", "aria-label") == "Findings by verdict: 1 partly"
    page.click("#reset")
    page.select_option("#nature-filter", "identity")
    assert _shown(page) == _ids("5")
    assert page.inner_text("#n-findings") == "No findings"
    assert not page.is_visible(".bar")


def test_address_keeps_the_filters(visit):
    page = visit("claims.html?source=GRaF&verdict=partly&verdict=planned&sort=-place#claims")
    assert _shown(page) == _ids("432"[1:])
    assert page.get_attribute("th.c-place", "aria-sort") == "descending"
    page.click(".chip[data-verdict='partly']")
    assert _shown(page) == _ids("2")
    page.reload()
    assert _shown(page) == _ids("2")
    page.go_back()
    assert _shown(page) == _ids("32")
    page.click("#reset")
    page.fill("#text-filter", "statement")
    page.select_option("#nature-filter", "identity")
    assert page.url.partition("?")[2] == "q=statement&nature=identity&sort=-place#claims"
    page.go_back()
    assert page.input_value("#nature-filter") == ""
    assert page.input_value("#text-filter") == "statement"


def test_counts_of_a_source_lead_to_its_claims(visit):
    page = visit("index.html")
    page.click(".answer >> text=1 not reproduced")
    page.wait_for_url(re.compile(r"claims\.html\?"))
    assert _shown(page) == _ids("1")
    page = visit("index.html")
    page.click(".more summary")
    page.click(".unjudged a")
    page.wait_for_url(re.compile(r"claims\.html.*#claim-c2$"))
    assert page.is_visible("#claim-c2")


def test_contents_code_and_formulas_are_laid_out(visit):
    page = visit("01_try.html")
    assert page.is_visible(".sidebar a")
    assert not page.is_visible(".contents")
    assert page.is_visible("#cell-plot .highlight")  # a failed cell is open
    page.click("#all-code")
    page.click("#all-code")
    assert not page.is_visible("#cell-plot .highlight")
    page = visit("01_try.html", width=390)
    assert not page.is_visible(".sidebar")
    assert not page.is_visible(".contents a")
    page.click(".contents summary")
    assert page.is_visible(".contents a")
    fraction = page.query_selector("mfrac").bounding_box()
    assert fraction["height"] > page.query_selector("mfrac > *").bounding_box()["height"]


@pytest.mark.parametrize("width", [390, 1280])
def test_figure_enlarges_to_its_own_size_and_back(visit, width):
    page = visit("01_try.html", width=width)
    small = page.query_selector("#figure-1 img").bounding_box()["width"]
    page.keyboard.press("Tab")
    page.click("#figure-1 button")
    assert page.is_visible("dialog.large img")
    assert page.query_selector("dialog.large img").bounding_box()["width"] >= small
    page.keyboard.press("Escape")
    assert not page.is_visible("dialog.large img")
    page.click("#figure-1 button")
    page.click("dialog.large button")
    assert not page.is_visible("dialog.large img")
