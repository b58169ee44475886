"""Which code a function or a notebook can reach, found in the sources without running them.

A result depends on the definitions that its function uses, on those that they use, and so on, and on
what runs when their modules are imported.  Only definitions count: a docstring, a comment, formatting or
a function that is not used changes nothing.

The analysis is static and errs on the side of more.  A class counts as a whole; a module that is handed
on as an object, or imported with ``*``, counts as a whole; a file that a reached definition names and
that lies beside its module counts with its bytes.  What it cannot see is code that is reached by a string,
such as ``getattr(module, name)`` on a name that is computed, and code outside the study's folders, whose
versions are another part of the key.
"""

import ast
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from studylib.core.files import sha256

#: The whole of a module, as a name in it, with all that it imports.
EVERYTHING = "*"
#: All statements of a module, with what they use of its imports.
STATEMENTS = "."

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")  # they look like files, and are never twice the same


@dataclass(eq=False)
class Statement:
    """A statement of a module's top level, and what is asked of it again and again."""

    node: ast.stmt

    @cached_property
    def _nodes(self):
        return list(ast.walk(self.node))

    @cached_property
    def text(self):
        """Equal for statements that mean the same."""
        return canonical_code(self.node)

    @cached_property
    def references(self):
        """Names that it uses, each with the attributes behind it: ``a.b.c`` is ("a", ("b", "c"))."""
        return list(dict.fromkeys(_references(self._nodes)))

    @cached_property
    def imports(self):
        """Imports inside of it, such as those of a function."""
        return [node for node in self._nodes if isinstance(node, _IMPORTS)]

    @cached_property
    def strings(self):
        """Its constant strings that could be the name of a file."""
        nodes = (node for node in self._nodes if isinstance(node, ast.Constant))
        texts = {node.value for node in nodes if isinstance(node.value, str)}
        named = {s for s in texts if 0 < len(s) < 100 and "\n" not in s and not s.endswith(".py")}
        return {s for s in named if not s.startswith(_OF_THE_SYSTEM)}


@dataclass
class Module:
    """A source file, its statements sorted by the names that they bind."""

    name: str
    path: Path
    is_package: bool
    definitions: dict = field(default_factory=lambda: defaultdict(list))  # name: list of Statement
    imports: dict = field(default_factory=dict)  # name: (module, name in it or None)
    stars: list = field(default_factory=list)  # modules imported with *
    imported: list = field(default_factory=list)  # every module that importing this one imports
    effects: list = field(default_factory=list)  # statements that do something when it is imported


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
    """

    def __init__(self, folders, ignored=(), kept=()):
        self._folders = [(Path(folder), package) for folder, package in folders]
        self._ignored, self._kept = tuple(ignored), tuple(kept)
        self._modules = {}

    def module(self, name):
        """The module of that name, or None if it is not ours or computes nothing."""
        if name not in self._modules:
            path = None if self._is_ignored(name) else self._find(name)
            self._modules[name] = path and _parsed(name, path)
        return self._modules[name]

    def _is_ignored(self, name):
        def within(prefixes):
            return any(name == prefix or name.startswith(prefix + ".") for prefix in prefixes)

        return within(self._ignored) and not within(self._kept)

    def _find(self, name):
        for folder, package in self._folders:
            if package not in (None, name.split(".")[0]):
                continue
            path = folder.joinpath(*name.split("."))
            for candidate in (path / "__init__.py", path.with_suffix(".py")):
                if candidate.is_file():
                    return candidate
        return None

    def from_text(self, name, text, path):
        """A module from its text, such as the code of a notebook; it is not found by others."""
        module = Module(name, Path(path), is_package=False)
        _sort(ast.parse(text), module)
        return module

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
        self._statements = defaultdict(set)  # by module
        self._entered, self._packages, self._files = {}, set(), set()

    def go_to(self, module, name):
        if isinstance(module, str):
            found = self._sources.module(module)
            if found is None:
                self._packages.add(module.split(".")[0])
                return
            module = found
        if (module.name, name) not in self._seen:
            self._seen.add((module.name, name))
            self._todo.append((module, name))

    def result(self):
        while self._todo:
            module, name = self._todo.pop()
            self._enter(module)
            for statement in self._found(module, name):
                self._take(module, statement)
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
        parts = module.name.split(".")
        for k in range(1, len(parts)):
            self._import(".".join(parts[:k]))
        for name in module.imported:
            self._import(name)

    def _import(self, name):
        found = self._sources.module(name)
        if found is not None:
            self._enter(found)

    def _found(self, module, name):
        """Statements that give ``name`` its meaning; what is imported is followed instead."""
        if name in (EVERYTHING, STATEMENTS):
            for source, inner in module.imports.values() if name == EVERYTHING else ():
                self._follow(source, inner)
            return [s for group in module.definitions.values() for s in group]
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
        self._statements[module.name].add(statement)
        self._entered.setdefault(module.name, module)
        inner = Module(module.name, module.path, module.is_package)
        for node in statement.imports:
            _sort_import(node, inner)
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
        for text in statement.strings:
            path = module.path.parent / text
            if path.is_file():
                self._files.add(path)


def _references(nodes):
    inside = set()
    for node in nodes:
        if isinstance(node, ast.Attribute) and id(node) not in inside:
            path, base = [], node
            while isinstance(base, ast.Attribute):
                inside.add(id(base))
                path.append(base.attr)
                base = base.value
            if isinstance(base, ast.Name):
                inside.add(id(base))
                yield base.id, tuple(reversed(path))
        elif isinstance(node, ast.Name) and id(node) not in inside:
            yield node.id, ()


_cache = {}


def _parsed(name, path):
    """A module from its file, parsed anew when the file has changed."""
    state = path.stat()
    signature = (state.st_mtime_ns, state.st_size, state.st_ino, state.st_ctime_ns)
    if _cache.get((name, path), (None,))[0] != signature:
        module = Module(name, path, path.name == "__init__.py")
        _sort(ast.parse(path.read_text(encoding="utf-8"), str(path)), module)
        _cache[name, path] = signature, module
    return _cache[name, path][1]


def _sort(tree, module):
    """Sort the statements of a module by the names that they bind."""
    for statement in tree.body:
        if isinstance(statement, _IMPORTS):
            _sort_import(statement, module)
        elif not _is_text(statement):
            names, kept = _bound(statement, module), Statement(statement)
            for name in names:
                module.definitions[name].append(kept)
            if not names or _has_effect(statement):
                module.effects.append(kept)


def _sort_import(statement, module):
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            module.imported.append(alias.name)
            if alias.asname:
                module.imports[alias.asname] = (alias.name, None)
            else:
                top = alias.name.split(".")[0]
                module.imports[top] = (top, None)
        return
    source = statement.module or ""
    if statement.level:  # relative
        parts = module.name.split(".")
        parts = parts[: len(parts) - statement.level + module.is_package]
        source = ".".join([*parts, *([source] if source else [])])
    module.imported.append(source)
    for alias in statement.names:
        if alias.name == "*":
            module.stars.append(source)
        else:
            module.imports[alias.asname or alias.name] = (source, alias.name)


def _bound(statement, module):
    """Names that a statement of a module's top level binds or changes."""
    if isinstance(statement, _DEFINITIONS):
        return {statement.name}
    names, todo = set(), [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, _DEFINITIONS):
            names.add(node.name)
            continue
        if isinstance(node, _IMPORTS):
            _sort_import(node, module)
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
            names.add(node.id)
        if isinstance(node, (ast.Subscript, ast.Attribute)) and isinstance(node.ctx, (ast.Store, ast.Del)):
            base = node.value
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if isinstance(base, ast.Name):
                names.add(base.id)
        if not isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(node))
    return names


def _has_effect(statement):
    """Whether a statement does more than bind names, such as a call whose result is not kept."""
    if isinstance(statement, (*_DEFINITIONS, ast.Assign, ast.AnnAssign, ast.AugAssign)):
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        return any(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets)
    todo = [statement]
    while todo:
        node = todo.pop()
        if (isinstance(node, ast.Expr) and not _is_text(node)) or isinstance(node, (ast.Delete, ast.Raise)):
            return True
        if not isinstance(node, _DEFINITIONS):
            todo.extend(ast.iter_child_nodes(node))
    return False


def _is_text(node):
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def canonical_code(node, *, keep_texts=False):
    """A syntax tree as text: without docstrings and places, equal for every version of Python.

    Parameters
    ----------
    node : ast.AST, or what a field of one holds
    keep_texts : bool
        Keep strings that are statements: the last one of a notebook's cell is its output.
    """
    if isinstance(node, ast.AST):
        parts = []
        for name, value in ast.iter_fields(node):
            if isinstance(value, list) and not keep_texts:
                value = [v for v in value if not (isinstance(v, ast.AST) and _is_text(v))]
            if value is not None and value != [] and name not in ("kind", "type_comment"):
                parts.append(f"{name}={canonical_code(value, keep_texts=keep_texts)}")
        return f"{type(node).__name__}({','.join(parts)})"
    if isinstance(node, list):
        return f"[{','.join(canonical_code(entry, keep_texts=keep_texts) for entry in node)}]"
    return repr(node)
