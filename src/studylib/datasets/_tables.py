"""Published tables: find or download, check, return."""

import difflib
import io
import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime

import pandas as pd

from studylib.core.data import DATA_VARIABLE, DataChangedError, DataNotAvailableError, published_file
from studylib.core.files import sha256, write_atomically, write_json
from studylib.core.parameters import describe
from studylib.datasets import _download


@dataclass(frozen=True)
class Table:
    """A published table and the facts that identify it.

    ``sha256`` is that of the parsed table in canonical form (comma separated, ``\\n``, columns in the
    published order), because publishers serve the same table with different separators.
    """

    name: str
    path: str
    shape: tuple[int, int]
    columns: tuple[str, ...]
    sha256: str
    homepage: str
    fetch: callable

    def verify(self):
        """Find or download the table, and check it."""
        load(self)


def pick(loader, entries, lister, name, note=""):
    """The entry called ``name``; ValueError with the nearest names, or else ``note``, if there is none."""
    entry = entries.get(name) if isinstance(name, str) else None
    if entry is not None:
        return entry
    if isinstance(name, str) and not note:
        near = difflib.get_close_matches(name.lower(), {known.lower() for known in entries})
        near = [known for known in entries if known.lower() in near]
        note = f" (close to {', '.join(map(repr, near))})" if near else ""
    raise ValueError(
        f"{loader}: name must be one of the {len(entries)} in {lister}(), got {describe(name)}{note}."
    )


def canonical(frame):
    """The table as canonical CSV bytes."""
    frame = frame.copy()
    for column in frame.columns[[pd.api.types.infer_dtype(frame[c]) == "string" for c in frame]]:
        # Sets of values are printed "[x, f]" or "[x f]", depending on the file's separator.
        listed = frame[column].str.startswith("[", na=False)
        frame[column] = frame[column].where(~listed, frame[column].str.replace(r",\s*", " ", regex=True))
    return frame.to_csv(index=False, lineterminator="\n").encode()


def read_csv(content):
    """Parse CSV bytes whose separator is a comma or a semicolon."""
    header = content.split(b"\n", 1)[0]
    separator = ";" if header.count(b";") > header.count(b",") else ","
    return pd.read_csv(io.BytesIO(content), sep=separator)


def check(table, frame, origin, remedy):
    """Return the canonical table; raise DataChangedError if ``frame`` is not the published one."""
    columns = tuple(str(c) for c in frame.columns)
    if columns != table.columns:
        missing = [c for c in table.columns if c not in columns]
        what = f"lacks the column {missing[0]!r}" if missing else "has other columns or another order"
        raise DataChangedError(f"{origin}: the table of {table.name} {what}; {remedy}.")
    if frame.shape != table.shape:
        raise DataChangedError(
            f"{origin}: the table of {table.name} has {frame.shape[0]:,} rows instead of "
            f"{table.shape[0]:,}; {remedy}."
        )
    content = canonical(frame)
    if sha256(content) != table.sha256:
        raise DataChangedError(
            f"{origin}: the table of {table.name} has been altered (sha256 {sha256(content)[:12]}… instead "
            f"of {table.sha256[:12]}…); {remedy}."
        )
    return read_csv(content)


def load(table):
    """The table as a frame, and its provenance: from the data directory, else downloaded into it."""
    path = published_file(table.path)
    if not path.is_file():
        download(table, path)
    remedy = (
        f"by hand: remove the file to download it again, or put the one from {table.homepage} in its place"
    )
    try:
        frame = read_csv(path.read_bytes())
    except OSError as error:
        raise DataNotAvailableError(f"{path} cannot be read ({error.strerror}); {remedy}.") from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        reason = str(error).splitlines()[0]
        raise DataChangedError(f"{path}: not a readable table ({reason}); {remedy}.") from error
    return check(table, frame, path, remedy), {
        "file": table.path,
        "sha256": table.sha256,
        "origin": table.homepage,
    }


def download(table, path):
    """Fetch a table from its publisher and write it, with its provenance beside it."""
    try:
        frame = check(
            table,
            table.fetch(),
            f"the server of {table.homepage}",
            f"nothing of it was kept, and by hand a copy of the published table can be put at {path}",
        )
    except _download.DownloadError as error:
        raise not_available(table.name, table.path, path, table.homepage, error) from error
    keep(table.name, path, canonical(frame), table.homepage, {"sha256": table.sha256})


def not_available(name, member, path, origin, error):
    """The error that says where a file belongs and how to put it there."""
    return DataNotAvailableError(
        f"{name} is not at {path} and could not be downloaded ({error}). By hand: download it from "
        f"{origin}, and put {os.path.basename(member)} there, or set {DATA_VARIABLE} to a "
        f"directory that holds {member}."
    )


def keep(name, path, content, origin, facts):
    """Write what was downloaded, with its provenance beside it: both or neither."""
    provenance = path.with_name(path.name + ".provenance.json")
    retrieved = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        write_json(provenance, {"origin": origin, "retrieved": retrieved, **facts})
        write_atomically(path, content)  # last: where a table is, its provenance is
    except OSError as error:
        with suppress(OSError):
            if not path.exists():
                provenance.unlink()
        raise DataNotAvailableError(
            f"{name} was downloaded from {origin} but cannot be written to {path} ({error.strerror}); "
            f"by hand: make room for it there, or set {DATA_VARIABLE} to another directory."
        ) from error
