"""Which files a task or a notebook depends on: the modules that it imports, and what lies next to them.

Whole modules count, with all that they import in turn, wherever the import stands: in a function, in a
branch, under ``try``.  Nothing is run.  A string that is the full name of a module, ``"a.b"`` or ``"a.b:c"``,
counts like an import, because ``import_module`` and entry points name modules so.  Next to a module of a
package, every file counts that is no code: tables, templates, settings.  What is found by a computed name has
to be listed in ``study.toml``, in the ``uses`` of its notebook.

These change a result unnoticed:

- a module or file whose name is computed and which ``uses`` does not list, or which lies outside of packages;
- what a compiled module imports, and what is put on ``sys.path`` or into the environment while code runs;
- what a notebook's cells do to the modules of its tasks: tasks may run in other processes, without it;
- a docstring that is read when the code runs.

Packages from elsewhere count with their versions, which are another part of the key.
"""

import ast
import os
import re
import sys
from dataclasses import dataclass, field
from importlib import invalidate_caches
from importlib.machinery import SOURCE_SUFFIXES, PathFinder, all_suffixes
from pathlib import Path
from typing import NamedTuple

from studylib.core.files import file_hash, sha256

#: The name of a module as a string, perhaps with an object in it: ``"a.b:c"``, ``".b"``.
_DOTTED = re.compile(r"\.*[^\W\d]\w*(\.[^\W\d]\w*)*(:[\w.]+)?")
_IMPORT_BY_NAME = {"import_module", "__import__", "run_module", "resolve_name"}
#: Files next to modules that are no data: code, which is found by imports, text, backups, and the ledger.
_NO_DATA = re.compile(
    r"\..*|.*~|#.*#|.*\.(py|pyc|ipynb|md|bak|orig|swp)|(claims|source|deviations|study)\.toml"
)


class Place(NamedTuple):
    """The file of a module, None if it is a folder without ``__init__``, and where its submodules are."""

    path: Path | None
    folders: tuple


class Module(NamedTuple):
    """What a file says: its hash, the full names that it imports, strings that may be names of modules."""

    hash: str
    imports: tuple
    strings: tuple


@dataclass
class Closure:
    """What some code depends on.

    ``hashes`` has by file the hash of its code, or of its bytes; ``packages`` the top-level names that are
    imported from elsewhere; ``ignored`` modules that compute nothing, by the file that imports them.
    """

    hashes: dict = field(default_factory=dict)
    packages: set = field(default_factory=set)
    ignored: dict = field(default_factory=dict)


class Modules:
    """The modules that a kernel finds, looked for as its import system does.

    ``folders`` has pairs as on ``sys.path``: with a string, only that package is looked for in the folder.
    Packages in ``ignored`` compute nothing, but for their modules in ``kept``.
    """

    def __init__(self, folders, ignored=(), kept=()):
        self._folders = [(Path(folder), package) for folder, package in folders]
        self._ignored, self._kept = tuple(ignored), frozenset(kept)
        self._found = {}
        invalidate_caches()  # a folder may have been written since it was last looked at

    def find(self, name):
        """The module of that name, a :class:`Place`, or None if it is not one of ours."""
        if name not in self._found:
            above, _, last = name.rpartition(".")
            if above:
                package = self.find(above)
                folders = package.folders if package else ()
            else:
                folders = [folder for folder, package in self._folders if package in (None, last)]
            self._found[name] = _look_for(last, folders)
        return self._found[name]

    def ignores(self, name):
        """Whether a module computes nothing."""
        inside = any(name == package or name.startswith(f"{package}.") for package in self._ignored)
        return inside and name not in self._kept

    def closure(self, names=(), trees=(), files=()):
        """All that modules, code in no module (``trees``) and files used without an import depend on."""
        closure, self._todo, seen = Closure(), list(names), set()
        for tree in trees:
            self._follow(closure, "the notebook", module_of(tree))
        for path in files:
            self._read(closure, path, "")
            self._todo += self._names_of(path)
        while self._todo:
            name = self._todo.pop()
            if name in seen or not name:
                continue
            seen.add(name)
            self._todo.append(name.rpartition(".")[0])
            module = self.find(name)
            top = self.find(name.split(".")[0])
            if top is None or top.path is None:  # an installed package comes before a folder of that name
                closure.packages.add(name.split(".")[0])
            if module is None or module.path is None or self.ignores(name):
                continue
            self._read(closure, module.path, name if module.folders else name.rpartition(".")[0])
            if "." in name or module.folders:
                self._beside(closure, module.path.parent, name)
        closure.packages -= {"__future__", *sys.stdlib_module_names}
        return closure

    def _read(self, closure, path, package):
        """A file counts, and what it imports."""
        if path.suffix not in SOURCE_SUFFIXES:
            closure.hashes[path] = file_hash(path)
            return
        module = _parsed(path, package)
        closure.hashes[path] = module.hash
        self._follow(closure, path.name, module)

    def _follow(self, closure, where, module):
        for name in module.imports:
            if self.ignores(name):
                if self.find(name):  # not a name in a module that counts
                    closure.ignored.setdefault(name, where)
            elif not (above := name.rpartition(".")[0]) or self.find(name) or not self.find(above):
                self._todo.append(name)
        self._todo += [name for name in module.strings if (named := self.find(name)) and named.path]

    def _names_of(self, path):
        """Under which names a file can be imported."""
        for folder, package in self._folders:
            if path.is_relative_to(folder):
                name = ".".join(path.relative_to(folder).with_suffix("").parts)
                module = self.find(name)
                if package in (None, name.split(".")[0]) and module and module.path == path:
                    yield name

    def _beside(self, closure, folder, name):
        """The files next to a module of a package that are no code, and those in folders below."""
        package = name if self.find(name).folders else name.rpartition(".")[0]
        if self.ignores(package) or folder in {place for place, _ in self._folders}:
            return
        for place, folders, files in os.walk(folder):
            folders[:] = [
                inner
                for inner in folders
                if not (inner.startswith((".", "__pycache__")) or _look_for("__init__", [Path(place, inner)]))
            ]
            for path in (Path(place, file) for file in files if not _NO_DATA.fullmatch(file)):
                if path.suffix not in all_suffixes() and path not in closure.hashes and path.is_file():
                    closure.hashes[path] = file_hash(path)


def _look_for(name, folders):
    """A module among the files of some folders."""
    spec = PathFinder.find_spec(name, [str(folder) for folder in folders])
    if spec is None:
        return None
    path = Path(spec.origin) if spec.has_location else None
    return Place(path, tuple(map(Path, spec.submodule_search_locations or ())))


def _absolute(name, package):
    """The full name of a module that is named relative to a package: ``.other``."""
    level = len(name) - len(name.lstrip("."))
    parts = package.split(".")
    above = parts[: max(0, len(parts) + 1 - level)] if level else []
    return ".".join(filter(None, [*above, name[level:]]))


_cache = {}


def _parsed(path, package):
    """A module from its file, parsed again when the file has changed."""
    state = path.stat()
    signature = (state.st_mtime_ns, state.st_size, state.st_ino, state.st_ctime_ns)
    if _cache.get((path, package), (None,))[0] != signature:
        _cache[path, package] = signature, module_of(ast.parse(path.read_bytes(), str(path)), package)
    return _cache[path, package][1]


def module_of(tree, package="", *, keep_texts=False):
    """What a syntax tree says, a :class:`Module`; relative names start from ``package``.

    With ``keep_texts``, strings that are statements count: the last one of a notebook's cell is its output.
    Otherwise they are docstrings.
    """
    reader = _Reader(package, keep_texts)
    reader.visit(tree)
    text = "".join(reader.parts)
    return Module(sha256(text.encode()), tuple(reader.imports), tuple(reader.strings))


class _Reader:
    """One walk over a tree, which thousands of lines take: its canonical text, and the names in it.

    The text has no places, and is equal for every version of Python: what is empty or says nothing is left
    out.
    """

    def __init__(self, package, keep_texts):
        self._package, self._keep_texts = package, keep_texts
        self.parts, self.imports, self.strings = [], {}, {}

    def visit(self, node):
        kind, write = type(node), self.parts.append
        if kind in _TELLING:
            self._look_at(node)
        write(kind.__name__)
        write("(")
        for name in kind._fields:
            value = getattr(node, name, None)
            if (value is None and kind is not ast.Constant) or name in ("ctx", "kind", "type_comment"):
                continue
            if isinstance(value, ast.AST):
                write(name)
                self.visit(value)
            elif type(value) is not list:
                write(f"{name}={value!r}")
            elif value:
                write(name)
                for entry in value:
                    if not isinstance(entry, ast.AST):
                        write(repr(entry))
                    elif _is_text(entry) and not self._keep_texts:
                        continue
                    else:
                        self.visit(entry)
                    write(",")
        write(")")

    def _look_at(self, node):
        """Note what a node imports or names."""
        package = self._package
        match node:
            case ast.Import(names):
                self.imports |= dict.fromkeys(alias.name for alias in names)
            case ast.ImportFrom(module, names, level):
                source = _absolute("." * level + (module or ""), package)
                inner = [f"{source}.{alias.name}" for alias in names if alias.name != "*"]
                self.imports |= dict.fromkeys([source, *inner])
            case ast.Constant(str(name)) if "." in name and _DOTTED.fullmatch(name):
                self.strings[_absolute(name.partition(":")[0], package)] = None
            case ast.Call(function, [ast.Constant(str(name)), *more]):
                if getattr(function, "attr", getattr(function, "id", "")) in _IMPORT_BY_NAME:
                    named = more[0].value if more and isinstance(more[0], ast.Constant) else package
                    self.strings[_absolute(name, str(named))] = None
            case ast.Assign([ast.Name("__all__")], value) | ast.AugAssign(ast.Name("__all__"), _, value):
                listed = [node.value for node in ast.walk(value) if isinstance(node, ast.Constant)]
                self.strings |= dict.fromkeys(f"{package}.{name}" for name in listed)  # for ``import *``


_TELLING = {ast.Import, ast.ImportFrom, ast.Constant, ast.Call, ast.Assign, ast.AugAssign}


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
