"""Downloads from a server that fails in every way that a server can."""

import hashlib
import json
import socket
import time

import pandas as pd
import pytest

from studylib import datasets
from studylib.datasets import _download, mushroom
from tests.datasets.download_support import (
    CSV,
    FRAME,
    GOOD,
    NESTED,
    PLAIN,
    SPECIES,
    SPECIES_CSV,
    fails,
    loader,
    names,
    point_to,
    zipped,
)

from . import fake_server as fake
from .fake_server import API, ARCHIVE, TABLE

uci = pytest.importorskip("ucimlrepo.fetch")

# A good server


def test_good_server_gives_the_table_its_provenance_and_nothing_else(folder, serve):
    server = serve({})
    frame = datasets.load_secondary_mushroom().frame
    assert server.paths == [f"{API}?id=848", TABLE]
    pd.testing.assert_frame_equal(frame, FRAME, check_dtype=False)
    primary = datasets.load_primary_mushroom()
    assert server.paths[2:] == [ARCHIVE]
    assert list(primary.frame["name"]) == list(SPECIES["name"])
    for name, content in (("secondary_data.csv", CSV), ("primary_data.csv", SPECIES_CSV)):
        assert (folder / name).read_bytes() == content
        provenance = json.loads((folder / f"{name}.provenance.json").read_text())
        assert provenance["sha256"] == hashlib.sha256(content).hexdigest()
        assert provenance["origin"] == mushroom.HOMEPAGE
        assert set(provenance) == {"origin", "retrieved", "sha256"}
    assert len(names(folder)) == 4
    datasets.load_secondary_mushroom()
    assert server.connections == 3  # what is there is not asked for


# A server that is not well

BROKEN = {
    "reset in the body": (fake.reset, "ConnectionResetError"),
    "cut body": (fake.cut, "IncompleteRead"),
    "no answer": (fake.disconnect, "RemoteDisconnected"),
    "403": (fake.status(403), "403"),
    "500": (fake.status(500), "500"),
    "503": (fake.status(503), "503"),
}
HANGING = {
    "hang before the headers": (fake.hang, "timed out"),
    "hang in the body": (fake.hang_in_body, "timed out"),
}


@pytest.mark.slow
@pytest.mark.parametrize("path", [API, TABLE, ARCHIVE])
@pytest.mark.parametrize("kind", [*BROKEN, *HANGING])
def test_failing_server(folder, serve, monkeypatch, path, kind):
    answer, said = {**BROKEN, **HANGING}[kind]
    answers = {path: [answer]}
    if kind in HANGING and path == TABLE:

        def be_impatient_from_now_on(handler):
            """The metadata have all the time they need; the next connection gets the short limit."""
            socket.setdefaulttimeout(0.2)
            fake.metadata()(handler)

        answers[API] = [be_impatient_from_now_on]
    elif kind in HANGING:
        monkeypatch.setattr(_download, "TIMEOUT", 0.2)
    server = serve(answers)
    assert said in fails(loader(path))
    assert server.times_asked(path, 1 + _download.RETRIES) == 1 + _download.RETRIES
    assert names(folder) == []
    # the host has failed: neither this table nor the other one asks it again
    before = server.connections
    assert "earlier in this run" in fails(datasets.load_secondary_mushroom)
    assert "earlier in this run" in fails(datasets.load_primary_mushroom)
    assert server.connections == before


@pytest.mark.parametrize("path", [API, TABLE, ARCHIVE])
def test_refused_connection(folder, serve, monkeypatch, path):
    if path == TABLE:
        serve({API: [fake.metadata(data_url=fake.free_address() + TABLE)]})
    else:
        point_to(fake.free_address(), monkeypatch)
    assert "Connection refused" in fails(loader(path))
    assert names(folder) == []


@pytest.mark.parametrize("path", [API, TABLE, ARCHIVE])
def test_the_deadline_ends_a_body_that_drips_and_there_is_no_second_one(folder, serve, monkeypatch, path):
    monkeypatch.setattr(_download, "DEADLINE", 0.3)
    server = serve({path: [fake.drip]})
    start = time.monotonic()
    assert f"no complete answer within {_download.DEADLINE} s" in fails(loader(path))
    assert time.monotonic() - start < 60
    assert server.times_asked(path, 1) == 1  # by the thread that is left behind, perhaps after the deadline


@pytest.mark.parametrize("path", [API, TABLE, ARCHIVE])
def test_a_file_that_is_not_there_says_nothing_about_the_others(folder, serve, path):
    server = serve({path: [fake.status(404)]})
    assert "404" in fails(loader(path))
    assert server.times_asked(path, 1) == 1  # no retry: it will not appear
    loader(TABLE if path == ARCHIVE else ARCHIVE)()
    assert len(names(folder)) == 2


@pytest.mark.parametrize("path", [API, TABLE, ARCHIVE])
def test_a_server_that_fails_twice_and_then_works(folder, serve, monkeypatch, path):
    monkeypatch.setattr(_download, "RETRIES", 2)
    waits = []
    monkeypatch.setattr(_download.time, "sleep", waits.append)
    serve({path: [fake.status(503), fake.reset, *{API: [fake.metadata()], **GOOD}[path]]})
    loader(path)()
    assert len(names(folder)) == 2
    assert waits == sorted(waits)
    assert len(waits) == 2


# Answers that are complete and wrong


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (fake.good(b""), "JSONDecodeError"),
        (fake.good(b"<html>\n<p>down for maintenance\n"), "JSONDecodeError"),
        (fake.good(b"\xff\xfe\x00"), "Unicode"),
        (fake.good(b"[1, 2]"), "TypeError"),
        (fake.good(b"{}"), "'status'"),
        (fake.good(b'{"status": 200}'), "'data'"),
        (fake.good(b'{"status": 200, "data": {"name": "x"}}'), "'data_url'"),
        (fake.good(b'{"status": 200, "data": null}'), "TypeError"),
        (fake.metadata(variables=None), "TypeError"),
        (fake.metadata(data_url="nowhere.csv"), "FileNotFoundError"),
        (fake.good(b'{"status": 404, "message": "no\\nsuch set"}'), "no such set"),
        (fake.good(json.dumps({"status": 500, "message": ["long"] * 999}).encode()), "DatasetNotFoundError"),
        (fake.metadata(data_url=None), "not available for import"),
    ],
)
def test_wrong_metadata(folder, serve, answer, said):
    serve({API: [answer]})
    assert said in fails(datasets.load_secondary_mushroom)
    assert names(folder) == []


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "EmptyDataError"),
        (CSV.split(b"\n")[0] + b"\n", "Error reading data csv"),
        (b"<html>\n<h1>Sorry</h1>\n<p>We are, for now, down</p>\n</html>\n", "ParserError"),
        (b"class,season\n\xff\xfe,x\n", "UnicodeDecodeError"),
    ],
    ids=["empty", "header only", "page", "binary"],
)
def test_unreadable_table(folder, serve, content, said):
    serve({TABLE: [fake.good(content)]})
    assert said in fails(datasets.load_secondary_mushroom)
    assert names(folder) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda f: f.rename(columns={"cap-shape": "cap-form"}), "lacks the column 'cap-shape'"),
        (lambda f: f[f.columns[::-1]], "another order"),
        (lambda f: f[:-1], "rows instead of"),
        (lambda f: f.assign(**{"class": "p"}), "altered"),
        (lambda f: f.assign(**{"gill-color": f["gill-color"].where(f.index > 0)}), "altered"),
        (lambda f: f.assign(season=[True, None] * (len(f) // 2)), "altered"),
    ],
    ids=["renamed", "reordered", "lost row", "altered", "emptied", "truth values"],
)
@pytest.mark.parametrize(
    ("frame", "load"), [(FRAME, datasets.load_secondary_mushroom), (SPECIES, datasets.load_primary_mushroom)]
)
def test_a_wrong_table_is_the_servers_fault_and_not_kept(folder, serve, frame, load, change, said):
    content = change(frame).to_csv(index=False).encode()
    serve({TABLE: [fake.good(content)], ARCHIVE: [fake.good(zipped({"primary_data.csv": content}))]})
    message = fails(load, datasets.DataChangedError)
    assert said in message
    assert "server" in message
    assert "remove the file" not in message
    assert names(folder) == []


BROKEN_ZIP = bytearray(PLAIN)
BROKEN_ZIP[60] ^= 0xFF
LOCKED_ZIP = bytearray(PLAIN)
LOCKED_ZIP[6] |= 1
LOCKED_ZIP[LOCKED_ZIP.index(b"PK\x01\x02") + 8] |= 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "BadZipFile"),
        (b"<html>", "BadZipFile"),
        (NESTED[: len(NESTED) // 2], "BadZipFile"),
        (bytes(BROKEN_ZIP), "error, Error -3 while decompressing"),
        (bytes(LOCKED_ZIP), "encrypted"),
        (zipped({"secondary_data.csv": CSV}), "holds no primary_data.csv"),
        (zipped({"inner.zip": zipped({"other.csv": b"a\n"})}), "holds no primary_data.csv"),
        (zipped({"inner.zip": b"PK\x03\x04"}), "holds no primary_data.csv"),
        (zipped({"primary_data.csv": b""}), "EmptyDataError"),
        (zipped({"primary_data.csv": b'a;b\n"open\n'}), "ParserError"),
    ],
    ids=[
        "empty",
        "page",
        "half",
        "broken",
        "locked",
        "lacking",
        "nested lacking",
        "nested bad",
        "void",
        "quote",
    ],
)
def test_bad_archive(folder, serve, content, said):
    serve({ARCHIVE: [fake.good(content)]})
    assert said in fails(datasets.load_primary_mushroom)
    assert names(folder) == []


def test_an_archive_that_was_bad_once_is_asked_for_again(folder, serve):
    serve({ARCHIVE: [fake.good(NESTED[:-30]), fake.good(NESTED)]})
    assert len(datasets.load_primary_mushroom().frame) == 6


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
def test_the_species_are_found_wherever_the_archive_has_them(folder, serve, members):
    serve({ARCHIVE: [fake.good(zipped(members))]})
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
        "file:///etc/passwd",
        "file://uci.example/etc/passwd",
        "/etc/passwd",
        "x.csv",
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


def test_a_server_that_sends_us_elsewhere_is_not_followed(folder, serve):
    with fake.FakeServer({ARCHIVE: GOOD[ARCHIVE], TABLE: GOOD[TABLE]}) as other:
        elsewhere = other.address.replace("127.0.0.1", "localhost")
        serve({ARCHIVE: [fake.moved(elsewhere + ARCHIVE)], API: [fake.metadata(data_url=elsewhere + TABLE)]})
        for load in (datasets.load_primary_mushroom, datasets.load_secondary_mushroom):
            _download._failed_hosts.clear()
            assert "is not an address of https://127.0.0.1" in fails(load)
    assert names(folder) == []


def test_a_file_of_this_machine_is_no_download(folder, serve, tmp_path):
    secret = tmp_path / "table.csv"
    secret.write_bytes(CSV)
    serve({API: [fake.metadata(data_url=str(secret))]})
    assert "is not an address of" in fails(datasets.load_secondary_mushroom)
    assert names(folder) == []
