"""Plain text as HTML: formulas as MathML, which browsers draw, or as raised and lowered text."""

import html
import re
from functools import lru_cache
from xml.etree.ElementTree import tostring

from latex2mathml.converter import convert_to_element
from markupsafe import Markup, escape

from studylib.study.cards.numbers import percent

#: A character by its number, as latex2mathml writes symbols.
_REFERENCE = re.compile(r"&amp;(#x[0-9A-Fa-f]+;)")
#: In plain text: τ_h, τ_|X|, W^ω, 2^(τ_h+1), O(n) aside; and names out of the code, such as n_trees.
_FORMULA = re.compile(
    r"(?<![\w^])(?:(?:\d+|[^\W\d_])\^(?:\([^()\\]*\)|\w(?!\w))|[^\W\d_]_(?:\|\w+\||\w(?!\w)))"
    r"|(?<![\w.])(?P<code>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)(?![\w(])"
)


def mathml(latex, display):
    """A formula (without its dollar signs) as MathML; one that cannot be read, as it was typed."""
    try:
        made = tostring(convert_to_element(latex.strip(), display=display), encoding="unicode")
        return _REFERENCE.sub(r"&\1", made)  # its own `convert` would turn "<" into the start of a tag, too
    except Exception:  # latex2mathml raises whatever its parser meets
        return f"<code>{html.escape(latex)}</code>"


@lru_cache(maxsize=4096)
def typeset(text):
    """A plain text as HTML, with its powers and indices as formulas and names out of the code as code."""
    return _with_formulas(text, _as_mathml)


@lru_cache(maxsize=4096)
def raised_and_lowered(text):
    """As :func:`typeset`, for readers such as GitHub and JupyterLab, which drop MathML."""
    return _with_formulas(text, _as_html)


def _with_formulas(text, formula):
    text = percent(text)
    parts, end = [], 0
    for match in _FORMULA.finditer(text):
        code = match["code"]
        made = Markup("<code>{}</code>").format(code) if code else formula(*_taken_apart(match.group()))
        parts += [escape(text[end : match.start()]), made]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def _taken_apart(formula):
    """A formula's base, its mark and what is raised or lowered, without the brackets around that."""
    base, mark, rest = re.split(r"([_^])", formula, maxsplit=1)
    return base, mark, rest.removeprefix("(").removesuffix(")") if mark == "^" else rest


def _as_mathml(base, mark, rest):
    rest = re.sub(r"_(\|\w+\|)", r"_{\1}", rest) if mark == "^" else rest
    return Markup(mathml(f"{base}{mark}{{{rest}}}", "inline"))


def _as_html(base, mark, rest):
    lowered = re.sub(r"_(\|\w+\||\w)", r"<sub>\1</sub>", str(escape(rest)))
    tag = "sup" if mark == "^" else "sub"
    return Markup(f"{escape(base)}<{tag}>{lowered}</{tag}>")
