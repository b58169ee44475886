"""Where a table begins: its delimiter, the lines above its header, and those of the header."""

import csv
import re
from collections import Counter
from dataclasses import dataclass, field
from statistics import mode

from studylib.tryout.marks import is_missing
from studylib.tryout.phrases import several

#: Rows from which the layout is told.
LOOKED_AT = 50
_DELIMITERS, _RARE_DELIMITERS = ";\t|,", ":^ "
_NUMBER = re.compile(r"\W{0,2}\d[\W\d]*(e[+-]?\d+)?", re.I | re.A)
_DECIMAL = re.compile(r"\d[.,]\d")
_MOSTLY = 0.7  # share of numbers from which on a column is one of numbers
_MOST_LINES = 4  # of a header
_ENOUGH = 5  # lines below which nothing is told of the first


@dataclass
class Layout:
    """How a table begins: ``names`` of its columns, as they are written, and how many rows come first.

    ``above`` are rows of text above the header, ``header`` its lines.
    """

    names: list
    above: list = field(default_factory=list)
    header: list = field(default_factory=list)


def delimiter_of(lines):
    """The delimiter that gives most lines the same number of fields, more than one."""
    for some in (_DELIMITERS, _RARE_DELIMITERS):
        best = max(some, key=lambda mark: _consistency(lines, mark))
        if _consistency(lines, best) > (0, 0):
            return best
    return ","


def _consistency(lines, delimiter):
    """How well a delimiter explains some lines: those with the usual number of fields, then this number."""
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True) if row]
    except csv.Error:
        return 0, 0
    usual = mode(widths) if widths else 0
    return (widths.count(usual), usual) if usual > 1 else (0, 0)


def layout_of(rows, wanted=(), header=None):
    """How a table begins of which these are the first rows, lists of texts; returns a Layout.

    ``wanted`` are names of columns, of which one shows a header below other rows.  ``header`` is an option:
    ``"none"`` for no header, ``"first"`` for one of one line with nothing above it.
    """
    rows = [[cell.strip() for cell in row] for row in rows]
    width = mode(map(len, rows))
    if header == "none":
        return Layout([f"column {k}" for k in range(1, width + 1)])
    if header == "first":
        return Layout(rows[0], header=rows[:1])
    start = _n_above(rows, width)
    start = _below(rows, start, set(wanted)) or start
    end = start + 1
    while end < min(len(rows) - 1, start + _MOST_LINES) and _is_of_header(rows, start, end):
        end += 1
    lines = rows[start:end]
    return Layout(_names(lines, wanted), rows[:start], lines)


def said_of(found):
    """Sentences about the lines above a table, and those of its header."""
    if found.above:
        text = " ".join(filter(None, (cell for row in found.above for cell in row)))
        yield f"Above the header, {several(len(found.above), 'line')} of text: {text!r:.60}."
    if len(found.header) > 1 and found.names in found.header:
        others = list(found.header)
        others.remove(found.names)
        text = ", ".join(filter(None, (cell for line in others for cell in line)))
        yield f"The header has {len(found.header)} lines; left out, such as units: {text!r:.60}."
    elif len(found.header) > 1:
        first = next(name for name in found.names if name not in found.header[0])
        yield f"The header has {len(found.header)} lines, which were joined, as in {first!r:.60}."


def check_first(path, rows, found, options):
    """Raise a ValueError if the first line may be no header, and no option says whether it is."""
    if options.header or not _looks_like_data(rows, found):
        return
    line = ", ".join(found.header[0])
    raise ValueError(
        f"try: the first line of {path} looks like data and not like names, {line!r:.60}; say --header=none "
        f"if the file has no header (the columns are 'column 1' to 'column {len(found.names)}' then), or "
        "--header=first if these are names."
    )


def _looks_like_data(rows, found):
    """Whether the first line of a header looks like the rows below it, all of it numbers where they are."""
    head, rows = found.header[0], rows[len(found.above) + len(found.header) :]
    columns = _numeric(rows) if len(rows) >= _ENOUGH else []
    columns = [j for j in columns if j < len(head)]
    numbers = [head[j] for j in columns]
    if not columns or not all(map(_NUMBER.fullmatch, numbers)) or (len(columns) > 2 and _rising(numbers)):
        return False
    again = sum(
        bool(cell)
        and (cell in {row[j].strip() for row in rows if j < len(row)} or bool(_DECIMAL.search(cell)))
        for j, cell in enumerate(head)
    )
    return 2 * again >= len(head)


def _rising(numbers):
    """Whether numbers rise, as years and wave lengths do that are names."""
    try:
        values = list(map(float, numbers))
    except ValueError:
        return False
    return all(one < other for one, other in zip(values, values[1:], strict=False))


def _n_above(rows, width):
    """How many of the first rows are text above the header."""
    n = 0
    while n < len(rows) - 2 and sum(map(bool, rows[n])) == 1 and (len(rows[n]) == 1 < width or width > 2):
        n += 1
    return n


def _below(rows, start, wanted):
    """The row further down that has a wanted name and more cells filled than all above it, or nothing."""
    filled = [0 if row[0].startswith("#") else sum(map(bool, row)) for row in rows]
    for k, row in enumerate(rows[start:], start):
        if wanted & set(row):
            fuller = filled[k] > max(filled[start:k], default=len(row))
            return k if fuller and not any(map(_NUMBER.fullmatch, row)) else None
    return None


def _numeric(rows):
    """The columns of which most entries are numbers."""
    told, numbers = Counter(), Counter()
    for row in rows:
        for j, cell in enumerate(row):
            if cell and not is_missing(cell):
                told[j] += 1
                numbers[j] += bool(_NUMBER.fullmatch(cell.strip()))
    return [j for j in told if numbers[j] >= _MOSTLY * told[j]]


def _is_of_header(rows, start, k):
    """Whether a row belongs to the header: words above numbers, none of which comes again below."""
    row = rows[k]
    if any(map(_NUMBER.fullmatch, row)):
        return False
    below = [one for one in rows[k + 1 :] if one not in rows[start : k + 1]]
    columns = _numeric(below)
    words = sum(j < len(row) and bool(row[j]) and not is_missing(row[j]) for j in columns)
    if words < max(1, len(columns) / 2):
        return False
    return not any(
        cell and not is_missing(cell) and any(j < len(one) and one[j] == cell for one in below)
        for j, cell in enumerate(row)
    )


def _names(lines, wanted):
    """The names in some lines: those of one that has all of them, or of all lines, joined."""
    for line in sorted(lines, key=lambda line: not set(wanted) & set(line)):
        if len(lines) == 1 or (all(line[1:]) and len(set(line)) == len(line)):
            return line
    width = max(map(len, lines))
    lines = [line + [""] * (width - len(line)) for line in lines]
    parts = [[] for _ in range(width)]
    for k, line in enumerate(lines):
        last = ""
        for j, cell in enumerate(line):
            last = cell or last
            merged = last if any(below[j] for below in lines[k + 1 :]) else ""
            parts[j].append(cell or merged)
    names = [" ".join(dict.fromkeys(filter(None, part))) for part in parts]
    for name in wanted:
        places = [j for j in range(width) if name in parts[j]]
        if name not in names and len(places) == 1:
            names[places[0]] = name
    return names
