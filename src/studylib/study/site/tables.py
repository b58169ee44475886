"""Tables on a notebook's page: ours get a number, and plain frames of pandas become tables like ours.

Pandas prints a frame as it is stored. A reader wants "number of trees" for ``n_trees``, a mean with its
interval in one column, and on a phone no scrolling sideways. A notebook gets all that by
:func:`studylib.study.table`. For a frame that it shows without, the page reads what pandas printed.
"""

import re
from dataclasses import replace

from bs4 import BeautifulSoup

from studylib.study.cards.numbers import interval_texts, words
from studylib.study.cards.tables import MISSING, NUMBER, Frame, cell, markup

#: What pandas says of a frame that it shows in part.
_SIZE = re.compile(r"\d+ rows × \d+ columns")
_EMPTY = ("NaN", "nan", "None", "<NA>", "NaT", "")
_BRACKET = re.compile(rf"({NUMBER.pattern}) (\([^()]*\))")
_INTERVAL, _SPREAD = "low to high", "± standard deviation"


def tidy(soup, caption, number):
    """Number the tables of an output. Frames that pandas printed become tables of ours, any other stays.

    Names and entries of a frame with the class ``verbatim`` stay as they are.  The BeautifulSoup is changed
    in place.  The caption is for a frame that has none; ``number`` is how many tables the page had before,
    and what is returned how many it has now.
    """
    for printed in soup.select("table.dataframe"):
        frame = read(printed)
        if frame is None:
            continue
        title = printed.caption.get_text(" ", strip=True) if printed.caption else caption
        made = ready(frame, verbatim="verbatim" in printed["class"])
        printed.replace_with(BeautifulSoup(markup(made, title), "html.parser"))
        if (size := soup.find("p", string=_SIZE)) is not None:
            size.decompose()
    for style in soup("style"):
        if ".dataframe" in style.get_text():
            style.decompose()
    for table in soup.select("table.study-table:has(> caption)"):
        number += 1
        _set_number(soup, table, number)
    return number


def _set_number(soup, table, number):
    """Put a table of ours into a figure that scrolls, with a number before its caption."""
    caption = table.caption.extract()
    title = "".join(caption.find_all(string=True, recursive=False)).strip()  # without its note
    table["aria-label"] = f"Table {number}, {title}"
    caption.name = "figcaption"
    caption.insert(0, BeautifulSoup(f"<b>Table {number}.</b> ", "html.parser"))
    figure = table.wrap(soup.new_tag("figure", attrs={"class": "table", "id": f"table-{number}"}))
    table.wrap(soup.new_tag("div", attrs={"class": "scroll"}))
    figure.insert(0, caption)


def read(table):
    """The frame that pandas printed as this ``<table>``, cells as printed, or None if it has another form."""
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
    if (
        index == [""]
        and len(columns) > 1
        and [row[0] for row in rows] == [(str(k),) for k in range(len(rows))]
    ):
        index, rows = [], [((), cells) for _, cells in rows]  # these labels only count the rows
    return Frame(columns, index, rows, levels)


def _grid(part):
    """Rows of ``(tag, text)``, with cells that reach over several places in each of them."""
    grid, rows = {}, part.find_all("tr", recursive=False)
    for i, row in enumerate(rows):
        j = 0
        for tag in row.find_all(["th", "td"], recursive=False):
            while (i, j) in grid:
                j += 1
            content = tag.name, tag.get_text(" ", strip=True)
            for di in range(_span(tag, "rowspan")):
                for dj in range(_span(tag, "colspan")):
                    grid[i + di, j + dj] = content
    lines = [[] for _ in rows]
    for i, j in sorted(grid):
        if i < len(rows) and j == len(lines[i]):  # a row ends at its first gap
            lines[i].append(grid[i, j])
    return lines


def _span(tag, name):
    """Over how many places a cell reaches: as in a browser at most 1,000, and 1 where it is no number."""
    span = tag.get(name, "")
    return min(max(int(span), 1), 1000) if re.fullmatch(r"\d{1,9}", span) else 1


def ready(frame, verbatim=False):
    """A frame as pandas printed it, with words for names, and each value and its interval in one cell.

    Pandas prints six digits. A value and the ends of its interval are numbers that pandas printed, and no
    sentence of ours. So they are read as numbers, and get the digits that the interval supports. All other
    cells keep their digits.  ``verbatim``: names and entries are a user's, and stay.
    """
    readable, name = (str, str) if verbatim else (_readable, words)
    merged = _intervals(frame.columns)
    ends = {end for pair, _ in merged.values() for end in pair}
    kept = [j for j in range(len(frame.columns)) if j not in ends]
    hows = {how for _, how in merged.values()}
    in_note = len(merged) == len(kept) > 1 and hows == {_INTERVAL}
    columns = []
    for j in kept:
        *above, label = map(readable, frame.columns[j])
        how = f" ({merged[j][1]})" if j in merged and not in_note else ""
        columns.append((*above, label + how))
    rows = [
        (tuple(map(readable, labels)), [_cell(readable, cells, j, *merged.get(j, ())) for j in kept])
        for labels, cells in frame.rows
    ]
    return replace(
        frame,
        columns=columns,
        index=list(map(name, frame.index)),
        rows=rows,
        levels=list(map(name, frame.levels)),
        note=f"In brackets: {_INTERVAL}." if in_note else "",
    )


def _intervals(columns):
    """For the place of a column of values: the places of what goes into its brackets, and what that is."""
    merged, used = {}, set()
    place = {column: j for j, column in enumerate(columns)}
    for j, (*above, label) in enumerate(columns):
        tried = [((f"{label}{gap}low", f"{label}{gap}high"), _INTERVAL) for gap in (", ", " ")]
        if label == "mean":
            tried += [(("low", "high"), _INTERVAL), (("std",), _SPREAD)]
        for names, how in tried:
            ends = [place.get((*above, name)) for name in names]
            if None not in ends and not used & {j, *ends}:
                merged[j] = ends, how
                used |= {j, *ends}
    return merged


def _cell(readable, cells, j, ends=(), how=""):
    """A value and what stands in brackets behind it."""
    texts = [cells[j], *(cells[end] for end in ends)]
    if not ends or not set(texts).isdisjoint(_EMPTY):
        text = readable(texts[0])
        match = _BRACKET.fullmatch(text)
        return match.groups() if match else (text, "")
    try:
        value, *numbers = (float(text.replace(",", "")) for text in texts)
    except ValueError:  # texts, such as 12%
        return readable(texts[0]), f"({'± ' * (how == _SPREAD)}{' to '.join(map(readable, texts[1:]))})"
    if how == _INTERVAL:
        return cell(value, *numbers, bounds=(0,))
    value, _, spread = interval_texts(value, -numbers[0], numbers[0])
    return value, f"(± {spread})"


def _readable(text):
    """A label or a cell as it is read."""
    if text in _EMPTY:
        return MISSING if text else ""
    if text in ("True", "False"):
        return "yes" if text == "True" else "no"
    if re.fullmatch(r"-?\d{5,99}", text):
        text = f"{int(text):,}"
    return words(text)
