"""The archive of the UCI suite: identity of its sets, reading it, downloading it.

A set's few files are found in a fraction of a second, so the archive is read in place and never unpacked.
What a set must be is in ``uci_suite.csv``: sizes, and a checksum of its parsed tables and splits,
because copies of the archive differ in what else they hold.
"""

import csv
import gzip
import hashlib
import io
import tarfile
import tempfile
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from studylib.core.data import DataChangedError, DataNotAvailableError, published_file
from studylib.core.files import sha256
from studylib.datasets import _download, _tables

URL = "https://persoal.citius.usc.es/manuel.fernandez.delgado/papers/jmlr/data.tar.gz"
#: Seconds for the authors' archive: some 195 MB, most of which is not needed here.
_DEADLINE = 900
#: Bytes of the archive (195 MB as published), of all that it unpacks to, and of a needed file (4 MB).
_MOST_DOWNLOADED, _MOST_UNPACKED, _MOST_NEEDED = 2**29, 2**33, 2**25
#: Files in it, and bytes of a name or remark.
_MOST_FILES, _MOST_REMARK = 100_000, 2**16
_REMARKS = (
    tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE,
)  # fmt: skip
TABLE = Path(__file__).with_name("uci_suite.csv")
_FOLDS = 4


@dataclass(frozen=True)
class Entry:
    """Identity of a set; ``raw`` names the file, of two, whose features are not standardised."""

    name: str
    n_samples: int
    n_features: int
    n_classes: int
    n_test_samples: int
    raw: str
    sha256: str

    @property
    def files(self):
        """Names of the set's files: tables (one, or training and test), tuning split, folds."""
        kinds = ("_train_R", "_test_R") if self.n_test_samples else ("_R",)
        return (*(f"{self.name}{kind}.dat" for kind in kinds), "conxuntos.dat", "conxuntos_kfold.dat")


@dataclass(frozen=True)
class Suite:
    """The archive as a data file of the study."""

    name: str = "UCI suite"
    path: str = "uci_delgado/data.tar.gz"

    def verify(self):
        """Find or download the archive, and check all its sets."""
        path = find()
        wrong = [entry.name for entry, parts in read(path, entries().values()) if not is_right(entry, parts)]
        if wrong:
            more = f" and {len(wrong) - 1} more" if len(wrong) > 1 else ""
            raise DataChangedError(f"{path}: the set {wrong[0]}{more} has been altered; {remedy()}.")


SUITE = Suite()


@cache
def entries():
    """All known sets by name."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return {row[0]: Entry(row[0], *map(int, row[1:5]), *row[5:]) for row in rows}


def remedy():
    """Advice on the archive for the reader of an error."""
    return f"by hand: remove the file to download it again, or put the archive from {URL} in its place"


def find():
    """Path of the archive, which is downloaded if it is not there."""
    path = published_file(SUITE.path)
    if not path.is_file():
        _download_to(path)
    return path


def read(path, wanted):
    """Yield ``(entry, parts)`` of the wanted sets, parsed, in the archive's order."""
    try:
        with path.open("rb") as file:
            for entry, contents in collect(file, wanted):
                yield entry, parse(entry, contents)
    except LookupError as error:
        raise DataChangedError(f"{path}: {error}; {remedy()}.") from error
    except (tarfile.TarError, EOFError, zlib.error, OSError, RecursionError) as error:
        if isinstance(error, OSError) and error.errno:
            raise DataNotAvailableError(f"{path} cannot be read ({error.strerror}); {remedy()}.") from error
        reason = str(error) or type(error).__name__
        raise DataChangedError(f"{path}: not a readable archive ({reason}); {remedy()}.") from error


def collect(file, wanted):
    """Yield ``(entry, contents)`` of each wanted set as soon as all its files have been read.

    Reading stops after the last of them; LookupError at the end of the archive if a file is missing.
    """
    sought = {entry.name: entry for entry in wanted}
    contents_of = {name: {} for name in sought}
    n_bytes = 0
    packed = file.read(2) == b"\x1f\x8b"  # no other compression: xz may take gigabytes by itself
    file.seek(0)
    with tarfile.open(fileobj=file, mode="r|gz" if packed else "r|", tarinfo=_Header) as archive:
        for n_files, member in enumerate(archive, start=1):
            n_bytes += max(member.size, 0)
            if n_files > _MOST_FILES or n_bytes > _MOST_UNPACKED:
                raise tarfile.ReadError("it holds far more than the published one")
            folder, base = ("", *member.name.split("/"))[-2:]
            entry = sought.get(folder)
            if entry is None or base not in entry.files or not member.isfile():
                continue
            if member.size > _MOST_NEEDED:
                raise tarfile.ReadError(f"{folder}/{base} is far larger than the published one")
            contents_of[folder][base] = archive.extractfile(member).read()
            if len(contents_of[folder]) == len(entry.files):
                yield sought.pop(folder), contents_of.pop(folder)
                if not sought:
                    return
    for name, entry in sought.items():
        missing = [base for base in entry.files if base not in contents_of[name]]
        raise LookupError(f"the archive lacks {name}/{missing[0]}")


class _Header(tarfile.TarInfo):
    """A header that takes little memory: tarfile reads a name or remark of any length as a whole."""

    @classmethod
    def frombuf(cls, buf, encoding, errors):
        header = super().frombuf(buf, encoding, errors)
        if header.type in _REMARKS and header.size > _MOST_REMARK:
            raise tarfile.ReadError(f"a name or remark in it has {header.size:,} bytes")
        return header


def parse(entry, contents):
    """``[table, tuning, folds]`` or ``[table, tuning, folds, test table]``; None if it cannot be read.

    A table is float64, its last column the class; tuning and folds are lists of arrays of row numbers.
    """
    *tables, tuning, folds = (contents[base] for base in entry.files)
    try:
        table, *test = map(_parse_table, tables)
        return [table, _parse_rows(tuning, 2), _parse_rows(folds, 2 * _FOLDS), *test]
    except (ValueError, OverflowError):
        return None


def _parse_table(content):
    lines = content.decode("ascii").splitlines()
    if len(lines) < 2:
        raise ValueError("a table without rows")
    # Header and row numbers go.  NumPy's conversion is exact; that of pandas was not in all versions.
    return np.loadtxt(lines[1:], delimiter="\t", comments=None, ndmin=2)[:, 1:]


def _parse_rows(content, n_lines):
    lines = content.decode("ascii").strip().splitlines()
    if len(lines) != n_lines:
        raise ValueError(f"{len(lines)} lines instead of {n_lines}")
    return [np.array(line.split(), np.int64) for line in lines]


def checksum(parts):
    """sha256 over the shapes and numbers of all parts, in one byte order on every machine."""
    table, tuning, folds, *test = parts
    digest = hashlib.sha256()
    for array in (table, *tuning, *folds, *test):
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array, array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def is_right(entry, parts):
    """True if the parsed files are those of the published set."""
    return parts is not None and checksum(parts) == entry.sha256


def _download_to(path):
    """Fetch the authors' archive and keep what is needed of it: the files of the sets that are right."""
    _check_room(path)
    try:
        archive, sets = _download.fetch_parsed(URL, _found_in, _DEADLINE, _MOST_DOWNLOADED)
    except _download.DownloadError as error:
        raise _tables.not_available(SUITE.name, SUITE.path, path, URL, error) from error
    right = {e: contents for e, contents in sets.items() if is_right(e, parse(e, contents))}
    if not right:
        raise DataChangedError(
            f"the server of {URL}: no set in its archive is the published one; nothing of it was kept, and "
            f"by hand a copy of the published archive can be put at {path}."
        )
    left_out = [name for name, entry in entries().items() if entry not in right]
    facts = {"sha256": sha256(content := _packed(right)), "archive_sha256": archive, "left_out": left_out}
    _tables.keep(SUITE.name, path, content, URL, facts)


def _check_room(path):
    """Raise before a long download, and not after it, if its result cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
    except OSError as error:
        raise _tables.not_available(
            SUITE.name, SUITE.path, path, URL, f"nothing can be written there: {error.strerror}"
        ) from error


def _found_in(content):
    """The archive's sha256, and the files of every set that is complete in it."""
    with gzip.open(io.BytesIO(content)) as unpacked:
        # To the end, where the checksum is: tarfile takes half an archive for a whole one.
        n_bytes = 0
        while n := len(unpacked.read(2**20)):
            n_bytes += n
            if n_bytes > _MOST_UNPACKED:
                raise tarfile.ReadError("it unpacks to far more than the published one")
    sets = {}
    with suppress(LookupError):
        for entry, contents in collect(io.BytesIO(content), entries().values()):
            sets[entry] = contents
    if not sets:
        raise LookupError("the archive holds none of the sets")
    return sha256(content), sets


def _packed(sets):
    """An archive of these sets, in the published layout and the same bytes whenever it is made."""
    buffer = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=6, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for entry, contents in sets.items():
            for base in entry.files:
                member = tarfile.TarInfo(f"{entry.name}/{base}")
                member.size = len(contents[base])
                archive.addfile(member, io.BytesIO(contents[base]))
    return buffer.getvalue()
