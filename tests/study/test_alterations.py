"""Whatever is altered in code that a task runs, the task's key changes."""

import json
import subprocess
import sys

import pytest

from tests.study.alterations import KEYS, ROOT

pytestmark = pytest.mark.slow

#: Different estimators, none of which takes a second as plain Python.
TASKS = (
    "studylib.studies.mushrooms.published_trees.variation_task",
    "studylib.studies.pcf.experiments.readings",
    "studylib.studies.nonlinear_lecture.experiments.boosting_rounds",
    "studylib.studies.nonlinear_lecture.neighbours.vote_weights",
)


def test_there_is_a_small_key_of_every_task_in_the_report():
    small = json.loads(KEYS.read_text(encoding="utf-8"))
    stamps = [
        json.loads(path.read_text(encoding="utf-8")) for path in ROOT.glob("reports/paper/stamps/*.json")
    ]
    tasks = {task for stamp in stamps for task in stamp["tasks"]}
    assert tasks == set(small), "run: python -m tests.study.alterations --keys"


def test_forty_alterations_change_the_keys_of_the_tasks_that_run_them():
    """Of more tasks and alterations by ``python -m tests.study.alterations``."""
    words = [sys.executable, "-m", "tests.study.alterations", "--number", "40", "--tasks", *TASKS]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "40 alterations, 0 unseen" in done.stdout
