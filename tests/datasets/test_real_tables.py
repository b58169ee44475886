"""Real tables: their list, their preparation by hand, and what is not there or has been altered."""

import gzip
import hashlib

import numpy as np
import pandas as pd
import pytest

from studylib import datasets
from studylib.datasets import load_real_table, real_table_names, real_tables

from . import fake_server as fake

needs_data = pytest.mark.skipif(
    not (datasets.data_dir() / "real_tables").is_dir(),
    reason=f"the real tables are not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)
DEVELOPMENT = real_table_names("development")


def test_names_need_no_data(monkeypatch, tmp_path):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    parts = {part: set(real_table_names(part)) for part in real_tables.PARTS}
    assert {part: len(names) for part, names in parts.items()} == {"development": 39, "kept back": 36}
    assert set(real_table_names()) == parts["development"] | parts["kept back"]
    lists = {part: {real_tables.entries()[name].listed_in for name in names} for part, names in parts.items()}
    assert lists == {"development": {"real_tables/tables.csv"}, "kept back": {"real_tables/kept_back.csv"}}
    with pytest.raises(ValueError, match=r"^real_table_names: part must be one of .*, got 'all'\.$"):
        real_table_names("all")
    with pytest.raises(ValueError, match=r"^load_real_table: name must be .* got 'oj' \(close to 'OJ'\)\.$"):
        load_real_table("oj")


@needs_data
@pytest.mark.parametrize("name", DEVELOPMENT)
def test_a_table_has_the_sizes_of_the_list(name):
    bunch, entry = load_real_table(name), real_tables.entries()[name]
    data, target = bunch.data, bunch.target
    assert data.shape == (entry.rows, entry.columns)
    assert (data.dtypes == "category").sum() == entry.categorical
    assert data.isna().any().sum() == entry.columns_missing
    assert target.nunique() == entry.classes
    assert round(100 * target.value_counts(normalize=True).iloc[0]) == entry.pct_majority
    assert target.index.equals(data.index)
    assert entry.target not in data
    assert bunch.feature_names == list(data.columns)
    assert bunch.provenance["sha256"] == entry.sha256
    assert bunch.simulated is False


# With a table made up


def entry(content, **facts):
    known = {"part": "development", "name": "toy", "item": "pack/toy", "target": "t", "drop": ""}
    known |= {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    known |= dict.fromkeys(
        ["rows", "columns", "categorical", "columns_missing", "classes", "pct_majority"], 0
    )
    return real_tables.Entry(**{**known, **facts})


TOY = b"rownames,t,x\n" + b"".join(b"%d,%s,%d\n" % (i, b"ab"[i % 2 : i % 2 + 1], i) for i in range(30))


@pytest.fixture
def toy(folder, monkeypatch):
    """Where the only table that is known belongs."""
    monkeypatch.setattr(real_tables, "entries", lambda: {"toy": entry(TOY)})
    return folder / "real_tables" / "pack__toy.csv.gz"


def prepared(frame, **facts):
    return real_tables._prepared(entry(b"", **facts), frame)


def test_rows_without_a_target_and_rare_classes_go():
    target = ["a"] * 10 + ["b"] * 9 + [None] * 3 + ["c"] * 12
    data, labels = prepared(pd.DataFrame({"rownames": 1, "t": target, "x": range(34)}))
    assert labels.tolist() == ["a"] * 10 + ["c"] * 12
    assert data["x"].tolist() == [*range(10), *range(22, 34)]
    assert list(data) == ["x"]


def test_columns_that_say_nothing_go_and_text_is_a_category():
    n = 240
    frame = pd.DataFrame(
        {
            "t": np.arange(n) % 2,
            "number": np.arange(n),
            "empty": np.nan,
            "same": "x",
            "known": [1.0] * 20 + [np.nan] * 220,
            "names": [f"n{i % 101}" for i in range(n)],
            "words": [f"n{i % 100}" for i in range(n)],
            "told": range(n),
            "beside": range(n),
        }
    )
    data, target = prepared(frame, drop="told beside")
    assert list(data) == ["number", "known", "words"]
    assert data.dtypes.map(str).tolist() == ["int64", "float64", "category"]
    assert target.dtype == np.int64


def test_of_many_rows_5000_are_drawn():
    frame = pd.DataFrame({"t": ["a", "b"] * 3000, "x": range(6000)})
    data, target = prepared(frame)
    assert data["x"].tolist() == frame["x"].sample(5000, random_state=0).tolist()
    assert (target == np.where(data["x"] % 2, "b", "a")).all()


def test_booleans_with_gaps_are_classes_too():
    _, target = prepared(pd.DataFrame({"t": [True, False, None] * 10, "x": range(30)}))
    assert target.tolist() == ["True", "False"] * 10


def test_a_missing_table_is_downloaded_once_and_kept(toy, serve, monkeypatch):
    server = serve({"/csv/pack/toy.csv": [fake.good(TOY)]})
    monkeypatch.setattr(real_tables, "URL", server.address + "/csv/")
    first, second = load_real_table("toy"), load_real_table("toy")
    assert server.paths == ["/csv/pack/toy.csv"]
    assert first.data.equals(second.data)
    assert gzip.decompress(toy.read_bytes()) == TOY
    assert toy.with_name("pack__toy.csv.gz.provenance.json").is_file()


def test_the_list_of_checksums_stands_beside_the_tables(toy, monkeypatch, tmp_path):
    toy.parent.mkdir()
    toy.write_bytes(gzip.compress(TOY))
    source = tmp_path / "list.csv"
    source.write_text(entry(TOY).sha256)
    monkeypatch.setattr(real_tables, "TABLE", source)
    real_tables.REAL_TABLES.verify()
    beside = toy.with_name("tables.csv")
    assert beside.read_bytes() == source.read_bytes()
    beside.write_text("another list")
    with pytest.raises(datasets.DataChangedError, match="lacks the checksum of toy; by hand: remove it"):
        real_tables.REAL_TABLES.verify()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(TOY + b"1,a,1\n"), "the table toy has been altered; by hand: "),
        (gzip.compress(TOY)[:-9], "not a readable file"),
        (TOY, "not a readable file"),
    ],
)
def test_an_altered_file_is_refused(toy, content, message):
    toy.parent.mkdir()
    toy.write_bytes(content)
    with pytest.raises(datasets.DataChangedError, match=message) as caught:
        load_real_table("toy")
    assert str(toy) in str(caught.value)


def test_a_file_that_cannot_be_had(toy, serve, monkeypatch):
    server = serve({"/csv/pack/toy.csv": [fake.good(TOY + b" ")]})
    monkeypatch.setattr(real_tables, "URL", server.address + "/csv/")
    with pytest.raises(datasets.DataChangedError, match="is not the published one; nothing of it was kept"):
        load_real_table("toy")
    monkeypatch.setattr(real_tables, "URL", server.address + "/nothing/")
    with pytest.raises(datasets.DataNotAvailableError, match="could not be downloaded .* By hand: "):
        load_real_table("toy")
    assert not toy.exists()
