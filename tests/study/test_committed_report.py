"""The report that is under version control, as a reader gets it."""

import json
import re
import subprocess
import sys
import warnings
from pathlib import Path
from urllib.parse import unquote

import pytest

from studylib.core.files import file_hash
from studylib.study import rules
from studylib.study.cards.sentences import because, one_by_one
from studylib.study.freshness import keys
from studylib.study.ledger.study import read_study
from tests.study.axe import assert_no_serious_findings

ROOT = Path(__file__).parents[2]
STUDY = read_study(ROOT)
REPORT = ROOT / "reports/paper"
PAGES = {p.relative_to(REPORT).as_posix(): p for p in sorted(REPORT.rglob("*.html"))}


@pytest.mark.parametrize("name", PAGES)
def test_every_link_of_a_page_resolves(name):
    page = PAGES[name]
    links = set(re.findall(r'<a [^>]*href="([^"]+)"', page.read_text(encoding="utf-8")))
    assert links
    for link in links:
        if re.match(r"https?://", link):
            continue
        file, _, anchor = unquote(link).partition("#")
        file = file.partition("?")[0]  # how the ledger is filtered
        target = page.parent / file if file else page
        assert target.is_file(), link
        if anchor and target.suffix == ".html":
            assert f'id="{anchor}"' in target.read_text(encoding="utf-8"), link


@pytest.mark.parametrize("name", STUDY.notebooks)
def test_every_claim_of_a_notebook_has_a_verdict_from_real_data(name):
    results = json.loads((REPORT / "results" / f"{name}.json").read_text(encoding="utf-8"))
    verdicts = json.loads((REPORT / "evidence.json").read_text(encoding="utf-8"))["claims"]
    assert results["data"] == "real"
    assert set(results["claims"]) == set(STUDY.notebook(name).claims) <= set(STUDY.ledger.claims)
    for claim in results["claims"]:
        entry, never = verdicts[claim], STUDY.ledger.claims[claim].kind == "not-testable"
        assert entry["notebook"] == name
        assert entry["verdict"] not in (rules.PLANNED, rules.SHOWN)
        assert (entry["verdict"] == rules.NOT_TESTABLE) == never


def test_the_verdicts_are_those_of_the_ledger_beside_them():
    kept = json.loads((REPORT / "evidence.json").read_text(encoding="utf-8"))
    assert kept["ledger_sha256"] == STUDY.ledger.hash, "run: studylib judge --profile paper"


def test_the_evidence_holds_for_a_bare_python():
    """No package of ours or of others: what a stranger types after cloning."""
    words = [sys.executable, "-I", "-S", str(REPORT / "verify.py")]
    done = subprocess.run(words, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    judged = json.loads((REPORT / "evidence.json").read_text(encoding="utf-8"))["claims"]
    assert done.stdout.endswith(f"\nEverything agrees; all {len(judged)} verdicts were derived.\n")


@pytest.mark.filterwarnings("default:the report was computed with")
@pytest.mark.parametrize("name", STUDY.notebooks)
def test_the_report_is_of_the_code_beside_it(name, monkeypatch):
    """No number in the committed report belongs to other code, parameters, data or package versions.

    It may be of another Python, with the packages that are locked for that one: pytest's summary says so.
    """
    monkeypatch.setenv("STUDYLIB_STUDY", str(ROOT))
    stamp = json.loads((REPORT / "stamps" / f"{name}.json").read_text(encoding="utf-8"))
    now = keys.notebook_parts(STUDY.notebook(name), "paper")
    assert keys.changes(stamp["inputs"], now) == []  # data that are absent here are no change
    elsewhere = keys.another_python(stamp["inputs"])
    if elsewhere:
        warnings.warn(f"the report was {elsewhere}", stacklevel=1)
    assert stamp["key"] == keys.key_of(stamp["inputs"])
    assert stamp["results_sha256"] == file_hash(REPORT / "results" / f"{name}.json")
    assert stamp["executed_sha256"] == file_hash(REPORT / "notebooks" / f"{name}.ipynb")
    assert not stamp["commit"].endswith("(modified)")


@pytest.mark.parametrize("name", STUDY.notebooks)
def test_no_notebook_takes_more_memory_than_a_small_machine_has(name):
    stamp = json.loads((REPORT / "stamps" / f"{name}.json").read_text(encoding="utf-8"))
    # GiB.  The benchmarks start a process with ten million rows, which may take 12, beside their own kernel.
    most = 3 + 12 if name == "12_benchmarks" else 3
    assert stamp["peak_memory_mib"] < most * 1024


@pytest.mark.parametrize("name", PAGES)
def test_no_page_names_a_folder_of_the_machine(name):
    text = PAGES[name].read_text(encoding="utf-8")
    assert not re.search(r"(/home/|/root/|/tmp/|/Users/|[A-Z]:\\\\)", text)


@pytest.fixture(scope="module")
def reports():
    return REPORT


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", PAGES)
def test_a_browser_opens_the_page_without_a_complaint_or_a_request(visit, name, width):
    opened = visit(name, width)
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [name for name in PAGES if "/" not in name])  # the API's pages are Sphinx's
def test_axe_finds_nothing_serious(visit, name, scheme):
    assert_no_serious_findings(visit(name, color_scheme=scheme), scheme)


def test_every_finding_is_of_the_committed_verdicts():
    """What the report says of a source, in our words, rests on the verdicts beside it."""
    verdicts = json.loads((REPORT / "evidence.json").read_text(encoding="utf-8"))["claims"]
    for source in STUDY.ledger.sources.values():
        assert source.finding["rests_on"], source.name
        for claim, verdict in source.finding["rests_on"].items():
            assert verdicts.get(claim, {"verdict": rules.PLANNED})["verdict"] == verdict, claim
            assert STUDY.ledger.claims[claim].source == source.short, claim


def test_every_sentence_about_a_verdict_agrees_with_its_row():
    """Against the numbers alone: where an interval lies, and on how many sets a statement holds."""
    entries = json.loads((REPORT / "evidence.json").read_text(encoding="utf-8"))["claims"]
    compared = 0
    for name, entry in entries.items():
        claim, parts = STUDY.ledger.claims[name], entry["parts"]
        text = because(claim, entry)
        bounds = {k: claim.judge[k] for k in ("above", "least", "below", "most") if k in claim.judge}
        if "it holds in" in text:
            judged = [part for part in parts if part.get("note", {}).get("why") != "beside"]
            sets = {part["set"] for part in judged}
            holds = len(sets - {part["set"] for part in judged if part["outcome"] is not True})
            assert ("all" in text or "both" in text) == (holds == len(sets)), (name, text)
            lines = one_by_one(claim, entry)
            assert not lines or sum(line.endswith(", holds") for line in lines) == holds, (name, lines)
            verdict = entry.get("at_main", entry["verdict"])
            assert verdict != rules.PARTLY or f"{holds} of {len(sets)}" in text, (name, text)
            compared += 1
        elif len(bounds) == 1 and "low" in parts[0] and text.startswith("our"):
            ((key, bound),) = bounds.items()
            sign = 1 if key in ("above", "least") else -1
            low, high = sorted(sign * parts[0][end] for end in ("low", "high"))
            assert text.startswith("our whole interval lies there") == (low >= sign * bound), (name, text)
            if not claim.judge.get("reversal"):
                assert text.startswith("our whole interval lies elsewhere") == (high <= sign * bound), (
                    name,
                    text,
                )
            compared += 1
    assert compared > 60  # of about 120 findings; other rules have no single bound
