"""What all pages share: template globals and inlined files."""

import base64
import hashlib
from functools import cache
from pathlib import Path

from markupsafe import Markup

from studylib.study import cards
from studylib.study.cards.formulas import typeset
from studylib.study.fingerprints import content_of
from studylib.study.site.figures import is_drawn

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
#: The scripts that pages of lessons have besides those of all pages.
LESSON_SCRIPTS = (
    "grow.js", "pictures.js", "touch.js", "split.js", "perturb.js", "rounds.js", "intervals.js",
    "exercise.js", "lesson.js", "class.js",
)  # fmt: skip


def static(name):
    """A CSS or JavaScript file of this package, to be put into the page as it is."""
    return Markup((HERE / "static" / name).read_text(encoding="utf-8"))


def policy(*scripts):
    """The content security policy of a page that holds these scripts and no others.

    The browser itself then enforces the site's promise: whatever an output contains, nothing is fetched from
    elsewhere and no script runs but ours.
    """
    digests = (hashlib.sha256(static(name).encode()).digest() for name in scripts)
    hashes = " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: 'self'; "
        "base-uri 'none'; form-action 'none'"
    )


GLOBALS = {"static": static, "policy": policy, "is_drawn": is_drawn}


@cache
def environment():
    """The template environment of the pages that no notebook makes."""
    made = cards.environment(typeset, TEMPLATES)
    made.globals.update(GLOBALS)
    return made


@cache
def source_hash():
    """sha256 of all that turns results into pages."""
    rooms = (HERE, cards.TEMPLATES.parent)
    files = [path for room in rooms for path in sorted(room.rglob("*")) if path.is_file()]
    return content_of([path for path in files if "__pycache__" not in path.parts], HERE.parent)
