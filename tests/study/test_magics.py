"""Code in the magics of a notebook counts as code, and what cannot be followed is refused."""

import ast

import pytest

from studylib.study.freshness.magics import trees_of

RUN = {
    "%%time\nx = f(1)": "x = f(1)",
    "# first\n%time x = f(1)": "x = f(1)",
    "for i in y:\n    %time f(i)": "f(i)",
    "x = %time f(1)": "f(1)",
    "x = %timeit -o -n 3 -r2 f(1)": "f(1)",
    "%%timeit -n 3 y = 1\nf(y)": "y = 1\nf(y)",
    "%%capture said --no-stderr\nf(1)": "f(1)",
    "%prun -l 7 -s time f(1)": "f(1)",
    "%%time\n%timeit f(1)": "f(1)",
    "%%time\nfrom a import f\n\ndef g():\n    return f": "from a import f\n\ndef g():\n    return f",
    "get_ipython().run_line_magic('time', 'f(1)')": "f(1)",
}


@pytest.mark.parametrize("cell", RUN)
def test_the_code_that_a_magic_runs_is_found(cell):
    assert ast.unparse(ast.parse(RUN[cell])) in map(ast.unparse, trees_of(cell))


@pytest.mark.parametrize(
    "cell",
    [
        "x = 1",
        "%matplotlib inline\nx = 1",
        "%%html\n<b>1</b>",
        "f?",
        "%load_ext autoreload",
        "x = '%time f(1)'",
    ],
)
def test_harmless_cells_have_no_more_code(cell):
    assert len(trees_of(cell)) == 1


@pytest.mark.parametrize("cell", ["this is no Python", "\0", "(" * 100_000])
def test_what_is_no_python_has_no_tree(cell):
    assert trees_of(cell) == []


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ("!ls", "!"),
        ("files = !ls", "!"),
        ("%%bash\nls", "%%bash"),
        ("%run other.py", "%run"),
        ("%pip install x", "%pip"),
        ("%%writefile a.py\nx = 1", "%%writefile"),
        ("%memit f(1)", "%memit"),
        ("%%unknown_to_us\nf(1)", "%%unknown_to_us"),
        ("%%time\n!ls", "!"),
        ("get_ipython().run_cell('f()')", "get_ipython().run_cell"),
        ("get_ipython().run_line_magic(name, 'f()')", "%"),
        ("print(get_ipython().run_line_magic('run', 'a.py'))", "%run"),
    ],
)
def test_what_cannot_be_followed_is_refused_in_a_sentence(cell, named):
    with pytest.raises(ValueError, match="^a study: .* runs something that the study cannot follow") as error:
        trees_of(cell, "a study")
    assert f" {named} " in str(error.value)
    assert "\n" not in str(error.value)


def test_code_that_cannot_be_read_is_refused():
    with pytest.raises(ValueError, match="the code of %time cannot be read"):
        trees_of("%time f(")
