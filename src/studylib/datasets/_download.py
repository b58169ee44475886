"""Downloads, whose every failure is a DownloadError with one sentence."""

import http.client
import os
import socket
import textwrap
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from studylib.core.data import OFFLINE_VARIABLE

#: Seconds without an answer after which a connection counts as failed.
TIMEOUT = 20
#: Seconds that a download may take with all its attempts, however slowly the bytes arrive.
DEADLINE = 180
RETRIES = 2
#: Bytes that a download may have, where nothing else is said.
MOST = 2**26

_failed_hosts = set()
#: Downloads wait for each other: they share the default timeout of sockets, and the failed hosts.
_one_at_a_time = threading.Lock()


class DownloadError(OSError):
    """A download failed for the reason in the message."""


def attempt(host, action, deadline=None):
    """Run ``action()`` with a timeout, a deadline and retries; a host that failed is not asked again.

    Whatever goes wrong in it (refused or reset connections, broken JSON, a truncated body, a hang)
    becomes a DownloadError.  A host that answers "not found" has not failed.  ``deadline`` is
    in seconds, ``DEADLINE`` if it is None.
    """
    if os.environ.get(OFFLINE_VARIABLE):
        raise DownloadError(f"{OFFLINE_VARIABLE} is set")
    with _one_at_a_time:
        if host in _failed_hosts:
            raise DownloadError(f"{host} did not answer earlier in this run")
        deadline = deadline or DEADLINE
        end = time.monotonic() + deadline
        for k in range(RETRIES + 1):
            if k:
                time.sleep(0.5 * 2**k)
            result, error = _run_until(end, deadline, action)
            if error is None:
                return result
            if isinstance(error.__context__, urllib.error.URLError):
                error = error.__context__  # ucimlrepo replaces it by "Error connecting to server"
            if _means_absent(error):
                break
            if k == RETRIES or time.monotonic() >= end:
                _failed_hosts.add(host)
                break
    reason = textwrap.shorten(str(error), 160, placeholder=" …")  # one line: servers and parsers send many
    raise DownloadError(f"{host}: {type(error).__name__}" + (f", {reason}" if reason else ""))


def _means_absent(error):
    return getattr(error, "code", None) in (404, 410) or type(error).__name__ == "DatasetNotFoundError"


def _run_until(end, deadline, action):
    """``(result, None)`` or ``(None, error)``; a thread that hangs is left behind, as a daemon."""
    outcome = [None, TimeoutError(f"no complete answer within {deadline} s")]

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
        thread.join(max(0.0, end - time.monotonic()))
    finally:
        socket.setdefaulttimeout(before)
    return tuple(outcome)


def fetch_uci_frame(uci_id):
    """The whole table of a data set in the UCI repository, by ``ucimlrepo``."""
    try:
        from ucimlrepo import fetch as uci  # needed here only; the package is an extra
    except ImportError as error:
        raise DownloadError("the package ucimlrepo is not installed") from error
    host = urllib.parse.urlsplit(uci.API_BASE_URL).hostname

    def action():
        fetched = uci.fetch_ucirepo(id=uci_id)
        check_address(fetched.metadata.data_url, host)
        return fetched.data.original

    return attempt(host, action)


def fetch_parsed(url, parse, deadline=None, most=MOST):
    """``parse(content)`` of the bytes behind a URL; content that it cannot read is a failed attempt.

    So is one that is longer than ``most`` bytes, and one that another server sent, or nobody vouches for.
    """
    host = urllib.parse.urlsplit(url).hostname

    def action():
        with urllib.request.urlopen(url, timeout=TIMEOUT) as response:
            check_address(response.url, host)
            content = response.read(most + 1)
            left = response.length  # of what was promised
        if len(content) > most:
            raise ValueError(f"the answer has more than {most:,} bytes")
        if left:
            raise http.client.IncompleteRead(content, left)
        return parse(content)

    return attempt(host, action, deadline)


def check_address(url, host):
    """Raise ValueError unless a file came from this host, and by HTTPS if that is another machine."""
    parts = urllib.parse.urlsplit(url)
    here = parts.hostname in ("127.0.0.1", "::1", "localhost")
    if parts.hostname != host or parts.scheme not in (("https", "http") if here else ("https",)):
        raise ValueError(f"{url} is not an address of https://{host}")
