"""The ledger, the list of notebooks, and that they agree."""

import ast
import dataclasses
import re
from pathlib import Path

import nbformat
import pytest

from studylib.study import rules
from studylib.study.ledger.study import current_study, study_root
from studylib.study.site import report_model
from studylib.study.site.figures import is_hidden

STUDY = current_study()
LEDGER = STUDY.ledger


def test_every_claim_has_all_its_fields():
    claims = LEDGER.claims
    assert len(claims) == 251
    for claim in claims.values():
        assert all([claim.id, claim.source, claim.place, claim.statement, claim.value, claim.rule]), claim.id


def test_an_amended_claim_keeps_its_first_rule_and_verdict_with_date_and_reason():
    amended = [claim for claim in LEDGER.claims.values() if claim.amended]
    assert len(amended) == 84
    for claim in amended:
        dates = [change["date"] for change in claim.amended]
        assert dates == sorted(dates), claim.id
        known = [
            (change["first_rule"], change.get("first_nature", claim.nature), change.get("first_statement"))
            for change in claim.amended
        ]
        assert len({*known, (claim.rule, claim.nature, None)}) == len(known) + 1, claim.id
        assert {change["first_verdict"] for change in claim.amended} <= set(rules.VERDICTS)


def test_every_finding_says_which_numbers_of_its_rule_are_ours():
    findings = [claim for claim in LEDGER.claims.values() if claim.nature == "finding" and claim.judge]
    assert [claim.id for claim in findings if claim.ours is None] == []
    for claim in findings:
        keys = {key for choice in claim.choices for _, key in rules.keys_of(choice)}
        assert keys <= {name.partition(":")[0] for name in claim.ours}, claim.id


def test_a_statement_that_is_listed_as_not_covered_has_no_claim():
    assert any(source.not_covered for source in LEDGER.sources.values())
    for source in LEDGER.sources.values():
        statements = {claim.statement for claim in LEDGER.claims.values() if claim.source == source.short}
        assert not statements & {entry["statement"] for entry in source.not_covered}


def test_the_hash_of_the_ledger_follows_every_value_of_a_rule():
    claim = LEDGER.claims["mush-rows"]
    other = dataclasses.replace(claim, judge={"published": 61_070})
    assert other.rule_hash != claim.rule_hash
    assert dataclasses.replace(LEDGER, claims=LEDGER.claims | {claim.id: other}).hash != LEDGER.hash
    assert dataclasses.replace(LEDGER).hash == LEDGER.hash
    texts = dataclasses.replace(claim, note="another remark", rule="in other words")
    assert texts.rule_hash == claim.rule_hash
    assert dataclasses.replace(LEDGER, claims=LEDGER.claims | {claim.id: texts}).hash != LEDGER.hash


def test_the_hash_of_the_ledger_follows_the_functions_that_judge():
    files = {c.judge["function"].partition(":")[0] for c in LEDGER.claims.values() if "function" in c.judge}
    assert {f"studylib.studies.{name[:-3].replace('/', '.')}" for name in LEDGER.functions} == files
    changed = {"someone/judging.py": "0" * 64}
    assert dataclasses.replace(LEDGER, functions=changed).hash != LEDGER.hash


def test_every_listed_claim_has_one_notebook():
    listed = [claim for s in STUDY.notebooks.values() for claim in s.claims]
    assert len(listed) == len(set(listed))


def test_every_source_says_who_wrote_it_and_how_to_cite_it():
    assert set(LEDGER.sources) == {"pcf", "graf", "mushrooms", "forest_lecture", "nonlinear_lecture"}
    for source in LEDGER.sources.values():
        assert all([source.short, source.author, source.title, source.cite]), source.name
        assert all([source.year, source.identifier]), source.name
        assert source.link or "no public identifier known" in source.identifier, source.name


def test_the_sources_are_listed_in_one_order():
    order = ["PCF", "GRAF", "Mushroom trees", "Zachmann", "Non-linear classification models"]
    assert [source.short for source in LEDGER.sources.values()] == order
    assert list(dict.fromkeys(claim.source for claim in LEDGER.claims.values())) == order
    lines = Path(study_root(), "README.md").read_text(encoding="utf-8").splitlines()
    rows = [line.split("|")[1].strip() for line in lines if line.startswith("| ")]
    assert list(dict.fromkeys(row for row in rows if row in order)) == order


def test_an_own_finding_is_not_counted_as_a_source_s_and_remarks_name_our_choices():
    ids = {claim.id for claim in LEDGER.claims.values() if claim.counted_as == "own finding"}
    assert {"graf-blend-rf", "pcf-selective", "mush-duplicates"} <= ids
    ours = [claim for claim in LEDGER.claims.values() if claim.place == "ours"]
    assert ids == {claim.id for claim in ours if claim.nature == "finding"}
    runs = {"l2-rf-noise": {"first": [0] * 50, "second": [0] * 50}}
    rows = report_model.claim_rows(STUDY, {}, {}, {}, runs)
    assert {row.id for row in rows if row.nature == "own finding"} == ids
    said = {row.id: " ".join(row.remarks) for row in rows}
    assert "Some of our choices were not varied: exceeds 0.5; above 0.1; a small" in said["mush-unstable"]
    assert "Each interval rests on 50 values" in said["l2-rf-noise"]


def test_disputed_claims_are_claims_and_show_their_reason():
    disputed = dataclasses.replace(LEDGER, disputed={"mush-rows": "the rule counts twice"})
    study = dataclasses.replace(STUDY)
    study.__dict__["ledger"] = disputed
    rows = report_model.claim_rows(study, {}, {}, {})
    row = next(r for r in rows if r.id == "mush-rows")
    assert (row.verdict, row.reason) == ("disputed", "the rule counts twice")


def test_notebooks_on_disk_are_those_of_the_list():
    on_disk = {p.stem for p in (study_root() / "notebooks").glob("*.ipynb")}
    assert on_disk == set(STUDY.notebooks)


@pytest.fixture(params=STUDY.notebooks)
def notebook(request):
    return request.param, nbformat.read(STUDY.notebook(request.param).path, as_version=4)


def _parameters(notebook):
    cells = [c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])]
    assert len(cells) == 1
    return {
        node.targets[0].id: ast.literal_eval(node.value)  # literals only: derived values would go stale
        for node in ast.parse(cells[0].source).body
    }


def test_parameters_are_literal_and_every_profile_sets_known_ones(notebook):
    name, nb = notebook
    parameters = _parameters(nb)
    assert parameters["profile"] == "smoke"
    for profile in STUDY.profiles:
        assert set(STUDY.notebook(name).parameters_for(profile)) <= set(parameters)


def test_notebook_asks_a_question_and_is_committed_whole(notebook):
    name, nb = notebook
    assert "**Question.**" in nb.cells[0].source
    code = [c for c in nb.cells if c.cell_type == "code"]
    assert nb.metadata.kernelspec.name == "python3"
    assert all(c.execution_count for c in code), "commit it executed: make notebooks"
    assert not [o for c in code for o in c.outputs if o.output_type == "error"]
    if not name.startswith("lesson"):  # there, the code is what is taught
        assert sum(c.source.count("def ") for c in code) <= 1, "logic lives in the library"
    assert max(len(c.source.splitlines()) for c in code) <= 25, "a cell asks and shows"
    assert "run.finish()" in code[-1].source


@pytest.mark.parametrize("name", [name for name in STUDY.notebooks if not name.startswith("lesson_")])
def test_a_notebook_says_that_its_outputs_are_a_small_run_and_links_the_full_one(name):
    cell = nbformat.read(STUDY.notebook(name).path, as_version=4).cells[1]
    assert "(profile `smoke`)" in cell.source
    assert f"(../reports/paper/{name}.html)" in cell.source
    assert is_hidden(cell)  # on the page of the full run


def test_every_figure_has_a_text_for_those_who_do_not_see_it(notebook):
    name, nb = notebook
    figures = [
        o for c in nb.cells if c.cell_type == "code" for o in c.outputs if "image/png" in o.get("data", {})
    ]
    texts = [output.metadata["image/png"]["alt"] for output in figures]
    for output in (o for c in nb.cells if c.cell_type == "code" for o in c.outputs):
        texts += re.findall(r'<img [^>]*alt="([^"]*)"', output.get("data", {}).get("text/html", ""))
    assert texts
    assert all(len(text) > 30 for text in texts)


def test_committed_outputs_name_no_folder_of_the_machine(notebook):
    name, _ = notebook
    text = STUDY.notebook(name).path.read_text(encoding="utf-8")
    assert str(Path.home()) + "/" not in text
    assert str(study_root()) not in text
