"""Reasons for mutants that survive belong to lines that are still there."""

import runpy
import tomllib
from pathlib import Path

import pytest

mutants = runpy.run_path(str(Path(__file__).parents[1] / "tools" / "mutants.py"))


@pytest.mark.parametrize("module", mutants["TESTS"])
def test_reasons_are_about_mutants_that_exist(module):
    path = mutants["SOURCES"] / module
    lines = path.read_text(encoding="utf-8").splitlines()
    possible = {
        (lines[line - 1].strip(), what) for _, line, what, _ in mutants["mutations"](mutants["parsed"](path))
    }
    assert mutants["reasons"](module).keys() <= possible


def test_reasons_name_known_modules():
    entries = tomllib.loads(mutants["REASONS"].read_text(encoding="utf-8"))
    assert entries.keys() <= mutants["TESTS"].keys()
    assert all(entry["reason"] for module in entries.values() for entry in module)
