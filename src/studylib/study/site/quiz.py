"""Questions at the end of a notebook's page, whose wrong answers may be claims that the ledger refutes.

Other questions ask for the verdicts of claims; text and answers are those of the ledger.
"""

import re
import tomllib
from dataclasses import dataclass

from markupsafe import Markup, escape

#: What can come of a claim that a reader is asked about.
_VERDICTS = ("reproduced", "partly", "not reproduced", "inconclusive", "not testable")
_ANSWER = {"text", "why", "right", "claim"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer to choose.

    Parameters
    ----------
    text, why, right : str, str, bool
        The answer, what a reader learns who chose it, and whether it is right.
    claim : ClaimRow or None
        The claim that a wrong answer repeats, or whose verdict is asked for.
    """

    text: str
    why: str
    right: bool = False
    claim: object = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with answers of which one is right."""

    text: str
    answers: list


def read_quiz(path, claims):
    """Questions of the file beside a notebook; none if it is missing, ValueError if it is not as below.

    The file holds tables ``[[question]]`` with ``text`` and ``[[question.answer]]``; an answer has ``text``,
    ``why``, and either ``right = true`` or, if it likes, ``claim``, the id of a claim that it repeats.
    """
    rows = {row.id: row for row in claims}
    given = _read(path).get("question", [])
    return [_question(f"{path}, question {k}", one, rows) for k, one in enumerate(given, 1)]


def read_verdicts(path, claims):
    """Questions for the verdicts of claims, which the same file lists as ``claims``; as for `read_quiz`.

    A claim that has none of the five verdicts yet is left out.
    """
    rows = {row.id: row for row in claims}
    named = _read(path).get("claims", [])
    if unknown := [name for name in named if name not in rows]:
        raise ValueError(f"{path}: there is no claim {unknown[0]!r}.")
    return [_about(rows[name]) for name in named if rows[name].verdict in _VERDICTS]


def _read(path):
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None


def _about(row):
    found = "; ".join(row.lines) + (f" ({row.interval})" if row.interval else "")
    why = f"Measured: {found}." if row.lines else "Nothing could be measured."
    if row.lines and row.asked and row.because:
        why += f" The rule asks for {row.asked}: {row.because}."
    for amended in row.amended:
        why += f" The rule was amended on {amended['date']}: {amended['reason']}."
        why += f" By the rule until then it was “{amended['first_verdict']}”."
    answers = [Answer(text=name, why=why, right=name == row.verdict, claim=row) for name in _VERDICTS]
    return Question(text=f"{row.where}: “{row.statement}”. Rule: {row.rule}.", answers=answers)


def _question(where, given, rows):
    answers = [_answer(where, one, rows) for one in given.get("answer", [])]
    if not given.get("text") or len(answers) < 2 or sum(answer.right for answer in answers) != 1:
        raise ValueError(f"{where} needs a text, and at least two answers of which exactly one is right.")
    return Question(text=given["text"], answers=answers)


def _answer(where, given, rows):
    name = given.get("claim")
    if not (set(given) <= _ANSWER and given.get("text") and given.get("why")):
        raise ValueError(f"{where}: an answer has text and why, and right or claim, got {sorted(given)}.")
    if name is not None and name not in rows:
        raise ValueError(f"{where}: there is no claim {name!r}.")
    return Answer(**{**given, "claim": rows.get(name)})


def with_code(text):
    """A sentence as HTML, with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
