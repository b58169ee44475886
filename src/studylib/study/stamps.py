"""When a notebook's result and the verdicts are fresh, and where they came from.

A stamp is written last and atomically, so its presence means that the files it names are complete.  It
holds what the result depends on (see ``keys``) and the provenance that a reader wants.
"""

import json
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

from studylib.core.files import file_hash
from studylib.study.keys import changes, key_of, notebook_parts
from studylib.study.study import current_study

_PACKAGES = ("studylib", "numpy", "pandas", "numba", "scikit-learn", "scipy", "matplotlib", "papermill")
#: What a stamp must hold, and of which type, to be taken for one.
_FIELDS = {
    "key": str,
    "inputs": dict,
    "results_sha256": str,
    "executed_sha256": str,
    "tasks_sha256": str,
    "ledger_sha256": str,
    "environment": dict,
    "commit": str,
    "finished": str,
    "wall_time_s": (int, float),
    "computing_s": (int, float),
    "tasks": dict,
}
_INPUTS = {"code": dict, "data": dict, "packages": dict, "python": str, "cells": str, "parameters": dict}


def read(layout, name):
    """A notebook's stamp, or None if there is none that can be read and is whole."""
    try:
        stamp = json.loads(layout.stamp(name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    whole = _has(stamp, _FIELDS) and _has(stamp["inputs"], _INPUTS)
    return stamp if whole else None


def _has(table, fields):
    return isinstance(table, dict) and all(isinstance(table.get(name), kind) for name, kind in fields.items())


def stale_because(layout, notebook, profile, parts_of=notebook_parts):
    """Why a notebook's files are not those that its present inputs give; an empty list if they are.

    Parameters
    ----------
    layout : Layout
    notebook : Notebook
    profile : str
    parts_of : callable ``(notebook, profile)``
        What gives the present inputs.

    Returns
    -------
    list of str, or None if there is no stamp
    """
    stamp = read(layout, notebook.name)
    if stamp is None:
        return None
    found = changes(stamp["inputs"], parts_of(notebook, profile))
    files = (("results", layout.results), ("outputs", layout.executed), ("tasks", layout.tasks))
    for what, path in files:
        if stamp[f"{'executed' if what == 'outputs' else what}_sha256"] != file_hash(path(notebook.name)):
            found.append(f"its file of {what} was altered or removed")
    if stamp["key"] != key_of(stamp["inputs"]):
        found.append("its stamp was altered")
    return found


def is_fresh(layout, notebook, profile):
    """Whether a notebook's files are those that its present inputs give."""
    return stale_because(layout, notebook, profile) == []


def stale_verdicts(layout, study):
    """Why verdicts are not those of the present ledger, a list of str; empty if they are."""
    try:
        kept = json.loads(layout.verdicts.read_text(encoding="utf-8"))
        if kept["ledger_sha256"] == study.ledger.hash:
            return []
        before = {claim_id: entry["rule_sha256"] for claim_id, entry in kept["claims"].items()}
    except (OSError, ValueError, KeyError, TypeError):
        return []
    claims = study.ledger.claims
    found = [
        f"the rule of {c} changed" for c, h in before.items() if c in claims and claims[c].rule_hash != h
    ]
    found += [f"{c} is no longer in the ledger" for c in before if c not in claims]
    return found or ["the ledger changed: a text, a deviation or a function that judges, but no rule's table"]


@cache
def environment():
    """Versions and machine, as a reader of the report wants them."""
    versions = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = "not installed"
    return {
        "python": platform.python_version(),
        **versions,
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
    }


def commit(layout):
    """Commit of the study's checkout, with ``(modified)`` if tracked files other than the reports differ."""
    root = current_study().root

    def git(*words):
        done = subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    without = []
    if layout.folder.is_relative_to(root):  # a run writes its own report: that is no modification
        without = ["--", ".", f":(exclude){layout.folder.relative_to(root).as_posix()}"]
    try:
        modified = git("status", "--porcelain", "--untracked-files=no", *without)
        return git("rev-parse", "--short=12", "HEAD") + (" (modified)" if modified else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown (not a git checkout)"


def _processor():
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"
