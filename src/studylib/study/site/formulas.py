"""Formulas as MathML, which browsers draw by themselves."""

import html
import re
from functools import lru_cache

from latex2mathml.converter import convert
from markupsafe import Markup, escape

#: In plain text: τ_h, τ_|X|, W^ω, 2^(τ_h+1), O(n) aside; and names out of the code, such as n_trees.
_FORMULA = re.compile(
    r"(?<![\w^])(?:(?:\d+|[^\W\d_])\^(?:\([^()]*\)|\w(?!\w))|[^\W\d_]_(?:\|\w+\||\w(?!\w)))"
    r"|(?<![\w.])(?P<code>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w(])"
)


def mathml(latex, display):
    """A formula as MathML; one that cannot be read as it was typed.

    Parameters
    ----------
    latex : str, without its dollar signs
    display : {"inline", "block"}
    """
    try:
        return convert(latex.strip(), display=display)
    except Exception:  # latex2mathml raises whatever its parser meets
        return f"<code>{html.escape(latex)}</code>"


@lru_cache(maxsize=4096)
def typeset(text):
    """A plain text as HTML, with its powers and indices as formulas and names out of the code as code."""
    parts, end = [], 0
    for found in _FORMULA.finditer(text):
        parts += [escape(text[end : found.start()]), _typeset(found)]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def _typeset(found):
    if found["code"]:
        return Markup("<code>{}</code>").format(found["code"])
    base, mark, rest = re.split(r"([_^])", found.group(), maxsplit=1)
    rest = re.sub(r"_(\|\w+\|)", r"_{\1}", rest.removeprefix("(").removesuffix(")") if mark == "^" else rest)
    return Markup(mathml(f"{base}{mark}{{{rest}}}", "inline"))
