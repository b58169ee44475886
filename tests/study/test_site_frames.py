"""Pictures with a slider, on a notebook's page in a real headless browser."""

import IPython.display
import matplotlib.pyplot as plt
import pytest

from studylib import plots
from tests.study.site_pieces import code_cell, display, page_of

pytestmark = pytest.mark.browser


def draw(value):
    figure, ax = plt.subplots(figsize=(9, 3))
    ax.plot([0, value])
    return figure


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder, outputs = tmp_path_factory.mktemp("frames"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IPython.display, "display", lambda data, raw: outputs.append(display(data)))
        plots.slider(draw, "largest depth", [1, 2, 30], "A line.")
    page_of(folder, [code_cell("picture", *outputs)])
    return folder


def shown(page):
    return page.eval_on_selector_all(
        ".frames figure", "all => all.filter(f => f.checkVisibility()).map(f => f.dataset.value)"
    )


def test_the_slider_shows_one_picture_at_a_time(visit):
    page = visit("01_try.html")
    slider = page.get_by_label("largest depth")
    assert shown(page) == ["1"]
    slider.focus()
    page.keyboard.press("End")
    assert shown(page) == ["30"]
    assert slider.get_attribute("aria-valuetext") == "30"
    page.keyboard.press("ArrowLeft")
    assert shown(page) == ["2"]


def test_on_paper_all_pictures_are_there_with_their_values(visit):
    page = visit("01_try.html")
    page.emulate_media(media="print")
    assert shown(page) == ["1", "2", "30"]
    assert not page.is_visible(".frames label")
    assert page.locator(".frames figcaption").all_inner_texts() == [
        f"largest depth = {value}" for value in (1, 2, 30)
    ]
