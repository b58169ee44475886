"""Sentences as a reader meets them: how long they are, and words for which there is a plainer one.

``tools/plain_words.toml`` is the table of words; ``CONTRIBUTING.md`` ("Write a sentence") explains it.
"""

import re
import statistics
import tomllib
from pathlib import Path

from tools.printed import CODE, blocks, plain, row

#: In words: no sentence is longer, and half the sentences of a page are no longer.
LONGEST, MEDIAN = 30, 18
#: Sentences from which on the median of a page counts.
ENOUGH = 10
_TABLE = tomllib.loads(Path(__file__).with_name("plain_words.toml").read_text(encoding="utf-8"))
PHRASES = _TABLE["phrases"]
WORDS = {
    re.compile(rf"(?<!\w)(?:{pattern})(?!\w)", re.IGNORECASE): instead
    for pattern, instead in (_TABLE["words"] | PHRASES).items()
}
_FORMULA = re.compile(r"\$\$.+?\$\$|\$[^$\n]+(?:\n[^$\n]+)*\$|\\\(.+?\\\)", re.DOTALL)
_PICTURE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\[\]]*(?:\[[^\]]*\][^\[\]]*)*)\]\([^)\s]*\)")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|\*\*|(?m:^\s*(?:[-*+>]|\d+\.)\s+)")
_END = re.compile(r"[.?!][)\]”’\"'*_]*(?=\s+[^a-z\s]|$)")
_ABBREVIATED = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|cf|vs|eqs?|figs?|sec|no|resp|approx)|\b(?-i:[A-Z]))\.$", re.I
)


def readable(block):
    """A block of Markdown as it is read, on one line: code and formulas count as a word each."""
    block = CODE.sub("Code", _FORMULA.sub("formula", plain(block)))
    return " ".join(_MARKUP.sub(" ", _LINK.sub(r"\1", _PICTURE.sub(" ", block))).split())


def sentences(raw):
    """Each sentence of a text with the offset of its block; headings and labels in tables are none."""
    for start, _, block in blocks(raw):
        block = plain(block).lstrip()
        if block.startswith("#"):
            continue
        parts = [block]
        if block.startswith("|"):
            cells = (cell for line in block.splitlines() for _, cell in row(line))
            parts = [cell for cell in cells if _END.search(readable(cell))]
        for part in parts:
            yield from ((start, sentence) for sentence in _split(readable(part)))


def _split(said):
    begin = 0
    for match in _END.finditer(said):
        if not _ABBREVIATED.search(said[begin : match.start() + 1]):
            yield said[begin : match.end()].strip()
            begin = match.end()
    if said[begin:].strip():
        yield said[begin:].strip()


def length(sentence):
    """Number of words: whatever stands between spaces and has a letter or a digit."""
    return sum(bool(re.search(r"\w", word)) for word in sentence.split())


def long(text):
    """Problems with the sentences of a text that are too long."""
    for start, sentence in sentences(text.raw):
        if (n := length(sentence)) > LONGEST:
            yield f"{text.at(start)}: a sentence of {n} words, at most {LONGEST} (“{sentence[:60]}…”)."


def unplain(text):
    """Problems with words and phrases of a text, each with what to write instead."""
    for start, _, block in blocks(text.raw):
        said = readable(block)
        for pattern, instead in WORDS.items():
            for match in pattern.finditer(said):
                yield f"{text.at(start)}: {match.group()!r}, plainer: {instead}."


def rambling(texts):
    """Problems with pages whose sentences are long on the whole."""
    pages = {}
    for text in texts:
        pages.setdefault(text.path, []).extend(length(sentence) for _, sentence in sentences(text.raw))
    for path, lengths in pages.items():
        if len(lengths) >= ENOUGH and (median := statistics.median(lengths)) > MEDIAN:
            yield f"{path}: the median sentence has {median:g} words, at most {MEDIAN}."
