"""What a task opens and imports while it runs is in its key."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from studylib.study.freshness.keys import task_context
from studylib.study.ledger.study import read_study, study_root
from studylib.study.store import seed_of
from tests.study.audit import KEYS, ROOT, opened_by
from tests.study.small_study import use, write_study

SMALL = json.loads(KEYS.read_text(encoding="utf-8"))
MODULES = defaultdict(list)
for _task in SMALL:
    MODULES[_task.rpartition(".")[0]].append(_task)
#: That of one source, which ``make test`` runs.
QUICK = "studylib.studies.nonlinear_lecture.hash_tables"


def test_there_is_a_small_key_of_every_task_in_the_report():
    stamps = [
        json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("reports/paper/stamps/*.json")
    ]
    assert {task for stamp in stamps for task in stamp["tasks"]} == set(SMALL), (
        "run: python -m tests.study.audit"
    )


@pytest.mark.parametrize(
    "module", [pytest.param(m, marks=() if m == QUICK else pytest.mark.slow) for m in MODULES]
)
def test_all_that_the_tasks_of_a_module_open_is_in_their_keys(module):
    study = read_study(study_root())
    names = {SMALL[task]["notebook"] for task in MODULES[module]}
    listed = {path for name in names for path in study.notebook(name).data}
    calls = [
        (task.rpartition(".")[2], SMALL[task]["key"], seed_of(SMALL[task]["key"])) for task in MODULES[module]
    ]
    context = task_context(module, listed, folder=study.root / "notebooks")
    opened = opened_by(module, calls, study)
    assert any(path.suffix == ".py" for path in opened)
    # A list of real tables stands for the tables that it names; results computed on stand-ins have none.
    data = {study.data_path(path).resolve() for path in listed}
    assert opened - set(map(Path, context.files)) - data == set()


def test_a_file_that_is_in_no_key_is_found(tmp_path, monkeypatch):
    """The audit of a small study, whose task reads a file by a computed name until ``uses`` lists it."""
    folder = tmp_path / "study"
    write_study(folder)
    use(folder, monkeypatch)
    (folder / "code_of/tasks.py").write_text(
        "import importlib, pathlib\n\n\ndef work(key, seed):\n"
        "    name = 'plug' + 'in'\n    importlib.import_module(f'apart.{name}')\n"
        "    from code_of import helpers\n    here = pathlib.Path(__file__)\n"
        "    return [helpers.FACTOR, (here.parent / 'table.csv').read_text(),\n"
        "            (here.parents[1] / 'top.csv').read_text()]\n"
    )
    (folder / "apart").mkdir()
    for name in ("apart/plugin.py", "code_of/table.csv", "top.csv"):
        (folder / name).write_text("1\n")
    study = read_study(folder)
    opened = opened_by("code_of.tasks", [("work", {}, 0)], study)
    names = {path.relative_to(folder).as_posix() for path in opened}
    assert names == {
        "code_of/tasks.py",
        "code_of/helpers.py",
        "code_of/table.csv",
        "apart/plugin.py",
        "top.csv",
    }
    known = set(map(Path, task_context("code_of.tasks").files))
    assert opened - known == {folder / "apart/plugin.py", folder / "top.csv"}  # as the limits say
    assert opened <= set(map(Path, task_context("code_of.tasks", uses=["apart/*.py", "*.csv"]).files))
