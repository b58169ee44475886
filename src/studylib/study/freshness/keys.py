"""What a result depends on: modules, data, parameters, versions.  Its hash is the key.

A task depends on the module of its function with all that it imports, on the data files of its notebook, and
on the installed packages that compute.  A notebook depends on its cells, on all that they import, and on its
parameters.  Drawing, rendering and the ledger compute nothing: a change in ``studylib.plots``, in the site
or in a claim leaves results fresh.
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
from os.path import relpath
from pathlib import Path

from studylib.core.files import file_hash, sha256
from studylib.study.fingerprints import key_of
from studylib.study.freshness.dependencies import Modules, module_of
from studylib.study.freshness.magics import trees_of
from studylib.study.ledger.reading import read_notebook
from studylib.study.ledger.study import current_study

#: Where studylib itself is imported from.
LIBRARY = Path(__file__).resolve().parents[3]
_COMPUTES_NOTHING = ("studylib.plots", "studylib.study")
#: The engine's own part in results: the seeds of tasks and the form in which results are kept, and the form
#: in which measurements are handed over.
_OF_TASKS, _OF_NOTEBOOKS = "studylib.study.store", "studylib.study.measured"
#: What counts if it is imported: some tables and lessons show intervals and verdicts of the judge.
_JUDGE = {f"studylib.study.{name}" for name in ("rules", "kinds", "findings", "intervals")}
#: The minor version of this Python.
PYTHON = ".".join(platform.python_version_tuple()[:2])
#: Packages whose versions are always part of a key, by the name under which they are installed.
PACKAGES = ("numpy", "numba", "llvmlite", "scikit-learn", "scipy", "pandas")
_ABSENT = "not installed"
#: Imported by code that computes, and yet of no influence on results.
_NOT_COMPUTING = {
    "sklearn", "joblib", "threadpoolctl", "matplotlib", "seaborn", "IPython", "ipywidgets", "tqdm",
    "ucimlrepo", "studylib", *PACKAGES,
}  # fmt: skip


@dataclass(frozen=True)
class TaskInputs:
    """What the result of a task depends on, besides its key, as ``parts``; and the ``files`` of its code."""

    parts: dict
    files: tuple

    @property
    def hash(self):
        """One hash over all parts."""
        return key_of(self.parts)

    def with_python_of(self, parts):
        """This context with the Python and the versions of packages that other parts name."""
        packages = {name: parts["packages"].get(name, v) for name, v in self.parts["packages"].items()}
        return TaskInputs({**self.parts, "packages": packages, "python": parts["python"]}, self.files)


def task_context(module, data=(), uses=(), folder=None):
    """What results of a module's functions depend on; ``data`` and ``uses`` are those of ``study.toml``.

    A notebook's tasks find modules in its ``folder``, too.  ValueError if the module imports something that
    is in no key, or if ``uses`` names a file that is not there.
    """
    modules = modules_beside(folder)
    closure = modules.closure([module, _OF_TASKS], files=_used_files(uses))
    for name, where in closure.ignored.items():
        raise ValueError(
            f"{module} cannot hold tasks: {where} imports {name}, which is in no key, because drawing and "
            "rendering compute nothing; put what computes into a module without that import."
        )
    return _context(closure, modules, data, uses)


def first_difference(local, remote):
    """Where the parts of another machine first differ from ours: the kind, and words; None if they do not."""
    for kind, what in (("code", ""), ("data", "the data file ")):
        for path, ours, theirs in _pairs(local[kind], remote[kind], "absent"):
            if ours != theirs:
                difference = "is absent" if theirs == "absent" else "is another version"
                return kind, f"{what}{path} {difference} there"
    for name, ours, theirs in _pairs(local["packages"], remote["packages"], "not used"):
        if ours != theirs:
            return "packages", f"{name} is {theirs} there and {ours} here"
    if local["python"] != remote["python"]:
        return "python", f"Python is {remote['python']} there and {local['python']} here"
    return None


def notebook_parts(notebook, profile, modules=None):
    """Everything that a notebook's result depends on, as plain data; ``modules`` if they are known."""
    modules = modules or modules_beside(notebook.path.parent)
    cells = _code_cells(notebook.path)
    trees = [tree for _, trees, _ in cells for tree in trees]
    closure = modules.closure([_OF_NOTEBOOKS], trees, _used_files(notebook.uses))
    texts, defaults = _cells(cells)
    return {
        **_context(closure, modules, notebook.data, notebook.uses).parts,
        "cells": sha256(json.dumps(texts).encode()),
        "parameters": {**defaults, **notebook.parameters_for(profile)},
    }


def changes(before, now):
    """What differs between two sets of parts, as short phrases; empty if nothing does.

    A data file that is absent now is no change: what was computed from it remains valid.  Nor is another
    Python, with the versions of packages that are locked for it: :func:`another_python` says that.
    """
    same_python = before["python"] == now["python"]
    phrases = []
    for path, old, new in _pairs(before["code"], now["code"]):
        if old != new:
            what = "is used now" if old is None else "is no longer used" if new is None else "changed"
            phrases.append(f"{path} {what}")
    for path, value in now["data"].items():
        old = before["data"].get(path)
        if old != value and (value != "absent" or old is None):
            phrases.append(f"data {path} {'is used now' if old is None else 'changed'}")
    for name, old, new in _pairs(before["packages"], now["packages"], "not used"):
        if old != new and (same_python or "not used" in (old, new)):
            phrases.append(f"{name} {old} → {new}")
    for key, what in (("uses", "'uses' in study.toml"), ("cells", "cells of the notebook")):
        if before.get(key) != now.get(key):
            phrases.append(f"{what} changed")
    for name, old, new in _pairs(before.get("parameters", {}), now.get("parameters", {})):
        if old != new:
            phrases.append(f"parameter {name}: {old!r} → {new!r}")
    return phrases


def _pairs(before, now, missing=None):
    """Yield the names in either of two dicts, sorted, with the value in each."""
    for name in sorted(before.keys() | now.keys()):
        yield name, before.get(name, missing), now.get(name, missing)


def another_python(parts):
    """Which Python and packages computed, if this Python is another minor version; else an empty text."""
    if parts["python"] == PYTHON:
        return ""
    now = {"Python": PYTHON, **{name: _version(name) for name in parts["packages"]}}
    before = {"Python": parts["python"], **parts["packages"]}
    others = [f"{name} {before[name]} (here {now[name]})" for name in now if before[name] != now[name]]
    return f"computed with {', '.join(others)}"


def default_parameters(path):
    """What a notebook's ``parameters`` cell says, a dict; a value that is no literal counts as its text."""
    return _cells(_code_cells(path))[1]


def modules_beside(folder):
    """The modules that a notebook in a folder finds, in the order in which its kernel looks for them."""
    searched = [*current_study().path, *([] if folder is None else [folder])]
    folders = [(path, None) for path in searched] + [(LIBRARY, "studylib")]
    return Modules(dict.fromkeys(folders), _COMPUTES_NOTHING, {_OF_TASKS, _OF_NOTEBOOKS, *_JUDGE})


def _used_files(patterns):
    """The files that ``uses`` lists."""
    files, root = [], current_study().root
    for pattern in patterns:
        try:
            matching = sorted(path for path in root.glob(pattern) if path.is_file())
        except (NotImplementedError, ValueError):  # an absolute path, or no pattern
            matching = []
        if not matching:
            raise ValueError(f"study.toml: 'uses' lists {pattern!r}, and there is no such file below {root}.")
        files += matching
    return files


def _context(closure, modules, data, uses):
    study = current_study()
    return TaskInputs(
        parts={
            **({"uses": list(uses)} if uses else {}),
            "code": {_relative(path, study.root): value for path, value in sorted(closure.hashes.items())},
            "data": {path: file_hash(study.data_path(path)) for path in data},
            "packages": _versions(closure.packages, modules),
            "python": PYTHON,
        },
        files=tuple(str(path) for path in closure.hashes),
    )


def _versions(imported, modules):
    versions = {name: _version(name) for name in PACKAGES}
    for name in sorted(imported - _NOT_COMPUTING):
        installed = _version(name) != _ABSENT
        if not installed and modules.find(name):
            continue  # one of our own folders, without ``__init__``
        for package in [name] if installed else _distributions_of(name):
            versions[package] = " ".join(filter(None, (_version(package), _sources_elsewhere(name))))
    return versions


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
        return _ABSENT


@cache
def _distributions_of(name):
    """What installed a module whose name is another one: ``PyYAML`` for ``yaml``."""
    names = importlib.util.find_spec(name) and metadata.packages_distributions().get(name)  # takes long
    return names or [name]


def _relative(path, root):
    """A path as it is the same on every machine; a study's folder may have the environment in it."""
    installed = Path(sysconfig.get_path("purelib")).resolve() == LIBRARY
    of_library = path.is_relative_to(LIBRARY) and (installed or not path.is_relative_to(root))
    return Path(relpath(path, LIBRARY if of_library else root)).as_posix()


def _code_cells(path):
    """``(source, syntax trees, tags)`` of every code cell."""
    cells = [c for c in read_notebook(path).cells if c.cell_type == "code"]
    return [(c.source, trees_of(c.source, path.stem), c.metadata.get("tags", [])) for c in cells]


def _cells(code_cells):
    """The cells as text that does not depend on comments and formatting, and the default parameters."""
    texts, parameters = [], {}
    for source, trees, tags in code_cells:
        if "parameters" in tags and trees:
            parameters |= _literals(trees[0])
            rest = [s for s in trees[0].body if not isinstance(s, (ast.Assign, ast.AnnAssign))]
            texts += [module_of(statement).hash for statement in rest]
        else:
            texts.append(module_of(trees[0], keep_texts=True).hash if trees else source)
    return texts, parameters


def _literals(tree):
    """Values of the names that a cell assigns; a value that is no literal counts as its text."""
    values_by_name = {}

    def assign(target, value):
        if isinstance(target, ast.Name):
            try:
                values_by_name[target.id] = ast.literal_eval(value)
            except ValueError:
                values_by_name[target.id] = ast.unparse(value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = getattr(value, "elts", None)
            if values is None or len(values) != len(target.elts):  # ``a, b = pair``
                values = [ast.Subscript(value, ast.Constant(k)) for k in range(len(target.elts))]
            for inner, its_value in zip(target.elts, values, strict=True):
                assign(inner, its_value)

    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assign(target, node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            assign(node.target, node.value)
    return values_by_name
