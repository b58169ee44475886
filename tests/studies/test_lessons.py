"""The lessons' pictures are drawn; the folded solutions pass the checks of the exercises, other answers do not."""

import re

import matplotlib.pyplot as plt
import nbformat
import pytest

from studylib import plots
from studylib.study.ledger.study import current_study

WRONG = {
    "lesson_1_depth": [1, 14],
    "lesson_2_forest": [1, 2, 51],
    "lesson_3_guided_partitions": [(1, 1)],
    "lesson_4_abstaining": [1, 20, 5],
}


def draw_ends(draw, name, values, alt):
    assert name
    assert alt
    for value in (values[0], values[-1]):
        assert draw(value).axes
        plt.close("all")


@pytest.fixture(scope="module", params=WRONG)
def lesson(request):
    """``(name, variables after its cells, solution)``."""
    notebook = nbformat.read(current_study().notebook(request.param).path, 4)
    solution = next(cell.source for cell in notebook.cells if cell.id == "solution")
    variables = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plots, "slider", draw_ends)
        for cell in notebook.cells:
            if cell.cell_type == "code" and cell.id != "finish":
                exec(compile(cell.source, f"{request.param}, cell {cell.id}", "exec"), variables)
    return request.param, variables, re.search(r"```python\n(.*?)```", solution, re.DOTALL)[1]


def test_every_lesson_is_tested():
    assert {name for name in current_study().notebooks if name.startswith("lesson")} == set(WRONG)


def test_no_answer_asks_for_one(lesson):
    _, variables, _ = lesson
    assert variables["check"](None).startswith("Set my_")


def test_wrong_answers_do_not_pass(lesson):
    name, variables, _ = lesson
    for answer in WRONG[name]:
        assert not variables["check"](answer).startswith("Right"), answer


def test_the_solution_passes(lesson):
    _, variables, solution = lesson
    exec(solution, variables)
    answer = next(value for name, value in variables.items() if name.startswith("my_"))
    assert variables["check"](answer).startswith("Right")
