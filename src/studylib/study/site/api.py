"""The API reference: Sphinx with numpydoc and the theme Furo, from the docstrings, one page per module."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

from studylib.core import kernel_cache
from studylib.core.files import sha256
from studylib.study.site._render import check_relative

_CONFIGURATION = Path(__file__).parent / "reference"
_CACHE = Path(__file__).resolve().parents[4] / ".cache" / "api"  # of a checkout
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
        kept = _CACHE / key
        if _key_of(kept) == key:
            shutil.copytree(kept, made)
        else:
            build(made, modules, index_href)
            with (made / "index.html").open("a", encoding="utf-8") as file:
                file.write(f"\n<!-- {key} -->\n")
            if kernel_cache.in_checkout():
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
            env={
                **os.environ,
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),  # a study adds folders of its own
                "PYTHONHASHSEED": "0",
                "STUDYLIB_REPORT_INDEX": index_href,
            },
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


def _key(modules, index_href):
    """Hash of everything that the pages depend on."""
    versions = [metadata.version(name) for name in _GENERATORS]
    folders = [_CONFIGURATION]
    for package in sorted({module.partition(".")[0] for module in modules}):
        spec = importlib.util.find_spec(package)
        folders += map(Path, (spec.submodule_search_locations if spec else None) or ())
    files = [p for f in folders for p in sorted(f.rglob("*")) if p.suffix in (".py", ".css", ".html")]
    contents = [f"{p.name}\0{p.read_text(encoding='utf-8')}" for p in files]
    return sha256("\0".join([*versions, *contents, *modules, index_href]).encode())


def _key_of(folder):
    """The key that a folder was written under; empty if it was not."""
    index = folder / "index.html"
    found = (
        re.search(r"<!-- (\w{64}) -->\s*$", index.read_text(encoding="utf-8")) if index.is_file() else None
    )
    return found[1] if found else ""
