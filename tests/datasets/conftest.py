"""A data folder of its own for each test of downloads, and a server that fails on demand."""

import socket
import time
from types import SimpleNamespace

import pytest

from studylib import datasets
from studylib.datasets import _download

from .fake_server import FakeServer


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The data directory; downloads have patience, and do not wait between attempts."""
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.delenv(_download.OFFLINE_VARIABLE, raising=False)
    monkeypatch.setattr(_download, "_failed_hosts", set())
    # what takes milliseconds has minutes: the limits end a hang, also on a busy machine
    monkeypatch.setattr(_download, "TIMEOUT", 60)
    monkeypatch.setattr(_download, "DEADLINE", 120)
    monkeypatch.setattr(_download, "RETRIES", 1)
    monkeypatch.setattr(_download, "time", SimpleNamespace(sleep=lambda s: None, monotonic=time.monotonic))
    yield tmp_path
    assert socket.getdefaulttimeout() is None


@pytest.fixture
def serve():
    """Start a server with these answers."""
    running = []

    def start(answers):
        server = FakeServer(answers)
        running.append(server.__enter__())
        return server

    yield start
    for server in running:
        server.__exit__()
