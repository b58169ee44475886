"""The API page in a real headless browser."""

import pytest

from studylib.study.site import write_api
from tests.study.browser_checks import assert_readable, assert_within_the_screen
from tests.study.test_site_api import MODULES, hostile_module

PAGES = ["api.html", "hostile.html"]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    write_api(folder / "api.html", MODULES, index_href="hostile.html")
    write_api(folder / "hostile.html", [hostile_module()])
    return folder


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_asks_for_nothing_and_is_readable(visit, name, scheme):
    assert_readable(visit(name, color_scheme=scheme))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("script", [True, False])
@pytest.mark.parametrize("width", [390, 800, 1280])
def test_nothing_is_wider_than_the_screen(visit, name, script, width):
    assert_within_the_screen(visit(name, width=width, java_script_enabled=script))


def test_contents_lead_to_a_name(visit):
    page = visit("api.html")
    page.click(".sidebar a[href='#api-studylib.trees.TreePredictor']")
    box = page.locator("[id='api-studylib.trees.TreePredictor'] > h3").bounding_box()
    assert 0 <= box["y"] < 900
    page.click(".item a[href='#api-studylib.trees.criteria']")
    assert page.url.endswith("#api-studylib.trees.criteria")


def test_contents_are_folded_on_a_phone(visit):
    page = visit("api.html", width=390)
    assert not page.is_visible(".sidebar")
    assert not page.is_visible(".contents a")
    page.click(".contents summary")
    assert page.is_visible(".contents a")


def test_a_parameter_is_not_broken_while_it_fits(visit):
    page = visit("api.html", width=390)
    broken = page.evaluate(
        "[...document.querySelectorAll('h3 .signature span')]"
        ".filter(s => s.getClientRects().length > 1).map(s => s.textContent)"
    )
    assert broken == []


def test_print_is_light_and_whole(visit):
    page = visit("api.html", color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    for selector in ("#theme", ".sidebar", ".contents"):
        assert not page.is_visible(selector)
    page.set_viewport_size({"width": 700, "height": 900})
    cut = page.evaluate(
        "[...document.querySelectorAll('pre, .wide')].filter(e => e.scrollWidth > e.clientWidth + 1).length"
    )
    assert cut == 0


def test_front_page_is_linked(visit):
    page = visit("api.html")
    page.click(".topbar nav a")
    assert page.url.endswith("hostile.html")
