"""The evidence of a report: what binds each verdict to its rule, its measurement and the run behind it."""

import functools
import os
import re
from dataclasses import asdict
from pathlib import Path

from studylib.core.files import file_hash, write_atomically, write_json
from studylib.study import rules, verifier
from studylib.study.archive import TASKS
from studylib.study.codecheck import write_codecheck
from studylib.study.crate import write_crate
from studylib.study.flow import tasks_of_claims
from studylib.study.history import History
from studylib.study.reading import read_json, readable_notebook
from studylib.study.record import load_results
from studylib.study.rule_table import verdicts_it_can_give
from studylib.study.study import SMOKE
from studylib.study.verifier import chain, data_hash, prose_hash

_HEAD = '''#!/usr/bin/env python3
"""Check this report: python3 verify.py

It needs Python 3.11 or newer and nothing else.  It compares every file with its sha256 in evidence.json,
follows the chain of the entries, and derives every verdict again from what was measured, by the code that
judged it.  The exit code is 0 if everything agrees and 1 if anything differs.

It is made of two files of studylib, word for word: study/rules.py, the judge, and study/verifier.py.
"""

'''
_TAIL = '\n\nif __name__ == "__main__":\n    sys.exit(main())\n'
_IMPORT_OF_RULES = re.compile(r"^from studylib\.study\.rules import (?:\([^)]*\)|[^\n(]*)\n\n?", re.MULTILINE)


def write_evidence(layout, study, profile, verdicts):
    """Write what a stranger needs to check the verdicts of a report, ``evidence.json`` last.

    Parameters
    ----------
    layout : Layout
    study : Study
    profile : str
    verdicts : dict of str to dict
        What :func:`studylib.study.verdicts.derive` returned.
    """
    write_json(layout.folder / "ledger.json", ledger_data(study.ledger))
    if not verdicts:  # no old ones may stay
        write_json(layout.verdicts, {"ledger_sha256": study.ledger.hash, "claims": {}})
    write_atomically(layout.folder / "verify.py", standalone())
    if profile != SMOKE:
        write_codecheck(layout, study, profile)
        write_crate(layout, study, profile)
    evidence = {
        "format": "studylib evidence, version 1",
        "study": study.title,
        "profile": profile,
        "ledger_sha256": study.ledger.hash,
        "files": _files(layout),
        "beside": _sources(layout, study),
        "claims": _entries(layout, study, verdicts),
    }
    evidence["claims"], evidence["head"] = chain(evidence)
    write_json(layout.folder / verifier.EVIDENCE, evidence)


def ledger_data(ledger):
    """Everything that the ledger says, as plain data, with its hash."""
    return {**asdict(ledger), "sha256": ledger.hash}


@functools.cache
def standalone():
    """The text of ``verify.py``: the judge and the verifier in one file."""
    folder = Path(__file__).parent
    judge, check = ((folder / f"{name}.py").read_text(encoding="utf-8") for name in ("rules", "verifier"))
    check, n = _IMPORT_OF_RULES.subn("", check)
    if n != 1:
        raise ValueError("verifier.py must import from rules once, and from nothing else of studylib.")
    return f"{_HEAD}{judge}\n\n{check}{_TAIL}"


def _files(layout):
    """sha256 of all files that carry evidence.  Pages are renderings of them, and the index has a date."""
    names = ("ledger.json", "verdicts.json", "verify.py", "ro-crate-metadata.json", "codecheck.yml")
    paths = [layout.folder / name for name in names]
    for part, endings in verifier.FOLDERS.items():
        paths += [path for ending in endings for path in layout.folder.glob(f"{part}/*{ending}")]
    return {p.relative_to(layout.folder).as_posix(): file_hash(p) for p in paths if p.is_file()}


def _sources(layout, study):
    """sha256 of the ledger's own files, by their path from the report's folder."""
    found = {}
    for name in study.ledger.sources:
        for file in ("source.toml", "claims.toml", "deviations.toml"):
            path = study.sources / name / file
            if path.is_file():
                found[Path(os.path.relpath(path, layout.folder)).as_posix()] = file_hash(path)
    return found


def _entries(layout, study, verdicts):
    """One entry for each claim that was measured, in the order of the notebooks."""
    history, entries = History(study.root), []
    for notebook in study.notebooks.values():
        judged = {c: verdict for c, verdict in verdicts.items() if verdict["notebook"] == notebook.name}
        if not judged:
            continue
        measured = load_results(layout, notebook.name)["claims"]
        tasks = _task_parts(layout, notebook.name)
        executed = layout.executed(notebook.name)
        used = tasks_of_claims(executed, judged, tasks) if readable_notebook(executed) else {}
        for claim_id, verdict in judged.items():
            claim = study.ledger.claims[claim_id]
            entries.append(
                {
                    "claim": claim_id,
                    "source": claim.source,
                    "nature": claim.nature,
                    "kind": claim.kind,
                    **_rules(claim, history),
                    "can_give": _can_give(claim),
                    "judged_by": claim.judge.get("function", "rules.py"),
                    "measurement": {
                        "file": f"results/{notebook.name}.json",
                        "path": ["claims", claim_id],
                        "sha256": data_hash(measured[claim_id]),
                    },
                    **{key: verdict[key] for key in ("verdict", "ours", "interval", "reason")},
                    "disputed": study.ledger.disputed.get(claim_id, ""),
                    "notebook": {
                        "name": notebook.name,
                        "file": f"notebooks/{notebook.name}.ipynb",
                        "sha256": file_hash(executed),
                    },
                    "tasks": [tasks[task] for task in used.get(claim_id, [])],
                }
            )
    return entries


def _rules(claim, history):
    """The rule as data and in prose, each with the commit in which it first stood."""

    def bound(hash_):
        return {"sha256": hash_, "first": history.first(claim.id, hash_)}

    now, before, amended = asdict(claim), claim.amended, {}
    if before:
        was = {key: before.get(f"first_{key}", now[key]) for key in ("statement", "kind", "rule")}
        amended = {
            "date": before["date"],
            "first_verdict": before["first_verdict"],
            "first_prose": bound(prose_hash(was)),
        }
    return {"rule": bound(claim.rule_hash), "prose": bound(prose_hash(now)), "amended": amended}


def _can_give(claim):
    """The verdicts that the rule can give; a question has an answer and no verdict."""
    if claim.kind in ("question", "not-testable"):
        return [rules.ANSWERED if claim.kind == "question" else rules.NOT_TESTABLE]
    return verdicts_it_can_give(claim)


def _task_parts(layout, name):
    """For each task of a notebook, where its results' hashes are: ``tasks/<notebook>.json``."""
    return {
        task: {
            "file": f"tasks/{name}.json",
            "path": [task],
            "n_results": len(noted["results"]),
            "sha256": data_hash(noted),
        }
        for task, noted in (read_json(layout.tasks(name), TASKS) or {}).items()
    }
