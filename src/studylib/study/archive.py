"""Results of a notebook's tasks in one small file, so that they travel with the report."""

import gzip
import math
import re
import zlib
from pathlib import Path

from studylib.core.files import sha256, write_atomically
from studylib.study.reading import TEXT, parse_json, read_json, table
from studylib.study.store import Store, canonical

#: What ``tasks/<name>.json`` must hold: by task, the hash of each result by the folder that it is stored in.
TASKS = table(others=table({"context": TEXT, "results": table(others=TEXT)}))
#: Bytes that an archive may unpack to: a few kilobytes of a report must not fill the memory.
MOST = 2**30


def pack(layout, name):
    """Write the stored results that ``tasks/<name>.json`` lists to ``tasks/<name>.jsonl.gz``, a line each.

    Parameters
    ----------
    layout : Layout
    name : str
        Of the notebook.
    """
    lines = []
    for task, noted in read_json(layout.tasks(name), TASKS).items():
        store = Store(layout.store, noted["context"])
        for entry in store.stored(task):
            if store.path(task, entry["key"]).parent.name in noted["results"]:
                seconds = store.wall_time(task, entry["key"])
                lines.append(canonical({**entry, "task": task, "wall_time_s": seconds}) + "\n")
    write_atomically(layout.raw(name), gzip.compress("".join(lines).encode(), mtime=0))


def restore(layout, name):
    """Write the file anew if it was lost or damaged and all its results are stored."""
    listed = read_json(layout.tasks(name), TASKS)
    try:
        with gzip.open(layout.raw(name)) as file:
            while file.read(2**20):  # to the end, where the checksum is
                pass
    except (OSError, EOFError, zlib.error):
        if listed is not None and all(_stored(layout, task, noted) for task, noted in listed.items()):
            pack(layout, name)


def _stored(layout, task, noted):
    """Whether all results of a task are stored that ``tasks/<name>.json`` lists."""
    store = Store(layout.store, noted["context"])
    return noted["results"].keys() <= {store.path(task, e["key"]).parent.name for e in store.stored(task)}


def unpack(layout, name):
    """Store the results of the file that are not stored yet; returns how many these were.

    A file that is absent, damaged or too large gives none, nor does one with a result whose hash is not
    the listed one: what it held can be computed again.
    """
    listed = read_json(layout.tasks(name), TASKS)
    try:
        with gzip.open(layout.raw(name)) as file:
            content = file.read(MOST + 1)
        if listed is None or len(content) > MOST:
            return 0
        entries = [_as_listed(layout, listed, parse_json(line)) for line in content.decode().splitlines()]
    except (OSError, EOFError, zlib.error, ArithmeticError, ValueError, KeyError, TypeError, RecursionError):
        return 0
    n = 0
    for store, task, key, result, seconds, remarks in entries:
        if store.entry(task, key) is None:
            store.put(task, key, result, seconds, **remarks)
            n += 1
    return n


def _as_listed(layout, listed, entry):
    """What ``Store.put`` needs of a line; ValueError if it is not the result that the report lists."""
    task, key, result, noted = entry["task"], entry["key"], entry["result"], listed[entry["task"]]
    if Path(task).name != task or not re.fullmatch("[0-9a-f]{64}", entry["context"]):  # they name files
        raise ValueError(f"{task!r} of {entry['context']!r} cannot be stored.")
    seconds = float(entry["wall_time_s"])
    if not 0 <= seconds < math.inf:
        raise ValueError(f"a task cannot take {seconds} s.")
    store = Store(layout.store, entry["context"])
    known = noted["results"][store.path(task, key).parent.name]
    if entry["context"] != noted["context"] or sha256(canonical(result).encode()) != known:
        raise ValueError(f"the result of {task} for {canonical(key)} is not the one listed.")
    remarks = {word: entry[word] for word in ("confirmed",) if word in entry}
    return store, task, key, result, seconds, remarks
