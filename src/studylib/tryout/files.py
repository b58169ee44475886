"""What a file is, by its first bytes: a name may say anything; and how large it may be."""

import bz2
import gzip
import lzma
import re
import zipfile
import zlib

from studylib.tryout.escapes import as_file, in_shell
from studylib.tryout.options import MAX_FILE_MB, MAX_FILE_ROWS
from studylib.tryout.phrases import first_line, several

#: pandas takes about ten kilobytes for each.
MAX_COLUMNS = 100_000

PARQUET, ARROW, EXCEL, TEXT = "Parquet", "Arrow", "Excel", "CSV"
#: What goes wrong where something is unpacked.
UNPACKING = (EOFError, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile, zlib.error, RuntimeError)
_BY_NAME = {".parquet": PARQUET, ".pq": PARQUET, ".xlsx": EXCEL, ".xlsm": EXCEL}
_BY_MARK = {b"PAR1": PARQUET, b"ARROW1": ARROW}
_SAVE = "save the table as CSV"
#: What is no table, and what to do.
_OTHERS = {
    rb"version https://git-lfs": "a Git LFS pointer and not the file itself; fetch that with `git lfs pull`",
    rb"\s*<(!doctype html|html|head|body|table)": f"an HTML page; download the file behind it, or {_SAVE}",
    rb"\s*<(\?xml|svg)": f"an XML file; {_SAVE}",
    rb'\s*(\{\s*["}]|\[\s*[\[{])': f"a JSON file; {_SAVE}",
    rb"\s*(%[^\n]*\s+)*@relation\s": f"an ARFF file; {_SAVE} with a header",
    rb"%PDF-": f"a PDF document; {_SAVE}",
    rb"\xd0\xcf\x11\xe0": f"an Excel workbook of the old kind (.xls), or one with a password; {_SAVE}",
    rb"\x28\xb5\x2f\xfd|7z\xbc\xaf\x27\x1c|Rar!": "packed in a way that is not known here; unpack it first",
    rb"SQLite format 3": f"an SQLite database; {_SAVE}",
    rb"\x89HDF": f"an HDF5 file; {_SAVE}",
    rb"(?s).{257}ustar": "an archive (tar); unpack it, and name the table in it",
}
_OTHERS = {re.compile(pattern, re.I): what for pattern, what in _OTHERS.items()}
_START = 512  # bytes


def _only_file(path):
    archive = zipfile.ZipFile(path)
    files = [
        name for name in archive.namelist() if not name.endswith("/") and not name.startswith("__MACOSX/")
    ]
    if len(files) != 1:
        raise zipfile.BadZipFile(f"the archive holds {len(files)} files, and one is needed")
    return archive.open(files[0])


_ZIP = b"PK\x03\x04"
_PACKED = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\x00": lzma.open, _ZIP: _only_file}


def kind_of(path):
    """What a file is: PARQUET, ARROW, EXCEL or TEXT, and whether it is packed."""
    start = _start(path)
    check(path, start)
    for mark, kind in _BY_MARK.items():
        if start.startswith(mark):
            return kind, True
    if start.startswith(_ZIP) and zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        if {"content.xml", "xl/workbook.bin"} & set(names):
            raise ValueError(f"try: {path} is a workbook of another kind (.ods, .xlsb); save it as .xlsx.")
        if "xl/workbook.xml" in names:
            return EXCEL, True
    kind = _BY_NAME.get(path.suffix.lower(), TEXT)
    return kind, kind != TEXT or _opener(start) is not None


def check(path, start):
    """Raise a ValueError if these first bytes, of a file or of what it packs, are those of no table."""
    start = start.removeprefix(b"\xef\xbb\xbf")
    what = next((what for pattern, what in _OTHERS.items() if pattern.match(start)), None)
    if what:
        raise ValueError(f"try: {path} is {what}.")


def opened(path):
    """The bytes of a file, unpacked if they are packed."""
    opener = _opener(_start(path))
    return opener(path) if opener else path.open("rb")


def _start(path):
    with path.open("rb") as file:
        return file.read(_START)


def _opener(start):
    return next((opener for mark, opener in _PACKED.items() if start.startswith(mark)), None)


class Refused(ValueError):
    """A sentence for the user; no error of a package that reads files."""


class Limits:
    """What a file may have, unpacked: a small one may grow to more than the memory holds."""

    def __init__(self, path, options, packed):
        self._path, self._plain = path, not packed
        self._mb = options.max_file_mb or MAX_FILE_MB
        self._rows = options.max_file_rows or MAX_FILE_ROWS

    def check(self, n_bytes=0, n_rows=0, n_columns=0):
        """Refuse a file that has more."""
        if n_bytes > 1_000_000 * self._mb:
            unpacked = "" if self._plain else " when it is unpacked"
            self._refuse(f"{self._mb:,} MB{unpacked}", "--max-file-mb")
        if n_rows > self._rows:
            self._refuse(several(self._rows, "row"), "--max-file-rows")
        if n_columns > MAX_COLUMNS:
            raise Refused(
                f"try: {self._path} has more than {MAX_COLUMNS:,} columns; choose some of them first."
            )

    def _refuse(self, limit, option):
        name = in_shell(as_file(self._path.name))
        example = f", for example: (head -n 1 {name}; tail -n +2 {name} | shuf -n 100000) > sample.csv"
        raise Refused(
            f"try: {self._path} has more than {limit}, the limit that {option} sets; draw a sample of its "
            f"rows first{example if self._plain else '.'}"
        )


def unreadable(path, kind, error):
    """A ValueError for what was raised where a file was read."""
    if isinstance(error, OSError) and error.strerror:
        return ValueError(f"try: {path} cannot be read: {error.strerror}.")
    return ValueError(f"try: {path} cannot be read{kind and f' as {kind}'}: {first_line(error)}.")
