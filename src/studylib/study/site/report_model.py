"""What the pages show, gathered from the ledger, the verdicts, the stamps and the notebooks' outputs."""

import base64
import copy
import io
import re
from functools import lru_cache

import nbformat

from studylib.study import rules
from studylib.study.cards import card, sentences
from studylib.study.cards.numbers import number_text, percent, words
from studylib.study.freshness import stamps
from studylib.study.ledger.claims import without_annotations
from studylib.study.ledger.reading import readable_notebook
from studylib.study.ledger.rule_table import verdicts_it_can_give
from studylib.study.run.context import LOCAL
from studylib.study.site.figures import figures
from studylib.study.site.model import ClaimRow, NotebookCard, SourceCard

#: Kinds of rules that judge intervals of means, each of a flat list of values.
_OF_MEANS = ("paired", "equivalent", "holm", "ahead-of-all", "published-run")
#: A picture in an output of HTML, such as a frame of a slider.
_FRAME = re.compile(r"src=[\"']data:image/png;base64,([A-Za-z0-9+/=\s]+)[\"']")


def duration(seconds):
    """Seconds as a reader says them."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def title_and_question(notebook):
    """A notebook's first heading, and the question below it."""
    text = without_annotations(next((c.source for c in notebook.cells if c.cell_type == "markdown"), ""))
    title = re.search(r"^#\s+(.+)$", text, re.MULTILINE)
    question = re.search(r"\*\*Question\.?\*\*\s*(.+?)(?:\n\s*\n|\Z)", text, re.DOTALL)
    return (
        title.group(1).strip() if title else "",
        " ".join(question.group(1).split()) if question else "",
    )


def with_present_words(executed, source):
    """A fresh notebook's outputs with the prose, comments and formatting that its source has now.

    An executed notebook stays as it was written.  Words are no part of its key, so a better sentence costs no
    computation, and the page shows it.  Without a source of as many code cells, it is the executed notebook.
    """
    injected = [c for c in executed.cells if "injected-parameters" in c.metadata.get("tags", [])]
    code = [c for c in executed.cells if c.cell_type == "code" and c not in injected]
    if source is None or len(code) != sum(c.cell_type == "code" for c in source.cells):
        return executed
    shown = copy.copy(executed)
    shown.cells = []
    for cell in source.cells:
        shown.cells.append({**code.pop(0), "source": cell.source} if cell.cell_type == "code" else cell)
        if "parameters" in cell.metadata.get("tags", []):
            shown.cells += injected  # papermill's own cell
    return nbformat.from_dict(shown)


def few(reasons):
    """The first reasons, and how many more there are."""
    return "; ".join(reasons[:3]) + (f"; and {len(reasons) - 3} more" if len(reasons) > 3 else "")


def claim_rows(study, judged, problems, stale, measured=None):
    """The rows of the ledger, a list of ClaimRow.

    ``judged`` has what is said about each claim that was measured, ``problems`` a sentence for each notebook
    that failed, ``stale`` by notebook why results are not those of the present inputs.  The form of what was
    ``measured`` for a claim says which verdicts its rule can give.
    """
    judged_by = {claim: n.name for n in study.notebooks.values() for claim in n.claims}
    notes = {}
    for deviation in study.ledger.deviations:
        for claim in deviation.claims:
            notes.setdefault(claim, []).append(deviation.text)
    rows = []
    for claim in study.ledger.claims.values():
        name, entry = judged_by.get(claim.id, ""), {"verdict": rules.PLANNED}
        if name:
            missing = f"its notebook failed: {problems[name]}" if name in problems else "not run yet"
            entry = judged.get(claim.id, {"verdict": rules.NOT_TESTABLE, "reason": missing})
        if claim.id in study.ledger.disputed:
            entry = {**entry, "verdict": rules.DISPUTED, "reason": study.ledger.disputed[claim.id]}
        rows.append(
            ClaimRow(
                **card.facts(claim, entry),
                kind=claim.kind,
                judged_by=sentences.in_words(claim.kind, claim.judge),
                required=sentences.required(claim.kind, claim.judge),
                one_by_one=sentences.one_by_one(claim, entry),
                notebook=name,
                href=f"{name}.html#claim-{claim.id}" if "parts" in entry else "",
                notes=notes.get(claim.id, []),
                remarks=_remarks(claim, (measured or {}).get(claim.id)),
                amended=claim.amended,
                added=claim.added,
                ours=claim.ours or [],
                lists_known=[choice["known"] for choice in claim.choices],
                stale=few(stale.get(name, [])) if "parts" in entry else "",
            )
        )
    return rows


def _remarks(claim, measured):
    """What a reader should know about when and how a rule came to be, and what it can say."""
    remarks = []
    if claim.kind not in ("question", "not-testable"):
        can_give = verdicts_it_can_give(claim, measured)
        remarks.append(f"Verdicts that the rule can give: {', '.join(can_give)}.")
        if rules.NOT_REPRODUCED not in can_give:
            remarks.append("The rule can never refute the statement.")
    if claim.kind in _OF_MEANS and (n := _n_values(measured)):
        of = f"{n[0]:,}" if n[0] == n[-1] else f"{n[0]:,} to {n[-1]:,}"
        remarks.append(f"Each interval rests on {of} values: runs, seeds or data sets.")
    ours = [_of_ours(claim, name) for name in claim.ours or [] if name not in _varied(claim)]
    if ours:
        what = "One of our choices was" if len(ours) == 1 else "Some of our choices were"
        remarks.append(f"{what} not varied: {'; '.join(ours)}.")
    remarks += [
        f"Choices of {choice['id']}, listed on {choice['fixed']}{', verdicts known' * choice['known']}: "
        f"{'; '.join(choice['sources'])}."
        for choice in claim.choices
    ]
    if claim.checked_by_hand:
        remarks.append("The rule names the expected answer, which was checked by hand beforehand.")
    if claim.added:
        remarks.append(f"Added on {claim.added}, after the first full run.")
    return remarks


def _n_values(measured):
    """How many values the lists of a measurement have, in rising order."""
    if isinstance(measured, dict):
        return sorted({n for of in measured.values() for n in _n_values(of)})
    return [len(measured)] if isinstance(measured, list) else []


def _of_ours(claim, name):
    """One of our choices in words: about the measurement, or a key of the rule with its numbers."""
    what, colon, text = name.partition(f"{rules.MEASURED}: ")
    if colon:
        return percent(text)
    tables = claim.judge, *claim.judge.get("parts", {}).values()
    numbers = dict.fromkeys(number_text(table[what]) for table in tables if what in table)
    return f"{words(what)} {' and '.join(numbers)}".strip()


def _varied(claim):
    """Entries of ``ours`` for which other values are judged, too; of those in the measurement, the first."""
    keys = {key for choice in claim.choices for _, key in rules.keys_of(choice)}
    measured = [name for name in claim.ours or [] if name.startswith(f"{rules.MEASURED}:")]
    return keys | set(measured[:1] if rules.MEASURED in keys else [])


def source_cards(layout, study, rows):
    """The sources with what came out by the rows of the ledger, in its order: a list of SourceCard."""
    verdicts = {row.id: row.verdict for row in rows}
    cards = []
    for source in study.ledger.sources.values():
        notebooks = [
            notebook
            for notebook in study.notebooks.values()
            if any(claim.source == source.short for claim in study.ledger.of(notebook))
        ]
        finding, headline, caveat = _finding(source, verdicts)
        cards.append(
            SourceCard(
                source=source,
                finding=finding,
                headline=headline,
                caveat=caveat,
                notebooks={title_of(layout, n): _page_of(layout, n) for n in notebooks},
                **_figure_of(layout, study, source, notebooks),
            )
        )
    return cards


def _finding(source, verdicts):
    """What came out, in full and in short, and a caveat where it was written for other verdicts."""
    text, headline = source.finding.get("text", ""), source.finding.get("headline", "")
    rests_on = source.finding.get("rests_on", {})
    other = [f"{c} is “{verdicts[c]}”, not “{v}”" for c, v in rests_on.items() if verdicts[c] != v]
    if not text or not other:
        return text, headline, ""
    if len(other) == len(rests_on):
        caveat = "There is a summary of this source, but none of the verdicts it rests on is this run’s."
        return "", "", caveat
    of = f"{len(other)} of {len(rests_on)}: {few(other)}"
    return text, headline, f"Written for another run. Verdicts that differ in this one, {of}."


def _figure_of(layout, study, source, notebooks):
    """The figure that a source names, else the picture of the first notebook about it, as keywords."""
    name, _, number = source.finding.get("figure", "").partition("#")
    for notebook in [study.notebooks[name]] if name in study.notebooks else notebooks:
        executed = readable_notebook(layout.executed(notebook.name))
        pictures = _figures(executed) if executed else []
        if number:
            pictures = pictures[int(number) - 1 : int(number)]
        if figure := _first(pictures):
            return {
                "image": small_picture(figure["png"], 1200),
                "alt": figure["alt"],
                "figure_href": f"{notebook.name}.html#figure-{figure['number']}",
            }
    return {}


def _first(pictures):
    """The first picture of a cell tagged ``thumbnail``, else the first; None if there are none."""
    return min(pictures, key=lambda picture: not picture["thumbnail"], default=None)


def _page_of(layout, notebook):
    """Link to a notebook's page, or an empty string if there is none yet."""
    return f"{notebook.name}.html" if layout.page(notebook.name).is_file() else ""


@lru_cache(maxsize=256)
def _title_in(path, signature):
    notebook = readable_notebook(path)
    return title_and_question(notebook)[0] if notebook else ""


def title_of(layout, notebook):
    """A notebook's title, from its source, else from its executed file."""
    for path in (notebook.path, layout.executed(notebook.name)):
        if path.is_file() and (title := _title_in(path, path.stat().st_mtime_ns)):
            return title
    return notebook.name


def notebook_card(layout, notebook, results, problems, stale):
    """A notebook as the first page shows it, a NotebookCard."""
    executed = readable_notebook(layout.executed(notebook.name))
    shown = executed or readable_notebook(notebook.path) or nbformat.v4.new_notebook()
    title, question = title_and_question(readable_notebook(notebook.path) or shown)
    chosen = _first(_figures(shown) or _frames(shown))
    stamp = stamps.read(layout, notebook.name) or {}
    failed, reasons = problems.get(notebook.name), stale.get(notebook.name)
    return NotebookCard(
        name=notebook.name,
        title=title,
        question=question,
        status="failed" if failed else "stale" if reasons else "ok" if results else "planned",
        href=_page_of(layout, notebook),
        image=small_picture(chosen["png"], 960) if chosen else None,
        alt=chosen["alt"] if chosen else "",
        duration=duration(stamp["computing_s"]) if stamp else "",
        n_claims=len(results["claims"]) if results else 0,
        error=failed or (f"Stale: {few(reasons)}." if reasons else ""),
    )


def _figures(notebook):
    """The PNG figures of a notebook: number, data, alt text, and whether its cell is tagged ``thumbnail``."""
    return [
        {
            "number": number,
            "png": output.data[mime],
            "alt": output.get("metadata", {}).get(mime, {}).get("alt", ""),
            "thumbnail": _is_thumbnail(cell),
        }
        for number, (cell, output, mime) in enumerate(figures(notebook), start=1)
        if mime == "image/png"
    ]


def _frames(notebook):
    """The frame in the middle of each picture with a slider, as :func:`_figures` gives figures."""
    pictures = []
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            frames = _FRAME.findall("".join(output.get("data", {}).get("text/html", "")))
            if frames:
                pictures.append(
                    {"png": frames[len(frames) // 2], "alt": "", "thumbnail": _is_thumbnail(cell)}
                )
    return pictures


def _is_thumbnail(cell):
    return "thumbnail" in cell.metadata.get("tags", [])


@lru_cache(maxsize=64)
def small_picture(png, width):
    """A picture, given in base64, at most so many pixels wide and with at most 256 colours, as a data URI.

    Empty if it is no picture.
    """
    from PIL import Image  # comes with matplotlib

    try:
        picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    except (ValueError, OSError):
        return ""
    picture.thumbnail((width, 2 * width))
    buffer = io.BytesIO()
    picture.quantize(256).save(buffer, "PNG")
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def provenance(layout, notebooks):
    """A section for each notebook: where its results came from, with the environment that computed them."""
    sections = {}
    for notebook in notebooks:
        stamp = stamps.read(layout, notebook.name)
        if stamp is None:
            continue
        inputs = stamp["inputs"]
        sections[notebook.name] = {
            "commit": stamp["commit"],
            "finished": stamp["finished"],
            "computing time": duration(stamp["computing_s"]),
            "last run took": duration(stamp["wall_time_s"]),
            "tasks": _tasks(stamp["tasks"]),
            _memory_of(stamp): f"{stamp.get('peak_memory_mib', 'unknown')} MiB",
            "parameters": ", ".join(f"{k}={v!r}" for k, v in inputs["parameters"].items()),
            **{f"sha256 of {path}": value for path, value in inputs["data"].items()},
            **{k: str(v) for k, v in stamp["environment"].items()},
            "cores": str(stamp.get("cores", "unknown")),
            "source files used": str(len(inputs["code"])),
            "key": stamp["key"],
        }
    return sections


def _memory_of(stamp):
    """What the peak memory is of: a cluster's workers are on other machines."""
    if stamp.get("executor", LOCAL) == LOCAL:
        return "peak memory, workers included"
    return f"peak memory of the client; tasks ran on a {stamp['executor']} cluster"


def _how_equal(sample):
    if "elsewhere" not in sample:
        return "all bit-equal"
    return (
        f"all bit-equal, {sample['elsewhere']} of them not to the stored result but to what the code of "
        f"{sample['commit']} gave on the same machine"
    )


def _tasks(tasks):
    """How many tasks there were, how long they took in all, and whether some were confirmed by sample."""
    n, seconds = sum(t["n"] for t in tasks.values()), sum(t["seconds"] for t in tasks.values())
    text = f"{n:,}, {duration(seconds)} of computing in all" if n else "none"
    confirmed = sum(t["confirmed"] for t in tasks.values())
    if confirmed:
        samples = {s["seed"]: s for t in tasks.values() for s in t["samples"]}
        drawn = "; ".join(
            f"{s['sample']} of {s['of']} computed again on {s['at']}, seed {seed}, {_how_equal(s)}"
            for seed, s in samples.items()
        )
        text += f"; {confirmed:,} confirmed by sample after a change of code ({drawn})"
    return text
