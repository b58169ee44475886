"""Stamps: which are taken for one, and what makes files stale."""

import copy
import json
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import pytest

from studylib.core.files import file_hash
from studylib.study.fingerprints import key_of
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import REPORTS_VARIABLE, Layout
from tests.study.small_study import git

INPUTS = {"code": {"a.py": "1"}, "data": {"t.csv": "2"}, "packages": {"numpy": "2"}, "python": "3.11", "cells": "c",
          "parameters": {"n": 1}}  # fmt: skip
NOTEBOOK = SimpleNamespace(name="one", path=Path("notebooks/one.ipynb"))


@pytest.fixture
def layout(tmp_path, monkeypatch):
    """A report with one notebook's files and their stamp."""
    monkeypatch.setenv(REPORTS_VARIABLE, str(tmp_path))
    layout = Layout("quick")
    for path in (layout.results("one"), layout.executed("one"), layout.tasks("one")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.parent.name)
    sample = {"seed": 1, "sample": 2, "of": 3, "at": "today"}
    task = {"context": "c", "n": 1, "seconds": 0.5, "confirmed": 0, "samples": [sample]}
    write(
        layout,
        {
            "key": key_of(INPUTS),
            "inputs": INPUTS,
            "results_sha256": file_hash(layout.results("one")),
            "executed_sha256": file_hash(layout.executed("one")),
            "tasks_sha256": file_hash(layout.tasks("one")),
            "environment": {"python": "3.11"},
            "commit": "c",
            "finished": "now",
            "wall_time_s": 1.5,
            "computing_s": 1,
            "tasks": {"t": task},
        },
    )
    return layout


def write(layout, stamp):
    layout.stamp("one").parent.mkdir(parents=True, exist_ok=True)
    layout.stamp("one").write_text(json.dumps(stamp))


def why(layout, parts=INPUTS):
    with mock.patch.object(stamps, "notebook_parts", return_value=parts):
        return stamps.stale_because(layout, NOTEBOOK, "quick")


def test_files_as_they_were_are_fresh(layout):
    assert why(layout) == []
    layout.stamp("one").unlink()
    assert why(layout) is None


def test_a_sample_may_say_where_it_was_computed(layout):
    places = ({"elsewhere": 1, "commit": "c"}, {"elsewhere": "one"}, {"commit": 5})
    for place, taken in zip(places, (True, False, False), strict=True):
        stamp = json.loads(layout.stamp("one").read_text())
        stamp["tasks"]["t"]["samples"] = [{"seed": 1, "sample": 2, "of": 3, "at": "today"} | place]
        write(layout, stamp)
        assert (stamps.read(layout, "one") is not None) == taken


def test_several_notebooks_of_a_folder_share_what_was_looked_for(layout, monkeypatch):
    given = []
    monkeypatch.setattr(stamps, "notebook_parts", lambda *inputs: given.append(inputs) or INPUTS)
    write(layout, {**stamps.read(layout, "one"), "key": "0"})
    other = SimpleNamespace(name="other", path=NOTEBOOK.path)
    same = SimpleNamespace(name="one", path=NOTEBOOK.path)
    reasons = stamps.staleness(layout, [NOTEBOOK, other, same], "quick")
    assert reasons == {"one": ["its stamp was altered"], "other": None}
    assert given == [(NOTEBOOK, "quick", given[0][2]), (same, "quick", given[0][2])]
    assert given[0][2] is not None


@pytest.mark.parametrize(
    ("what", "place"), [("results", "results"), ("outputs", "executed"), ("tasks", "tasks")]
)
def test_an_altered_or_lost_file_is_named(layout, what, place):
    path = getattr(layout, place)("one")
    path.write_text("other")
    assert why(layout) == [f"its file of {what} was altered or removed"]
    path.unlink()
    assert why(layout) == [f"its file of {what} was altered or removed"]


def test_an_altered_stamp_and_other_inputs_are_named(layout):
    stamp = stamps.read(layout, "one")
    assert why(layout, {**INPUTS, "cells": "d"}) == ["cells of the notebook changed"]
    write(layout, {**stamp, "key": "0"})
    assert why(layout) == ["its stamp was altered"]


@pytest.mark.parametrize("error", [OSError("no\nfile"), ValueError("no notebook"), SyntaxError("no Python")])
def test_a_notebook_that_cannot_be_read_is_stale(layout, error, monkeypatch):
    monkeypatch.setattr(stamps, "notebook_parts", mock.Mock(side_effect=error))
    (reason,) = stamps.stale_because(layout, NOTEBOOK, "quick")
    assert reason == f"it cannot be read: {' '.join(str(error).split())}"


def places(value, path=()):
    """Every place in nested tables and lists."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from places(inner, (*path, key))


def test_every_field_of_a_stamp_is_needed_and_of_its_kind(layout):
    whole = {**stamps.read(layout, "one"), "executor": "local", "peak_memory_mib": 1.5, "cell_seconds": [0.1]}
    write(layout, whole)
    assert stamps.read(layout, "one") == whole
    free = {"executor", "peak_memory_mib", "cell_seconds"}
    for path in list(places(whole)):
        if path[:2] == ("inputs", "parameters") and len(path) > 2:
            continue  # of any kind
        wrong = copy.deepcopy(whole)
        inside = wrong
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = None
        write(layout, wrong)
        assert stamps.read(layout, "one") is None, f"{path} may be null"
        named = path[-1] not in ("a.py", "t.csv", "numpy", "t") and path != ("environment", "python")
        if isinstance(inside, dict) and named and path[0] not in free:
            del inside[path[-1]]
            write(layout, wrong)
            assert stamps.read(layout, "one") is None, f"{path} may be missing"


# Verdicts


def study(hashes, ledger="new"):
    claims = {name: SimpleNamespace(rule_hash=value) for name, value in hashes.items()}
    return SimpleNamespace(ledger=SimpleNamespace(hash=ledger, claims=claims))


def verdicts(layout, ledger="old", **hashes):
    claims = {name: {"rule_sha256": value} for name, value in hashes.items()}
    layout.evidence.write_text(json.dumps({"ledger_sha256": ledger, "claims": claims}))


def test_verdicts_are_stale_where_a_rule_changed(layout):
    assert stamps.stale_verdicts(layout, study({"a": "1"})) == []  # there are none yet
    verdicts(layout, a="1", b="2")
    assert stamps.stale_verdicts(layout, study({"a": "1", "b": "2"}, ledger="old")) == []
    assert stamps.stale_verdicts(layout, study({"a": "x"}, ledger="old")) == []
    assert stamps.stale_verdicts(layout, study({"a": "x", "b": "2"})) == ["the rule of a changed"]
    assert stamps.stale_verdicts(layout, study({"a": "1"})) == ["b is no longer in the ledger"]
    (reason,) = stamps.stale_verdicts(layout, study({"a": "1", "b": "2", "c": "3"}))
    assert reason == "the ledger changed: a text, a deviation or a function that judges, but no rule's table"
    for damaged in ("{", "[]", '{"ledger_sha256": 1, "claims": {}}', '{"claims": {}}', '{"ledger_sha256": "x"}',
                    '{"ledger_sha256": "x", "claims": {"a": {}}}', '{"ledger_sha256": "x", "claims": {"a": 1}}'):  # fmt: skip
        layout.evidence.write_text(damaged)
        assert stamps.stale_verdicts(layout, study({"a": "1"})) == []


# Provenance


def test_a_commit_is_named_and_whether_files_differ_from_it(tmp_path, monkeypatch):
    reports = tmp_path / "reports"
    monkeypatch.setattr(stamps, "current_study", lambda: SimpleNamespace(root=tmp_path))
    layout = SimpleNamespace(folder=reports / "quick")
    assert stamps.commit(layout) == "unknown (not a git checkout)"
    for name in ("a.py", "reports/quick/one.json", "reports/paper/one.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "one")
    head = git(tmp_path, "rev-parse", "HEAD")[:12]
    (tmp_path / "untracked").write_text("1")
    (reports / "quick/one.json").write_text("2")  # its own report
    assert stamps.commit(layout) == head
    elsewhere = SimpleNamespace(folder=tmp_path.parent / "elsewhere")
    assert stamps.commit(elsewhere) == f"{head} (modified)"
    (tmp_path / "a.py").write_text("2")
    assert stamps.commit(layout) == f"{head} (modified)"


def test_the_environment_names_the_packages_that_compute_and_draw(monkeypatch):
    versions = stamps.environment()
    assert list(versions) == [
        "python", "studylib", "numpy", "pandas", "numba", "scikit-learn", "scipy", "matplotlib", "papermill",
        "system", "processor",
    ]  # fmt: skip
    assert versions["numpy"] == __import__("numpy").__version__
    assert "not installed" not in versions.values()
    monkeypatch.setattr(stamps, "PACKAGES", ("no-such-package",))
    assert stamps.environment()["no-such-package"] == "not installed"


def test_the_processor_is_named_as_the_system_names_it(tmp_path, monkeypatch):
    monkeypatch.setattr(stamps.platform, "processor", lambda: "x86")
    info = tmp_path / "cpuinfo"
    monkeypatch.setattr(stamps, "Path", {"/proc/cpuinfo": info}.__getitem__)
    assert stamps._processor() == "x86"  # no such file
    info.write_text("processor\t: 0\ncores\t: 4\n")
    assert stamps._processor() == "x86"
    info.write_text("processor\t: 0\nmodel name\t: A: fast one \nmodel name\t: another\n")
    assert stamps._processor() == "A: fast one"
    info.unlink()
    monkeypatch.setattr(stamps.platform, "processor", lambda: "")
    assert stamps._processor() == "unknown"
