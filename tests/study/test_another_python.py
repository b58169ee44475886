"""A report that another Python computed: it stays as it is, and everybody is told."""

import json
import platform
from functools import partial

import pytest

from studylib.core.files import file_hash
from studylib.study import reproduce as runner
from studylib.study.freshness import keys, stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.store import TaskFile
from tests.study.small_study import N_TASKS, change, computed, rewrite, studylib

pytestmark = pytest.mark.slow

HERE = ".".join(platform.python_version_tuple()[:2])
#: The command line in a process that takes itself for Python 3.99, for which another numpy is locked.
ANOTHER = """
import sys
from studylib.study import cli
from studylib.study.freshness import keys
known, keys.PYTHON = keys._version, "3.99"
keys._version = lambda package: "99" if package == "numpy" else known(package)
sys.exit(cli.main(sys.argv[1:]))
"""
elsewhere = partial(studylib, program=("-c", ANOTHER))


@pytest.fixture
def remark(small):
    """How the difference is told."""
    numpy = stamps.read(Layout("quick"), "toy")["inputs"]["packages"]["numpy"]
    return f"computed with Python {HERE} (here 3.99), numpy {numpy} (here 99)"


def test_it_is_said_and_nothing_is_stale_or_computed_again_for_it(small, remark):
    layout, before = Layout("quick"), computed(small)
    stamp = layout.stamp("toy").read_bytes()
    code, printed = elsewhere("status")
    assert code == 0, printed
    assert printed.startswith("toy: fresh, ")
    assert f", {remark}, " in printed
    assert printed.count("\n") == 1
    code, printed = elsewhere("reproduce")
    assert code == 0, printed
    assert "1 notebook(s) fresh already" in printed
    assert computed(small) == before
    assert layout.stamp("toy").read_bytes() == stamp  # it names the Python that computed
    assert "Stale:" not in layout.page("notebooks").read_text()
    assert "stale:" not in layout.page("toy").read_text()


def test_any_other_change_is_found_all_the_same(small, remark):
    change(small / "code_of/helpers.py", "FACTOR = 1.0", "FACTOR = 2.0")
    code, printed = elsewhere("status")
    assert code == 3, printed
    first, *others = printed.splitlines()
    assert first.startswith("toy: stale since ")
    assert first.endswith(f", {remark}, because")
    assert others == ["    code_of/helpers.py changed"]


def of_another_python(layout, stamp, task, context):
    """Make a report, with the stored results of its one task, one of Python 3.98; returns the old context."""
    inputs = {**stamp["inputs"], "python": "3.98"}
    context_hash = context.with_python_of(inputs).hash
    assert context.hash == stamp["tasks"][task]["context"] != context_hash
    file = TaskFile(layout.tasks("toy"))
    entries = [{**entry, "context": context_hash} for entry in file.of(task, context.hash)]
    rewrite(layout.tasks("toy"), entries)
    stamp["tasks_sha256"] = file_hash(layout.tasks("toy"))
    stamp["tasks"][task]["context"] = context_hash
    layout.stamp("toy").write_text(json.dumps({**stamp, "inputs": inputs, "key": keys.key_of(inputs)}))


def test_a_notebook_that_runs_again_takes_no_result_of_another_python(small):
    layout, toy, before = Layout("quick"), current_study().notebook("toy"), len(computed(small))
    task = "code_of.tasks.work"
    of_another_python(layout, stamps.read(layout, "toy"), task, keys.task_context("code_of.tasks", toy.data))
    assert stamps.stale_because(layout, toy, "quick") == []
    notebook = json.loads(toy.path.read_text())
    notebook["cells"][-1]["source"] = ["more = 1\n", *notebook["cells"][-1]["source"]]
    toy.path.write_text(json.dumps(notebook))  # the tasks' code is as it was
    assert runner.reproduce("quick") == 0
    assert len(computed(small)) == before + N_TASKS
    after = stamps.read(layout, "toy")
    assert after["inputs"]["python"] == HERE
    assert after["tasks"][task]["n"] == N_TASKS


def test_a_sample_of_it_can_be_computed_again(small, remark):
    before, stamp = len(computed(small)), Layout("quick").stamp("toy").read_bytes()
    code, printed = elsewhere("confirm", "toy")
    assert code == 0, printed
    assert (
        f"toy: fresh; 20 of {N_TASKS} stored tasks, drawn at random, are bit-equal when computed again"
        in printed
    )
    assert f"; the stored ones were {remark}\n" in printed
    assert len(computed(small)) == before + 20
    assert Layout("quick").stamp("toy").read_bytes() == stamp


def test_tasks_of_data_that_are_absent_are_not_computed_again(small):
    """Such a report is fresh, but other data could not give its results."""
    (small / "data/toy.csv").unlink()
    before = computed(small)
    code, printed = elsewhere("confirm", "toy")
    assert code == 0, printed
    assert "fresh; there are no stored tasks to compute again" in printed
    assert computed(small) == before
