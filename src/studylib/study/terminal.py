"""What commands do with the process, the terminal and the browser they were started from."""

import contextlib
import logging
import os
import re
import sys
import warnings
import webbrowser

from studylib.core.text import shorten

#: What a terminal obeys or shows as nothing, instead of as text: controls, turns of direction, broken bytes.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


class Printable:
    """A text stream that shows what is not text as ``\\x1b``: names and errors come from a study's files.

    A line that begins with ``\\r`` goes over the last one: a bar of progress does so.
    """

    def __init__(self, stream):
        self._stream = stream

    def __getattr__(self, name):
        return getattr(self._stream, name)

    def write(self, text):
        """Write a text, with escapes for what is none."""
        start = "\r" if text.startswith("\r") else ""
        return self._stream.write(start + UNPRINTABLE.sub(_escaped, text[len(start) :]))


def _escaped(match):
    return match.group().encode("unicode_escape").decode("ascii")


@contextlib.contextmanager
def printable():
    """Let this process print nothing but text for as long as a block runs."""
    with contextlib.redirect_stdout(Printable(sys.stdout)), contextlib.redirect_stderr(Printable(sys.stderr)):
        yield


def open_page(path):
    """Open a local page; returns whether a browser took it."""
    # On Linux without a display there is at most a browser in the terminal, which the page is not for.
    headless = sys.platform.startswith("linux") and not any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
    )
    try:
        return not headless and webbrowser.open(path.resolve().as_uri())
    except webbrowser.Error:
        return False


def warn_in_one_line():
    """From now on, warnings of this process are one line each, without the line of code they came from."""
    warnings.formatwarning = _formatted


def _formatted(message, category, filename, lineno, line=None):
    place = f"{os.path.basename(filename)}:{lineno}"
    return f"studylib: {category.__name__} in {place}: {shorten(message, 300)}\n"


@contextlib.contextmanager
def environment(**variables):
    """Set environment variables for as long as a block runs; None leaves one out."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


@contextlib.contextmanager
def silence(*names):
    """Let loggers of these names say nothing but errors for as long as a block runs."""
    before = {logging.getLogger(name): logging.getLogger(name).level for name in names}
    for logger in before:
        logger.setLevel("ERROR")
    try:
        yield
    finally:
        for logger, level in before.items():
            logger.setLevel(level)


def _set(variables):
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
