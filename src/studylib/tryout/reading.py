"""Read a table from a CSV or Parquet file, or say in one sentence why not."""

import csv
import difflib
import gzip
import importlib.util
import re
import sys
import warnings
from collections import Counter
from pathlib import Path
from statistics import mode

import numpy as np
import pandas as pd

#: A larger file is refused before it is read: as a table it takes several times its size in memory.
MAX_BYTES = 500_000_000
#: Text shrinks to about a tenth.
MAX_BYTES_COMPRESSED = MAX_BYTES // 10
_PARQUET = (".parquet", ".pq")
_SAMPLE = 65_536  # bytes from which separator and header are told
_UTF_8 = "utf-8-sig"
_DELIMITERS = ",;\t|"
_TRAILING = "(behind the last delimiter)"
_THOUSANDS = r"[+-]?(?:\d+|[1-9]\d{0,2}\.\d{3})"


def read_table(path, target=None):
    """Read the table in a file; names of columns and the target's labels are trimmed.

    Parameters
    ----------
    path : path-like
        ``.parquet`` or ``.pq``; everything else is read as CSV, also compressed (``.gz``).  Commas,
        semicolons, tabs and bars are recognised as separators, UTF-8 and Windows-1252 as encodings.
    target : str, optional
        A column that is read as text, in which only an empty entry is missing: ``None`` may be a class.

    Returns
    -------
    frame : DataFrame
    remarks : list of str
        What a reader should know about how it was read, a sentence each.

    Raises
    ------
    ValueError
        If the file is missing, too large, or no such table.
    """
    path = Path(path).expanduser()
    _check_file(path)
    remarks = []
    if path.suffix.lower() in _PARQUET:
        frame = _read_parquet(path)
        frame.columns = _unique(path, [str(name).strip() for name in frame.columns], target, remarks)
    else:
        frame = _read_csv(path, target, remarks)
    return frame, remarks


def _unique(path, names, target, remarks):
    """Names of which each is there once: a later one gets a number, as pandas gives it."""
    names = [name or f"Unnamed: {k}" for k, name in enumerate(names)]
    twice = sorted(name for name, n in Counter(names).items() if n > 1)
    if target in twice:
        raise ValueError(f"try: {path} has several columns called {target!r}; rename all but one.")
    found, taken, times = [], set(names), Counter()
    for name in names:
        unique = name
        while times[name] and unique in taken:
            unique = f"{name}.{times[name]}"
            times[name] += 1
        times[name] += not times[name]
        taken.add(unique)
        found.append(unique)
    if twice:
        first = next(new for new, name in zip(found, names, strict=True) if new != name)
        remarks.append(
            f"Duplicate column names: {', '.join(map(repr, twice))}; the later ones were read as "
            f"{first!r} and so on."
        )
    return found


def several(n, noun, nouns=None):
    """A number of things, ``"1 row"`` or ``"1,200 rows"``."""
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def near(name, known):
    """``"; did you mean 'a' or 'b'?"``, or an empty string if nothing is like ``name``."""
    folded = {str(one).casefold(): str(one) for one in known}
    found = [folded[one] for one in difflib.get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.6)]
    return f"; did you mean {' or '.join(map(repr, found))}?" if found else ""


def _check_file(path):
    if not path.exists():
        folder = path.parent
        if not folder.is_dir():
            raise ValueError(f"try: there is no file {path}, and no folder {folder}.")
        hint = near(path.name, [one.name for one in folder.iterdir() if one.is_file()])
        raise ValueError(f"try: there is no file {path}{hint or '.'}")
    if not path.is_file():
        raise ValueError(f"try: {path} is not a file; name a CSV or Parquet file.")
    size = path.stat().st_size
    if size == 0:
        raise ValueError(f"try: {path} is empty.")
    limit = MAX_BYTES_COMPRESSED if path.suffix.lower() == ".gz" else MAX_BYTES
    if size > limit:
        raise ValueError(
            f"try: {path} has {_bytes(size)}, and at most {_bytes(limit)} are read; draw a sample of its "
            f"rows first, for example: (head -n 1 {path.name}; tail -n +2 {path.name} | shuf -n 100000) "
            "> sample.csv"
        )


def _bytes(n):
    return f"{n / 1e9:.1f} GB" if n >= 1e9 else f"{n / 1e6:.0f} MB"


def _read_parquet(path):
    if importlib.util.find_spec("pyarrow") is None:
        raise ValueError(
            f"try: {path} is a Parquet file, and to read it the package pyarrow is needed; run "
            f"`{sys.executable} -m pip install pyarrow`, or save the table as CSV."
        )
    try:
        frame = pd.read_parquet(path, engine="pyarrow")
        return frame.reset_index(drop=all(name is None for name in frame.index.names))
    except (OSError, ValueError) as error:  # pyarrow's errors are both
        raise ValueError(f"try: {path} cannot be read as Parquet: {_first_line(error)}.") from error


def _read_csv(path, target, remarks):
    try:
        delimiter, above, rows = _looked_at(path)
        frame, encoding = _frame(path, delimiter, above, rows, target, remarks)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise ValueError(
            f"try: {path} cannot be read as CSV: {_first_line(error)}; every line must have as many fields "
            "as the header."
        ) from error
    except (UnicodeError, pd.errors.EmptyDataError, csv.Error, EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"try: {path} cannot be read as CSV: {_first_line(error)}.") from error
    except OSError as error:
        raise ValueError(f"try: {path} cannot be read: {error.strerror or _first_line(error)}.") from error
    if encoding != _UTF_8:
        remarks.append("The file is not UTF-8; it was read as Windows-1252, so check names with accents.")
    return frame


def _frame(path, delimiter, above, rows, target, remarks):
    """The frame and the encoding that it was read in."""
    for encoding in (_UTF_8, "cp1252"):
        options = {"sep": delimiter, "encoding": encoding, "skipinitialspace": True, "skiprows": above}
        try:
            header = pd.read_csv(path, header=None, nrows=1, dtype=str, keep_default_na=False, **options)
            said = []
            names, trailing = _named(path, [name.strip() for name in header.iloc[0]], rows, target, said)
            options |= {"header": 0, "names": names, "index_col": False, "low_memory": False}
            with warnings.catch_warnings():
                warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop the surplus fields
                frame = pd.read_csv(path, **options)
        except UnicodeDecodeError as error:
            problem = error
            continue
        if trailing and frame.pop(names[-1]).notna().any():
            raise pd.errors.ParserError("Some lines have more fields than the header")
        _read_again(path, frame, target, options)
        remarks += said
        return frame, encoding
    raise problem


def _named(path, header, rows, target, said):
    """Names for all columns of the file, and whether the last is but a delimiter at the end of each line."""
    widths = [len(row) for row in rows] or [len(header)]
    more = mode(widths) - len(header)
    trailing = more == 1 and all(row[-1] == "" for row in rows if len(row) > len(header))
    if trailing:
        said.append("Each line but the header ends with a delimiter, which was ignored.")
        return [*_unique(path, header, target, said), _TRAILING], True
    if more > 0:
        header = ["(row)", *(f"(row {k})" for k in range(2, more + 1)), *header]
        columns = several(more, "column")
        said.append(f"The rows have {columns} more than the header has names; the first is called '(row)'.")
    return _unique(path, header, target, said), False


def _read_again(path, frame, target, options):
    """Put the text of the file where its meaning is not certain: labels, and numbers such as 1.200."""
    floats = frame.select_dtypes("float64")
    values = floats.to_numpy()
    with np.errstate(over="ignore"):  # what is too large to be rounded is none of them
        grouped = (abs(values) >= 1) & (abs(values) < 1000) & (values == values.round(3))
    fit = grouped | (values == values.round()) | np.isnan(values)
    maybe = list(floats.columns[fit.all(axis=0) & grouped.any(axis=0)])
    names = [*maybe, *([target] if target in frame and target not in maybe else [])]
    if not names:
        return
    texts = pd.read_csv(path, **options, usecols=names, dtype=str, keep_default_na=False)
    for name in names:
        text = texts[name].str.strip()
        if name == target:
            frame[name] = text.where(text != "", None)
        elif text[frame[name].notna()].str.fullmatch(_THOUSANDS).all():
            frame[name] = text.where(frame[name].notna(), None)


def _looked_at(path):
    """Delimiter, lines above the header, and the first rows below it, from the first bytes."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        sample = file.read(_SAMPLE)
    if b"\0" in sample:
        raise ValueError(f"try: {path} is a binary file (or UTF-16 text); save the table as CSV in UTF-8.")
    lines = sample.decode(_UTF_8, "replace").splitlines()[:50]
    excel = re.fullmatch('"?sep=(.)"?', lines[0]) if lines else None  # a line that Excel writes
    if excel:
        delimiter, lines = excel[1], lines[1:]
    else:
        delimiter = max(_DELIMITERS, key=lambda one: _consistency(lines, one))
    rows = [row for row in _rows(lines, delimiter) if row]
    return delimiter, 1 if excel else 0, rows[1:]


def _rows(lines, delimiter):
    """The fields of each line but the last, which may be cut."""
    return csv.reader(lines[:-1] or lines, delimiter=delimiter, skipinitialspace=True)


def _consistency(lines, delimiter):
    """How well a delimiter explains some lines: the lines with as many fields as the header, then these."""
    rows = [len(row) for row in _rows(lines, delimiter)]
    return (0, 0) if not rows or rows[0] < 2 else (rows.count(rows[0]), rows[0])


def _first_line(error):
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
