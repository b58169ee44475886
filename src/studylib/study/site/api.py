"""The library's reference, made from its docstrings, as one self-contained page."""

import importlib
from dataclasses import dataclass
from itertools import chain

from studylib.core.files import write_atomically
from studylib.study.site import _reference
from studylib.study.site._docstring import Docstring, parse
from studylib.study.site._inline import Inline
from studylib.study.site._render import check_relative, environment


@dataclass
class _Entry:
    """A public name as the template lays it out."""

    item: _reference.Item
    doc: Docstring
    bases: list[tuple[str, str | None]]  # name, anchor
    inherited: list[tuple[str, str | None, list[tuple[str, str | None]]]]
    overrides: tuple[str, str | None]
    members: list["_Entry"]


def write_api(path, modules, *, title="Library reference", index_href="index.html"):
    """Write the documentation of modules as one self-contained HTML file.

    A module's public names are those of its ``__all__``, without one the functions and classes that it
    defines.  The anchor of a name is ``api-<dotted name>``, such as ``api-studylib.trees.TreePredictor``.

    Parameters
    ----------
    path : path-like
        The file to write, atomically; its folder is made if need be.
    modules : iterable of str or module
        In the order of the page.
    title : str
    index_href : str
        Relative link to the front page.

    Raises
    ------
    ValueError
        If `index_href` is not relative, or a module comes twice.
    """
    check_relative(index_href, "the front page")
    modules = [importlib.import_module(m) if isinstance(m, str) else m for m in modules]
    names = [module.__name__ for module in modules]
    if len(set(names)) < len(names):
        raise ValueError(f"Modules must be unique, but they are {', '.join(names)}.")
    found = {module: _reference.public_items(module) for module in modules}
    links = _Links(found)
    sections = [
        (module.__name__, parse(module.__doc__, links.inline(module.__name__)), links.entries(module, items))
        for module, items in found.items()
    ]
    page = environment().get_template("api.html.j2")
    write_atomically(path, page.render(title=title, index_href=index_href, sections=sections, pages=names))


class _Links:
    """Which names are on the page, and what a name means in a docstring."""

    def __init__(self, found):
        self._anchors = {module.__name__: f"api-{module.__name__}" for module in found}
        items = list(chain.from_iterable(found.values()))
        items += [member for item in items for member in item.members]
        self._anchors |= {item.full: f"api-{item.full}" for item in items}
        self._classes = {
            item.name: f"api-{item.full}" for item in items if item.kind in ("class", "exception")
        }
        for item in items:  # where a name is defined is but another name for it
            self._anchors.setdefault(item.defined, f"api-{item.full}")

    def find(self, name, *scopes):
        """Anchor of a name as written in one of the scopes, innermost first, or None."""
        for scope in (*scopes, ""):
            if anchor := self._anchors.get(f"{scope}.{name}" if scope else name):
                return anchor
        return self._classes.get(name)

    def inline(self, *scopes):
        """Running text in a scope."""
        return Inline(lambda name: self.find(name, *scopes))

    def entries(self, module, items):
        """The public names of a module with their docstrings parsed."""
        return [self._entry(item, module.__name__) for item in items]

    def _entry(self, item, *scopes):
        scopes = (item.full, *scopes)
        doc = parse(item.text, self.inline(*scopes))
        defaults = {p.name: p.default for p in item.signature or () if p.default}
        for entry in chain.from_iterable(s.entries for s in doc.sections if s.title == "Parameters"):
            said = {defaults.get(name, "") for name in entry.names}
            entry.default = said.pop() if len(said) == 1 else ""
        return _Entry(
            item=item,
            doc=doc,
            bases=[(base.rsplit(".", 1)[-1], self._anchors.get(base)) for base in item.bases],
            inherited=[
                (
                    source.rsplit(".", 1)[-1],
                    self._anchors.get(source),
                    [(name, self._anchors.get(f"{source}.{name}")) for name in sorted(names)],
                )
                for source, names in item.inherited.items()
            ],
            overrides=(".".join(item.overrides.split(".")[-2:]), self._anchors.get(item.overrides)),
            members=[self._entry(member, *scopes) for member in item.members],
        )
