"""Verdicts are derived from stored measurements, and follow the ledger without a notebook being run."""

import json
import shutil

import pytest

from studylib.core.files import file_hash, sha256, write_json
from studylib.study import cli
from studylib.study import reproduce as runner
from studylib.study.evidence import verdicts
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.store import canonical
from tests.study.small_study import (
    FINISH,
    MAP,
    SETUP,
    change,
    computed,
    use,
    write_notebook,
    write_study,
)

JUDGE = 'run.judge("some-claim", 1, beside={{"sum": sum(found)}})'


@pytest.fixture(scope="module")
def judged_study(tmp_path_factory):
    """A study whose notebook has judged its claim; run once, and copied for each test."""
    folder = tmp_path_factory.mktemp("judged") / "study"
    write_study(folder, claims={"toy": ["some-claim"]})
    write_notebook(folder, "toy", (SETUP, MAP, JUDGE, FINISH))
    with pytest.MonkeyPatch.context() as patch:
        use(folder, patch)
        assert runner.reproduce("quick") == 0
    return folder


@pytest.fixture
def folder(judged_study, tmp_path, monkeypatch):
    shutil.copytree(judged_study, tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


@pytest.fixture
def claims(folder):
    return folder / "sources/someone/claims.toml"


def verdict():
    return json.loads(Layout("quick").evidence.read_text())["claims"]["some-claim"]["verdict"]


@pytest.mark.parametrize(
    ("of_all", "of_claim", "whole"),
    [
        ({"data": "simulated"}, {"by_choice": {}}, True),
        ({"data": "invented"}, {}, False),
        ({}, {"stand_in": 1}, False),
        ({}, {"by_choice": []}, False),
    ],
)
def test_results_of_another_form_are_not_read(folder, of_all, of_claim, whole):
    layout = Layout("quick")
    results = json.loads(layout.results("toy").read_text()) | of_all
    results["claims"]["some-claim"] |= of_claim
    write_json(layout.results("toy"), results)
    assert (verdicts.load_results(layout, "toy") is not None) == whole


def test_results_hold_measurements_and_verdicts_are_beside_them(folder):
    layout = Layout("quick")
    given = json.loads(layout.results("toy").read_text())["claims"]["some-claim"]
    assert given["measured"] == 1
    assert given["beside"]["sum"] != 0
    entry = verdicts.derive(layout, current_study(), "quick")["some-claim"]
    assert entry["measured_sha256"] == sha256(canonical(given).encode())
    assert (entry["notebook"], entry["verdict"]) == ("toy", verdict()) == ("toy", "reproduced")
    assert 'data-verdict="reproduced"' in layout.page("claims").read_text()
    assert 'data-verdict="reproduced"' in layout.page("toy").read_text()


@pytest.mark.parametrize(
    ("command", "printed"),
    [("judge", "1 claims: 1 not reproduced"), ("reproduce", "1 notebook(s) fresh already")],
)
def test_a_changed_published_value_makes_verdicts_stale_and_is_judged_anew_without_a_run(
    folder, claims, capsys, command, printed
):
    layout = Layout("quick")
    kept = [layout.executed("toy"), layout.stamp("toy"), layout.results("toy"), layout.tasks("toy")]
    before = [path.read_bytes() for path in kept]
    log = computed(folder)
    assert cli.main(["status"]) == 0
    change(claims, "published = 1", "published = 2")
    capsys.readouterr()
    assert cli.main(["status"]) == 3
    output = capsys.readouterr().out
    assert "toy: fresh" in output
    assert "the verdicts are stale" in output
    assert "the rule of some-claim changed" in output
    assert cli.main([command]) == 0
    assert printed in capsys.readouterr().out
    assert verdict() == "not reproduced"
    assert computed(folder) == log
    assert [path.read_bytes() for path in kept] == before, "a notebook that was run is never rewritten"
    for path in (layout.page("claims"), layout.page("toy")):
        assert "not reproduced" in path.read_text().partition('id="claim-some-claim"')[2][:400]
        assert current_study().ledger.hash[:16] in path.read_text()
    assert cli.main(["status"]) == 0


def test_a_text_of_the_ledger_changes_no_verdict_but_its_hash(claims, capsys):
    change(claims, "One is one", "One is one, says the source")
    capsys.readouterr()
    assert cli.main(["status"]) == 3
    assert "the ledger changed: a text, a deviation or a function" in capsys.readouterr().out
    assert cli.main(["judge"]) == 0
    assert "says the source" in Layout("quick").page("toy").read_text()


def rules_that_judged():
    return json.loads(Layout("quick").evidence.read_text())["rules_sha256"]


def amend(claims, rule):
    with claims.open("a") as file:
        file.write(
            '\n[[claim.amended]]\ndate = "2026-11-22"\nreason = "a reason"\nfirst_rule = "before"\n'
            f'first_verdict = "reproduced"\nrule_sha256 = "{rule}"\n'
        )


def test_a_rule_that_changes_without_an_amendment_is_said_until_there_is_one(folder, claims, capsys):
    change(folder / "study.toml", "subtitle =", 'profiles = ["smoke", "quick"]\nsubtitle =')
    assert cli.main(["judge"]) == 0
    (first,) = rules_that_judged()["some-claim"]
    change(claims, 'rule = "equal"', 'rule = "equal, in other words"')
    assert cli.main(["judge"]) == cli.main(["verify"]) == 0
    change(claims, "published = 1", "published = 2")
    sentence = (
        "claim some-claim: its rule was changed after it had given a verdict, so write that rule and verdict in "
        f'claims.toml as a [[claim.amended]] with rule_sha256 = "{first}", or restore the rule'
    )
    capsys.readouterr()
    assert cli.main(["judge"]) == 1
    assert f"studylib: {sentence}.\n" == capsys.readouterr().err
    assert runner.reproduce("quick") == 1
    assert sentence in capsys.readouterr().err
    assert cli.main(["verify"]) == 1
    assert sentence in capsys.readouterr().out
    assert rules_that_judged() == {"some-claim": [first]}
    amend(claims, first)
    assert cli.main(["judge"]) == cli.main(["verify"]) == 0
    _, second = rules_that_judged()["some-claim"]
    change(claims, "published = 2", "published = 3")  # the second change needs an amendment of its own
    assert cli.main(["judge"]) == cli.main(["verify"]) == 1
    amend(claims, second)
    assert cli.main(["judge"]) == cli.main(["verify"]) == 0
    change(claims, f'rule_sha256 = "{first}"', "")  # nor can one be taken back
    assert cli.main(["judge"]) == cli.main(["verify"]) == 1
    assert rules_that_judged()["some-claim"][:2] == [first, second]


def test_only_the_last_profile_keeps_the_rules_that_judged(claims):
    assert cli.main(["judge"]) == 0
    change(claims, "published = 1", "published = 2")
    assert cli.main(["judge"]) == 0
    assert rules_that_judged() == {}


def test_a_page_shows_the_words_that_the_source_has_now(folder):
    layout = Layout("quick")
    executed, stamp = layout.executed("toy").read_bytes(), layout.stamp("toy").read_bytes()
    notebook = folder / "notebooks/toy.ipynb"
    change(notebook, "Does it run?", "Does it run at all?")
    change(notebook, "run.finish()", "run.finish()  # at the end")
    assert cli.main(["status"]) == 0
    assert cli.main(["judge"]) == 0
    page, cards = layout.page("toy").read_text(), layout.page("notebooks").read_text()
    assert "Does it run at all?" in page
    assert "Does it run at all?" in cards
    assert "at the end" in page
    assert (layout.executed("toy").read_bytes(), layout.stamp("toy").read_bytes()) == (executed, stamp)
    change(notebook, "run.finish()", "n + 1; run.finish()")  # stale: outputs of other code
    assert cli.main(["judge"]) == 0
    assert "at the end" not in layout.page("toy").read_text()


@pytest.mark.slow
def test_absent_data_neither_replace_nor_stale_a_report_on_real_data(folder, capsys):
    layout = Layout("quick")
    before = layout.results("toy").read_bytes()
    (folder / "data/toy.csv").unlink()
    assert cli.main(["status"]) == 0
    change(folder / "notebooks/toy.ipynb", "run.judge", "1 + 1; run.judge")  # it would have to run again
    capsys.readouterr()
    assert cli.main(["reproduce"]) == 0
    assert "toy: kept, because its report was computed on real data" in capsys.readouterr().err
    assert layout.results("toy").read_bytes() == before
    assert cli.main(["reproduce", "--simulate"]) == 0
    assert "toy: done" in capsys.readouterr().err


def test_a_claim_that_is_no_longer_the_notebooks_is_not_judged(folder):
    assert verdicts.derive(Layout("quick"), current_study(), "quick").keys() == {"some-claim"}
    change(folder / "study.toml", "claims = ['some-claim']", "claims = []")
    assert verdicts.derive(Layout("quick"), current_study(), "quick") == {}


def test_damaged_results_are_not_judged_and_those_that_suit_no_rule_refused_in_one_sentence(folder):
    layout = Layout("quick")
    results = json.loads(layout.results("toy").read_text())
    results["claims"]["some-claim"]["measured"] = {}
    layout.results("toy").write_text(json.dumps(results))
    assert verdicts.derive(layout, current_study(), "quick") == {}
    stamp = stamps.read(layout, "toy")
    write_json(layout.stamp("toy"), stamp | {"results_sha256": file_hash(layout.results("toy"))})
    with pytest.raises(ValueError, match=r"^some-claim: its rule cannot judge what was measured \(.+\)\.$"):
        verdicts.derive(layout, current_study(), "quick")
    layout.results("toy").unlink()
    assert verdicts.derive(layout, current_study(), "quick") == {}
