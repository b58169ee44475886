"""A study of a few small notebooks in a folder of its own, for tests of the engine."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from studylib.study import reproduce as runner
from studylib.study.store import Store, TaskFile, canonical, read_entry

#: The tasks of a study in which samples are drawn.
N_TASKS = 30
HEAD = "# {name}\n\n**Question.** Does it run?"
PARAMETERS = 'profile = "smoke"\nn = 2'
SETUP = 'from studylib.study import Run\n\nrun = Run("{name}", profile)\nfrom code_of import tasks'
MAP = 'found = run.map(tasks.work, [{{"notebook": "{name}", "i": i}} for i in range(n)])'
FINISH = 'run.metric("sum", sum(found))\nrun.finish()'

TASKS = '''
"""Tasks of the small study."""

import os
import pathlib
import time

import numpy as np

from code_of.helpers import FACTOR, scaled
from studylib.core.data import data_dir
from studylib.core.files import file_hash


def work(key, seed):
    """A slow task that leaves a line in the log each time it is computed."""
    time.sleep(float(os.environ.get("SMALL_STUDY_SECONDS", 0)))
    with open(pathlib.Path(os.environ["STUDYLIB_STUDY"]) / "computed.log", "a") as log:
        log.write(f"{key['notebook']} {key['i']}\\n")
    return scaled(float(np.random.default_rng(seed).normal())) + key["i"]


def unused(key, seed):
    return file_hash(key)
'''

HELPERS = '''
"""What the tasks use, and what they do not."""

FACTOR = 1.0  # a comment
UNUSED = 3


def scaled(value):
    """The value."""
    return FACTOR * value


def not_used():
    return UNUSED
'''

STUDY = """
title = "Small study"
subtitle = "For tests"

"""

SOURCE = """
short = "Someone"
author = "Some One"
title = "Some title"
"""

CLAIM = """
[[claim]]
id = "some-claim"
place = "p. 1"
statement = "One is one"
value = "1"
nature = "arithmetic"
kind = "exact"
rule = "equal"

[claim.judge]
published = 1
"""


def write_notebook(folder, name, cells=(SETUP, MAP, FINISH), head=HEAD):
    """Write one notebook; ``cells`` are its code cells after the parameters."""
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(head.format(name=name)),
            nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
            *(nbformat.v4.new_code_cell(cell.format(name=name)) for cell in cells),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    for k, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{k}"
    nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")


def write_study(folder, names=("toy",), n=3, claims=None):
    """Write a whole study; the profile ``quick`` sets ``n``, and ``claims`` gives notebooks theirs."""
    for part in ("notebooks", "data", "code_of", "sources/someone"):
        (folder / part).mkdir(parents=True)
    lines = [STUDY]
    for name in names:
        write_notebook(folder, name)
        key = f'"{name}"' if "." in name else name
        (folder / "data" / f"{name}.csv").write_text("1\n")
        lines += [f'[data."{name}.csv"]', f"[notebook.{key}]", f'data = ["{name}.csv"]']
        lines += [f"claims = {claims[name]}"] if claims and name in claims else []
        lines += [f"[notebook.{key}.quick]", f"n = {n}"]
    (folder / "study.toml").write_text("\n".join(lines) + "\n")
    (folder / "code_of/tasks.py").write_text(TASKS)
    (folder / "code_of/helpers.py").write_text(HELPERS)
    (folder / "sources/someone/source.toml").write_text(SOURCE)
    (folder / "sources/someone/claims.toml").write_text(CLAIM)


def environment(folder):
    """Environment variables under which the study in a folder runs."""
    return {
        "STUDYLIB_STUDY": str(folder),
        "STUDYLIB_REPORTS": str(folder / "reports"),
        "STUDYLIB_DATA": str(folder / "data"),
        "STUDYLIB_OFFLINE": "1",
    }


def use(folder, patch):
    """Make commands and notebooks of this process, and of its children, those of the study in a folder."""
    for name, value in environment(folder).items():
        patch.setenv(name, value)
    return folder


def reproduced(folder, **options):
    """A new study in a folder, run once."""

    write_study(folder, **options)
    with pytest.MonkeyPatch.context() as patch:
        use(folder, patch)
        assert runner.reproduce("quick") == 0
    return folder


def studylib(*words, program=("-m", "studylib")):
    """Exit code and output of a command, in a process of its own as for a user."""
    words = [sys.executable, *program, *words]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def computed(folder):
    """Tasks in the order in which they were computed, as ``"notebook i"``."""
    path = folder / "computed.log"
    return path.read_text().splitlines() if path.is_file() else []


def change(path, old, new):
    """Replace a text of a file where it first stands."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def git(folder, *words):
    """What git says of a folder."""
    words = ["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=e", *words]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def store_in(folder, context="context"):
    """A store in a folder of its own."""
    return Store(TaskFile(Path(folder) / "tasks.jsonl"), context)


def as_task(function):
    """A function of a test, put where a task has to be: in its module, under its own name."""
    function.__qualname__ = function.__name__
    setattr(sys.modules[function.__module__], function.__name__, function)
    return function


def rewrite(path, entries):
    """Write a file of tasks anew, with right checksums."""
    path.unlink(missing_ok=True)
    TaskFile(path).add([{k: v for k, v in entry.items() if k != "sha256"} for entry in entries])


def results_in(path):
    """Results in a file of tasks, by task, key and context: their order and times differ between runs."""
    lines = path.read_bytes().splitlines() if path.is_file() else []
    entries = [entry for line in lines if (entry := read_entry(line)) and "result" in entry]
    return {(e["task"], canonical(e["key"]), e["context"]): canonical(e["result"]) for e in entries}


def result_files(folder):
    """What must be equal between runs: the bytes of files of results, and the results in files of tasks."""
    reports = folder / "reports"
    files = {str(p.relative_to(reports)): p.read_bytes() for p in reports.glob("*/results/*.json")}
    for path in reports.glob("*/tasks/*.jsonl"):
        files |= {(path.stem, *place): result for place, result in results_in(path).items()}
    return files
