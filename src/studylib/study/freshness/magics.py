"""The cells of a notebook as plain Python, with the code that IPython's magics run.

IPython hands the body of ``%%time`` to the magic as a string, in which no analysis would find the functions
that it calls.  Here the body of a magic that runs Python stands where the magic was called.  A magic that
runs what cannot be followed is refused: what a notebook computed by it could change unnoticed.
"""

import ast
import re
import textwrap

#: Magics that run the Python behind them or below them, and how their options look.
_RUN_PYTHON = {
    "time": r"(--no-raise-error\s+)?",
    "timeit": r"(-[nrp]\s*\d+\s+|-[tcqov]+\s+)*",
    "prun": r"(-[lsTD]\s*\S+\s+|-[rq]\s+)*",
    "memit": r"(-[rti]\s*\S+\s+|-[co]\s+)*",
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


def plain_python(source, name="the notebook"):
    """A cell as Python that any parser reads; the text as it is if it is no Python.

    Parameters
    ----------
    source : str
    name : str
        Of the notebook, for the sentence that refuses a magic.

    Raises
    ------
    ValueError
        If a magic runs code that cannot be followed.
    """
    from IPython.core.inputtransformer2 import TransformerManager

    text = TransformerManager().transform_cell(source)
    tree = parsed(text)
    if tree is None or "get_ipython" not in text:
        return text
    opened = _Opened(name).visit(tree)
    return ast.unparse(ast.fix_missing_locations(opened))


def parsed(text):
    """The syntax tree of a cell, or None if it is no Python."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # running it will say so
        return None


class _Opened(ast.NodeTransformer):
    """Calls of magics are replaced by ``with`` blocks that hold the code which the magic runs."""

    def __init__(self, name):
        self._name = name

    def visit_Expr(self, node):
        found = self._opened(node.value)
        return self.generic_visit(node) if found is None else found

    def visit_Assign(self, node):
        """``x = %time f()``: the magic gives the value, and the code stands before it."""
        found = self._opened(node.value)
        return self.generic_visit(node) if found is None else [found, node]

    def visit_Call(self, node):
        """A magic within an expression, where no block can stand."""
        method, magic, *_ = _call(node)
        if method and magic not in _HARMLESS:
            self._refuse(method, magic)
        return self.generic_visit(node)

    def _opened(self, node):
        """A block with the code that a magic runs; None if it is no magic that runs Python."""
        method, magic, line, cell = _call(node)
        if not method or magic in _HARMLESS:
            return None
        if magic not in _RUN_PYTHON:
            self._refuse(method, magic)
        end = re.match(_RUN_PYTHON[magic], line + " ").end()
        options, behind = line[:end].strip(), line[end:].strip()
        tree = parsed(plain_python(textwrap.dedent("\n".join([behind, cell])), self._name))
        if tree is None:
            said = f"the code of %{magic} cannot be read; write it without the magic."
            raise ValueError(f"{self._name}: {said}")
        call = ast.Call(node.func, [ast.Constant(magic), ast.Constant(options)], [])
        return ast.With([ast.withitem(call)], tree.body or [ast.Pass()])

    def _refuse(self, method, magic):
        shown = dict.fromkeys(_SHELL, "!") | {"run_cell_magic": f"%%{magic}", "run_line_magic": f"%{magic}"}
        shown = shown.get(method, f"get_ipython().{method}")
        raise ValueError(
            f"{self._name}: {shown} runs something that the study cannot follow, so results could change "
            "unnoticed; write it in Python. Of the magics that run code, %time, %timeit, %prun, %memit and "
            "%%capture can be used."
        )


def _call(node):
    """``(method, magic, line, cell)`` of a call that IPython puts in place of a magic, else empty strings."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="get_ipython")), attr=method)) if (
            method in _METHODS
        ):
            texts = [arg.value if isinstance(arg, ast.Constant) else "" for arg in node.args]
            if method not in _MAGICS:
                return method, "", "", ""
            return method, *[str(text) for text in (*texts, "", "", "")[:3]]
    return "", "", "", ""
