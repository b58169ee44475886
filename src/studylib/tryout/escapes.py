"""Names and entries of a file, put into a terminal, a page, a shell or a figure: always text, never code."""

import html
import re
import shlex
import sys

from studylib.study.evidence import untrusted

#: Of HTML in which MathJax, which draws formulas in notebooks, looks for none.
NO_MATH = 'class="tex2jax_ignore mathjax_ignore"'
#: What a spreadsheet takes for a formula; a sign alone and numbers are none.
_FORMULA = re.compile(r"(?![+-]?[\d.,]+%?$)[=+\-@].+", re.DOTALL)


def visible(text):
    """Text on one line: what moves a cursor, breaks a line or turns the direction of writing is escaped."""
    return untrusted.visible(str(text))


def say(line):
    """Print a line of text at once; a terminal that knows few signs gets a question mark for others."""
    encoding = sys.stdout.encoding or "utf-8"
    print(visible(line).encode(encoding, "replace").decode(encoding), flush=True)


def as_markup(text):
    """Text within an HTML element, also one in Markdown, in which neither sees anything else."""
    return html.escape(visible(text)).replace("$", "&#36;").replace("\\", "&#92;")


def in_figure(text):
    """Text for matplotlib, which takes what stands between two dollars for a formula."""
    return visible(text).replace("$", r"\$")


def in_shell(*words):
    """Words as a line for a shell such as bash, which may be pasted into a terminal."""
    return " ".join(map(_quoted, words))


def _quoted(word):
    if word.isprintable():
        return shlex.quote(word)
    escaped = re.sub(r"['\\]", r"\\\g<0>", word)
    return "$'" + "".join(c if c.isprintable() else f"\\U{ord(c):08x}" for c in escaped) + "'"


def as_file(name):
    """The name of a file as an argument, which is no option if it begins with a hyphen."""
    return f"./{name}" if name.startswith("-") else name


def is_formula(text):
    """Whether a spreadsheet that opens a CSV file would take an entry for a formula."""
    return bool(_FORMULA.fullmatch(str(text)))
