"""Which code a function can reach: what changes its hash, and what does not."""

import pytest

from studylib.study.freshness.dependencies import STATEMENTS, Sources

FILES = {
    "pack/__init__.py": '"""A package."""\nfrom pack.kernels import kernel\nfrom pack.other import other\n',
    "pack/kernels.py": (
        '"""Kernels."""\n'
        "import math\nfrom functools import cache\n\n"
        "import numpy as np\n\n"
        "SIZE = 3  # a constant\n"
        "NEVER_USED = 4\n\n\n"
        '@cache\ndef kernel(x):\n    """Text."""\n    return math.sqrt(x) * SIZE + np.int64(helper(x))\n\n\n'
        "def helper(x):\n    return Base().value + x\n\n\n"
        "class Root:\n    value = 1\n\n\n"
        "class Base(Root):\n    def more(self):\n        return 2\n\n\n"
        "def not_used(x):\n    return x\n"
    ),
    "pack/other.py": "import pack.effects\n\n\ndef other():\n    return 1\n",
    "pack/effects.py": "TABLE = {}\nTABLE['a'] = 1\nregister = []\nregister.append(TABLE)\n",
    "pack/sub/__init__.py": "",
    "pack/sub/deep.py": "from ..kernels import helper as renamed\n\n\ndef deep():\n    return renamed(1)\n",
    "tasks.py": (
        "import pack\nfrom pack import kernel, sub\nimport pack.sub.deep\n\n\n"
        "def by_name(key, seed):\n    return kernel(1)\n\n\n"
        "def by_attribute(key, seed):\n    return pack.kernel(1)\n\n\n"
        "def by_path(key, seed):\n    return pack.sub.deep.deep()\n\n\n"
        "def inside(key, seed):\n    from pack.kernels import kernel as k\n\n    return k(1)\n\n\n"
        "def as_object(key, seed):\n    return vars(pack.kernels)\n\n\n"
        "def nothing(key, seed):\n    return 1\n\n\n"
        "def reads(key, seed):\n    return open('table.csv')\n"
    ),
    "table.csv": "1\n",
    "star.py": "from pack.kernels import *\n\n\ndef starred():\n    return helper(2)\n",
}


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def reach(folder, name, module="tasks", **options):
    found = Sources([(folder, None)], **options).reach([(module, name)])
    return {path.relative_to(folder).as_posix(): value for path, value in found.hashes.items()}


def replaced(folder, name, old, new):
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))


WAYS = ["by_name", "by_attribute", "inside"]


@pytest.mark.parametrize("way", WAYS)
def test_a_function_is_reached_whichever_way_it_is_imported(folder, way):
    assert {"tasks.py", "pack/kernels.py"} <= set(reach(folder, way))


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pack/kernels.py", "math.sqrt(x)", "math.cbrt(x)"),  # the function
        ("pack/kernels.py", "SIZE = 3", "SIZE = 4"),  # a constant it uses
        ("pack/kernels.py", "return Base().value + x", "return Base().value"),  # a function it calls
        ("pack/kernels.py", "return 2", "return 3"),  # a method of a class that it uses
        ("pack/kernels.py", "value = 1", "value = 2"),  # the base of that class
        ("pack/effects.py", "= 1", "= 2"),  # what runs on import
        ("tasks.py", "return kernel(1)", "return kernel(2)"),
    ],
)
def test_what_it_uses_changes_its_hash(folder, name, old, new):
    before = reach(folder, "by_name")
    replaced(folder, name, old, new)
    now = reach(folder, "by_name")
    assert {path for path in before if before[path] != now[path]} == {name}


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pack/kernels.py", '    """Text."""', '    """Another text."""'),
        ("pack/kernels.py", '"""Kernels."""', '"""Other kernels."""'),
        ("pack/kernels.py", "# a constant", "# another comment"),
        ("pack/kernels.py", "math.sqrt(x) * SIZE", "(math.sqrt(x)\n        * SIZE)"),
        ("pack/kernels.py", "NEVER_USED = 4", "NEVER_USED = 5"),
        ("pack/kernels.py", "def not_used(x):\n    return x", "def not_used(x):\n    return 2 * x"),
        ("pack/other.py", "return 1", "return 2"),
        ("tasks.py", "return vars(pack.kernels)", "return dir(pack.kernels)"),
    ],
)
def test_what_it_does_not_use_changes_nothing(folder, name, old, new):
    before = reach(folder, "by_name")
    replaced(folder, name, old, new)
    assert reach(folder, "by_name") == before


def test_a_path_of_modules_and_a_relative_import_are_followed(folder):
    before = reach(folder, "by_path")
    assert {"pack/sub/deep.py", "pack/kernels.py"} <= set(before)
    replaced(folder, "pack/kernels.py", "Base().value + x", "Base().value - x")
    assert reach(folder, "by_path") != before
    replaced(folder, "pack/kernels.py", "Base().value - x", "Base().value + x")
    replaced(folder, "pack/kernels.py", "SIZE = 3", "SIZE = 5")  # the kernel's, not the helper's
    assert reach(folder, "by_path") == before


def test_a_module_used_as_an_object_and_a_star_count_as_a_whole(folder):
    for name, module in (("as_object", "tasks"), ("starred", "star")):
        before = reach(folder, name, module)
        replaced(folder, "pack/kernels.py", "value = 1", "value = 7")
        assert reach(folder, name, module) != before, name
        replaced(folder, "pack/kernels.py", "value = 7", "value = 1")
    before = reach(folder, "as_object")
    replaced(folder, "pack/kernels.py", "NEVER_USED = 4", "NEVER_USED = 6")
    assert reach(folder, "as_object") != before


def test_a_file_that_is_named_counts_with_its_bytes(folder):
    before = reach(folder, "reads")
    assert "table.csv" in before
    (folder / "table.csv").write_text("2\n")
    assert reach(folder, "reads") != before


def test_a_file_of_the_system_is_no_input(folder):
    with (folder / "tasks.py").open("a") as file:
        file.write("\n\ndef memory(seed):\n    return open('/proc/self/status').read()\n")
    assert not any("status" in path for path in reach(folder, "memory"))


def test_modules_that_compute_nothing_are_left_out_and_exceptions_are_kept(folder):
    assert "pack/kernels.py" not in reach(folder, "by_path", ignored=["pack"])
    found = reach(folder, "by_path", ignored=["pack"], kept=["pack.sub.deep"])
    assert "pack/sub/deep.py" in found
    assert "pack/kernels.py" not in found


def test_imported_packages_are_named_and_the_standard_library_is_not(folder):
    found = Sources([(folder, None)]).reach([("tasks", "by_name")])
    assert found.packages == {"numpy"}


def test_cells_depend_on_what_they_use_of_the_modules_that_they_import(folder):
    def reached():
        sources = Sources([(folder, None)])
        cells = sources.from_text("__main__", "import tasks\nprint(tasks.by_name(2))\n", folder / "a.ipynb")
        return sources.reach([(cells, STATEMENTS)]).hashes

    before = reached()
    assert folder / "pack/kernels.py" in before
    replaced(folder, "tasks.py", "open('table.csv')", "open('other.csv')")
    assert reached() == before
    replaced(folder, "tasks.py", "return kernel(1)", "return kernel(3)")
    assert reached() != before


def test_a_change_is_seen_without_a_new_process(folder):
    sources = Sources([(folder, None)])
    before = sources.reach([("tasks", "nothing")]).hashes
    replaced(folder, "tasks.py", "    return 1\n", "    return 2\n")
    assert Sources([(folder, None)]).reach([("tasks", "nothing")]).hashes != before
