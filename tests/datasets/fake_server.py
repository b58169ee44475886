"""A fake of the UCI repository on 127.0.0.1: the metadata that ucimlrepo asks for, a table, an archive.

Each path has a list of answers: functions of the request's handler, such as those below. The last one is
repeated. A server lives at most LIFE seconds, whatever its clients do, and leaving its ``with`` block ends
every answer that hangs or drips.
"""

import json
import socket
import struct
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIFE = 300
API, TABLE, ARCHIVE = "/api/dataset", "/static/public/848/data.csv", "/static/public/848/archive.zip"


class FakeServer(ThreadingHTTPServer):
    """Use as a context manager; ``connections`` counts what was accepted, ``paths`` lists what was asked."""

    daemon_threads = False  # server_close() waits for every answer
    timeout = 0.02

    def __init__(self, answers):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.answers = {API: [metadata()], **{path: list(steps) for path, steps in answers.items()}}
        self.connections = 0
        self.paths = []
        self.leaving = threading.Event()
        self._end = time.monotonic() + LIFE
        self._loop = threading.Thread(target=self._serve, daemon=True)

    def _serve(self):
        while not self.over():
            self.handle_request()

    def over(self, wait=0.0):
        """Whether the server ends; ``wait`` seconds may pass before the answer."""
        return self.leaving.wait(wait) or time.monotonic() > self._end

    def times_asked(self, path, expected):
        """How often a path was asked for; waits for a request that a client gave up before it was read."""
        end = time.monotonic() + 60
        while True:
            count = [asked.split("?")[0] for asked in self.paths].count(path)
            if count >= expected or time.monotonic() > end:
                return count
            self.leaving.wait(0.01)

    def process_request(self, request, client_address):
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request, client_address):
        """Clients that gave up are what is tested: no traceback."""

    def __enter__(self):
        self._loop.start()
        return self

    def __exit__(self, *exception):
        self.leaving.set()
        self._loop.join()
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    timeout = 60

    def do_GET(self):
        path = self.path.split("?")[0]
        self.server.paths.append(self.path)
        steps = self.server.answers.get(path, [status(404)])
        answer = steps.pop(0) if len(steps) > 1 else steps[0]
        answer(self)

    def begin(self, code=200, length=None):
        """Status line and headers."""
        self.send_response(code)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, *arguments):
        """Quiet."""


def good(body):
    """The body, as it should be."""

    def answer(handler):
        handler.begin(length=len(body))
        handler.wfile.write(body)

    return answer


def metadata(**changes):
    """The metadata of data set 848; its ``data_url`` is on the server that is asked."""

    def answer(handler):
        data = {
            "uci_id": 848,
            "name": "Secondary Mushroom",
            "data_url": handler.server.address + TABLE,
            "variables": [{"name": "class", "role": "Target"}, {"name": "season", "role": "Feature"}],
            "additional_info": {"summary": "made up"},
            "intro_paper": None,
        }
        whole = {"status": 200, "data": {**data, **changes}} if handler.path.endswith("?id=848") else {}
        good(json.dumps(whole).encode())(handler)

    return answer


def status(code):
    """An HTTP error with a short page."""

    def answer(handler):
        handler.begin(code, length=5)
        handler.wfile.write(b"sorry")

    return answer


def moved(address):
    """The file is elsewhere."""

    def answer(handler):
        handler.send_response(302)
        handler.send_header("Location", address)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


def cut(handler):
    """Half of the promised bytes, then an orderly end: IncompleteRead."""
    handler.begin(length=10_000)
    handler.wfile.write(b"x" * 5_000)


def reset(handler):
    """Half of the promised bytes, then a reset."""
    handler.begin(length=10_000)
    handler.wfile.write(b"x" * 5_000)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    socket.close(handler.connection.detach())


def disconnect(handler):
    """No answer at all: RemoteDisconnected."""


def hang(handler):
    """Silence before the headers."""
    handler.server.over(LIFE)


def drip(handler):
    """A byte now and then, for ever: no single read takes long."""
    handler.begin(length=10_000_000)
    while not handler.server.over(0.01):
        handler.wfile.write(b"x")


def free_address():
    """The address of a port where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}"
