"""The evidence of a report: rules bound to commits, measurements to tasks, and a research object around it."""

import json
import shutil
import subprocess

import nbformat
import pytest
import yaml
from rocrate.rocrate import ROCrate

from studylib.core.files import file_hash
from studylib.study import history, report, verifier
from studylib.study.citation import read_citation
from studylib.study.flow import tasks_of_claims
from studylib.study.history import History
from studylib.study.study import read_study
from studylib.study.verifier import prose_hash
from tests.study.judged_study import commit_all, in_study, reproduce, write_judged_study


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evidence") / "study"
    write_judged_study(folder)
    commit_all(folder, "Claims")
    reproduce(folder)
    return folder


@pytest.fixture
def quick(study):
    return study / "reports/quick"


def entries(folder):
    evidence = json.loads((folder / "evidence.json").read_text())
    return {entry["claim"]: entry for entry in evidence["claims"]}


def test_an_entry_binds_a_verdict_to_its_rule_measurement_notebook_and_tasks(study, quick):
    entry, claim = entries(quick)["mean-positive"], read_study(study).ledger.claims["mean-positive"]
    head = subprocess.run(
        ["git", "-C", study, "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    first = {"commit": head.stdout.strip(), "date": "2026-01-02", "file": "sources/someone/claims.toml"}
    assert entry["rule"] == {"sha256": claim.rule_hash, "first": first}
    assert entry["prose"]["first"] == first
    assert entry["amended"]["first_verdict"] == "reproduced"
    assert entry["amended"]["first_prose"]["first"]["commit"] == history.NOT_COMMITTED
    assert (entry["verdict"], entry["nature"], entry["source"]) == ("inconclusive", "finding", "Someone")
    assert entry["can_give"] == ["reproduced", "not reproduced"]
    assert entry["notebook"]["sha256"] == file_hash(quick / "notebooks/toy.ipynb")
    given = json.loads((quick / "results/toy.json").read_text())["claims"]["mean-positive"]
    assert entry["measurement"]["sha256"] == verifier.data_hash(given)
    (task,) = entry["tasks"]
    assert (task["file"], task["path"], task["n_results"]) == ("tasks/toy.json", ["code_of.tasks.work"], 4)
    assert entries(quick)["exact-one"]["tasks"] == []
    assert entries(quick)["by-function"]["judged_by"] == "sources.someone.judging:is_large"
    assert entries(quick)["how-large"]["can_give"] == ["answered"]
    assert "planned-one" not in entries(quick)


def test_the_ledger_is_all_there_as_data(study, quick):
    said = json.loads((quick / "ledger.json").read_text())
    ledger = read_study(study).ledger
    assert said["sha256"] == ledger.hash
    assert list(said["claims"]) == sorted(ledger.claims)
    assert said["claims"]["mean-positive"]["judge"] == {"above": 0}
    assert said["deviations"][0]["claims"] == ["mean-positive"]
    assert said["sources"]["someone"]["author"] == "Some One"


def test_rendering_twice_gives_equal_bytes(study, quick):
    def files():
        return {p: p.read_bytes() for p in quick.rglob("*") if p.is_file() and p.name != "index.html"}

    before = files()
    assert {"evidence.json", "verify.py", "ro-crate-metadata.json"} <= {p.name for p in before}
    with in_study(study) as layout:
        report.write_report(layout, read_study(study), "quick", {})
    assert files() == before


def test_the_profile_smoke_shows_values_and_is_no_research_object(study):
    folder = reproduce(study, "smoke")
    assert {entry["verdict"] for entry in entries(folder).values()} == {"shown"}
    assert verifier.verify(folder).problems == []
    assert not (folder / "ro-crate-metadata.json").exists()
    assert not (folder / "codecheck.yml").exists()


# History


def rewrite(path, *pairs):
    text = path.read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)


@pytest.fixture
def checkout(tmp_path):
    """Four commits: prose only, moved, rules as data, a rule amended."""
    folder = tmp_path / "checkout"
    write_judged_study(folder)
    claims = folder / "sources/someone/claims.toml"
    whole = claims.read_text()
    prose = "\n".join(
        line
        for line in whole.splitlines()
        if not line.startswith(("nature", "judge", "[claim.", "date", "reason", "first", "note"))
    )
    (folder / "old").mkdir()
    (folder / "old/claims_of_someone.toml").write_text(prose.replace("the mean is above 0", "positive"))
    claims.unlink()
    commits = [commit_all(folder, "Rules in words")]
    (folder / "old/claims_of_someone.toml").rename(claims)
    commits.append(commit_all(folder, "Moved"))
    claims.write_text(whole.replace('rule = "the mean is above 0"', 'rule = "positive"'))
    commits.append(commit_all(folder, "Rules as data"))
    claims.write_text(whole)
    commits.append(commit_all(folder, "Amended"))
    return folder, commits


def first(folder, claim_id, *, prose=None):
    claim = read_study(folder).ledger.claims[claim_id]
    said = {"statement": claim.statement, "kind": claim.kind, "rule": prose}
    hash_ = claim.rule_hash if prose is None else prose_hash(said)
    return History(folder).first(claim_id, hash_)


def test_a_rule_is_followed_to_the_commit_in_which_it_first_stood(checkout):
    folder, (words, _, data, amended) = checkout
    old, new = "old/claims_of_someone.toml", "sources/someone/claims.toml"
    assert first(folder, "exact-one", prose="equal") == {"commit": words, "date": "2026-01-02", "file": old}
    assert first(folder, "exact-one") == {"commit": data, "date": "2026-01-02", "file": new}
    assert first(folder, "mean-positive")["commit"] == amended
    assert first(folder, "mean-positive", prose="positive")["commit"] == words
    assert first(folder, "mean-positive", prose="the mean is above 0")["commit"] == amended
    rewrite(folder / new, ("published = 1 ", "published = 1.5 "))
    assert first(folder, "exact-one") == {"commit": history.NOT_COMMITTED, "date": "", "file": ""}


def test_a_file_that_was_no_toml_once_and_a_merge_are_passed(checkout):
    folder, (words, *_) = checkout
    subprocess.run(["git", "-C", folder, "checkout", "-q", "-b", "side", words], check=True)
    (folder / "broken.toml").write_text("[[claim]\n")
    (folder / "list.toml").write_text("claim = 3\n")
    side = commit_all(folder, "Broken")
    who = ["-c", "user.name=S", "-c", "user.email=s@example.org"]
    subprocess.run(["git", "-C", folder, "checkout", "-q", "-"], check=True)
    subprocess.run(["git", "-C", folder, *who, "merge", "-q", "--no-ff", "--no-edit", side], check=True)
    assert first(folder, "exact-one", prose="equal")["commit"] == words


def test_a_shallow_clone_or_a_copy_makes_no_statement(checkout, tmp_path):
    folder, _ = checkout
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", folder.as_uri(), clone], check=True)
    assert first(clone, "exact-one")["commit"] == history.SHALLOW
    shutil.copytree(folder, tmp_path / "copy", ignore=shutil.ignore_patterns(".git"))
    assert first(tmp_path / "copy", "exact-one")["commit"] == history.NO_CHECKOUT


# Which tasks a claim used


def flow(
    tmp_path, *cells, claims=("a", "b", "c-1", "c-2"), tasks=("pkg.exp.one", "pkg.exp.two", "__main__.own")
):
    path = tmp_path / "some.ipynb"
    code = [nbformat.v4.new_code_cell(cell) for cell in ("from pkg import exp, tables", *cells)]
    nbformat.write(nbformat.v4.new_notebook(cells=code), path)
    return {claim: found for claim, found in tasks_of_claims(path, claims, tasks).items() if found}


ONE, TWO = "pkg.exp.one", "pkg.exp.two"


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["x = run.map(exp.one, keys)", "run.judge('a', x)"], {"a": [ONE]}),
        (["x = run.map(exp.one, keys)", "y = tables.mean(x)\nz = y['p']", "run.judge('a', {'in n': z})"], {"a": [ONE]}),
        (["x = run.map(exp.one, keys)", "x = run.map(exp.two, keys)", "run.judge('a', x)"], {"a": [TWO]}),
        (["x, y = run.map(exp.one, keys), run.map(exp.two, keys)", "run.judge('a', x)\nrun.judge('b', y)"], {"a": [ONE], "b": [TWO]}),
        (["measure = partial(repeat, run.map)", "run.judge('a', measure(exp.two, n))"], {"a": [TWO]}),
        (["found = []\nfor k in (1, 2):\n    found.append(run.map(exp.one, [k]))", "run.judge('a', found)"], {"a": [ONE]}),
        (["found = {}\nfound['x'] = run.map(exp.one, [1])", "found['y'] = run.map(exp.two, [1])", "run.judge('a', found)"], {"a": [ONE, TWO]}),
        (["x = run.map(exp.one, keys)", "for c, y in {'a': x, 'b': x}.items():\n    run.judge(c, y)"], {"a": [ONE], "b": [ONE]}),
        (["x = run.map(exp.one, keys)", "for k in (1, 2):\n    run.judge(f'c-{k}', x)"], {"c-1": [ONE], "c-2": [ONE]}),
        (["x = run.map(exp.one, keys)", "y = 1", "run.judge('a', y, beside={'x': x})"], {}),
        (["x = run.map(exp.one, keys)", "tables.show(x)", "run.judge('a', tables.constant())"], {}),
        (["def own(key, seed):\n    return 1", "x = run.map(own, keys)", "run.judge('a', measured=x)"], {"a": ["__main__.own"]}),
        (["from pkg.exp import one as uno", "with open('f') as f:\n    x = run.map(uno, f)", "run.judge('a', x)"], {"a": [ONE]}),
        (["x = library.runs_them(run)", "run.judge('a', x)"], {}),
        (["%matplotlib inline\nx = run.map(exp.one, keys)", "this is no python", "run.judge('a', x)"], {"a": [ONE]}),
    ],
)  # fmt: skip
def test_a_measurement_is_followed_back_to_its_tasks(tmp_path, cells, expected):
    assert flow(tmp_path, *cells) == expected


# Research object


def test_the_crate_describes_the_report_and_each_run(quick):
    crate = ROCrate(quick)
    root = crate.root_dataset
    assert root["name"] == "A small study of small things: report of the profile quick"
    assert root["license"]["identifier"] == "BSD-3-Clause"
    assert [(a["name"], a.type) for a in root["author"]] == [
        ("Some One", "Person"),
        ("The others", "Organization"),
    ]
    assert root["conformsTo"].id == "https://w3id.org/ro/wfrun/process/0.5"
    stamp = json.loads((quick / "stamps/toy.json").read_text())
    assert root["datePublished"] == stamp["finished"]
    (run,) = root["mentions"]
    assert run.type == "CreateAction"
    notebook, software = run["instrument"]
    assert "SoftwareSourceCode" in notebook.type
    assert notebook["sha256"] == file_hash(quick / "notebooks/toy.ipynb")
    assert software.type == "SoftwareApplication"
    assert run["endTime"] == stamp["finished"] >= run["startTime"]
    (data,) = run["object"]
    assert data["identifier"] == "doi:10.1234/toy"
    assert data["sha256"] == stamp["inputs"]["data"]["toy.csv"]
    assert [one.id for one in run["result"]] == [
        "results/toy.json",
        "tasks/toy.json",
        "tasks/toy.jsonl.gz",
        "stamps/toy.json",
        "toy.html",
    ]
    files = {one.id for one in root["hasPart"]}
    assert {"index.html", "evidence.json", "ledger.json", "verify.py", "codecheck.yml"} <= files
    assert all((quick / one).is_file() for one in files)
    assert root["citation"][0]["name"] == "Some title"


def test_codecheck_lists_what_to_compute_and_claims_no_check(quick):
    text = (quick / "codecheck.yml").read_text()
    assert text.startswith("---\n")
    said = yaml.safe_load(text)
    assert said["version"] == "https://codecheck.org.uk/spec/config/1.0/"
    assert all((quick / item["file"]).is_file() and item["comment"] for item in said["manifest"])
    assert {"index.html", "toy.html", "results/toy.json"} <= {item["file"] for item in said["manifest"]}
    assert said["paper"]["title"] == "A small study of small things"
    assert said["paper"]["authors"] == [{"name": "Some One"}, {"name": "The others"}]
    assert "Some title" in said["paper"]["reference"]
    assert [one["name"] for one in said["codechecker"]] == ["nobody: not yet checked"]
    assert "repository" not in said
    assert "certificate" not in said


def test_a_study_without_a_citation_says_nothing_about_authors(tmp_path):
    assert read_citation(tmp_path).authors == ()
    (tmp_path / "CITATION.cff").write_text("doi: 10.1/x\nauthors: []\n")
    assert read_citation(tmp_path).reference == "https://doi.org/10.1/x"
    (tmp_path / "CITATION.cff").write_text("a: [\n")
    with pytest.raises(ValueError, match="is not valid YAML"):
        read_citation(tmp_path)
