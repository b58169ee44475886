"""Finding, checking and downloading tables."""

import hashlib
import json
import time

import pandas as pd
import pytest

from studylib import datasets
from studylib.core.data import data_file
from studylib.core.files import sha256
from studylib.datasets import _download, _tables

FRAME = pd.DataFrame({"class": ["e", "p", "e"], "size": [1.0, 2.5, 3.25], "set": ["[a b]", None, "[c]"]})
CONTENT = b"class,size,set\ne,1.0,[a b]\np,2.5,\ne,3.25,[c]\n"


def table(fetch=None):
    return _tables.Table(
        name="Toy",
        path="toy/toy.csv",
        shape=(3, 3),
        columns=("class", "size", "set"),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        homepage="https://example.org/toy",
        fetch=fetch or (lambda: _download.attempt("example.org", lambda: FRAME)),
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    monkeypatch.delenv(_download.OFFLINE_VARIABLE, raising=False)
    monkeypatch.setattr(_download, "_failed_hosts", set())
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    (tmp_path / "toy").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    "content",
    [
        CONTENT,
        CONTENT.replace(b"\n", b"\r\n"),
        CONTENT.replace(b",", b";"),
        CONTENT.replace(b",", b";").replace(b"[a b]", b"[a, b]"),
        CONTENT.replace(b"1.0", b"1"),
    ],
    ids=["canonical", "crlf", "semicolons", "listed sets", "integers"],
)
def test_every_publisher_form_of_a_table_is_the_same_table(folder, content):
    (folder / "toy/toy.csv").write_bytes(content)
    frame, provenance = _tables.load(table())
    pd.testing.assert_frame_equal(frame, FRAME.astype({"class": "str", "set": "str"}))
    assert provenance["sha256"] == hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (CONTENT.replace(b"2.5", b"2.6"), "has been altered"),
        (CONTENT.replace(b"e,3.25,[c]\n", b""), "has 2 rows instead of 3"),
        (CONTENT[:-9], "altered|rows|readable"),
        (CONTENT.replace(b"size", b"length"), "lacks the column 'size'"),
        (CONTENT.replace(b"class,size", b"size,class"), "another order"),
        (b"", "not a readable table"),
        (b"class,size,set\n\xff\xfe\n", "not a readable table"),
        (b'class,size,set\n"e,1.0\n', "not a readable table"),
        (b"class,size,set\n" + 3 * b"1,2,e,1.0,[a]\n", "has been altered"),
    ],
    ids=["altered", "lost row", "cut", "renamed", "reordered", "empty", "binary", "open quote", "wide rows"],
)
def test_a_changed_file_is_refused_with_file_reason_and_remedy(folder, content, said):
    path = folder / "toy/toy.csv"
    path.write_bytes(content)
    with pytest.raises(datasets.DataChangedError, match=said) as caught:
        _tables.load(table())
    assert str(path) in str(caught.value)
    assert "example.org/toy" in str(caught.value)
    assert path.read_bytes() == content


def test_a_missing_file_is_downloaded_once_with_its_provenance(folder):
    asked = []

    def fetch():
        asked.append(1)
        return FRAME

    _tables.load(table(fetch))
    frame, _ = _tables.load(table(fetch))
    assert len(asked) == 1
    assert len(frame) == 3
    assert (folder / "toy/toy.csv").read_bytes() == CONTENT
    provenance = json.loads((folder / "toy/toy.csv.provenance.json").read_text())
    assert provenance["origin"] == "https://example.org/toy"
    assert sorted(p.name for p in (folder / "toy").iterdir()) == ["toy.csv", "toy.csv.provenance.json"]


def test_a_download_that_is_not_the_published_table_is_not_kept(folder):
    with pytest.raises(datasets.DataChangedError, match="lacks the column 'set'"):
        _tables.load(table(lambda: FRAME.drop(columns="set")))
    assert list((folder / "toy").iterdir()) == []


@pytest.mark.parametrize("error", [ConnectionError("refused"), json.JSONDecodeError("no", "", 0), EOFError()])
def test_every_failure_of_a_download_becomes_one_sentence_that_says_what_to_do(folder, error):
    calls = []

    def action():
        calls.append(1)
        raise error

    fetch = table(lambda: _download.attempt("example.org", action))
    with pytest.raises(datasets.DataNotAvailableError, match="By hand: download it from https://example.org"):
        _tables.load(fetch)
    assert len(calls) == 1 + _download.RETRIES
    with pytest.raises(datasets.DataNotAvailableError, match="did not answer earlier"):
        _tables.load(fetch)
    assert len(calls) == 1 + _download.RETRIES  # the host is not asked again


def test_a_download_that_hangs_ends_at_the_deadline(folder, monkeypatch):
    monkeypatch.setattr(_download, "DEADLINE", 0.05)
    monkeypatch.setattr(_download, "RETRIES", 0)
    wait = __import__("threading").Event()
    with pytest.raises(_download.DownloadError, match="TimeoutError"):
        _download.attempt("example.org", lambda: wait.wait(30))
    wait.set()


def test_offline_nothing_is_asked(folder, monkeypatch):
    monkeypatch.setenv(_download.OFFLINE_VARIABLE, "1")
    with pytest.raises(_download.DownloadError, match="STUDYLIB_OFFLINE is set"):
        _download.attempt("example.org", lambda: pytest.fail("asked"))


def test_data_directory_follows_the_variable(monkeypatch, tmp_path):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path / "here"))
    assert datasets.data_dir() == tmp_path / "here"
    monkeypatch.delenv(datasets.DATA_VARIABLE)
    assert datasets.data_dir().name == "data"
    assert (datasets.data_dir().parent / "pyproject.toml").is_file()


def test_a_studys_own_file_is_in_its_own_folder_first(monkeypatch, tmp_path):
    for name in ("study/data/both", "study/data/own", "elsewhere/both", "elsewhere/other"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setenv("STUDYLIB_STUDY", str(tmp_path / "study"))
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path / "elsewhere"))
    found = {name: data_file(name).parent for name in ("both", "own", "other", "none")}
    own, elsewhere = tmp_path / "study/data", tmp_path / "elsewhere"
    assert found == {"both": own, "own": own, "other": elsewhere, "none": elsewhere}
    monkeypatch.delenv(datasets.DATA_VARIABLE)
    assert {data_file(name).parent for name in found} == {own}


def test_sha256_of_nothing_is_the_known_one():
    assert sha256(b"").startswith("e3b0c44298fc1c14")
