"""From results and stamps to pages: gathers what the site shows, and writes what has changed."""

import base64
import io
import re
from datetime import UTC, datetime

import nbformat

from studylib.core.files import file_hash, sha256
from studylib.study import rules, site, stamps
from studylib.study.evidence import write_evidence
from studylib.study.executor import LOCAL
from studylib.study.reading import readable_notebook
from studylib.study.record import load_results
from studylib.study.rule_table import in_words, verdicts_it_can_give
from studylib.study.study import SMOKE
from studylib.study.verdicts import derive


def duration(seconds):
    """Seconds as a reader says them."""
    return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"


def title_and_question(notebook):
    """A notebook's first heading, and the question below it."""
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
        f"Stand-in data, simulated or bundled, replace: {names}. The real files were neither found nor "
        "downloaded, so the claims about them are “not testable” here, and no number below is about the real "
        "data. To use the real files, run make data with a network or set STUDYLIB_DATA to their folder."
    ]


def write_report(layout, study, profile, problems):
    """Write the pages of all notebooks that there are results of, the reference, and the first page.

    Parameters
    ----------
    layout : Layout
    study : Study
    profile : str
    problems : dict of str to str, one sentence for each notebook that failed

    Returns
    -------
    dict of str to dict
        The verdicts, from :func:`~studylib.study.verdicts.derive`.
    """
    notebooks = study.notebooks.values()
    judged = derive(layout, study, profile)
    results = {notebook.name: load_results(layout, notebook.name) for notebook in notebooks}
    stale = {}
    for notebook in notebooks:
        reasons = stamps.stale_because(layout, notebook, profile)
        if results[notebook.name] and notebook.name not in problems:
            stale[notebook.name] = reasons if reasons is not None else ["it has no stamp"]
        write_notebook_page(layout, study, notebook, profile, stale.get(notebook.name) or [])
    stale = {name: reasons for name, reasons in stale.items() if reasons}
    if study.api:
        site.write_api(layout.folder / "api", study.api)
    site.write_index(
        layout.index,
        site.Site(
            profile=profile,
            title=study.title,
            subtitle=study.subtitle,
            generated=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            banner=_banner(results, profile, problems, stale),
            claims=_claim_rows(study, judged, problems, stale),
            notebooks=[_card(layout, n, results[n.name], problems, stale) for n in notebooks],
            sources=[
                site.Source(s.short, s.author, s.title, s.year, s.identifier, s.link)
                for s in study.ledger.sources.values()
            ],
            provenance=_provenance(layout, notebooks),
            ledger_hash=study.ledger.hash,
            evidence=True,
            deviations=[
                site.Deviation(source=d.source, place=d.place, text=d.text, claim_ids=list(d.claims))
                for d in study.ledger.deviations
            ],
            api="api/index.html" if study.api else None,
        ),
    )
    write_evidence(layout, study, profile, judged)
    return judged


def write_notebook_page(layout, study, notebook, profile, stale):
    """Write a notebook's page from its executed file, unless the page is of that very file already.

    ``stale`` lists why its results are not those of the present code, data and parameters.
    """
    source = layout.executed(notebook.name)
    executed = readable_notebook(source)
    if executed is None:
        return
    stamp = stamps.read(layout, notebook.name) or {}
    results = load_results(layout, notebook.name) or {}
    inputs = [file_hash(source), site.source_hash(), study.title, study.ledger.hash, *stale]
    mark = f"<!-- page {sha256(chr(10).join(inputs).encode())} -->"
    page = layout.page(notebook.name)
    if page.is_file() and mark in page.read_text(encoding="utf-8")[-200:]:
        return
    _, question = title_and_question(executed)
    banner = simulated_notice(results.get("simulated", []))
    if stale:
        banner = [f"These results are stale: {_few(stale)}. Run it again to renew them.", *banner]
    header = site.PageHeader(
        question=question,
        profile=profile,
        data=_data_words(notebook, results),
        duration=duration(stamp["computing_s"]) if stamp else "",
        rerun=_command(study, profile),
        notebook_href=f"notebooks/{notebook.name}.ipynb",
        parameters=notebook.parameters_for(profile),
        banner=banner,
        generated=stamp.get("finished", ""),
        ledger_hash=study.ledger.hash,
    )
    site.write_page(executed, page, header)
    with page.open("a", encoding="utf-8") as file:
        file.write(f"\n{mark}\n")


def _data_words(notebook, results):
    """What the data of a page are: real, simulated by design, or a stand-in for absent real ones."""
    if not results:
        return "unknown: the notebook did not end"
    return "a simulated stand-in for absent real data" if results["simulated"] else notebook.data_are


def _command(study, profile):
    """What a reader types to compute the report again."""
    if (study.root / "Makefile").is_file():
        return f"make reproduce PROFILE={profile}"
    return f"studylib reproduce --study . --profile {profile}"


def _few(reasons):
    """The first reasons, and how many more there are."""
    return "; ".join(reasons[:3]) + (f"; and {len(reasons) - 3} more" if len(reasons) > 3 else "")


def _banner(results, profile, problems, stale):
    banner = simulated_notice([name for found in results.values() if found for name in found["simulated"]])
    if stale:
        names = ", ".join(stale)
        banner = [
            f"{len(stale)} notebook(s) are stale: {names}. Their code, data or parameters have changed since "
            "they ran, so their results and verdicts, marked “stale”, may differ from what a new run gives.",
            *banner,
        ]
    if profile == SMOKE:
        banner = [
            f"The profile “{SMOKE}” runs every cell at its smallest scale: it shows values, no verdicts.",
            *banner,
        ]
    if problems:
        banner = [
            f"{len(problems)} notebook(s) failed: {', '.join(problems)}. Their claims are open.",
            *banner,
        ]
    return banner


def _claim_rows(study, judged, problems, stale):
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
            site.ClaimRow(
                id=claim.id,
                source=claim.source,
                place=claim.place,
                statement=claim.statement,
                value=claim.value,
                nature=claim.nature,
                kind=claim.kind,
                rule=claim.rule,
                judged_by=in_words(claim.kind, claim.judge),
                ours=entry.get("ours", ""),
                interval=entry.get("interval", ""),
                verdict=entry["verdict"],
                reason=entry.get("reason", ""),
                notebook=name,
                href=f"{name}.html#claim-{claim.id}" if "ours" in entry else "",
                notes=notes.get(claim.id, []),
                remarks=_remarks(claim),
                amended=claim.amended,
                stale=_few(stale.get(name, [])) if "ours" in entry else "",
            )
        )
    return rows


def _remarks(claim):
    """What a reader should know about when and how a rule came to be."""
    found = []
    if claim.kind not in ("question", "not-testable"):
        found.append(f"Verdicts that the rule can give: {', '.join(verdicts_it_can_give(claim))}.")
    if claim.checked_by_hand:
        found.append("The rule names the expected answer: it was checked by hand beforehand.")
    if claim.added:
        found.append(f"Added on {claim.added}, after the first full run.")
    return found


def _card(layout, notebook, results, problems, stale):
    executed = readable_notebook(layout.executed(notebook.name))
    shown = executed or readable_notebook(notebook.path) or nbformat.v4.new_notebook()
    title, question = title_and_question(shown)
    image, alt = _thumbnail(executed) if executed else (None, "")
    stamp = stamps.read(layout, notebook.name) or {}
    failed, reasons = problems.get(notebook.name), stale.get(notebook.name)
    return site.NotebookCard(
        name=notebook.name,
        title=title,
        question=question,
        status="failed" if failed else "stale" if reasons else "ok" if results else "planned",
        href=f"{notebook.name}.html" if layout.page(notebook.name).is_file() else "",
        image=image,
        alt=alt,
        duration=duration(stamp["computing_s"]) if stamp else "",
        n_claims=len(results["claims"]) if results else 0,
        error=failed or (f"Stale: {_few(reasons)}." if reasons else ""),
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


def _provenance(layout, notebooks):
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


def _tasks(tasks):
    """How many tasks there were, how long they took in all, and whether some were confirmed by sample."""
    n, seconds = sum(t["n"] for t in tasks.values()), sum(t["seconds"] for t in tasks.values())
    said = f"{n:,}, {duration(seconds)} of computing in all" if n else "none"
    confirmed = sum(t["confirmed"] for t in tasks.values())
    if confirmed:
        samples = {s["seed"]: s for t in tasks.values() for s in t["samples"]}
        drawn = "; ".join(
            f"{s['sample']} of {s['of']} computed again on {s['at']}, seed {seed}, all bit-equal"
            for seed, s in samples.items()
        )
        said += f"; {confirmed:,} confirmed by sample after a change of code ({drawn})"
    return said
