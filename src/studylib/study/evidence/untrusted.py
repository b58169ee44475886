"""Read files that may be hostile: only plain ones, inside a folder, of a limited size; and print their names.

This file needs the standard library and ``shapes`` only: ``verify.py`` of a report contains it word for word.
"""

import os
import stat
from pathlib import Path

from studylib.study.shapes import Refused

# Limits, so that no report fills the memory or takes minutes.  Our largest one needs the number at the end.
MOST_BYTES = 500_000_000  # of all files together (31 MB)
MOST_PARSED = 4_000_000  # of a JSON file or a line of tasks, whose values may need 30 times that (0.7 MB)
MOST_TOML = 500_000  # of a claims.toml (45 kB)
MOST_DOTS = 500  # in one of its lines: the time for a key such as a.a.a grows with their square (12)
MOST_JUDGED = 20_000_000  # length of a rule times that of its measurement: it may add words to each (2.5e6)
MOST_NAME = 1000  # letters
MOST_SENTENCE = 1000
MOST_PROBLEMS = 100


def is_below(path, folder):
    """Whether a path is inside a folder, once links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def opened(folder, name, root="."):
    """A plain file below ``folder/root``, opened for reading; Refused or OSError if it is none."""
    if len(name) > MOST_NAME:
        raise Refused(f"a name may have {MOST_NAME} letters")
    path = os.path.normpath(Path(folder, name))
    if not is_below(path, os.path.normpath(Path(folder, root))):
        raise Refused("it is not in the folder of the " + ("report" if root == "." else "study"))
    file = open(path, "rb", opener=_without_waiting)  # noqa: SIM115
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise Refused("it is no plain file")
    return file


def _without_waiting(path, flags):
    """Open a file; if it is a pipe, whether or not somebody writes into it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read(folder, name, most, root="."):
    """The bytes of a plain file; see :func:`opened`."""
    with opened(folder, name, root) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise Refused(f"it may have {most / 10**6:g} MB")
    return content


def reason(error):
    """Why something failed, in a few words."""
    if isinstance(error, Refused):
        return str(error)
    return getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"


def visible(line):
    """A line with all that moves the cursor, breaks the line or turns the direction of writing escaped."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)
