"""Verdicts are derived from stored measurements, and follow the ledger without a notebook being run."""

import json
import shutil

import nbformat
import pytest

from studylib.core.files import file_hash, sha256, write_json
from studylib.study import cli, runner, stamps, verdicts
from studylib.study.paths import Layout
from studylib.study.store import canonical
from studylib.study.study import current_study
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
    return json.loads(Layout("quick").verdicts.read_text())["claims"]["some-claim"]["verdict"]


def test_results_hold_measurements_and_verdicts_are_beside_them(folder):
    layout = Layout("quick")
    given = json.loads(layout.results("toy").read_text())["claims"]["some-claim"]
    assert given["measured"] == 1
    assert given["beside"]["sum"] != 0
    assert verdict() == "reproduced"
    assert 'data-verdict="reproduced"' in layout.index.read_text()
    assert 'data-verdict="reproduced"' in layout.page("toy").read_text()


def test_a_changed_published_value_makes_verdicts_stale_and_is_judged_anew_without_a_run(folder, capsys):
    layout = Layout("quick")
    before = stamps.read(layout, "toy")["ledger_sha256"]
    log = (folder / "computed.log").read_text()
    results = layout.results("toy").read_bytes()
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
    assert layout.results("toy").read_bytes() == results
    for path in (layout.index, layout.page("toy"), layout.executed("toy")):
        line = path.read_text().replace("\\", "").partition('id="claim-some-claim"')[2][:400]
        assert "not reproduced" in line
    stamp = stamps.read(layout, "toy")
    assert stamp["ledger_sha256"] != before
    assert cli.main(["status"]) == 0
    assert stamp["ledger_sha256"][:16] in layout.page("toy").read_text()
    assert stamp["ledger_sha256"][:16] in layout.index.read_text()


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


def test_a_line_that_is_not_as_it_is_written_now_is_renewed(folder):
    """As after an update of studylib that words its lines otherwise: the ledger is the same."""
    layout = Layout("quick")
    path = layout.executed("toy")
    right = path.read_bytes()
    path.write_bytes(right.replace(b"One is one", b"One was one"))
    assert path.read_bytes() != right
    write_json(layout.stamp("toy"), stamps.read(layout, "toy") | {"executed_sha256": file_hash(path)})
    assert cli.main(["judge"]) == 0
    assert path.read_bytes() == right
    assert stamps.read(layout, "toy")["executed_sha256"] == file_hash(path)


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
    index = Layout("quick").index.read_text()
    assert "An identity, which holds for any correct code" in index


def test_an_amended_claim_shows_its_first_rule_and_verdict(folder):
    with (folder / "sources/someone/claims.toml").open("a") as file:
        file.write(
            '\n[claim.amended]\ndate = "2026-11-22"\nreason = "a reason to amend"\n'
            'first_rule = "equal to two"\nfirst_verdict = "not reproduced"\n'
        )
    assert cli.main(["judge"]) == 0
    index = Layout("quick").index.read_text()
    for said in ("amended after results were known", "a reason to amend", "equal to two", "2026-11-22"):
        assert said in index
    # No line of the notebook changes by that, and yet the stamp is about the new ledger.
    ledger = json.loads(Layout("quick").verdicts.read_text())["ledger_sha256"]
    assert stamps.read(Layout("quick"), "toy")["ledger_sha256"] == ledger == current_study().ledger.hash


def test_claim_lines_of_the_executed_notebook_name_their_claim(folder):
    executed = nbformat.read(Layout("quick").executed("toy"), as_version=4)
    outputs = [o for c in executed.cells for o in c.get("outputs", []) if o.get("metadata", {}).get("claim")]
    assert [o.metadata.claim for o in outputs] == ["some-claim"]
    change(folder, "published = 1", "published = 2")  # so the line is written anew
    assert cli.main(["judge"]) == 0
    executed = nbformat.read(Layout("quick").executed("toy"), as_version=4)
    (output,) = [
        o for c in executed.cells for o in c.get("outputs", []) if o.get("metadata", {}).get("claim")
    ]
    assert output["data"].keys() == {"text/plain", "text/html"}
    assert all("not reproduced" in text for text in output["data"].values())


@pytest.mark.parametrize("spoil", [lambda text: text + "\n", lambda text: "no notebook", lambda text: None])
def test_an_executed_notebook_that_was_altered_is_left_alone(folder, spoil):
    layout = Layout("quick")
    executed, stamp = layout.executed("toy"), layout.stamp("toy").read_bytes()
    text = spoil(executed.read_text(encoding="utf-8"))
    executed.unlink()
    if text is not None:
        executed.write_text(text, encoding="utf-8")
    change(folder, "published = 1", "published = 2")
    entry = {"verdict": "not reproduced", "ours": "1", "interval": "", "reason": ""}
    (notebook,) = current_study().notebooks.values()
    verdicts._renew_lines(layout, current_study(), notebook, {"some-claim": entry})
    assert layout.stamp("toy").read_bytes() == stamp
    assert executed.is_file() == (text is not None)
    assert text is None or executed.read_text(encoding="utf-8") == text


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
