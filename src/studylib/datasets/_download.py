"""Downloads that fail in one way only: DownloadError, with one sentence."""

import os
import socket
import threading
import time
import urllib.request

#: Seconds without an answer after which a connection counts as failed.
TIMEOUT = 20
#: Seconds that one attempt may take as a whole, however slowly the bytes drip in.
DEADLINE = 180
RETRIES = 2
#: If set, nothing is downloaded (the study runner sets it after one failure).
OFFLINE_VARIABLE = "STUDYLIB_OFFLINE"

_failed_hosts = set()


class DownloadError(OSError):
    """A download failed; the message says why."""


def attempt(host, action):
    """Run ``action()`` with a timeout, a deadline and retries; a host that failed is not asked again.

    Whatever goes wrong in it (refused or reset connections, broken JSON, a truncated body, a hang)
    becomes a DownloadError.
    """
    if os.environ.get(OFFLINE_VARIABLE):
        raise DownloadError(f"{OFFLINE_VARIABLE} is set")
    if host in _failed_hosts:
        raise DownloadError(f"{host} did not answer earlier in this run")
    reason = ""
    for k in range(RETRIES + 1):
        if k:
            time.sleep(0.5 * 2**k)
        result, error = _with_deadline(action)
        if error is None:
            return result
        reason = f"{host}: {type(error).__name__}" + (f", {error}" if str(error) else "")
    _failed_hosts.add(host)
    raise DownloadError(reason)


def _with_deadline(action):
    """``(result, None)`` or ``(None, error)``; a thread that hangs is left behind."""
    outcome = [None, TimeoutError(f"no complete answer within {DEADLINE} s")]

    def work():
        try:
            outcome[:] = [action(), None]
        except Exception as error:  # ucimlrepo and urllib raise many kinds; all of them mean "failed"
            outcome[:] = [None, error]

    # ucimlrepo passes no timeout on, so the process-wide default is the only handle there is.
    before = socket.getdefaulttimeout()
    socket.setdefaulttimeout(TIMEOUT)
    try:
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(DEADLINE)
    finally:
        socket.setdefaulttimeout(before)
    return tuple(outcome)


def fetch_uci_frame(uci_id):
    """The whole table of a data set in the UCI repository, by ``ucimlrepo``."""

    def action():
        from ucimlrepo import fetch_ucirepo  # needed here only; the package is an extra

        return fetch_ucirepo(id=uci_id).data.original

    return attempt("archive.ics.uci.edu", action)


def fetch_bytes(url):
    """The bytes behind a URL."""

    def action():
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            return response.read()

    return attempt(urllib.request.urlparse(url).hostname, action)
