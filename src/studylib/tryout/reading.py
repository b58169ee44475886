"""Read a table from a CSV, Excel, Parquet or Arrow file, or say in one sentence why not."""

import codecs
import csv
import difflib
import importlib.util
import io
import re
import sys
import warnings
import zipfile
from collections import Counter
from contextlib import suppress
from itertools import islice
from pathlib import Path
from statistics import mode

import pandas as pd

from studylib.core.text import shorten
from studylib.tryout import files
from studylib.tryout.encodings import encoding_of
from studylib.tryout.escapes import as_file, in_shell
from studylib.tryout.files import opened
from studylib.tryout.layout import delimiter_of, layout_of, looks_like_data
from studylib.tryout.options import MAX_FILE_MB, MAX_FILE_ROWS, NO_OPTIONS

#: pandas takes about ten kilobytes for each.
MAX_COLUMNS = 100_000
_CHUNK = 1_000_000  # bytes that are unpacked at a time
_SAMPLE = 65_536  # characters from which delimiter and header are told, at least of three lines
_LOOKED_AT = 50  # lines of them
_UTF_8 = "utf-8-sig"
_UTF_16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_ENCODINGS = {"cp1252": "Windows-1252", "cp1250": "Windows-1250"}
_TRAILING = "(behind the last delimiter)"
_TOTAL = re.compile(r"(grand |sub)?totals?", re.I)


class _TooLarge(ValueError):
    """A file is larger than the options allow."""


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
        raise _unreadable(path, "", error) from error
    if options.sheet and kind != files.EXCEL and not names:
        raise ValueError(f"try: --sheet={options.sheet} was given, and {path} is no workbook of Excel.")
    limits = _Limits(path, options, packed)
    limits.check(path.stat().st_size)
    remarks = []
    if kind in (files.PARQUET, files.ARROW):
        frame = _read_columns(path, kind, limits)
        frame.columns = _unique(path, [str(name).strip() for name in frame.columns], target, remarks)
        return frame, remarks
    if kind == files.EXCEL:
        frame, found = _read_excel(path, wanted, options, remarks, limits)
        frame.columns = _unique(path, found.names, target, remarks)
    else:
        frame, found = _read_csv(path, target, wanted, options, remarks, limits)
    frame = _without_headers(frame, found, remarks)
    return _without_totals(frame, target, remarks).infer_objects(), remarks


def _said_of(found):
    """Sentences about the lines above a table, and those of its header."""
    if found.above:
        text = " ".join(filter(None, (cell for row in found.above for cell in row)))
        yield f"Above the header, {several(len(found.above), 'line')} of text: {text!r:.60}."
    if found.others:
        text = ", ".join(filter(None, (cell for row in found.others for cell in row)))
        yield f"The header has {len(found.header)} lines; left out, such as units: {text!r:.60}."
    elif len(found.header) > 1:
        first = next(name for name in found.names if name not in found.header[0])
        yield f"The header has {len(found.header)} lines, which were joined, as in {first!r:.60}."


def _check_first(path, rows, found, options):
    """Raise a ValueError if the first line may be no header, and no option says whether it is."""
    if options.header or not looks_like_data(rows, found):
        return
    line = ", ".join(found.header[0])
    raise ValueError(
        f"try: the first line of {path} looks like data and not like names, {line!r:.60}; say --header=none "
        f"if the file has no header (the columns are 'column 1' to 'column {len(found.names)}' then), or "
        "--header=first if these are names."
    )


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
        raise ValueError(f"try: {path} is not a file; name a CSV, Excel or Parquet file.")
    if path.stat().st_size == 0:
        raise ValueError(f"try: {path} is empty.")


class _Limits:
    """What a file may have, unpacked: a small one may grow to more than the memory holds."""

    def __init__(self, path, options, packed):
        self._path, self._plain = path, not packed
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


def _needs(path, kind, package):
    if importlib.util.find_spec(package) is None:
        article = "an" if kind[0] in "AE" else "a"
        raise ValueError(
            f"try: {path} is {article} {kind} file, and to read it the package {package} is needed; run "
            f"`{sys.executable} -m pip install {package}`, or save the table as CSV."
        )


def _unreadable(path, kind, error):
    """A ValueError for what was raised where a file was read."""
    if isinstance(error, OSError) and error.strerror:
        return ValueError(f"try: {path} cannot be read: {error.strerror}.")
    return ValueError(f"try: {path} cannot be read{kind and f' as {kind}'}: {_first_line(error)}.")


def _read_columns(path, kind, limits):
    """A Parquet or Arrow file."""
    _needs(path, kind, "pyarrow")
    from pyarrow import Table, ipc, parquet

    try:
        if kind == files.ARROW:
            batches, n_bytes, n_rows = [], 0, 0
            with ipc.open_file(path) as file:
                schema = file.schema
                for k in range(file.num_record_batches):
                    batches.append(file.get_batch(k))
                    n_bytes, n_rows = n_bytes + batches[-1].nbytes, n_rows + batches[-1].num_rows
                    limits.check(n_bytes, n_rows, len(schema))
            frame = Table.from_batches(batches, schema).to_pandas()
        else:
            found = parquet.read_metadata(path)
            groups = [found.row_group(k) for k in range(found.num_row_groups)]
            limits.check(sum(group.total_byte_size for group in groups), found.num_rows, found.num_columns)
            # A value that repeats itself takes no byte in the file and eight in the table; a list has more.
            columns = (group.column(k) for group in groups for k in range(group.num_columns))
            limits.check(8 * sum(column.num_values for column in columns))
            schema, frame = parquet.read_schema(path), pd.read_parquet(path, engine="pyarrow")
        for column in (schema.pandas_metadata or {}).get("columns", []):
            if column["pandas_type"] == "categorical" and column["name"] in frame:  # codes come as numbers
                frame[column["name"]] = frame[column["name"]].astype("category")
        return frame.reset_index(drop=all(name is None for name in frame.index.names))
    except _TooLarge:
        raise
    except (OSError, ValueError) as error:  # pyarrow's errors are both
        raise ValueError(f"try: {path} cannot be read as {kind}: {_first_line(error)}.") from error


def _read_excel(path, wanted, options, remarks, limits):
    """A sheet of a workbook below its header, and how it begins."""
    _needs(path, files.EXCEL, "openpyxl")
    try:
        with zipfile.ZipFile(path) as archive:
            limits.check(sum(part.file_size for part in archive.infolist()))  # no more are unpacked
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = book.sheet_names
            for sheet in book.book.worksheets:
                _watch(sheet, limits)
            chosen = options.sheet or sheets[0]
            if chosen not in sheets:
                known = near(chosen, sheets) or f"; there are {shorten(', '.join(map(repr, sheets)), 200)}."
                raise ValueError(f"there is no sheet {chosen!r}{known}")
            frame, rows = _sheet(book, chosen)
            found = layout_of(rows, wanted, options.header) if rows else None
            if not options.sheet and not (found and (not wanted or set(wanted) & set(found.names))):
                _check_others(book, sheets[1:], wanted)
    except _TooLarge:
        raise
    except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
        raise ValueError(f"try: {path} cannot be read as Excel: {_first_line(error)}.") from error
    if not rows:
        raise ValueError(f"try: the sheet {chosen!r} of {path} is empty.")
    if len(sheets) > 1 and not options.sheet:
        remarks.append(f"The file has {len(sheets)} sheets; the first was read, {chosen!r}.")
    _check_first(path, rows, found, options)
    remarks += _said_of(found)
    return frame.iloc[len(found.above) + len(found.header) :].reset_index(drop=True), found


def _sheet(book, name, n_rows=None):
    """What a sheet holds, and the first rows of it as texts."""
    frame = pd.read_excel(book, sheet_name=name, header=None, nrows=n_rows)
    frame = frame.dropna(how="all").dropna(axis=1, how="all")
    return frame, frame.iloc[:_LOOKED_AT].astype(object).fillna("").astype(str).to_numpy().tolist()


def _check_others(book, sheets, wanted):
    """Raise a ValueError that names the sheet in which a wanted column is."""
    for name in sheets:
        _, rows = _sheet(book, name, _LOOKED_AT)
        there = set(wanted) & set(layout_of(rows, wanted).names) if rows else ()
        if there:
            first = next(one for one in wanted if one in there)
            raise ValueError(
                f"the first sheet has no column {first!r}, and the sheet {name!r} has; say "
                f"{in_shell(f'--sheet={name}')}"
            )


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


def _read_csv(path, target, wanted, options, remarks, limits):
    """The rows of a CSV file below its header, and how it begins."""
    try:
        _check_unpacked(path, limits)
        with opened(path) as file:
            sample = file.read(_SAMPLE)
        files.check(path, sample)
        encoding = options.encoding or _encoding(path, sample)
        said = []
        try:
            frame, found = _frame(path, encoding, options, target, wanted, said, limits)
        except UnicodeDecodeError:
            if encoding != _UTF_8:
                raise
            with opened(path) as file:
                encoding = encoding_of(path, file)
            said = [
                f"The file is not UTF-8; it was read as {_ENCODINGS[encoding]}, so check names with accents, "
                "or name the encoding with --encoding."
            ]
            frame, found = _frame(path, encoding, options, target, wanted, said, limits)
        remarks += said
        return frame, found
    except LookupError as error:
        raise ValueError(f"try: --encoding={options.encoding} is not known.") from error
    except (
        pd.errors.ParserError,
        UnicodeError,
        pd.errors.EmptyDataError,
        csv.Error,
        OSError,
        *files.UNPACKING,
    ) as error:
        raise _unreadable(path, files.TEXT, error) from error


def _check_unpacked(path, limits):
    """Raise _TooLarge before anything is kept in memory."""
    n_bytes = n_lines = 0
    with opened(path) as file:
        while chunk := file.read(_CHUNK):
            n_bytes += len(chunk)
            n_lines += chunk.count(b"\n")
            limits.check(n_bytes, n_lines - 1)


def _encoding(path, sample):
    """UTF-8, or UTF-16 where its mark is; ValueError for bytes that are no text."""
    if sample.startswith(_UTF_16_MARKS):
        return "utf-16"
    if b"\0" in sample:
        text = "UTF-16 text without its mark; say --encoding=utf-16-le or utf-16-be"
        wide = sample.count(0) > 0.4 * len(sample)
        raise ValueError(
            f"try: {path} is {text if wide else 'a binary file; save the table as CSV in UTF-8'}."
        )
    return _UTF_8


def _text(path, encoding):
    return io.TextIOWrapper(opened(path), encoding, newline="")


def _parsed(lines, delimiter):
    """A reader of lines, which has their number, too."""
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _frame(path, encoding, options, target, wanted, said, limits):
    with _text(path, encoding) as file:
        lines, size = [], 0
        while len(lines) < 3 or (len(lines) < _LOOKED_AT and size < _SAMPLE):
            lines.append(file.readline())
            size += len(lines[-1])
            if not lines[-1]:
                break
    excel = re.fullmatch('"?sep=(.)"?', lines[0].strip("\r\n"))  # a line that Excel writes
    lines = lines[1:] if excel else lines
    delimiter = {"tab": "\t", "\\t": "\t"}.get(options.sep, options.sep)
    delimiter = delimiter or (excel[1] if excel else delimiter_of(lines))
    if len(delimiter) != 1:
        raise ValueError(f"try: --sep must be one character, got {delimiter!r}.")
    reader = _parsed(lines, delimiter)
    rows, ends = [], [0]
    for row in reader:
        if row:
            rows.append(row)
            ends.append(reader.line_num)
    if not rows:
        raise pd.errors.EmptyDataError("No columns to parse from file")
    limits.check(n_columns=max(map(len, rows)))
    found = layout_of(rows, wanted, options.header)
    _check_first(path, rows, found, options)
    said += _said_of(found)
    begin = len(found.above) + len(found.header)
    names, trailing = _named(path, found.names, rows[begin:], target, said)
    reads = {"sep": delimiter, "skipinitialspace": True, "header": None, "names": names, "index_col": False}
    reads |= {"dtype": str, "keep_default_na": False, "na_values": [""]}
    skipped = ends[begin] + bool(excel)
    try:
        with warnings.catch_warnings(), _text(path, encoding) as file:
            warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop the surplus fields
            for _ in islice(file, skipped):
                pass
            frame = pd.read_csv(file, **reads)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise pd.errors.ParserError(
            _too_long(path, encoding, delimiter, skipped, len(names)) or error
        ) from error
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=names, dtype=str)
    if trailing and frame.pop(names[-1]).notna().any():
        raise pd.errors.ParserError(_too_long(path, encoding, delimiter, skipped, len(names) - 1))
    if frame.iloc[:, -1].isna().any():
        with suppress(csv.Error):
            said += _short(path, encoding, delimiter, skipped, frame.shape[1])
    return frame, found


def _widths(path, encoding, delimiter, skipped):
    """The number of each line behind some, and how many fields it has; none for an empty one."""
    with _text(path, encoding) as file:
        for _ in islice(file, skipped):
            pass
        reader = _parsed(file, delimiter)
        for row in reader:
            if any(row):
                yield reader.line_num + skipped, row


def _too_long(path, encoding, delimiter, skipped, width):
    """A phrase about the first line with too many fields, or nothing."""
    with suppress(csv.Error):
        for n, row in _widths(path, encoding, delimiter, skipped):
            if len(row) > width:
                must = "every line must have as many fields as the header"
                escaped = any("\\" in cell for cell in row)
                double = "; a quote within quotes must be doubled, not behind a backslash" if escaped else ""
                return f"line {n} has {len(row)} fields, and the header {width}; {must}{double}"
    return ""


def _short(path, encoding, delimiter, skipped, width):
    """A sentence about lines with fewer fields than the header, if there are."""
    lines, last = [], 0
    for n, row in _widths(path, encoding, delimiter, skipped):
        if len(row) < width:
            lines.append((n, len(row)))
        else:
            last = n
    lines = [n for n, fields in lines if fields > 1 or n < last]  # others are notes below the table
    if lines:
        n = several(len(lines), "line")
        has = "has" if len(lines) == 1 else "have"
        yield f"{n} {has} fewer fields than the header (first: line {lines[0]:,}); what lacks is missing."


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


def _first_line(error):
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
