"""Verdicts are derived from stored measurements, and follow the ledger without a notebook being run."""

import json
import shutil

import nbformat
import pytest

from studylib.core.files import file_hash, sha256, write_json
from studylib.study import cli
from studylib.study import reproduce as runner
from studylib.study.evidence import verdicts
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.store import canonical
from tests.study.small_study import FINISH, MAP, SETUP, environment, write_notebook, write_study

JUDGE = 'run.judge("some-claim", 1, beside={{"sum": sum(found)}})'


@pytest.fixture(scope="module")
def judged_study(tmp_path_factory):
    """A study whose notebook has judged its claim; run once, and copied for each test."""
    folder = tmp_path_factory.mktemp("judged") / "study"
    write_study(folder)
    write_notebook(folder, "toy", (SETUP, MAP, JUDGE, FINISH))
    text = (folder / "study.toml").read_text()
    (folder / "study.toml").write_text(
        text.replace("[notebook.toy]", '[notebook.toy]\nclaims = ["some-claim"]')
    )
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(folder).items():
            patch.setenv(name, value)
        assert runner.reproduce("quick") == 0
    return folder


@pytest.fixture
def folder(judged_study, tmp_path, monkeypatch):
    shutil.copytree(judged_study, tmp_path / "study")
    for name, value in environment(tmp_path / "study").items():
        monkeypatch.setenv(name, value)
    return tmp_path / "study"


def change(folder, old, new, file="sources/someone/claims.toml"):
    text = (folder / file).read_text()
    assert old in text
    (folder / file).write_text(text.replace(old, new))


def verdict():
    return json.loads(Layout("quick").evidence.read_text())["claims"]["some-claim"]["verdict"]


def test_results_hold_measurements_and_verdicts_are_beside_them(folder):
    layout = Layout("quick")
    given = json.loads(layout.results("toy").read_text())["claims"]["some-claim"]
    assert given["measured"] == 1
    assert given["beside"]["sum"] != 0
    assert verdict() == "reproduced"
    assert 'data-verdict="reproduced"' in layout.page("claims").read_text()
    assert 'data-verdict="reproduced"' in layout.page("toy").read_text()


def test_a_changed_published_value_makes_verdicts_stale_and_is_judged_anew_without_a_run(folder, capsys):
    layout = Layout("quick")
    kept = [layout.executed("toy"), layout.stamp("toy"), layout.results("toy"), layout.tasks("toy")]
    before = [path.read_bytes() for path in kept]
    log = (folder / "computed.log").read_text()
    assert cli.main(["status"]) == 0
    change(folder, "published = 1", "published = 2")
    capsys.readouterr()
    assert cli.main(["status"]) == 3
    said = capsys.readouterr().out
    assert "toy: fresh" in said
    assert "the verdicts are stale" in said
    assert "the rule of some-claim changed" in said
    assert cli.main(["judge"]) == 0
    assert "1 claims: 1 not reproduced" in capsys.readouterr().out
    assert verdict() == "not reproduced"
    assert (folder / "computed.log").read_text() == log
    assert [path.read_bytes() for path in kept] == before, "a notebook that was run is never rewritten"
    for path in (layout.page("claims"), layout.page("toy")):
        assert "not reproduced" in path.read_text().partition('id="claim-some-claim"')[2][:400]
        assert current_study().ledger.hash[:16] in path.read_text()
    assert cli.main(["status"]) == 0


def test_reproduce_derives_verdicts_anew_as_well(folder, capsys):
    change(folder, "published = 1", "published = 2")
    assert cli.main(["reproduce"]) == 0
    assert "1 notebook(s) fresh already" in capsys.readouterr().out
    assert verdict() == "not reproduced"


def test_a_text_of_the_ledger_changes_no_verdict_but_its_hash(folder, capsys):
    change(folder, "One is one", "One is one, says the source")
    capsys.readouterr()
    assert cli.main(["status"]) == 3
    assert "the ledger changed: a text, a deviation or a function" in capsys.readouterr().out
    assert cli.main(["judge"]) == 0
    assert "says the source" in Layout("quick").page("toy").read_text()


def test_a_notebook_without_results_has_no_verdicts(folder):
    layout = Layout("quick")
    layout.results("toy").unlink()
    assert verdicts.derive(layout, current_study(), "quick") == {}


def test_judging_twice_changes_no_byte(folder):
    layout = Layout("quick")

    def files():
        skipped = ("index.html", "lock")
        return {p: p.read_bytes() for p in layout.folder.rglob("*") if p.is_file() and p.name not in skipped}

    assert cli.main(["judge"]) == 0
    before = files()
    assert cli.main(["judge"]) == 0
    assert files() == before


def test_an_identity_is_checked_and_a_question_answered(folder):
    change(folder, 'nature = "arithmetic"', 'nature = "identity"')
    assert cli.main(["judge"]) == 0
    assert verdict() == "checked"
    method = Layout("quick").page("method").read_text()
    assert "An identity, which holds for any correct code" in method


def test_an_amended_claim_shows_its_first_rule_and_verdict(folder):
    with (folder / "sources/someone/claims.toml").open("a") as file:
        file.write(
            '\n[[claim.amended]]\ndate = "2026-11-22"\nreason = "a reason to amend"\n'
            'first_rule = "equal to two"\nfirst_verdict = "not reproduced"\n'
        )
    assert cli.main(["judge"]) == 0
    claims = Layout("quick").page("claims").read_text()
    for said in ("amended after results were known", "a reason to amend", "equal to two", "2026-11-22"):
        assert said in claims


def rules_that_judged():
    return json.loads(Layout("quick").evidence.read_text())["rules_sha256"]


def amend(folder, rule):
    with (folder / "sources/someone/claims.toml").open("a") as file:
        file.write(
            '\n[[claim.amended]]\ndate = "2026-11-22"\nreason = "a reason"\nfirst_rule = "before"\n'
            f'first_verdict = "reproduced"\nrule_sha256 = "{rule}"\n'
        )


def test_a_rule_that_changes_without_an_amendment_is_said_until_there_is_one(folder, capsys):
    change(
        folder, 'title = "Small study"', 'title = "Small study"\nprofiles = ["smoke", "quick"]', "study.toml"
    )
    assert cli.main(["judge"]) == 0
    (first,) = rules_that_judged()["some-claim"]
    change(folder, 'rule = "equal"', 'rule = "equal, in other words"')
    assert cli.main(["judge"]) == cli.main(["verify"]) == 0
    change(folder, "published = 1", "published = 2")
    said = (
        "claim some-claim: its rule was changed after it had given a verdict, so write that rule and verdict in "
        f'claims.toml as a [[claim.amended]] with rule_sha256 = "{first}", or restore the rule'
    )
    capsys.readouterr()
    assert cli.main(["judge"]) == 1
    assert f"studylib: {said}.\n" == capsys.readouterr().err
    assert runner.reproduce("quick") == 1
    assert said in capsys.readouterr().err
    assert cli.main(["verify"]) == 1
    assert said in capsys.readouterr().out
    assert rules_that_judged() == {"some-claim": [first]}
    amend(folder, first)
    assert cli.main(["judge"]) == cli.main(["verify"]) == 0
    _, second = rules_that_judged()["some-claim"]
    change(folder, "published = 2", "published = 3")  # the second change needs an amendment of its own
    assert cli.main(["judge"]) == cli.main(["verify"]) == 1
    amend(folder, second)
    assert cli.main(["judge"]) == cli.main(["verify"]) == 0
    change(folder, f'rule_sha256 = "{first}"', "")  # nor can one be taken back
    assert cli.main(["judge"]) == cli.main(["verify"]) == 1
    assert rules_that_judged()["some-claim"][:2] == [first, second]


def test_only_the_last_profile_keeps_the_rules_that_judged(folder):
    assert cli.main(["judge"]) == 0
    change(folder, "published = 1", "published = 2")
    assert cli.main(["judge"]) == 0
    assert rules_that_judged() == {}


def test_claim_lines_of_the_executed_notebook_name_their_claim(folder):
    executed = nbformat.read(Layout("quick").executed("toy"), as_version=4)
    outputs = [o for c in executed.cells for o in c.get("outputs", []) if o.get("metadata", {}).get("claim")]
    assert [o.metadata.claim for o in outputs] == ["some-claim"]
    assert outputs[0]["data"].keys() == {"text/plain", "text/html"}


def test_a_page_shows_the_words_that_the_source_has_now(folder):
    layout = Layout("quick")
    executed, stamp = layout.executed("toy").read_bytes(), layout.stamp("toy").read_bytes()
    change(folder, "Does it run?", "Does it run at all?", "notebooks/toy.ipynb")
    change(folder, "run.finish()", "run.finish()  # at the end", "notebooks/toy.ipynb")
    assert cli.main(["status"]) == 0
    assert cli.main(["judge"]) == 0
    page, cards = layout.page("toy").read_text(), layout.page("notebooks").read_text()
    assert "Does it run at all?" in page
    assert "Does it run at all?" in cards
    assert "at the end" in page
    assert (layout.executed("toy").read_bytes(), layout.stamp("toy").read_bytes()) == (executed, stamp)
    change(
        folder, "run.finish()", "n + 1; run.finish()", "notebooks/toy.ipynb"
    )  # stale: outputs of other code
    assert cli.main(["judge"]) == 0
    assert "at the end" not in layout.page("toy").read_text()


@pytest.mark.slow
def test_absent_data_neither_replace_nor_stale_a_report_on_real_data(folder, capsys):
    layout = Layout("quick")
    before = layout.results("toy").read_bytes()
    (folder / "data/toy.csv").unlink()
    assert cli.main(["status"]) == 0
    change(folder, "run.judge", "1 + 1; run.judge", "notebooks/toy.ipynb")  # it would have to run again
    capsys.readouterr()
    assert cli.main(["reproduce"]) == 0
    assert "toy: kept, because its report was computed on real data" in capsys.readouterr().err
    assert layout.results("toy").read_bytes() == before
    assert cli.main(["reproduce", "--simulate"]) == 0
    assert "toy: done" in capsys.readouterr().err


def unsuitable(layout):
    """Make the stored measurement one that its rule cannot judge."""
    results = json.loads(layout.results("toy").read_text())
    results["claims"]["some-claim"]["measured"] = {}
    layout.results("toy").write_text(json.dumps(results))


def test_damaged_results_are_not_judged(folder):
    layout = Layout("quick")
    unsuitable(layout)
    assert verdicts.derive(layout, current_study(), "quick") == {}


def test_a_measurement_that_does_not_suit_its_rule_is_refused_in_one_sentence(folder):
    layout = Layout("quick")
    unsuitable(layout)
    stamp = stamps.read(layout, "toy")
    write_json(layout.stamp("toy"), stamp | {"results_sha256": file_hash(layout.results("toy"))})
    with pytest.raises(ValueError, match=r"^some-claim: its rule cannot judge what was measured \(.+\)\.$"):
        verdicts.derive(layout, current_study(), "quick")


def test_a_claim_that_is_no_longer_the_notebooks_is_not_judged(folder):
    assert verdicts.derive(Layout("quick"), current_study(), "quick").keys() == {"some-claim"}
    change(folder, 'claims = ["some-claim"]', "claims = []", "study.toml")
    assert verdicts.derive(Layout("quick"), current_study(), "quick") == {}


def test_a_verdict_names_the_hash_of_what_it_judged(folder):
    layout = Layout("quick")
    given = json.loads(layout.results("toy").read_text())["claims"]["some-claim"]
    entry = verdicts.derive(layout, current_study(), "quick")["some-claim"]
    assert entry["measured_sha256"] == sha256(canonical(given).encode())
    assert entry["notebook"] == "toy"
