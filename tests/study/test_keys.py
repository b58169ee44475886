"""What makes a result stale, each part by itself, and how that is said."""

import os
import platform
from types import SimpleNamespace

import nbformat
import pytest

from studylib.study.fingerprints import state_of
from studylib.study.freshness import keys
from tests.study.small_study import change

PARTS = {
    "code": {"a.py": "1", "b.py": "2"},
    "data": {"t.csv": "3"},
    "packages": {"numpy": "2.0"},
    "python": "3.11",
    "cells": "4",
    "parameters": {"n": 5},
}
OF_TASKS = ("code", "data", "packages", "python")


def with_part(name, value):
    return {**PARTS, name: value}


@pytest.mark.parametrize(
    ("now", "message"),
    [
        (PARTS, []),
        (with_part("code", {"a.py": "1", "b.py": "2", "c.py": "3"}), ["c.py is used now"]),
        (with_part("code", {"a.py": "1", "b.py": "x"}), ["b.py changed"]),
        (with_part("code", {"a.py": "1"}), ["b.py is no longer used"]),
        (with_part("data", {"t.csv": "x"}), ["data t.csv changed"]),
        (with_part("data", {"t.csv": "absent"}), []),
        (with_part("data", {"t.csv": "3", "u.csv": "absent"}), ["data u.csv is used now"]),
        (with_part("data", {}), []),
        (with_part("packages", {"numpy": "2.1"}), ["numpy 2.0 → 2.1"]),
        (with_part("packages", {}), ["numpy 2.0 → not used"]),
        (with_part("packages", {"numpy": "2.0", "dask": "1"}), ["dask not used → 1"]),
        (with_part("python", "3.12"), []),
        ({**PARTS, "python": "3.12", "packages": {"numpy": "2.1"}}, []),
        ({**PARTS, "python": "3.12", "packages": {}}, ["numpy 2.0 → not used"]),
        ({**PARTS, "python": "3.12", "data": {"t.csv": "x"}}, ["data t.csv changed"]),
        (with_part("cells", "x"), ["cells of the notebook changed"]),
        (with_part("uses", ["*.csv"]), ["'uses' in study.toml changed"]),
        (with_part("parameters", {"n": 6}), ["parameter n: 5 → 6"]),
        (with_part("parameters", {}), ["parameter n: 5 → None"]),
        ({k: PARTS[k] for k in OF_TASKS}, ["cells of the notebook changed", "parameter n: 5 → None"]),
        (with_part("parameters", {"n": 5, "m": "a"}), ["parameter m: None → 'a'"]),
    ],
)
def test_each_change_is_said(now, message):
    assert keys.changes(PARTS, now) == message


@pytest.mark.parametrize(
    ("here", "numpy", "message"),
    [
        ("3.11", "2.0", ""),
        ("3.11", "2.1", ""),  # a change, as any
        ("3.12", "2.0", "computed with Python 3.11 (here 3.12)"),
        ("3.12", "2.1", "computed with Python 3.11 (here 3.12), numpy 2.0 (here 2.1)"),
    ],
)
def test_another_python_is_named_with_its_packages(here, numpy, message, monkeypatch):
    monkeypatch.setattr(keys, "PYTHON", here)
    monkeypatch.setattr(keys, "_version", {"numpy": numpy}.__getitem__)
    assert keys.another_python(PARTS) == message


def test_a_context_as_it_was_with_another_python():
    context = keys.TaskInputs({**PARTS, "packages": {"numpy": "2.0", "numba": "1"}}, ("a.py",))
    remote = {**PARTS, "python": "3.12", "packages": {"numpy": "2.1", "dask": "3"}, "code": {}, "data": {}}
    other = context.with_python_of(remote)
    packages = {"numpy": "2.1", "numba": "1"}
    assert other == keys.TaskInputs({**PARTS, "python": "3.12", "packages": packages}, ("a.py",))
    assert context.with_python_of(context.parts) == context != other


@pytest.mark.parametrize(
    ("remote", "message"),
    [
        (PARTS, None),
        (with_part("code", {"a.py": "1", "b.py": "x"}), "b.py is another version there"),
        (with_part("code", {"a.py": "1"}), "b.py is absent there"),
        (with_part("code", {"a.py": "1", "b.py": "2", "c.py": "3"}), "c.py is another version there"),
        (with_part("data", {"t.csv": "x"}), "the data file t.csv is another version there"),
        (with_part("data", {"t.csv": "absent"}), "the data file t.csv is absent there"),
        (with_part("packages", {"numpy": "2.1"}), "numpy is 2.1 there and 2.0 here"),
        (with_part("packages", {}), "numpy is not used there and 2.0 here"),
        (with_part("python", "3.12"), "Python is 3.12 there and 3.11 here"),
    ],
)
def test_the_first_difference_of_another_machine_is_named(remote, message):
    kind, words = keys.first_difference(PARTS, remote) or (None, None)
    assert words == message
    assert kind is None or remote[kind] != PARTS[kind]


def test_the_hash_of_parts_depends_on_every_part_and_not_on_their_order():
    assert keys.key_of(PARTS) == keys.key_of(dict(reversed(PARTS.items())))
    others = [with_part(name, "x") for name in PARTS]
    assert len({keys.key_of(parts) for parts in [PARTS, *others]}) == 7
    assert keys.TaskInputs(PARTS, ()).hash == keys.key_of(PARTS)


def test_a_file_that_was_written_has_another_signature(tmp_path):
    path = tmp_path / "a.py"
    assert state_of([path]) == [[str(path), 0, 0, 0]]
    path.write_text("1")
    before = state_of([path])
    assert state_of([path]) == before
    state = path.stat()
    assert before == [[str(path), state.st_mtime_ns, 1, state.st_ino]]
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns + 1))
    assert state_of([path]) != before


DEFAULTS = {
    "n": 3, "wide": True, "f": "len", "a": 1, "b": 2, "c": "f", "d": 4, "e": 5, "g": "f[0]", "h": "f[1]",
    "j": 6, "k": 6,
}  # fmt: skip


@pytest.fixture
def notebook(tmp_path):
    cells = [
        nbformat.v4.new_markdown_cell("# Title"),
        nbformat.v4.new_code_cell(
            "n: int = 3\nwide = True\nf = len\n(a, b) = 1, 2\n[c, (d, e)] = f, (4, 5)\ng, h = f\ni: int\nj = k = 6\nprint(n)"
        ),
        nbformat.v4.new_code_cell("%matplotlib inline\nx = n + 1  # more"),
        nbformat.v4.new_code_cell("this is no Python"),
        nbformat.v4.new_code_cell("y = x\nprint('first')"),
    ]
    cells[1].metadata["tags"] = ["parameters"]
    path = tmp_path / "one.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=cells), path)
    return path


def test_cells_and_parameters_of_a_notebook(notebook):
    assert keys.default_parameters(notebook) == DEFAULTS
    trees = [trees for _, trees, tags in keys._code_cells(notebook) if "parameters" not in tags]
    assert [len(of_a_cell) for of_a_cell in trees] == [1, 0, 1]


def versions(names):
    return keys._versions(names, keys.modules_beside(None))


def test_packages_are_named_by_what_was_installed_and_those_without_influence_left_out():
    assert keys.PACKAGES == ("numpy", "numba", "llvmlite", "scikit-learn", "scipy", "pandas")
    drawing = "matplotlib seaborn joblib IPython ipywidgets tqdm threadpoolctl studylib"
    assert set(drawing.split()) < keys._NOT_COMPUTING
    assert set(versions(keys._NOT_COMPUTING)) == set(versions(set())) == set(keys.PACKAGES)
    named = versions({"yaml", "seaborn", "sklearn", "no_such_package"})
    assert named.keys() - set(keys.PACKAGES) == {"PyYAML", "no_such_package"}
    assert named["no_such_package"] == "not installed"
    assert named["numpy"] == __import__("numpy").__version__


def test_a_package_that_is_not_installed_counts_with_its_sources(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lying_about").mkdir()
    (tmp_path / "lying_about/__init__.py").write_text("")
    (tmp_path / "lying_about/inner.py").write_text("X = 1\n")
    (tmp_path / "single_file.py").write_text("X = 1\n")
    names = {"lying_about", "single_file"}
    before = versions(names)
    assert before["lying_about"].startswith("not installed ")
    for file in ("lying_about/inner.py", "single_file.py"):
        (tmp_path / file).write_text("X = 2\n")
    now = versions(names)
    assert all(now[name] != before[name] for name in names)
    assert versions({"yaml"})["PyYAML"] == __import__("yaml").__version__


@pytest.fixture
def in_study(notebook):
    """What the study says about that notebook."""
    return SimpleNamespace(
        path=notebook, data=["no.csv"], uses=[], parameters_for=lambda profile: {"n": 7, "said": profile}
    )


def test_what_a_notebook_depends_on(in_study):
    parts = keys.notebook_parts(in_study, "smoke")
    assert parts["parameters"] == {**DEFAULTS, "n": 7, "said": "smoke"}
    assert parts["data"] == {"no.csv": "absent"}
    assert "one.ipynb" not in parts["code"]
    assert keys.changes(parts, keys.notebook_parts(in_study, "smoke")) == []
    assert keys.changes(parts, keys.notebook_parts(in_study, "quick")) == [
        "parameter said: 'smoke' → 'quick'"
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("# more", "# less", []),
        ("x = n + 1 ", "x  =  n + 1 ", []),
        ("x = n + 1 ", "x = n + 2 ", ["cells of the notebook changed"]),
        ("x = n + 1 ", "'a text by itself'; x = n + 1 ", ["cells of the notebook changed"]),
        ("this is no Python", "this neither", ["cells of the notebook changed"]),
        ("wide = True", "wide = False", ["parameter wide: True → False"]),
        ("print(n)", "print(n, n)", ["cells of the notebook changed"]),  # not all of that cell is replaced
        ("print('first')", "print('second')", ["cells of the notebook changed"]),
        (
            "x = n + 1 ",
            "from studylib.core import files; x = files.sha256(b'') ",
            ["src/studylib/core/files.py is used now", "cells of the notebook changed"],
        ),
    ],
)
def test_which_changes_of_a_notebook_count(in_study, old, new, message):
    before = keys.notebook_parts(in_study, "smoke")
    change(in_study.path, old, new)
    reasons = keys.changes(before, keys.notebook_parts(in_study, "smoke"))
    assert set(message) <= set(reasons)
    assert bool(reasons) == bool(message)


@pytest.fixture
def study(tmp_path, monkeypatch):
    """A study whose tasks stand in ``own.py``."""
    (tmp_path / "own.py").write_text(
        "from studylib.core.files import sha256\n\n\ndef f():\n    return sha256\n"
    )
    study = SimpleNamespace(path=[tmp_path], root=tmp_path, data_path=lambda path: tmp_path / path)
    monkeypatch.setattr(keys, "current_study", lambda: study)
    return tmp_path


def test_what_a_task_depends_on(study):
    context = keys.task_context("own", ["no.csv"])
    assert {"own.py", "studylib/core/files.py", "studylib/study/store.py"} <= context.parts["code"].keys()
    assert context.parts["data"] == {"no.csv": "absent"}
    assert context.parts["python"] == ".".join(platform.python_version().split(".")[:2])
    assert context.parts["packages"]["numba"] != "not installed" != context.parts["packages"]["llvmlite"]
    assert all(os.path.isfile(path) for path in context.files)
    assert "studylib/study/measured.py" not in context.parts["code"]  # the form of a notebook's measurements


def test_the_judge_counts_and_a_folder_without_init_is_no_package_from_elsewhere(study):
    (study / "space").mkdir()
    (study / "space/part.py").touch()
    (study / "own.py").write_text(
        "import space.part, no_such_package\nfrom studylib.study.rules import judge\n"
    )
    parts = keys.task_context("own").parts
    assert "space" not in parts["packages"]
    assert parts["packages"]["no_such_package"] == "not installed"
    assert "studylib/study/rules.py" in parts["code"]


@pytest.mark.parametrize(
    "line",
    [
        "from studylib import plots",
        "def g():\n    from studylib.study import Run",
        "import studylib.study.site",
    ],
)
def test_a_task_that_imports_what_is_in_no_key_is_refused(study, line):
    (study / "own.py").write_text(f"import inner\n{line}\n")
    (study / "inner.py").touch()
    with pytest.raises(
        ValueError, match=r"^own cannot hold tasks: own.py imports studylib\.\S+, which is in no key"
    ):
        keys.task_context("own")
    (study / "own.py").write_text("import inner\n")
    (study / "inner.py").write_text(f"{line}\n")
    with pytest.raises(ValueError, match=r"^own cannot hold tasks: inner.py imports studylib\."):
        keys.task_context("own")


def test_what_is_used_by_computed_names_is_listed(study):
    (study / "plugins").mkdir()
    for name in ("one.py", "two.py", "table.csv"):
        (study / "plugins" / name).write_text("import inner\n")
    (study / "inner.py").touch()
    plain = keys.task_context("own").parts["code"].keys()
    context = keys.task_context("own", uses=["plugins/*.py", "plugins/*.csv"])
    more = {"plugins/one.py", "plugins/two.py", "plugins/table.csv", "inner.py"}
    assert context.parts["code"].keys() - plain == more
    assert context.parts["uses"] == ["plugins/*.py", "plugins/*.csv"]
    with pytest.raises(ValueError, match=r"'uses' lists 'plugins/\*\.txt', and there is no such file below"):
        keys.task_context("own", uses=["plugins/*.txt"])
    with pytest.raises(ValueError, match="'uses' lists '/plugins', and there is no such file below"):
        keys.task_context("own", uses=["/plugins"])


@pytest.mark.parametrize(
    ("library", "installed", "named"),
    [
        ("study/.venv/site-packages", True, "studylib/core/data.py"),  # as in the README of a new study
        ("elsewhere/site-packages", True, "studylib/core/data.py"),
        ("elsewhere/clone/src", False, "studylib/core/data.py"),
        ("study/src", False, "src/studylib/core/data.py"),  # this repository
    ],
)
def test_a_file_of_the_library_has_one_name_wherever_it_is_installed(
    tmp_path, monkeypatch, library, installed, named
):
    monkeypatch.setattr(keys, "LIBRARY", tmp_path / library)
    monkeypatch.setattr(keys.sysconfig, "get_path", lambda _: tmp_path / (library if installed else "other"))
    root = tmp_path / "study"
    assert keys._relative(tmp_path / library / "studylib/core/data.py", root) == named
    assert keys._relative(root / "sources/fisher/experiments.py", root) == "sources/fisher/experiments.py"
