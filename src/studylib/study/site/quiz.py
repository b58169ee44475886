"""Questions at the end of a notebook's page, whose wrong answers may be claims that the ledger refutes."""

import re
import tomllib
from dataclasses import dataclass

from markupsafe import Markup, escape

_ANSWER = {"text", "why", "right", "claim"}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer to choose.

    Parameters
    ----------
    text : str
    why : str
        What a reader learns who chose it.
    right : bool
    claim : ClaimRow or None
        The claim that a wrong answer repeats.
    """

    text: str
    why: str
    right: bool = False
    claim: object = None


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question with answers of which one is right.

    Parameters
    ----------
    text : str
    answers : list of Answer
    """

    text: str
    answers: list


def read_quiz(path, claims):
    """Questions of the file beside a notebook, a list; empty if there is none.

    The file holds tables ``[[question]]`` with ``text`` and ``[[question.answer]]``; an answer has ``text``,
    ``why``, and either ``right = true`` or, if it likes, ``claim``, the id of a claim that it repeats.

    Parameters
    ----------
    path : Path
    claims : iterable of ClaimRow

    Raises
    ------
    ValueError
        If the file is not as described.
    """
    if not path.is_file():
        return []
    rows = {row.id: row for row in claims}
    try:
        given = tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}: {error}") from None
    return [
        _question(f"{path}, question {k}", one, rows) for k, one in enumerate(given.get("question", []), 1)
    ]


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
