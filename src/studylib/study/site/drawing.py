"""The verdicts as one picture: a bar for each source, readable on a phone and in the dark."""

from collections import Counter
from html import escape as escape_marks

from studylib.core.files import write_atomically
from studylib.study.terminal import UNPRINTABLE

#: Verdicts in the order in which they are stacked, with colours of Okabe and Ito, on which black is readable.
_COLOURS = {
    "reproduced": "#009e73",
    "partly": "#56b4e9",
    "depends on a choice": "#cc79a7",
    "not reproduced": "#d55e00",
    "inconclusive": "#e69f00",
    "not testable": "#999999",
}
_WIDTH, _ROW, _BAR, _LINE, _LEFT = 720, 92, 40, 40, 8  # units; 720 of them are the width of a phone, too
_STYLE = (
    "text{font:26px system-ui,sans-serif;fill:#1a1a1a}.on{fill:#000;font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#eee}.on{fill:#000}}"
)


def write_drawing(path, claims, sources):
    """Write the picture as one SVG file.

    Parameters
    ----------
    path : path-like
    claims : iterable of ClaimRow
        Findings alone are counted.
    sources : iterable of Source
        In the order of the bars; one without a finding has none.
    """
    counts = {source.short: Counter() for source in sources}
    for claim in claims:
        if claim.nature == "finding" and claim.verdict in _COLOURS and claim.source in counts:
            counts[claim.source][claim.verdict] += 1
    write_atomically(path, drawing({name: found for name, found in counts.items() if found}))


def escape(text):
    """A text for XML, which allows no control characters."""
    return escape_marks(UNPRINTABLE.sub(" ", text))


def drawing(counts):
    """The SVG of ``{source: {verdict: n}}``."""
    scale = (_WIDTH - 2 * _LEFT) / max((sum(found.values()) for found in counts.values()), default=1)
    parts, said = [], []
    for row, (name, found) in enumerate(counts.items()):
        total, top, left = sum(found.values()), row * _ROW, float(_LEFT)
        parts.append(f'<text x="{_LEFT}" y="{top + 28}">{escape(name)}: {total} findings</text>')
        kinds = [f"{found[verdict]} {verdict}" for verdict in _COLOURS if found[verdict]]
        said.append(f"{name}: {', '.join(kinds)}")
        for verdict, colour in _COLOURS.items():
            width = found[verdict] * scale
            if not width:
                continue
            parts.append(
                f'<rect x="{left:.1f}" y="{top + 38}" width="{width:.1f}" height="{_BAR}" fill="{colour}">'
                f"<title>{escape(name)}: {found[verdict]} {verdict}</title></rect>"
            )
            if width > 34:
                place = f'x="{left + width / 2:.1f}" y="{top + 67}" text-anchor="middle"'
                parts.append(f'<text class="on" {place}>{found[verdict]}</text>')
            left += width
    top = len(counts) * _ROW + 8
    for k, (verdict, colour) in enumerate(_COLOURS.items()):
        x, y = _LEFT + 215 * (k % 3), top + _LINE * (k // 3)
        parts.append(f'<rect x="{x}" y="{y}" width="26" height="26" fill="{colour}"/>')
        parts.append(f'<text x="{x + 36}" y="{y + 23}">{verdict}</text>')
    height = top + 2 * _LINE
    words = escape("; ".join(said))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        f'aria-label="{words}"><title>Findings of each source, by verdict</title><desc>{words}</desc>'
        f"<style>{_STYLE}</style>{''.join(parts)}</svg>\n"
    )
