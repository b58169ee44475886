"""Pictures on a dark page: what is drawn on white becomes light on dark, and the rest stays as it is."""

import base64
import io

import pytest
from PIL import Image, ImageColor, ImageDraw

from studylib.plots import PALETTE
from studylib.study.site.figures import is_drawn
from tests.study.browser_checks import contrast
from tests.study.site_pieces import code_cell, display, page_of

#: The side of a square of colour, in pixels, and the colours that a drawing has.
SIDE = 40
COLOURS = (*PALETTE, "#000000", "#262626", "#e5e5e5")


def picture(ground, *colours, kind="PNG"):
    """Squares of these colours side by side, with one of the ground around them, in base64."""
    image = Image.new("RGB", (SIDE * (len(colours) + 2), 3 * SIDE), ground)
    draw = ImageDraw.Draw(image)
    for k, colour in enumerate(colours, start=1):
        draw.rectangle((k * SIDE, SIDE, (k + 1) * SIDE - 1, 2 * SIDE - 1), fill=colour)
    file = io.BytesIO()
    image.save(file, kind)
    return base64.b64encode(file.getvalue()).decode()


def corner(colour):
    image = Image.open(io.BytesIO(base64.b64decode(picture("white", "black")))).convert("RGBA")
    image.putpixel((image.width - 1, 0), colour)
    file = io.BytesIO()
    image.save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        (f"data:image/png;base64,{picture('white', 'black')}", True),
        (f"data:image/png;base64,{picture('#fafafa', 'black')}", True),
        (f"data:image/png;base64,{picture('#f9fafa', 'black')}", False),
        (f"data:image/png;base64,{picture('navy', 'white')}", False),
        (f"data:image/jpeg;base64,{picture('white', 'black', kind='JPEG')}", True),
        ("data:image/svg+xml;base64,PHN2Zy8+", True),
        ("pictures/01.png", False),
        ("", False),
        (corner((0, 0, 0, 255)), False),
        (corner((0, 0, 0, 0)), True),
    ],
)
def test_a_drawing_has_white_or_transparent_corners(uri, expected):
    assert is_drawn(uri) is expected


def write(folder):
    cells = [
        code_cell("drawing", display({"image/png": picture("white", *COLOURS)}), id="a"),
        code_cell("photograph", display({"image/png": picture("#203040", *COLOURS)}), id="b"),
    ]
    return page_of(folder, cells)


def test_a_page_writes_a_caption_once(tmp_path):
    figure = display({"image/png": picture("white", "black")}, **{"image/png": {"alt": "A square."}})
    caption = display(
        {"text/html": "<p>Figure 7. A square.</p>", "text/plain": "Figure 7. A square."}, caption=True
    )
    page = page_of(tmp_path, [code_cell("plots.show(figure)", figure, caption)])
    assert page.source.count("A square.") == 1
    assert [text for text, _ in page.find("figcaption")] == ["Figure 1. A square."]


def test_a_page_says_which_figures_are_drawn(tmp_path):
    assert [a["class"] for _, a in write(tmp_path).find("div") if "picture" in a.get("class", "")] == [
        "picture drawn",
        "picture",
    ]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    write(folder)
    return folder


def seen(page, selector):
    """The colours that a reader sees: of the ground, and of each square."""
    image = Image.open(io.BytesIO(page.locator(selector).screenshot())).convert("RGB")
    width = image.width / (len(COLOURS) + 2)
    return [
        f"rgb{image.getpixel((int((k + 0.5) * width), image.height // 2))}" for k in range(len(COLOURS) + 1)
    ]


@pytest.mark.browser
@pytest.mark.parametrize("width", [390, 1280])
def test_a_drawing_is_light_on_a_dark_page(visit, width):
    page = visit("01_try.html", width=width, color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor").replace(" ", "")
    ground, *colours = [colour.replace(" ", "") for colour in seen(page, "#figure-1 img")]
    assert ground == paper
    of = dict(zip(COLOURS, colours, strict=True))
    assert all(contrast(of[colour], ground) >= 3 for colour in PALETTE)
    assert contrast(of["#262626"], ground) >= 10  # text
    assert 1.2 < contrast(of["#e5e5e5"], ground) < 2  # the grid stays faint
    assert seen(page, "#figure-2 img")[1:8] == [f"rgb{ImageColor.getrgb(colour)}" for colour in PALETTE]
    page.click("#figure-1 button")
    assert page.locator("dialog.large.drawn").count() == 1
    page.keyboard.press("Escape")
    page.click("#theme")
    assert seen(page, "#figure-1 img")[0] == "rgb(255, 255, 255)"
