"""What a notebook calls."""

import json

import pytest

from studylib.core.data import DataNotAvailableError
from studylib.statistics import Interval
from studylib.study import Run, rules
from studylib.study.paths import Layout
from studylib.study.study import current_study

NAME = "07_mushroom_trees"


@pytest.fixture
def shown(monkeypatch, tmp_path):
    lines = []
    monkeypatch.setattr("studylib.study.record._display", lambda x: lines.append((repr(x), x._repr_html_())))
    monkeypatch.setenv("STUDYLIB_REPORTS", str(tmp_path))
    return lines


def judge_all(run, skip=()):
    """Judge every claim of the notebook by the rule of its kind, on made-up numbers."""
    by_kind = {
        "exact": rules.exact(1, 1),
        "tolerance": rules.tolerance(1, 1, 1),
        "paired": rules.paired(Interval(1, 0.5, 2), "positive"),
        "trend": rules.trend(1, 0, 2),
        "property": rules.holds_in_all(1, 1),
        "counterexample": rules.counterexample(True, "x"),
    }
    for claim in current_study().notebook(NAME).claims:
        if claim not in skip:
            run.judge(claim, by_kind[current_study().ledger.claims[claim].kind])


def test_verdicts_are_written_with_values_and_shown_with_an_anchor(shown):
    run = Run(NAME, "quick")
    judge_all(run)
    run.metric("errors", 3, 0.5)
    assert repr(run.finish()).startswith("23 claims: 22 reproduced, 1 not reproduced")
    found = json.loads(Layout("quick").results(NAME).read_text())
    assert found["claims"]["mush-rows"] == {
        "verdict": "reproduced", "ours": "1", "interval": "", "reason": "",
    }  # fmt: skip
    assert found["metrics"] == {"errors": {"value": 3.0, "tolerance": 0.5}}
    assert found["data"] == "real"
    table = run.table()
    assert table.loc["mush-rows", ["source", "ours", "verdict"]].tolist() == ["61069", "1", "reproduced"]
    assert len(table) == 23
    assert any('id="claim-mush-rows"' in markup and "61,069 examples" in text for text, markup in shown)
    assert json.loads(Layout("quick").usage(NAME).read_text())["peak_memory_mib"] > 10


def test_smoke_shows_values_and_no_verdict(shown):
    run = Run(NAME)
    run.judge("mush-rows", rules.exact(5, 61_069))
    assert run.results()["claims"]["mush-rows"]["verdict"] == "shown"
    assert run.results()["claims"]["mush-rows"]["ours"] == "5"


def test_simulated_data_are_announced_and_decide_nothing_about_the_real_ones(shown):
    def load_toy():
        raise DataNotAvailableError("Toy is <nowhere>")

    run = Run(NAME, "quick")
    assert run.load(load_toy, otherwise=lambda: "made up") == "made up"
    text, markup = shown[0]
    assert text.startswith("SIMULATED DATA. Toy is <nowhere>")
    assert "&lt;nowhere&gt;" in markup
    run.judge("mush-rows", rules.exact(5, 61_069))
    run.judge("mush-leaves", rules.holds_in_all(3, 3), needs_data=False)
    claims = run.results()["claims"]
    assert claims["mush-rows"] == {
        "verdict": "not testable", "ours": "", "interval": "", "reason": "real data absent",
    }  # fmt: skip
    assert claims["mush-leaves"]["verdict"] == "reproduced"
    assert run.results()["data"] == "simulated"
    assert run.results()["simulated"] == ["toy"]


def test_a_broken_real_file_is_not_replaced_by_a_stand_in(shown):
    def load_toy():
        raise ValueError("altered")

    with pytest.raises(ValueError, match="altered"):
        Run(NAME).load(load_toy, otherwise=lambda: "made up")


def test_unknown_claims_foreign_claims_and_wrong_kinds_are_refused(shown):
    run = Run(NAME)
    with pytest.raises(ValueError, match="'mush-nothing' is not in the ledger"):
        run.judge("mush-nothing", rules.exact(1, 1))
    with pytest.raises(ValueError, match="'pcf-alg1-line4' is not in the claims of 07_mushroom_trees"):
        run.judge("pcf-alg1-line4", rules.exact(1, 1))
    with pytest.raises(
        ValueError, match="'mush-rows' is of kind 'exact' in the ledger, but was judged as trend"
    ):
        run.judge("mush-rows", rules.trend(1, 0, 2))


def test_finish_names_the_claims_that_were_not_judged(shown):
    run = Run(NAME)
    judge_all(run, skip=("mush-rows", "mush-best"))
    with pytest.raises(ValueError, match="has not judged mush-rows"):
        run.finish()
    assert not Layout("smoke").results(NAME).exists()


def test_unknown_profile_and_notebook_are_refused():
    with pytest.raises(ValueError, match="profile must be one of smoke, quick, paper, got 'fast'"):
        Run(NAME, "fast")
    with pytest.raises(ValueError, match="there is no notebook"):
        Run("08_nothing")
