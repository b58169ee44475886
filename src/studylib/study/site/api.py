"""The API reference: Sphinx with numpydoc and the theme Furo, from the docstrings, one page per module."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from studylib.core.files import sha256
from studylib.study.site._render import check_relative

_CONFIGURATION = Path(__file__).parent / "reference"
_PACKAGE = Path(__file__).resolve().parents[2]
_GENERATORS = ("sphinx", "numpydoc", "furo")
_INDEX = """
API reference
=============

.. autosummary::
   :signatures: none

{entries}

.. toctree::
   :hidden:

{entries}
"""


def write_api(folder, modules, *, index_href="../index.html"):
    """Write the reference of some modules: ``index.html``, a search and a page per module.

    The pages work from a disk and request nothing but each other.  Sphinx takes some ten seconds, so what
    it makes is kept in the checkout's ``.cache`` until a source file changes; a folder that is up to date is
    left alone.

    Parameters
    ----------
    folder : path
        Replaced as a whole if it is out of date.
    modules : iterable of str
        Dotted names; the pages appear in this order.
    index_href : str
        Relative link from the folder to the report's first page.

    Raises
    ------
    ValueError
        If the link is not relative or a module is named twice.
    RuntimeError
        If Sphinx fails.
    """
    folder, modules = Path(folder), list(modules)
    check_relative(index_href, "the report's first page")
    if len(set(modules)) < len(modules):
        raise ValueError(f"Modules must be unique, but they are {', '.join(modules)}.")
    key = _key(modules, index_href)
    if _key_of(folder) == key:
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".api.") as work:
        made = Path(work) / "made"
        kept = _cache(key)
        if kept and _key_of(kept) == key:
            shutil.copytree(kept, made)
        else:
            build(made, modules, index_href)
            with (made / "index.html").open("a", encoding="utf-8") as file:
                file.write(f"\n<!-- {key} -->\n")
            if kept:
                shutil.copytree(made, kept, dirs_exist_ok=True)
        if folder.exists():
            os.replace(folder, Path(work) / "old")
        os.replace(made, folder)


def build(folder, modules, index_href):
    """Run Sphinx; return what it warned of, which should be nothing."""
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / "source"
        source.mkdir()
        entries = "\n".join(f"   {module}" for module in modules)
        (source / "index.rst").write_text(_INDEX.format(entries=entries), encoding="utf-8")
        for module in modules:
            text = f"{module}\n{'=' * len(module)}\n\n.. automodule:: {module}\n"
            (source / f"{module}.rst").write_text(text, encoding="utf-8")
        # A process of its own: Sphinx and docutils register things globally, and the runner has threads.
        words = ["-m", "sphinx", "-q", "-b", "html", "-c", _CONFIGURATION, "-d", Path(work) / "doctrees"]
        done = subprocess.run(
            [sys.executable, *words, source, folder],
            env={**os.environ, "STUDYLIB_REPORT_INDEX": index_href, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        said = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"Sphinx could not write the API reference: {said[-1]}")
    for unused in (".buildinfo", "objects.inv", "_static/**/*.map", "_static/debug.css"):
        for path in folder.glob(unused):
            path.unlink()
    return done.stderr


def _cache(key):
    """Folder of the checkout that keeps what was made under a key; None for an installed package."""
    root = _PACKAGE.parents[1]
    return root / ".cache" / "api" / key if (root / "requirements.lock").is_file() else None


def _key(modules, index_href):
    """Hash of everything that the pages depend on."""
    sources = sorted(_PACKAGE.rglob("*.py"))
    versions = [metadata.version(name) for name in _GENERATORS]
    configuration = sorted(p for p in _CONFIGURATION.rglob("*") if p.suffix in (".css", ".html"))
    files = [p.read_text(encoding="utf-8") for p in configuration]
    parts = [*(p.read_text(encoding="utf-8") for p in sources), *versions, *files, *modules, index_href]
    return sha256("\0".join(parts).encode())


def _key_of(folder):
    """The key that a folder was written under; empty if it was not."""
    index = folder / "index.html"
    found = (
        re.search(r"<!-- (\w{64}) -->\s*$", index.read_text(encoding="utf-8")) if index.is_file() else None
    )
    return found[1] if found else ""
