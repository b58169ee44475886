"""A claim and its verdict as a card of sentences, the same in a notebook and on its page; and tables."""

from functools import cache
from pathlib import Path

#: The templates of cards and tables, which pages use, too.
TEMPLATES = Path(__file__).parent / "templates"


@cache
def environment(typeset=None, folder=None):
    """An environment of the templates here, and of another folder; ``typeset`` makes a plain text HTML."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # a notebook may show nothing

    made = Environment(
        loader=FileSystemLoader([TEMPLATES] if folder is None else [folder, TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["typeset"] = typeset
    return made
