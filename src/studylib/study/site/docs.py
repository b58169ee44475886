"""User guide and API reference, built once by Sphinx with the theme Furo; the reports link to them."""

import importlib
import importlib.util
import inspect
import os
import re
import shutil
import subprocess
import sys
import tempfile
from importlib import metadata
from itertools import chain
from pathlib import Path, PurePosixPath

from studylib.core.files import write_atomically
from studylib.study.fingerprints import content_of, data_hash

#: What reStructuredText would take for more than text.
_MARKS, _ESCAPED = r"[\\`*_|]", r"\\\g<0>"
_CONFIGURATION = Path(__file__).parent / "reference"
_REFERENCE = "API reference"
_GENERATORS = ("sphinx", "numpydoc", "furo", "myst-parser")
_CLASS = """
.. autoclass:: {}
   :members:
   :inherited-members: tuple, Exception, BaseEstimator, ClassifierMixin, TransformerMixin
   :show-inheritance:
"""
# A link out of the guide's folder, as it works in the repository.
_LINK_OUT = re.compile(r"(?<!!)\[([^\[\]]+)\]\((?:\.\./)+([^)\s]+)\)")


def write_docs(folder, modules, guide=None, *, report_href):
    """Write the guide and the reference: ``index.html``, a search, a page for each module and each class.

    ``modules`` are dotted names, ``guide`` has pages in Markdown by the heading that they stand under; pages
    appear in this order.  ``report_href`` is a relative link to the first page of a report.  Links between
    the guide's pages work.  Those to the study's notebooks, to pages of a report and to the source of a
    module become links to their pages; of other links out of the folder, the text stays.

    The pages work from a disk and request nothing but each other.  The file ``.key`` says what they were made
    from: a folder that is up to date is left alone, any other replaced as a whole.  Returns whether pages
    were written.  ValueError if a module or a guide's file name comes twice; RuntimeError if Sphinx fails.
    """
    folder, modules = Path(folder), list(modules)
    guide = {heading: list(map(Path, pages)) for heading, pages in (guide or {}).items()}
    stems = [page.stem for page in chain.from_iterable(guide.values())]
    for what, names in (("Modules", modules), ("The guide's file names", stems)):
        if len({"index", "search", *names}) < len(names) + 2:
            raise ValueError(f"{what} must be unique, but they are {', '.join(names)}.")
    key = _key(modules, guide, report_href)
    kept = folder / ".key"
    if kept.is_file() and kept.read_text(encoding="utf-8") == key:
        return False
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".docs.") as work:
        made = Path(work) / "made"
        build(made, modules, guide, report_href)
        write_atomically(made / ".key", key)
        if folder.exists():
            os.replace(folder, Path(work) / "old")
        os.replace(made, folder)
    return True


def build(folder, modules, guide, report_href):
    """Run Sphinx; return what it warned of, which should be nothing."""
    title = " and ".join(["User guide"] * bool(guide) + [_REFERENCE] * bool(modules))
    with tempfile.TemporaryDirectory() as work:
        source = Path(work) / "source"
        source.mkdir()
        pages = {"index": _index(title, guide, modules)}
        for module in modules:
            pages |= _pages_of(module, modules)
        for name, text in pages.items():
            (source / f"{name}.rst").write_text(text, encoding="utf-8")
        for page in chain.from_iterable(guide.values()):
            text = _within_the_docs(page.read_text(encoding="utf-8-sig"), modules, report_href)
            (source / page.name).write_text(text, encoding="utf-8")
        # A process of its own: Sphinx and docutils register things globally, and a command has threads.
        words = ["-m", "sphinx", "-q", "-b", "html", "-c", _CONFIGURATION, "-d", Path(work) / "doctrees"]
        words += ["-D", f"html_title={title}", "-A", f"report_index={report_href}"]
        path = os.pathsep.join(filter(None, sys.path))  # a study adds folders of its own
        done = subprocess.run(
            [sys.executable, *words, source, folder],
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "0"},
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or ["no message"]
        raise RuntimeError(f"Sphinx could not write guide and API reference: {lines[-1]}")
    for unused in (".buildinfo", ".doctrees", "objects.inv", "_static/**/*.map", "_static/debug.css"):
        for path in folder.glob(unused):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return done.stderr


def _index(title, guide, modules):
    """The first page: the guide's pages under their headings, then the modules."""
    parts = {heading: [page.stem for page in pages] for heading, pages in guide.items()}
    text = _title(title)
    for heading, names in {**parts, **({_REFERENCE: modules} if modules else {})}.items():
        heading = " ".join(heading.split())
        text += f".. rubric:: {re.sub(_MARKS, _ESCAPED, heading)}\n   :heading-level: 2\n\n"
        if heading == _REFERENCE:
            text += _listing("autosummary", names, signatures="none")
        text += _listing("toctree", names, maxdepth=1, hidden=heading == _REFERENCE, caption=heading)
    return text


def _pages_of(module, modules):
    """``{name: reStructuredText}``: a page for a module's functions and constants, and one for each class."""
    thing = importlib.import_module(module)
    names = [name for name in _public(thing) if not _documented_elsewhere(module, name, modules)]
    classes = [name for name in names if inspect.isclass(getattr(thing, name))]
    text = _title(module) + f".. automodule:: {module}\n\n"
    if classes:
        text += f".. currentmodule:: {module}\n\n"
        text += _listing("autosummary", classes, signatures="none")
        text += _listing("toctree", [f"{module}.{name}" for name in classes], hidden=True)
    routines = [name for name in names if inspect.isroutine(getattr(thing, name))]
    text += "".join(f".. autofunction:: {module}.{name}\n\n" for name in routines)
    pages = {f"{module}.{name}": _title(name) + _CLASS.format(f"{module}.{name}") for name in classes}
    return {module: text, **pages}


def _public(module):
    own = [n for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == module.__name__]
    return getattr(module, "__all__", None) or [name for name in own if not name.startswith("_")]


def _documented_elsewhere(module, name, modules):
    """Whether a public name is that of another listed module, whose package defines it, or of nobody here."""
    home = getattr(getattr(importlib.import_module(module), name), "__module__", None) or module
    owners = [m for m in modules if f"{home}.".startswith(f"{m}.")]
    ours = {m.partition(".")[0] for m in modules}
    return home.partition(".")[0] not in ours or (bool(owners) and module not in owners)


def _title(text):
    return f"{text}\n{'=' * len(text)}\n\n"


def _listing(directive, names, **options):
    """A directive with a line for each name."""
    given = {key: "" if value is True else value for key, value in options.items() if value is not False}
    head = [f".. {directive}::", *(f"   :{key}: {value}".rstrip() for key, value in given.items())]
    return "\n".join([*head, "", *(f"   {name}" for name in names)]) + "\n\n"


def _within_the_docs(text, modules, report_href):
    """A page whose links out of the folder are those of the docs; code without a language is plain text."""

    def link(match):
        shown, target = match[1], PurePosixPath(match[2].partition("#")[0])
        notebook = (target.suffix, target.parent.name) == (".ipynb", "notebooks")  # only those have a page
        if notebook or (target.suffix, target.parent.parent.name) == (".html", "reports"):
            return f"[{shown}](report:{PurePosixPath(report_href).with_name(target.stem)}.html)"
        dotted = ".".join(target.with_suffix("").parts)
        module = next((name for name in modules if f".{dotted}".endswith(f".{name}")), None)
        return f"[{shown}]({module}.rst)" if module else shown

    parts = re.split(r"(^```.*?^```$)", text, flags=re.DOTALL | re.MULTILINE)
    return "".join(
        re.sub(r"\A```\n", "```text\n", part) if part.startswith("```") else _LINK_OUT.sub(link, part)
        for part in parts
    )


def _key(modules, guide, report_href):
    """Hash of everything that the pages depend on."""
    versions = [metadata.version(name) for name in _GENERATORS]
    folders = [(_CONFIGURATION, _CONFIGURATION)]
    for package in sorted({module.partition(".")[0] for module in modules}):
        spec = importlib.util.find_spec(package)
        places = (spec.submodule_search_locations if spec else None) or ()
        folders += [(Path(place), Path(place).parent) for place in places]
    contents = [
        content_of([p for p in sorted(folder.rglob("*")) if p.suffix in (".py", ".css", ".html")], root)
        for folder, root in folders
    ]
    contents += [
        [heading, *(content_of([page], page.parent) for page in pages)] for heading, pages in guide.items()
    ]
    return data_hash([versions, contents, modules, report_href])
