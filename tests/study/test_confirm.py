"""Carrying stored results over a change of code, on the evidence of a sample."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from studylib.core.files import file_hash, write_json
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from tests.study.small_study import FINISH, SETUP, rewrite, use, write_notebook, write_study

N = 30


@pytest.fixture(scope="module")
def reproduced(tmp_path_factory):
    """A study of one notebook with thirty tasks, run once."""
    folder = tmp_path_factory.mktemp("reproduced") / "study"
    write_study(folder, n=N)
    with pytest.MonkeyPatch.context() as patch:
        use(folder, patch)
        assert studylib("reproduce")[0] == 0
    return folder


def studylib(*words):
    """Exit code and output of a command, in a process of its own as for a user."""
    done = subprocess.run(
        [sys.executable, "-m", "studylib", *words], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def folder(reproduced, tmp_path, monkeypatch):
    shutil.copytree(reproduced, tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


def change(folder, old, new):
    path = folder / "code_of/helpers.py"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def computed(folder):
    return (folder / "computed.log").read_text().splitlines()


@pytest.mark.slow
def test_a_change_that_changes_nothing_is_confirmed_by_a_sample(folder):
    before = Layout("quick").results("toy").read_bytes()
    change(folder, "return FACTOR * value", "return value * FACTOR")
    code, said = studylib("status")
    assert code == 3, said
    assert "    code_of/helpers.py changed" in said
    n_before = len(computed(folder))
    code, said = studylib("confirm", "--seed", "5")
    assert code == 0, said
    assert "seed 5" in said
    assert "confirmed by sample, 20 of 30 stored tasks were bit-equal" in said
    assert len(computed(folder)) - n_before == 20  # the others were not computed again
    assert studylib("status")[0] == 0
    assert Layout("quick").results("toy").read_bytes() == before
    task = stamps.read(Layout("quick"), "toy")["tasks"]["code_of.tasks.work"]
    assert (task["n"], task["confirmed"]) == (30, 10)
    assert {k: task["samples"][0][k] for k in ("seed", "sample", "of")} == {"seed": 5, "sample": 20, "of": 30}
    method = Layout("quick").page("method").read_text()
    assert "10 confirmed by sample after a change of code (20 of 30 computed again" in method
    studylib("reproduce")
    assert len(computed(folder)) - n_before == 20


@pytest.mark.slow
def test_a_change_that_changes_results_is_not(folder):
    change(folder, "FACTOR = 1.0", "FACTOR = 1.0000000000000002")
    code, said = studylib("confirm")
    assert code == 1, said
    assert "NOT confirmed: code_of.tasks.work for {" in said
    assert studylib("status")[0] == 3
    assert "stale" in Layout("quick").index.read_text()


@pytest.fixture(scope="module")
def rounded_elsewhere(tmp_path_factory):
    """A study in git whose results were computed on a machine that rounds otherwise."""
    folder = tmp_path_factory.mktemp("elsewhere") / "study"
    write_study(folder, n=N)
    helpers = folder / "code_of/helpers.py"
    rounding = "return FACTOR * value * float(os.environ['ROUNDING'])"
    helpers.write_text("import os\n" + helpers.read_text().replace("return FACTOR * value", rounding))
    (folder / ".gitignore").write_text("computed.log\nreports/\n")
    git = ["git", "-C", folder, "-c", "user.name=A", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "study"]):
        subprocess.run([*git, *words], check=True)
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


@pytest.mark.slow
def test_what_another_machine_rounded_is_compared_with_the_code_that_computed_it(here):
    results, commit = (
        Layout("quick").results("toy").read_bytes(),
        stamps.read(Layout("quick"), "toy")["commit"],
    )
    change(here, "return FACTOR * value", "return value * FACTOR")
    code, said = studylib("confirm")
    assert code == 0, said
    assert re.search(
        rf"; \d+ gave another result on this machine, but the same with the code of {commit} as", said
    ), said
    assert Layout("quick").results("toy").read_bytes() == results  # the stored results stay
    (sample,) = stamps.read(Layout("quick"), "toy")["tasks"]["code_of.tasks.work"]["samples"]
    assert 0 < sample["elsewhere"] <= sample["sample"]
    assert (
        f"not to the stored result but to what the code of {commit} gave on the same machine"
        in Layout("quick").page("method").read_text()
    )
    code, said = studylib("confirm", "toy")
    assert code == 1
    assert re.search(
        r"toy: DIFFERS: \d+ of 20 tasks .* for \{.*\}, give another result than the stored one", said
    ), said


@pytest.mark.slow
def test_rounding_elsewhere_is_no_excuse_for_a_change(here):
    commit = stamps.read(Layout("quick"), "toy")["commit"]
    change(here, "FACTOR = 1.0", "FACTOR = 1.0000000000000004")
    code, said = studylib("confirm")
    assert code == 1, said
    assert f"gives another result now than with the code of {commit}; use" in said


@pytest.mark.slow
def test_a_commit_that_is_not_there_cannot_excuse_anything(here):
    change(here, "return FACTOR * value", "return value * FACTOR")
    shutil.rmtree(here / ".git")
    code, said = studylib("confirm")
    assert code == 1, said
    assert "cannot be asked: fatal: not a git repository" in said


@pytest.mark.slow
def test_the_seed_is_fresh_unless_it_is_given(folder):
    seeds = {re.search(r"seed (\d+)", studylib("confirm")[1]).group(1) for _ in range(2)}
    assert len(seeds) == 2


@pytest.mark.slow
def test_other_data_or_parameters_cannot_be_confirmed(folder):
    (folder / "data/toy.csv").write_text("2\n")
    code, said = studylib("confirm")
    assert code == 1, said
    assert "cannot be confirmed, because data toy.csv changed" in said


def damage(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.slow
@pytest.mark.parametrize("lose", [Path.unlink, lambda path: path.write_bytes(b"")])
def test_a_clone_without_any_stored_results_is_told_to_reproduce(folder, lose):
    change(folder, "return FACTOR * value", "return value * FACTOR")
    lose(Layout("quick").tasks("toy"))
    code, said = studylib("confirm")
    assert code == 1, said
    assert "there are no results of its tasks in " in said
    assert "toy.jsonl; use `studylib reproduce`" in said
    assert studylib("status")[0] == 3


@pytest.mark.slow
def test_a_result_that_was_damaged_is_computed_and_the_others_are_confirmed(folder):
    change(folder, "return FACTOR * value", "return value * FACTOR")
    damage(Layout("quick").tasks("toy"))
    n_before = len(computed(folder))
    code, said = studylib("confirm")
    assert code == 0, said
    assert f"confirmed by sample, 20 of {N - 1} stored tasks were bit-equal" in said
    assert len(computed(folder)) == n_before + 20 + 1


@pytest.mark.slow
def test_cells_that_give_other_results_are_not_confirmed(folder):
    cells = (SETUP, 'found = run.map(tasks.work, [{{"notebook": "{name}", "i": i}} for i in range(n)])[:-1]')
    write_notebook(folder, "toy", (*cells, FINISH))
    code, said = studylib("confirm")
    assert code == 1, said
    assert "its cells give other results than before" in said
    assert stamps.read(Layout("quick"), "toy") is None


@pytest.mark.slow
def test_a_notebook_without_tasks_is_confirmed_by_its_cells(timed_folder):
    write_notebook(timed_folder, "toy", (SETUP, 'run.metric("one", tasks.scaled(1.0))', "run.finish()"))
    assert studylib("reproduce")[0] == 0
    change(timed_folder, "return FACTOR * value", "return value * FACTOR")
    code, said = studylib("confirm")
    assert code == 0, said
    assert "toy: confirmed: its cells, which use no stored tasks, give the same results" in said


@pytest.mark.slow
def test_results_that_cannot_be_read_are_not_confirmed(folder):
    Layout("quick").results("toy").write_text("{}")
    code, said = studylib("confirm")
    assert code == 1, said
    assert "toy: its file of results cannot be read; use `studylib reproduce`" in said


@pytest.mark.slow
def test_what_is_fresh_or_was_never_run_is_said_to_be(folder):
    code, said = studylib("confirm")
    assert code == 0, said
    assert "toy: fresh already" in said
    Layout("quick").stamp("toy").write_text(json.dumps([]))
    code, said = studylib("confirm")
    assert code == 1, said
    assert "there is no result to confirm" in said


@pytest.mark.slow
def test_a_fresh_notebook_that_is_named_is_computed_again_apart(folder):
    before = len(computed(folder))
    page = Layout("quick").index.read_bytes()
    code, said = studylib("confirm", "toy")
    assert code == 0, said
    assert f"toy: fresh; 20 of {N} stored tasks, drawn at random, are bit-equal when computed again" in said
    assert len(computed(folder)) == before + 20
    assert Layout("quick").index.read_bytes() == page
    path = Layout("quick").tasks("toy")  # results that were never computed
    rewrite(path, [{**json.loads(line), "result": 12345} for line in path.read_text().splitlines()])
    stamp = stamps.read(Layout("quick"), "toy") | {"tasks_sha256": file_hash(path)}
    write_json(Layout("quick").stamp("toy"), stamp)
    code, said = studylib("confirm", "toy")
    assert code == 1, said
    assert re.search(r"toy: DIFFERS: 20 of 20 tasks .* give another result than the stored one", said)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changed", "kept"), [("return value * FACTOR", True), ("return FACTOR - value", False)]
)
def test_memory_is_that_of_the_run_which_computed_the_tasks(folder, changed, kept):
    stamp = stamps.read(Layout("quick"), "toy")
    stamp["peak_memory_mib"] = 10**6
    write_json(Layout("quick").stamp("toy"), stamp)
    change(folder, "return FACTOR * value", changed)
    code, said = studylib("confirm" if kept else "reproduce")
    assert code == 0, said
    assert (stamps.read(Layout("quick"), "toy")["peak_memory_mib"] == 10**6) is kept


CLOCK = """

def clock(key, seed):
    return scaled(float(time.perf_counter_ns()))
"""
TIMED = (
    SETUP,
    'found = run.map(tasks.work, [{{"notebook": "{name}", "i": i}} for i in range(n)])',
    'run.judge("some-claim", run.map(tasks.clock, [{{}}])[0])',
    FINISH,
)


@pytest.fixture
def timed_folder(tmp_path, monkeypatch):
    """A study whose claim rests on a clock, in a task and so in the results."""
    folder = tmp_path / "timed"
    write_study(folder, n=N)
    write_notebook(folder, "toy", TIMED)
    with open(folder / "code_of/tasks.py", "a") as tasks:
        tasks.write(CLOCK)
    return use(folder, monkeypatch)


def list_claim(folder, timed=(), n=N):
    path = folder / "study.toml"
    lines = f'[notebook.toy]\nclaims = ["some-claim"]\ntimed = {json.dumps(list(timed))}'
    path.write_text(path.read_text().replace("[notebook.toy]", lines).replace(f"n = {N}", f"n = {n}"))


@pytest.mark.slow
def test_what_rests_on_time_is_measured_again_and_not_compared(timed_folder):
    list_claim(timed_folder, ["code_of.tasks.clock", "some-claim"])
    assert studylib("reproduce")[0] == 0
    before = json.loads(Layout("quick").results("toy").read_bytes())
    change(timed_folder, "return FACTOR * value", "return value * FACTOR")
    code, said = studylib("confirm")
    assert code == 0, said
    assert f"20 of {N} stored tasks were bit-equal; what rests on time was measured again" in said
    after = json.loads(Layout("quick").results("toy").read_bytes())
    assert after["metrics"] == before["metrics"]
    assert after["claims"]["some-claim"]["measured"] > before["claims"]["some-claim"]["measured"]
    tasks = stamps.read(Layout("quick"), "toy")["tasks"]
    assert tasks["code_of.tasks.clock"].get("confirmed", 0) == 0
    assert tasks["code_of.tasks.work"]["confirmed"] == N - 20


@pytest.mark.slow
def test_time_that_no_one_named_is_not_confirmed(timed_folder):
    list_claim(timed_folder, n=10)  # so few that all are computed again
    assert studylib("reproduce")[0] == 0
    change(timed_folder, "return FACTOR * value", "return value * FACTOR")
    code, said = studylib("confirm")
    assert code == 1, said
    assert "NOT confirmed: code_of.tasks.clock for {}" in said


@pytest.mark.slow
def test_only_a_claim_or_a_task_can_be_timed(timed_folder):
    list_claim(timed_folder, ["another-claim"])
    code, said = studylib("status")
    assert code == 2, said
    assert "key 'timed' names 'another-claim', which is neither one of its claims nor a task" in said
