"""What the tests of downloads share: small stand-in tables, a server that serves them, what a failure must say."""

import dataclasses
import hashlib
import io
import socket
import time
import zipfile
from types import SimpleNamespace

import pytest

from studylib import datasets
from studylib.core.data import STUDY_VARIABLE
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
    monkeypatch.delenv(_download.OFFLINE_VARIABLE, raising=False)
    monkeypatch.setattr(_download, "_failed_hosts", set())
    # what takes milliseconds has minutes: the limits end a hang, also on a busy machine
    monkeypatch.setattr(_download, "TIMEOUT", 60)
    monkeypatch.setattr(_download, "DEADLINE", 120)
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


@pytest.fixture
def study_of(tmp_path_factory, monkeypatch):
    """Make a study current whose only data files are those that these objects check."""

    def make(*checks):
        study = tmp_path_factory.mktemp("study")
        data = [f'[data."{check}"]\ncheck = "{check}"' for check in checks]
        lines = ['title = "Some files"', "path = []", *data, "[notebook]"]
        (study / "study.toml").write_text("\n".join(lines))
        monkeypatch.setenv(STUDY_VARIABLE, str(study))

    return make


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
