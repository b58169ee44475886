"""Downloads on this side: disks, folders, threads, processes, the command line."""

import errno
import os
import socket
import subprocess
import sys
import threading

import pytest

from studylib import datasets
from studylib.datasets import _download, mushroom
from tests.datasets.download_support import CSV, fails, names

from . import fake_server as fake
from .fake_server import API, TABLE, FakeServer

pytestmark = pytest.mark.slow

uci = pytest.importorskip("ucimlrepo.fetch")


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
        thread.join()
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
        thread.join()
    assert seen == [_download.TIMEOUT] * 2
    assert socket.getdefaulttimeout() is None


# Importing takes seconds, so the processes are forks of one that has imported; each ends as an interpreter does.
PROCESSES = f"""
import dataclasses, os, sys, time, types, warnings
import ucimlrepo.fetch as uci
from studylib.datasets import DATA_VARIABLE, DataNotAvailableError, _download, mushroom
warnings.simplefilter("ignore")  # newer Pythons warn of forks in general
good, hanging, sha256, folder, hangs = sys.argv[1:]
mushroom.SECONDARY = dataclasses.replace(mushroom.SECONDARY, shape=(24, 21), sha256=sha256)
looks = []

def monotonic():
    # The deadline is looked at, the second time, when the server hangs and not before.
    looks.append(1)
    while len(looks) == 2 and not os.path.exists(hangs):
        time.sleep(0.01)
    return time.monotonic()

for address, data, _download.DEADLINE in [(good, "", 120), (good, "", 120), (hanging, "other", 1.5)]:
    uci.API_BASE_URL, os.environ[DATA_VARIABLE] = address + {API!r}, os.path.join(folder, data)
    if not os.fork():
        if address == hanging:
            _download.time = types.SimpleNamespace(monotonic=monotonic, sleep=time.sleep)
        try:
            said = len(mushroom.load_secondary_mushroom().frame)
        except DataNotAvailableError as error:
            said = error
        os.write(1, f"{{said}}\\n".encode())  # in one piece
        break
else:
    sys.exit(max(os.wait()[1] for _ in range(3)))
"""


def test_processes_that_download_at_once_and_one_that_hangs(folder, serve, tmp_path):
    """Twins both get the good file; a hung download does not keep its interpreter from ending."""
    both = threading.Barrier(2, timeout=120)  # neither twin finds the file of the other
    hangs = tmp_path / "hangs"

    def together(handler):
        both.wait()
        fake.good(CSV)(handler)

    def hang(handler):
        hangs.touch()
        fake.hang(handler)

    server = serve({TABLE: [together]})
    with FakeServer({TABLE: [hang]}) as other:
        words = [server.address, other.address, mushroom.SECONDARY.sha256, str(folder.parent), str(hangs)]
        done = subprocess.run(
            [sys.executable, "-c", PROCESSES, *words],
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
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
def data(folder, study_of, capsys):
    """``studylib data``: exit code, standard output and the lines of standard error."""
    from studylib.study import cli

    study_of("studylib.datasets.mushroom:SECONDARY", "studylib.datasets.mushroom:PRIMARY")

    def call():
        code = cli.main(["data"])
        said = capsys.readouterr()
        return code, said.out, said.err.splitlines()

    return call


def test_cli_downloads_and_then_checks(data, folder, serve):
    server = serve({})
    code, out, lines = data()
    assert (code, lines) == (0, [])
    assert "all data files are here" in out
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
