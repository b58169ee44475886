"""The evidence of a report: its manifest, and a research object around it."""

import json
import shutil
from dataclasses import asdict

import pytest
from rocrate.rocrate import ROCrate

from studylib.core.files import file_hash
from studylib.study import rules
from studylib.study.evidence import verifier
from studylib.study.evidence.crate import write_crate
from studylib.study.ledger.study import read_study
from tests.study.judged_study import in_study, reproduce


@pytest.fixture(scope="module")
def study(judged, tmp_path_factory):
    return shutil.copytree(judged, tmp_path_factory.mktemp("evidence") / "study")


@pytest.fixture
def quick(study):
    return study / "reports/quick"


def entries(folder):
    return json.loads((folder / "evidence.json").read_text())["claims"]


def test_an_entry_binds_a_verdict_to_its_rule_and_measurement(study, quick):
    given = json.loads((quick / "results/toy.json").read_text())["claims"]["mean-positive"]
    claim = read_study(study).ledger.claims["mean-positive"]
    assert entries(quick)["mean-positive"] == {
        "notebook": "toy",
        "rule_sha256": claim.rule_hash,
        "measured_sha256": verifier.data_hash(given),
        **rules.outcome(asdict(claim), given, "quick"),
    }
    assert {"verdict", "parts", "beside"} <= entries(quick)["mean-positive"].keys()
    assert entries(quick).keys() == set(read_study(study).ledger.claims) - {"planned-one"}


def test_the_manifest_names_every_file_but_pages_and_itself(quick):
    listed = json.loads((quick / "evidence.json").read_text())["files"]
    present = {p.relative_to(quick).as_posix() for p in quick.rglob("*") if p.is_file()}
    rest = {name.partition("/")[0] for name in present - listed.keys()}
    pages = {f"{name}.html" for name in ("index", "claims", "notebooks", "method", "amendments", "toy")}
    assert rest == pages | {"verdicts.svg", "evidence.json", "work"}
    assert all(file_hash(quick / name) == value for name, value in listed.items())


@pytest.mark.slow
def test_the_profile_smoke_shows_values_and_is_no_research_object(study):
    folder = reproduce(study, "smoke")
    assert {entry["verdict"] for entry in entries(folder).values()} == {"shown"}
    assert verifier.verify(folder).problems == []
    assert not (folder / "ro-crate-metadata.json").exists()


# Research object


def test_the_crate_describes_the_report_and_each_run(quick):
    crate = ROCrate(quick)
    root = crate.root_dataset
    assert root["name"] == "A small study of small things: report of the profile quick"
    assert root["license"]["identifier"] == "BSD-3-Clause"
    authors = [(part["name"], part.type) for part in root["author"]]
    assert authors == [("Some One", "Person"), ("The others", "Organization")]
    assert root["conformsTo"].id == "https://w3id.org/ro/wfrun/process/0.5"
    stamp = json.loads((quick / "stamps/toy.json").read_text())
    assert root["datePublished"] == stamp["finished"]
    (run,) = root["mentions"]
    assert run.type == "CreateAction"
    notebook, software = run["instrument"]
    assert "SoftwareSourceCode" in notebook.type
    assert notebook.id == "notebooks/toy.ipynb"
    assert software.type == "SoftwareApplication"
    assert run["endTime"] == stamp["finished"] >= run["startTime"]
    (data,) = run["object"]
    assert data["identifier"] == "doi:10.1234/toy"
    assert [part.id for part in run["result"]] == ["results/toy.json", "tasks/toy.jsonl", "stamps/toy.json"]
    files = {part.id for part in root["hasPart"]}
    assert {"index.html", "evidence.json", "ledger.json", "verify.py"} <= files
    assert all((quick / part).is_file() for part in files)
    assert root["citation"][0]["name"] == "Some title"


def test_a_study_without_a_citation_says_nothing_about_authors(study, tmp_path):
    folder = shutil.copytree(study, tmp_path / "study")
    (folder / "CITATION.cff").unlink()
    with in_study(folder) as layout:
        write_crate(layout, read_study(folder), "quick")
        assert ROCrate(layout.folder).root_dataset.get("author", []) == []
        for text, why in (("a: [", "is not valid YAML"), ("a", "be a table"), ("authors: [a]", "of tables")):
            (folder / "CITATION.cff").write_text(text)
            with pytest.raises(ValueError, match=why):
                write_crate(layout, read_study(folder), "quick")
        (folder / "CITATION.cff").write_text("authors: [{family-names: 1984}]")
        write_crate(layout, read_study(folder), "quick")
        assert [author["name"] for author in ROCrate(layout.folder).root_dataset["author"]] == ["1984"]
