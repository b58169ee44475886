"""The evidence of a report: a manifest of its files and verdicts, and the program that checks it."""

import functools
import os
import re
from dataclasses import asdict
from pathlib import Path

from studylib.core.files import file_hash, write_atomically, write_json
from studylib.study import findings, fingerprints, intervals, kinds, rules, shapes
from studylib.study.evidence import untrusted, verifier
from studylib.study.evidence.crate import write_crate
from studylib.study.evidence.verdicts import rules_that_judged
from studylib.study.rules import SMOKE

_HEAD = '''#!/usr/bin/env python3
"""Check this report: python3 verify.py

It needs Python 3.11 or newer and nothing else.  It compares every file with its sha256 in evidence.json and
derives every verdict again from what was measured, by the code that judged it.  The exit code is 0 if
everything agrees and 1 if anything differs.

It is made of eight files of studylib, word for word but for their imports of one another:
study/fingerprints.py and study/shapes.py; the judge, study/findings.py, study/intervals.py, study/kinds.py
and study/rules.py; study/evidence/untrusted.py and study/evidence/verifier.py.
"""

'''
_TAIL = '\n\nif __name__ == "__main__":\n    sys.exit(main())\n'
_OWN_IMPORTS = re.compile(r"^from studylib\.study\.[\w.]+ import (?:\([^)]*\)|[^\n(]*)\n\n?", re.MULTILINE)


def write_evidence(layout, study, profile, verdicts):
    """Write what a stranger needs to check the verdicts of :func:`.derive`, ``evidence.json`` last."""
    write_json(layout.folder / "ledger.json", {**asdict(study.ledger), "sha256": study.ledger.hash})
    write_atomically(layout.folder / "verify.py", standalone())
    if profile != SMOKE:
        write_crate(layout, study, profile)
    evidence = {
        "format": "studylib evidence, version 4",
        "study": study.title,
        "profile": profile,
        "ledger_sha256": study.ledger.hash,
        "files": _files(layout),
        "beside": _sources(layout, study),
        "claims": verdicts,
        "rules_sha256": _rules(layout, study, profile, verdicts),
    }
    pages = _pages(layout)
    hashes = {"sha256": fingerprints.data_hash(evidence), "pages_sha256": fingerprints.data_hash(pages)}
    write_json(layout.evidence, {**evidence, "pages": pages, **hashes})


@functools.cache
def standalone():
    """The text of ``verify.py``: hashes, shapes, the judge, the reader and the verifier in one file.

    They import one another only, each those before it; what they import of that by name is there already.
    """
    modules = (fingerprints, shapes, findings, intervals, kinds, rules, untrusted, verifier)
    texts = (Path(module.__file__).read_text(encoding="utf-8") for module in modules)
    return _HEAD + "\n\n".join(_OWN_IMPORTS.sub("", text) for text in texts) + _TAIL


def _files(layout):
    """sha256 of all files that carry evidence."""
    paths = [layout.folder / name for name in verifier.OWN_FILES]
    for part, ending in verifier.FOLDERS.items():
        paths += layout.folder.glob(f"{part}/*{ending}")
    return {p.relative_to(layout.folder).as_posix(): file_hash(p) for p in paths if p.is_file()}


def _rules(layout, study, profile, verdicts):
    """By claim, the hashes of all rules that gave it a verdict in the last profile, the first one first."""
    # A rule that replaced one without an amendment does not join; the answers of questions are words.
    judged = rules_that_judged(layout)
    for claim_id in verdicts if profile == study.profiles[-1] != SMOKE else ():
        claim = study.ledger.claims[claim_id]
        hashes = judged.get(claim_id, [])
        forgotten = fingerprints.forgotten_amendments(asdict(claim), hashes)
        if not forgotten and claim.rule_hash not in hashes and claim.kind != "question":
            judged[claim_id] = [*hashes, claim.rule_hash]
    return judged


def _pages(layout):
    """sha256 of pages and pictures.  They render the evidence, so a typo changes nothing that is cited."""
    others = {verifier.EVIDENCE, *verifier.OWN_FILES}
    paths = [path for path in layout.folder.glob("[!.]*") if path.is_file() and path.name not in others]
    return {path.name: file_hash(path) for path in paths}


def _sources(layout, study):
    """sha256 of the ledger's own files, by their path from the report's folder."""
    # The verifier reads below the study's folder only: a report elsewhere, by $STUDYLIB_REPORTS, lists none.
    hashes, root = {}, layout.folder.parent.parent
    for name in study.ledger.sources:
        for file in verifier.SOURCE_FILES:
            path = study.sources / name / file
            if path.is_file() and untrusted.is_below(path, root):
                hashes[Path(os.path.relpath(path, layout.folder)).as_posix()] = file_hash(path)
    return hashes
