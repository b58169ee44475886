"""Pictures with a slider, on a notebook's page in a real headless browser."""

import IPython.display
import matplotlib.pyplot as plt
import pytest
from nbformat import v4

from studylib import plots
from studylib.study.site import PageHeader, write_page
from tests.study.browser_checks import assert_within_the_screen

pytestmark = pytest.mark.browser


def draw(value):
    figure, ax = plt.subplots(figsize=(9, 3))
    ax.plot([0, value])
    return figure


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder, outputs = tmp_path_factory.mktemp("frames"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            IPython.display,
            "display",
            lambda data, raw: outputs.append(v4.new_output("display_data", data=data)),
        )
        plots.slider(draw, "largest depth", [1, 2, 30], "A line.")
    cell = v4.new_code_cell("picture", outputs=outputs, execution_count=1)
    header = PageHeader(
        question="?", profile="quick", data="real", duration="1 s", rerun="make", notebook_href="f.ipynb"
    )
    write_page(v4.new_notebook(cells=[cell]), folder / "frames.html", header)
    return folder


def shown(page):
    return page.eval_on_selector_all(
        ".frames figure", "all => all.filter(f => f.checkVisibility()).map(f => f.dataset.value)"
    )


def test_the_slider_shows_one_picture_at_a_time(visit):
    page = visit("frames.html")
    slider = page.get_by_label("largest depth")
    assert shown(page) == ["1"]
    slider.focus()
    page.keyboard.press("End")
    assert shown(page) == ["30"]
    assert slider.get_attribute("aria-valuetext") == "30"
    page.keyboard.press("ArrowLeft")
    assert shown(page) == ["2"]


@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_every_screen(visit, width):
    assert_within_the_screen(visit("frames.html", width=width))


def test_on_paper_all_pictures_are_there_with_their_values(visit):
    page = visit("frames.html")
    page.emulate_media(media="print")
    assert shown(page) == ["1", "2", "30"]
    assert not page.is_visible(".frames label")
    assert page.locator(".frames figcaption").all_inner_texts() == [
        f"largest depth = {value}" for value in (1, 2, 30)
    ]
