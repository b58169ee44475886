"""Downloads from a server that fails in every way that a server can, to a disk that may be full."""

import dataclasses
import errno
import hashlib
import io
import json
import os
import socket
import subprocess
import sys
import threading
import time
import zipfile
from datetime import UTC, datetime
from types import SimpleNamespace

import pandas as pd
import pytest

from studylib import datasets
from studylib.core.data import STUDY_VARIABLE
from studylib.datasets import _download, _tables, mushroom
from studylib.study import cli

from . import download_support, fake_server
from .download_support import names
from .fake_server import API, ARCHIVE, TABLE

uci = pytest.importorskip("ucimlrepo.fetch")

FRAME = datasets.simulate_secondary_mushrooms(n_species=6, n_per_species=4).frame
SPECIES = FRAME.iloc[::4].reset_index(drop=True)
SPECIES.insert(0, "name", [f"name {k}" for k in range(len(SPECIES))])
SPECIES.insert(0, "family", "family")
SPECIES.columns = list(mushroom.PRIMARY.columns)
CSV, SPECIES_CSV = _tables.canonical(FRAME), _tables.canonical(SPECIES)


def zipped(members):
    """A zip archive of ``{name: content}``."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


PLAIN = zipped({"primary_data.csv": SPECIES_CSV})
NESTED = zipped(
    {"MushroomDataset.zip": zipped({"meta.txt": b"", "m/primary_data.csv": SPECIES_CSV.replace(b",", b";")})}
)
GOOD = {TABLE: [fake_server.good(CSV)], ARCHIVE: [fake_server.good(NESTED)]}
PATHS = (API, TABLE, ARCHIVE)


@pytest.fixture(autouse=True)
def tables(folder, monkeypatch):
    """The folder of both tables, which have small made-up contents instead of the published ones."""
    for name, content in (("SECONDARY", CSV), ("PRIMARY", SPECIES_CSV)):
        table = getattr(mushroom, name)
        shape = (content.count(b"\n") - 1, len(table.columns))
        table = dataclasses.replace(table, shape=shape, sha256=hashlib.sha256(content).hexdigest())
        monkeypatch.setattr(mushroom, name, table)
    # plain HTTP needs no certificates, and reading them takes longer than all the rest
    monkeypatch.setattr(uci, "ssl", SimpleNamespace(create_default_context=lambda **keywords: None))
    return folder / "secondary_mushroom"


@pytest.fixture
def start(serve, monkeypatch):
    """Start a server in the place of UCI's that gives these answers, and good ones to the rest."""

    def begin(answers):
        server = serve({**GOOD, **answers})
        point_to(server.address, monkeypatch)
        return server

    return begin


def point_to(address, monkeypatch):
    monkeypatch.setattr(uci, "API_BASE_URL", address + API)
    monkeypatch.setattr(mushroom, "_ARCHIVE", address + ARCHIVE)


def fails(load, error=datasets.DataNotAvailableError):
    place = datasets.data_dir() / "secondary_mushroom"
    return download_support.fails(load, error, mushroom.HOMEPAGE, place)


def loader(path):
    return datasets.load_primary_mushroom if path == ARCHIVE else datasets.load_secondary_mushroom


def test_a_good_server_gives_the_table_its_provenance_and_nothing_else(tables, start):
    server, before = start({}), datetime.now(UTC).replace(microsecond=0)
    bunch = datasets.load_secondary_mushroom()
    assert server.paths == [f"{API}?id=848", TABLE]
    pd.testing.assert_frame_equal(bunch.frame, FRAME, check_dtype=False)
    origin, sha256 = mushroom.HOMEPAGE, hashlib.sha256(CSV).hexdigest()
    assert bunch.provenance == {"file": mushroom.SECONDARY.path, "sha256": sha256, "origin": origin}
    primary = datasets.load_primary_mushroom()
    assert server.paths[2:] == [ARCHIVE]
    assert list(primary.frame["name"]) == list(SPECIES["name"])
    for name, content in (("secondary_data.csv", CSV), ("primary_data.csv", SPECIES_CSV)):
        assert (tables / name).read_bytes() == content
        provenance = json.loads((tables / f"{name}.provenance.json").read_text())
        assert provenance["sha256"] == hashlib.sha256(content).hexdigest()
        assert provenance["origin"] == origin
        assert before <= datetime.fromisoformat(provenance["retrieved"]) <= datetime.now(UTC)
        assert len(provenance) == 3
    assert len(names(tables)) == 4
    datasets.load_secondary_mushroom()
    assert server.connections == 3  # what is there is not asked for


# A server that is not well

BROKEN = {
    "reset": (fake_server.reset, "ConnectionResetError"),
    "cut": (fake_server.cut, "IncompleteRead"),
    "no answer": (fake_server.disconnect, "RemoteDisconnected"),
    "403": (fake_server.status(403), "403"),
    "503": (fake_server.status(503), "503"),
    "hang": (fake_server.hang, "timed out"),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "kind"), [(p, k) for p in PATHS for k in BROKEN if (p, k) != (TABLE, "hang")]
)
def test_a_server_that_fails_is_one_sentence_and_is_not_asked_again(tables, start, monkeypatch, path, kind):
    answer, reason = BROKEN[kind]
    if kind == "hang":
        monkeypatch.setattr(_download, "TIMEOUT", 0.2)
    server = start({path: [answer]})
    assert reason in fails(loader(path))
    assert server.times_asked(path, 1 + _download.RETRIES) == 1 + _download.RETRIES
    assert names(tables) == []
    before = server.connections
    for load in (datasets.load_secondary_mushroom, datasets.load_primary_mushroom):
        assert "earlier in this run" in fails(load)
    assert server.connections == before


def test_a_server_that_is_not_there(monkeypatch):
    point_to(fake_server.free_address(), monkeypatch)
    assert "Connection refused" in fails(datasets.load_secondary_mushroom)


@pytest.mark.parametrize("path", PATHS)
def test_the_deadline_ends_a_body_that_drips_and_there_is_no_second_one(start, monkeypatch, path):
    monkeypatch.setattr(_download, "DEADLINE", 0.3)
    server = start({path: [fake_server.drip]})
    begin = time.monotonic()
    assert f"no complete answer within {_download.DEADLINE} s" in fails(loader(path))
    assert time.monotonic() - begin < 60
    assert server.times_asked(path, 1) == 1  # by the thread that is left behind, perhaps after the deadline


@pytest.mark.parametrize("path", PATHS)
def test_a_file_that_is_not_there_says_nothing_about_the_others(tables, start, path):
    server = start({path: [fake_server.status(404)]})
    assert "404" in fails(loader(path))
    assert server.times_asked(path, 1) == 1  # no retry: it will not appear
    loader(TABLE if path == ARCHIVE else ARCHIVE)()
    assert len(names(tables)) == 2


@pytest.mark.parametrize("path", PATHS)
def test_a_server_that_fails_twice_and_then_works(tables, start, monkeypatch, path):
    monkeypatch.setattr(_download, "RETRIES", 2)
    waits = []
    monkeypatch.setattr(_download.time, "sleep", waits.append)
    second = fake_server.good(NESTED[:-30]) if path == ARCHIVE else fake_server.reset
    start({path: [fake_server.status(503), second, *{API: [fake_server.metadata()], **GOOD}[path]]})
    loader(path)()
    assert len(names(tables)) == 2
    assert waits == sorted(waits)
    assert len(waits) == 2


# Answers that are complete and wrong

BROKEN_ZIP = bytearray(PLAIN)
BROKEN_ZIP[60] ^= 0xFF
LOCKED_ZIP = bytearray(PLAIN)
LOCKED_ZIP[6] |= 1
LOCKED_ZIP[LOCKED_ZIP.index(b"PK\x01\x02") + 8] |= 1


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        (API, b"<html>\n<p>down for maintenance\n", "JSONDecodeError"),
        (API, b'{"status": 200, "data": null}', "TypeError"),
        (API, b'{"status": 200, "data": {"name": "x"}}', "'data_url'"),
        (API, b'{"status": 404, "message": "no\\nsuch set"}', "no such set"),
        (API, json.dumps({"status": 500, "message": ["long"] * 999}).encode(), "DatasetNotFoundError"),
        (TABLE, b"", "EmptyDataError"),
        (TABLE, b"<html>\n<h1>Sorry</h1>\n<p>We are, for now, down</p>\n</html>\n", "ParserError"),
        (TABLE, b"class,season\n\xff\xfe,x\n", "UnicodeDecodeError"),
        (ARCHIVE, b"<html>", "BadZipFile"),
        (ARCHIVE, NESTED[: len(NESTED) // 2], "BadZipFile"),
        (ARCHIVE, bytes(BROKEN_ZIP), "error, Error -3 while decompressing"),
        (ARCHIVE, bytes(LOCKED_ZIP), "encrypted"),
        (ARCHIVE, zipped({"inner.zip": zipped({"other.csv": b"a\n"})}), "holds no primary_data.csv"),
        (ARCHIVE, zipped({"inner.zip": b"PK\x03\x04"}), "holds no primary_data.csv"),
        (ARCHIVE, zipped({"primary_data.csv": b'a;b\n"open\n'}), "ParserError"),
    ],
)
def test_an_answer_that_cannot_be_read_is_one_sentence(tables, start, path, content, message):
    start({path: [fake_server.good(content)]})
    assert message in fails(loader(path))
    assert names(tables) == []


@pytest.mark.parametrize(
    "members",
    [
        {"primary_data.csv": SPECIES_CSV},
        {"fork.zip": b"not a zip", "deep.zip": PLAIN},
        {"__MACOSX/._primary_data.csv": b"\0", "d/primary_data.csv": SPECIES_CSV},
        {"primary_data.csv/": b"", "old_primary_data.csv": b"a\n", "d/primary_data.csv": SPECIES_CSV},
        {"a.zip": NESTED},
    ],
    ids=["flat", "second archive", "resource fork", "similar names", "three deep"],
)
def test_the_species_are_found_wherever_the_archive_has_them(start, members):
    start({ARCHIVE: [fake_server.good(zipped(members))]})
    assert len(datasets.load_primary_mushroom().frame) == 6


# Addresses


@pytest.mark.parametrize(
    "url",
    [
        "http://uci.example/x.csv",
        "https://evil.example/x.csv",
        "https://uci.example.evil.example/x.csv",
        "https://uci.example@evil.example/x.csv",
        "ftp://uci.example/x.csv",
        "file://uci.example/etc/passwd",
        "/etc/passwd",
        "",
    ],
)
def test_a_file_from_elsewhere_is_refused(url):
    with pytest.raises(ValueError, match="is not an address of https://uci.example$"):
        _download.check_address(url, "uci.example")


def test_the_servers_own_address_is_taken_and_plain_http_on_this_machine_only():
    _download.check_address("https://uci.example/x.csv", "uci.example")
    _download.check_address("https://UCI.example:443/x.csv", "uci.example")
    _download.check_address("http://127.0.0.1:8000/x.csv", "127.0.0.1")


def test_a_server_that_sends_us_elsewhere_is_not_followed(tables, start, serve):
    elsewhere = serve(GOOD).address.replace("127.0.0.1", "localhost")
    start(
        {
            ARCHIVE: [fake_server.moved(elsewhere + ARCHIVE)],
            API: [fake_server.metadata(data_url=elsewhere + TABLE)],
        }
    )
    for load in (datasets.load_primary_mushroom, datasets.load_secondary_mushroom):
        _download._failed_hosts.clear()
        assert "is not an address of https://127.0.0.1" in fails(load)
    assert names(tables) == []


# On this side


@pytest.mark.slow
@pytest.mark.parametrize(("step", "first"), [("fsync", 1), ("fsync", 2), ("replace", 2), ("mkdir", 1)])
def test_a_full_disk_leaves_nothing_and_is_one_sentence(tables, start, monkeypatch, step, first):
    """``first``: the call that fails first, so that either file may be the one that does not fit."""
    calls, real = [], getattr(os, step)

    def full(*arguments, **keywords):
        calls.append(1)
        if len(calls) >= first:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **keywords)

    start({})
    with monkeypatch.context() as patch:
        patch.setattr(os, step, full)
        message = fails(datasets.load_secondary_mushroom)
        assert "No space left on device" in message
        assert datasets.DATA_VARIABLE in message
        assert names(tables) == []
    datasets.load_secondary_mushroom()  # the server is not to blame: with space, it works
    assert len(names(tables)) == 2


def test_without_ucimlrepo_the_other_table_still_comes(start, monkeypatch):
    server = start({})
    monkeypatch.setitem(sys.modules, "ucimlrepo", None)
    assert "ucimlrepo is not installed" in fails(datasets.load_secondary_mushroom)
    assert server.connections == 0
    datasets.load_primary_mushroom()


def test_downloads_in_threads_keep_and_restore_the_timeout():
    seen = []

    def download(seconds):
        wait = threading.Event().wait
        _download.attempt("example.org", lambda: (wait(seconds), seen.append(socket.getdefaulttimeout())))

    threads = [threading.Thread(target=download, args=(s,)) for s in (0.05, 0.15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [_download.TIMEOUT] * 2


@pytest.mark.slow
def test_a_hung_download_does_not_keep_its_interpreter_from_ending():
    lines = (
        "import threading",
        "from studylib.datasets import _download",
        "try: _download.attempt('example.org', threading.Event().wait, deadline=0.1)",
        "except _download.DownloadError as error: print(error)",
    )
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=240, check=True
    )
    assert done.stdout == "example.org: TimeoutError, no complete answer within 0.1 s\n"


# The command line


@pytest.fixture
def data(tmp_path_factory, monkeypatch, capsys):
    """``studylib data`` in a study of both tables: exit code, standard output, lines of standard error."""
    study = tmp_path_factory.mktemp("study")
    checks = [f"studylib.datasets.mushroom:{name}" for name in ("SECONDARY", "PRIMARY")]
    files = [f'[data."{check}"]\ncheck = "{check}"' for check in checks]
    (study / "study.toml").write_text("\n".join(['title = "Some files"', "path = []", *files, "[notebook]"]))
    monkeypatch.setenv(STUDY_VARIABLE, str(study))

    def call():
        code = cli.main(["data"])
        printed = capsys.readouterr()
        return code, printed.out, printed.err.splitlines()

    return call


def test_the_command_downloads_checks_and_refuses_an_altered_file(data, tables, start):
    server = start({})
    for _ in range(2):
        code, out, lines = data()
        assert (code, lines) == (0, [])
        assert "all data files are here" in out
    assert server.connections == 3
    path = tables / "primary_data.csv"
    path.write_bytes(altered := path.read_bytes().replace(b"name 0", b"name 9"))
    code, out, lines = data()
    assert (code, out, len(lines)) == (2, "", 1)
    assert str(path) in lines[0]
    assert "remove the file" in lines[0]
    assert path.read_bytes() == altered


def test_the_command_says_a_sentence_for_each_table_that_is_missing(data, start):
    server = start({API: [fake_server.status(500)]})
    code, out, lines = data()
    assert (code, out, len(lines)) == (1, "", 2)
    assert all(line.startswith("data: ") and "By hand: " in line for line in lines)
    assert "500" in lines[0]
    assert "earlier in this run" in lines[1]
    assert server.connections == 1 + _download.RETRIES
