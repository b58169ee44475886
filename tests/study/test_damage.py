"""Whatever the files of a report hold, commands end in a sentence, and what is whole goes on."""

import io
import json
import random
import shutil
import subprocess
import sys

import pytest

from studylib.core.files import write_json
from studylib.study import cli
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.reading import parse_json, read_notebook
from studylib.study.ledger.study import current_study
from tests.study.judged_study import in_study, reproduce, write_judged_study
from tests.study.small_study import write_notebook

pytestmark = pytest.mark.slow

#: Text that is none of the files.
WRONG = ["", "{ half", "[]", "{}", "3", "null", "NaN", "[" * 100_000, '{"claims": ' * 2_000, "\x00", "\udcff"]
FILES = ["stamps/toy.json", "results/toy.json", "tasks/toy.jsonl", "notebooks/toy.ipynb", "evidence.json"]


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
    """The text, and JSON of the same value with something of another type at ``n`` random places."""
    places = []

    def walk(value, path):
        places.append(path)
        inner = (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        )
        for key, one in inner:
            walk(one, [*path, key])

    walk(json.loads(text), [])
    for path in chance.sample(places[1:], min(n, len(places) - 1)):
        value = at = json.loads(text)
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = chance.choice([w for w in ([], {}, None, 3, "x", [3], 1e999) if w != at[path[-1]]])
        yield json.dumps(value)


def run(capsys, *words):
    """The exit code; whatever was said is whole sentences."""
    code = cli.main(list(words))
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return code, said


@pytest.mark.parametrize("name", FILES)
def test_a_damaged_file_stops_no_command(folder, capsys, name):
    path = Layout("quick").folder / name
    whole = path.read_text()
    for text in [
        *WRONG,
        *altered(whole.splitlines()[0] if name.endswith("jsonl") else whole, random.Random(name)),
    ]:
        path.write_text(text, errors="surrogateescape")
        assert run(capsys, "status")[0] in (0, 3), text[:200]
        assert run(capsys, "judge")[0] == 0, text[:200]
        assert run(capsys, "verify")[0] in (0, 1), text[:200]


@pytest.mark.parametrize("name", FILES)
def test_the_other_notebook_runs_and_the_damaged_one_can(folder, capsys, name):
    path = Layout("quick").folder / name
    path.write_text("[3]")
    assert run(capsys, "reproduce", "two")[0] == 0
    assert run(capsys, "reproduce")[0] == 0
    assert run(capsys, "status") == (0, "")
    assert run(capsys, "verify")[0] == 0
    assert path.read_text() != "[3]"


@pytest.mark.parametrize("seconds", [{"a": 1}, ["x", "y"], "soon"])
def test_a_stamp_with_times_that_are_none_counts_as_absent(folder, seconds):
    path = Layout("quick").stamp("toy")
    write_json(path, {**json.loads(path.read_text()), "cell_seconds": seconds})
    assert stamps.read(Layout("quick"), "toy") is None


def test_a_function_that_cannot_judge_what_its_notebook_measured_is_named(folder, capsys):
    judging = folder / "sources/someone/judging.py"
    judging.write_text(judging.read_text().replace("measured >=", "measured['x'] >="))
    done = subprocess.run(
        [sys.executable, "-m", "studylib", "judge"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(
        "studylib: by-function: its rule cannot judge what was measured (TypeError: "
    )
    assert done.stderr.count("\n") == 1


# Notebooks

NO_NOTEBOOK = {
    "list": "[]",
    "table": "{}",
    "text": "hello",
    "empty": "",
    "deep": "[" * 100_000,
    "cells": '{"cells": [3], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    "source": '{"cells": [{"cell_type": "code", "source": 3, "metadata": {}, "outputs": [], "id": "a", '
    '"execution_count": null}], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    "version": '{"cells": [], "nbformat": 9, "nbformat_minor": 5, "metadata": {}}',
    "half a character": '{"cells": [{"cell_type": "markdown", "source": "\\ud800", "metadata": {}, "id": "a"}], '
    '"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    "absent": None,
}


@pytest.mark.parametrize("kind", NO_NOTEBOOK)
def test_a_notebook_that_is_none_is_one_sentence(tmp_path, kind):
    path = tmp_path / "x.ipynb"
    if NO_NOTEBOOK[kind] is not None:
        path.write_text(NO_NOTEBOOK[kind])
    with pytest.raises(ValueError, match="is no Jupyter notebook|cannot be read") as caught:
        read_notebook(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["list", "source", "absent"])
def test_a_broken_notebook_stops_no_other(folder, capsys, kind):
    path = folder / "notebooks/toy.ipynb"
    path.unlink()
    if NO_NOTEBOOK[kind] is not None:
        path.write_text(NO_NOTEBOOK[kind])
    Layout("quick").stamp("two").unlink()
    assert stamps.stale_because(Layout("quick"), current_study().notebook("toy"), "quick")[0].startswith(
        f"it cannot be read: {path}: "
    )
    code, said = run(capsys, "reproduce")
    assert code == 1
    assert "two: done" in said
    failed = [line for line in said.splitlines() if "FAILED" in line]
    assert len(failed) == 1
    assert failed[0].startswith(f"  toy: FAILED, ValueError: {path}: ")
    assert run(capsys, "status")[0] == 3


@pytest.mark.parametrize(
    "line", ["n = nan", "n = inf", f"n = 1{'0' * 400}", f"n = 1{'0' * 5000}", f"n = {'[' * 3000}"]
)
def test_a_parameter_that_no_file_can_hold_is_refused_in_one_sentence(folder, capsys, line):
    path = folder / "study.toml"
    path.write_text(path.read_text().replace("n = 2", line))
    code, said = run(capsys, "status")
    assert code == 2
    assert said.startswith(f"studylib: {path}: ")
    assert said.count("\n") == 1
    assert len(said) < 400


def test_messages_of_several_lines_are_one(folder, capsys):
    write_notebook(folder, "two", ("raise ValueError('first\\n\\n  second')",))
    code, said = run(capsys, "reproduce", "two")
    assert code == 1
    assert said == "  two: FAILED, ValueError: first second\n"


# Stored results


def test_lost_and_damaged_tasks_of_a_fresh_notebook_are_computed_again(folder, capsys):
    layout = Layout("quick")
    whole = layout.tasks("toy").read_bytes()
    for content in (None, b"", whole[:-9], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        layout.tasks("toy").unlink()
        if content is not None:
            layout.tasks("toy").write_bytes(content)
        before = (folder / "computed.log").read_text().count("\n")
        assert run(capsys, "verify")[0] == 1
        assert run(capsys, "status")[0] == 3
        assert run(capsys, "reproduce")[0] == 0
        computed = (folder / "computed.log").read_text().count("\n") - before
        assert computed == (1 if content and len(content) > 50 else 4)
        assert run(capsys, "verify")[0] == 0


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "[1e999]", "[" * 100_000, "{", "", '["\\uD800"]'])
def test_json_is_plain_and_finite(text):
    with pytest.raises(ValueError, match=".") as caught:
        parse_json(text)
    assert len(str(caught.value)) < 100


def test_json_keeps_every_bit_of_a_number():
    for number in (0.1, 1e-320, 2.0**-1074, 1.7976931348623157e308, -0.0, 5e-324):
        assert repr(parse_json(json.dumps(number))) == repr(number)
    assert parse_json(io.StringIO('{"a": [1, true, null, "x"]}').read()) == {"a": [1, True, None, "x"]}
