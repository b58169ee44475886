"""The statements of a module, sorted by the names that they bind, and what they do when it is imported.

A statement that only binds names matters to code that uses those names.  One that does more on import, such
as adding a function to a registry, matters to every module that imports this one.  The analysis cannot see
whether a decorator or a call does more, so it trusts only a short list of decorators, and no call.
"""

import ast
import builtins
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)
_IMPORTS = (ast.Import, ast.ImportFrom)
_OF_THE_SYSTEM = ("/proc/", "/sys/", "/dev/")  # they look like files, and are never twice the same

#: Decorators that give a function or class its meaning and enter it nowhere else.
_PURE_DECORATORS = {
    "property", "staticmethod", "classmethod",
    "abc.abstractmethod", "contextlib.contextmanager", "dataclasses.dataclass",
    "functools.cache", "functools.cached_property", "functools.lru_cache", "functools.total_ordering",
    "functools.wraps", "typing.final", "typing.override", "typing.runtime_checkable",
    "numba.njit", "numba.jit", "numba.vectorize", "numba.guvectorize", "numba.extending.register_jitable",
    "studylib.core.compiling.njit",
}  # fmt: skip
#: Attributes of a property that decorate.
_PROPERTY_PARTS = {"setter", "getter", "deleter"}
_PURE_METACLASSES = {"abc.ABCMeta", "enum.EnumMeta", "enum.EnumType"}
#: What looks names up by strings, so that every definition of the module may be meant.
_LOOK_UP = {"globals", "locals", "vars", "eval", "exec", "__dict__"}
#: What imports modules by strings.
_IMPORT_BY_NAME = {"import_module", "__import__", "modules", "run_module", "resolve_name", "find_spec"}


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
    def words(self):
        """All names and attributes in it."""
        found = {node.id for node in self._nodes if isinstance(node, ast.Name)}
        return found | {node.attr for node in self._nodes if isinstance(node, ast.Attribute)}

    @property
    def looks_up_names(self):
        """Whether it can use a definition of its module without naming it."""
        return not self.words.isdisjoint(_LOOK_UP)

    @property
    def imports_by_name(self):
        """Whether it can import a module that only a string names."""
        return not self.words.isdisjoint(_IMPORT_BY_NAME)

    @cached_property
    def strings(self):
        """Its strings that could be the name of a file or module; what is filled in later is ``*``."""
        inside, found = set(), set()
        for node in self._nodes:
            if isinstance(node, ast.JoinedStr):
                inside |= {id(part) for part in node.values}
                parts = [p.value if isinstance(p, ast.Constant) else "*" for p in node.values]
                found.add(re.sub(r"\*+", "*", "".join(parts)))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
                found.add(node.value)
        possible = {s for s in found if 0 < len(s) < 100 and "\n" not in s and s.strip("*./") != ""}
        return {s for s in possible if not s.startswith(_OF_THE_SYSTEM)}

    @cached_property
    def classes(self):
        """The classes that it defines, its own methods' classes excepted."""
        return [node for node in _at_import(self.node) if isinstance(node, ast.ClassDef)]


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

    @cached_property
    def statements(self):
        """All that bind a name, each once."""
        return list(dict.fromkeys(s for group in self.definitions.values() for s in group))


def parse_module(name, path, text):
    """A :class:`Module` from its text."""
    module = Module(name, Path(path), is_package=Path(path).name == "__init__.py")
    for statement in ast.parse(text, str(path)).body:
        if isinstance(statement, _IMPORTS):
            sort_import(statement, module)
        elif not _is_text(statement):
            kept = Statement(statement)
            for bound in _bound(statement, module):
                module.definitions[bound].append(kept)
            module.effects.append(kept)
    # Only now is it known what the names of decorators and metaclasses mean.
    module.effects = [s for s in module.effects if _has_effect(s.node, module)]
    return module


def sort_import(statement, module):
    """Note what an import binds, and which modules it runs."""
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
    if statement.level:
        source = absolute_name("." * statement.level + source, module)
    module.imported.append(source)
    for alias in statement.names:
        if alias.name == "*":
            module.stars.append(source)
        else:
            module.imports[alias.asname or alias.name] = (source, alias.name)
            module.imported.append(f"{source}.{alias.name}")  # where that is a module, it runs as well


def absolute_name(name, module):
    """The full name of a module that is named in another one, perhaps from there: ``.other``."""
    level = len(name) - len(name.lstrip("."))
    if not level:
        return name
    parts = module.name.split(".")
    parts = parts[: len(parts) - level + module.is_package]
    return ".".join([*parts, *([name[level:]] if name[level:] else [])])


def runs_for_subclasses(node, module):
    """Whether a class does something whenever a class is derived from it."""
    methods = {inner.name for inner in node.body if isinstance(inner, _FUNCTIONS)}
    return "__init_subclass__" in methods or any(not _is_pure_keyword(k, module) for k in node.keywords)


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
            sort_import(node, module)
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


def _at_import(statement):
    """The nodes of a statement that run when its module is imported: not the bodies of functions."""
    todo = [statement]
    while todo:
        node = todo.pop()
        yield node
        if isinstance(node, _FUNCTIONS):
            todo += [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.Lambda):
            todo.append(node.args)
        else:
            todo.extend(ast.iter_child_nodes(node))


def _has_effect(statement, module):
    """Whether a statement may do more, when it runs, than bind names."""
    pure = set()  # calls that make a decorator, such as ``njit(cache=True)``
    for node in _at_import(statement):
        if isinstance(node, _DEFINITIONS):
            for decorator in node.decorator_list:
                if not _is_pure_decorator(decorator, module):
                    return True
                pure.add(id(decorator))
        if isinstance(node, ast.ClassDef) and any(not _is_pure_keyword(k, module) for k in node.keywords):
            return True
        if isinstance(node, ast.Call) and id(node) not in pure:
            return True
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.Expr) and not _is_text(node) and id(node.value) not in pure:
            return True
        if isinstance(node, (ast.Delete, ast.Raise, ast.Assert, ast.With, ast.AsyncWith)):
            return True
        # ``+=`` may alter an object that other modules hold, too; imports inside a class are not sorted.
        if isinstance(node, (ast.AugAssign, *_IMPORTS)):
            return True
    return False


def _is_pure_decorator(node, module):
    made_by = node.func if isinstance(node, ast.Call) else node
    if isinstance(made_by, ast.Attribute) and made_by.attr in _PROPERTY_PARTS:
        return True
    return _meaning(made_by, module) in _PURE_DECORATORS


def _is_pure_keyword(keyword, module):
    return keyword.arg == "metaclass" and _meaning(keyword.value, module) in _PURE_METACLASSES


def _meaning(node, module):
    """The full name of what an expression names, ``"numba.njit"``; empty if that is ours or not known."""
    path = []
    while isinstance(node, ast.Attribute):
        path.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id in module.definitions:
        return ""
    if node.id in module.imports:
        source, name = module.imports[node.id]
        return ".".join([source, *([name] if name else []), *reversed(path)])
    return ".".join([node.id, *reversed(path)]) if hasattr(builtins, node.id) and not module.stars else ""


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
