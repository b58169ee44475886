"""A published table: what is kept of it, where it came from, and what is refused."""

import dataclasses
import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd
import pytest

from studylib.core.files import sha256
from studylib.datasets import _tables
from studylib.datasets._download import DownloadError
from studylib.datasets._tables import DataChangedError, DataNotAvailableError, Table

FRAME = pd.DataFrame({"sizes": ["[1, 2]", "[3,4]"], "plain": ["a, b", "[c"], "n": [1, 2]})
KEPT = b'sizes,plain,n\n[1 2],"a, b",1\n[3 4],[c,2\n'


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path))
    return Table(
        name="toy", path="toys/toy.csv", shape=(2, 3), columns=("sizes", "plain", "n"), sha256=sha256(KEPT),
        homepage="https://example.org/toy", fetch=lambda: FRAME,
    )  # fmt: skip


def test_a_table_is_downloaded_and_kept_with_its_provenance(table, tmp_path):
    before = datetime.now(UTC).replace(microsecond=0)
    frame, origin = _tables.load(table)
    assert origin == {"file": "toys/toy.csv", "sha256": sha256(KEPT), "origin": "https://example.org/toy"}
    assert frame["sizes"].tolist() == ["[1 2]", "[3 4]"]
    path = tmp_path / "toys/toy.csv"
    assert path.read_bytes() == KEPT
    kept = json.loads((tmp_path / "toys/toy.csv.provenance.json").read_text())
    assert kept.keys() == {"origin", "retrieved", "sha256"}
    assert kept["origin"] == "https://example.org/toy"
    assert kept["sha256"] == sha256(KEPT)
    assert before <= datetime.fromisoformat(kept["retrieved"]) <= datetime.now(UTC)


@pytest.mark.parametrize("separator", ",;")
def test_the_separator_of_the_file_does_not_matter(table, tmp_path, separator):
    (tmp_path / "toys").mkdir()
    FRAME.to_csv(tmp_path / "toys/toy.csv", sep=separator, index=False)
    table = dataclasses.replace(table, fetch=None)  # nothing is downloaded
    assert _tables.load(table)[0].equals(pd.read_csv(tmp_path / "toys/toy.csv", sep=separator).assign(
        sizes=["[1 2]", "[3 4]"]
    ))  # fmt: skip
    table.verify()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.drop(columns="plain"), "lacks the column 'plain'"),
        (lambda f: f[["plain", "sizes", "n"]], "has other columns or another order;"),
        (lambda f: f.assign(more=1), "has other columns or another order"),
        (lambda f: f.head(1), "has 1 rows instead of 2"),
        (lambda f: f.assign(n=3), r"has been altered \(sha256 [0-9a-f]{12}… instead of [0-9a-f]{12}…\)"),
    ],
)
def test_another_table_is_refused_and_not_kept(table, tmp_path, change, said):
    table = dataclasses.replace(table, fetch=lambda: change(FRAME))
    with pytest.raises(DataChangedError, match=said):
        table.verify()
    assert not list(tmp_path.rglob("*.*"))


def test_a_table_that_cannot_be_written_leaves_nothing(table, tmp_path, monkeypatch):
    def full(path, content):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(_tables, "write_atomically", full)
    with pytest.raises(
        DataNotAvailableError, match=r"toy was downloaded from .+ \(No space left on device\)"
    ):
        table.verify()
    assert not list(tmp_path.rglob("*.*"))


def test_a_table_that_may_not_be_read_is_named(table, tmp_path, monkeypatch):
    table.verify()

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(
        DataNotAvailableError, match=r"toy.csv cannot be read \(Permission denied\); by hand: "
    ):
        table.verify()


def test_a_server_that_does_not_answer_is_named_with_what_to_do_by_hand(table):
    def fails():
        raise DownloadError("no answer")

    table = dataclasses.replace(table, fetch=fails)
    with pytest.raises(
        DataNotAvailableError, match=r"\(no answer\). By hand: download it from .+ put toy.csv there"
    ):
        table.verify()


def test_a_name_picks_its_entry_or_the_nearest_names_are_said():
    entries = {"iris": 1, "Iris2": 2, "wine": 0}

    def refused(name, note=""):
        with pytest.raises(ValueError, match="load_it: name must be one of the 3 in list_them") as raised:
            _tables.pick("load_it", entries, "list_them", name, note)
        return str(raised.value).partition(", got ")[2]

    for name, entry in entries.items():
        assert _tables.pick("load_it", entries, "list_them", name) == entry
    assert refused("IRIS") == "'IRIS' (close to 'iris', 'Iris2')."
    assert refused("glass") == "'glass'."
    assert refused("IRIS", "; see the guide") == "'IRIS'; see the guide."
    for name in (None, 7, ["iris"]):
        assert "close to" not in refused(name)
