"""A published table: what is kept of it, where it came from, and what is refused."""

import dataclasses
from pathlib import Path

import pandas as pd
import pytest

from studylib.core.files import sha256
from studylib.datasets import _tables
from studylib.datasets._tables import DataChangedError, DataNotAvailableError, Table

FRAME = pd.DataFrame({"sizes": ["[1, 2]", "[3,4]"], "plain": ["a, b", "[c"], "n": [1.0, 2.5]})
KEPT = b'sizes,plain,n\n[1 2],"a, b",1.0\n[3 4],[c,2.5\n'


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path))
    return Table(
        name="toy", path="toys/toy.csv", shape=(2, 3), columns=("sizes", "plain", "n"), sha256=sha256(KEPT),
        homepage="https://example.org/toy", fetch=lambda: FRAME,
    )  # fmt: skip


@pytest.fixture
def put(table, tmp_path):
    """Write the file of the table."""
    path = tmp_path / table.path
    path.parent.mkdir()

    def write(content):
        path.write_bytes(content)
        return path

    return write


@pytest.mark.parametrize(
    "content",
    [
        KEPT,
        KEPT.replace(b"\n", b"\r\n"),
        KEPT.replace(b'"a, b"', b"a. b").replace(b",", b";").replace(b"a. b", b"a, b"),
        KEPT.replace(b"[1 2]", b'"[1, 2]"'),
        KEPT.replace(b"1.0", b"1"),
    ],
    ids=["canonical", "crlf", "semicolons", "listed sets", "integers"],
)
def test_every_publisher_form_of_a_table_is_the_same_table(table, put, content):
    put(content)
    frame, _ = _tables.load(dataclasses.replace(table, fetch=None))  # nothing is downloaded
    pd.testing.assert_frame_equal(frame, FRAME.assign(sizes=["[1 2]", "[3 4]"]), check_dtype=False)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (KEPT.replace(b"2.5", b"2.6"), r"has been altered \(sha256 [0-9a-f]{12}… instead of [0-9a-f]{12}…\)"),
        (KEPT.replace(b"[3 4],[c,2.5\n", b""), "has 1 rows instead of 2"),
        (KEPT.replace(b"plain", b"words"), "lacks the column 'plain'"),
        (KEPT.replace(b"sizes,plain", b"plain,sizes"), "has other columns or another order;"),
        (b"", "not a readable table"),
        (b"sizes,plain,n\n\xff\xfe\n", "not a readable table"),
        (b'sizes,plain,n\n"[1 2],a\n', "not a readable table"),
        (b"sizes,plain,n\n" + 2 * b"1,2,[1 2],a,1.0\n", "has been altered"),
    ],
    ids=["altered", "lost row", "renamed", "reordered", "empty", "binary", "open quote", "wide rows"],
)
def test_a_changed_file_is_refused_with_file_reason_and_remedy(table, put, content, message):
    path = put(content)
    with pytest.raises(DataChangedError, match=message) as caught:
        table.verify()
    assert str(path) in str(caught.value)
    assert "remove the file to download it again, or put the one from https://example.org" in str(
        caught.value
    )
    assert path.read_bytes() == content


def test_another_table_of_the_server_is_not_kept(table, tmp_path):
    table = dataclasses.replace(table, fetch=lambda: FRAME.assign(more=1))
    with pytest.raises(DataChangedError, match="the server of .* has other columns") as caught:
        table.verify()
    assert "remove the file" not in str(caught.value)
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
