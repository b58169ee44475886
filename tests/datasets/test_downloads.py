"""Downloads from a server that fails in every way that a server can."""

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
from types import SimpleNamespace

import pandas as pd
import pytest

from studylib import datasets
from studylib.datasets import _download, _tables, mushroom

from . import fake_server as fake
from .fake_server import API, ARCHIVE, TABLE, FakeServer

uci = pytest.importorskip("ucimlrepo.fetch")

FRAME = datasets.simulate_secondary_mushrooms(n_species=6, n_per_species=4).frame
SPECIES = FRAME.iloc[::4].reset_index(drop=True)
SPECIES.insert(0, "name", [f"name {k}" for k in range(len(SPECIES))])
SPECIES.insert(0, "family", "family")
SPECIES.columns = list(mushroom.PRIMARY.columns)
CSV, SPECIES_CSV = _tables.canonical(FRAME), _tables.canonical(SPECIES)
FOLDER = "secondary_mushroom"


def stand_in(table, content):
    """The table, with a small made-up content instead of the published one."""
    shape = (content.count(b"\n") - 1, len(table.columns))
    return dataclasses.replace(table, shape=shape, sha256=hashlib.sha256(content).hexdigest())


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
GOOD = {TABLE: [fake.good(CSV)], ARCHIVE: [fake.good(NESTED)]}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv(_download.OFFLINE_VARIABLE, "")  # so that what fetch_data sets is undone
    monkeypatch.setattr(_download, "_failed_hosts", set())
    monkeypatch.setattr(_download, "TIMEOUT", 5)
    monkeypatch.setattr(_download, "DEADLINE", 10)
    monkeypatch.setattr(_download, "RETRIES", 1)
    monkeypatch.setattr(_download, "time", SimpleNamespace(sleep=lambda s: None, monotonic=time.monotonic))
    # plain HTTP needs no certificates, and reading them takes longer than all the rest
    monkeypatch.setattr(uci, "ssl", SimpleNamespace(create_default_context=lambda **keywords: None))
    monkeypatch.setattr(mushroom, "SECONDARY", stand_in(mushroom.SECONDARY, CSV))
    monkeypatch.setattr(mushroom, "PRIMARY", stand_in(mushroom.PRIMARY, SPECIES_CSV))
    yield tmp_path / FOLDER
    assert socket.getdefaulttimeout() is None


@pytest.fixture
def serve(monkeypatch):
    """Start a server with these answers in the place of UCI's."""
    running = []

    def start(answers):
        server = FakeServer({**GOOD, **answers})
        running.append(server.__enter__())
        point_to(server.address, monkeypatch)
        return server

    yield start
    for server in running:
        server.__exit__()


def point_to(address, monkeypatch):
    monkeypatch.setattr(uci, "API_BASE_URL", address + API)
    monkeypatch.setattr(mushroom, "_ARCHIVE", address + ARCHIVE)


def fails(load, error=datasets.DataNotAvailableError):
    """The message of the error, which is one line that says what to do."""
    with pytest.raises(error) as caught:
        load()
    assert type(caught.value) is error
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 900
    assert "by hand" in message.lower()
    assert mushroom.HOMEPAGE in message
    assert str(datasets.data_dir() / FOLDER) in message
    return message


def loader(path):
    return datasets.load_primary_mushroom if path == ARCHIVE else datasets.load_secondary_mushroom


def names(folder):
    return sorted(p.name for p in folder.iterdir()) if folder.exists() else []


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


@pytest.mark.parametrize("path", [API, TABLE, ARCHIVE])
@pytest.mark.parametrize("kind", [*BROKEN, *HANGING])
def test_failing_server(folder, serve, monkeypatch, path, kind):
    answer, said = {**BROKEN, **HANGING}[kind]
    if kind in HANGING:
        # the metadata must still arrive in time on a busy machine
        monkeypatch.setattr(_download, "TIMEOUT", 0.4 if path == TABLE else 0.2)
    server = serve({path: [answer]})
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
    monkeypatch.setattr(_download, "DEADLINE", 1.0 if path == TABLE else 0.3)
    server = serve({path: [fake.drip]})
    start = time.monotonic()
    assert f"no complete answer within {_download.DEADLINE} s" in fails(loader(path))
    assert time.monotonic() - start < 5
    assert server.times_asked(path, 1) == 1


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


# This side


@pytest.mark.parametrize("step", ["fsync", "replace", "mkdir"])
@pytest.mark.parametrize("first", [1, 2])
def test_a_full_disk_leaves_nothing_and_is_one_sentence(folder, serve, monkeypatch, step, first):
    """``first``: the call that fails first, so that either file may be the one that does not fit."""
    calls = []
    real = getattr(os, step)

    def full(*arguments, **keywords):
        calls.append(1)
        if len(calls) >= first:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **keywords)

    serve({})
    with monkeypatch.context() as patch:
        patch.setattr(os, step, full)
        if not (step == "mkdir" and first == 2):
            message = fails(datasets.load_secondary_mushroom)
            assert "No space left on device" in message
            assert datasets.DATA_VARIABLE in message
            assert names(folder) == []
    datasets.load_secondary_mushroom()  # the server is not to blame: with space, it works
    assert len(names(folder)) == 2


def test_a_data_directory_that_is_a_file(folder, serve, monkeypatch):
    serve({})
    folder.write_text("")
    message = fails(datasets.load_secondary_mushroom)
    assert "cannot be written" in message
    assert folder.read_text() == ""


def test_a_file_that_cannot_be_read(folder, serve, monkeypatch):
    serve({})
    datasets.load_secondary_mushroom()

    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(type(folder), "read_bytes", refuse)
    assert "Permission denied" in fails(datasets.load_secondary_mushroom)


def test_without_ucimlrepo_the_other_table_still_comes(folder, serve, monkeypatch):
    server = serve({})
    monkeypatch.setitem(sys.modules, "ucimlrepo", None)
    assert "ucimlrepo is not installed" in fails(datasets.load_secondary_mushroom)
    assert server.connections == 0
    datasets.load_primary_mushroom()


def test_threads_that_download_at_once_all_get_the_good_file(folder, serve):
    serve({})
    got = []
    threads = [
        threading.Thread(target=lambda: got.append(datasets.load_secondary_mushroom())) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert [len(bunch.frame) for bunch in got] == [24] * 4
    assert len(names(folder)) == 2
    assert (folder / "secondary_data.csv").read_bytes() == CSV


def test_downloads_in_threads_keep_and_restore_the_timeout(folder):
    seen = []

    def download(seconds):
        wait = threading.Event().wait
        _download.attempt("example.org", lambda: (wait(seconds), seen.append(socket.getdefaulttimeout())))

    threads = [threading.Thread(target=download, args=(s,)) for s in (0.05, 0.15)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    assert seen == [5, 5]
    assert socket.getdefaulttimeout() is None


# Importing takes seconds, so the processes are forks of one that has imported; each ends as an interpreter does.
PROCESSES = f"""
import dataclasses, os, sys, warnings
import ucimlrepo.fetch as uci
from studylib.datasets import DATA_VARIABLE, DataNotAvailableError, _download, mushroom
warnings.simplefilter("ignore")  # newer Pythons warn of forks in general
good, hanging, sha256, folder = sys.argv[1:]
mushroom.SECONDARY = dataclasses.replace(mushroom.SECONDARY, shape=(24, 21), sha256=sha256)
for address, data, _download.DEADLINE in [(good, "", 10), (good, "", 10), (hanging, "other", 1.5)]:
    uci.API_BASE_URL, os.environ[DATA_VARIABLE] = address + {API!r}, os.path.join(folder, data)
    if not os.fork():
        try:
            said = len(mushroom.load_secondary_mushroom().frame)
        except DataNotAvailableError as error:
            said = error
        os.write(1, f"{{said}}\\n".encode())  # in one piece
        break
else:
    sys.exit(max(os.wait()[1] for _ in range(3)))
"""


def test_processes_that_download_at_once_and_one_that_hangs(folder, serve):
    """Twins both get the good file; a hung download does not keep its interpreter from ending."""
    both = threading.Barrier(2, timeout=10)  # neither twin finds the file of the other

    def together(handler):
        both.wait()
        fake.good(CSV)(handler)

    server = serve({TABLE: [together]})
    with FakeServer({TABLE: [fake.hang]}) as other:
        words = [server.address, other.address, mushroom.SECONDARY.sha256, str(folder.parent)]
        done = subprocess.run(
            [sys.executable, "-c", PROCESSES, *words], capture_output=True, text=True, timeout=25, check=False
        )
        assert (done.returncode, done.stderr) == (0, "")
        said = sorted(done.stdout.splitlines())
        assert said[:2] == ["24", "24"]
        assert "no complete answer within 1.5 s" in said[2]
        assert other.paths == [f"{API}?id=848", TABLE]
    assert server.connections == 4
    assert len(names(folder)) == 2
    assert (folder / "secondary_data.csv").read_bytes() == CSV


# The command line


@pytest.fixture
def data(folder, monkeypatch, capsys):
    """``studylib data``: exit code, standard output and the lines of standard error."""
    from studylib import cli
    from studylib.study import runner

    monkeypatch.setattr(runner, "_TABLES", (mushroom.SECONDARY, mushroom.PRIMARY))

    def call():
        code = cli.main(["data"])
        said = capsys.readouterr()
        return code, said.out, said.err.splitlines()

    return call


def test_cli_downloads_and_then_checks(data, folder, serve):
    server = serve({})
    code, out, lines = data()
    assert (code, lines) == (0, [])
    assert "all data files are in" in out
    assert data()[0] == 0
    assert server.connections == 3


def test_cli_says_a_sentence_for_each_table_that_is_missing(data, folder, serve):
    server = serve({API: [fake.status(500)]})
    code, out, lines = data()
    assert (code, out) == (1, "")
    assert len(lines) == 2
    assert all(line.startswith("data: ") and "By hand: " in line for line in lines)
    assert "500" in lines[0]
    assert "earlier in this run" in lines[1]
    assert server.connections == 1 + _download.RETRIES


def test_cli_fetches_the_other_table_when_one_is_not_importable(data, folder, serve):
    serve({API: [fake.metadata(data_url=None)]})
    code, _, lines = data()
    assert code == 1
    assert len(lines) == 1
    assert names(folder) == ["primary_data.csv", "primary_data.csv.provenance.json"]


@pytest.mark.parametrize("name", ["secondary_data.csv", "primary_data.csv"])
def test_cli_refuses_an_altered_file(data, folder, serve, name):
    serve({})
    data()
    path = folder / name
    altered = path.read_bytes().replace(b"\ne,", b"\np,", 1).replace(b"name 0", b"name 9")
    path.write_bytes(altered)
    code, out, lines = data()
    assert (code, out) == (2, "")
    assert len(lines) == 1
    assert str(path) in lines[0]
    assert "remove the file" in lines[0]
    assert path.read_bytes() == altered


def test_cli_refuses_a_wrong_table_from_the_server(data, folder, serve):
    serve({TABLE: [fake.good(CSV.replace(b"cap-shape", b"cap-form"))]})
    code, out, lines = data()
    assert (code, out) == (2, "")
    assert len(lines) == 1
    assert "server" in lines[0]
    assert not (folder / "secondary_data.csv").exists()


def test_cli_says_a_sentence_when_the_disk_is_full(data, folder, serve, monkeypatch):
    serve({})

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    code, _, lines = data()
    assert code == 1
    assert len(lines) == 2
    assert "No space left on device" in lines[0]
    assert names(folder) == []
