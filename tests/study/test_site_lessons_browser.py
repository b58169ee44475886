"""What a reader touches on a lesson's page, in a real headless browser: trees, guesses and questions."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pytest
from nbformat import v4
from sklearn.datasets import make_moons

from studylib import lessons
from studylib.lessons import elements
from studylib.lessons.intervals import runs
from studylib.lessons.rounds import boosted
from studylib.study import rules
from studylib.study.site.page import write_page
from tests.study.site_pieces import a_claim, a_header, code_cell, display

pytestmark = pytest.mark.browser

CLAIM = a_claim(1, id="c1", source="PCF", place="Fig. 1", verdict="not reproduced")
QUIZ = [
    {
        "text": "Is `1 < 2`?",
        "answer": [
            {"text": "No", "why": "A paper says so.", "claim": CLAIM},
            {"text": "Yes", "why": "Count.", "right": True},
        ],
    }
]


BOX = (-2.0, -1.5, 3.0, 2.0)
BOOSTED = {}
RULES = {
    "at least −1": {"least": -1}, "more than 0": {"above": 0}, "below 1": {"below": 1},
    "at most 0.5": {"most": 0.5}, "at most 1 either way": {"within": 1}, "−1 to 2": {"least": -1, "most": 2},
}  # fmt: skip
MEANS = np.round(np.arange(-3, 3.05, 0.25), 2).tolist()
COUNTS = [4, 10, 30, 200]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder, cells = tmp_path_factory.mktemp("lessons"), []

    def keep(text):
        cells.append(code_cell("lessons", display({"text/html": text}), id=f"c{len(cells)}"))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(elements, "_display", keep)
        lessons.grow("axis", "moons", n=60, noise=0.3, depth=3)
        lessons.grow("guided", "circle", n=60, noise=0.0, hyperplane="box")
        lessons.grow("partial", "regions", n=120, noise=0.0, least=4, depth=6)
        x = np.array([[0.1, 0.2], [0.3, 0.9], [0.4, 0.4], [0.6, 0.1], [0.7, 0.8], [0.9, 0.5]])
        lessons.split(x, [0, 0, 1, 0, 1, 1], plt.figure(), "Gains by threshold.")
        lessons.perturb("moons", 60, 0.3, 3, [0.1, 0.3, 0.3, 0.9], plt.figure(), "Changes of nodes.")
        points, labels = make_moons(20, noise=0.2, random_state=0)
        BOOSTED.update(boosted(points, labels, points, labels, 8, BOX))
        lessons.rounds(points, labels, points, labels, 8, 3, BOX, "Rounds.")
        lessons.intervals(RULES, MEANS, COUNTS, 1.5, "points", "Intervals.")
        unseen = np.array([[0.3, 0.1, 0.2], [0.3, 0.2, 0.1], [0.3, 0.1, 0.3]])
        lessons.predict(
            "depth", [1, 2, 5], ("training data", unseen / 2), ("unseen data", unseen), np.argmin,
            "The mean error is lowest at {}", "Errors by depth.",
        )  # fmt: skip
    write_page(v4.new_notebook(cells=cells), folder / "lesson.html", a_header(), quiz=QUIZ)
    return folder


def texts(page, selector):
    return page.locator(selector).all_inner_texts()


def n_shown(page, which, k=0):
    return page.locator(".touch").nth(k).locator(which).count()


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_a_tree_grows_step_by_step_in_both_pictures(visit, kind):
    page = visit("lesson.html")
    touch = page.locator(".touch").nth(kind)
    whole = n_shown(page, ".node", kind)
    touch.get_by_role("slider").first.fill("0")
    assert (n_shown(page, ".node", kind), n_shown(page, ".region", kind)) == (1, 1)
    touch.get_by_role("button", name="Step ›").click()
    assert (n_shown(page, ".node", kind), n_shown(page, ".region", kind)) == (3, 2)
    touch.get_by_role("button", name="‹ Back").click()
    assert n_shown(page, ".node", kind) == 1
    page.clock.install()
    touch.get_by_role("button", name="Play").click()
    page.clock.run_for(60_000)
    assert n_shown(page, ".node", kind) == whole
    assert touch.get_by_role("button", name="Play").is_visible()


def test_plane_and_tree_light_up_together(visit):
    page = visit("lesson.html")
    touch = page.locator(".touch").first
    touch.locator(".node.inner").nth(1).hover()
    assert 1 < touch.locator(".region.lit").count() < touch.locator(".region").count()
    leaf = touch.locator(".region").first
    leaf.hover()
    assert touch.locator(".node.lit").get_attribute("data-node") == leaf.get_attribute("data-node")
    assert re.search(
        r"says (circles|squares) and holds \d+ circles, \d+ squares", touch.locator(".said").inner_text()
    )


def test_everything_works_by_keyboard(visit):
    page = visit("lesson.html")
    touch = page.locator(".touch").first
    touch.get_by_role("application").nth(1).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowUp"):
        page.keyboard.press(key)
    assert "asks" in touch.locator(".said").inner_text()
    touch.get_by_role("application").first.focus()
    page.keyboard.press("ArrowRight")
    said, errors = touch.locator(".said").inner_text(), touch.locator(".errors").inner_text()
    before = touch.locator(".picked").get_attribute("class")
    assert said.startswith("Point ")
    page.keyboard.press("Enter")
    assert touch.locator(".picked").get_attribute("class") != before
    page.keyboard.press("Enter")
    assert (touch.locator(".said").inner_text(), touch.locator(".errors").inner_text()) == (said, errors)
    place = touch.locator(".picked").bounding_box()
    page.keyboard.press("Shift+ArrowUp")
    assert touch.locator(".picked").bounding_box()["y"] < place["y"]


TREE, SPLIT, PERTURB = 0, 3, 4


@pytest.mark.parametrize("kind", [TREE, SPLIT])
def test_a_point_is_dragged_and_a_click_flips_it(visit, kind):
    page = visit("lesson.html")
    touch = page.locator(".touch").nth(kind)
    point = touch.locator("circle.point").last
    name = point.get_attribute("data-point")
    point.scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + 4, box["y"] + 4)
    page.mouse.down()
    page.mouse.move(box["x"] + 64, box["y"] - 20, steps=5)
    page.mouse.up()
    moved = touch.locator(f"[data-point='{name}']")
    assert moved.bounding_box()["x"] == pytest.approx(box["x"] + 60, abs=3)
    assert "class-0" in moved.get_attribute("class")
    page.mouse.down()
    page.mouse.up()
    assert "class-1" in touch.locator(f"[data-point='{name}']").get_attribute("class")


def test_a_threshold_is_dragged_and_its_gain_is_shown_after_the_guess(visit):
    page = visit("lesson.html")
    touch = page.locator(".touch").nth(SPLIT)
    plane = touch.get_by_role("application")
    plane.scroll_into_view_if_needed()
    box = plane.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"], steps=3)
    page.mouse.up()
    assert float(touch.get_by_role("slider").input_value()) == pytest.approx(0.5, abs=0.02)
    assert touch.locator(".said").inner_text() == "Left: 2 circles, 1 square; right: 1 circle, 2 squares."
    assert touch.locator(".gap").count() == touch.locator("[class*='gain-'].chosen").count() - 1 == 0
    touch.get_by_role("button", name="Show the gain").focus()
    page.keyboard.press("Enter")
    said = touch.locator(".told").inner_text()
    assert said == "Your cut at 0.50 removes 8% of the entropy. The best cut of x₁, at 0.35, removes 46%."
    assert touch.locator(".said").inner_text().endswith("Gain: 1.000 − 0.918 = 0.082 bit.")
    assert touch.locator(".gap").count() == 1
    touch.get_by_label("Impurity").select_option("misclassification")
    assert touch.locator(".said").inner_text().endswith("Gain: 0.500 − 0.333 = 0.167.")
    assert 'x₁ ≤ 0.35 with TreePredictor("misclassification", max_depth=1)' in touch.inner_text()
    touch.get_by_label("Split").select_option("1")
    assert "The best cut of x₁" in touch.locator(".told").inner_text()
    assert touch.locator("[data-point]").first.bounding_box()["x"] > box["x"]


def test_rows_are_left_out_and_drawn_again_after_the_guess(visit):
    page = visit("lesson.html")
    touch = page.locator(".touch").nth(PERTURB)
    assert (touch.locator(".absent").count(), touch.locator(".node.changed").count()) == (0, 0)
    touch.get_by_role("button", name="20–40%").focus()
    page.keyboard.press("Enter")
    assert touch.locator(".told").inner_text().startswith("You said 20–40%: so it was in 50% of 4 draws.")
    assert touch.locator(".draws.yours").count() == 1
    touch.get_by_role("button", name="Leave out 3 rows").click()
    assert touch.locator(".absent").count() == 2 * 3
    assert touch.locator(".three .point").count() == 2 * 57
    assert "(1): one tree" in touch.locator(".said").inner_text()
    touch.get_by_role("button", name="Draw new rows").click()
    nodes = touch.locator(".node")
    assert touch.locator(".node.changed").count() == nodes.count()
    assert "(100%) are gone" in touch.locator("figcaption").nth(1).inner_text()
    touch.get_by_role("button", name="Leave out 3 rows").click()
    assert "are left out" in touch.locator(".said").inner_text()
    touch.get_by_role("button", name="Start again").click()
    assert touch.locator(".node.changed").count() == 0


def test_settings_grow_another_tree(visit):
    page = visit("lesson.html")
    touch = page.locator(".touch").first
    touch.get_by_label("Largest depth").fill("1")
    assert n_shown(page, ".node") == 3
    assert "TreePredictor(max_depth=1)" in touch.locator(".same").inner_text()
    before = touch.locator(".point").first.get_attribute("cx")
    touch.get_by_role("button", name="New data").click()
    assert touch.locator(".point").first.get_attribute("cx") != before
    guided = page.locator(".touch").nth(1)
    guided.get_by_role("combobox").select_option("guided")
    guided.get_by_role("button", name="Another tree").click()
    assert 'hyperplane="guided", max_features=2, min_samples_split=2, random_state=1' in guided.inner_text()


def test_the_curve_is_shown_after_the_guess(visit):
    page = visit("lesson.html")
    predict = page.locator(".predict")
    assert predict.locator(".mean").count() == 0
    assert predict.locator("text.training").inner_html() == "training data"
    assert not predict.locator("img").is_visible()
    predict.get_by_role("button", name="5").focus()
    page.keyboard.press("Enter")
    said = predict.locator(".told").inner_text()
    assert said.startswith("You said 5: 20.0%. The mean error is lowest at 2, 13.3%.")
    assert "In 67% of the splits it was 2, and in 33% it was 5." in said
    assert predict.locator(".band").count() == predict.locator(".thin").count() == 1


def test_rounds_show_the_weights_and_votes_of_the_library(visit):
    page = visit("lesson.html")
    rounds = page.locator('.touch[data-kind="rounds"]')
    heaviest = np.argsort(BOOSTED["weights"][3])[::-1][:3]
    for point in heaviest[:2]:
        rounds.locator(f"[data-point='{point}']").click()
    rounds.get_by_role("application").focus()
    page.keyboard.press("ArrowRight")
    assert rounds.locator(".said").inner_text().startswith("Point ")
    page.keyboard.press("Enter")
    assert rounds.locator(".told").inner_text() == "All 3 picked. Now step to round 3."
    for k in range(1, 9):
        rounds.get_by_role("button", name="Step ›").click()
        said, sums = rounds.locator(".said").inner_text(), rounds.locator(".errors").inner_text()
        assert f"ε = {100 * BOOSTED['error'][k - 1]:.1f}%" in said
        assert f"α = {BOOSTED['vote'][k - 1]:.2f}" in said
        assert f"{100 * BOOSTED['training'][k - 1]:.1f}% of 20 training points" in sums
        sizes = rounds.locator("circle.point").evaluate_all(
            "dots => dots.map(d => [+d.dataset.point, +d.getAttribute('r')])"
        )
        for point, radius in sizes:
            assert radius == pytest.approx(4.5 * np.sqrt(20 * BOOSTED["weights"][k][point]), rel=1e-6)
        assert rounds.locator(".votes rect").count() == k
    assert re.match("[23] of your 3 points are among the 3 heaviest", rounds.locator(".told").inner_text())


def test_the_verdict_on_every_interval_is_the_librarys(visit):
    page = visit("lesson.html")
    place = page.locator('.touch[data-kind="intervals"]')
    assert place.get_attribute("data-verdict") == ""
    place.get_by_role("button", name="inconclusive").click()
    found = place.evaluate(
        """place => {
          const [mean, runs] = place.querySelectorAll("input"), rule = place.querySelector("select"), found = [];
          const set = (input, value, event) => { input.value = value; input.dispatchEvent(new Event(event)); };
          for (let r = 0; r < rule.options.length; r++) for (let n = 0; n <= +runs.max; n++) for (let m = 0; m <= +mean.max; m++) {
            set(rule, r, "change"), set(runs, n, "input"), set(mean, m, "input");
            found.push(place.dataset.verdict);
          }
          return found;
        }"""
    )
    cases = [(rule, n, mean) for rule in RULES.values() for n in COUNTS for mean in MEANS]
    claim = {"nature": "finding", "kind": "equivalent", "note": "", "needs_data": False}
    given = {"beside": {}, "stand_in": False}
    expected = [
        rules.outcome({**claim, "judge": rule}, {**given, "measured": runs(mean, n, 1.5)}, "paper")["verdict"]
        for rule, n, mean in cases
    ]
    assert found == expected
    assert set(found) == {"reproduced", "not reproduced", "inconclusive"}


def test_a_wrong_answer_leads_to_its_claim(visit):
    page = visit("lesson.html")
    question = page.locator(".question")
    question.get_by_role("radio", name="No").focus()
    page.keyboard.press("Space")
    told = " ".join(question.locator(".told").inner_text().split())
    assert told == "Wrong. A paper says so. not reproduced PCF, Fig. 1"
    assert question.locator(".told a").get_attribute("href") == "claims.html#claim-c1"
    page.keyboard.press("ArrowDown")
    assert question.locator(".told").inner_text() == "Right. Count."
    assert texts(page, "[data-chosen]") == ["Yes"]
