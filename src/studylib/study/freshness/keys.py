"""What a result depends on: code that can be reached, data, parameters, versions.  Its hash is the key.

A task depends on the code that its function can reach, on the data files of its notebook, and on the
installed packages that compute.  A notebook depends on that of its cells, on the cells and on its parameters.
Drawing and rendering compute nothing: a change in ``studylib.plots`` or in the site leaves results fresh.
"""

import ast
import importlib.util
import json
import platform
import site
import sysconfig
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path

from studylib.core.files import file_hash, sha256
from studylib.study.fingerprints import key_of
from studylib.study.freshness.dependencies import STATEMENTS, Sources
from studylib.study.freshness.magics import parsed, plain_python
from studylib.study.freshness.statements import canonical_code
from studylib.study.ledger.reading import read_notebook
from studylib.study.ledger.study import current_study

#: Where studylib itself is imported from.
LIBRARY = Path(__file__).resolve().parents[3]
_COMPUTES_NOTHING = (
    "studylib.plots",
    "studylib.study",
    "studylib.core.compiling",
    "studylib.core.kernel_cache",
)
#: The engine's own part in results: the seeds of tasks, the form in which results are kept, and that in which
#: measurements are handed over.  Rules judge results; they are no part of them.
_COMPUTES = ("studylib.study.store", "studylib.study.measured")
_OF_TASKS = (("studylib.study.store", "seed_of"), ("studylib.study.store", "canonical"))
_OF_NOTEBOOKS = (("studylib.study.measured", "plain"),)
#: The minor version of this Python.
PYTHON = ".".join(platform.python_version_tuple()[:2])
#: Packages whose versions are always part of a key, by the name under which they are installed.
PACKAGES = ("numpy", "numba", "scikit-learn", "scipy", "pandas")
#: Imported by code that computes, and yet of no influence on results.
_NOT_COMPUTING = {
    "sklearn", "joblib", "threadpoolctl", "matplotlib", "seaborn", "IPython", "ipywidgets", "tqdm",
    "ucimlrepo", "studylib", *PACKAGES,
}  # fmt: skip


@dataclass(frozen=True)
class Context:
    """What the result of a task depends on, besides its key.

    Parameters
    ----------
    parts : dict
        ``code``, ``data``, ``packages`` and ``python``.
    files : tuple of str
        The source files.
    """

    parts: dict
    files: tuple

    @property
    def hash(self):
        """One hash over all parts."""
        return key_of(self.parts)

    def with_python_of(self, parts):
        """This context with the Python and the versions of packages that other parts name."""
        packages = {name: parts["packages"].get(name, v) for name, v in self.parts["packages"].items()}
        return Context({**self.parts, "packages": packages, "python": parts["python"]}, self.files)


def task_context(module, name, notebook):
    """What results of the function ``name`` of a module depend on, for a task of a notebook.

    Parameters
    ----------
    module, name : str
        A function that is defined in the notebook itself, module ``"__main__"``, counts with all cells.
    notebook : Notebook

    Returns
    -------
    Context
    """
    if module != "__main__":
        return function_context(module, name, notebook.data, notebook.path.parent)
    sources = sources_beside(notebook.path.parent)
    cells = _as_module(sources, notebook, _code_cells(notebook.path))
    return _context(sources.reach([(cells, STATEMENTS), *_OF_TASKS]), notebook.data)


def function_context(module, name, data=(), folder=None):
    """What results of the function ``name`` of a module depend on, if its tasks read these data files.

    Parameters
    ----------
    module, name : str
    data : iterable of str
    folder : Path or None
        Where the notebook is: its tasks find modules and files there, too.

    Returns
    -------
    Context
    """
    return _context(sources_beside(folder).reach([(module, name.split(".")[0]), *_OF_TASKS]), data)


def first_difference(here, there):
    """Where the parts of another machine first differ from ours, in words; None if they are equal."""
    for kind, what in (("code", ""), ("data", "the data file ")):
        for path in sorted(here[kind].keys() | there[kind].keys()):
            ours, theirs = (parts[kind].get(path, "absent") for parts in (here, there))
            if ours != theirs:
                return f"{what}{path} {'is absent' if theirs == 'absent' else 'is another version'} there"
    for name in sorted(here["packages"].keys() | there["packages"].keys()):
        ours, theirs = (parts["packages"].get(name, "not used") for parts in (here, there))
        if ours != theirs:
            return f"{name} is {theirs} there and {ours} here"
    if here["python"] != there["python"]:
        return f"Python is {there['python']} there and {here['python']} here"
    return None


def notebook_parts(notebook, profile, sources=None):
    """Everything that a notebook's result depends on, as plain data.

    Parameters
    ----------
    notebook : Notebook
    profile : str
    sources : Sources or None
        The modules that it finds, if they were looked for a moment ago.
    """
    sources = sources or sources_beside(notebook.path.parent)
    code_cells = _code_cells(notebook.path)
    roots = [(_as_module(sources, notebook, code_cells), STATEMENTS), *_OF_NOTEBOOKS]
    found = _context(sources.reach(roots), notebook.data)
    cells, defaults = _cells(code_cells)
    own = _relative(notebook.path, current_study().root)
    code = {name: value for name, value in found.parts["code"].items() if name != own}
    return {
        **found.parts,
        "code": code,
        "cells": sha256(json.dumps(cells).encode()),
        "parameters": {**defaults, **notebook.parameters_for(profile)},
    }


def changes(before, now):
    """What differs between two sets of parts, as short phrases; empty if nothing does.

    A data file that is absent now is no change: what was computed from it remains valid.  Nor is another
    Python, with the versions of packages that are locked for it: :func:`another_python` says that.
    """
    same_python = before["python"] == now["python"]
    found = []
    for path, value in now["code"].items():
        if path not in before["code"]:
            found.append(f"{path} is used now")
        elif before["code"][path] != value:
            found.append(f"{path} changed")
    found += [f"{path} is no longer used" for path in before["code"] if path not in now["code"]]
    for path, value in now["data"].items():
        old = before["data"].get(path)
        if old != value and (value != "absent" or old is None):
            found.append(f"data {path} changed")
    for name in sorted(before["packages"].keys() | now["packages"].keys()):
        pair = before["packages"].get(name, "not used"), now["packages"].get(name, "not used")
        if pair[0] != pair[1] and (same_python or "not used" in pair):
            found.append(f"{name} {pair[0]} → {pair[1]}")
    if before.get("cells") != now.get("cells"):
        found.append("cells of the notebook changed")
    old, new = before.get("parameters", {}), now.get("parameters", {})
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            found.append(f"parameter {name}: {old.get(name)!r} → {new.get(name)!r}")
    return found


def another_python(parts):
    """Which Python and packages computed, if this Python is another minor version; else an empty text."""
    if parts["python"] == PYTHON:
        return ""
    pairs = [("Python", parts["python"], PYTHON)]
    pairs += [(name, old, _version(name)) for name, old in parts["packages"].items()]
    said = [f"{what} {old} (here {new})" for what, old, new in pairs if old != new]
    return f"computed with {', '.join(said)}"


def default_parameters(path):
    """What a notebook's ``parameters`` cell says, a dict; a value that is no literal counts as its text."""
    return _cells(_code_cells(path))[1]


def sources_beside(folder):
    """The modules that a notebook in a folder finds, in the order in which its kernel looks for them."""
    own = [] if folder is None else [folder]
    folders = [(path, None) for path in (*current_study().path, *own)] + [(LIBRARY, "studylib")]
    return Sources(dict.fromkeys(folders), _COMPUTES_NOTHING, _COMPUTES, places=own)


def _context(reach, data):
    root = current_study().root
    return Context(
        parts={
            "code": {_relative(path, root): value for path, value in sorted(reach.hashes.items())},
            "data": {path: file_hash(current_study().data_path(path)) for path in data},
            "packages": _versions(reach.packages),
            "python": PYTHON,
        },
        files=tuple(str(path) for path in reach.hashes),
    )


def _versions(imported):
    found = {name: _version(name) for name in PACKAGES}
    for name in sorted(imported - _NOT_COMPUTING):
        for package in _distributions().get(name, [name]):
            found[package] = " ".join(filter(None, (_version(package), _sources_elsewhere(name))))
    return found


def _sources_elsewhere(name):
    """Hash of a package's sources if it is not installed but lies in a folder, where no version tells."""
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or not spec.origin or not Path(spec.origin).is_file():
        return ""
    path = Path(spec.origin)
    installed = {*sysconfig.get_paths().values(), site.getusersitepackages()}
    if any(path.is_relative_to(folder) for folder in installed):
        return ""
    files = sorted(path.parent.rglob("*.py")) if spec.submodule_search_locations else [path]
    return sha256("".join(map(file_hash, files)).encode())[:12]


@cache
def _version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"


@cache
def _distributions():
    return metadata.packages_distributions()


def _relative(path, root):
    """A path as it is the same on every machine."""
    path = Path(path)
    for folder in (root, LIBRARY):
        if path.is_relative_to(folder):
            return path.relative_to(folder).as_posix()
    return path.name


def _code_cells(path):
    """``(plain Python, tags)`` of every code cell."""
    cells = [c for c in read_notebook(path).cells if c.cell_type == "code"]
    return [(plain_python(c.source, path.stem), c.metadata.get("tags", [])) for c in cells]


def _cells(code_cells):
    """The cells as text that does not depend on comments and formatting, and the default parameters."""
    cells, parameters = [], {}
    for text, tags in code_cells:
        tree = parsed(text)
        if "parameters" in tags and tree is not None:
            parameters |= _literals(tree)
        else:
            cells.append(text if tree is None else canonical_code(tree, keep_texts=True))
    return cells, parameters


def _literals(tree):
    """Values of the names that a cell assigns; a value that is no literal counts as its text."""
    found = {}

    def assign(target, value):
        if isinstance(target, ast.Name):
            try:
                found[target.id] = ast.literal_eval(value)
            except ValueError:
                found[target.id] = ast.unparse(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = getattr(value, "elts", None)
            if values is None or len(values) != len(target.elts):  # ``a, b = pair``
                values = [ast.Subscript(value, ast.Constant(k)) for k in range(len(target.elts))]
            for one, its_value in zip(target.elts, values, strict=True):
                assign(one, its_value)

    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assign(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            assign(node.target, node.value)
    return found


def _as_module(sources, notebook, code_cells):
    """All cells but the one with parameters as one module; a cell that is no Python imports nothing."""
    texts = [text for text, tags in code_cells if "parameters" not in tags and parsed(text) is not None]
    return sources.from_text("__main__", "\n".join(texts), notebook.path)
