"""Read a table from a CSV or Parquet file, or say in one sentence why not."""

import csv
import difflib
import gzip
import importlib.util
import sys
from pathlib import Path

import pandas as pd

#: A larger file is refused before it is read: as a table it takes several times its size in memory.
MAX_BYTES = 500_000_000
#: Text shrinks to about a tenth.
MAX_BYTES_COMPRESSED = MAX_BYTES // 10
_PARQUET = (".parquet", ".pq")
_SAMPLE = 65_536  # bytes from which separator and header are told
_UTF_8 = "utf-8-sig"
_DELIMITERS = ",;\t|"


def read_table(path):
    """Read the table in a file; only the names of its columns are trimmed.

    Parameters
    ----------
    path : path-like
        ``.parquet`` or ``.pq``; everything else is read as CSV, also compressed (``.gz``).  Commas,
        semicolons, tabs and bars are recognised as separators, UTF-8 and Windows-1252 as encodings.

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
    if path.suffix.lower() in _PARQUET:
        frame, remarks = _read_parquet(path), []
    else:
        frame, remarks = _read_csv(path)
    frame.columns = [str(name).strip() for name in frame.columns]
    return frame, remarks


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
        return pd.read_parquet(path, engine="pyarrow").reset_index(drop=True)
    except (OSError, ValueError) as error:  # pyarrow's errors are both
        raise ValueError(f"try: {path} cannot be read as Parquet: {_first_line(error)}.") from error


def _read_csv(path):
    try:
        delimiter, header = _looked_at(path)
        frame, encoding = _frame(path, delimiter)
    except pd.errors.ParserError as error:
        raise ValueError(
            f"try: {path} cannot be read as CSV: {_first_line(error)}; every line must have as many fields "
            "as the header."
        ) from error
    except (UnicodeError, pd.errors.EmptyDataError, csv.Error, EOFError, gzip.BadGzipFile) as error:
        raise ValueError(f"try: {path} cannot be read as CSV: {_first_line(error)}.") from error
    except OSError as error:
        raise ValueError(f"try: {path} cannot be read: {error.strerror or _first_line(error)}.") from error
    remarks = []
    if encoding != _UTF_8:
        remarks.append("The file is not UTF-8; it was read as Windows-1252, so check names with accents.")
    if not isinstance(frame.index, pd.RangeIndex):  # pandas takes a first column without a name for it
        more = frame.index.nlevels
        frame = frame.reset_index(names=["(row)", *(f"(row {k})" for k in range(2, more + 1))])
        remarks.append(
            f"The header has {more} {'name' if more == 1 else 'names'} less than there are columns; the "
            "first is called '(row)'."
        )
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        remarks.append(
            f"Duplicate column names: {', '.join(map(repr, twice))}; the later ones were read as "
            f"{twice[0] + '.1'!r} and so on."
        )
    return frame, remarks


def _frame(path, delimiter):
    """The frame and the encoding that it was read in."""
    for encoding in (_UTF_8, "cp1252"):
        try:
            options = {"sep": delimiter, "encoding": encoding, "low_memory": False, "skipinitialspace": True}
            return pd.read_csv(path, **options), encoding
        except UnicodeDecodeError as error:
            problem = error
    raise problem


def _looked_at(path):
    """Delimiter and header, from the first bytes."""
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        sample = file.read(_SAMPLE)
    if b"\0" in sample:
        raise ValueError(f"try: {path} is a binary file (or UTF-16 text); save the table as CSV in UTF-8.")
    lines = sample.decode(_UTF_8, "replace").splitlines()[:50]
    delimiter = max(_DELIMITERS, key=lambda one: _consistency(lines, one))
    header = next(csv.reader(lines, delimiter=delimiter), [])
    return delimiter, [name.strip() for name in header]


def _consistency(lines, delimiter):
    """How well a delimiter explains some lines: the lines with as many fields as the header, then these."""
    rows = [len(row) for row in csv.reader(lines[:-1] or lines, delimiter=delimiter)]
    return (0, 0) if not rows or rows[0] < 2 else (rows.count(rows[0]), rows[0])


def _first_line(error):
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
