"""Each lesson as its page is: used from start to end in a real headless browser, printed, and without scripts."""

import json
import re

import nbformat
import pytest

from studylib.study.ledger.study import current_study
from studylib.study.site import report_model
from studylib.study.site.embed import framed
from studylib.study.site.model import is_lesson
from studylib.study.site.page import PageHeader, write_page
from studylib.study.site.quiz import quiz_file, read_quiz
from tests.study.axe import assert_no_serious_findings
from tests.study.browser_checks import assert_within_the_screen

pytestmark = pytest.mark.browser

NAMES = sorted(name for name in current_study().notebooks if is_lesson(name))
WITH_TREES = ("lesson_2", "lesson_4", "lesson_5", "lesson_7")


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    study, folder = current_study(), tmp_path_factory.mktemp("report")
    evidence = json.loads((study.root / "reports/paper/evidence.json").read_text(encoding="utf-8"))
    rows = report_model.claim_rows(study, evidence["claims"], {}, {})
    for name in NAMES:
        notebook = study.notebook(name)
        document, quizzes = nbformat.read(notebook.path, 4), read_quiz(quiz_file(notebook.path), rows)
        _, question = report_model.title_and_question(document)
        header = PageHeader(
            question=question, profile="smoke", data=notebook.data_are, duration="1 s", rerun="make",
            notebook_href=f"{name}.ipynb", previous=("Before", "before.html"), next=("After", "after.html"),
            links={page: f"{page}.html" for page in ("index", "claims", "notebooks", "lessons", "method")},
        )  # fmt: skip
        solution = nbformat.read(notebook.path.parent / "solutions" / notebook.path.name, 4)
        write_page(document, folder / f"{name}.html", header, {}, *quizzes, solution)
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_question_and_picture_are_on_the_first_screen(visit, name):
    page = visit(f"{name}.html")
    page.set_viewport_size({"width": 1280, "height": 720})
    guess = page.locator(":is(.predict, .touch).alive").first
    for part in (page.locator("h1"), page.locator(".subtitle"), guess.locator("svg").first):
        box = part.bounding_box()
        assert box["y"] > 0
        assert box["y"] + box["height"] <= 720
    about = page.locator("#cell-goals summary").bounding_box()
    assert about["y"] > guess.bounding_box()["y"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_used_from_start_to_end(visit, name, width, scheme):
    page = visit(f"{name}.html", width=width, color_scheme=scheme)
    guess(page, name)
    if name.startswith(WITH_TREES):
        drag(page)
        step(page.locator(".touch").first, page)
    answer(page)
    page.get_by_text("Solution", exact=True).click()
    assert "Right" in page.locator("#cell-solution pre").last.inner_text()
    for question in page.locator(".question").all():
        choose_by_keyboard(question, page)
    assert_no_serious_findings(page, scheme)
    assert_within_the_screen(page)


def guess(page, name):
    """Make the guess at the top, with the keyboard where there are buttons."""
    place = page.locator(":is(.predict, .touch)").first
    if name == "lesson_6_boosting":
        for point in place.locator(".point").all()[:3]:
            point.dispatch_event("click")
        for _ in range(5):
            step(place, page)
    else:
        named = {
            "lesson_0_tree": "stem",
            "lesson_1_impurity": "Show the gain",
            "lesson_3_instability": "20–40%",
            "lesson_8_reading_a_claim": "inconclusive",
        }
        button = place.get_by_role("button", name=named[name]) if name in named else None
        (button or place.locator(".choices button").nth(1)).focus()
        page.keyboard.press("Enter")
    assert place.locator(".told").inner_text()


def step(place, page):
    before = place.inner_html()
    place.get_by_role("button", name="Step ›" if "lesson_6" in page.url else "‹ Back").focus()
    page.keyboard.press("Enter")
    assert place.inner_html() != before


def drag(page):
    point = page.locator(".touch circle.point").last
    point.scroll_into_view_if_needed()
    name, box = point.get_attribute("data-point"), point.bounding_box()
    page.mouse.move(box["x"] + 3, box["y"] + 3)
    page.mouse.down()
    page.mouse.move(box["x"] + 33, box["y"] - 17, steps=4)
    page.mouse.up()
    assert page.locator(f".touch [data-point='{name}']").bounding_box()["x"] != pytest.approx(box["x"], abs=5)


def answer(page):
    """Leave the exercise empty, then give each answer that its page has a reply for, the right one last."""
    place = page.locator(".exercise")
    form = json.loads(place.get_attribute("data-form"))
    place.get_by_role("button", name="Check").click()
    assert form["fields"][0]["label"] in place.locator(".told").inner_text()
    assert place.locator("[aria-invalid='true']").first.evaluate("input => input === document.activeElement")
    for where, said in sorted(form["replies"], key=lambda reply: reply[1].startswith("Right")):
        for k, (field, part) in enumerate(zip(form["fields"], where, strict=True)):
            control = place.locator("select, input").nth(k)
            if field["options"]:
                control.select_option(label=str(field["options"][0] if part is None else part))
            else:
                low, high = part or (-1e8, -1e8)
                # Outside a range of the right answer, not on its edge; a comma and a true minus are read, too.
                number = low + 1 if high == 1e9 else high - 1 if low == -1e9 else (low + high) / 2
                control.fill(repr(number).replace(".", ",").replace("-", "−") if k else repr(number))
        control.press("Enter") if not field["options"] else place.get_by_role("button").press("Enter")
        assert place.locator(".told").inner_text() == said
    assert place.get_attribute("data-right") == "true"


def choose_by_keyboard(question, page):
    question.locator("input").first.focus()
    page.keyboard.press("Space")
    texts = {question.locator(".told").inner_text()}
    for _ in range(question.locator("input").count() - 1):
        page.keyboard.press("ArrowDown")
        texts.add(question.locator(".told").inner_text())
    assert len(texts) > 1
    assert any(text.startswith("Right") for text in texts)


@pytest.mark.parametrize("name", NAMES)
def test_printed_it_is_a_handout_of_two_pages(visit, name):
    page = visit(f"{name}.html")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))) == 2
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("main img").first.is_visible()
    assert page.locator(".whys").first.is_visible()
    for hidden in (".choices", ".exercise form", ".settings", "#cell-goals", ".topbar"):
        assert not page.locator(hidden).locator("visible=true").count(), hidden


@pytest.mark.parametrize("name", NAMES)
def test_without_scripts_it_has_pictures_hints_and_answers(visit, name):
    page = visit(f"{name}.html", java_script_enabled=False)
    page.get_by_text("The answer, as a picture").first.click()  # after a guess
    assert page.locator(":is(.predict, .touch) img").first.is_visible()
    assert "Set your answer" not in page.locator("main").inner_text()
    page.get_by_text("Goals, plan and notes for teachers").click()
    hints = page.locator("#cell-hints details")
    for k in range(3):  # each appears when the one before is open
        assert [hint.is_visible() for hint in hints.all()] == [n <= k for n in range(3)]
        hints.nth(k).locator("summary").click()
        assert hints.nth(k).locator("p").is_visible()
    page.locator(".question summary").first.click()
    assert page.locator(".whys").first.is_visible()


def test_a_class_sends_codes_and_its_teacher_counts_them(visit):
    page = visit("lesson_0_tree.html")
    for question, answer in ((0, 1), (2, 0), (2, 1)):  # the first answer counts
        page.locator(".question").nth(question).locator("input").nth(answer).check()
    assert page.locator(".quiz > .told b").inner_text() == "0-b.a"
    page.get_by_text("For teachers: count").click()
    page.get_by_label("Codes of a class").fill("0-b.a Ada\n0-bab, 0-aab; 1-abcd")
    said = page.locator(".class").inner_text()
    assert "3 codes fit this lesson; left out: 1." in said
    assert "Question 1: a 1, b 2 ✓, c 0" in said
    assert "Question 3: a 1, b 2 ✓" in said


@pytest.mark.parametrize("name", ["lesson_0_tree", "lesson_2_depth"])
def test_in_jupyterlab_a_frame_brings_a_picture_to_life(browser, name):
    notebook = nbformat.read(current_study().notebook(name).path, 4)
    (element,) = (o.data["text/html"] for c in notebook.cells if c.id == "guess" for o in c.outputs)
    assert "<iframe" not in element  # what is committed is for the page
    page = browser.new_page()
    page.set_content(f"<body data-jp-theme-light='false'>{framed(element)}</body>")
    frame = page.frame_locator("iframe")
    assert not frame.locator("img").is_visible()
    assert page.locator("iframe").bounding_box()["height"] > 250
    frame.locator(".choices button").first.click()
    assert frame.locator(".told").inner_text()
    assert frame.locator("html").get_attribute("data-theme") == "dark"
    page.close()
