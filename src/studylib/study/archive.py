"""Results of a notebook's tasks in one small file, so that they travel with the report."""

import gzip
import json
import zlib

from studylib.core.files import write_atomically
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

    A file that is absent or damaged gives none: what it held can be computed again.
    """
    try:
        lines = gzip.decompress(layout.raw(name).read_bytes()).decode().splitlines()
        entries = [json.loads(line) for line in lines]
        known = [(Store(layout.store, e["context"]), e["task"], e["key"], e["result"]) for e in entries]
        seconds = [float(e["wall_time_s"]) for e in entries]
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return 0
    n = 0
    for (store, task, key, result), took, entry in zip(known, seconds, entries, strict=True):
        if store.entry(task, key) is None:
            store.put(task, key, result, took, **{k: entry[k] for k in ("confirmed",) if k in entry})
            n += 1
    return n
