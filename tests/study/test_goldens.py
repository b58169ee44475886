"""What the notebooks find, against what they found when their outputs were committed."""

import json
from pathlib import Path

import pytest

from studylib.core.data import data_dir
from studylib.study.evidence.verdicts import load_results
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.run.context import Context
from studylib.study.run.execute import execute
from tests.tiers import by_notebook

GOLDENS = Path(__file__).parents[1] / "goldens"

NOTEBOOKS = current_study().notebooks


def has_data(notebook):
    return all((data_dir() / path).is_file() for path in notebook.data)


def compare(results, golden):
    assert results["data"] == golden["data"]
    assert results["metrics"].keys() == golden["metrics"].keys()
    for name, expected in golden["metrics"].items():
        value = results["metrics"][name]["value"]
        assert value == pytest.approx(expected["value"], rel=0, abs=expected["tolerance"]), name
    assert results["claims"].keys() == golden["claims"].keys()
    for claim, given in golden["claims"].items():
        assert shape(results["claims"][claim]) == shape(given), claim


def shape(given):
    """The form of a measurement: names, lengths and kinds, without numbers."""
    if isinstance(given, dict):
        return {name: shape(value) for name, value in given.items()}
    if isinstance(given, list):
        return [len(given), shape(given[0]) if given else None]
    return (
        "number" if isinstance(given, (int, float)) and not isinstance(given, bool) else type(given).__name__
    )


@pytest.mark.parametrize("name", by_notebook(NOTEBOOKS))
def test_notebook_finds_its_golden_on_real_data(name):
    notebook = NOTEBOOKS[name]
    if notebook.data and not has_data(notebook):
        pytest.skip(f"{name}: {notebook.data[0]} is not in {data_dir()}; its simulated golden is tested")
    # Written by nbval in this very session, if it has come so far.
    stored = load_results(Layout("smoke", by_hand=True), name)
    if stored is None:
        assert execute(notebook, "smoke", Context()) is None
        stored = load_results(Layout("smoke"), name)
    compare(stored, json.loads((GOLDENS / f"{name}.real.json").read_text(encoding="utf-8")))


@pytest.mark.slow
@pytest.mark.parametrize("name", [s.name for s in NOTEBOOKS.values() if s.data])
def test_notebook_finds_its_golden_on_simulated_data(name, monkeypatch, tmp_path):
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path / "empty"))
    monkeypatch.setenv("STUDYLIB_OFFLINE", "1")
    monkeypatch.setenv("STUDYLIB_REPORTS", str(tmp_path / "reports"))
    assert execute(NOTEBOOKS[name], "smoke", Context()) is None
    stored = load_results(Layout("smoke"), name)
    assert stored["simulated"]
    compare(stored, json.loads((GOLDENS / f"{name}.simulated.json").read_text(encoding="utf-8")))


def test_every_golden_has_its_notebook():
    assert {p.name.split(".")[0] for p in GOLDENS.glob("*.json")} == set(NOTEBOOKS)
