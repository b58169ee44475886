"""verify.py: one file that needs nothing, misses nothing, and derives the verdicts again."""

import ast
import dataclasses
import json
import random
import shutil
import sys
import types
from pathlib import Path

import pytest

from studylib.core.files import file_hash
from studylib.study import cli, findings, fingerprints, intervals, kinds, rules, shapes
from studylib.study.evidence import untrusted, verifier
from studylib.study.evidence.manifest import standalone
from studylib.study.evidence.verifier import verify
from studylib.study.ledger.claims import Claim
from tests.study.forged_reports import edit, forge_ledger, renew, run_bare
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
    """The module in the report's own verify.py; an import would leave a ``__pycache__`` beside it."""
    module = types.ModuleType("shipped_verify")
    sys.modules[module.__name__] = module  # dataclasses look it up
    exec((judged / "reports/quick/verify.py").read_text(encoding="utf-8"), module.__dict__)
    return module


def test_a_bare_interpreter_checks_the_report_and_says_what_is_not_here(report, tmp_path):
    done = run_bare(report, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "17 files compared with their sha256.",
        "4 verdicts derived again from what was measured:",
        "  identity: 1 (1 checked)",
        "  arithmetic: 1 (1 reproduced)",
        "  question: 1 (1 answered)",
        "  finding: 1 (1 inconclusive)",
        "1 judged by a function of the study, not derived here: by-function.",
        "`studylib verify` derives these, too; it needs the study and its packages.",
        "Everything agrees; 4 of 5 verdicts were derived.",
    ]
    shutil.copytree(report, tmp_path / "alone/report")
    done = run_bare(tmp_path / "alone/report", tmp_path)
    assert done.returncode == 0
    assert "14 files compared with their sha256." in done.stdout
    assert "Not here, so not compared: ../../sources/someone/claims.toml, " in done.stdout


def test_every_flipped_byte_is_noticed_and_its_file_named(study, report, shipped, capsys):
    evidence = json.loads((report / "evidence.json").read_text())
    names = ["evidence.json", *evidence["files"], *evidence["pages"], *evidence["beside"]]
    assert len(names) == 18
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


def test_a_forged_measurement_is_derived_to_another_verdict(report):
    edit(report / "results/toy.json", lambda r: r["claims"]["mean-positive"].update(measured=[1.0, 1.1]))
    edit(
        report / "stamps/toy.json", lambda s: s.update(results_sha256=file_hash(report / "results/toy.json"))
    )
    renew(report, "results/toy.json", "stamps/toy.json")
    *problems, parts = verify(report).problems
    assert problems == [
        "claim mean-positive: results/toy.json holds another measurement than the one that was judged",
        "claim mean-positive: derived again, its verdict is 'reproduced', but evidence.json says 'inconclusive'",
    ]
    assert parts.startswith(
        "claim mean-positive: derived again, its parts is [{'outcome': True, 'value': 1.05,"
    )


@pytest.mark.parametrize("key", ["value", "low", "high", "outcome", "bounds"])
def test_a_forged_number_is_named(report, key):
    entry = json.loads((report / "evidence.json").read_text())["claims"]["mean-positive"]
    (part,) = entry["parts"]
    forged = [1.0] if key == "bounds" else True if key == "outcome" else part[key] + 1e-9
    renew(report, mean_positive={"parts": [part | {key: forged}]})
    (problem,) = verify(report).problems
    assert problem.startswith("claim mean-positive: derived again, its parts is")


def shown(claim, verdict, true):
    """What is said of the pages of a report in whose manifest a verdict was changed to ``true``."""
    problem = f"shows {verdict!r} for the claim {claim}, not {true!r}"
    return [f"claims.html: {problem}", f"toy.html: {problem}"]


def test_a_forged_verdict_is_named(report):
    renew(report, exact_one={"verdict": "not reproduced"})
    assert verify(report).problems == [
        "claim exact-one: derived again, its verdict is 'reproduced', but evidence.json says 'not reproduced'",
        *shown("exact-one", "reproduced", "not reproduced"),
    ]


def test_a_forged_rule_is_not_that_of_the_claims_beside(report):
    claim = forge_ledger(report, "exact-one", judge={"published": 2})
    file = "../../sources/someone/claims.toml"
    expected = [
        "claim exact-one: its rule in ledger.json is not the one that judged it",
        f"claim exact-one: ledger.json and {file} differ in its judge",
        "claim exact-one: derived again, its verdict is 'not reproduced', but evidence.json says 'reproduced'",
    ]
    *problems, parts = verify(report).problems
    assert problems == expected
    assert parts.startswith("claim exact-one: derived again, its parts is [{'outcome': False")
    part = {"outcome": False, "value": 1}
    renew(
        report,
        exact_one={"rule_sha256": verifier.rule_hash(claim), "verdict": "not reproduced", "parts": [part]},
    )
    assert verify(report).problems == [expected[1], *shown("exact-one", "reproduced", "not reproduced")]


def test_forged_words_are_not_those_of_the_claims_beside(report):
    forge_ledger(report, "exact-one", statement="Two is two", added="2026-01-01")
    problem = (
        "claim exact-one: ledger.json and ../../sources/someone/claims.toml differ in its added, statement"
    )
    assert verify(report).problems == [problem]


def test_a_manifest_that_was_altered_or_lost_is_not_trusted(report):
    path = report / "evidence.json"
    text = path.read_text()
    path.write_text(text.replace('": ', '":\t', 1))
    assert verify(report).problems == ["evidence.json: its text is not as it was written"]
    path.write_text(text)
    edit(path, lambda evidence: evidence["claims"].pop("by-function"))
    assert verify(report).problems == ["evidence.json: its own sha256 is not that of what it says"]
    renew(report)
    assert verify(report).problems == [
        "claim by-function: measured in results/toy.json, but evidence.json has no verdict on it",
        *shown("by-function", "reproduced", "planned or not testable"),
    ]
    edit(path, lambda evidence: evidence.update(ledger_sha256="0"))
    renew(report)
    assert verify(report).problems[0] == (
        "evidence.json: its hash of the ledger is not that of what ledger.json says"
    )
    path.unlink()
    checked = verify(report)
    assert checked.problems == ["evidence.json: cannot be read (No such file or directory)"]
    assert "cannot be trusted" in "\n".join(verifier.summary(checked))


def test_files_more_or_less_are_named(report):
    for name in ("results/other.json", "more.html"):
        (report / name).write_text("{}")
    (report / "verdicts.svg").unlink()
    assert verify(report).problems == [
        "verdicts.svg: missing",
        "more.html: not listed in evidence.json",
        "results/other.json: not listed in evidence.json",
    ]
    (report / "tasks/toy.jsonl").unlink()
    assert "tasks/toy.jsonl: missing" in verify(report).problems


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


@pytest.mark.parametrize(
    ("page", "old", "new", "message"),
    [
        ("toy.html", "<span>checked<", "<span>reproduced<", "shows 'reproduced' for the claim always, not 'checked'"),
        ("claims.html", "<span>inconclusive<", "<span>reproduced<", "for the claim mean-positive, not 'inconclusive'"),
        ("amendments.html", "<span>reproduced<", "<span>partly<", "shows 'partly' for the claim mean-positive"),
        ("claims.html", 'data-of="always"', 'data-of="exact-one"', "shows no verdict on the claim always"),
        ("claims.html", 'data-of="always"', "", "shows 'checked' for the claim "),
        ("claims.html", "<span>planned<", "<span>reproduced<", "for the claim planned-one, not 'planned or not testable'"),
    ],
)  # fmt: skip
def test_a_page_shows_the_verdicts_of_the_evidence(report, page, old, new, message):
    path = report / page
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert f"{page}: its bytes are not those listed in evidence.json" in verify(report).problems
    renew(report, page)
    problems = verify(report).problems
    assert all(problem.startswith(f"{page}: shows") for problem in problems)
    assert any(message in problem for problem in problems)


def test_the_hash_that_is_cited_is_not_of_pages(report):
    before = json.loads((report / "evidence.json").read_text())
    (report / "toy.html").write_text(
        (report / "toy.html").read_text().replace("Does it run", "Does it really run")
    )
    renew(report, "toy.html")
    after = json.loads((report / "evidence.json").read_text())
    assert before["sha256"] == after["sha256"]
    assert before["pages_sha256"] != after["pages_sha256"]
    assert verify(report).problems == []


def test_the_command_derives_what_functions_judge_as_well(study, capsys, monkeypatch):
    with in_study(study):
        assert cli.main(["verify", "--profile", "quick"]) == 0
        problem = capsys.readouterr().out
        assert "5 verdicts derived again" in problem
        assert "  finding: 2 (1 reproduced, 1 inconclusive)" in problem
        claims = study / "sources/someone/claims.toml"
        claims.write_text(claims.read_text().replace("published = 1 ", "published = 3 "))
        assert cli.main(["verify", "--profile", "quick"]) == 1
    problem = "claim exact-one: ledger.json and ../../sources/someone/claims.toml differ in its judge"
    assert problem in capsys.readouterr().out


def test_a_function_that_only_the_report_names_is_not_imported(study, report, capsys):
    (study / "reports/evil.py").write_text("CASES = {'go': []}\nraise SystemExit('imported')")
    claim = forge_ledger(report, "by-function", judge={"function": "reports.evil:go", "numbers": {}})
    renew(report, by_function={"rule_sha256": verifier.rule_hash(claim)})
    with in_study(study):
        assert cli.main(["verify", "--profile", "quick"]) == 1
    assert "claim by-function: cannot be checked (ValueError: the study's ledger" in capsys.readouterr().out


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
    for module in (fingerprints, shapes, findings, intervals, kinds, rules, untrusted, verifier):
        source = Path(module.__file__).read_text(encoding="utf-8")
        body = [n for n in ast.parse(source).body if not isinstance(n, (ast.Import, ast.ImportFrom))]
        assert all(ast.get_source_segment(source, n) in text for n in body)
        targets = [t for n in body if isinstance(n, ast.Assign) for t in n.targets]
        defined[module] = {n.name for n in body if hasattr(n, "name")} | {t.id for t in targets}
    assert len(set().union(*defined.values())) == sum(map(len, defined.values()))


def test_numbers_of_another_machine_are_alike_and_forged_ones_are_not():
    part = {"outcome": True, "value": 2.0, "low": 1e-9, "high": 4.0, "bounds": [0.0]}
    for change, expected in ((1e-12, True), (1e-9, False)):
        assert verifier._alike([part], [part | {"low": 1e-9 + change}]) == expected
    for other in (part | {"outcome": 1}, part | {"bounds": [1e-12]}, {"value": 2.0}, part | {"value": 2}):
        assert not verifier._alike(part, other)
