"""The examples of the docstrings, of the README and of the guide run, and print what they say."""

import ast
import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from pathlib import Path

import pytest

import studylib

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def examples():
    """Every docstring with an example, by its full name."""
    blocks = {}
    for module in pkgutil.walk_packages(studylib.__path__, "studylib."):
        if not module.name.endswith("__main__"):
            for test in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(module.name)):
                blocks[test.name] = test
    return {name: test for name, test in blocks.items() if test.examples}


EXAMPLES = examples()


def test_examples_are_found():
    assert {
        "studylib.trees.predictor.TreePredictor",
        "studylib.pcf.forest.PartialClassificationForest",
    } <= set(EXAMPLES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_docstring_example_prints_what_it_says(name):
    report = io.StringIO()
    doctest.DocTestRunner(verbose=False).run(EXAMPLES[name], out=report.write, clear_globs=False)
    assert report.getvalue() == ""


def run_block(source, namespace):
    """Execute a block, and check each ``print(…)  # 0.045`` against what it prints; return all of that."""
    lines, everything = source.splitlines(), ""
    for statement in ast.parse(source).body:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(ast.Module([statement], []), "<example>", "exec"), namespace)
        claimed = re.search(r"print\(.*\) +# ([-\d. ]+)", lines[statement.end_lineno - 1])
        for number, got in zip(
            claimed[1].split() if claimed else (), printed.getvalue().split(), strict=False
        ):
            decimals = len(number.partition(".")[2])
            assert f"{float(got):.{decimals}f}" == number, lines[statement.end_lineno - 1]
        everything += printed.getvalue()
    return everything


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(p, marks=pytest.mark.slow if p.name in ("quickstart.md", "tuning.md") else (), id=p.name)
        for p in PAGES
    ],
)
def test_the_python_blocks_of_a_page_run_in_order(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    namespace = {"__name__": "__main__"}  # where dataclasses look for their module
    pattern = r"^```python\n(.*?)^```\n(?:\n```\n(.*?)^```\n)?"
    blocks = re.findall(pattern, page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks or page.name != "README.md"
    for block, shown in blocks:
        assert shown in run_block(block, namespace)
