"""Whatever disturbs a study or damages its files, commands end in a sentence, and the study as if undisturbed.

A few random moments here; ``make stress`` has two hundred, by the same code.
"""

import json
import random
import shutil
import signal
import time

import psutil
import pytest

from studylib.study import cli, shapes
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.reading import read_notebook
from studylib.study.ledger.study import current_study
from tests.study.judged_study import in_study, reproduce, write_judged_study
from tests.study.small_study import write_notebook, write_study
from tests.study.stress import DAMAGES, DISKS, KILLED, LIMIT, SIGNALS, Storm, processes, start, still_there

pytestmark = pytest.mark.slow
FILES = ["stamps/toy.json", "results/toy.json", "tasks/toy.jsonl", "notebooks/toy.ipynb", "evidence.json"]
#: Text that is none of these files.
WRONG = ["", "{ half", "[]", "{}", "3", "null", "NaN", "[" * 100_000, '{"claims": ' * 2_000, "\x00", "\udcff"]
NOTEBOOK = '{"cells": [%s], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}'
NO_NOTEBOOK = {
    "list": "[]",
    "table": "{}",
    "text": "hello",
    "empty": "",
    "deep": "[" * 100_000,
    "cells": NOTEBOOK % 3,
    "source": NOTEBOOK
    % '{"cell_type": "code", "source": 3, "metadata": {}, "outputs": [], "id": "a", "execution_count": null}',
    "version": (NOTEBOOK % "").replace('nbformat": 4', 'nbformat": 9'),
    "half a character": NOTEBOOK
    % '{"cell_type": "markdown", "source": "\\ud800", "metadata": {}, "id": "a"}',
    "absent": None,
}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
@pytest.mark.parametrize(
    "kinds", [[f"killed {kind}" for kind in KILLED], [*DISKS, *DAMAGES]], ids=["kills", "files"]
)
def test_disturbed_at_random_moments_the_study_ends_with_the_same_files(tmp_path, kinds):
    storm = Storm(tmp_path, seed=0)
    storm.blow(len(kinds), kinds)
    storm.check()
    assert storm.counts.keys() == set(kinds)


@pytest.mark.parametrize("name", SIGNALS)
def test_interrupted_it_says_one_sentence_and_leaves_no_process(tmp_path, name):
    write_study(tmp_path / "study", names=("one",), n=50)
    process = start(tmp_path / "study")
    runner = psutil.Process(process.pid)
    while not processes(runner)["worker"]:
        assert process.poll() is None
        time.sleep(0.05)
    below = runner.children(recursive=True)
    process.send_signal(getattr(signal, name))
    _, errors = process.communicate(timeout=LIMIT)
    assert process.returncode == 128 + getattr(signal, name)
    assert errors.strip() == "studylib: stopped; what is finished is kept, run the same command to resume."
    assert not still_there(below)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A study of two notebooks with its report."""
    folder = tmp_path_factory.mktemp("damage") / "study"
    write_judged_study(folder)
    write_notebook(folder, "two")
    with (folder / "study.toml").open("a") as file:
        file.write('[notebook.two]\ndata = ["toy.csv"]\n[notebook.two.quick]\nn = 2\n')
    reproduce(folder)
    return folder


@pytest.fixture
def folder(made, tmp_path):
    """A copy, which is the current study."""
    shutil.copytree(made, tmp_path / "study")
    with in_study(tmp_path / "study"):
        yield tmp_path / "study"


def altered(text, chance, n=8):
    """JSON of a text's value with something of another type at ``n`` random places."""
    places = []

    def walk(value, path):
        places.append(path)
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, below in inner:
            walk(below, [*path, key])

    walk(json.loads(text), [])
    for path in chance.sample(places[1:], min(n, len(places) - 1)):
        value = at = json.loads(text)
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = chance.choice([w for w in ([], {}, None, 3, "x", [3], 1e999) if w != at[path[-1]]])
        yield json.dumps(value)


def run(capsys, *words):
    """The exit code and what was said, in whole sentences."""
    code = cli.main(list(words))
    errors = capsys.readouterr().err
    assert "Traceback" not in errors
    return code, errors


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_stops_no_command_and_is_written_anew(folder, capsys, name):
    path = Layout("quick").folder / name
    whole = path.read_text()
    first = whole.splitlines()[0] if name.endswith("jsonl") else whole
    for text in [*WRONG, *altered(first, random.Random(name)), "[3]"]:
        path.write_text(text, errors="surrogateescape")
        assert run(capsys, "status")[0] in (0, 3), text[:200]
        assert run(capsys, "judge")[0] == 0, text[:200]
        assert run(capsys, "verify")[0] in (0, 1), text[:200]
    assert run(capsys, "reproduce", "two")[0] == 0
    assert run(capsys, "reproduce")[0] == 0
    assert run(capsys, "status") == (0, "")
    assert run(capsys, "verify")[0] == 0
    assert path.read_text() != "[3]"


def write_no_notebook(path, kind):
    path.unlink(missing_ok=True)
    if NO_NOTEBOOK[kind] is not None:
        path.write_text(NO_NOTEBOOK[kind])


@pytest.mark.parametrize("kind", NO_NOTEBOOK)
def test_a_notebook_that_is_none_is_one_sentence(tmp_path, kind):
    path = tmp_path / "x.ipynb"
    write_no_notebook(path, kind)
    with pytest.raises(ValueError, match="is no Jupyter notebook|cannot be read") as caught:
        read_notebook(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["source", "absent"])
def test_a_broken_notebook_stops_no_other(folder, capsys, kind):
    path = folder / "notebooks/toy.ipynb"
    write_no_notebook(path, kind)
    Layout("quick").stamp("two").unlink()
    (stale, *_) = stamps.stale_because(Layout("quick"), current_study().notebook("toy"), "quick")
    assert stale.startswith(f"it cannot be read: {path}: ")
    code, printed = run(capsys, "reproduce")
    assert code == 1
    assert "two: done" in printed
    (failed,) = [line for line in printed.splitlines() if "FAILED" in line]
    assert failed.startswith(f"  toy: FAILED, ValueError: {path}: ")
    assert run(capsys, "status")[0] == 3


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1e999]", "[" * 100_000, "{", "", '["\\uD800"]'])
def test_json_is_plain_and_finite(text):
    with pytest.raises((ValueError, RecursionError), match=".") as caught:
        shapes.parsed(text.encode())
    assert len(str(caught.value)) < 100
