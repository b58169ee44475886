"""Reports that are forged, with every hash that follows, and the verifier in a bare Python."""

import json
import subprocess
import sys

from studylib.core.files import file_hash, write_json
from studylib.study.fingerprints import data_hash


def run_bare(report, cwd, **options):
    """Run verify.py without site-packages, environment variables and the working directory."""
    return subprocess.run(
        [sys.executable, "-I", "-S", report / "verify.py"],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
        **options,
    )


def edit(path, change):
    """Change the data in a JSON file, in the form in which they are written."""
    data = json.loads(path.read_text())
    change(data)
    write_json(path, data)


def renew(report, *names, **claims):
    """Forge: list the present hashes of files, and the manifest's own; ``claims`` are changes of verdicts."""
    evidence = json.loads((report / "evidence.json").read_text())
    for name in names:
        evidence["pages" if name in evidence["pages"] else "files"][name] = file_hash(report / name)
    for claim, entry in claims.items():
        evidence["claims"][claim.replace("_", "-")] |= entry
    evidence |= own_hashes(evidence)
    write_json(report / "evidence.json", evidence)


def own_hashes(evidence):
    cited = {k: v for k, v in evidence.items() if k not in ("pages", "pages_sha256", "sha256")}
    return {"sha256": data_hash(cited), "pages_sha256": data_hash(evidence["pages"])}


def forge_ledger(report, claim, **changes):
    """Change a claim in ledger.json, with every hash that follows; returns the claim."""
    edit(report / "ledger.json", lambda ledger: ledger["claims"][claim].update(changes))
    ledger = json.loads((report / "ledger.json").read_text())
    del ledger["sha256"]
    hash_ = data_hash(ledger)
    write_json(report / "ledger.json", {**ledger, "sha256": hash_})
    edit(report / "evidence.json", lambda evidence: evidence.update(ledger_sha256=hash_))
    renew(report, "ledger.json")
    return ledger["claims"][claim]
