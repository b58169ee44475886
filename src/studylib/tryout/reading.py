"""Read a table from a CSV, Excel, Parquet or Arrow file, or say in one sentence why not."""

import re
from collections import Counter
from pathlib import Path

import pandas as pd

from studylib.tryout import files
from studylib.tryout.binary import read_columns, read_excel
from studylib.tryout.delimited import read_csv
from studylib.tryout.options import NO_OPTIONS
from studylib.tryout.phrases import near, several

_TOTAL = re.compile(r"(grand |sub)?totals?", re.I)


def read_table(path, target=None, options=NO_OPTIONS, names=()):
    """Read the table in a file; returns a DataFrame, and sentences about how it was read.

    Parquet, Arrow and Excel files are known by their first bytes; everything else is read as CSV, also
    packed.  Commas, semicolons, tabs and bars are recognised as separators, and colons, carets and blanks
    where none of these is; UTF-8 and Windows-1252 as encodings.  All columns of a CSV file are text, in which
    only an empty entry is missing.  Names of columns and the target's labels are trimmed; the target's name
    must be there once.  The target, or ``names``, show where the header is.  Raises ValueError if the file is
    missing, too large, or no such table.
    """
    path = Path(path).expanduser()
    _check_file(path)
    wanted = tuple(filter(None, names or [target]))
    try:
        kind, packed = files.kind_of(path)
    except (OSError, *files.UNPACKING) as error:
        raise files.unreadable(path, "", error) from error
    if options.sheet and kind != files.EXCEL and not names:
        raise ValueError(f"try: --sheet={options.sheet} was given, and {path} is no workbook of Excel.")
    limits = files.Limits(path, options, packed)
    limits.check(path.stat().st_size)
    remarks = []
    if kind in (files.PARQUET, files.ARROW):
        frame = read_columns(path, kind, limits)
        frame.columns = _unique(path, [str(name).strip() for name in frame.columns], target, remarks)
        return frame, remarks
    if kind == files.EXCEL:
        frame, found = read_excel(path, wanted, options, remarks, limits)
    else:
        frame, found = read_csv(path, wanted, options, remarks, limits)
    frame.columns = _unique(path, found.names, target, remarks)
    frame = _without_headers(frame, found, remarks)
    return _without_totals(frame, target, remarks).infer_objects(), remarks


def _without_headers(frame, found, remarks):
    """The frame without lines of the header that come again below, as in files put behind one another."""
    again = pd.Series(False, frame.index)
    for line in found.header:
        if len(line) == frame.shape[1]:
            alike = frame[frame.iloc[:, 0].fillna("").astype(str).str.strip() == line[0]]
            alike = alike.fillna("").astype(str).apply(lambda column: column.str.strip())
            again[alike.index] |= (alike == line).all(axis=1)
    if again.any():
        remarks.append(f"Left out: {several(again.sum(), 'line')} like the header, between the rows.")
        frame = frame[~again].reset_index(drop=True)
    return frame


def _without_totals(frame, target, remarks):
    """The frame without sums and notes below its rows."""
    n = len(frame)
    while len(frame) > 1:
        last = frame.iloc[-1].dropna()
        total = any(
            _TOTAL.fullmatch(str(entry).strip()) and entry not in set(frame[name].iloc[:-1])
            for name, entry in last.items()
        )
        note = frame.shape[1] > 2 and set(last.index) <= {frame.columns[0]} - {target}
        if not total and not note:
            break
        frame = frame.iloc[:-1]
    if len(frame) < n:
        remarks.append(f"Left out: {several(n - len(frame), 'row')} below the table, with totals or notes.")
    return frame


def _unique(path, names, target, remarks):
    """Names of which each is there once: a later one gets a number, as pandas gives it."""
    names = [name or f"Unnamed: {k}" for k, name in enumerate(names)]
    twice = sorted(name for name, n in Counter(names).items() if n > 1)
    if target in twice:
        raise ValueError(f"try: {path} has several columns called {target!r}; rename all but one.")
    found, times = [], Counter()
    for name in names:
        unique = name
        while times[name] and unique in names:
            unique = f"{name}.{times[name]}"
            times[name] += 1
        times[name] += not times[name]
        found.append(unique)
    if twice:
        first = next(new for new, name in zip(found, names, strict=True) if new != name)
        remarks.append(
            f"Duplicate column names: {', '.join(map(repr, twice))}; the later ones were read as "
            f"{first!r} and so on."
        )
    return found


def _check_file(path):
    if not path.exists():
        folder = path.parent
        if not folder.is_dir():
            raise ValueError(f"try: there is no file {path}, and no folder {folder}.")
        hint = near(path.name, [one.name for one in folder.iterdir() if one.is_file()])
        raise ValueError(f"try: there is no file {path}{hint or '.'}")
    if not path.is_file():
        raise ValueError(f"try: {path} is not a file; name a CSV, Excel or Parquet file.")
    if path.stat().st_size == 0:
        raise ValueError(f"try: {path} is empty.")
