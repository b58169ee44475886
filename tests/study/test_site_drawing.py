"""The picture of the verdicts: its numbers are the ledger's, and it is one file that asks for nothing."""

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter

from studylib.study.site.drawing import drawing, write_drawing
from tests.study.site_pieces import a_claim, a_source

SVG = "{http://www.w3.org/2000/svg}"


def test_bars_have_the_number_of_findings(tmp_path):
    verdicts = ["reproduced"] * 5 + ["not reproduced"] * 2 + ["inconclusive"]
    claims = [a_claim(k, verdict=verdict, nature="finding") for k, verdict in enumerate(verdicts)]
    claims.append(a_claim(99, verdict="checked", nature="identity"))
    write_drawing(tmp_path / "verdicts.svg", claims, [a_source("GRaF"), a_source("no finding")])
    root = ElementTree.parse(tmp_path / "verdicts.svg").getroot()
    counts = Counter()
    for rect in root.iter(f"{SVG}rect"):
        if (title := rect.find(f"{SVG}title")) is not None:
            n, verdict = re.search(r": (\d+) (.*)$", title.text).groups()
            counts[verdict] += int(n)
    assert counts == Counter(verdicts)


def test_it_is_the_same_each_time_and_needs_nothing_else():
    text = drawing({"A & B": Counter(reproduced=3, partly=1)})
    assert text == drawing({"A & B": Counter(partly=1, reproduced=3)})
    assert "A &amp; B: 4 findings" in text
    assert ElementTree.fromstring(drawing({"\x00<\x1b": Counter(reproduced=3)}))[3].text == " < : 3 findings"
    assert not re.search(r"href|url\(|@import", text)
    assert "prefers-color-scheme:dark" in text


def test_widths_are_shares_of_the_longest_bar():
    root = ElementTree.fromstring(
        drawing({"a": Counter(reproduced=8), "b": Counter(partly=2, inconclusive=2)})
    )
    widths = [float(rect.get("width")) for rect in root.iter(f"{SVG}rect") if len(rect)]
    assert widths == [704.0, 176.0, 176.0]
