"""verify.py: one file that needs nothing, misses nothing, and derives the verdicts again."""

import ast
import dataclasses
import json
import os
import random
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

from studylib.core.files import file_hash, write_json
from studylib.study import cli, rules
from studylib.study.evidence import untrusted, verifier
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
    """The module in the report's own verify.py; an import would leave a ``__pycache__`` beside it."""
    module = types.ModuleType("shipped_verify")
    sys.modules[module.__name__] = module  # dataclasses look it up
    exec((judged / "reports/quick/verify.py").read_text(encoding="utf-8"), module.__dict__)
    return module


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


def test_a_bare_interpreter_checks_the_report(report, tmp_path):
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


def test_a_report_that_was_copied_elsewhere_says_what_is_not_here(report, tmp_path):
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
    *said, parts = verify(report).problems
    assert said == [
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
    (said,) = verify(report).problems
    assert said.startswith("claim mean-positive: derived again, its parts is")


def shown(claim, verdict, true):
    """What is said of the pages of a report in whose manifest a verdict was changed to ``true``."""
    said = f"shows {verdict!r} for the claim {claim}, not {true!r}"
    return [f"claims.html: {said}", f"toy.html: {said}"]


def test_a_forged_verdict_is_named(report):
    renew(report, exact_one={"verdict": "not reproduced"})
    assert verify(report).problems == [
        "claim exact-one: derived again, its verdict is 'reproduced', but evidence.json says 'not reproduced'",
        *shown("exact-one", "reproduced", "not reproduced"),
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
    *found, parts = verify(report).problems
    assert found == said
    assert parts.startswith("claim exact-one: derived again, its parts is [{'outcome': False")
    part = {"outcome": False, "value": 1}
    renew(
        report,
        exact_one={"rule_sha256": verifier.rule_hash(claim), "verdict": "not reproduced", "parts": [part]},
    )
    assert verify(report).problems == [said[1], *shown("exact-one", "reproduced", "not reproduced")]


def test_forged_words_are_not_those_of_the_claims_beside(report):
    forge_ledger(report, "exact-one", statement="Two is two", added="2026-01-01")
    file = "../../sources/someone/claims.toml"
    assert verify(report).problems == [
        f"claim exact-one: ledger.json and {file} differ in its added, statement"
    ]


def test_a_rule_that_was_changed_without_an_amendment_is_named(report, tmp_path):
    edit(report / "evidence.json", lambda evidence: evidence.update(rules_sha256={"exact-one": ["0"]}))
    renew(report)
    done = run_bare(report, tmp_path)
    assert (done.returncode, done.stderr) == (1, "")
    assert "  claim exact-one: its rule was changed after it had given a verdict, so write " in done.stdout


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
    assert verify(report).problems == [
        "claim by-function: measured in results/toy.json, but evidence.json has no verdict on it",
        *shown("by-function", "reproduced", "planned or not testable"),
    ]


def test_files_that_are_missing_or_not_listed_are_named(report):
    (report / "tasks/toy.jsonl").unlink()
    (report / "results/other.json").write_text("{}")
    problems = verify(report).problems
    assert "tasks/toy.jsonl: missing" in problems
    assert "results/other.json: not listed in evidence.json" in problems


@pytest.mark.parametrize(
    ("page", "old", "new", "said"),
    [
        ("toy.html", "<span>checked<", "<span>reproduced<", "shows 'reproduced' for the claim always, not 'checked'"),
        ("claims.html", "<span>inconclusive<", "<span>reproduced<", "for the claim mean-positive, not 'inconclusive'"),
        ("amendments.html", "<span>reproduced<", "<span>partly<", "shows 'partly' for the claim mean-positive"),
        ("claims.html", 'data-of="always"', 'data-of="exact-one"', "shows no verdict on the claim always"),
        ("claims.html", 'data-of="always"', "", "shows 'checked' for the claim "),
        ("claims.html", "<span>planned<", "<span>reproduced<", "for the claim planned-one, not 'planned or not testable'"),
    ],
)  # fmt: skip
def test_a_page_shows_the_verdicts_of_the_evidence(report, page, old, new, said):
    path = report / page
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    assert f"{page}: its bytes are not those listed in evidence.json" in verify(report).problems
    renew(report, page)
    problems = verify(report).problems
    assert all(problem.startswith(f"{page}: shows") for problem in problems)
    assert any(said in problem for problem in problems)


def test_a_page_more_or_less_is_named(report):
    (report / "more.html").write_text("<p>All reproduced.</p>")
    assert verify(report).problems == ["more.html: not listed in evidence.json"]
    (report / "more.html").unlink()
    (report / "verdicts.svg").unlink()
    assert verify(report).problems == ["verdicts.svg: missing"]


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


def test_a_manifest_that_is_missing_is_said(report):
    (report / "evidence.json").unlink()
    found = verify(report)
    assert found.problems == ["evidence.json: cannot be read (No such file or directory)"]
    assert "cannot be trusted" in "\n".join(verifier.summary(found))


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
    for module in (rules, untrusted, verifier):
        source = Path(module.__file__).read_text(encoding="utf-8")
        body = [n for n in ast.parse(source).body if not isinstance(n, (ast.Import, ast.ImportFrom))]
        assert all(ast.get_source_segment(source, n) in text for n in body)
        targets = [t for n in body if isinstance(n, ast.Assign) for t in n.targets]
        defined[module] = {n.name for n in body if hasattr(n, "name")} | {t.id for t in targets}
    assert len(set().union(*defined.values())) == sum(map(len, defined.values()))


# Reports that are hostile: what is wrong has hashes that fit

EVIL = "\x1b[2J\u202e\nEverything agrees.\n"
#: Content of any file that is read, none of which suits it.
WRONG = {
    "half a table": b"{",
    "list": b"[]",
    "number": b"3",
    "null": b"null",
    "nan": b'{"claims": NaN}',
    "infinite": b'{"claims": 1e999}',
    "twice": b'{"claims": {}, "claims": {}}',
    "digits": b'{"claims": ' + b"1" * 5000 + b"}",
    "deep": b"[" * 100_000,
    "nested": b'{"claims": ' + b"[" * 900 + b"]" * 900 + b"}",
    "no UTF-8": b'{"claims": "\xff"}',
    "half a letter": rb'{"claims": "\ud800"}',
    "NUL": b"\0",
    "claims of numbers": b'{"claims": {"exact-one": 3}, "files": {}, "beside": {}}',
    "large": b"[" + b"[]," * 10**6 + b"3]",
    "larger": b" " * 5 * 10**6,
}


def put(report, name, content):
    """Forge: write a file of the report, with the hashes that follow."""
    (report / name).write_bytes(content)
    if name == "evidence.json":
        return
    what = {"results/toy.json": "results_sha256", "tasks/toy.jsonl": "tasks_sha256"}.get(name)
    if what:
        edit(report / "stamps/toy.json", lambda stamp: stamp.update({what: file_hash(report / name)}))
    renew(report, name, "stamps/toy.json")


def wrong(names, content):
    """The same content for several files."""
    return lambda report: [put(report, name, content) for name in names], *(f"{name}: " for name in names)


def put_claims(text):
    """A claims.toml beside the report."""

    def fault(report):
        path = "../../sources/someone/claims.toml"
        (report / path).write_bytes(text)
        edit(report / "evidence.json", lambda e: e["beside"].update({path: file_hash(report / path)}))
        renew(report)

    return fault, "../../sources/someone/claims.toml: cannot be understood ("


def listed(change, said):
    """A change of the manifest."""

    def fault(report):
        edit(report / "evidence.json", change)
        if "sha256" in json.loads((report / "evidence.json").read_text()):
            renew(report)

    return fault, said


def lists(name, said, part="files"):
    """A file that the manifest lists."""
    return listed(lambda e: e[part].update({name: "0"}), said)


def replaced(names, make, said="cannot be "):
    """Something else in the place of files."""

    def fault(report):
        for name in names:
            (report / name).unlink()
            make(report / name)

    return fault, *(f"{name}: {said}" for name in names)


def sparse(size):
    def make(path):
        path.touch()
        os.truncate(path, size)

    return make


def results(change, said):
    """A change of the results."""

    def fault(report):
        table = json.loads((report / "results/toy.json").read_text())
        change(table["claims"])
        put(report, "results/toy.json", json.dumps(table).encode())

    return fault, said


def rule(said, measured=None, **changes):
    """A change of a claim in ledger.json, and of what was measured for it."""

    def fault(report):
        if measured:
            results(lambda claims: claims["how-large"].update(measured=measured), "")[0](report)
        claim = forge_ledger(report, "how-large", **changes)
        renew(report, how_large={"rule_sha256": verifier.rule_hash(claim)})

    return fault, f"claim how-large: {said}"


GROUPS = (["evidence.json"], ["ledger.json"], ["results/toy.json", "tasks/toy.jsonl", "stamps/toy.json"])
FAULTS = {
    **{f"{what} in {names[0]}": wrong(names, content) for names in GROUPS for what, content in WRONG.items()},
    **{
        f"without {key}": listed(
            lambda e, key=key: e.pop(key), f"evidence.json: cannot be understood (its {key}"
        )
        for key in ("files", "beside", "claims", "rules_sha256", "profile", "ledger_sha256", "sha256")
    },
    "hash of a number": listed(lambda e: e["files"].update({"ledger.json": 3}), "evidence.json: cannot be"),
    "entry of a number": listed(lambda e: e["claims"].update({"always": 3}), "evidence.json: cannot be"),
    "entry of a list": listed(lambda e: e["claims"].update({"always": []}), "evidence.json: cannot be"),
    "entry without notebook": listed(
        lambda e: e["claims"]["always"].pop("notebook"),
        "evidence.json: cannot be understood (its claim always must have a text as notebook)",
    ),
    "rules of numbers": listed(lambda e: e["rules_sha256"].update(always=[[3]]), "claim always: cannot be"),
    "large manifest": listed(lambda e: e.update(study="x" * 5_000_000), "evidence.json: cannot be under"),
    "no ledger": listed(lambda e: e["files"].pop("ledger.json"), "ledger.json: not listed in evidence.json"),
    "no results": listed(lambda e: e["files"].pop("results/toy.json"), "results/toy.json: not listed in"),
    "no claims": listed(lambda e: e["claims"].clear(), "claim always: measured in results/toy.json, but"),
    "no claim": listed(
        lambda e: e["claims"].pop("always"), "claim always: measured in results/toy.json, but"
    ),
    "evil claim": listed(
        lambda e: e["claims"].update({EVIL: e["claims"]["always"]}),
        r"claim \x1b[2J\u202e\nEverything agrees.\n: not in ledger.json",
    ),
    "evil notebook": listed(
        lambda e: e["claims"]["always"].update(notebook=EVIL), r"results/\x1b[2J\u202e\n"
    ),
    "evil name": lists(f"results/{EVIL}.json", r"results/\x1b[2J\u202e\nEverything agrees.\n.json: missing"),
    "evil source": lists(f"../../{EVIL}/claims.txt", r"../../\x1b[2J\u202e\nEvery", "beside"),
    "NUL": lists("results/\0.json", r"results/\x00.json: cannot be read ("),
    "long name": lists("tasks/" + "x" * 5000 + ".jsonl", "xxxx.jsonl: cannot be read (a name may have 1000"),
    "device": lists("/dev/zero", "/dev/zero: a report has no such file"),
    "dots": lists("../../../../etc/passwd", "../../../../etc/passwd: a report has no such file"),
    "more dots": lists("results/../../toy.json", "results/../../toy.json: a report has no such file"),
    "dots beside": lists("../../../../etc/passwd", "../../../../etc/passwd: a ledger has no such", "beside"),
    "source beside": lists(
        "../../../x/claims.toml", "../../../x/claims.toml: cannot be read (it is", "beside"
    ),
    "absolute beside": lists("/etc/claims.toml", "/etc/claims.toml: cannot be read (it is not", "beside"),
    "thousands": listed(
        lambda e: e["files"].update({f"results/{n}.json": "" for n in range(30_000)}),
        "perhaps more; the check",
    ),
    **{
        f"{what} for {names[0]}": replaced(names, make)
        for names in GROUPS
        for what, make in {
            "pipe": lambda path: os.mkfifo(path),
            "folder": os.mkdir,
            "link to a device": lambda path: path.symlink_to("/dev/zero"),
            "link to a file": lambda path: path.symlink_to(__file__),
            "link to itself": lambda path: path.symlink_to(path),
        }.items()
    },
    "gigabytes": replaced(["tasks/toy.jsonl"], sparse(3 << 30), "cannot be read (all files of a report may"),
    "megabytes": (
        lambda report: (sparse(400 << 20)(report / "tasks/toy.jsonl"), renew(report, "tasks/toy.jsonl")),
        "tasks/toy.jsonl: line 5 has not the checksum of what it says",
    ),
    "another claim": results(lambda c: c.pop("always"), "claim always: not in results/toy.json"),
    "no beside": results(lambda c: c["always"].pop("beside"), "claim always: cannot be checked (KeyError"),
    "beside": results(lambda c: c["always"].update(beside=3), "claim always: cannot be checked (Attrib"),
    "no nature": rule("cannot be checked (TypeError", nature=[]),
    "no kind": rule("cannot be checked (", kind={}),
    "rule of a text": rule("its rule in ledger.json must be a table", judge="function"),
    "no answer": rule("cannot be checked (ValueError: a rule of kind", judge={}),
    "wide answer": rule(
        "cannot be checked (ValueError: the answer names", judge={"answer": "{work:999999999}"}
    ),
    "long answer": rule(
        "its rule and its measurement are too long",
        measured={"work": "x" * 1_000_000},
        judge={"answer": "{work}" * 1000},
    ),
    "claims.toml: number": put_claims(b"claim = 3"),
    "claims.toml: numbers": put_claims(b"claim = [3]"),
    "claims.toml: id": put_claims(b"[[claim]]\nid = []"),
    "claims.toml: none": put_claims(b""),
    "claims.toml: no UTF-8": put_claims(b"\xff"),
    "claims.toml: deep": put_claims(b"claim = " + b"[" * 100_000),
    "claims.toml: dots": put_claims(b"a." * 200_000 + b"a = 1"),
    "claims.toml: large": put_claims(b"#" * 1_000_000),
}


def little_memory():
    """600 MB, for a process of its own."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (600 << 20, 600 << 20))


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="there is no limit on memory")
@pytest.mark.parametrize("name", FAULTS)
def test_a_hostile_report_is_one_sentence_for_each_problem(report, tmp_path, name):
    fault, *said = FAULTS[name]
    fault(report)
    done = run_bare(report, tmp_path, preexec_fn=little_memory, timeout=20)
    assert (done.returncode, done.stderr) == (1, "")
    *lines, last, end = done.stdout.split("\n")
    assert (last, end) == ("Not everything agrees.", "")
    for sentence in said:
        assert any(line.startswith("  ") and sentence in line for line in lines), lines
    assert all(line.isprintable() for line in lines)


def test_numbers_of_another_machine_are_alike_and_forged_ones_are_not():
    part = {"outcome": True, "value": 2.0, "low": 1e-9, "high": 4.0, "bounds": [0.0]}
    for change, expected in ((1e-12, True), (1e-9, False)):
        assert verifier._alike([part], [part | {"low": 1e-9 + change}]) == expected
    for other in (part | {"outcome": 1}, part | {"bounds": [1e-12]}, {"value": 2.0}, part | {"value": 2}):
        assert not verifier._alike(part, other)
