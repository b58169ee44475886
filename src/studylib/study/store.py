"""Results of a notebook's tasks: one file with a line for each, which also travels with the report."""

import contextlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from studylib.core.files import sha256, write_atomically

#: Seconds that no task takes; more would be no float.
_LONGEST = 1e12


def canonical(value):
    """JSON text of a value that does not depend on the order of its keys.

    Raises TypeError or ValueError if the value is not plain data, or holds NaN or infinity.
    """
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def seed_of(key):
    """Seed of a task, from its key alone: the same for every run, executor and order; below 2**32."""
    return int(sha256(canonical(key).encode())[:8], 16)


class TaskFile:
    """Results of a notebook's tasks, a line each, in a file that only grows while they are computed.

    A line is a JSON table: ``task``, ``key``, ``context``, ``result``, ``seconds``, and ``sha256``, the
    checksum of all the rest.  Of a task that failed it has ``error`` and ``traceback``, no result.  A line
    that was cut off by a kill or altered is ignored, so that its task is computed again.  The file is read
    once; whoever else appends to it meanwhile disturbs nothing, and is not seen.  Results are looked for in
    the file ``fallback``, too, in which nothing is written.
    """

    def __init__(self, path, fallback=None):
        self.path = Path(path)
        self._lines = {}
        for file in (fallback, path):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError), open(file or "", "rb") as lines:
                for line in lines:
                    if (entry := read_entry(line)) and "result" in entry:
                        self._lines[_place(entry)] = line

    def entry(self, task, key, context):
        """What is kept of a task, a new dict, or None."""
        line = self._lines.get((task, context, canonical(key)))
        return None if line is None else json.loads(line)

    def of(self, task, context):
        """All entries of a task in a context, a list of dict in the order of their keys."""
        found = sorted(place for place in self._lines if place[:2] == (task, context))
        return [json.loads(self._lines[place]) for place in found]

    def add(self, entries):
        """Append entries, dicts without their checksums; all of them are on the disk when this returns."""
        lines = [(canonical({**entry, "sha256": _hash(entry)}) + "\n").encode() for entry in entries]
        _append(self.path, b"".join(lines))
        self._lines |= {_place(e): line for e, line in zip(entries, lines, strict=True) if "result" in e}

    def keep(self, places):
        """Rewrite the file with the entries of these ``(task, context, key)`` only, if it has others."""
        places = dict.fromkeys((task, context, canonical(key)) for task, context, key in places)
        content = b"".join(self._lines[place] for place in places)
        if not content:
            self.path.unlink(missing_ok=True)
        elif not self.path.is_file() or self.path.read_bytes() != content:
            write_atomically(self.path, content)


@dataclass(frozen=True)
class Store:
    """The results of one context in a TaskFile.

    The context is the hash of all that a result depends on besides task and key, so that a result of other
    code is never taken for one of this.
    """

    file: TaskFile
    context: str

    def entry(self, task, key):
        """What is stored of a task, a dict, or None."""
        return self.file.entry(task, key, self.context)

    def get(self, task, key):
        """``(True, result)`` if the result is there, else ``(False, None)``."""
        found = self.entry(task, key)
        return (True, found["result"]) if found else (False, None)

    def put(self, task, key, result, seconds):
        """Keep a result, plain data, and the seconds that it took."""
        try:
            self.file.add([self.new(task, key, result=result, seconds=round(seconds, 4))])
        except (TypeError, ValueError) as error:
            said = f"the result of {task} for {canonical(key)} is not plain data: {error}."
            raise TypeError(said) from error

    def put_failure(self, task, key, error, trace):
        """Keep what went wrong with a task, as text; a failure is never taken for a result."""
        self.file.add([self.new(task, key, error=error, traceback=trace)])

    def new(self, task, key, **facts):
        """An entry of this context for :meth:`TaskFile.add`."""
        return {"task": task, "key": key, "context": self.context, **facts}


def read_entry(line):
    """The entry of a line, a dict without its checksum; None if it is none, not whole or altered."""
    try:
        entry = json.loads(line)
        whole = entry.pop("sha256") == _hash(entry) and "key" in entry
        whole = whole and isinstance(entry["task"], str) and isinstance(entry["context"], str)
        whole = whole and 0 <= entry.get("seconds", 0) < _LONGEST
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):  # the hash refuses NaN
        return None
    return entry if whole else None


def _place(entry):
    return entry["task"], entry["context"], canonical(entry["key"])


def _hash(value):
    return sha256(canonical(value).encode())


def _append(path, lines):
    """Write lines to the end of a file, whole or not at all, whoever else does so at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        with contextlib.suppress(ImportError):  # Windows: two writers at once are not kept apart there
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        end = os.lseek(handle, 0, os.SEEK_END)
        if end and os.pread(handle, 1, end - 1) != b"\n":  # cut off by a kill
            lines = b"\n" + lines
        try:
            lines = memoryview(lines)
            while lines:
                lines = lines[os.write(handle, lines) :]
            os.fsync(handle)
        except BaseException:
            os.ftruncate(handle, end)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error  # a full disk names no file
    finally:
        os.close(handle)
