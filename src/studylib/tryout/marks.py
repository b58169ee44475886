"""Marks of what is missing: one list, for entries and labels alike."""

import re

import numpy as np

_MARK = re.compile(
    r"\?|\.|[-–—]{1,3}|\\N|\(?(?:n/?a|n\.\s?a\.|k\.\s?a\.|nan|nat|null)\)?|<(?:na|null)>|-nan"
    r"|#(?:n/?a|div/0!|[a-z]+[!?])",
    re.I,
)


def is_missing(text):
    """Whether a stripped text is such a mark."""
    return bool(_MARK.fullmatch(text))


def marks_in(texts, known=()):
    """Which of the texts of a column are such marks, an array of bool; those that are ``known`` are none."""
    known = {*known, "-"} if "+" in texts else set(known)  # plus and minus are a pair
    return np.array([is_missing(text) and text not in known for text in texts], bool)
