"""Marks of what is missing: one list, for entries and labels alike."""

import re

_MARK = re.compile(
    r"\?|\.|[-–—]{1,3}|\\N|\(?(?:n/?a|n\.\s?a\.|k\.\s?a\.|nan|nat|null|missing)\)?|<(?:na|null)>|-nan"
    r"|#(?:n/?a|div/0!|[a-z]+[!?])",
    re.I,
)


def is_missing(text):
    """Whether a stripped text is such a mark."""
    return bool(_MARK.fullmatch(text))
