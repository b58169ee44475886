"""Questions at the end of a notebook's page, from a file in the folder ``quizzes/`` next to it.

Wrong answers may be claims that the ledger refutes.  Other questions ask for the verdicts of claims; text and
answers are those of the ledger.
"""

import re

from markupsafe import Markup, escape

from studylib.study.ledger.schema import SchemaError, check, read_toml
from studylib.study.shapes import Maybe

#: What can come of a claim that a reader is asked about.
_VERDICTS = ("reproduced", "partly", "not reproduced", "inconclusive", "not testable")
_FILE = {"question": Maybe([dict]), "claims": Maybe([str])}
_QUESTION = {"text": str, "answer": [dict]}
_ANSWER = {"text": str, "why": str, "right": Maybe(bool), "claim": Maybe(str)}


def quiz_file(notebook):
    """Where the questions of a notebook's page are, if there are any; ``notebook`` is its path."""
    return notebook.parent / "quizzes" / f"{notebook.stem}.toml"


def read_quiz(path, claims):
    """Questions of a notebook's file and questions for verdicts: two lists, empty if the file is missing.

    The file holds tables ``[[question]]`` with ``text`` and ``[[question.answer]]``; an answer has ``text``,
    ``why``, and either ``right = true`` or, optionally, ``claim``, the id of a claim that it repeats.  Its
    ``claims`` are those whose verdicts are asked for; one that has none of the five yet is left out.  Both
    lists have such tables, with a row of the ledger as ``claim``.  SchemaError if it is not so.
    """
    table = check(path, "", read_toml(path), _FILE) if path.is_file() else {}
    questions = table.get("question", [])
    for k, question in enumerate(questions, start=1):
        where = f"[[question]] number {k}"
        answers = check(path, where, question, _QUESTION)["answer"]
        for n, answer in enumerate(answers, start=1):
            check(path, f"{where}, [[question.answer]] number {n},", answer, _ANSWER)
            if "claim" in answer:
                answer["claim"] = _row(path, claims, answer["claim"])
        if len(answers) < 2 or sum(answer.get("right", False) for answer in answers) != 1:
            raise SchemaError(f"{path}: {where} needs at least two answers of which exactly one is right.")
    rows = [_row(path, claims, name) for name in table.get("claims", [])]
    return questions, [_about(row) for row in rows if row.verdict in _VERDICTS]


def _row(path, claims, name):
    row = next((row for row in claims if row.id == name), None)
    if row is None:
        raise SchemaError(f"{path}: there is no claim {name!r}.")
    return row


def _about(row):
    value = "; ".join(row.lines) + (f" ({row.interval})" if row.interval else "")
    why = f"Measured: {value}." if row.lines else "Nothing could be measured."
    if row.lines and row.asked and row.because:
        why += f" The rule asks for {row.asked}: {row.because}."
    for amended in row.amended:
        why += f" The rule was amended on {amended['date']}: {amended['reason']}."
        why += f" By the rule until then it was “{amended['first_verdict']}”."
    answers = [{"text": v, "why": why, "right": v == row.verdict, "claim": row} for v in _VERDICTS]
    return {"text": f"{row.where}: “{row.statement}”. Rule: {row.rule}.", "answer": answers}


def with_code(text):
    """A sentence as HTML, with what stands between backticks as code."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(text))))
