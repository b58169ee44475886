"""Real tables of the R packages' data that Rdatasets collects: numbers, categories and missing values."""

import csv
import gzip
import io
import zlib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path

import pandas as pd
from sklearn.utils import Bunch

from studylib.core.data import DataChangedError, DataNotAvailableError, published_file
from studylib.core.files import sha256
from studylib.core.parameters import check_choice
from studylib.datasets import _download, _tables

URL = "https://vincentarelbundock.github.io/Rdatasets/csv/"
FOLDER = "real_tables"
TABLE = Path(__file__).with_name("real_tables.csv")
_MOST_ROWS, _FEWEST_OF_A_CLASS, _MOST_TEXTS = 5000, 10, 100


@dataclass(frozen=True)
class Entry:
    """A line of ``real_tables.csv``.

    ``part`` is a key of ``PARTS``.  ``sha256`` and ``bytes`` are those of the published file, the sizes
    those of the prepared table.
    """

    part: str
    name: str
    item: str
    target: str
    drop: str
    sha256: str
    bytes: int
    rows: int
    columns: int
    categorical: int
    columns_missing: int
    classes: int
    pct_majority: int

    @property
    def path(self):
        """Where the file is, below the data directory."""
        return f"{FOLDER}/{self.item.replace('/', '__')}.csv.gz"

    @property
    def listed_in(self):
        """The list that names it in the data directory: the data file that a study depends on."""
        return PARTS[self.part].path

    @property
    def url(self):
        """Where it is published."""
        return f"{URL}{self.item}.csv"


@dataclass(frozen=True)
class RealTables:
    """The tables of one part as a data file of the study: the list of their checksums."""

    name: str
    path: str
    part: str

    def verify(self):
        """Find or download its tables, and check them; write their list where there is none."""
        ours = [entry for entry in entries().values() if entry.part == self.part]
        for entry in ours:
            _content(entry)
        path = published_file(self.path)
        if not path.is_file():
            _tables.keep(self.name, path, TABLE.read_bytes(), URL, {"sha256": sha256(TABLE.read_bytes())})
        listed = path.read_text(encoding="utf-8")
        for entry in ours:
            if entry.sha256 not in listed:
                raise DataChangedError(
                    f"{path}: the list of real tables lacks the checksum of {entry.name}; by hand: remove "
                    "it, and it is written again."
                )


REAL_TABLES = RealTables("real tables", f"{FOLDER}/tables.csv", "development")
KEPT_BACK = RealTables("real tables kept back", f"{FOLDER}/kept_back.csv", "kept back")
#: The lists by the name of their part.
PARTS = {tables.part: tables for tables in (REAL_TABLES, KEPT_BACK)}


@cache
def entries():
    """All known tables by name."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    listed = [Entry(**{f.name: f.type(line[f.name]) for f in fields(Entry)}) for line in lines]
    return {entry.name: entry for entry in listed}


def real_table_names(part=None):
    """Names of the tables that :func:`load_real_table` loads.

    Parameters
    ----------
    part : str or None
        Those of one part: "development", on which ``BlendedForestClassifier`` was developed, or "kept
        back" from this; None takes all.

    Returns
    -------
    tuple of str
    """
    known = entries().values()
    if part is not None:
        check_choice("real_table_names", "part", part, list(PARTS))
    return tuple(entry.name for entry in known if part in (None, entry.part))


def load_real_table(name):
    """A table of Rdatasets, prepared for classification in a way that was fixed before any result.

    Rows without a target go, then classes of fewer than ten rows; of more than 5,000 rows so many are drawn.
    Columns that are empty, or the same in all rows, go, and so do columns of more than a hundred texts.  Text
    is a category; numbers, integers among them, and booleans stay what they are.

    Parameters
    ----------
    name : str
        One of :func:`real_table_names`.

    Returns
    -------
    Bunch
        ``data``: DataFrame (n_samples, n_features), whose columns of text have the type "category".
        ``target``: Series of numbers or strings, with the index of ``data``, the rows of the published file.
        ``feature_names``, ``DESCR``, ``provenance``, ``simulated`` (False).

    Raises
    ------
    ValueError
        If there is no table of that name.
    DataNotAvailableError
        If the file is not in the data directory and cannot be downloaded.
    DataChangedError
        If it is not the published one.
    """
    entry = _tables.pick("load_real_table", entries(), "real_table_names", name)
    data, target = _prepared(entry, pd.read_csv(io.BytesIO(_content(entry))))
    return Bunch(
        data=data,
        target=target,
        feature_names=list(data.columns),
        DESCR=(
            f"{entry.name}: {len(data)} rows, {data.shape[1]} features, {target.nunique()} classes of "
            f"{entry.target}.  The table {entry.item} (PACKAGE/ITEM) of Rdatasets, V. Arel-Bundock's "
            "collection of the data that R packages come with, under the licence of its package."
        ),
        provenance={"file": entry.path, "sha256": entry.sha256, "origin": entry.url},
        simulated=False,
    )


def _prepared(entry, frame):
    """Features and target."""
    frame = frame.drop(columns=entry.drop.split()).drop(columns="rownames", errors="ignore")
    target = frame.pop(entry.target).dropna()
    target = target[target.groupby(target).transform("size") >= _FEWEST_OF_A_CLASS]
    if len(target) > _MOST_ROWS:
        target = target.sample(_MOST_ROWS, random_state=0)
    data = frame.loc[target.index]
    varies = data.nunique(dropna=False) > 1
    text = pd.Series({name: not pd.api.types.is_numeric_dtype(data[name]) for name in data})
    data = data.loc[:, varies & ~(text & (data.nunique() > _MOST_TEXTS))]
    data = data.astype({name: "category" for name in data if text[name]})
    return data, target if pd.api.types.is_numeric_dtype(target) else target.astype(str)


def _content(entry):
    """The published file, from the data directory, else downloaded into it."""
    path = published_file(entry.path, part_of=entry.listed_in)
    if not path.is_file():
        _download_to(path, entry)
    remedy = f"by hand: remove the file to download it again, or put {entry.url}, with gzip, in its place"
    try:
        with gzip.open(path) as file:
            content = file.read(entry.bytes + 1)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise DataChangedError(f"{path}: not a readable file ({error}); {remedy}.") from error
    except OSError as error:
        raise DataNotAvailableError(f"{path} cannot be read ({error.strerror}); {remedy}.") from error
    if sha256(content) != entry.sha256:
        raise DataChangedError(f"{path}: the table {entry.name} has been altered; {remedy}.")
    return content


def _download_to(path, entry):
    """Fetch the published file and keep it, with its provenance beside it."""
    try:
        content = _download.fetch_parsed(entry.url, bytes)
    except _download.DownloadError as error:
        how = f"{entry.url}, compress it with gzip"
        raise _tables.not_available(entry.name, entry.path, path, how, error) from error
    if sha256(content) != entry.sha256:
        raise DataChangedError(
            f"the server of {entry.url}: its table {entry.name} is not the published one; nothing of it was "
            f"kept, and by hand a copy of that can be put, with gzip, at {path}."
        )
    _tables.keep(entry.name, path, gzip.compress(content, mtime=0), entry.url, {"sha256": entry.sha256})
