"""A hostile report, whose hashes fit: verify.py says one sentence for each problem, soon and in little memory."""

import json
import os
import shutil

import pytest

from studylib.core.files import file_hash
from studylib.study.evidence import verifier
from tests.study.forged_reports import edit, forge_ledger, renew, run_bare

pytestmark = pytest.mark.slow


@pytest.fixture
def report(judged, tmp_path):
    return shutil.copytree(judged, tmp_path / "study") / "reports/quick"


EVIL = "\x1b[2J\u202e\nEverything agrees.\n"
#: Content of any file that is read, none of which suits it.
WRONG = {
    "half a table": b"{",
    "list": b"[]",
    "nan": b'{"claims": NaN}',
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


def listed(change, message):
    """A change of the manifest."""

    def fault(report):
        edit(report / "evidence.json", change)
        if "sha256" in json.loads((report / "evidence.json").read_text()):
            renew(report)

    return fault, message


def lists(name, message, part="files"):
    """A file that the manifest lists."""
    return listed(lambda e: e[part].update({name: "0"}), message)


def replaced(names, make, message="cannot be "):
    """Something else in the place of files."""

    def fault(report):
        for name in names:
            (report / name).unlink()
            make(report / name)

    return fault, *(f"{name}: {message}" for name in names)


def sparse(size):
    def make(path):
        path.touch()
        os.truncate(path, size)

    return make


def results(change, message):
    """A change of the results."""

    def fault(report):
        table = json.loads((report / "results/toy.json").read_text())
        change(table["claims"])
        put(report, "results/toy.json", json.dumps(table).encode())

    return fault, message


def rule(message, measured=None, **changes):
    """A change of a claim in ledger.json, and of what was measured for it."""

    def fault(report):
        if measured:
            results(lambda claims: claims["how-large"].update(measured=measured), "")[0](report)
        claim = forge_ledger(report, "how-large", **changes)
        renew(report, how_large={"rule_sha256": verifier.rule_hash(claim)})

    return fault, f"claim how-large: {message}"


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
    "entry without notebook": listed(
        lambda e: e["claims"]["always"].pop("notebook"),
        "evidence.json: cannot be understood (its claim always must have a text as notebook)",
    ),
    "rules of numbers": listed(lambda e: e["rules_sha256"].update(always=[[3]]), "claim always: cannot be"),
    "large manifest": listed(lambda e: e.update(study="x" * 5_000_000), "evidence.json: cannot be under"),
    "no ledger": listed(lambda e: e["files"].pop("ledger.json"), "ledger.json: not listed in evidence.json"),
    "no results": listed(lambda e: e["files"].pop("results/toy.json"), "results/toy.json: not listed in"),
    "no claims": listed(lambda e: e["claims"].clear(), "claim always: measured in results/toy.json, but"),
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
            "link": lambda path: path.symlink_to(__file__),
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


@pytest.mark.skipif(os.name != "posix", reason="there is no limit on memory")
@pytest.mark.parametrize("name", FAULTS)
def test_a_hostile_report_is_one_sentence_for_each_problem(report, tmp_path, name):
    fault, *sentences = FAULTS[name]
    fault(report)
    done = run_bare(report, tmp_path, preexec_fn=little_memory, timeout=20)
    assert (done.returncode, done.stderr) == (1, "")
    *lines, last, end = done.stdout.split("\n")
    assert (last, end) == ("Not everything agrees.", "")
    for sentence in sentences:
        assert any(line.startswith("  ") and sentence in line for line in lines), lines
    assert all(line.isprintable() for line in lines)
