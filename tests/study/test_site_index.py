"""The front page without a browser: answers, claims, what it refuses."""

import re

import pytest

from studylib.study.site import VERDICTS, Deviation, NotebookCard, Source, write_index
from tests.study.html_document import Document, assert_links_inside_resolve, assert_self_contained
from tests.study.site_pieces import EVIL, PIXEL, a_claim, a_site


@pytest.fixture
def index(tmp_path):
    claims = [a_claim(n, verdict=verdict) for n, verdict in enumerate(VERDICTS)]
    claims.append(a_claim(20, id="evil", statement=EVIL, rule=EVIL, reason=EVIL, notes=[EVIL], source=EVIL))
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
    site = a_site(
        claims,
        banner=["Computed from simulated data."],
        notebooks=cards,
        provenance={"Environment": {"python": "3.11", "note": EVIL}},
        deviations=[Deviation(source="GRaF", place="eq 10", text=EVIL, claim_ids=["claim1", "evil"])],
        docs="../docs/index.html",
    )
    path = tmp_path / "quick" / "index.html"
    write_index(path, site)
    return Document(path)


def test_index_is_self_contained_and_its_links_resolve(index):
    assert_self_contained(index)
    assert_links_inside_resolve(index)
    assert index.find("a", href="03_graf.html#cell-c2")
    assert index.find("a", href="03_graf.html")
    assert index.find("a", href="../docs/index.html")


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
    write_index(tmp_path / "index.html", a_site(claims, sources=sources))
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
        a_claim(1, nature="identity"),
        a_claim(2, nature="arithmetic"),
        a_claim(3, nature="question", verdict="answered"),
        a_claim(4, source="B"),
        a_claim(5),
    ]
    sources = [Source("GRaF", "", ""), Source("B", "", "")]
    write_index(tmp_path / "index.html", a_site(claims, sources=sources))
    rows = [a["id"] for t, a, _ in Document(tmp_path / "index.html").elements if t == "tr" and "id" in a]
    assert rows == [f"claim-claim{n}" for n in (5, 4, 3, 2, 1)]


def test_ledger_says_what_an_interval_is_and_what_is_required(tmp_path):
    several = {"ours": "a: 1 (0 … 2); b: 3 (2 … 4)", "interval": ""}
    claims = [
        a_claim(1, ours="0.3", interval="0.1 … 0.5", interval_name="95 % interval", required="> 0"),
        a_claim(2, **several),
        a_claim(3, nature="question", verdict="answered", **several),
    ]
    write_index(tmp_path / "index.html", a_site(claims))
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
        (["reproduced"], "One program reads the rules", False),
    ],
)
def test_lead_and_planned_toggle_follow_the_verdicts(tmp_path, verdicts, sentence, toggle):
    path = tmp_path / "index.html"
    write_index(path, a_site([a_claim(n, verdict=verdict) for n, verdict in enumerate(verdicts)]))
    document = Document(path)
    assert sentence in document.source
    assert bool(document.find("button", id="planned-toggle")) == toggle


def test_the_front_page_says_which_way_amended_verdicts_moved(tmp_path):
    moves = (("partly", "reproduced"), ("inconclusive", "partly"), ("reproduced", "not reproduced"))
    moves += (("reproduced", "answered"), ("reproduced", "checked"))  # neither
    rows = [
        a_claim(
            n, verdict=now, amended={"date": "D", "reason": "R", "first_rule": "F", "first_verdict": first}
        )
        for n, (first, now) in enumerate(moves)
    ]
    write_index(tmp_path / "index.html", a_site(rows))
    source = Document(tmp_path / "index.html").source
    assert (
        "5 rules were amended then, with results known; 2 verdicts moved towards “reproduced”, 1 away"
        in source
    )


def test_index_of_nothing_is_a_page(tmp_path):
    write_index(tmp_path / "index.html", a_site([]))
    assert_self_contained(Document(tmp_path / "index.html"))


@pytest.mark.parametrize(
    ("site", "sentence"),
    [
        (
            a_site([a_claim(1, verdict="maybe")]),
            "Claim 'claim1' has the verdict 'maybe'; allowed are reproduced, ",
        ),
        (
            a_site([a_claim(1), a_claim(1)]),
            "Claim ids must be unique, but these come more than once: claim1.",
        ),
        (a_site([a_claim(1, href="https://evil.example")]), "The link of claim 'claim1' must be relative"),
        (a_site([a_claim(1, href=" javascript:alert(1)")]), "The link of claim 'claim1' must be relative"),
        (
            a_site([], sources=[Source("A", "", "", image="https://evil.example/x.png")]),
            "The link of the picture of 'A' must be relative",
        ),
        (
            a_site([], sources=[Source("A", "", "", figure_href="//evil.example")]),
            "The link of the figure of 'A' must be relative",
        ),
        (a_site([], docs="//evil.example"), "The link of the guide must be relative"),
        (
            a_site([], deviations=[Deviation(source="a", place="p. 3", text="b", claim_ids=["none"])]),
            "The deviation at 'p. 3' names unknown claims: none.",
        ),
        (
            a_site([], notebooks=[NotebookCard(name="n", title="t", question="q", status="done")]),
            "Notebook 'n' has the status 'done'; allowed are ok, stale, failed, planned.",
        ),
        (
            a_site(
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
