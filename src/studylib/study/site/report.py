"""From results and stamps to pages: writes what has changed."""

import shlex
from datetime import UTC, datetime

import nbformat

from studylib.core.files import sha256
from studylib.study.evidence.manifest import write_evidence
from studylib.study.evidence.verdicts import derive, derive_of, load_results, tally
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.reading import readable_notebook
from studylib.study.ledger.study import SMOKE
from studylib.study.site import docs, report_model
from studylib.study.site._render import source_hash
from studylib.study.site.drawing import write_drawing
from studylib.study.site.model import Site, is_lesson
from studylib.study.site.page import PageHeader, write_page
from studylib.study.site.pages import navigation, write_site
from studylib.study.site.quiz import quiz_file, read_quiz


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
    """Write the pages of all notebooks with results, and the first page; returns the verdicts.

    ``problems`` has a sentence for each notebook that failed.
    """
    notebooks = study.notebooks.values()
    judged = derive(layout, study, profile)
    results = {notebook.name: load_results(layout, notebook.name) for notebook in notebooks}
    stale = {
        name: ["it has no stamp"] if reasons is None else reasons
        for name, reasons in stamps.staleness(layout, notebooks, profile).items()
        if reasons != [] and results[name] and name not in problems
    }
    claims = report_model.claim_rows(study, judged, problems, stale, _measured(results.values()))
    for notebook in notebooks:
        write_notebook_page(layout, study, notebook, profile, claims, stale.get(notebook.name, []))
    sources = report_model.source_cards(layout, study, claims)
    write_drawing(layout.folder / "verdicts.svg", claims, sources)
    write_site(
        layout.folder,
        Site(
            profile=profile,
            title=study.title,
            subtitle=study.subtitle,
            generated=_last_run(layout, notebooks),
            banner=_banner(results, study, profile, problems, stale),
            claims=claims,
            notebooks=[
                report_model.notebook_card(layout, n, results[n.name], problems, stale) for n in notebooks
            ],
            sources=sources,
            provenance=report_model.provenance(layout, notebooks),
            ledger_hash=study.ledger.hash,
            deviations=study.ledger.deviations,
            docs=_docs(layout),
        ),
    )
    write_evidence(layout, study, profile, judged)
    return judged


def _docs(layout):
    """Link from a report to guide and API reference, or None if they are not written."""
    return "../docs/index.html" if layout.docs.joinpath("index.html").is_file() else None


def write_docs(study):
    """Write the study's guide and API reference, unless they are up to date; returns whether it did.

    Links to notebooks lead to the last of the study's profiles.
    """
    layout = Layout(study.profiles[-1])
    href = f"../{layout.profile}/index.html"
    return docs.write_docs(layout.docs, study.api, study.guide, report_href=href)


def write_page_of(layout, study, notebook, profile):
    """Write the page of a notebook that has just ended, well or not; the rest of the report stays."""
    judged = derive_of(layout, study, notebook, profile)
    measured = _measured([load_results(layout, notebook.name)])
    rows = report_model.claim_rows(study, judged, {}, {}, measured)
    write_notebook_page(layout, study, notebook, profile, rows, [])


def _measured(results):
    """What was measured for each claim, from the results of notebooks, of which some may be None."""
    return {name: given["measured"] for of in results if of for name, given in of["claims"].items()}


def write_notebook_page(layout, study, notebook, profile, claims, stale):
    """Write a notebook's page, unless there is one of the very same outputs, words and verdicts already.

    ``claims`` are rows of the ledger; ``stale`` says why results are not those of the present inputs.
    """
    executed = readable_notebook(layout.executed(notebook.name))
    if executed is None:
        return
    if not stale:
        executed = report_model.with_present_words(executed, readable_notebook(notebook.path))
    rows = {row.id: row for row in claims if row.notebook == notebook.name}
    before, after = _neighbours(layout, study, notebook)
    links = navigation(claims, study.notebooks, _docs(layout))
    quiz, verdicts = read_quiz(quiz_file(notebook.path), claims)
    inputs = [sha256(nbformat.writes(executed).encode()), source_hash(), study.title, study.ledger.hash]
    inputs += stale
    solution = readable_notebook(notebook.path.parent / "solutions" / notebook.path.name)
    inputs += map(repr, [*rows.values(), before, after, links, *quiz, *verdicts, solution])
    mark = f"<!-- page {sha256(chr(10).join(inputs).encode())} -->"
    page = layout.page(notebook.name)
    if page.is_file() and mark in page.read_text(encoding="utf-8")[-200:]:
        return
    stamp = stamps.read(layout, notebook.name) or {}
    results = load_results(layout, notebook.name) or {}
    confirm = _command(study, profile, shlex.join(["confirm", notebook.name]))
    _, question = report_model.title_and_question(executed)
    banner = simulated_notice(results.get("simulated", []))
    if stale:
        banner = [f"These results are stale: {report_model.few(stale)}. Run it again to renew them.", *banner]
    header = PageHeader(
        question=question,
        profile=profile,
        data=_data_words(notebook, results),
        duration=report_model.duration(stamp["computing_s"]) if stamp else "",
        rerun=_command(study, profile, "reproduce"),
        notebook_href=f"notebooks/{notebook.name}.ipynb",
        parameters=notebook.parameters_for(profile),
        banner=banner,
        generated=_minute(stamp["finished"]) if stamp else "",
        ledger_hash=study.ledger.hash,
        links=links,
        previous=before,
        next=after,
        claims=tally([{"verdict": row.verdict} for row in rows.values()]) if results else "",
        sample=confirm if (stamp or {}).get("tasks") else "",
        edit="make lab" if _has_make(study) else "jupyter lab notebooks",
    )
    write_page(executed, page, header, rows, quiz, verdicts, solution)
    with page.open("a", encoding="utf-8") as file:
        file.write(f"\n{mark}\n")


def _neighbours(layout, study, notebook):
    """The notebooks, or the lessons, before and after one with results: ``(title, link)``, or None."""
    lesson = is_lesson(notebook.name)
    alike = [n for n in study.notebooks.values() if is_lesson(n.name) == lesson]
    names = [n for n in alike if n is notebook or layout.executed(n.name).is_file()]
    place = names.index(notebook)
    around = [names[place - 1] if place else None, names[place + 1] if place + 1 < len(names) else None]
    return [n and (report_model.title_of(layout, n), f"{n.name}.html") for n in around]


def _minute(moment):
    """An ISO time as the pages print it."""
    return datetime.fromisoformat(moment).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def _last_run(layout, notebooks):
    """When the last run ended, as the pages print it: were it the clock's time, each writing would differ."""
    read = [stamps.read(layout, notebook.name) for notebook in notebooks]
    return max((_minute(stamp["finished"]) for stamp in read if stamp), default="")


def _data_words(notebook, results):
    """What the data of a page are: real, simulated by design, or a stand-in for absent real ones."""
    if not results:
        return "unknown: the notebook did not end"
    return "a simulated stand-in for absent real data" if results["simulated"] else notebook.data_are


def _has_make(study):
    return (study.root / "Makefile").is_file()


def _command(study, profile, words):
    """What a reader types in the study's folder."""
    profile = shlex.quote(profile)
    if not _has_make(study):
        return f"studylib {words} --study . --profile {profile}"
    if words == "reproduce":
        return f"make reproduce PROFILE={profile}"
    return f".venv/bin/studylib {words} --profile {profile}"


def _banner(results, study, profile, problems, stale):
    banner, last = [], study.profiles[-1]
    if problems:
        names = ", ".join(problems)
        banner.append(f"{len(problems)} notebook(s) failed: {names}. Their claims count as not testable.")
    if profile == SMOKE:
        banner.append(
            f"The profile “{SMOKE}” runs every cell at its smallest scale: it shows values, no verdicts."
        )
    elif profile != last:
        banner.append(
            f"The profile “{profile}” is a small run: it may leave verdicts open that the profile “{last}” "
            "decides."
        )
    if stale:
        banner.append(
            f"{len(stale)} notebook(s) are stale: {', '.join(stale)}. Their code, data or parameters have "
            "changed since they ran, so their results and verdicts, marked “stale”, may differ from what a "
            "new run gives."
        )
    simulated = [name for of in results.values() if of for name in of["simulated"]]
    return banner + simulated_notice(simulated)
