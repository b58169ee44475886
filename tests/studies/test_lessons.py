"""The lessons' pictures are drawn; solutions pass the checks of the exercises, other answers do not.

The wrong answers of a quiz that repeat a claim repeat one that the committed report refutes.
"""

import html
import json
import re
import tomllib

import matplotlib.pyplot as plt
import nbformat
import pytest

from studylib import datasets, lessons, plots
from studylib.datasets import mushroom
from studylib.study.ledger.study import current_study
from studylib.study.site.quiz import quiz_file
from tests.tiers import by_notebook

WRONG = {
    "lesson_0_tree": [("edible", 1), ("poisonous", 4), ("poisonous", 3)],
    "lesson_1_impurity": [(0.5, 0.5), (0.7, 0.7), (0.3, 0.5)],
    "lesson_2_depth": [1, 14],
    "lesson_3_instability": [2, 9, 81],
    "lesson_4_forest": [1, 2, 51],
    "lesson_5_guided_partitions": [(1, 1)],
    "lesson_6_boosting": [(1.0, 0.0625), (0.69, 0.05)],
    "lesson_7_abstaining": [1, 20, 5],
    "lesson_8_reading_a_claim": [(0.0, 1.0, "reproduced"), (-9.0, 9.0, "inconclusive")],
}


EXERCISES = dict(
    zip(
        WRONG,
        ("path", "thresholds", "depth", "stability", "trees", "partitions", "votes", "sizes", "interval"),
        strict=True,
    )
)


def draw_ends(draw, name, values, alt):
    assert name
    assert alt
    for value in (values[0], values[-1]):
        assert draw(value).axes
        plt.close("all")


@pytest.fixture(scope="module", params=by_notebook(WRONG))
def lesson(request):
    """``(name, check of an answer)``."""
    notebook = nbformat.read(current_study().notebook(request.param).path, 4)
    variables, given = {}, []

    def note(exercise, answer, *data):
        assert (exercise, answer) == (EXERCISES[request.param], None)
        given.extend(data)
        return lessons.check(exercise, answer, *data)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "slider", draw_ends)
        patch.setattr(lessons.elements, "_display", lambda text: None)
        for cell in notebook.cells:
            if cell.cell_type == "code" and cell.id != "finish":
                exec(compile(cell.source, f"{request.param}, cell {cell.id}", "exec"), variables)
                if cell.id == "setup":
                    variables["check"] = note

    def check(answer):
        return lessons.check(EXERCISES[request.param], answer, *given)

    return request.param, check


def test_every_lesson_is_tested():
    assert {name for name in current_study().notebooks if name.startswith("lesson")} == set(WRONG)


def test_no_answer_asks_for_one(lesson):
    _, check = lesson
    assert check(None).startswith("Set your answer")


def test_wrong_answers_do_not_pass(lesson):
    name, check = lesson
    for answer in WRONG[name]:
        assert not check(answer).startswith("Right"), answer


def test_an_answer_of_another_form_gets_a_sentence(lesson):
    _, check = lesson
    n = len(check(None).form["fields"])
    assert all("please" in check(answer) for answer in ("what?", ("what?",) * n))
    assert check((0, 7) * n).endswith("Write a decimal with a point.")


def test_the_page_says_what_the_check_says(lesson):
    name, check = lesson
    form = check(None).form
    assert json.loads(json.dumps(form)) == form
    assert html.unescape(check(None)._repr_html_()).startswith('<div class="exercise" data-form="{"fields":')
    assert check(WRONG[name][0])._repr_html_() is None
    assert any(said.startswith("Right") for _, said in form["replies"])

    def falls_under(where, answer):
        return all(
            part is None or value == part or (isinstance(part, list) and part[0] <= value <= part[1])
            for part, value in zip(where, answer, strict=True)
        )

    for answer in WRONG[name]:
        parts = answer if isinstance(answer, tuple) else (answer,)
        options = [field["options"] or [part] for field, part in zip(form["fields"], parts, strict=True)]
        if all(part in among for part, among in zip(parts, options, strict=True)):
            said = next(said for where, said in form["replies"] if falls_under(where, parts))
            assert said == check(answer)


@pytest.mark.parametrize("name", by_notebook(WRONG))
def test_a_solution_passes_and_the_lesson_only_links_to_it(name, capsys):
    lesson = current_study().notebook(name).path
    path = lesson.parent / "solutions" / lesson.name
    solution = nbformat.read(path, 4)
    variables, said = {}, None
    for cell in solution.cells:
        if cell.cell_type == "code":
            exec(compile(cell.source, f"{path.name}, cell {cell.id}", "exec"), variables)
            said = capsys.readouterr().out
            assert said == "".join(output.text for output in cell.outputs), cell.id
    assert said.startswith("Right")
    (answer,) = (found for found in variables if found.startswith("my_"))
    for cell in nbformat.read(lesson, 4).cells:
        assert not re.search(rf"{answer} = (?!None)", cell.source), cell.id
        if cell.id == "solution":
            assert f"](solutions/{lesson.name})" in cell.source


@pytest.mark.skipif(
    not (datasets.data_dir() / mushroom.PRIMARY.path).is_file(), reason="no table of mushrooms"
)
def test_the_mushrooms_of_lesson_0_are_all_of_their_families_but_one():
    frame = datasets.load_primary_mushroom().frame
    frame = frame[frame["family"].isin([f"{name} Family" for name in ("Bolete", "Paxillus", "Pluteus")])]
    published = datasets.parse_species(frame).set_index(frame["name"]).drop("Cep")
    ours = lessons.mushrooms()
    assert set(ours.index) == set(published.index)
    ours = ours.loc[published.index]
    assert ours["poisonous"].tolist() == (published["class"] == "p").tolist()
    for column, its_name, per_cm in (("cap", "cap-diameter", 1), ("stem", "stem-width", 10)):
        middles = [sum(ends) / 2 / per_cm for ends in published[its_name]]
        assert ours[column].tolist() == pytest.approx(middles), column


def test_an_unknown_exercise_is_refused():
    with pytest.raises(ValueError, match="there is no exercise 'height', only path, thresholds"):
        lessons.check("height", 1)


@pytest.mark.parametrize("name", WRONG)
def test_wrong_answers_of_the_quiz_are_refuted_claims(name):
    study = current_study()
    evidence = study.root / "reports/paper/evidence.json"
    verdicts = json.loads(evidence.read_text(encoding="utf-8"))["claims"]
    path = quiz_file(study.notebook(name).path)
    questions = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    assert 3 <= len(questions) <= 5
    answers = [answer for question in questions for answer in question["answer"]]
    claims = [answer["claim"] for answer in answers if "claim" in answer]
    for claim in claims:
        assert verdicts[claim]["verdict"] == "not reproduced", claim
