"""Numbers as prose prints them, and the comments that name their fields."""

import re

from tools.fields import NUMBER, number

WORDS = dict(enumerate((
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty",
)))  # fmt: skip
_VALUES = {"none": 0} | {word: value for value, word in WORDS.items()}
COMMENT = re.compile(r"<!--\s*(.*?)\s*-->", re.DOTALL)
_SAID = re.compile(rf"({NUMBER}|\b(?:{'|'.join(_VALUES)}))(\**)<!--\s*(.*?)\s*-->", re.IGNORECASE | re.DOTALL)
CODE = re.compile(r"```.*?```|~~~.*?~~~|``.*?``|`[^`\n]*`", re.DOTALL)
_LIMIT = re.compile(
    r"(?:(<|(?<!no )(?<!not )(?:less|fewer) than|not? more than|under|below|up to|at most)"
    r"|(>|(?<!no )(?<!not )more than|not? (?:less|fewer) than|over|above|at least))\s*$"
)
_ABOUT = re.compile(r"(?:about|some|nearly|almost|roughly|around|practically)\s*$")


def plain(text):
    """A text without comments, as it is read."""
    return COMMENT.sub("", text)


def blank(pattern, text):
    """A text with spaces where a pattern matches."""
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def blocks(raw):
    """Paragraphs, list items, tables and headings of a text, without code: ``start, end, block``."""
    hidden = re.sub(r"```.*?```|~~~.*?~~~", lambda m: re.sub(r"[^\n]", "`", m.group()), raw, flags=re.DOTALL)
    for paragraph in re.finditer(r"(?:[^\n]*\S[^\n]*(?:\n|$))+", hidden):
        if not paragraph.group().strip("`\n "):
            continue
        cuts = [
            0,
            *(m.start() for m in re.finditer(r"(?m)^(?:\s*(?:[-*+]|\d+\.)\s|#+ )", paragraph.group())),
            None,
        ]
        for a, b in zip(cuts, cuts[1:], strict=False):
            a, b = paragraph.start() + a, paragraph.end() if b is None else paragraph.start() + b
            if raw[a:b].strip():
                yield a, b, raw[a:b]


def row(line):
    """The cells of a row of a Markdown table with their offsets."""
    for match in re.finditer(r"(?<=\|)(?:[^|\n\\]|\\.)+(?=\|)", line):
        yield match.start(), match.group()


def annotated(block):
    """Numbers and number words with a comment behind them: ``offset, number, field``."""
    heading = block.find("\n") if block.startswith("|") else 0
    for match in _SAID.finditer(blank(CODE, block), heading):
        yield match.start(1), match.group(1), match.group(3)


def stray(block):
    """Comments that name a field for no number: ``offset, field``."""
    hidden = blank(CODE, block)
    taken = {match.start(2) + len(match.group(2)) for match in _SAID.finditer(hidden)}
    heading = block.find("\n") if block.startswith("|") else 0
    for match in COMMENT.finditer(hidden):
        of_table = match.start() < heading or (heading and "{}" in match.group(1))
        if match.start() not in taken and not of_table and not match.group(1).startswith("given: "):
            yield match.start(), match.group(1)


def compare(said, value, before=""):
    """What is wrong with a printed number, and how it should be printed; two empty values if nothing is.

    The printed digits must be those of the value; behind "less than" or "at least" it is a bound, and
    behind "about" zeros at its end are no digits.
    """
    bound, word = _LIMIT.search(before), not re.search(r"\d", said)
    printed = _VALUES[said.lower()] if word else number(said)
    if bound:
        right = value <= printed if bound.group(1) else value >= printed
        return "" if right else f"says {bound.group().strip()} {said}, measured is {value:.6g}.", None
    decimals = len(said.partition(".")[2])
    if _ABOUT.search(before) and not decimals and not word:
        decimals = len(said.rstrip("0,").replace(",", "")) - len(said.replace(",", ""))
    if abs(printed - value) <= 0.5 * 10**-decimals * (1 + 1e-9):
        return "", None
    if word:
        new = WORDS.get(round(value), f"{round(value):,}")
        new = new.capitalize() if said[0].isupper() else new
    else:
        rounded = round(value, decimals)
        new = f"{abs(rounded):,.{max(decimals, 0)}f}"
        new = ("−" if rounded < 0 else "+" if said.startswith("+") else "") + new
    return f"says {said}, measured is {value:.6g}.", new
