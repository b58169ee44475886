"""Which code a function or a notebook can reach, found in the sources without running them.

A result depends on the definitions that its function uses, on those that they use, and so on, and on
what runs when their modules are imported.  Only definitions count: a docstring, a comment, formatting or
a function that is not used changes nothing.

The analysis is static; when in doubt, it counts more.  These count as a whole: a class; a module that is
passed on as an object, or imported with ``*`` or by a string; a module that looks up its own names by
strings.  Code that registers itself on import counts for every module that imports it: see ``statements``.  A
data file counts with its bytes if the code names it, in full or by a pattern, and it lies next to the module,
in a folder that the module names, or in one of the ``places``.

It cannot see

- a module or file whose name is computed, other than by an f-string or a pattern;
- a module that a class of another package registers for its subclasses (``__init_subclass__`` there);
- an operator that is overloaded to register something, in an assignment;
- a docstring that is read when the code runs;
- environment variables, and what is put on ``sys.path`` while the code runs;
- what a notebook's cells do to the modules of its tasks: tasks may run in other processes, without it.

Packages from elsewhere count with their versions, which are another part of the key.
"""

import ast
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from studylib.core.files import sha256
from studylib.study.freshness.statements import (
    Module,
    absolute_name,
    parse_module,
    runs_for_subclasses,
    sort_import,
)

#: The whole of a module, as a name in it, with all that it imports.
EVERYTHING = "*"
#: All statements of a module, with what they use of its imports.
STATEMENTS = "."

#: Modules that are compiled already.
_BINARIES = (".so", ".pyd")
#: Strings that can mean several files, such as ``*.csv``, or one that is called like the module.
_PATTERN = re.compile(r"(?=.*[*?])(\*\*/|[^/*]+/|(?!\*\*)\*[^/*]*/)*(?!.*\*\*)[^/]*\.\w+")
_SUFFIX = re.compile(r"\.\w+")
#: How deep folders that a module names may lie in each other.
_DEPTH = 4


class Sources:
    """The modules below some folders, parsed when they are first asked for.

    Parameters
    ----------
    folders : iterable of (Path, str or None)
        As on ``sys.path``: the module ``a.b`` is ``folder/a/b.py`` or ``folder/a/b/__init__.py``.  With a
        string, only that package is looked for there: other people's packages may lie beside it.
    ignored : iterable of str
        Modules and packages that compute nothing.
    kept : iterable of str
        Modules in them that do compute.
    places : iterable of Path
        Folders in which the files that code names are looked for, besides that of its module.
    """

    def __init__(self, folders, ignored=(), kept=(), places=()):
        self._folders = [(Path(folder), package) for folder, package in folders]
        self._ignored, self._kept = tuple(ignored), tuple(kept)
        self._places = tuple(map(Path, places))
        self._modules, self._binaries, self._homes, self._kinds = {}, {}, {}, {}

    def module(self, name):
        """The module of that name, or None if it is not ours or computes nothing."""
        if name not in self._modules:
            path = None if self.ignores(name) else self._find(name)
            self._modules[name] = path and _parsed(name, path)
        return self._modules[name]

    def ignores(self, name):
        """Whether a module computes nothing."""

        def within(prefixes):
            return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)

        return within(self._ignored) and not within(self._kept)

    def binaries(self, name):
        """Files of a compiled module of ours."""
        if name not in self._binaries:
            *above, last = name.split(".")
            folders = [folder.joinpath(*above) for folder in self._folders_with(name)]
            found = (path for folder in folders for path in folder.glob(f"{last}.*"))
            self._binaries[name] = [path for path in found if path.suffix in _BINARIES]
        return self._binaries[name]

    def folders_of(self, module):
        """Where files that a module names may lie: beside it, in a place, or further up in its package."""
        found = {module.path.parent, *self._places}
        if any("__file__" in statement.words for statement in [*module.statements, *module.effects]):
            package = module.name.count(".") + module.is_package
            found.update(module.path.parents[:package])
        return found

    def kind(self, path):
        """``"file"``, ``"folder"``, or an empty string, also for a name that neither can have."""
        if path not in self._kinds:
            try:
                self._kinds[path] = "file" if path.is_file() else "folder" if path.is_dir() else ""
            except (OSError, ValueError):
                self._kinds[path] = ""
        return self._kinds[path]

    def _folders_with(self, name):
        """The folders in which the package of a module, or the module itself, lies."""
        top = name.split(".")[0]
        if top not in self._homes:
            folders = [folder for folder, package in self._folders if package in (None, top)]
            here = [f for f in folders if (f / top).is_dir() or any(f.glob(f"{top}.*"))]
            self._homes[top] = here if top else []
        return self._homes[top]

    def _find(self, name):
        for folder in self._folders_with(name):
            path = folder.joinpath(*name.split("."))
            for candidate in (path / "__init__.py", path.with_name(f"{path.name}.py")):
                if candidate.is_file():
                    return candidate
        return None

    def from_text(self, name, text, path):
        """A module from its text, such as the code of a notebook; it is not found by others."""
        return parse_module(name, path, text)

    def reach(self, roots):
        """What some definitions depend on.

        Parameters
        ----------
        roots : iterable of (module, name)
            ``module`` is a name or a :class:`Module`, ``name`` that of a definition, ``EVERYTHING`` or
            ``STATEMENTS``.

        Returns
        -------
        Reach
        """
        walk = _Walk(self)
        for module, name in roots:
            walk.go_to(module, name)
        return walk.result()


@dataclass(frozen=True)
class Reach:
    """What was reached.

    Parameters
    ----------
    hashes : dict of Path to str
        sha256 over the reached definitions of a source file, or over a data file that they name.
    packages : frozenset of str
        Top-level names imported from elsewhere.
    """

    hashes: dict
    packages: frozenset


class _Walk:
    """One search through the definitions."""

    def __init__(self, sources):
        self._sources = sources
        self._seen, self._todo = set(), []
        self._statements = defaultdict(dict)  # by module; a dict keeps the order
        self._entered, self._packages, self._files = {}, set(), set()
        self._wants_subclasses = False  # of whatever class
        self._strings_seen = {}

    def go_to(self, module, name):
        if isinstance(module, str):
            found = self._sources.module(module)
            if found is None:
                self._leave(module)
                return
            module = found
        if (module.name, name) not in self._seen:
            self._seen.add((module.name, name))
            self._todo.append((module, name))

    def result(self):
        while self._todo:
            while self._todo:
                module, name = self._todo.pop()
                self._enter(module)
                for statement in self._found(module, name):
                    self._take(module, statement)
            self._follow_strings()
            self._follow_subclasses()
        hashes = {}
        for name, statements in self._statements.items():
            texts = sorted(statement.text for statement in statements)
            hashes[self._entered[name].path] = sha256("\n".join(texts).encode())
        for path in self._files:
            hashes[path] = sha256(path.read_bytes())
        return Reach(hashes, frozenset(self._packages - {"__future__"} - set(sys.stdlib_module_names)))

    def _enter(self, module):
        """A module that is imported: what it does then, and what it and its packages import."""
        if module.name in self._entered:
            return
        self._entered[module.name] = module
        for statement in module.effects:
            self._take(module, statement)
        for statement in module.statements:
            if any(self._derives_from_registrar(module, node) for node in statement.classes):
                self._take(module, statement)
        parts = module.name.split(".")
        for k in range(1, len(parts)):
            self._import(".".join(parts[:k]))
        for name in module.imported:
            self._import(name)

    def _import(self, name):
        found = self._sources.module(name)
        if found is not None:
            self._enter(found)
        elif name:
            self._leave(name)

    def _leave(self, name):
        """A module that is no source of ours: a package from elsewhere, or one that is compiled already."""
        if self._sources.ignores(name):
            return
        top = name.split(".")[0]
        binaries = self._sources.binaries(name)
        self._files.update(binaries)
        if not binaries and not self._sources.module(top):
            self._packages.add(top)

    def _derives_from_registrar(self, module, node, seen=frozenset()):
        """Whether a base of a class, among our sources, does something for each class that is derived."""
        for base in node.bases:
            path = []
            while isinstance(base, ast.Attribute):
                path.append(base.attr)
                base = base.value
            if not isinstance(base, ast.Name):
                continue
            for home, definition in self._classes_of(module, base.id, path[::-1]):
                if (home.name, definition.name) in seen:
                    continue
                if runs_for_subclasses(definition, home) or self._derives_from_registrar(
                    home, definition, seen | {(home.name, definition.name)}
                ):
                    return True
        return False

    def _classes_of(self, module, name, path):
        """``(module, class)`` of what a name with attributes behind it may mean, through re-exports."""
        for _ in range(20):  # longer chains of imports are circles
            if name in module.definitions and not path:
                statements = module.definitions[name]
                return [(module, c) for s in statements for c in s.classes if c.name == name]
            if name not in module.imports:
                return []
            source, inner = module.imports[name]
            full = [*([inner] if inner else []), *path]
            while full and self._sources.module(f"{source}.{full[0]}"):
                source = f"{source}.{full.pop(0)}"
            found = self._sources.module(source)
            if found is None or not full:
                return []
            module, name, path = found, full[0], full[1:]
        return []

    def _found(self, module, name):
        """Statements that give ``name`` its meaning; what is imported is followed instead."""
        if name in (EVERYTHING, STATEMENTS):
            for source, inner in module.imports.values() if name == EVERYTHING else ():
                self._follow(source, inner)
            return module.statements
        if name in module.definitions:
            if name in module.imports:  # imported in one branch, defined in another
                self._follow(*module.imports[name])
            return module.definitions[name]
        if name in module.imports:
            self._follow(*module.imports[name])
        elif module.is_package and self._sources.module(f"{module.name}.{name}"):
            self.go_to(f"{module.name}.{name}", EVERYTHING)
        elif module.stars:
            for source in module.stars:
                self.go_to(source, name)
        elif not name.startswith("__"):
            self.go_to(module, EVERYTHING)  # bound in a way that is not seen here
        return []

    def _follow(self, source, name, path=()):
        """Go to an imported name, or through it along ``path`` where it is a module."""
        if name is not None and self._sources.module(f"{source}.{name}"):
            source, name = f"{source}.{name}", None
        if name is not None:
            self.go_to(source, name)
            return
        for end in range(len(path), 0, -1):  # as far as there are modules
            deeper = ".".join([source, *path[:end]])
            if self._sources.module(deeper):
                source, path = deeper, path[end:]
                break
        found = self._sources.module(source)
        if not path:
            self.go_to(source, EVERYTHING)
        elif found and path[0] in found.imports and path[0] not in found.definitions:
            self._follow(*found.imports[path[0]], path[1:])  # re-exported, perhaps a module itself
        else:
            self.go_to(source, path[0])

    def _take(self, module, statement):
        """A statement counts, and all that it refers to."""
        if statement in self._statements[module.name]:
            return
        self._statements[module.name][statement] = None
        self._entered.setdefault(module.name, module)
        self._wants_subclasses |= "__subclasses__" in statement.words
        if statement.looks_up_names:
            self.go_to(module, EVERYTHING)
        inner = Module(module.name, module.path, module.is_package)
        for node in statement.imports:
            sort_import(node, inner)
        for name in inner.imported:
            self._import(name)
        for name in inner.stars:
            self.go_to(name, EVERYTHING)
        for name, path in statement.references:
            if name in inner.imports:
                self._follow(*inner.imports[name], path)
            elif name in module.imports and name not in module.definitions:
                self._follow(*module.imports[name], path)
            elif name in module.definitions or module.stars:
                self.go_to(module, name)

    def _follow_strings(self):
        """Count the files and import the modules that the reached statements name by strings."""
        for name, statements in list(self._statements.items()):
            if self._strings_seen.get(name) == len(statements):
                continue
            self._strings_seen[name] = len(statements)
            module = self._entered[name]
            strings = {text for statement in statements for text in statement.strings}
            self._files |= self._named_files(module, strings)
            if any(statement.imports_by_name for statement in statements):
                for text in strings:
                    full = absolute_name(text, module)
                    if full and self._sources.module(full):
                        self.go_to(full, EVERYTHING)

    def _named_files(self, module, strings):
        """Files in the folders of a module, or in folders that it names there."""
        found, folders = set(), self._sources.folders_of(module)
        patterns = [text.removeprefix("*/") for text in strings if _PATTERN.fullmatch(text)]
        seen = set(folders)
        for _ in range(_DEPTH):
            inner = set()
            for folder in folders:
                for text in strings:
                    path = folder / text
                    kind = self._sources.kind(path)
                    if kind == "file":
                        found.add(path)
                    elif kind == "folder":
                        inner.add(path)
                for pattern in patterns:
                    found |= {path for path in folder.glob(pattern) if path.is_file()}
            folders = inner - seen
            seen |= folders
        suffixes = (text for text in strings if _SUFFIX.fullmatch(text))
        beside = (module.path.with_suffix(suffix) for suffix in suffixes)
        return found | {path for path in beside if path != module.path and path.is_file()}

    def _follow_subclasses(self):
        """Where classes are asked for their subclasses, each class that an imported module derives counts."""
        if self._wants_subclasses:
            for module in list(self._entered.values()):
                for statement in module.statements:
                    if any(node.bases for node in statement.classes):
                        self._take(module, statement)


_cache = {}


def _parsed(name, path):
    """A module from its file, parsed anew when the file has changed."""
    state = path.stat()
    signature = (state.st_mtime_ns, state.st_size, state.st_ino, state.st_ctime_ns)
    if _cache.get((name, path), (None,))[0] != signature:
        _cache[name, path] = signature, parse_module(name, path, path.read_text(encoding="utf-8-sig"))
    return _cache[name, path][1]
