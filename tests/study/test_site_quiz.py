"""Questions are read from the file beside a notebook, or refused in one sentence."""

from dataclasses import replace

import pytest

from studylib.study.site.quiz import read_quiz
from tests.study.site_pieces import a_claim

CLAIM = a_claim(
    1, id="c1", source="S", place="1", statement="s", rule="r", verdict="partly", lines=[], interval=""
)
RIGHT = "[[question.answer]]\ntext = 'a'\nwhy = 'w'\nright = true\n"
WRONG = "[[question.answer]]\ntext = 'b'\nwhy = 'v'\nclaim = 'c1'\n"


def read(tmp_path, text):
    path = tmp_path / "n.toml"
    path.write_text(text, encoding="utf-8")
    return read_quiz(path, [CLAIM])


def test_a_notebook_without_a_file_has_no_quiz(tmp_path):
    assert read_quiz(tmp_path / "n.toml", []) == ([], [])


def test_answers_carry_their_claims(tmp_path):
    (question,), _ = read(tmp_path, "[[question]]\ntext = 'q'\n" + RIGHT + WRONG)
    assert question["text"] == "q"
    right, wrong = question["answer"]
    assert (right["right"], wrong["claim"]) == (True, CLAIM)


def test_verdicts_are_asked_for_and_answered_by_the_ledger(tmp_path):
    path = tmp_path / "n.toml"
    path.write_text("claims = ['c2', 'c3', 'c1']", encoding="utf-8")
    amended = [{"date": "2026-01-02", "reason": "too wide", "first_verdict": "reproduced"}]
    measured = replace(
        CLAIM, id="c2", verdict="inconclusive", lines=["1.2"], interval="0.9 … 1.5", asked="more than 1",
        because="not all of it", amended=amended,
    )  # fmt: skip
    _, (first, other) = read_quiz(path, [CLAIM, measured, replace(CLAIM, id="c3", verdict="planned")])
    assert first["text"] == "S, 1: “s”. Rule: r."
    assert [answer["text"] for answer in first["answer"] if answer["right"]] == ["inconclusive"]
    assert [answer["text"] for answer in other["answer"] if answer["right"]] == ["partly"]
    assert {answer["why"] for answer in other["answer"]} == {"Nothing could be measured."}
    assert all(answer["claim"] is CLAIM for answer in other["answer"])
    (why,) = {answer["why"] for answer in first["answer"]}
    assert why.startswith("Measured: 1.2 (0.9 … 1.5). The rule asks for more than 1: not all of it.")
    assert why.endswith("amended on 2026-01-02: too wide. By the rule until then it was “reproduced”.")
    path.write_text("claims = ['c4']", encoding="utf-8")
    with pytest.raises(ValueError, match="there is no claim 'c4'"):
        read_quiz(path, [CLAIM])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[question]]\ntext = 'q'\n" + RIGHT, "at least two answers of which exactly one is right"),
        ("[[question]]\ntext = 'q'\n" + RIGHT + RIGHT, "exactly one is right"),
        ("[[question]]\n" + RIGHT + WRONG, "lacks the key 'text'"),
        ("[[question]]\ntext = 'q'\n" + RIGHT + WRONG.replace("c1", "c2"), "there is no claim 'c2'"),
        (
            "[[question]]\ntext = 'q'\n" + RIGHT + WRONG.replace("why", "reason"),
            "number 2, has the unknown key 'reason'; allowed are text, why,",
        ),
        ("[[question]", "n.toml: "),
    ],
)
def test_other_files_are_refused(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, text)
