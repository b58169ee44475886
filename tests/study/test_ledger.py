"""The ledger, the list of notebooks, and that they agree."""

import ast
from pathlib import Path

import nbformat
import pytest

from studylib.study import ledger, report, rules
from studylib.study.paths import notebook_path, project_root
from studylib.study.studies import PROFILES, studies, study


def test_every_claim_has_all_its_fields_and_a_known_kind():
    found = ledger.claims()
    assert len(found) == 181
    for claim in found.values():
        assert all([claim.id, claim.source, claim.place, claim.statement, claim.value, claim.rule]), claim.id


def test_every_kind_has_a_rule_that_judges_it():
    judged = {
        kind
        for judgement in (
            rules.exact(1, 1),
            rules.tolerance(1, 1, 1),
            rules.published_run(1, _Interval()),
            rules.paired(_Interval(), "none"),
            rules.equivalent(_Interval(), 1),
            rules.trend(1, 0, 2),
            rules.holds_in_all(1, 1),
            rules.counterexample(True, ""),
        )
        for kind in judgement.kinds
    }
    assert judged | {"not-testable"} == set(ledger.KINDS)


class _Interval:
    mean, low, high = 0.0, -1.0, 1.0

    def __contains__(self, value):
        return True


def test_every_listed_claim_is_in_the_ledger_and_has_one_notebook():
    listed = [claim for s in studies().values() for claim in s.claims]
    assert set(listed) <= set(ledger.claims())
    assert len(listed) == len(set(listed))


def test_every_deviation_stands_beside_claims_of_the_ledger():
    assert ledger.deviations()
    for deviation in ledger.deviations():
        assert set(deviation.claims) <= set(ledger.claims()), deviation.text


def test_disputed_claims_are_claims_and_show_their_reason(monkeypatch):
    assert set(ledger.disputed()) <= set(ledger.claims())
    monkeypatch.setattr(ledger, "disputed", lambda: {"mush-rows": "the rule counts twice"})
    rows = report._claim_rows(list(studies().values()), dict.fromkeys(studies()), {})
    row = next(r for r in rows if r.id == "mush-rows")
    assert (row.verdict, row.reason) == ("disputed", "the rule counts twice")


def test_notebooks_on_disk_are_those_of_the_list():
    on_disk = {p.stem for p in (project_root() / "notebooks").glob("*.ipynb")}
    assert on_disk == set(studies())


def test_an_unknown_notebook_is_named_with_the_known_ones():
    with pytest.raises(
        ValueError, match="no notebook '99_x'; there are 01_pcf_decision_surfaces, .*07_mushroom_trees"
    ):
        study("99_x")


@pytest.fixture(params=studies())
def notebook(request):
    return request.param, nbformat.read(notebook_path(request.param), as_version=4)


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
    for profile in PROFILES:
        assert set(study(name).parameters_for(profile)) <= set(parameters)


def test_notebook_asks_a_question_and_is_committed_whole(notebook):
    name, nb = notebook
    assert "**Question.**" in nb.cells[0].source
    code = [c for c in nb.cells if c.cell_type == "code"]
    assert nb.metadata.kernelspec.name == "python3"
    assert all(c.execution_count for c in code), "commit it executed: make notebooks"
    assert not [o for c in code for o in c.outputs if o.output_type == "error"]
    assert sum(c.source.count("def ") for c in code) <= 1, "logic lives in the library"
    assert "run.finish()" in code[-1].source


def test_every_figure_has_a_text_for_those_who_do_not_see_it(notebook):
    name, nb = notebook
    figures = [
        o for c in nb.cells if c.cell_type == "code" for o in c.outputs if "image/png" in o.get("data", {})
    ]
    assert figures
    for output in figures:
        assert len(output.metadata["image/png"]["alt"]) > 30


def test_committed_outputs_name_no_folder_of_the_machine(notebook):
    name, _ = notebook
    text = notebook_path(name).read_text(encoding="utf-8")
    assert str(Path.home()) + "/" not in text
    assert str(project_root()) not in text
