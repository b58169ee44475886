"""Read a table from a CSV, Excel or Parquet file, or say in one sentence why not."""

import codecs
import csv
import difflib
import gzip
import importlib.util
import io
import re
import sys
import warnings
import zipfile
import zlib
from collections import Counter
from itertools import islice
from pathlib import Path
from statistics import mode

import pandas as pd

from studylib.tryout.encodings import encoding_of
from studylib.tryout.escapes import as_file, in_shell
from studylib.tryout.options import MAX_FILE_MB, MAX_FILE_ROWS, NO_OPTIONS

#: pandas takes about ten kilobytes for each.
MAX_COLUMNS = 100_000
_PARQUET, _EXCEL = (".parquet", ".pq"), (".xlsx", ".xlsm")
_OLD_EXCEL = b"\xd0\xcf\x11\xe0"
_PACKED = (".gz", ".zip")
_CHUNK = 1_000_000  # bytes that are unpacked at a time
_SAMPLE = 65_536  # bytes from which separator and header are told
_LOOKED_AT = 50  # lines of them
_UTF_8 = "utf-8-sig"
_UTF_16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_ENCODINGS = {"cp1252": "Windows-1252", "cp1250": "Windows-1250", "gb18030": "GB 18030"}
_UNPACKING = (gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, RuntimeError)
_DELIMITERS, _RARE_DELIMITERS = ",;\t|", ":^ "
_TRAILING = "(behind the last delimiter)"
_TOTAL = re.compile(
    r"(grand |sub)?totals?|sums?|summe|gesamt(summe)?|insgesamt|somme|totale?|totaal|suma", re.I
)


class _TooLarge(ValueError):
    """A file is larger than the options allow."""


def read_table(path, target=None, options=NO_OPTIONS):
    """Read the table in a file; returns a DataFrame, and sentences about how it was read.

    ``.parquet``, ``.pq`` and ``.xlsx`` are known; everything else is read as CSV, also packed (``.gz``,
    ``.zip``).  Commas, semicolons, tabs and bars are recognised as separators, and colons, carets and blanks
    where none of these is; UTF-8 and Windows-1252 as encodings.  All columns of a CSV file are text, in which
    only an empty entry is missing.  Names of columns and the target's labels are trimmed; the target's name
    must be there once.  Raises ValueError if the file is missing, too large, or no such table.
    """
    path = Path(path).expanduser()
    limits = _Limits(path, options)
    _check_file(path)
    limits.check(path.stat().st_size)
    remarks = []
    suffix = path.suffix.lower()
    if suffix in _PARQUET:
        frame = _read_parquet(path, limits)
        frame.columns = _unique(path, [str(name).strip() for name in frame.columns], target, remarks)
        return frame, remarks
    if suffix in _EXCEL:
        frame = _read_excel(path, target, remarks, limits)
    else:
        frame = _read_csv(path, target, options, remarks, limits)
    return _without_totals(frame, target, remarks).infer_objects(), remarks


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


def several(n, noun, nouns=None):
    """A number of things, ``"1 row"`` or ``"1,200 rows"``."""
    return f"{n:,} {noun if n == 1 else nouns or noun + 's'}"


def number(value):
    """A number in six digits, ``"33,112,000"`` and not ``"3.3112e+07"``; years have no comma."""
    if not 10_000 <= abs(value) < 1e15:
        return f"{value:.6g}"
    return f"{value:,.{1 if abs(value) < 100_000 else 0}f}".removesuffix(".0")


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
    if path.stat().st_size == 0:
        raise ValueError(f"try: {path} is empty.")


class _Limits:
    """What a file may have, unpacked: a small one may grow to more than the memory holds."""

    def __init__(self, path, options):
        self._path, self._plain = path, path.suffix.lower() not in (*_PACKED, *_PARQUET, *_EXCEL)
        self._mb = options.max_file_mb or MAX_FILE_MB
        self._rows = options.max_file_rows or MAX_FILE_ROWS

    def check(self, n_bytes=0, n_rows=0, n_columns=0):
        """Raise _TooLarge if that is more."""
        if n_bytes > 1_000_000 * self._mb:
            unpacked = "" if self._plain else " when it is unpacked"
            self._refuse(f"{self._mb:,} MB{unpacked}", "--max-file-mb")
        if n_rows > self._rows:
            self._refuse(several(self._rows, "row"), "--max-file-rows")
        if n_columns > MAX_COLUMNS:
            raise _TooLarge(
                f"try: {self._path} has more than {MAX_COLUMNS:,} columns; choose some of them first."
            )

    def _refuse(self, limit, option):
        name = in_shell(as_file(self._path.name))
        example = f", for example: (head -n 1 {name}; tail -n +2 {name} | shuf -n 100000) > sample.csv"
        raise _TooLarge(
            f"try: {self._path} has more than {limit}, the limit that {option} sets; draw a sample of its "
            f"rows first{example if self._plain else '.'}"
        )


def _read_parquet(path, limits):
    if importlib.util.find_spec("pyarrow") is None:
        raise ValueError(
            f"try: {path} is a Parquet file, and to read it the package pyarrow is needed; run "
            f"`{sys.executable} -m pip install pyarrow`, or save the table as CSV."
        )
    from pyarrow.parquet import read_metadata

    try:
        found = read_metadata(path)
        groups = [found.row_group(k) for k in range(found.num_row_groups)]
        limits.check(sum(group.total_byte_size for group in groups), found.num_rows, found.num_columns)
        # A value that repeats itself takes no byte in the file, and eight in the table; a list has several.
        columns = (group.column(k) for group in groups for k in range(group.num_columns))
        limits.check(8 * sum(column.num_values for column in columns))
        frame = pd.read_parquet(path, engine="pyarrow")
        return frame.reset_index(drop=all(name is None for name in frame.index.names))
    except _TooLarge:
        raise
    except (OSError, ValueError) as error:  # pyarrow's errors are both
        raise ValueError(f"try: {path} cannot be read as Parquet: {_first_line(error)}.") from error


def _read_excel(path, target, remarks, limits):
    if importlib.util.find_spec("openpyxl") is None:
        raise ValueError(
            f"try: {path} is an Excel file, and to read it the package openpyxl is needed; run "
            f"`{sys.executable} -m pip install openpyxl`, or save the table as CSV."
        )
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(sum(part.file_size for part in archive.infolist()))  # no more are unpacked
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            for sheet in book.book.worksheets[:1]:
                _watch(sheet, limits)
            frame = pd.read_excel(book, header=None).dropna(how="all").dropna(axis=1, how="all")
    except _TooLarge:
        raise
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"try: {path} cannot be read as Excel: {_first_line(error)}.") from error
    if frame.empty:
        raise ValueError(f"try: the first sheet of {path}, {sheets[0]!r}, is empty.")
    if len(sheets) > 1:
        remarks.append(f"The file has {len(sheets)} sheets; the first was read, {sheets[0]!r}.")
    rows = frame.iloc[:_LOOKED_AT].astype(object).fillna("").astype(str).to_numpy().tolist()
    above = _n_above(rows, frame.shape[1])
    if above:
        remarks.append(_said_above(above, rows[:above]))
    header = [name.strip() for name in rows[above]]
    frame = frame.iloc[above + 1 :].reset_index(drop=True)
    frame.columns = _unique(path, header, target, remarks)
    return frame


def _watch(sheet, limits):
    """Check a sheet while it is read: all rows become as wide as the widest, and a cell may be far away."""
    cells_by_row = sheet._cells_by_row

    def checked(*args, **kwargs):
        n_rows = width = 0
        for n, row in enumerate(cells_by_row(*args, **kwargs), 1):
            used = max((k for k, cell in enumerate(row, 1) if cell.value is not None), default=0)
            n_rows, width = n if used else n_rows, max(width, used)
            limits.check(8 * n_rows * width, n)
            yield row

    sheet._cells_by_row = checked


def _read_csv(path, target, options, remarks, limits):
    try:
        _check_unpacked(path, limits)
        encoding, *looked_at = _looked_at(path, options, remarks)
        _check_header(path, encoding, *looked_at[:2], limits)
        try:
            return _frame(path, encoding, *looked_at, target, remarks)
        except UnicodeDecodeError:
            if encoding != _UTF_8:
                raise
        with _opened(path) as file:
            encoding = encoding_of(path, file)
        remarks.append(
            f"The file is not UTF-8; it was read as {_ENCODINGS[encoding]}, so check names with accents, or "
            "name the encoding with --encoding."
        )
        return _frame(path, encoding, *looked_at, target, remarks)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise ValueError(
            f"try: {path} cannot be read as CSV: {_first_line(error)}; every line must have as many fields "
            "as the header."
        ) from error
    except (UnicodeError, pd.errors.EmptyDataError, csv.Error, EOFError, *_UNPACKING) as error:
        raise ValueError(f"try: {path} cannot be read as CSV: {_first_line(error)}.") from error
    except OSError as error:
        raise ValueError(f"try: {path} cannot be read: {error.strerror or _first_line(error)}.") from error


def _check_unpacked(path, limits):
    """Raise _TooLarge before anything is kept in memory."""
    n_bytes = n_lines = 0
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            n_bytes += len(chunk)
            n_lines += chunk.count(b"\n")
            limits.check(n_bytes, n_lines - 1)


def _check_header(path, encoding, delimiter, above, limits):
    with io.TextIOWrapper(_opened(path), encoding, errors="replace", newline="") as file:
        rows = csv.reader(islice(file, above, None), delimiter=delimiter, skipinitialspace=True)
        limits.check(n_columns=len(next(filter(None, rows), [])))


def _frame(path, encoding, delimiter, above, rows, target, remarks):
    options = {"sep": delimiter, "encoding": encoding, "skipinitialspace": True, "skiprows": above}
    with _opened(path) as file:
        header = pd.read_csv(file, header=None, nrows=1, dtype=str, keep_default_na=False, **options)
    said = []
    names, trailing = _named(path, [name.strip() for name in header.iloc[0]], rows, target, said)
    options |= {"header": 0, "names": names, "index_col": False}
    options |= {"dtype": str, "keep_default_na": False, "na_values": [""]}
    with warnings.catch_warnings(), _opened(path) as file:
        warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop the surplus fields
        frame = pd.read_csv(file, **options)
    if trailing and frame.pop(names[-1]).notna().any():
        raise pd.errors.ParserError("Some lines have more fields than the header")
    remarks += said
    return frame


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


def _looked_at(path, options, remarks):
    """Encoding, delimiter, lines above the header and the first rows below it, from the first bytes."""
    with _opened(path) as file:
        sample = file.read(_SAMPLE)
    encoding = options.encoding or ("utf-16" if sample.startswith(_UTF_16_MARKS) else _UTF_8)
    if b"\0" in sample and encoding == _UTF_8:
        wide = sample.count(0) > 0.4 * len(sample) and not sample.startswith(_OLD_EXCEL)
        text = "UTF-16 text without its mark; say --encoding=utf-16-le or utf-16-be"
        what = text if wide else "a binary file; save the table as CSV in UTF-8"
        raise ValueError(f"try: {path} is {what}.")
    try:
        lines = sample.decode(encoding, "replace").splitlines()[:_LOOKED_AT]
    except LookupError as error:
        raise ValueError(f"try: --encoding={options.encoding} is not known.") from error
    if lines and lines[0].lower().startswith("@relation"):
        raise ValueError(f"try: {path} is an ARFF file; save the table as CSV with a header.")
    excel = re.fullmatch('"?sep=(.)"?', lines[0]) if lines else None  # a line that Excel writes
    lines = lines[1:] if excel else lines
    delimiter = {"tab": "\t", "\\t": "\t"}.get(options.sep, options.sep)
    delimiter = delimiter or (excel[1] if excel else _delimiter(lines))
    if len(delimiter) != 1:
        raise ValueError(f"try: --sep must be one character, got {delimiter!r}.")
    reader = _rows(lines, delimiter)
    rows = [(reader.line_num, row) for row in reader if row]
    width = mode([len(row) for _, row in rows] or [1])
    titles = _n_above([row for _, row in rows], width)
    above = rows[titles - 1][0] if titles else 0
    if above:
        remarks.append(_said_above(above, [row for _, row in rows[:titles]]))
    return encoding, delimiter, above + bool(excel), [row for _, row in rows[titles + 1 :]]


def _n_above(rows, width):
    """How many of the first rows are text above the header."""
    n = 0
    while (
        n < len(rows) - 2 and rows[n][0] and not any(rows[n][1:]) and (len(rows[n]) == 1 < width or width > 2)
    ):
        n += 1
    return n


def _said_above(n, titles):
    text = " ".join(row[0].strip() for row in titles)
    return f"Above the header, {several(n, 'line')} of text: {text!r:.60}."


def _opened(path):
    """The bytes of a file, unpacked."""
    suffix = path.suffix.lower()
    if suffix == ".gz":
        return gzip.open(path)
    if suffix != ".zip":
        return path.open("rb")
    archive = zipfile.ZipFile(path)
    files = [
        name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")
    ]
    if len(files) != 1:
        raise zipfile.BadZipFile(f"the archive holds {len(files)} files, and one is needed")
    return archive.open(files[0])


def _rows(lines, delimiter):
    """The fields of each line but the last, which may be cut."""
    return csv.reader(lines[:-1] or lines, delimiter=delimiter, skipinitialspace=True)


def _delimiter(lines):
    """The delimiter that gives most lines the same number of fields, more than one."""
    for some in (_DELIMITERS, _RARE_DELIMITERS):
        best = max(some, key=lambda mark: _consistency(lines, mark))
        if _consistency(lines, best) > (0, 0):
            return best
    return _DELIMITERS[0]


def _consistency(lines, delimiter):
    """How well a delimiter explains some lines: those with the usual number of fields, then this number."""
    widths = [len(row) for row in _rows(lines, delimiter) if row]
    usual = mode(widths) if widths else 0
    return (widths.count(usual), usual) if usual > 1 else (0, 0)


def _first_line(error):
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
