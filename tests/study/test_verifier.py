"""verify.py: one file that needs nothing, misses nothing, and derives the verdicts again."""

import ast
import dataclasses
import importlib.util
import json
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from studylib.core.files import file_hash, write_json
from studylib.study import cli, rules
from studylib.study.evidence import verifier
from studylib.study.evidence.manifest import standalone
from studylib.study.evidence.verifier import verify
from studylib.study.fingerprints import data_hash, readable_text
from studylib.study.ledger.claims import Claim
from tests.study.judged_study import in_study

FLIPS = 200


@pytest.fixture
def study(judged, tmp_path):
    shutil.copytree(judged, tmp_path / "study")
    return tmp_path / "study"


@pytest.fixture
def report(study):
    return study / "reports/quick"


@pytest.fixture(scope="module")
def shipped(judged):
    """The module in the report's own verify.py."""
    spec = importlib.util.spec_from_file_location("shipped_verify", judged / "reports/quick/verify.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def run_bare(report, cwd):
    """Run verify.py without site-packages, environment variables and the working directory."""
    return subprocess.run(
        [sys.executable, "-I", "-S", report / "verify.py"],
        cwd=cwd,
        capture_output=True,
        text=True,
        encoding="utf-8",
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
        evidence["files"][name] = file_hash(report / name)
    for claim, entry in claims.items():
        evidence["claims"][claim.replace("_", "-")] |= entry
    del evidence["sha256"]
    write_json(report / "evidence.json", {**evidence, "sha256": data_hash(evidence)})


def test_a_bare_interpreter_checks_the_report(report, tmp_path):
    done = run_bare(report, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "10 files compared with their sha256.",
        "4 verdicts derived again from what was measured:",
        "  identity: 1 (1 checked)",
        "  arithmetic: 1 (1 reproduced)",
        "  question: 1 (1 answered)",
        "  finding: 1 (1 inconclusive)",
        "1 judged by a function of the study, not derived here: by-function.",
        "`studylib verify` derives these, too; it needs the study and its packages.",
        "Everything agrees.",
    ]


def test_a_report_that_was_copied_elsewhere_says_what_is_not_here(report, tmp_path):
    shutil.copytree(report, tmp_path / "alone/report")
    done = run_bare(tmp_path / "alone/report", tmp_path)
    assert done.returncode == 0
    assert "7 files compared with their sha256." in done.stdout
    assert "Not here, so not compared: ../../sources/someone/claims.toml, " in done.stdout


def test_every_flipped_byte_is_noticed_and_its_file_named(study, report, shipped, capsys):
    evidence = json.loads((report / "evidence.json").read_text())
    names = ["evidence.json", *evidence["files"], *evidence["beside"]]
    assert len(names) == 11
    draw, hit = random.Random(14), set()
    for _ in range(FLIPS):
        name = draw.choice(names)
        path = (report / name).resolve()
        before = path.read_bytes()
        position = draw.randrange(len(before))
        flipped = bytearray(before)
        flipped[position] ^= draw.randrange(1, 256)
        path.write_bytes(flipped)
        assert shipped.main(report) == 1, (name, position)
        assert name in capsys.readouterr().out, (name, position)
        path.write_bytes(before)
        hit.add(name)
    assert hit == set(names)
    assert shipped.main(report) == 0


@pytest.mark.parametrize("part", ["result", "key", "task"])
def test_lines_of_tasks_that_are_not_as_they_were_written_are_noticed(report, part):
    path = report / "tasks/toy.jsonl"
    first, *others = path.read_text().splitlines(keepends=True)
    path.write_text("".join([json.dumps({**json.loads(first), part: "another"}) + "\n", *others]))
    edit(report / "stamps/toy.json", lambda s: s.update(tasks_sha256=file_hash(path)))
    renew(report, "tasks/toy.jsonl", "stamps/toy.json")
    assert verify(report).problems == ["tasks/toy.jsonl: line 1 has not the checksum of what it says"]


@pytest.mark.parametrize("name", ["results/toy.json", "stamps/toy.json", "../../sources/someone/claims.toml"])
def test_the_exit_code_tells_a_flipped_byte(report, tmp_path, name):
    content = bytearray((report / name).read_bytes())
    content[len(content) // 2] ^= 1
    (report / name).write_bytes(content)
    done = run_bare(report, tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"  {name}: " in done.stdout


def test_a_forged_measurement_is_derived_to_another_verdict(report):
    edit(report / "results/toy.json", lambda r: r["claims"]["mean-positive"].update(measured=[1.0, 1.1]))
    edit(
        report / "stamps/toy.json", lambda s: s.update(results_sha256=file_hash(report / "results/toy.json"))
    )
    renew(report, "results/toy.json", "stamps/toy.json")
    assert verify(report).problems == [
        "claim mean-positive: results/toy.json holds another measurement than the one that was judged",
        "claim mean-positive: derived again, its verdict is 'reproduced', but evidence.json says 'inconclusive'",
        "claim mean-positive: derived again, its ours is '1.05', but evidence.json says '2.361'",
        "claim mean-positive: derived again, its interval is '0.4147 … 1.685', but evidence.json says '-0.171 … 4.893'",
    ]


def test_a_forged_verdict_is_named(report):
    renew(report, exact_one={"verdict": "not reproduced"})
    assert verify(report).problems == [
        "claim exact-one: derived again, its verdict is 'reproduced', but evidence.json says 'not reproduced'"
    ]


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


def test_a_forged_rule_is_not_that_of_the_claims_beside(report):
    claim = forge_ledger(report, "exact-one", judge={"published": 2})
    file = "../../sources/someone/claims.toml"
    said = [
        "claim exact-one: its rule in ledger.json is not the one that judged it",
        f"claim exact-one: ledger.json and {file} differ in its judge",
        "claim exact-one: derived again, its verdict is 'not reproduced', but evidence.json says 'reproduced'",
    ]
    assert verify(report).problems == said
    renew(report, exact_one={"rule_sha256": verifier.rule_hash(claim), "verdict": "not reproduced"})
    assert verify(report).problems == [said[1]]


def test_forged_words_are_not_those_of_the_claims_beside(report):
    forge_ledger(report, "exact-one", statement="Two is two", added="2026-01-01")
    file = "../../sources/someone/claims.toml"
    assert verify(report).problems == [
        f"claim exact-one: ledger.json and {file} differ in its added, statement"
    ]


def test_a_hash_of_another_ledger_is_named(report):
    edit(report / "evidence.json", lambda evidence: evidence.update(ledger_sha256="0"))
    renew(report)
    said = "evidence.json: its hash of the ledger is not that of what ledger.json says"
    assert verify(report).problems == [said]


def test_what_a_table_leaves_out_is_as_the_ledger_reads_it():
    fields = {f.name: f for f in dataclasses.fields(Claim)}
    given = {
        name: f.default if f.default_factory is dataclasses.MISSING else f.default_factory()
        for name, f in fields.items()
    }
    optional = {name: value for name, value in given.items() if value is not dataclasses.MISSING}
    assert optional == verifier.CLAIM_DEFAULTS


def test_a_stamp_belongs_to_its_files_and_inputs(report):
    edit(report / "stamps/toy.json", lambda s: s["inputs"]["parameters"].update(n=5))
    renew(report, "stamps/toy.json")
    assert verify(report).problems == ["stamps/toy.json: its key is not that of its inputs"]
    path = report / "tasks/toy.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[1:]))
    renew(report, "tasks/toy.jsonl")
    assert "stamps/toy.json: it is not the stamp of tasks/toy.jsonl" in verify(report).problems


def test_a_manifest_that_was_altered_is_not_trusted(report):
    edit(report / "evidence.json", lambda evidence: evidence["claims"].pop("by-function"))
    assert verify(report).problems == ["evidence.json: its own sha256 is not that of what it says"]
    renew(report)
    found = verify(report)
    assert found.problems == []
    assert found.notes == ["results/toy.json measured claims without a verdict: by-function"]


def test_files_that_are_missing_or_not_listed_are_named(report):
    (report / "tasks/toy.jsonl").unlink()
    (report / "results/other.json").write_text("{}")
    problems = verify(report).problems
    assert "tasks/toy.jsonl: missing" in problems
    assert "results/other.json: not listed in evidence.json" in problems


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", "3", '{"claims": [{}]}', '{"claims": 3, "sha256": ""}', "[" * 9999]
)
def test_evidence_that_cannot_be_understood_is_said_in_one_sentence(report, text):
    (report / "evidence.json").write_text(text)
    found = verify(report)
    assert found.problems
    assert all(problem.startswith("evidence.json: ") for problem in found.problems)
    assert "cannot be trusted" in "\n".join(verifier.summary(found))
    (report / "evidence.json").unlink()
    assert verify(report).problems == ["evidence.json: cannot be read (No such file or directory)"]


def test_white_space_is_evidence_too(report):
    text = (report / "evidence.json").read_text()
    (report / "evidence.json").write_text(text.replace('": ', '":\t', 1))
    assert verify(report).problems == ["evidence.json: its text is not as it was written"]
    assert readable_text(json.loads(text)) == text


def test_the_command_derives_what_functions_judge_as_well(study, capsys, monkeypatch):
    with in_study(study):
        assert cli.main(["verify", "--profile", "quick"]) == 0
        said = capsys.readouterr().out
        assert "5 verdicts derived again" in said
        assert "  finding: 2 (1 reproduced, 1 inconclusive)" in said
        claims = study / "sources/someone/claims.toml"
        claims.write_text(claims.read_text().replace("published = 1 ", "published = 3 "))
        assert cli.main(["verify", "--profile", "quick"]) == 1
    said = "claim exact-one: ledger.json and ../../sources/someone/claims.toml differ in its judge"
    assert said in capsys.readouterr().out


def test_the_file_is_judge_and_verifier_word_for_word_and_imports_the_standard_library_only():
    text = standalone()
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {name.name.split(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module.split(".")[0])
    assert imported <= sys.stdlib_module_names
    defined = {}
    for module in (rules, verifier):
        source = Path(module.__file__).read_text(encoding="utf-8")
        body = [n for n in ast.parse(source).body if not isinstance(n, (ast.Import, ast.ImportFrom))]
        assert all(ast.get_source_segment(source, n) in text for n in body)
        targets = [t for n in body if isinstance(n, ast.Assign) for t in n.targets]
        defined[module] = {n.name for n in body if hasattr(n, "name")} | {t.id for t in targets}
    assert not defined[rules] & defined[verifier]
