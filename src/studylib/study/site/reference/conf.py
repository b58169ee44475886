"""Sphinx's configuration for user guide and API reference: offline, no view of the source.

Not imported by the package: `studylib.study.site.docs` runs Sphinx with this folder.
"""

import importlib
import inspect
import sys

from sphinx.pycode import ModuleAnalyzer

extensions = ["sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc", "myst_parser"]
autosummary_generate = False
smartquotes = False  # "gini" is a value
default_role = "code"  # `name` is a parameter or a value as often as it is a link

autodoc_member_order = "groupwise"
autodoc_preserve_defaults = True
add_module_names = False
toc_object_entries_show_parents = "hide"
myst_heading_anchors = 3
myst_url_schemes = {"https": None, "report": {"url": "{{path}}"}}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "furo"
html_theme_options = {"top_of_page_buttons": []}
html_static_path = ["report.css"]
html_css_files = ["report.css"]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "report.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_show_search_summary = False  # it would fetch the pages, which a browser refuses from a disk
html_copy_source = html_show_sourcelink = html_show_copyright = False
html_use_index = html_domain_indices = False


def packages(app):
    """Top-level packages of the modules that have a page."""
    return {path.name.partition(".")[0] for path in app.srcdir.glob("*.rst")}


def skip_member(app, what, name, thing, skip, options):
    """Leave out what another package defines, and attributes that only their class's docstring describes."""
    defined_in = (getattr(thing, "__module__", None) or "").partition(".")[0]
    if inspect.isroutine(thing) and defined_in not in packages(app):
        return True
    if what == "class" and not (inspect.isroutine(thing) or isinstance(thing, property)):
        return True
    return skip or None


def add_constants(app, docname, source):
    """Add the constants of a module's ``__all__`` to its page."""
    if ".. automodule::" not in source[0]:
        return
    module = importlib.import_module(docname)
    for name in getattr(module, "__all__", ()):
        thing = getattr(module, name)
        if not (inspect.isroutine(thing) or inspect.isclass(thing) or inspect.ismodule(thing)):
            value = "" if isinstance(thing, (str, int)) else "   :no-value:\n"
            source[0] += f"\n.. autodata:: {docname}.{name}\n{value}"


def describe_constant(app, what, name, thing, options, lines):
    """Give a constant the comment ``#:`` of the module that defines it, also where it is re-exported."""
    if what != "data":
        return
    lines.clear()  # otherwise the docstring of its type
    attribute = name.rpartition(".")[2]
    for module in sorted(m for m in sys.modules if m.partition(".")[0] in packages(app)):
        if getattr(sys.modules[module], attribute, None) is thing:
            found = ModuleAnalyzer.for_module(module).find_attr_docs().get(("", attribute))
            if found:
                lines[:] = found
                return


#: What Furo leaves out: the level of a heading, and a way to scroll a wide table by keyboard.
ACCESSIBLE = {
    ' role="heading">': ' role="heading" aria-level="2">',
    '<div class="table-wrapper': '<div tabindex="0" class="table-wrapper',
}


def make_accessible(app, pagename, templatename, context, doctree):
    """Complete the markup of a page and of its navigation."""
    for part in ("body", "furo_navigation_tree"):
        for before, after in ACCESSIBLE.items():
            context[part] = context.get(part, "").replace(before, after)


def setup(app):
    """Connect the hooks."""
    app.connect("html-page-context", make_accessible, priority=900)  # after Furo
    app.connect("source-read", add_constants)
    app.connect("autodoc-skip-member", skip_member)
    app.connect("autodoc-process-docstring", describe_constant)
    return {"parallel_read_safe": True}
