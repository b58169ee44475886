"""Which files some code depends on: whatever is altered in one of them changes what is kept of it."""

import ast
import os

import pytest

from studylib.study.freshness.dependencies import Modules, module_of
from tests.study.small_study import change

#: A small study.  Tasks import the package in each way that there is; ``apart`` is imported by nobody.
FILES = {
    "tasks.py": (
        '"""Tasks."""\n'
        "from math import floor as rounded\nimport pack.deep.leaf\nfrom pack import inner, kernel as k\n"
        "TABLE = 1\nTABLE = 2\n"
        "try:\n    from fast import f\nexcept ImportError:\n    from slow import f\n"
        "if TABLE:\n    import branch\nelse:\n    import other_branch\n"
        'NAMES = {"a": "pack.named", "b": "pack.entry:start"}\n'
        "match TABLE:\n    case [captured]:\n        pass\n"
        "def work(key, seed):\n    import late\n    class Local:\n        from pack import in_class\n"
        '    return __import__("alone"), importlib.import_module(".relative", "pack")\n'
    ),
    "pack/__init__.py": '__all__ = ["kernel", "listed"]\nfrom pack.kernels import *\nfrom pack.kernels import kernel\n',
    "pack/kernels.py": 'SIZE = 3  # a comment\ndef kernel(x):\n    """Text."""\n    return x * SIZE\n',
    "pack/table.csv": "1\n",
    "pack/tables/deeper/more.csv": "1\n",
    "pack/words.toml": "a = 1\n",
    **dict.fromkeys(
        (
            "fast.py", "slow.py", "branch.py", "other_branch.py", "late.py", "alone.py", "pack/inner.py",
            "pack/deep/__init__.py", "pack/deep/leaf.py", "pack/named.py", "pack/entry.py", "pack/in_class.py",
            "pack/listed.py", "pack/relative.py", "pack/star.py", "space/part.py", "apart/__init__.py",
            "used/plugin.py", "used/from_plugin.py", "data/table.csv", "top.csv",
        ),
        "X = 1\n",
    ),
    "pack/deep/own.csv": "1\n",
    "space/beside.json": "{}\n",
    "pack/compiled.so": "machine code",
    "used/plugin.py": "from used.from_plugin import X\n",
    "apart/table.csv": "1\n",
}  # fmt: skip
FILES["pack/inner.py"] = "from . import compiled\nfrom .star import *\nimport space.part\n"
FILES["pack/relative.py"] = 'import importlib\nimportlib.import_module(".kernels", __package__)\n'
COUNT = FILES.keys() - {"apart/__init__.py", "apart/table.csv", "data/table.csv", "top.csv"}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def hashes(folder, names=("tasks",), **options):
    modules = Modules([(folder, None), (folder / "notebooks", None)])
    uses = [folder / "used/plugin.py"] if names == ("tasks",) else []
    closure = modules.closure(names, files=uses, **options)
    return {path.relative_to(folder).as_posix(): value for path, value in closure.hashes.items()}


def test_whatever_is_imported_counts_however_it_is_imported(folder):
    assert hashes(folder).keys() == COUNT


@pytest.mark.parametrize("name", sorted(COUNT))
def test_an_alteration_of_each_file_that_counts_is_seen(folder, name):
    before = hashes(folder)
    text = (folder / name).read_text()
    (folder / name).write_text(text + ("Y = 2\n" if name.endswith(".py") else "2\n"))
    now = hashes(folder)
    assert {key for key in before if before[key] != now[key]} == {name}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("from math import floor as rounded", "from math import ceil as rounded"),
        ("TABLE = 1\nTABLE = 2", "TABLE = 2\nTABLE = 1"),
        ("from fast import f\nexcept ImportError:\n    from slow", "from slow import f\nexcept ImportError:\n    from fast"),
        ("if TABLE", "if not TABLE"),
        ("def work(key, seed)", "@registry.getter\ndef work(key, seed)"),
        ("def work(key, seed)", "def work(key, seed=1)"),
        ("import late", "from late import *"),
        ('"a": "pack.named", "b": "pack.entry:start"', '"b": "pack.named", "a": "pack.entry:start"'),
        ("TABLE = 1", "TABLE = 1.0"),
    ],
)  # fmt: skip
def test_whatever_is_altered_in_a_module_is_seen(folder, old, new):
    before = hashes(folder)
    change(folder / "tasks.py", old, new)
    assert hashes(folder)["tasks.py"] != before["tasks.py"]


def test_every_kind_of_statement_and_operator_is_in_the_text():
    """The names of fields and classes are all there, so no two trees of other nodes have one text."""
    operators = ["+", "-", "*", "@", "/", "%", "**", "<<", ">>", "|", "^", "&", "//", "<", ">", "<=", ">=",
                 "==", "!=", "is", "is not", "in", "not in", "and", "or", "if 1 else"]  # fmt: skip
    texts = [f"a {operator} b" for operator in operators]
    texts += ["not a", "~a", "+a", "-a", "a.b", "a[b]", "a[b:]", "a[:b]", "a(b)", "a(*b)", "a(**b)", "a(b=b)",
              "[a]", "[*a]", "(a,)", "{a}", "{a: b}", "{**a}", "[a for a in b]", "{a for a in b}",
              "(a for a in b)", "{a: b for a in b}", "[a for a in b if a]", "lambda a: b", "lambda *a: b",
              "lambda a, /: b", "lambda *, a: b", "lambda *, a=b: b", "f'{a}'", "f'{a!r}'", "f'{a:b}'", "'a'",
              "b'a'", "...", "raise a", "raise a from b", "assert a", "assert a, b", "return a", "global a",
              "nonlocal a", "pass", "break", "continue", "import a", "import a as b", "from a import b",
              "from . import b", "from .. import b", "for a in b: pass", "while a: pass", "with a: pass",
              "a += b", "a: b = b", "a = None", "a = 'None'", "(a := b)", "del a", "yield a",
              "match a:\n case [b]: pass", "match a:\n case [*b]: pass",
              "with a as b: pass", "try: pass\nexcept a: pass", "try: pass\nexcept* a: pass",
              "try: pass\nfinally: a", "class a: pass", "class a(b): pass", "class a(b=b): pass",
              "def a(): pass", "def a() -> b: pass", "async def a(): pass", "@b\ndef a(): pass"]  # fmt: skip
    assert len({module_of(ast.parse(text)).hash for text in texts}) == len(texts)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("tasks.py", '"""Tasks."""\n', ""),
        ("tasks.py", "TABLE = 2\n", "TABLE = 2  # a comment\n\n\n"),
        ("tasks.py", "    return __import__", "    'text'\n    return (__import__)"),
        ("pack/kernels.py", '"""Text."""', '"""Another text."""'),
        ("apart/__init__.py", "X = 1", "X = 2"),
        ("apart/table.csv", "1", "2"),
        ("data/table.csv", "1", "2"),
        ("top.csv", "1", "2"),
    ],
)
def test_what_changes_no_result_is_not_seen(folder, name, old, new):
    before = hashes(folder)
    change(folder / name, old, new)
    assert hashes(folder) == before


@pytest.mark.parametrize(
    "name",
    ["pack/notes.md", "pack/a.ipynb", "pack/.hidden", "pack/table.csv~", "pack/table.csv.bak", "pack/claims.toml",
     "pack/source.toml", "pack/deviations.toml", "pack/study.toml", "pack/tables/__pycache__/a.csv", "pack/alone.py",
     "notebooks/a.csv", "apart/b.csv", "b.csv"],
)  # fmt: skip
def test_a_new_file_that_is_no_data_of_the_package_is_not_seen(folder, name):
    before = hashes(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("1\n")
    assert hashes(folder) == before


@pytest.mark.parametrize(
    "name", ["pack/new.csv", "pack/tables/b", "pack/deep/a.pickle", "space/a.txt", "pack/new/a.csv"]
)
def test_a_new_file_beside_a_module_of_a_package_is_seen(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text("1\n")
    assert name in hashes(folder)


def test_the_order_in_which_python_looks(folder):
    """A package before a module, a compiled module before a source, and a folder without ``__init__`` last."""
    modules = Modules([(folder, None)])
    (folder / "fast").mkdir()
    assert modules.find("fast").path == folder / "fast.py"
    (folder / "fast/__init__.py").touch()
    (folder / "slow.so").touch()
    modules = Modules([(folder, None)])
    assert modules.find("fast") == (folder / "fast/__init__.py", (folder / "fast",))
    assert modules.find("slow").path == folder / "slow.so"
    assert modules.find("space") == (None, (folder / "space",))
    assert modules.find("fast.py") is modules.find("nothing") is modules.find("tasks.inner") is None
    first, second = folder / "one", folder / "two"
    for place in (first, second):
        (place / "space").mkdir(parents=True)
        (place / f"space/{place.name}.py").touch()
    modules = Modules([(first, None), (second, "space"), (folder, "tasks")])
    assert modules.find("space.two").path == second / "space/two.py"
    assert modules.find("tasks")
    assert not modules.find("fast")  # another package of that folder


def test_packages_from_elsewhere_and_what_computes_nothing(folder):
    more = "import numpy.linalg, os, pandas as pd, draw.deep, space.part"
    change(folder / "tasks.py", "import pack.deep.leaf", more)
    (folder / "draw").mkdir()
    (folder / "draw/__init__.py").touch()
    (folder / "draw/kept.py").write_text("import yaml\n")
    (folder / "draw/deep.py").write_text("import never\n")
    change(folder / "late.py", "X = 1", "from draw.kept import X")
    modules = Modules([(folder, None)], ["draw"], ["draw.kept"])
    closure = modules.closure(["tasks"])
    assert closure.packages >= {"numpy", "pandas", "yaml"}
    assert closure.packages.isdisjoint({"os", "never", "math", "draw", "pack"})
    assert closure.ignored == {"draw.deep": "tasks.py"}
    assert folder / "draw/kept.py" in closure.hashes
    assert folder / "draw/deep.py" not in closure.hashes


def test_code_of_cells_is_followed_and_a_file_is_read_again_when_it_was_written(folder):
    tree = ast.parse("from space.part import X")
    before = hashes(folder, (), trees=[tree])
    assert before.keys() == {"space/part.py", "space/beside.json"}
    state = (folder / "space/part.py").stat()
    (folder / "space/part.py").write_text("X = 2\n")
    os.utime(folder / "space/part.py", ns=(state.st_atime_ns, state.st_mtime_ns))
    assert hashes(folder, (), trees=[tree]) != before
