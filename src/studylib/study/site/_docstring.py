"""numpydoc docstrings as data that a template lays out: sections, entries, paragraphs, tables, examples.

No dependency of the study parses them (numpydoc lies in scikit-learn and scipy as a private copy only), and
the subset that docstrings use is small.  What this reader does not understand, it keeps as text.
"""

import inspect
import re
import textwrap
from dataclasses import dataclass, field
from itertools import pairwise

from markupsafe import Markup, escape
from pygments import highlight  # nbconvert itself depends on it
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonConsoleLexer, PythonLexer

NAMED = {"Parameters", "Other Parameters", "Attributes", "Methods"}
UNNAMED = {"Returns", "Yields", "Receives", "Raises", "Warns"}
_RULER = re.compile(r"(-{3,}|={3,}|~{3,})\s*")
_NAMES = re.compile(r"(\*{0,2}[\w.]+(?:\s*,\s*\*{0,2}[\w.]+)*)(?:\s*:(?:\s+(.*))?)?")
_BORDER = re.compile(r"=+(?: +=+)+\s*")
_ITEM = re.compile(r"([-*•]|\d+[.)]|#\.) +(?=\S)")
_DIRECTIVE = re.compile(r"\.\. ([\w-]+):: *(.*)")
_FOOTNOTE = re.compile(r"\.\. \[([^\]]+)\] *(.*)")


@dataclass
class Block:
    """A piece of text; ``kind`` names the macro that lays it out."""

    kind: str
    text: Markup | str = ""
    items: list = field(default_factory=list)
    head: list = field(default_factory=list)


@dataclass
class Entry:
    """One line of a definition list with what stands indented under it."""

    names: list[str]
    type: Markup | str
    blocks: list[Block]
    default: str = ""


@dataclass
class Section:
    """An underlined title and what follows: entries in the sections that list names, else blocks."""

    title: str
    entries: list[Entry] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@dataclass
class Docstring:
    """A docstring's first sentence, what stands before its sections, and these."""

    summary: Markup | str
    blocks: list[Block]
    sections: list[Section]


def parse(text, inline):
    """Parse a docstring.

    Parameters
    ----------
    text : str or None
    inline : callable
        ``inline(text, types=False)`` gives the Markup of running text, or of the type of an entry.

    Returns
    -------
    Docstring
    """
    lines = inspect.cleandoc(text or "").expandtabs().splitlines()
    starts = [i for i in range(len(lines) - 1) if _is_title(lines, i)]
    body = lines[: starts[0]] if starts else lines
    sections = [
        _section(lines[start].strip(), lines[start + 2 : end], inline)
        for start, end in pairwise([*starts, len(lines)])
    ]
    first = re.match(r".*?[.!?](?=\s+[A-Z])|.*", " ".join(_until_blank(body)))
    return Docstring(inline(first.group()), _blocks(body, inline), sections)


def _is_title(lines, i):
    above = lines[i - 1].strip() if i else ""
    alone = lines[i].strip() and lines[i][0] != " " and not above
    return bool(alone and _RULER.fullmatch(lines[i + 1]) and not _RULER.fullmatch(lines[i]))


def _section(title, lines, inline):
    if title in NAMED | UNNAMED:
        return Section(title, entries=_entries(lines, inline, named=title in NAMED))
    return Section(title, blocks=_blocks(lines, inline))


def _entries(lines, inline, named):
    found, i = [], 0
    while i < len(lines):
        head = lines[i].rstrip() if lines[i][:1] != " " else ""
        i += bool(head) or not lines[i].strip()
        n, inner = _indented(lines[i:])
        i += n
        if not head and not inner:
            continue
        names, kind = _head(head, named)
        blocks = _blocks(inner, inline)
        if head and not names and not kind:
            blocks.insert(0, Block("paragraph", inline(head)))
        found.append(Entry(names, inline(kind, types=True), blocks))
    return found


def _head(line, named):
    """Names and type of an entry; neither if the line is not of that form."""
    match = _NAMES.fullmatch(line)
    if match and (named or ":" in line):
        return [name.strip() for name in match[1].split(",")], match[2] or ""
    before, colon, after = line.partition(" : ")
    if colon:
        return [before.strip()], after
    return [], "" if named else line


def _blocks(lines, inline):
    found, i = [], 0
    while i < len(lines):
        if not lines[i].strip():
            i += 1
            continue
        readers = (_doctest, _table, _list, _explicit, _quote, _definition, _paragraph)
        n, blocks = next(filter(None, (reader(lines[i:], inline) for reader in readers)))
        found += blocks
        i += n
    return found


def _doctest(lines, inline):
    if not lines[0].startswith(">>>"):
        return None
    n = len(_until_blank(lines))
    while n + 1 < len(lines) and not lines[n].strip() and lines[n + 1].startswith(">>>"):
        n += 1 + len(_until_blank(lines[n + 1 :]))
    text = "\n".join(lines[:n]).replace("<BLANKLINE>", "")
    return n, [_code(text, PythonConsoleLexer())]


def _code(text, lexer):
    return Block("code", Markup(highlight(text, lexer, HtmlFormatter(nowrap=True))))


def _table(lines, inline):
    """An RST simple table; a word that crosses a column's edge stays whole, in the column it begins in."""
    if not _BORDER.fullmatch(lines[0]):
        return None
    rows = _until_blank(lines)
    borders = [i for i, line in enumerate(rows) if _BORDER.fullmatch(line)]
    if len(borders) < 2 or borders[-1] != len(rows) - 1:
        return None
    edges = [match.start() for match in re.finditer("=+", rows[0])][1:]
    head = _rows(rows[1 : borders[1]], edges) if len(borders) > 2 else []
    body = _rows(rows[borders[-2] + 1 : -1], edges)
    head, body = ([[inline(cell) for cell in row] for row in part] for part in (head, body))
    return len(rows), [Block("table", items=body, head=head)]


def _rows(lines, edges):
    found = []
    for line in lines:
        cells, start = [], 0
        for edge in [*edges, len(line)]:
            while start < edge < len(line) and line[edge - 1] != " ":
                edge += 1
            cells.append(line[start:edge].strip())
            start = max(start, edge)
        if found and not cells[0]:  # an empty first cell continues the row above
            found[-1] = [f"{above} {cell}".strip() for above, cell in zip(found[-1], cells, strict=True)]
        else:
            found.append(cells)
    return found


def _list(lines, inline):
    if not _ITEM.match(lines[0]):
        return None
    items, i = [], 0
    while i < len(lines) and (match := _ITEM.match(lines[i])):
        n, inner = _indented(lines[i + 1 :])
        items.append(_blocks([lines[i][match.end() :], *inner], inline))
        i += 1 + n
    kind = "numbers" if lines[0][0] in "0123456789#" else "bullets"
    return i, [Block(kind, items=items)]


def _explicit(lines, inline):
    """What begins with two dots: a directive, a reference ``[1]``, or a comment, which is dropped."""
    if not re.match(r"\.\.( |$)", lines[0]):
        return None
    n, inner = _indented(lines[1:])
    if match := _FOOTNOTE.match(lines[0]):
        first = Block("paragraph", Markup("<b>[{}]</b> {}").format(match[1], _running([match[2]], inline)))
        return n + 1, [Block("quote", items=[first, *_blocks(inner, inline)])]
    match = _DIRECTIVE.match(lines[0])
    if match is None:
        return n + 1, []
    if match[1] in ("code", "code-block", "math"):
        text = "\n".join(inner) or match[2]
        plain = match[1] == "math" or match[2] not in ("", "python")
        return n + 1, [Block("code", escape(text)) if plain else _code(text, PythonLexer())]
    return n + 1, [Block("note", match[1], _blocks([match[2], "", *inner], inline))]


def _quote(lines, inline):
    n, inner = _indented(lines)
    return (n, [Block("quote", items=_blocks(inner, inline))]) if n else None


def _definition(lines, inline):
    if len(lines) < 2 or not lines[1].startswith(" ") or lines[0].rstrip().endswith("::"):
        return None
    n, inner = _indented(lines[1:])
    entry = Entry([], inline(lines[0]), _blocks(inner, inline))
    return (n + 1, [Block("definitions", items=[entry])]) if n else None


def _paragraph(lines, inline):
    taken = _until_blank(lines)
    n = next((i for i, line in enumerate(taken) if i and line.startswith(" ")), len(taken))
    if not taken[n - 1].rstrip().endswith("::"):
        return n, [Block("paragraph", _running(taken[:n], inline))]
    skipped, inner = _indented(lines[n:])
    said = " ".join(taken[:n]).rstrip()[:-1].rstrip(": ")
    found = [Block("paragraph", inline(f"{said}:"))] if said else []
    return n + skipped, [*found, Block("code", escape("\n".join(inner)))] if inner else found


def _running(lines, inline):
    return inline(" ".join(line.strip() for line in lines))


def _until_blank(lines):
    end = next((i for i, line in enumerate(lines) if not line.strip()), len(lines))
    return lines[:end]


def _indented(lines):
    """Number of leading lines that are indented or blank, and these, dedented and without blanks around."""
    n = next((i for i, line in enumerate(lines) if line.strip() and line[0] != " "), len(lines))
    inner = textwrap.dedent("\n".join(lines[:n])).strip("\n").splitlines()
    return (n, inner) if any(line.strip() for line in inner) else (0, [])
