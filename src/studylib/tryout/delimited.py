"""The table in a text file: its encoding, its delimiter, and lines that are too short or too long."""

import codecs
import csv
import io
import re
import warnings
from itertools import islice
from statistics import mode

import pandas as pd

from studylib.tryout.files import TEXT, UNPACKING, check, opened, unreadable
from studylib.tryout.layout import LOOKED_AT, check_first, delimiter_of, layout_of, said_of
from studylib.tryout.phrases import several

_CHUNK = 1_000_000  # bytes that are unpacked at a time
_SAMPLE = 65_536  # characters from which delimiter and header are told, at least of three lines
_UTF_8 = "utf-8-sig"
_UTF_16_MARKS = codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE
_LONGEST_FIELD = 2**31 - 1  # characters; the csv module's own limit is lower, and pandas has none
_NO_CSV = (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeError, csv.Error)
#: Words with letters beyond ASCII; of square metres nothing is told.
_WORD, _NO_WORD = re.compile(rb"[A-Za-z\x80-\xff]{2,}"), re.compile(rb"[cdkm]?m[\xb2\xb3]", re.I)
_MANY_LINES = 3000


def read_csv(path, wanted, options, remarks, limits):
    """The rows of a CSV file below its header, and how it begins."""
    try:
        codecs.lookup(options.encoding or _UTF_8)
    except LookupError as error:
        raise ValueError(f"try: --encoding={options.encoding} is not known.") from error
    longest = csv.field_size_limit(_LONGEST_FIELD)
    try:
        _check_unpacked(path, limits)
        with opened(path) as file:
            sample = file.read(_SAMPLE)
        check(path, sample)
        encoding = options.encoding or _encoding(path, sample)
        try:
            frame, found, said = _frame(path, encoding, options, wanted, limits)
        except UnicodeDecodeError:
            if encoding != _UTF_8:
                raise
            encoding, name, example = _not_utf_8(path)
            remarks.append(
                f"The file is not UTF-8; it was read as {name}, as in {example!r:.40}. If that is wrong, "
                "name the encoding with --encoding."
            )
            frame, found, said = _frame(path, encoding, options, wanted, limits)
        remarks += said
        return frame, found
    except (*_NO_CSV, OSError, *UNPACKING) as error:
        raise unreadable(path, TEXT, error) from error
    finally:
        csv.field_size_limit(longest)


def _check_unpacked(path, limits):
    """Refuse a file that is too large before anything is kept in memory."""
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


def _not_utf_8(path):
    """The encoding of a file that is not UTF-8, as Python and as people call it, and a word that shows it.

    It is Windows-1252, or Windows-1250 where a byte has no meaning there; else a ValueError says to name it.
    """
    words, broken, n = [], [], 0
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if not line.isascii():
                found = (word for word in _WORD.findall(line) if not word.isascii())
                words += [word for word in found if not _NO_WORD.fullmatch(word)]
                n += 1
                broken += [] if _decodes([line], "utf-8") else [number]
                if n > _MANY_LINES and broken:
                    break
    if 2 * len(broken) < n:
        raise ValueError(
            f"try: line {broken[0]} of {path} is not UTF-8, but others are; mend it, or say --encoding."
        )
    if 2 * sum(not re.search(rb"[A-Za-z]", word) for word in words) <= len(words):
        for encoding, name in (("cp1252", "Windows-1252"), ("cp1250", "Windows-1250")):
            if _decodes(words, encoding):
                return encoding, name, words[0].decode(encoding) if words else "²"
    raise ValueError(f"try: {path} is neither UTF-8 nor in Latin letters; say --encoding.")


def _decodes(parts, encoding):
    try:
        return all(part.decode(encoding) for part in parts)
    except UnicodeDecodeError:
        return False


def _text(path, encoding, skipped=0):
    """A text file behind some of its lines."""
    file = io.TextIOWrapper(opened(path), encoding, newline="")
    for _ in islice(file, skipped):
        pass
    return file


def _parsed(lines, delimiter):
    """A reader of lines, which has their number, too."""
    return csv.reader(lines, delimiter=delimiter, skipinitialspace=True)


def _frame(path, encoding, options, wanted, limits):
    """The rows below the header, how the table begins, and sentences."""
    with _text(path, encoding) as file:
        lines, size = [], 0
        while len(lines) < 3 or (len(lines) < LOOKED_AT and size < _SAMPLE):
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
    check_first(path, rows, found, options)
    said = list(said_of(found))
    begin = len(found.above) + len(found.header)
    found.names, surplus = _named(found.names, rows[begin:], said)
    width = len(found.names) + surplus
    reads = {"sep": delimiter, "skipinitialspace": True, "header": None, "names": range(width)}
    reads |= {"index_col": False, "dtype": str, "keep_default_na": False, "na_values": [""]}
    at = path, encoding, delimiter, ends[begin] + bool(excel)
    try:
        with warnings.catch_warnings(), _text(path, encoding, at[-1]) as file:
            warnings.simplefilter("error", pd.errors.ParserWarning)  # it would drop the surplus fields
            frame = pd.read_csv(file, **reads)
    except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
        raise pd.errors.ParserError(_too_long(at, width, surplus) or error) from error
    except pd.errors.EmptyDataError:
        frame = pd.DataFrame(columns=range(width), dtype=str)
    if surplus and frame.pop(width - 1).notna().any():
        raise pd.errors.ParserError(_too_long(at, width, surplus))
    if frame.iloc[:, -1].isna().any():
        said += _short(at, frame.shape[1])
    return frame, found, said


def _rows_at(path, encoding, delimiter, skipped):
    """The fields of each line behind some, with its number; none of an empty one."""
    with _text(path, encoding, skipped) as file:
        reader = _parsed(file, delimiter)
        for row in reader:
            if any(row):
                yield reader.line_num + skipped, row


def _too_long(at, width, surplus):
    """A phrase about the first line with too many fields, or nothing; a surplus one must be empty."""
    wrong = ((n, row) for n, row in _rows_at(*at) if len(row) > width or (surplus and any(row[width - 1 :])))
    n, row = next(wrong, (0, []))
    if not row:
        return ""
    escaped = any("\\" in cell for cell in row)
    double = "; a quote within quotes must be doubled, not behind a backslash" if escaped else ""
    must = f"every line must have as many fields as the header{double}"
    return f"line {n} has {len(row)} fields, and the header {width - surplus}; {must}"


def _short(at, width):
    """A sentence about lines with fewer fields than the header, if there are."""
    lines, last = [], 0
    for n, row in _rows_at(*at):
        if len(row) < width:
            lines.append((n, len(row)))
        else:
            last = n
    lines = [n for n, fields in lines if fields > 1 or n < last]  # others are notes below the table
    if lines:
        n = several(len(lines), "line")
        has = "has" if len(lines) == 1 else "have"
        yield f"{n} {has} fewer fields than the header (first: line {lines[0]:,}); what lacks is missing."


def _named(header, rows, said):
    """Names for all columns, and 1 if but a delimiter stands behind them in each line, else 0."""
    widths = [len(row) for row in rows] or [len(header)]
    more = mode(widths) - len(header)
    trailing = more == 1 and all(row[-1] == "" for row in rows if len(row) > len(header))
    if trailing:
        said.append("Each line but the header ends with a delimiter, which was ignored.")
        return header, 1
    if more > 0:
        header = ["(row)", *(f"(row {k})" for k in range(2, more + 1)), *header]
        columns = several(more, "column")
        said.append(f"The rows have {columns} more than the header has names; the first is called '(row)'.")
    return header, 0
