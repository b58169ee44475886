"""Guide and API reference in a real headless browser, opened from a disk."""

import shutil

import pytest

from tests.study.axe import assert_no_serious_findings
from tests.study.browser_checks import assert_within_the_screen
from tests.study.test_site_docs import STUDY

pytestmark = pytest.mark.browser

PAGES = ["index.html", "estimators.html", "studylib.trees.html", "studylib.trees.TreePredictor.html"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "paper").mkdir()
    (folder / "paper/index.html").write_text("<!doctype html><title>report</title><p>the report")
    shutil.copytree(
        STUDY.root / "reports/docs", folder / "docs"
    )  # another test compares them with the sources
    return folder


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize(("width", "script"), [(390, True), (390, False), (1280, True)])
def test_nothing_is_wider_than_the_screen(visit, name, width, script):
    assert_within_the_screen(visit(f"docs/{name}", width=width, java_script_enabled=script))


@pytest.mark.parametrize(
    "name", ["index.html", "abstaining.html", "estimators.html", "studylib.trees.TreePredictor.html"]
)
@pytest.mark.parametrize(("width", "scheme"), [(390, "light"), (1280, "dark")])
def test_axe_finds_nothing_serious(visit, name, width, scheme):
    assert_no_serious_findings(visit(f"docs/{name}", width=width, color_scheme=scheme))


def test_search_finds_a_method_and_leads_to_it(visit):
    page = visit("docs/index.html")
    page.fill(".sidebar-search", "prune")
    page.press(".sidebar-search", "Enter")
    page.wait_for_selector("text=Search finished")  # this line moves the results down
    page.click("#search-results a >> text=TreePredictor.prune")
    page.wait_for_url("**/studylib.trees.TreePredictor.html*#studylib.trees.TreePredictor.prune")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_report_is_linked(visit, width):
    page = visit("docs/studylib.pcf.html", width=width)
    if width < 500:
        page.click("label.nav-overlay-icon")
    page.click(".report-link")
    page.wait_for_url("**/paper/index.html")
    assert "the report" in page.inner_text("body")


def test_on_paper_nothing_covers_the_text_and_no_code_is_cut(visit):
    page = visit("docs/abstaining.html")
    page.emulate_media(media="print")
    assert not page.is_visible(".skip-to-content")
    assert not page.is_visible(".sidebar-drawer")
    for block in page.query_selector_all("article pre"):
        assert block.evaluate("e => e.scrollWidth <= e.clientWidth")
