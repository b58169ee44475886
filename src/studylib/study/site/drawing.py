"""The verdicts as one picture: a bar for each source, readable on a phone and in the dark."""

from collections import Counter

from studylib.core.files import write_atomically
from studylib.study.site._render import environment
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
_WIDTH, _LEFT = 720, 8


def write_drawing(path, claims, sources):
    """Write the picture of all findings as one SVG file; a source without one has no bar."""
    counts = {card.source.short: Counter() for card in sources}
    for claim in claims:
        if claim.nature == "finding" and claim.verdict in _COLOURS and claim.source in counts:
            counts[claim.source][claim.verdict] += 1
    write_atomically(path, drawing({name: by_verdict for name, by_verdict in counts.items() if by_verdict}))


def drawing(counts):
    """The SVG of ``{source: {verdict: n}}``."""
    scale = (_WIDTH - 2 * _LEFT) / max(
        (sum(by_verdict.values()) for by_verdict in counts.values()), default=1
    )
    bars = []
    for name, by_verdict in counts.items():
        parts, x = [], float(_LEFT)
        for verdict in filter(by_verdict.get, _COLOURS):
            width = by_verdict[verdict] * scale
            parts.append({"verdict": verdict, "n": by_verdict[verdict], "x": x, "width": width})
            x += width
        name = UNPRINTABLE.sub(" ", name)  # XML allows no control characters
        bars.append({"name": name, "n": sum(by_verdict.values()), "parts": parts})
    template = environment().get_template("verdicts.svg.j2")
    text = template.render(bars=bars, colours=_COLOURS, width=_WIDTH, left=_LEFT)
    return text.replace("\n", "") + "\n"
