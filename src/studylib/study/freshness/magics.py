"""The code of a notebook's cells, with that which IPython's magics run.

IPython hands the body of ``%%time`` to the magic as a string, in which no import would be found.  A magic
that runs what cannot be followed is refused: what a notebook computed by it could change unnoticed.
"""

import ast
import re
import textwrap

#: Magics that run the Python behind them or below them, and how their options look.
_RUN_PYTHON = {
    "time": r"(--no-raise-error\s+)?",
    "timeit": r"(-[nrp]\s*\d+\s+|-[tcqov]+\s+)*",
    "prun": r"(-[lsTD]\s*\S+\s+|-[rq]\s+)*",
    "capture": r".*",  # what stands behind it is a name for what was printed
}
#: Magics that run no code: they set something, show something, or print what they were given.
_HARMLESS = {
    "matplotlib", "config", "precision", "pylab", "gui", "load_ext", "reload_ext", "autoreload", "env", "pwd",
    "xmode", "colors", "pprint", "who", "whos", "who_ls", "lsmagic", "pinfo", "pinfo2", "pdoc", "psource",
    "pfile", "html", "HTML", "latex", "markdown", "javascript", "js", "svg", "SVG",
}  # fmt: skip
#: Methods of IPython's shell that run code: those that stand for magics and ``!``, and others.
_MAGICS, _SHELL = ("run_cell_magic", "run_line_magic"), ("system", "getoutput")
_METHODS = {*_MAGICS, *_SHELL, "magic", "run_cell", "run_code", "ex", "ev"}


def trees_of(source, name="the notebook"):
    """Syntax trees of a cell: its own, and those of what its magics run; none if it is no Python.

    Raises ValueError, with the notebook's name, if a magic runs code that cannot be followed.
    """
    tree = _parsed(source)
    if tree is None:
        from IPython.core.inputtransformer2 import TransformerManager

        tree = _parsed(TransformerManager().transform_cell(source))
    trees = [] if tree is None else [tree]
    for node in ast.walk(tree) if tree else ():
        match node:
            case ast.Call(ast.Attribute(ast.Call(ast.Name("get_ipython")), method)) if method in _METHODS:
                trees += _run_by(method, [getattr(text, "value", "") for text in node.args], name)
    return trees


def _run_by(method, texts, name):
    """Trees of what a magic runs; none if it runs nothing."""
    magic, line, body = map(str, (*texts, "", "", "")[:3]) if method in _MAGICS else ("", "", "")
    if magic in _HARMLESS:
        return []
    if magic not in _RUN_PYTHON:
        shown = dict.fromkeys(_SHELL, "!") | {"run_cell_magic": f"%%{magic}", "run_line_magic": f"%{magic}"}
        raise ValueError(
            f"{name}: {shown.get(method, f'get_ipython().{method}')} runs something that the study cannot "
            "follow, so results could change unnoticed; write it in Python. Of the magics that run code, "
            "%time, %timeit, %prun and %%capture can be used."
        )
    line = line[re.match(_RUN_PYTHON[magic], line + " ").end() :]
    trees = trees_of(textwrap.dedent(f"{line.strip()}\n{body}"), name)
    if not trees:
        raise ValueError(f"{name}: the code of %{magic} cannot be read; write it without the magic.")
    return trees


def _parsed(text):
    """The syntax tree of a cell, or None if it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # running it will say so
        return None
