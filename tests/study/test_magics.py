"""Code in the magics of a notebook counts as code, and what cannot be followed is refused."""

import ast

import nbformat
import pytest

from studylib.study.freshness import keys
from studylib.study.freshness.magics import plain_python

RUN = {
    "%%time\nx = f(1)": "x = f(1)",
    "%%time --no-raise-error\nx = f(1)": "x = f(1)",
    "# first\n%time x = f(1)": "x = f(1)",
    "%time f(1)": "f(1)",
    "for i in y:\n    %time f(i)": "f(i)",
    "x = %time f(1)": "f(1)",
    "x = %timeit -o -n 3 -r2 f(1)": "f(1)",
    "%timeit -n3 f(1)": "f(1)",
    "%%timeit -n 3 y = 1\nf(y)": "y = 1\nf(y)",
    "%%capture\nf(1)": "f(1)",
    "%%capture said --no-stderr\nf(1)": "f(1)",
    "%prun -l 7 -s time f(1)": "f(1)",
    "%%prun -q\nf(1)": "f(1)",
    "%memit -r 1 f(1)": "f(1)",
    "%%time\n%timeit f(1)": "f(1)",
    "%%time\nfrom a import f\n\ndef g():\n    return f": "from a import f\n\ndef g():\n    return f",
}


@pytest.mark.parametrize("cell", RUN)
def test_the_code_that_a_magic_runs_stands_in_the_cell(cell):
    found = ast.unparse(ast.parse(plain_python(cell)))
    for line in ast.unparse(ast.parse(RUN[cell])).splitlines():
        assert line.strip() in [one.strip() for one in found.splitlines()], found


def test_what_a_magic_defines_is_defined_at_the_top():
    found = ast.parse(plain_python("%%time\nx = f(1)\n%time y = 2"))
    names = {n.id for n in ast.walk(found) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    assert names == {"x", "y"}
    assert not any(isinstance(n, (ast.FunctionDef, ast.Lambda)) for n in ast.walk(found))


@pytest.mark.parametrize(
    "cell",
    [
        "x = 1",
        "%matplotlib inline\nx = 1",
        "%%html\n<b>1</b>",
        "f?",
        "%time",
        "%%time",
        "%load_ext autoreload",
    ],
)
def test_harmless_cells_stay_python(cell):
    ast.parse(plain_python(cell))


def test_what_is_no_python_stays_as_it_is():
    assert plain_python("this is none").strip() == "this is none"


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ("!ls", "!"),
        ("files = !ls", "!"),
        ("%%bash\nls", "%%bash"),
        ("%run other.py", "%run"),
        ("%pip install x", "%pip"),
        ("%%writefile a.py\nx = 1", "%%writefile"),
        ("%%script python3\nx = 1", "%%script"),
        ("%store -r x", "%store"),
        ("%cd ..", "%cd"),
        ("%%unknown_to_us\nf(1)", "%%unknown_to_us"),
        ("%%time\n!ls", "!"),
        ("get_ipython().run_cell('f()')", "get_ipython().run_cell"),
        ("print(get_ipython().run_line_magic('run', 'a.py'))", "%run"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(cell, named):
    with pytest.raises(ValueError, match="^a study: .* runs something that the study cannot follow") as error:
        plain_python(cell, "a study")
    assert f" {named} " in str(error.value)
    assert "\n" not in str(error.value)


def test_code_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="the code of %time cannot be read"):
        plain_python("%time f(")


@pytest.fixture
def notebook(tmp_path):
    (tmp_path / "own.py").write_text("def f(x):\n    return 1\n")

    def write(cell):
        path = tmp_path / "a.ipynb"
        nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell)]), path)
        return type("N", (), {"path": path, "data": (), "parameters_for": lambda self, profile: {}})()

    return write


@pytest.mark.parametrize(
    "cell", ["%%time\nimport own\nown.f(1)", "import own\n%time own.f(1)", "import own\nown.f(1)"]
)
def test_a_function_that_only_a_magic_calls_is_part_of_the_key(notebook, cell):
    one = notebook(cell)
    before = keys.notebook_parts(one, "smoke")
    (one.path.parent / "own.py").write_text("def f(x):\n    return 2\n")
    found = keys.changes(before, keys.notebook_parts(one, "smoke"))
    assert len(found) == 1
    assert found[0].endswith("own.py changed")


def test_a_comment_behind_a_magic_is_no_change_and_another_option_is(notebook):
    before = keys.notebook_parts(notebook("%%time\nx = 1"), "smoke")
    assert keys.changes(before, keys.notebook_parts(notebook("%%time\nx = 1  # one"), "smoke")) == []
    for cell in ("%%time\nx = 2", "x = 1", "%%time --no-raise-error\nx = 1"):
        assert keys.changes(before, keys.notebook_parts(notebook(cell), "smoke")) == [
            "cells of the notebook changed"
        ]
