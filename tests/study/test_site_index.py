"""The report's own pages without a browser: answers, claims, amendments, what is refused."""

import pytest

from studylib.study.ledger.claims import Deviation
from studylib.study.site.model import PAGES, VERDICTS, NotebookCard
from studylib.study.site.pages import write_site
from tests.study.html_document import Document, assert_links_inside_resolve, assert_self_contained
from tests.study.site_pieces import EVIL, PIXEL, a_claim, a_site, a_source


def pages_of(folder, site):
    """The pages of a site, read back, by name."""
    write_site(folder, site)
    return {path.stem: Document(path) for path in sorted(folder.glob("*.html"))}


@pytest.fixture
def pages(tmp_path):
    claims = [a_claim(n, verdict=verdict) for n, verdict in enumerate(VERDICTS)]
    amended = {"date": "2026", "reason": EVIL, "first_rule": EVIL, "first_verdict": "partly"}
    evil = {"statement": EVIL, "rule": EVIL, "reason": EVIL, "notes": [EVIL], "source": EVIL}
    claims.append(a_claim(20, id="evil", amended=[amended], **evil))
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
        NotebookCard(name="lesson_2_depth", title="Depth", question="?", status="ok"),
    ]
    site = a_site(
        claims,
        banner=["Computed from simulated data."],
        notebooks=cards,
        provenance={"Environment": {"python": "3.11", "note": EVIL}},
        deviations=[Deviation(source="GRaF", place="eq 10", text=EVIL, claims=["claim1", "evil"])],
        docs="../docs/index.html",
    )
    return pages_of(tmp_path / "quick", site)


def test_every_page_is_self_contained_and_its_links_resolve(pages):
    assert pages.keys() == PAGES.keys()
    for name, page in pages.items():
        assert_self_contained(page)
        assert_links_inside_resolve(page)
        (here,) = [a["href"] for _, a in page.find("a") if a.get("aria-current") == "page"]
        assert here == f"{name}.html"
        assert page.find("a", href="../docs/index.html")
        for _, link in page.find("a"):
            file, _, anchor = link["href"].partition("#")
            other = pages.get(file.partition("?")[0].removesuffix(".html"))
            assert not other or not anchor or anchor in other.ids, link
    assert pages["claims"].find("a", href="03_graf.html#cell-c2")
    assert pages["notebooks"].find("a", href="03_graf.html")


def test_a_page_without_content_is_neither_linked_nor_left_behind(tmp_path, pages):
    assert {"lessons", "amendments"} <= pages.keys()
    left = pages_of(tmp_path / "quick", a_site([a_claim(1)]))
    assert left.keys() == {"index", "claims", "method"}
    assert not left["index"].find("a", href="lessons.html")


def test_pages_of_the_guide_are_linked_where_they_are_written(tmp_path):
    lesson = NotebookCard(name="lesson_1", title="A split", question="?", status="ok", duration="17 s")
    site = a_site([a_claim(0)], notebooks=[lesson], docs="../docs/index.html")
    folder, guide = tmp_path / "paper", tmp_path / "docs"
    assert not pages_of(folder, site)["lessons"].find("a", href="../docs/teaching.html")
    guide.mkdir()
    for name in ("teaching", "evidence"):
        (guide / f"{name}.html").touch()
    pages = pages_of(folder, site)
    assert pages["lessons"].find("a", href="../docs/teaching.html")
    assert pages["index"].find("a", href="../docs/evidence.html")
    assert "17 s" not in pages["lessons"].source  # a reader takes it for the length of the lesson


def test_lessons_and_notebooks_have_pages_of_their_own(pages):
    titles = {name: [text for text, _ in pages[name].find("h2")] for name in ("notebooks", "lessons")}
    assert titles == {"notebooks": ["Trees", EVIL, "Y", "Z"], "lessons": ["Depth"]}


def test_old_links_to_claims_still_arrive(pages):
    assert {"claims", "notebooks", "amended"} <= set(pages["index"].ids)
    assert "location.replace(`claims.html" in pages["index"].source


def test_claims_are_all_shown_without_javascript(pages):
    index = pages["claims"]
    rows = [a for t, a, _ in index.elements if t == "tbody" and "data-verdict" in a]
    assert [row["id"] for row in rows] == [f"claim-claim{n}" for n in range(len(VERDICTS))] + ["claim-evil"]
    assert not any("hidden" in row for row in rows)
    for n in range(len(VERDICTS)):
        for text in (f"statement {n}", f"rule {n}", f"Table {n}", f"0.{n}1"):
            assert text in index.source


def test_pages_escape_what_they_are_given(pages):
    for page in pages.values():
        assert "<script src" not in page.source
        assert "<img src=x" not in page.source
    assert sum(page.source.count("&lt;script src=") for page in pages.values()) >= 8
    assert (EVIL, {}) in pages["method"].find("dd")


def test_verdicts_are_counted_with_icon_and_text(pages):
    chips = pages["claims"].find("button", class_="chip v-not-reproduced")
    assert chips[0][0].split() == ["not", "reproduced", "1"]
    for name in ("index", "claims"):
        bar = pages[name].find("div", class_="bar")[0][1]["aria-label"]
        assert bar.startswith(
            "Findings by verdict: 2 reproduced, 1 partly, 1 depends on a choice, 1 not reproduced"
        )
    for verdict in VERDICTS:
        assert f"#v-{verdict.replace(' ', '-')}" in {a.get("href") for _, a, _ in pages["claims"].elements}


def test_the_overview_opens_with_an_answer_for_each_source(tmp_path):
    claims = [
        a_claim(1),
        a_claim(2, verdict="not reproduced"),
        a_claim(3, verdict="planned", statement="nobody knows <b>"),
        a_claim(4, verdict="checked", nature="identity"),
        a_claim(5, source="PCF & Co"),
    ]
    picture = {
        "image": f"data:image/png;base64,{PIXEL}",
        "alt": "a curve",
        "figure_href": "03_graf.html#figure-2",
    }
    sources = [
        a_source("PCF & Co", finding="It is <so>.", headline="In short.", caveat="Elsewhere.", **picture),
        a_source("GRaF", identifier="arXiv:1", link="https://one.example/", notebooks={"Trees": "t.html"}),
    ]
    document = pages_of(tmp_path, a_site(claims, sources=sources))["index"]
    assert_self_contained(document)
    assert_links_inside_resolve(document)
    pcf, graf = (text for text, a in document.find("article") if "answer" in a["class"])
    assert document.source.index('id="answers"') < document.source.index('id="claims"')
    assert "In short." in document.find("p", class_="finding")[0][0]  # the whole answer is folded
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
    assert (
        document.find("a", href="claims.html?source=GRaF&nature=identity&verdict=checked#claims")[0][0]
        == "1 checked"
    )
    assert document.find(
        "a", href="claims.html?source=PCF%20%26%20Co&nature=finding&verdict=reproduced#claims"
    )


def test_the_ledger_puts_findings_before_identities_and_sources_in_order(tmp_path):
    claims = [
        a_claim(1, nature="identity"),
        a_claim(2, nature="arithmetic"),
        a_claim(3, nature="question", verdict="answered"),
        a_claim(4, source="B"),
        a_claim(5),
    ]
    sources = [a_source("GRaF"), a_source("B")]
    page = pages_of(tmp_path, a_site(claims, sources=sources))["claims"]
    rows = [a["id"] for t, a, _ in page.elements if t == "tbody" and "id" in a]
    assert rows == [f"claim-claim{n}" for n in (5, 4, 3, 2, 1)]


def test_ledger_says_what_an_interval_is_and_what_is_required(tmp_path):
    several = {"lines": ["a 2: 3 (2 … 4)", "a 10: 1 (0 … 2)"], "interval": ""}
    answer = {"lines": ["a 10: 1 (0 … 2); a 2: 3"], "interval": ""}
    claims = [
        a_claim(1, lines=["0.3"], interval="0.1 … 0.5", interval_name="95 % interval", required="> 0"),
        a_claim(2, **several),
        a_claim(3, nature="question", verdict="answered", **answer),
    ]
    document = pages_of(tmp_path, a_site(claims))["claims"]
    assert [t for t, _ in document.find("small") if "0" in t] == [
        "95 % interval 0.1\u00a0…\u00a00.5",
        "required > 0",
    ]
    lines = ["a 2: 3 (2\u00a0…\u00a04)", "a 10: 1 (0\u00a0…\u00a02)"]  # numbers in order
    assert [t for t, _ in document.find("li")] == lines * 2  # in the row, and in its sentences
    assert "a 10: 1 (0\u00a0…\u00a02); a 2: 3" in [t for t, _ in document.find("b")]


def test_pages_say_banner_and_failure(pages):
    assert pages["notebooks"].find("p", class_="error")[0][0] == "ValueError: no"
    for page in pages.values():
        assert "Computed from simulated data." in page.find("aside", class_="banner")[0][0]
    assert [a["alt"] for t, a, _ in pages["notebooks"].elements if t == "img"] == ["a curve", "Z"]


@pytest.mark.parametrize(
    ("verdicts", "sentence", "toggle"),
    [
        (["shown", "planned"], "shown next to the source’s but never judged", True),
        (["planned", "planned"], "Nothing has been judged yet", False),
        (["reproduced"], "One program reads the rules", False),
    ],
)
def test_lead_and_planned_toggle_follow_the_verdicts(tmp_path, verdicts, sentence, toggle):
    site = a_site([a_claim(n, verdict=verdict) for n, verdict in enumerate(verdicts)])
    document = pages_of(tmp_path, site)["claims"]
    assert sentence in document.source
    assert bool(document.find("button", id="planned-toggle")) == toggle


def test_the_overview_says_what_became_of_findings_with_choices(tmp_path):
    of_main = {"reproduced": "reproduced", "depends on a choice": "reproduced", "inconclusive": "partly"}
    claims = [
        a_claim(n, verdict=verdict, ours=["within"], choices=[("1", main, True), ("2", verdict, False)])
        for n, (verdict, main) in enumerate(of_main.items())
    ]
    ((text, _),) = pages_of(tmp_path / "quick", a_site(claims))["index"].find("p", id="choices")
    assert "judged 3 of them with other defensible choices" in text
    assert "1 keeps the verdict of our main choice, 1 depends on the choice, and 1 becomes partly" in text


def test_the_pages_say_which_way_amended_verdicts_moved(tmp_path):
    moves = (("partly", "reproduced"), ("inconclusive", "partly"), ("reproduced", "not reproduced"))
    moves += (("reproduced", "answered"), ("reproduced", "checked"))  # neither
    change = {"date": "D", "reason": "R", "first_rule": "F", "first_verdict": "partly"}
    rows = [
        a_claim(n, verdict=now, amended=[{**change, "first_verdict": first}])
        for n, (first, now) in enumerate(moves)
    ]
    rows[-1].amended.append(change)
    pages = pages_of(tmp_path, a_site(rows))
    sentence = "5 rules were amended after the first full run, with results known; 2 verdicts moved towards “reproduced”, 1 away"
    assert sentence in pages["method"].source
    assert "2 verdicts moved towards “reproduced”, 1 away" in pages["amendments"].source
    first = [text for text, _ in pages["amendments"].find("dd") if text in VERDICTS]
    assert first == [*(v for move in moves[:-1] for v in move), "reproduced", "partly", "checked"]
    assert "Rule from D" in pages["amendments"].source
    assert pages["claims"].source.count("Rule until then: F") == 6


def test_a_report_of_nothing_has_pages(tmp_path):
    for page in pages_of(tmp_path, a_site([])).values():
        assert_self_contained(page)


def test_a_claim_that_opens_says_in_sentences_why(tmp_path):
    row = a_claim(
        1,
        value="≤ 2",
        interval="0.1 … 0.5",
        interval_name="95 % interval",
        asked="more than 0",
        because="so",
    )
    page = pages_of(tmp_path, a_site([row]))["claims"]
    sentence = "We measured 0.11 (95 % interval 0.1\u00a0…\u00a00.5). The source says ≤ 2."
    assert page.find("p", class_="measured")[0][0] == sentence
    assert page.find("p", class_="because")[0][0] == "The rule asks for more than 0: so."
    ((_, opened),) = [cell for cell in page.find("td") if "colspan" in cell[1]]
    assert opened["colspan"] == str(len(page.find("th")))
