"""User guide and API reference by Sphinx with the theme Furo: pages in Markdown, and docstrings by module."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path, PurePosixPath

from studylib.core import kernel_cache
from studylib.core.files import sha256
from studylib.study.site._render import check_relative

_CONFIGURATION = Path(__file__).parent / "reference"
_CACHE = Path(__file__).resolve().parents[4] / ".cache" / "api"  # of a checkout
_GENERATORS = ("sphinx", "numpydoc", "furo", "myst-parser")
_GUIDE = """
.. rubric:: User guide
   :heading-level: 2

.. toctree::
   :caption: User guide
   :maxdepth: 1

{entries}

"""
_API = """
.. rubric:: API reference
   :heading-level: 2

.. autosummary::
   :signatures: none

{entries}

.. toctree::
   :caption: API reference
   :hidden:

{entries}
"""
# What the theme lacks: headings have a level, what may be wider than a screen scrolls by keyboard, too, and
# parameters of a long signature, one a line, are no list of terms.
_ACCESSIBLE = {
    ' role="heading">': ' role="heading" aria-level="2">',
    "<pre>": '<pre tabindex="0">',
    "<dl>\n<dd>": '<dl role="presentation">\n<dd>',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}
# A link out of the guide's folder, as it works in the repository.
_LINK_OUT = re.compile(r"(?<!!)\[([^\[\]]+)\]\((?:\.\./)+([^)\s]+)\)")


def write_api(folder, modules, guide=(), *, index_href="../index.html"):
    """Write the guide and the reference of some modules: ``index.html``, a search, a page per module.

    The pages work from a disk and request nothing but each other.  Sphinx takes some ten seconds, so what
    it makes is kept in the checkout's ``.cache`` until a source file changes; a folder that is up to date is
    left alone.

    Parameters
    ----------
    folder : path
        Replaced as a whole if it is out of date.
    modules : iterable of str
        Dotted names; the pages appear in this order.
    guide : iterable of path
        Pages in Markdown, likewise.  Links between them work, and those to the study's notebooks and to
        the source of a module become links to their pages; of other links out of the folder, the text stays.
    index_href : str
        Relative link from the folder to the report's first page.

    Raises
    ------
    ValueError
        If the link is not relative, or a module or a guide's file name is there twice.
    RuntimeError
        If Sphinx fails.
    """
    folder, modules, guide = Path(folder), list(modules), list(map(Path, guide))
    check_relative(index_href, "the report's first page")
    for what, names in (("Modules", modules), ("The guide's file names", [page.stem for page in guide])):
        if len({"index", "search", *names}) < len(names) + 2:
            raise ValueError(f"{what} must be unique, but they are {', '.join(names)}.")
    key = _key(modules, guide, index_href)
    if _key_of(folder) == key:
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".api.") as work:
        made = Path(work) / "made"
        kept = _CACHE / key
        if _key_of(kept) == key:
            shutil.copytree(kept, made)
        else:
            build(made, modules, guide, index_href)
            with (made / "index.html").open("a", encoding="utf-8") as file:
                file.write(f"\n<!-- {key} -->\n")
            if kernel_cache.in_checkout():
                shutil.copytree(made, kept, dirs_exist_ok=True)
        if folder.exists():
            os.replace(folder, Path(work) / "old")
        os.replace(made, folder)


def build(folder, modules, guide, index_href):
    """Run Sphinx; return what it warned of, which should be nothing."""
    parts = [(_GUIDE, [page.stem for page in guide]), (_API, modules)]
    title = " and ".join(
        name for name, (_, names) in zip(("User guide", "API reference"), parts, strict=True) if names
    )
    index = f"{title}\n{'=' * len(title)}\n" + "".join(
        text.format(entries="\n".join(f"   {name}" for name in names)) for text, names in parts if names
    )
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / "source"
        source.mkdir()
        (source / "index.rst").write_text(index, encoding="utf-8")
        for page in guide:
            text = _within_the_report(page.read_text(encoding="utf-8-sig"), modules, index_href)
            (source / page.name).write_text(text, encoding="utf-8")
        for module in modules:
            text = f"{module}\n{'=' * len(module)}\n\n.. automodule:: {module}\n"
            (source / f"{module}.rst").write_text(text, encoding="utf-8")
        # A process of its own: Sphinx and docutils register things globally, and the runner has threads.
        words = ["-m", "sphinx", "-q", "-b", "html", "-c", _CONFIGURATION, "-d", Path(work) / "doctrees"]
        words += ["-D", f"html_title={title}"]
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
        raise RuntimeError(f"Sphinx could not write guide and API reference: {said[-1]}")
    for unused in (".buildinfo", "objects.inv", "_static/**/*.map", "_static/debug.css"):
        for path in folder.glob(unused):
            path.unlink()
    for page in folder.glob("*.html"):
        text = page.read_text(encoding="utf-8")
        for before, after in _ACCESSIBLE.items():
            text = text.replace(before, after)
        page.write_text(text, encoding="utf-8")
    return done.stderr


def _within_the_report(text, modules, index_href):
    """A page whose links out of the folder are those of a report; code without a language is plain text."""

    def link(found):
        shown, target = found[1], PurePosixPath(found[2].partition("#")[0])
        if target.suffix == ".ipynb":
            return f"[{shown}](report:{PurePosixPath(index_href).with_name(target.stem)}.html)"
        dotted = ".".join(target.with_suffix("").parts)
        module = next((name for name in modules if f".{dotted}".endswith(f".{name}")), None)
        return f"[{shown}]({module}.rst)" if module else shown

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(
        re.sub(r"\A```\n", "```text\n", part) if part.startswith("```") else _LINK_OUT.sub(link, part)
        for part in parts
    )


def _key(modules, guide, index_href):
    """Hash of everything that the pages depend on."""
    versions = [metadata.version(name) for name in _GENERATORS]
    folders = [_CONFIGURATION]
    for package in sorted({module.partition(".")[0] for module in modules}):
        spec = importlib.util.find_spec(package)
        folders += map(Path, (spec.submodule_search_locations if spec else None) or ())
    files = [p for f in folders for p in sorted(f.rglob("*")) if p.suffix in (".py", ".css", ".html")]
    files += guide
    contents = [f"{p.name}\0{p.read_text(encoding='utf-8')}" for p in files]
    return sha256("\0".join([*versions, *contents, *modules, index_href]).encode())


def _key_of(folder):
    """The key that a folder was written under; empty if it was not."""
    index = folder / "index.html"
    found = (
        re.search(r"<!-- (\w{64}) -->\s*$", index.read_text(encoding="utf-8")) if index.is_file() else None
    )
    return found[1] if found else ""
