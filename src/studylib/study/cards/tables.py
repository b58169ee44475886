"""Tables for a notebook, its page and a phone: words for names, a value and its interval in one cell."""

import re
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np

from studylib.study.cards import environment
from studylib.study.cards.numbers import interval_texts, number_text, words

MISSING = "–"
#: A number as it is printed.
NUMBER = re.compile(r"[-−+]?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:e[-+−]?\d+)?%?")
#: Characters of a table's small type that fit a phone's width, and those that a column's padding takes.
_PHONE, _PADDING = 44, 1.6
#: A table of more columns than this, and of at most so many rows, changes rows and columns.
_MANY_COLUMNS, _FEW_ROWS = 12, 6


@dataclass
class Frame:
    """A table in texts that are ready to read.

    ``columns`` has for each column its labels, by level, and ``levels`` the names of the levels.  A row has
    its labels, by level, and its cells: pairs of a value and what follows it in brackets.  ``index`` names
    the levels of the row labels; without any, the first column labels the rows.  ``note`` goes with the
    caption.
    """

    columns: list[tuple[str, ...]]
    index: list[str]
    rows: list[tuple[tuple[str, ...], list[tuple[str, str]]]]
    levels: list[str] = field(default_factory=list)
    note: str = ""


@dataclass(frozen=True, repr=False)
class Table:
    """A table that shows itself in a notebook; :func:`table` makes it."""

    frame: Frame
    caption: str

    def _repr_html_(self):
        return markup(self.frame, self.caption)

    def __repr__(self):
        frame, n = self.frame, len(self.frame.index)
        lines = []
        for level in range(len(frame.levels)):
            names = frame.index if level == len(frame.levels) - 1 else [""] * n
            lines.append([*names, *(column[level] for column in frame.columns)])
        lines += [[*labels, *(" ".join(filter(None, c)) for c in cells)] for labels, cells in frame.rows]
        widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
        first = [f"<{width}" for width in widths[: max(n, 1)]]  # what labels the rows
        forms = first + [f">{width}" for width in widths[len(first) :]]
        texts = ["  ".join(map(format, line, forms)).rstrip() for line in lines]
        return "\n".join([self.caption, "", *texts])


def table(frame, caption, intervals=None, bounds=()):
    """A table for readers: each value with its interval in one cell, in the digits that this supports.

    A number without an interval has four digits, a missing one is a dash, and a truth value is yes or no.
    Names out of code become words: ``n_trees`` is the number of trees. If rows are only counted, the first
    column labels them. On a page of the report the table has a number, and is laid out anew for phones.

    Parameters
    ----------
    frame : pandas.DataFrame
    caption : str
        What the table shows, and what its intervals are.
    intervals : dict, optional
        For each column of values its columns of low and high ends, ``{"mean": ("low", "high")}``. A column of
        several levels is a tuple.
    bounds : sequence of float
        What intervals are compared with, such as 0: an end that differs from a bound does so as printed, too.

    Returns
    -------
    Table
        A notebook shows it as HTML, ``print`` as plain text.

    Raises
    ------
    ValueError
        If `intervals` does not name columns of the frame, each once.

    Examples
    --------
    >>> import pandas as pd
    >>> from studylib.study import table
    >>> found = pd.DataFrame(
    ...     {"error": [12.3456, 11.9], "low": [11.1, 11.7], "high": [13.6, 12.1], "n_trees": [1000, 50]},
    ...     index=["forest", "boosting"],
    ... )
    >>> table(found, "Errors in %, with 95% intervals.", intervals={"error": ("low", "high")})
    Errors in %, with 95% intervals.
    <BLANKLINE>
                            error  number of trees
    forest    12.3 (11.1 to 13.6)            1,000
    boosting  11.9 (11.7 to 12.1)               50
    """
    names = frame.columns.tolist()
    place = _places(names, intervals or {})
    values = [frame.iloc[:, j].tolist() for j in range(len(names))]
    ends = {end for pair in place.values() for end in pair}
    kept = [j for j in range(len(names)) if j not in ends]
    columns = []
    for j in kept:
        parts = [values[j], *(values[end] for end in place.get(j, ()))]
        columns.append([cell(*row, bounds=bounds) for row in zip(*parts, strict=True)])
    labels, index = _labels(frame.index), _names(frame.index)
    if len(kept) > 1 and index == [""] and list(frame.index) == list(range(len(frame))):
        labels, index = [()] * len(frame), []
    rows = [(labels[i], [column[i] for column in columns]) for i in range(len(frame))]
    all_labels = _labels(frame.columns)
    return Table(Frame([all_labels[j] for j in kept], index, rows, _names(frame.columns)), caption)


def cell(value, low=None, high=None, bounds=()):
    """Texts of a value and, if both ends are known, of its interval in brackets; else ``""``."""
    if any(map(_is_missing, (value, low, high))):
        return _text(value), ""
    value, low, high = interval_texts(value, low, high, bounds)
    return value, f"({low} to {high})"


def markup(frame, caption):
    """The HTML of a Frame: readable as it is, and with all that a page needs to lay it out."""
    frame = _with_labels(_without_a_single_label(frame))
    if len(frame.columns) > _MANY_COLUMNS and len(frame.rows) <= _FEW_ROWS and len(frame.index) == 1:
        frame = _transposed(frame)
    groups, heads = _groups(frame), _heads(frame)
    grouped = any(heading for heading, _ in groups)
    labels = [", ".join(dict.fromkeys(filter(None, column))) for column in frame.columns]
    n_lines = len(frame.columns) + 1
    phone = _on_a_phone(heads, labels, groups)
    classes = ["study-table", "data", phone, "grouped" * grouped, "dense" * (n_lines > 9)]
    template = environment().get_template("table.html.j2")
    return template.render(
        caption=caption,
        note=frame.note,
        classes=" ".join(filter(None, classes)),
        stacked=phone == "stacked",
        heads=heads,
        labels=labels,
        numeric=[all(_is_number(cells[j][0]) for _, cells in frame.rows) for j in range(n_lines - 1)],
        groups=groups,
        n_rows=len(frame.rows),
        n_lines=n_lines,
    ).strip()


def _places(names, intervals):
    """For the place of each column of values, the places of its low and high ends."""
    if not all(isinstance(ends, (tuple, list)) and len(ends) == 2 for ends in intervals.values()):
        raise ValueError("intervals must give a (low, high) pair of columns for each column of values.")
    used = [name for value, ends in intervals.items() for name in (value, *ends)]
    for name in used:
        if names.count(name) != 1 or used.count(name) != 1:
            raise ValueError(
                f"intervals must name columns of the frame, each once, and {name!r} is not so; "
                f"the columns are {', '.join(map(repr, names))}."
            )
    return {names.index(value): tuple(map(names.index, ends)) for value, ends in intervals.items()}


def _labels(index):
    return [
        tuple(words(_text(text)) for text in (label if index.nlevels > 1 else (label,)))
        for label in index.tolist()
    ]


def _names(index):
    return ["" if name is None else words(str(name)) for name in index.names]


def _is_missing(value):
    import pandas as pd  # takes half a second, and pages need only the layout

    return pd.api.types.is_scalar(value) and pd.isna(value)


def _text(value):
    if _is_missing(value):
        return MISSING
    value = value.item() if isinstance(value, np.generic) else value
    return number_text(value) if isinstance(value, (bool, int, float)) else str(value)


def _without_a_single_label(frame):
    """The frame with a last level of columns that all have in common in its note instead."""
    if len(frame.levels) < 2 or len({column[-1] for column in frame.columns}) != 1:
        return frame
    note = " ".join(filter(None, [f"{frame.columns[0][-1]}.", frame.note]))
    return replace(
        frame, columns=[column[:-1] for column in frame.columns], levels=frame.levels[:-1], note=note
    )


def _with_labels(frame):
    """The frame with its first column as labels of its rows, if these have none."""
    if frame.index or not frame.columns:
        return frame
    rows = [((" ".join(filter(None, cells[0])),), cells[1:]) for _, cells in frame.rows]
    return replace(frame, columns=frame.columns[1:], index=[frame.columns[0][-1]], rows=rows)


def _transposed(frame):
    columns = [labels for labels, _ in frame.rows]
    rows = [
        ((", ".join(filter(None, column)),), [cells[j] for _, cells in frame.rows])
        for j, column in enumerate(frame.columns)
    ]
    return replace(frame, columns=columns, index=[frame.levels[-1]], rows=rows, levels=[frame.index[-1]])


def _groups(frame):
    """Rows under the outer levels of their labels: ``(heading, [(label, cells), ...])``."""
    groups = [(key, list(rows)) for key, rows in groupby(frame.rows, key=lambda row: row[0][:-1])]
    if len(frame.index) < 2 or len(groups) * 2 > len(frame.rows):  # groups of one row are no groups
        return [("", [(", ".join(filter(None, labels)), cells) for labels, cells in frame.rows])]
    return [
        (_heading(key, frame.index), [(labels[-1], cells) for labels, cells in rows]) for key, rows in groups
    ]


def _heading(labels, names):
    """Outer labels as a heading: a number with the name of what it is a number of."""
    labelled = [
        f"{name} {label}" if name and NUMBER.fullmatch(label) else label
        for label, name in zip(labels, names, strict=False)
    ]
    return ", ".join(filter(None, labelled))


def _heads(frame):
    """Rows of the head: the corner, and ``(label, n)`` for labels over n columns each."""
    heads, name = [], frame.index[-1] if frame.index else ""
    for level, level_name in enumerate(frame.levels):
        runs = [
            (label, len(list(run)))
            for (*_, label), run in groupby(frame.columns, key=lambda column: column[: level + 1])
        ]
        last = level == len(frame.levels) - 1
        corner = " / ".join(filter(None, dict.fromkeys([name, level_name] if last else [level_name])))
        heads.append((corner, runs))
    return heads


def _is_number(text):
    return bool(NUMBER.match(text)) or text in ("", MISSING, "yes", "no")


def _on_a_phone(heads, labels, groups):
    """How a table is laid out on a phone: as it is (""), turned, or with each row as a block of its own."""
    rows = [row for _, rows in groups for row in rows]
    widths = [
        max([_width(label), *(_width(*cells[j]) for _, cells in rows)]) for j, label in enumerate(labels)
    ]
    first = max([_width(heads[-1][0]), *(_width(label) for label, _ in rows)])
    if _takes([first, *widths]) <= _PHONE:
        return ""
    turned = [max([_width(label), *(_width(*cell) for cell in cells)]) for label, cells in rows]
    simple = len(heads) == 1 and len(groups) == 1
    if simple and _takes([max(map(_width, [heads[0][0], *labels])), *turned]) <= _PHONE:
        return "turned"
    return "stacked"


def _takes(widths):
    return sum(widths) + _PADDING * len(widths)


def _width(text, bracket=""):
    """Characters that a text takes at least: a number is not broken, words are, but not into single ones."""
    if bracket or NUMBER.fullmatch(text):
        return max(len(text), len(bracket))
    longest = max(map(len, re.split(r"[\s/]|(?<=-)", text)), default=0)
    return max(longest, min(len(text), 12))
