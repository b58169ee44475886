"""An element of a lesson in a frame of its own, with the scripts that a page would bring: for JupyterLab."""

import html

from studylib.study.site._render import LESSON_SCRIPTS, static

_DARK = ":root[data-theme='dark'] { %s } body { margin: 0 .5rem; } main { padding: 0; }"


def framed(element):
    """The HTML of an element that comes to life where the output of a cell is shown that was run."""
    styles = "".join([static("site.css"), static("lesson.css"), _DARK % static("dark.css")])
    scripts = "".join(f"<script>{static(name)}</script>" for name in (*LESSON_SCRIPTS, "frame.js"))
    page = (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><style>{styles}</style>'
        f"<main>{element}</main>{scripts}</html>"
    )
    frame = f'<iframe srcdoc="{html.escape(page)}" title="A picture" style="width: 100%; border: 0"></iframe>'
    return f"<div>{frame}</div>"  # of a frame alone IPython would warn
