"""The encoding of a text that is not UTF-8: its letters tell, or it is asked about.

Why not charset-normalizer?  It takes seven of the nine texts in Windows-1252 of our tests for Windows-1250.
"""

import re

#: Letters beyond ASCII of languages in the west and in the middle of Europe, the most frequent first.
_LANGUAGES = (
    "üäöß", "éàèêçôîâùûœïëü", "óíáéñúü¿¡ºª", "èàùòéìºª", "ãéçáíêóúõàâôºªü", "éëïèóüöáçàíê",
    "åæøéäöü", "äåöé", "ðíáþóæöúéý", "éóàíèòçúïü·ºª",
    "íáěžřéčšýůúňďťó", "ážčýíšéúťľôďňóäĺŕ", "łężąóśćńź", "éáöóőüíúű", "ăşîţâ", "ščžćđ",
)  # fmt: skip
#: What words of France, Italy, Portugal and Spain become in Windows-1250, and no word of its languages holds.
_NEVER = re.compile("[aeiou][űů]|ă[oe]|ń[aeiouáéíóú]")
#: Costs in bits: the most frequent letter of a language costs 1, the next 2.
_UNKNOWN, _OTHER_LANGUAGE, _DECISIVE = 20, 4, 10
_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}")
_NO_WORD = re.compile(rb"[cdkm]?m[\xb2\xb3]", re.I)  # square metres
_ENOUGH = 3000  # words


def encoding_of(path, lines):
    """The encoding of lines of bytes that are not UTF-8, as Python calls it.

    If the letters do not tell, a ValueError asks a question that names the option which decides.
    """
    words, broken, n = set(), [], 0
    for number, line in enumerate(lines, 1):
        if line.isascii():
            continue
        words.update(w for w in _WORD.findall(line) if not w.isascii() and not _NO_WORD.fullmatch(w))
        n += 1
        broken += [] if _is_utf_8(line) else [number]
        if len(words) > _ENOUGH and broken:
            break
    if 2 * len(broken) < n:
        raise ValueError(
            f"try: line {broken[0]} of {path} is not UTF-8, but others are; mend it, or say --encoding."
        )
    if 2 * sum(not re.search(rb"[A-Za-z]", word) for word in words) > len(words):
        raise ValueError(f"try: {path} is neither UTF-8 nor in Latin letters; say --encoding.")
    words = sorted(words)
    west, middle = ([word.decode(name, "replace") for word in words] for name in ("cp1252", "cp1250"))
    if west == middle or (odds := _cost(middle) - _cost(west)) > _DECISIVE:
        return "cp1252"
    if odds < -_DECISIVE:
        return "cp1250"
    one, other = next(pair for pair in zip(west, middle, strict=True) if pair[0] != pair[1])
    raise ValueError(
        f"try: {path} is not UTF-8, and holds a word that may be {one!r} or {other!r}; say --encoding=cp1252 "
        "or --encoding=cp1250."
    )


def _is_utf_8(line):
    try:
        return bool(line.decode())
    except UnicodeDecodeError:
        return False


def _cost(words):
    """How unlikely the letters of words are, all in one language or each word in any."""
    costs = [[_cost_in(language, word.lower()) for language in _LANGUAGES] for word in words]
    together = min(map(sum, zip(*costs, strict=True)))
    return min(together, sum(min(row) + _OTHER_LANGUAGE for row in costs))


def _cost_in(language, word):
    places = (language.find(letter) for letter in word if not letter.isascii())
    never = _UNKNOWN * len(_NEVER.findall(word))
    return never + sum(place + 1 if place >= 0 else _UNKNOWN for place in places)
