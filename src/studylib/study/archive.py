"""Results of a notebook's tasks in one small file, so that they travel with the report."""

import gzip
import json
import zlib

from studylib.core.files import sha256, write_atomically
from studylib.study.store import Store, canonical


def pack(layout, name):
    """Write the stored results that ``tasks/<name>.json`` lists to ``tasks/<name>.jsonl.gz``, a line each.

    Parameters
    ----------
    layout : Layout
    name : str
        Of the notebook.
    """
    lines = []
    for task, noted in json.loads(layout.tasks(name).read_text(encoding="utf-8")).items():
        store = Store(layout.store, noted["context"])
        for entry in store.stored(task):
            if store.path(task, entry["key"]).parent.name in noted["results"]:
                seconds = store.wall_time(task, entry["key"])
                lines.append(canonical({**entry, "task": task, "wall_time_s": seconds}) + "\n")
    write_atomically(layout.raw(name), gzip.compress("".join(lines).encode(), mtime=0))


def unpack(layout, name):
    """Store the results of the file that are not stored yet; returns how many these were.

    A file that is absent or damaged gives none, nor does one with a result whose hash is not
    the listed one: what it held can be computed again.
    """
    try:
        lines = gzip.decompress(layout.raw(name).read_bytes()).decode().splitlines()
        listed = json.loads(layout.tasks(name).read_text(encoding="utf-8"))
        entries = [_as_listed(layout, listed, json.loads(line)) for line in lines]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
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
    store = Store(layout.store, entry["context"])
    known = noted["results"][store.path(task, key).parent.name]
    if entry["context"] != noted["context"] or sha256(canonical(result).encode()) != known:
        raise ValueError(f"the result of {task} for {canonical(key)} is not the one listed.")
    remarks = {word: entry[word] for word in ("confirmed",) if word in entry}
    return store, task, key, result, float(entry["wall_time_s"]), remarks
