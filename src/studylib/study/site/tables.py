"""Tables of a notebook as its page shows them: words for names, intervals in one column, made for phones.

Pandas prints a frame as it is stored. A reader wants "number of trees" for ``n_trees``, a mean with its
interval in one column and in the digits that it supports, and on a phone no scrolling sideways.
"""

import math
import re
from dataclasses import dataclass, field
from itertools import groupby

from bs4 import BeautifulSoup

from studylib.study.cards.numbers import interval_texts
from studylib.study.cards.sentences import words
from studylib.study.site._render import environment

#: Characters of a table's small type that fit a phone's width, and those that a column's padding takes.
_PHONE, _PADDING = 44, 1.6
#: A table of more columns than this, and of at most so many rows, changes rows and columns.
_MANY_COLUMNS, _FEW_ROWS = 12, 6
_NUMBER = re.compile(r"[-−+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[-+−]?\d+)?%?")
#: What pandas says of a frame that it shows in part.
_SIZE = re.compile(r"\d+ rows × \d+ columns")
_EMPTY = ("NaN", "nan", "None", "<NA>", "NaT", "")


@dataclass
class Frame:
    """A table: for each column its labels, by level, and for each row its labels and cells."""

    columns: list[tuple[str, ...]]
    index: list[str]  # names of the levels of the row labels
    rows: list[tuple[tuple[str, ...], list[str]]]
    levels: list[str] = field(default_factory=list)  # names of the levels of the column labels
    note: str = ""


def tidy(soup, caption, number):
    """Replace the tables of pandas in an output by ones that a reader wants.

    Parameters
    ----------
    soup : BeautifulSoup
        The output, changed in place.
    caption : str
        What the tables are about, where one has no caption of its own.
    number : int
        How many tables the page had before.

    Returns
    -------
    int
        How many tables the page has now.
    """
    for table in soup.select("table.dataframe"):
        frame = read(table)
        if frame is None:
            continue
        number += 1
        own = table.caption.get_text(" ", strip=True) if table.caption else caption
        table.replace_with(BeautifulSoup(written(frame, own, number), "html.parser"))
        if (size := soup.find("p", string=_SIZE)) is not None:
            size.decompose()
    for style in soup("style"):
        if ".dataframe" in style.get_text():
            style.decompose()
    return number


def read(table):
    """The frame that pandas printed as this ``<table>``, or None if it is not of that form."""
    if not table.thead or not table.tbody:
        return None
    heads, body = _grid(table.thead), _grid(table.tbody)
    if not heads or not body or len({len(row) for row in heads + body}) != 1:
        return None
    n = min(next((j for j, (tag, _) in enumerate(row) if tag != "th"), len(row)) for row in body)
    if n == len(body[0]):
        return None
    index = [""] * n
    if len(heads) > 1 and not any(text for _, text in heads[-1][n:]):
        index = [text for _, text in heads.pop()[:n]]
    levels = [row[n - 1][1] if n else "" for row in heads]
    columns = list(zip(*([text for _, text in row[n:]] for row in heads), strict=True))
    rows = [(tuple(text for _, text in row[:n]), [text for _, text in row[n:]]) for row in body]
    return Frame(columns, index, rows, levels)


def _grid(part):
    """Rows of ``(tag, text)``, with cells that reach over several places in each of them."""
    held, grid = {}, []
    for i, row in enumerate(part.find_all("tr", recursive=False)):
        line, cells = [], iter(row.find_all(["th", "td"], recursive=False))
        while True:
            if (i, len(line)) in held:
                line.append(held[i, len(line)])
                continue
            cell = next(cells, None)
            if cell is None:
                break
            said = cell.name, cell.get_text(" ", strip=True)
            for di in range(_span(cell, "rowspan")):
                for dj in range(_span(cell, "colspan")):
                    held[i + di, len(line) + dj] = said
            line.append(said)
        grid.append(line)
    return grid


def _span(cell, name):
    """Over how many places a cell reaches: as in a browser at most 1,000, and 1 where it is no number."""
    said = cell.get(name, "")
    return min(max(int(said), 1), 1000) if re.fullmatch(r"\d{1,9}", said) else 1


def written(frame, caption, number):
    """The HTML of a frame.

    Parameters
    ----------
    frame : Frame
    caption : str
    number : int
        Of the table on its page.
    """
    frame = _without_places(_with_intervals(frame))
    if len(frame.columns) > _MANY_COLUMNS and len(frame.rows) <= _FEW_ROWS and len(frame.index) == 1:
        frame = _transposed(frame)
    groups = _groups(frame)
    numeric = [_is_numeric([cells[j] for _, cells in frame.rows]) for j in range(len(frame.columns))]
    heads = _heads(frame)
    labels = [", ".join(dict.fromkeys(map(words, filter(None, column)))) for column in frame.columns]
    shown = [(group, [(label, [_said(c) for c in cells]) for label, cells in rows]) for group, rows in groups]
    return (
        environment()
        .get_template("table.html.j2")
        .render(
            number=number,
            caption=caption,
            note=frame.note,
            heads=heads,
            labels=labels,
            numeric=numeric,
            groups=[
                (group, [(label, list(map(_split, cells))) for label, cells in rows]) for group, rows in shown
            ],
            grouped=len(groups) > 1 or groups[0][0] != "",
            n_rows=len(frame.rows),
            n_lines=len(frame.columns) + 1,
            phone=_on_a_phone(heads, labels, shown),
        )
    )


def _with_intervals(frame):
    """The frame with each value and its interval in one column, in the digits that the interval supports."""
    columns, merged, used = frame.columns, {}, set()
    place = {column: j for j, column in enumerate(columns)}
    for j, (*above, label) in enumerate(columns):
        pairs = [(f"{label}{between}low", f"{label}{between}high") for between in (", ", " ")]
        if label == "mean":
            pairs.append(("low", "high"))
        for low, high in pairs:
            ends = place.get((*above, low)), place.get((*above, high))
            if None not in ends and not used & {j, *ends}:
                merged[j] = *ends, "low to high"
                used |= {j, *ends}
        spread = place.get((*above, "std"))
        if label == "mean" and spread is not None and j not in used:
            merged[j] = spread, None, "± standard deviation"
            used |= {j, spread}
    if not merged:
        return frame
    gone = {end for ends in merged.values() for end in ends[:2]}
    kept = [j for j in range(len(columns)) if j not in gone]
    hows = {how for *_, how in merged.values()}
    label_of = {
        j: (*columns[j][:-1], f"{columns[j][-1]} ({merged[j][-1]})" if j in merged else columns[j][-1])
        for j in kept
    }
    note, levels, new = "", frame.levels, [label_of[j] for j in kept]
    if len({column[-1] for column in new}) == 1 and len(new[0]) > 1:
        note = f"{new[0][-1]}."
        new, levels = [column[:-1] for column in new], levels[:-1]
    elif len(hows) == 1 and len(merged) == len(kept) > 1:
        note = f"In brackets: {hows.pop()}." if "low to high" in hows else ""
        new = [columns[j] for j in kept] if note else new
    rows = [(labels, [_merged(cells, j, merged.get(j)) for j in kept]) for labels, cells in frame.rows]
    return Frame(new, frame.index, rows, levels, note)


def _merged(cells, j, ends):
    value = cells[j]
    if ends is None or value in _EMPTY:
        return value
    low, high, _ = ends
    if high is None:
        return _with_spread(value, cells[low]) if cells[low] not in _EMPTY else value
    if cells[low] in _EMPTY or cells[high] in _EMPTY:
        return value
    try:
        ends = interval_texts(*(float(cells[k].replace(",", "")) for k in (j, low, high)))
    except ValueError:
        ends = value, cells[low], cells[high]
    return f"{ends[0]} ({ends[1]} to {ends[2]})"


def _with_spread(value, spread):
    """A mean and its standard deviation: two digits of this one, and no more of the mean."""
    printed = len(spread.partition(".")[2])
    try:
        digits = 1 - math.floor(math.log10(float(spread))) if float(spread) > 0 else printed
        digits = min(max(digits, 0), printed)
        return f"{float(value):.{digits}f} (± {float(spread):.{digits}f})"
    except (ValueError, OverflowError):  # texts, or an infinite one
        return f"{value} (± {spread})"


def _without_places(frame):
    """The frame without row labels that only count the rows: its first column takes their place."""
    labels = [labels for labels, _ in frame.rows]
    if frame.index != [""] or labels != [(str(k),) for k in range(len(labels))] or len(frame.columns) < 2:
        return frame
    rows = [((cells[0],), cells[1:]) for _, cells in frame.rows]
    return Frame(frame.columns[1:], [frame.columns[0][-1]], rows, frame.levels, frame.note)


def _transposed(frame):
    columns = [labels for labels, _ in frame.rows]
    rows = [
        ((", ".join(filter(None, column)),), [cells[j] for _, cells in frame.rows])
        for j, column in enumerate(frame.columns)
    ]
    return Frame(columns, [frame.levels[-1]], rows, [frame.index[-1]], frame.note)


def _groups(frame):
    """Rows under the outer levels of their labels: ``(heading, [(label, cells), ...])``."""
    names = [words(name) for name in frame.index]
    if len(names) < 2:
        return [("", [(_said(labels[0]) if labels else "", cells) for labels, cells in frame.rows])]
    found = [(key, list(rows)) for key, rows in groupby(frame.rows, key=lambda row: row[0][:-1])]
    if len(found) * 2 > len(frame.rows):  # groups of one row are no groups
        return [("", [(", ".join(map(_said, filter(None, labels))), cells) for labels, cells in frame.rows])]
    return [
        (_heading(key, names), [(_said(labels[-1]), cells) for labels, cells in rows]) for key, rows in found
    ]


def _heading(labels, names):
    """Outer labels as a heading: a number with the name of what it is a number of."""
    said = [
        f"{name} {_said(label)}" if name and _NUMBER.fullmatch(label) else _said(label)
        for label, name in zip(labels, names, strict=False)
        if label
    ]
    return ", ".join(said)


def _heads(frame):
    """Rows of the head: the corner, and ``(label, n)`` for labels over n columns each."""
    heads, name = [], words(frame.index[-1]) if frame.index else ""
    for level, level_name in enumerate(map(words, frame.levels)):
        runs = [
            (label, len(list(run)))
            for (*_, label), run in groupby(frame.columns, key=lambda column: column[: level + 1])
        ]
        last = level == len(frame.levels) - 1
        corner = " / ".join(filter(None, dict.fromkeys([name, level_name] if last else [level_name])))
        heads.append((corner, [(words(_said(label)), n) for label, n in runs]))
    return heads


def _is_numeric(cells):
    return all(_NUMBER.match(cell) or cell in _EMPTY or cell in ("–", "yes", "no") for cell in cells)


def _said(text):
    """A label or a cell as it is read."""
    if text in _EMPTY:
        return "–" if text else ""
    if text in ("True", "False"):
        return "yes" if text == "True" else "no"
    if re.fullmatch(r"-?\d{5,99}", text):
        text = f"{int(text):,}"
    text = re.sub(r"(?<![\w.)–−-])-(?=\.?\d)", "−", text)
    return words(text)


def _split(cell):
    """A cell's value, and in its own unbroken piece what stands in brackets behind a number."""
    found = re.fullmatch(rf"({_NUMBER.pattern}) (\([^()]*\))", cell)
    return found.groups() if found else (cell, "")


def _on_a_phone(heads, labels, groups):
    """How a table is laid out on a phone: as it is (""), turned, or with each row as a block of its own."""
    rows = [row for _, rows in groups for row in rows]
    widths = [max(_width(label), *(_width(cells[j]) for _, cells in rows)) for j, label in enumerate(labels)]
    first = max(_width(heads[-1][0]), *(_width(label) for label, _ in rows))
    if _takes([first, *widths]) <= _PHONE:
        return ""
    turned = [max(map(_width, [label, *cells])) for label, cells in rows]
    simple = len(heads) == 1 and len(groups) == 1
    if simple and _takes([max(map(_width, [heads[0][0], *labels])), *turned]) <= _PHONE:
        return "turned"
    return "stacked"


def _takes(widths):
    return sum(widths) + _PADDING * len(widths)


def _width(text):
    """Characters that a text takes at least: a number is not broken, words are, but not into single ones."""
    value, bracket = _split(text)
    if bracket:
        return max(len(value), len(bracket))
    if _NUMBER.fullmatch(text):
        return len(text)
    longest = max(map(len, re.split(r"[\s/]|(?<=-)", text)), default=0)
    return max(longest, min(len(text), 12))
