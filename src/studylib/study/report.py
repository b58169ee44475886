"""From results and stamps to pages: gathers what the site shows, and writes what has changed."""

import base64
import io
import re
from datetime import UTC, datetime

import nbformat

from studylib.core.files import sha256
from studylib.study import ledger, rules, site, stamps
from studylib.study.paths import notebook_path
from studylib.study.record import load_results

_SHORT_SOURCES = {
    "Raffini": "Mushroom trees",
    "Faßbender": "PCF",
    "GRAF": "GRAF",
}


_PUBLIC_MODULES = (
    "studylib.trees",
    "studylib.trees.criteria",
    "studylib.pcf",
    "studylib.graf",
    "studylib.datasets",
    "studylib.statistics",
    "studylib.plots",
    "studylib.study",
    "studylib.study.rules",
)


def duration(seconds):
    """Seconds as a reader says them."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def title_and_question(notebook):
    """A notebook's first heading, and the question that stands under it."""
    text = next((c.source for c in notebook.cells if c.cell_type == "markdown"), "")
    title = re.search(r"^#\s+(.+)$", text, re.MULTILINE)
    question = re.search(r"\*\*Question\.?\*\*\s*(.+?)(?:\n\s*\n|\Z)", text, re.DOTALL)
    return (
        title.group(1).strip() if title else "",
        " ".join(question.group(1).split()) if question else "",
    )


def simulated_notice(simulated):
    """The sentence that a report computed from stand-ins begins with; empty list if there are none."""
    if not simulated:
        return []
    names = ", ".join(name.replace("_", " ") for name in sorted(set(simulated)))
    return [
        f"Simulated data stand in for: {names}. The real files were neither found nor downloaded, so the "
        "claims about them are “not testable” here, and no number below is about the real data. "
        "To use the real files, run make data with a network or set STUDYLIB_DATA to their folder."
    ]


def write_notebook_page(layout, study, profile):
    """Write a notebook's page from its executed file, unless the page is of that very file already."""
    source = layout.executed(study.name)
    if not source.is_file():
        return
    stamp = stamps.read(layout, study.name) or {}
    results = load_results(layout, study.name) or {}
    mark = f"<!-- page {sha256((stamps.file_hash(source) + stamps.site_hash()).encode())} -->"
    page = layout.page(study.name)
    if page.is_file() and mark in page.read_text(encoding="utf-8")[-200:]:
        return
    notebook = nbformat.read(source, as_version=4)
    _, question = title_and_question(notebook)
    header = site.PageHeader(
        question=question,
        profile=profile,
        data=results.get("data", "unknown: the notebook did not end"),
        duration=duration(stamp["wall_time_s"]) if "wall_time_s" in stamp else "",
        rerun=f"make reproduce PROFILE={profile}",
        notebook_href=f"notebooks/{study.name}.ipynb",
        parameters=study.parameters_for(profile),
        banner=simulated_notice(results.get("simulated", [])),
        generated=stamp.get("finished", ""),
    )
    site.write_page(notebook, page, header)
    with page.open("a", encoding="utf-8") as file:
        file.write(f"\n{mark}\n")


def write_index(layout, studies, profile, problems):
    """Write the report's first page from all results that there are.

    Parameters
    ----------
    layout : Layout
    studies : list of Study
    profile : str
    problems : dict of str to str, one sentence for each notebook that failed
    """
    results = {s.name: load_results(layout, s.name) for s in studies}
    simulated = [name for r in results.values() if r for name in r["simulated"]]
    banner = simulated_notice(simulated)
    if profile == "smoke":
        banner = [
            "The profile “smoke” runs every cell at its smallest scale: it shows values, no verdicts.",
            *banner,
        ]
    if problems:
        banner = [
            f"{len(problems)} notebook(s) failed: {', '.join(problems)}. Their claims are open.",
            *banner,
        ]
    site.write_api(layout.folder / "api.html", _PUBLIC_MODULES)
    site.write_index(
        layout.index,
        site.Site(
            profile=profile,
            title="studylib",
            subtitle="A reproducible study of tree-ensemble research",
            generated=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            banner=banner,
            claims=_claim_rows(studies, results, problems),
            notebooks=[_card(layout, s, results[s.name], problems.get(s.name)) for s in studies],
            provenance=_provenance(layout, studies),
            deviations=[
                site.Deviation(source=d.source, place=d.place, text=d.text, claim_ids=list(d.claims))
                for d in ledger.deviations()
            ],
            api="api.html",
        ),
    )


def _short(source):
    return next((short for key, short in _SHORT_SOURCES.items() if key in source), source.split(",")[0])


def _claim_rows(studies, results, problems):
    judged_by = {claim: s for s in studies for claim in s.claims}
    notes = {}
    for deviation in ledger.deviations():
        for claim in deviation.claims:
            notes.setdefault(claim, []).append(deviation.text)
    rows = []
    for claim in ledger.claims().values():
        entry = {"verdict": rules.PLANNED}
        study = judged_by.get(claim.id)
        if study is not None:
            found = (results[study.name] or {}).get("claims", {}).get(claim.id)
            missing = (
                f"its notebook failed: {problems[study.name]}" if study.name in problems else "not run yet"
            )
            entry = found or {"verdict": rules.NOT_TESTABLE, "reason": missing}
        if claim.id in ledger.disputed():
            entry = {**entry, "verdict": rules.DISPUTED, "reason": ledger.disputed()[claim.id]}
        rows.append(
            site.ClaimRow(
                id=claim.id,
                source=_short(claim.source),
                place=claim.place,
                statement=claim.statement,
                value=claim.value,
                kind=claim.kind,
                rule=claim.rule,
                ours=entry.get("ours", ""),
                interval=entry.get("interval", ""),
                verdict=entry["verdict"],
                reason=entry.get("reason", ""),
                notebook=study.name if study else "",
                href=f"{study.name}.html#claim-{claim.id}" if "ours" in entry else "",
                notes=notes.get(claim.id, []),
            )
        )
    return rows


def _card(layout, study, results, problem):
    executed = layout.executed(study.name)
    source = executed if executed.is_file() else notebook_path(study.name)
    notebook = nbformat.read(source, as_version=4)
    title, question = title_and_question(notebook)
    image, alt = _thumbnail(notebook) if executed.is_file() else (None, "")
    stamp = stamps.read(layout, study.name) or {}
    status = "failed" if problem else "ok" if results else "planned"
    return site.NotebookCard(
        name=study.name,
        title=title,
        question=question,
        status=status,
        href=f"{study.name}.html" if layout.page(study.name).is_file() else "",
        image=image,
        alt=alt,
        duration=duration(stamp["wall_time_s"]) if "wall_time_s" in stamp else "",
        n_claims=len(results["claims"]) if results else 0,
        error=problem or "",
    )


def _thumbnail(notebook, width=480):
    """The picture of the cell tagged ``thumbnail``, else the first, as a small data URI, and its alt text."""
    from PIL import Image  # comes with matplotlib

    cells = [c for c in notebook.cells if c.cell_type == "code"]
    cells.sort(key=lambda c: "thumbnail" not in c.metadata.get("tags", []))
    for cell in cells:
        for output in cell.outputs:
            if "image/png" in output.get("data", {}):
                picture = Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"])))
                picture = picture.convert("RGB")
                picture.thumbnail((2 * width, 2 * width))
                buffer = io.BytesIO()
                picture.save(buffer, "PNG", optimize=True)
                alt = output.get("metadata", {}).get("image/png", {}).get("alt", "")
                return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode(), alt
    return None, ""


def _provenance(layout, studies):
    sections = {}
    for study in studies:
        stamp = stamps.read(layout, study.name)
        if stamp is None:
            continue
        sections.setdefault("Environment", {k: str(v) for k, v in stamp["environment"].items()})
        sections["Environment"]["cores"] = str(stamp["cores"])
        sections.setdefault("Data (sha256)", {}).update(stamp["inputs"]["data"])
        sections[study.name] = {
            "commit": stamp["commit"],
            "finished": stamp["finished"],
            "last run took": duration(stamp["wall_time_s"]),
            "peak memory of the kernel": f"{stamp.get('peak_memory_mib', 'unknown')} MiB",
            "parameters": ", ".join(f"{k}={v!r}" for k, v in stamp["inputs"]["parameters"].items()),
            "key": stamp["key"],
        }
    return sections
