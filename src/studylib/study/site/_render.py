"""What all pages share: template globals, inlined files, safe links."""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from studylib.study.cards.card import TEMPLATES as CARDS
from studylib.study.cards.formulas import typeset
from studylib.study.fingerprints import content_of
from studylib.study.site.figures import is_drawn

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
#: Beginnings of a link that a reader may click and that leads out of the report.
_OUTWARD = ("http://", "https://", "mailto:")
#: Beginnings of what is no relative path: a scheme, a host or a folder of the machine.
_ABSOLUTE = re.compile(r"[\s\x00-\x20]*(?:[^/?#]*:|[/\\])")


def static(name):
    """Return a CSS or JavaScript file of this package, to be put into the page as it is."""
    return Markup((HERE / "static" / name).read_text(encoding="utf-8"))


def policy(*scripts):
    """Return the content security policy of a page that holds these scripts and no others.

    The browser itself then enforces the site's promise: whatever an output contains, nothing is fetched from
    elsewhere and no script runs but ours.
    """
    hashes = " ".join(f"'sha256-{_sha256(static(name))}'" for name in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: 'self'; "
        "base-uri 'none'; form-action 'none'"
    )


GLOBALS = {"static": static, "policy": policy, "is_drawn": is_drawn}


@cache
def environment():
    """Return the template environment of the pages that no notebook makes."""
    made = Environment(
        loader=FileSystemLoader([TEMPLATES, CARDS]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(GLOBALS)
    made.filters["typeset"] = typeset
    return made


def check_relative(link, owner):
    """Raise ValueError unless a link is empty or relative: a report must work from a folder on a disk."""
    if link and _ABSOLUTE.match(link):
        raise ValueError(f"The link of {owner} must be relative, but it is {link!r}.")


def may_be_clicked(link):
    """Whether a link leads into the report or to the web, so that it runs nothing and opens no other file."""
    return not _ABSOLUTE.match(link) or link.lower().startswith(_OUTWARD)


def _sha256(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def source_hash():
    """sha256 of all that turns results into pages."""
    rooms = (HERE, CARDS.parent)
    files = [path for room in rooms for path in sorted(room.rglob("*")) if path.is_file()]
    return content_of([path for path in files if "__pycache__" not in path.parts], HERE.parent)
