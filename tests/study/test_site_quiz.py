"""Questions are read from the file beside a notebook, or refused in one sentence."""

import pytest

from studylib.study.site import ClaimRow, read_quiz

CLAIM = ClaimRow(
    id="c1", source="S", nature="finding", place="1", statement="s", value="", kind="exact", rule="r",
    verdict="partly", ours="", interval="", notebook="", href="", notes=[],
)  # fmt: skip
RIGHT = "[[question.answer]]\ntext = 'a'\nwhy = 'w'\nright = true\n"
WRONG = "[[question.answer]]\ntext = 'b'\nwhy = 'v'\nclaim = 'c1'\n"


def read(tmp_path, text):
    path = tmp_path / "n.toml"
    path.write_text(text, encoding="utf-8")
    return read_quiz(path, [CLAIM])


def test_a_notebook_without_a_file_has_no_quiz(tmp_path):
    assert read_quiz(tmp_path / "n.toml", []) == []


def test_answers_carry_their_claims(tmp_path):
    (question,) = read(tmp_path, "[[question]]\ntext = 'q'\n" + RIGHT + WRONG)
    assert question.text == "q"
    assert [(answer.right, answer.claim) for answer in question.answers] == [(True, None), (False, CLAIM)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[question]]\ntext = 'q'\n" + RIGHT, "at least two answers of which exactly one is right"),
        ("[[question]]\ntext = 'q'\n" + RIGHT + RIGHT, "exactly one is right"),
        ("[[question]]\n" + RIGHT + WRONG, "needs a text"),
        ("[[question]]\ntext = 'q'\n" + RIGHT + WRONG.replace("c1", "c2"), "there is no claim 'c2'"),
        ("[[question]]\ntext = 'q'\n" + RIGHT + WRONG.replace("why", "reason"), "an answer has text and why"),
        ("[[question]", "n.toml: "),
    ],
)
def test_other_files_are_refused(tmp_path, text, said):
    with pytest.raises(ValueError, match=said):
        read(tmp_path, text)
