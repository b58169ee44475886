"""When a notebook's result is fresh, and where it came from.

A stamp is written last and atomically, so its presence means that the files it names are complete.  It
holds the key that the result was computed under (notebook, parameters, library, data, lock) and the
provenance that a reader wants.
"""

import hashlib
import json
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path

import nbformat

from studylib.core.files import sha256
from studylib.datasets import data_dir
from studylib.study.paths import notebook_path, project_root

_PACKAGES = ("studylib", "numpy", "pandas", "numba", "scikit-learn", "scipy", "matplotlib", "papermill")
_HERE = Path(__file__).parent
_SITE = _HERE / "site"
# Rendering is not computing: a change to these makes pages stale, not results.
_NOT_COMPUTING = (
    _SITE,
    _HERE / "claims",
    _HERE / "deviations.toml",
    _HERE / "report.py",
    _HERE.parent / "cli.py",
    _HERE.parent / "__main__.py",
)


def file_hash(path):
    """sha256 of a file, or ``"absent"``."""
    path = Path(path)
    if not path.is_file():
        return "absent"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@cache
def tree_hash(folder, without=()):
    """sha256 over names and bytes of all source files below a folder."""
    digest = hashlib.sha256()
    for path in sorted(Path(folder).rglob("*")):
        hidden = "__pycache__" in path.parts or any(path.is_relative_to(w) for w in without)
        if path.is_file() and not hidden:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def notebook_hash(path):
    """sha256 of a notebook's sources and tags; its outputs do not count."""
    cells = nbformat.read(path, as_version=4).cells
    what = [(c.cell_type, c.source, sorted(c.metadata.get("tags", []))) for c in cells]
    return sha256(json.dumps(what).encode())


def key_parts(study, profile):
    """Everything that a notebook's result depends on, as hashes."""
    return {
        "notebook": notebook_hash(notebook_path(study.name)),
        "parameters": study.parameters_for(profile),
        **context_parts(study),
    }


def context_parts(study):
    """Everything but notebook and parameters: what the result of a single task depends on."""
    return {
        "library": tree_hash(_HERE.parent, _NOT_COMPUTING),
        "data": {path: file_hash(data_dir() / path) for path in study.data},
        "lock": file_hash(project_root() / "requirements.lock"),
    }


def key_of(parts):
    """One hash over all parts."""
    return sha256(json.dumps(parts, sort_keys=True).encode())


def site_hash():
    """sha256 of what turns results into pages."""
    return tree_hash(_SITE)


def read(layout, name):
    """A notebook's stamp, or None if there is none that can be read."""
    try:
        return json.loads(layout.stamp(name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def is_fresh(layout, study, profile):
    """Whether a notebook's files are those that its present inputs give."""
    stamp = read(layout, study.name)
    return (
        stamp is not None
        and stamp.get("key") == key_of(key_parts(study, profile))
        and stamp.get("results_sha256") == file_hash(layout.results(study.name)) != "absent"
        and stamp.get("executed_sha256") == file_hash(layout.executed(study.name)) != "absent"
    )


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


@cache
def commit():
    """Commit of the checkout, with ``(modified)`` if tracked files differ from it."""

    def git(*words):
        done = subprocess.run(
            ["git", "-C", str(project_root()), *words], capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    try:
        modified = git("status", "--porcelain", "--untracked-files=no")
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
