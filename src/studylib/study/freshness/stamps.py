"""When a notebook's result and the verdicts are fresh, and where they came from.

A stamp is written last and atomically, so its presence means that the files it names are complete.  It
holds what the result depends on (see ``keys``) and the provenance that a reader wants.
"""

import platform
import subprocess
from importlib import metadata
from pathlib import Path

from studylib.core.files import file_hash
from studylib.core.text import shorten
from studylib.study.fingerprints import key_of
from studylib.study.freshness.keys import changes, modules_beside, notebook_parts
from studylib.study.ledger.reading import read_json
from studylib.study.ledger.study import current_study
from studylib.study.shapes import Maybe

#: What describes an environment, besides the machine.
PACKAGES = (
    "python", "studylib", "numpy", "pandas", "numba", "scikit-learn", "scipy", "matplotlib", "papermill",
)  # fmt: skip
#: What the manifest must hold of the verdicts.
_VERDICTS = {"ledger_sha256": str, "claims": {...: {"rule_sha256": str}}}
_SAMPLE = {"seed": int, "sample": int, "of": int, "at": str, "elsewhere": Maybe(int), "commit": Maybe(str)}
_TASK = {"context": str, "n": int, "seconds": float, "confirmed": int, "samples": [_SAMPLE]}
#: What a stamp must hold to be taken for one.
_STAMP = {
    "key": str,
    "inputs": {
        "code": {...: str},
        "data": {...: str},
        "packages": {...: str},
        "python": str,
        "cells": str,
        "parameters": dict,
    },
    "results_sha256": str,
    "executed_sha256": str,
    "tasks_sha256": str,
    "environment": {...: str},
    "commit": str,
    "finished": str,
    "wall_time_s": float,
    "computing_s": float,
    "tasks": {...: _TASK},
    "executor": Maybe(str),
    "peak_memory_mib": Maybe(float),
    "cell_seconds": Maybe([float]),
}


def read(layout, name):
    """A notebook's stamp, or None if there is none that can be read and is whole."""
    return read_json(layout.stamp(name), _STAMP)


def stale_because(layout, notebook, profile, modules=None):
    """Why a notebook's files are not those that its inputs give: a list of str, or None without a stamp."""
    stamp = read(layout, notebook.name)
    if stamp is None:
        return None
    try:
        reasons = changes(stamp["inputs"], notebook_parts(notebook, profile, modules))
    except (OSError, ValueError, SyntaxError) as error:  # running it will say so, too
        return [f"it cannot be read: {shorten(error)}"]
    for key, path, what in (
        ("results_sha256", layout.results, "results"),
        ("executed_sha256", layout.executed, "outputs"),
        ("tasks_sha256", layout.tasks, "tasks"),
    ):
        if stamp[key] != file_hash(path(notebook.name)):
            reasons.append(f"its file of {what} was altered or removed")
    if stamp["key"] != key_of(stamp["inputs"]):
        reasons.append("its stamp was altered")
    return reasons


def staleness(layout, notebooks, profile):
    """What :func:`stale_because` says of several notebooks, by their names; modules are looked for once."""
    modules = {folder: modules_beside(folder) for folder in {n.path.parent for n in notebooks}}
    return {n.name: stale_because(layout, n, profile, modules[n.path.parent]) for n in notebooks}


def stale_verdicts(layout, study):
    """Why verdicts are not those of the present ledger, a list of str; empty if they are."""
    evidence = read_json(layout.evidence, _VERDICTS)
    if evidence is None or evidence["ledger_sha256"] == study.ledger.hash:
        return []
    reasons, claims = [], study.ledger.claims
    for claim_id, entry in evidence["claims"].items():
        if claim_id not in claims:
            reasons.append(f"{claim_id} is no longer in the ledger")
        elif claims[claim_id].rule_hash != entry["rule_sha256"]:
            reasons.append(f"the rule of {claim_id} changed")
    if not reasons:
        reasons = ["the ledger changed: a text, a deviation or a function that judges, but no rule's table"]
    return reasons


def environment():
    """Versions and machine, as a reader of the report wants them."""
    system = f"{platform.system()} {platform.machine()}"
    return {**versions(PACKAGES), "system": system, "processor": _processor()}


def versions(packages):
    """The versions that this process has of packages, a dict of str to str; ``"python"`` is one of them."""
    installed = {}
    for name in packages:
        try:
            installed[name] = platform.python_version() if name == "python" else metadata.version(name)
        except metadata.PackageNotFoundError:
            installed[name] = "not installed"
    return installed


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
