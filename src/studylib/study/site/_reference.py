"""What modules offer: their public names with kind, signature, docstring and members."""

import ast
import importlib.util
import inspect
import re
import sys
from dataclasses import dataclass, field

KINDS = ("class", "function", "exception", "data", "module")
_PACKAGES = {"sklearn": "scikit-learn"}


@dataclass
class Parameter:
    """One parameter of a signature, or a lone ``*`` or ``/``, as text."""

    name: str
    annotation: str = ""
    default: str = ""


@dataclass
class Item:
    """A public name.

    Parameters
    ----------
    kind, name, full : str
        What it is, its name, and its dotted name; the anchor is ``api-<full>``.
    thing : object
    text : str
        Its docstring.
    defined : str
        Dotted name under which it is defined.
    label : str
        The kind in words, such as "abstract class".
    signature : list of Parameter or None
    returns : str
        Annotation of what it returns.
    value : str
        Of a constant, if it is short.
    members : list of Item
        Public methods and properties that a class defines itself.
    inherited : dict of str to list of str
        Where else its methods come from, and their names.
    bases : list of str
        Dotted names of its base classes.
    overrides : str
        Dotted name of the method that it overrides, where it has no docstring of its own.
    """

    kind: str
    name: str
    full: str
    thing: object
    text: str
    defined: str
    label: str = ""
    signature: list[Parameter] | None = None
    returns: str = ""
    value: str = ""
    members: list["Item"] = field(default_factory=list)
    inherited: dict[str, list[str]] = field(default_factory=dict)
    bases: list[str] = field(default_factory=list)
    overrides: str = ""

    def __post_init__(self):
        self.label = self.label or self.kind


def public_items(module):
    """The names in ``__all__``, else the functions and classes that the module defines, kind by kind."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [
            name
            for name, thing in vars(module).items()
            if not name.startswith("_") and callable(thing) and _module_of(thing) == module.__name__
        ]
    items = [_item(module, name) for name in names]
    return sorted(items, key=lambda item: KINDS.index(item.kind))


def dotted(thing):
    """Name of a class or function under which it is defined."""
    return f"{_module_of(thing)}.{getattr(thing, '__qualname__', '')}"


def _module_of(thing):
    return getattr(thing, "__module__", "") or ""


def _item(module, name):
    thing = getattr(module, name)
    full = f"{module.__name__}.{name}"
    if inspect.ismodule(thing):
        return Item("module", name, thing.__name__, thing, inspect.getdoc(thing) or "", thing.__name__)
    if inspect.isclass(thing):
        return _class(thing, name, full)
    if callable(thing):
        item = Item("function", name, full, thing, inspect.getdoc(thing) or "", dotted(thing))
        _sign(item, thing)
        return item
    text, defined = _constant(module.__name__, name)
    value = shown(thing)
    value = value if len(value) <= 120 and "\n" not in value else ""
    return Item("data", name, full, thing, text, defined, label="constant", value=value)


def _class(cls, name, full):
    kind = "exception" if issubclass(cls, BaseException) else "class"
    item = Item(kind, name, full, cls, _own_doc(cls), dotted(cls))
    if inspect.isabstract(cls):
        item.label = "abstract class"
    elif kind == "class":
        _sign(item, cls)
    item.bases = [b.__name__ if b.__module__ == "builtins" else dotted(b) for b in cls.__bases__]
    item.bases = [base for base in item.bases if base not in ("object", "abc.ABC")]
    own = {n: position for position, n in enumerate(vars(cls))}
    for member in sorted(filter(_is_public, dir(cls)), key=lambda n: own.get(n, len(own))):
        owner = next((c for c in cls.__mro__ if member in vars(c)), cls)
        raw, thing = vars(owner).get(member), getattr(cls, member)
        if not (callable(thing) or isinstance(raw, property)) or owner.__module__ == "builtins":
            continue
        made_for = _module_of(raw.fget if isinstance(raw, property) else thing)
        if owner is cls and made_for == cls.__module__:
            item.members.append(_member(cls, member, raw, thing, full))
        else:  # scikit-learn puts methods of its own on its subclasses
            package = (made_for or owner.__module__).split(".")[0]
            here = package == cls.__module__.split(".")[0]
            source = dotted(owner) if here else _PACKAGES.get(package, package)
            item.inherited.setdefault(source, []).append(member)
    return item


def _is_public(name):
    return not name.startswith("_")


def _own_doc(cls):
    text = inspect.cleandoc(cls.__doc__ or "")
    # what dataclasses and named tuples write by themselves is but the signature
    return "" if text.startswith(f"{cls.__name__}(") else text


def _member(cls, name, raw, thing, owner):
    text = inspect.cleandoc(getattr(raw if isinstance(raw, property) else thing, "__doc__", None) or "")
    kind = "property" if isinstance(raw, property) else "method"
    item = Item(kind, name, f"{owner}.{name}", thing, text, f"{dotted(cls)}.{name}")
    if kind == "method":
        _sign(item, thing, drop_self=inspect.isfunction(raw))
        marks = {classmethod: "class method", staticmethod: "static method"}
        item.label = marks.get(type(raw), "method")
    if not text:
        above = next((c for c in cls.__mro__[1:] if getattr(vars(c).get(name), "__doc__", None)), None)
        if above is not None and above.__module__ != "builtins":
            item.overrides, item.text = f"{dotted(above)}.{name}", inspect.getdoc(vars(above)[name])
    return item


def _sign(item, thing, drop_self=False):
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        item.signature = [Parameter("…")]
        return
    parameters, found = list(signature.parameters.values())[drop_self:], []
    kinds = [p.kind for p in parameters]
    for i, parameter in enumerate(parameters):
        if parameter.kind == parameter.KEYWORD_ONLY and (
            i == 0 or kinds[i - 1] not in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        ):
            found.append(Parameter("*"))
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = "" if parameter.default is parameter.empty else shown(parameter.default)
        annotation = _annotation(parameter.annotation)
        found.append(Parameter(stars + parameter.name, annotation, default))
        if parameter.kind == parameter.POSITIONAL_ONLY and kinds[i + 1 : i + 2] != [parameter.kind]:
            found.append(Parameter("/"))
    item.signature = found
    item.returns = _annotation(signature.return_annotation) if not inspect.isclass(thing) else ""


def _annotation(annotation):
    return "" if annotation is inspect.Signature.empty else inspect.formatannotation(annotation).strip("'")


def shown(value):
    """A value as a reader would write it."""
    if isinstance(value, str) and not set(value) & set("\"'\\\n"):
        return f'"{value}"'
    if inspect.isroutine(value) or inspect.isclass(value):
        return value.__name__
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


def _constant(module, name):
    """Comment ``#:`` above or beside a constant's assignment, and the dotted name of where that stands."""
    tree, lines = _source(module)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if name == (alias.asname or alias.name):
                    origin = "." * node.level + (node.module or "")
                    package = (
                        module if hasattr(sys.modules[module], "__path__") else module.rpartition(".")[0]
                    )
                    return _constant(importlib.util.resolve_name(origin, package), alias.name)
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            above = node.lineno - 1
            while above > 0 and lines[above - 1].lstrip().startswith("#:"):
                above -= 1
            comment = lines[above : node.lineno - 1] or re.findall(r"#: .*$", lines[node.end_lineno - 1])
            text = "\n".join(line.lstrip().removeprefix("#:") for line in comment)
            return inspect.cleandoc(text and f"\n{text}"), f"{module}.{name}"
    return "", f"{module}.{name}"


def _source(module):
    try:
        text = inspect.getsource(importlib.import_module(module))
    except (ImportError, OSError, TypeError):
        text = ""
    return ast.parse(text), text.splitlines()
