"""Carrying stored results over a change of code, on the evidence of a sample."""

import json
import re
import shutil
from dataclasses import replace

import pytest

from studylib.core.files import file_hash, write_json
from studylib.study.confirm import _Sample
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from tests.study.small_study import (
    FINISH,
    MAP,
    N_TASKS,
    SETUP,
    change,
    computed,
    git,
    rewrite,
    studylib,
    use,
    write_notebook,
    write_study,
)

pytestmark = pytest.mark.slow
HELPERS = "code_of/helpers.py"


def other_order(folder):
    """Alter the code so that no result changes."""
    change(folder / HELPERS, "return FACTOR * value", "return value * FACTOR")


def test_a_change_that_changes_nothing_is_confirmed_by_a_sample(small):
    before = Layout("quick").results("toy").read_bytes()
    other_order(small)
    code, printed = studylib("status")
    assert code == 3, printed
    assert "    code_of/helpers.py changed" in printed
    n_before = len(computed(small))
    code, printed = studylib("confirm", "--seed", "5")
    assert code == 0, printed
    assert "seed 5" in printed
    assert "confirmed by sample, 20 of 30 stored tasks were bit-equal" in printed
    assert len(computed(small)) - n_before == 20  # the others were not computed again
    assert studylib("status")[0] == 0
    assert Layout("quick").results("toy").read_bytes() == before
    task = stamps.read(Layout("quick"), "toy")["tasks"]["code_of.tasks.work"]
    assert (task["n"], task["confirmed"]) == (30, 10)
    assert {k: task["samples"][0][k] for k in ("seed", "sample", "of")} == {"seed": 5, "sample": 20, "of": 30}
    method = Layout("quick").page("method").read_text()
    assert "10 confirmed by sample after a change of code (20 of 30 computed again" in method
    studylib("reproduce")
    assert len(computed(small)) - n_before == 20


LOST = "there are no results of its tasks in "


@pytest.mark.parametrize(
    ("alter", "message"),
    [
        (lambda f: change(f / HELPERS, "FACTOR = 1.0", "FACTOR = 1.0000000000000002"),
         "NOT confirmed: code_of.tasks.work for {"),
        (lambda f: change(f / HELPERS, "FACTOR * value", "factor"), "NOT confirmed: map_tasks: 20 of 20 tasks"),
        (lambda f: change(f / HELPERS, "FACTOR =", "FACTOR = ="), "because its code does not run (SyntaxError: "),
        (lambda f: change(f / HELPERS, "FACTOR = 1.0", "FACTOR = 1 / 0"), "does not run (ZeroDivisionError"),
        (lambda f: change(f / "data/toy.csv", "1", "2"), "cannot be confirmed, because data toy.csv changed"),
        (lambda f: (other_order(f), Layout("quick").tasks("toy").unlink()), LOST),
        (lambda f: (other_order(f), Layout("quick").tasks("toy").write_bytes(b"")), LOST),
        (lambda f: write_notebook(f, "toy", (SETUP, f"{MAP}[:-1]", FINISH)),
         "its cells give other results than before"),
        (lambda f: Layout("quick").results("toy").write_text("{}"),
         "its file of results cannot be read; use `studylib reproduce`"),
        (lambda f: Layout("quick").stamp("toy").write_text("[]"), "there is no result to confirm"),
    ],
)  # fmt: skip
def test_what_cannot_be_confirmed_is_stale_and_told(small, alter, message):
    alter(small)
    code, errors = studylib("confirm")
    assert code == 1, errors
    assert message in errors
    assert studylib("status")[0] == 3


@pytest.fixture(scope="module")
def rounded_elsewhere(tmp_path_factory):
    """A study in git whose results were computed on a machine that rounds otherwise."""
    folder = tmp_path_factory.mktemp("elsewhere") / "study"
    write_study(folder, n=N_TASKS)
    helpers = folder / "code_of/helpers.py"
    rounding = "return FACTOR * value * float(os.environ['ROUNDING'])"
    helpers.write_text("import os\n" + helpers.read_text().replace("return FACTOR * value", rounding))
    (folder / ".gitignore").write_text("computed.log\nreports/\n")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "study"]):
        git(folder, *words)
    with pytest.MonkeyPatch.context() as patch:
        use(folder, patch)
        patch.setenv("ROUNDING", "1.0000000000000002")
        assert studylib("reproduce")[0] == 0
    return folder


@pytest.fixture
def here(rounded_elsewhere, tmp_path, monkeypatch):
    shutil.copytree(rounded_elsewhere, tmp_path / "study")
    monkeypatch.setenv("ROUNDING", "1.0")
    return use(tmp_path / "study", monkeypatch)


def test_what_another_machine_rounded_is_compared_with_the_code_that_computed_it(here):
    results, commit = (
        Layout("quick").results("toy").read_bytes(),
        stamps.read(Layout("quick"), "toy")["commit"],
    )
    other_order(here)
    code, printed = studylib("confirm")
    assert code == 0, printed
    assert re.search(
        rf"; \d+ gave another result on this machine, but the same with the code of {commit} as", printed
    ), printed
    assert Layout("quick").results("toy").read_bytes() == results  # the stored results stay
    (sample,) = stamps.read(Layout("quick"), "toy")["tasks"]["code_of.tasks.work"]["samples"]
    assert 0 < sample["elsewhere"] <= sample["sample"]
    assert (
        f"not to the stored result but to what the code of {commit} gave on the same machine"
        in Layout("quick").page("method").read_text()
    )
    code, printed = studylib("confirm", "toy")
    assert code == 1
    assert re.search(
        r"toy: DIFFERS: \d+ of 20 tasks .* for \{.*\}, give another result than the stored one", printed
    ), printed


def test_rounding_elsewhere_is_no_excuse_for_a_change(here):
    commit = stamps.read(Layout("quick"), "toy")["commit"]
    change(here / HELPERS, "FACTOR = 1.0", "FACTOR = 1.0000000000000004")
    code, printed = studylib("confirm")
    assert code == 1, printed
    assert f"gives another result now than with the code of {commit}; use" in printed


def test_a_commit_that_is_not_there_cannot_excuse_anything(here):
    other_order(here)
    shutil.rmtree(here / ".git")
    code, printed = studylib("confirm")
    assert code == 1, printed
    assert "cannot be asked: fatal: not a git repository" in printed


def test_a_result_that_was_damaged_is_computed_and_the_others_are_confirmed(small):
    other_order(small)
    path = Layout("quick").tasks("toy")
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    n_before = len(computed(small))
    code, printed = studylib("confirm")
    assert code == 0, printed
    assert f"confirmed by sample, 20 of {N_TASKS - 1} stored tasks were bit-equal" in printed
    assert len(computed(small)) == n_before + 20 + 1


def test_a_notebook_without_tasks_is_confirmed_by_its_cells(small):
    write_notebook(small, "toy", (SETUP, 'run.metric("one", tasks.scaled(1.0))', "run.finish()"))
    assert studylib("reproduce")[0] == 0
    other_order(small)
    code, printed = studylib("confirm")
    assert code == 0, printed
    assert "toy: confirmed: its cells, which use no stored tasks, give the same results" in printed


def test_the_time_expected_is_that_of_the_sample_and_of_cells_without_tasks(small):
    layout, notebook = Layout("quick"), current_study().use().find("toy")
    stamp = stamps.read(layout, "toy")
    n_cells = len(stamp["cell_seconds"])
    noted = {**stamp["tasks"]["code_of.tasks.work"], "seconds": 60.0}
    stamp |= {"tasks": {"code_of.tasks.work": noted}, "computing_s": 70.0, "cell_seconds": [1.0] * n_cells}
    drawn = [("work", [{"seconds": 2.0}] * 20), ("more", [{"seconds": 1.0}])]
    write_json(layout.stamp("toy"), stamp)
    stale = _Sample(notebook, stamp, "results", None, [], drawn, 30)
    assert stale.expected(layout, 2) == pytest.approx([20, 0.5] + [10 / n_cells] * n_cells)
    assert stale._replace(before=None).expected(layout, 1) == [40, 1]
    timed = replace(notebook, timed=("code_of.tasks.work",))
    assert sum(stale._replace(notebook=timed).expected(layout, 2)) == pytest.approx(20.5 + 10 + 30)


def test_what_is_fresh_is_said_to_be_and_each_time_another_seed_is_drawn(small):
    lines = [studylib("confirm") for _ in range(2)]
    assert all(code == 0 and "toy: fresh already" in text for code, text in lines), lines
    assert len({re.search(r"seed (\d+)", text)[1] for _, text in lines}) == 2


def test_a_fresh_notebook_that_is_named_is_computed_again_apart(small):
    before = len(computed(small))
    page = Layout("quick").index.read_bytes()
    code, printed = studylib("confirm", "toy")
    assert code == 0, printed
    assert re.fullmatch(
        r"studylib: confirming the profile quick by sample, seed \d+\n"
        r"studylib: 20 task\(s\) of 1 notebook\(s\) to compute again, about \d s in all, plus starting and "
        r"compiling\n"
        rf"  toy: fresh; 20 of {N_TASKS} stored tasks, drawn at random, are bit-equal when computed again\n",
        printed,
    )
    assert len(computed(small)) == before + 20
    assert Layout("quick").index.read_bytes() == page
    path = Layout("quick").tasks("toy")  # results that were never computed
    rewrite(path, [{**json.loads(line), "result": 12345} for line in path.read_text().splitlines()])
    stamp = stamps.read(Layout("quick"), "toy") | {"tasks_sha256": file_hash(path)}
    write_json(Layout("quick").stamp("toy"), stamp)
    code, printed = studylib("confirm", "toy")
    assert code == 1, printed
    assert re.search(r"toy: DIFFERS: 20 of 20 tasks .* give another result than the stored one", printed)


@pytest.mark.parametrize(
    ("changed", "kept"), [("return value * FACTOR", True), ("return FACTOR - value", False)]
)
def test_memory_is_that_of_the_run_which_computed_the_tasks(small, changed, kept):
    stamp = stamps.read(Layout("quick"), "toy")
    stamp["peak_memory_mib"] = 10**6
    write_json(Layout("quick").stamp("toy"), stamp)
    change(small / HELPERS, "return FACTOR * value", changed)
    code, printed = studylib("confirm" if kept else "reproduce")
    assert code == 0, printed
    assert (stamps.read(Layout("quick"), "toy")["peak_memory_mib"] == 10**6) is kept


CLOCK = """

def clock(key, seed):
    return scaled(float(time.perf_counter_ns()))
"""
TIMED = (SETUP, MAP, 'run.judge("some-claim", run.map(tasks.clock, [{{}}])[0])', FINISH)


@pytest.fixture
def timed(tmp_path, monkeypatch):
    """A study whose claim rests on a clock, in a task and so in the results."""
    write_study(tmp_path, n=N_TASKS, claims={"toy": ["some-claim"]})
    change(tmp_path / "study.toml", "claims", 'timed = ["code_of.tasks.clock", "some-claim"]\nclaims')
    write_notebook(tmp_path, "toy", TIMED)
    with open(tmp_path / "code_of/tasks.py", "a") as tasks:
        tasks.write(CLOCK)
    return use(tmp_path, monkeypatch)


def test_what_rests_on_time_is_measured_again_and_not_compared(timed):
    assert studylib("reproduce")[0] == 0
    before = json.loads(Layout("quick").results("toy").read_bytes())
    other_order(timed)
    code, printed = studylib("confirm")
    assert code == 0, printed
    assert f"20 of {N_TASKS} stored tasks were bit-equal; what rests on time was measured again" in printed
    after = json.loads(Layout("quick").results("toy").read_bytes())
    assert after["metrics"] == before["metrics"]
    assert after["claims"]["some-claim"]["measured"] > before["claims"]["some-claim"]["measured"]
    tasks = stamps.read(Layout("quick"), "toy")["tasks"]
    assert tasks["code_of.tasks.clock"].get("confirmed", 0) == 0
    assert tasks["code_of.tasks.work"]["confirmed"] == N_TASKS - 20


def test_time_that_no_one_named_is_not_confirmed(timed):
    change(timed / "study.toml", 'timed = ["code_of.tasks.clock", "some-claim"]\n', "")
    change(timed / "study.toml", f"n = {N_TASKS}", "n = 10")  # so few that all are computed again
    assert studylib("reproduce")[0] == 0
    other_order(timed)
    code, printed = studylib("confirm")
    assert code == 1, printed
    assert "NOT confirmed: code_of.tasks.clock for {}" in printed
