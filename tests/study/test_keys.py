"""What makes a result stale, each part by itself, and how that is said."""

import importlib
import os
import platform
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest

from studylib.study.fingerprints import state_of
from studylib.study.freshness import keys

PARTS = {
    "code": {"a.py": "1", "b.py": "2"},
    "data": {"t.csv": "3"},
    "packages": {"numpy": "2.0"},
    "python": "3.11",
    "cells": "4",
    "parameters": {"n": 5},
}


def with_part(name, value):
    return {**PARTS, name: value}


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (PARTS, []),
        (with_part("code", {"a.py": "1", "b.py": "2", "c.py": "3"}), ["c.py is used now"]),
        (with_part("code", {"a.py": "1", "b.py": "x"}), ["b.py changed"]),
        (with_part("code", {"a.py": "1"}), ["b.py is no longer used"]),
        (with_part("data", {"t.csv": "x"}), ["data t.csv changed"]),
        (with_part("data", {"t.csv": "absent"}), []),
        (with_part("data", {"t.csv": "3", "u.csv": "absent"}), ["data u.csv changed"]),
        (with_part("data", {}), []),
        (with_part("packages", {"numpy": "2.1"}), ["numpy 2.0 → 2.1"]),
        (with_part("packages", {}), ["numpy 2.0 → not used"]),
        (with_part("packages", {"numpy": "2.0", "dask": "1"}), ["dask not used → 1"]),
        (with_part("python", "3.12"), []),
        ({**PARTS, "python": "3.12", "packages": {"numpy": "2.1"}}, []),
        ({**PARTS, "python": "3.12", "packages": {}}, ["numpy 2.0 → not used"]),
        ({**PARTS, "python": "3.12", "packages": {"numpy": "2.0", "dask": "1"}}, ["dask not used → 1"]),
        ({**PARTS, "python": "3.12", "data": {"t.csv": "x"}}, ["data t.csv changed"]),
        (with_part("cells", "x"), ["cells of the notebook changed"]),
        (with_part("parameters", {"n": 6}), ["parameter n: 5 → 6"]),
        (with_part("parameters", {}), ["parameter n: 5 → None"]),
        (with_part("parameters", {"n": 5, "m": "a"}), ["parameter m: None → 'a'"]),
    ],
)
def test_each_change_is_said(now, said):
    assert keys.changes(PARTS, now) == said


@pytest.mark.parametrize(
    ("here", "numpy", "said"),
    [
        ("3.11", "2.0", ""),
        ("3.11", "2.1", ""),  # a change, as any
        ("3.12", "2.0", "computed with Python 3.11 (here 3.12)"),
        ("3.12", "2.1", "computed with Python 3.11 (here 3.12), numpy 2.0 (here 2.1)"),
    ],
)
def test_another_python_is_named_with_its_packages(here, numpy, said, monkeypatch):
    monkeypatch.setattr(keys, "PYTHON", here)
    monkeypatch.setattr(keys, "_version", {"numpy": numpy}.__getitem__)
    assert keys.another_python(PARTS) == said


def test_a_context_as_it_was_with_another_python():
    context = keys.Context({**PARTS, "packages": {"numpy": "2.0", "numba": "1"}}, ("a.py",))
    there = {**PARTS, "python": "3.12", "packages": {"numpy": "2.1", "dask": "3"}, "code": {}, "data": {}}
    found = context.with_python_of(there)
    packages = {"numpy": "2.1", "numba": "1"}
    assert found == keys.Context({**PARTS, "python": "3.12", "packages": packages}, ("a.py",))
    assert context.with_python_of(context.parts) == context != found


def test_parts_without_cells_and_parameters_are_those_of_a_task():
    task = {name: PARTS[name] for name in ("code", "data", "packages", "python")}
    assert keys.changes(task, task) == []
    assert keys.changes(PARTS, task) == ["cells of the notebook changed", "parameter n: 5 → None"]


@pytest.mark.parametrize(
    ("there", "said"),
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
def test_the_first_difference_of_another_machine_is_named(there, said):
    assert keys.first_difference(PARTS, there) == said


def test_the_hash_of_parts_depends_on_every_part_and_not_on_their_order():
    assert keys.key_of(PARTS) == keys.key_of(dict(reversed(PARTS.items())))
    others = [with_part(name, "x") for name in PARTS]
    assert len({keys.key_of(parts) for parts in [PARTS, *others]}) == 7
    assert keys.Context(PARTS, ()).hash == keys.key_of(PARTS)


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
    "n": 3,
    "wide": True,
    "f": "len",
    "a": 1,
    "b": 2,
    "c": "f",
    "d": 4,
    "e": 5,
    "g": "f[0]",
    "h": "f[1]",
}
DEFAULTS |= {"j": 6, "k": 6}


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
    sources = [text for text, tags in keys._code_cells(notebook) if "parameters" not in tags]
    assert len(sources) == 3
    assert "get_ipython()" in sources[0]
    assert sources[1].strip() == "this is no Python"
    assert keys.parsed(sources[0]).body
    for text in (sources[1], "\0", "(" * 100_000):
        assert keys.parsed(text) is None


def test_packages_are_named_by_what_was_installed():
    assert set(keys._versions(set())) == set(keys.PACKAGES)
    found = keys._versions({"yaml", "seaborn", "sklearn", "no_such_package"})
    assert found.keys() - set(keys.PACKAGES) == {
        *keys._distributions().get("yaml", ["yaml"]),
        "no_such_package",
    }
    assert found["no_such_package"] == "not installed"
    assert found["numpy"] == __import__("numpy").__version__


def test_a_package_that_is_not_installed_counts_with_its_sources(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "lying_about").mkdir()
    (tmp_path / "lying_about/__init__.py").write_text("")
    (tmp_path / "lying_about/inner.py").write_text("X = 1\n")
    (tmp_path / "single_file.py").write_text("X = 1\n")
    names = {"lying_about", "single_file"}
    before = keys._versions(names)
    assert before["lying_about"].startswith("not installed ")
    for file in ("lying_about/inner.py", "single_file.py"):
        (tmp_path / file).write_text("X = 2\n")
    now = keys._versions(names)
    assert all(now[name] != before[name] for name in names)
    assert keys._versions({"yaml"})["PyYAML"] == __import__("yaml").__version__


def test_code_of_a_function_with_the_part_that_gives_seeds(monkeypatch, tmp_path):
    found = keys.function_context("studylib.core.files", "sha256", ["no.csv"])
    assert {"src/studylib/core/files.py", "src/studylib/study/store.py"} <= set(found.parts["code"])
    assert found.parts["data"] == {"no.csv": "absent"}
    assert found.parts["python"].count(".") == 1
    assert found.parts["packages"]["numba"] != "not installed"
    assert all(os.path.isfile(path) for path in found.files)
    method = keys.function_context("studylib.study.store", "Store.put")
    assert method.parts == keys.function_context("studylib.study.store", "Store").parts
    method = keys.function_context("studylib.pcf._base", "PartialClassifier.fit")
    assert method.parts == keys.function_context("studylib.pcf._base", "PartialClassifier").parts
    assert "src/studylib/pcf/_base.py" in method.parts["code"]


@pytest.fixture
def in_study(notebook):
    """What the study says about that notebook."""
    return SimpleNamespace(
        path=notebook, data=["no.csv"], parameters_for=lambda profile: {"n": 7, "said": profile}
    )


def test_what_a_notebook_depends_on(in_study):
    found = keys.notebook_parts(in_study, "smoke")
    assert found["parameters"] == {**DEFAULTS, "n": 7, "said": "smoke"}
    assert found["data"] == {"no.csv": "absent"}
    assert "one.ipynb" not in found["code"]
    assert keys.changes(found, keys.notebook_parts(in_study, "smoke")) == []
    assert keys.changes(found, keys.notebook_parts(in_study, "quick")) == [
        "parameter said: 'smoke' → 'quick'"
    ]


def rewrite(notebook, old, new):
    text = notebook.read_text(encoding="utf-8")
    assert old in text
    notebook.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("# more", "# less", []),
        ("# Title", "# Another", []),
        ("x = n + 1 ", "x  =  n + 1 ", []),
        ("x = n + 1 ", "x = n + 2 ", ["cells of the notebook changed"]),
        ("x = n + 1 ", "x = 'some words' ", ["cells of the notebook changed"]),
        ("x = n + 1 ", "'a text by itself'; x = n + 1 ", ["cells of the notebook changed"]),
        ("this is no Python", "this neither", ["cells of the notebook changed"]),
        ("wide = True", "wide = False", ["parameter wide: True → False"]),
        ("print('first')", "print('second')", ["cells of the notebook changed"]),
        (
            "x = n + 1 ",
            "from studylib.core import files; x = files.sha256(b'') ",
            ["src/studylib/core/files.py is used now", "cells of the notebook changed"],
        ),
    ],
)
def test_which_changes_of_a_notebook_count(in_study, old, new, said):
    before = keys.notebook_parts(in_study, "smoke")
    rewrite(in_study.path, old, new)
    found = keys.changes(before, keys.notebook_parts(in_study, "smoke"))
    assert set(said) <= set(found)
    assert bool(found) == bool(said)


def test_a_task_of_a_cell_depends_on_all_cells_and_one_of_a_module_on_its_function(in_study):
    own = keys.task_context("__main__", "anything", in_study)
    assert {"one.ipynb", "src/studylib/study/store.py"} <= own.parts["code"].keys()
    assert own.parts["data"] == {"no.csv": "absent"}
    rewrite(in_study.path, "wide = True", "wide = False")  # tasks get parameters by their keys
    assert keys.task_context("__main__", "anything", in_study).hash == own.hash
    rewrite(in_study.path, "x = n + 1 ", "x = n + 2 ")
    assert keys.task_context("__main__", "anything", in_study).hash != own.hash
    one = keys.task_context("studylib.core.files", "sha256", in_study)
    assert one == keys.function_context("studylib.core.files", "sha256", ["no.csv"])
    assert "one.ipynb" not in one.parts["code"]
    rewrite(in_study.path, "y = x", "from studylib.core.random import next_uniform; y = next_uniform")
    of_two_cells = keys.task_context("__main__", "anything", in_study)
    assert "src/studylib/core/random.py" in of_two_cells.parts["code"].keys() - own.parts["code"].keys()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("studylib.plots.trees", "draw_tree"),
        ("studylib.study.rules", "judge"),
        ("studylib.core.compiling", "njit"),
        ("studylib.core.kernel_cache", "source_hash"),
    ],
)
def test_drawing_judging_and_compiling_are_no_part_of_what_was_computed(module, name):
    assert hasattr(importlib.import_module(module), name)
    code = keys.function_context(module, name).parts["code"]
    assert "src/studylib/study/store.py" in code
    assert not any(part in path for path in code for part in ("plots", "rules", "compiling", "kernel_cache"))


def test_the_form_of_measurements_is_part_of_a_notebooks_results_and_of_no_tasks(in_study):
    path = "src/studylib/study/measured.py"
    plain = keys.function_context("studylib.study.measured", "plain").parts["code"][path]
    assert keys.notebook_parts(in_study, "smoke")["code"][path] == plain
    assert path not in keys.task_context("__main__", "anything", in_study).parts["code"]


def test_imported_packages_without_influence_are_left_out():
    assert keys._versions(set(keys._NOT_COMPUTING)).keys() == set(keys.PACKAGES)
    for name in (
        "matplotlib",
        "seaborn",
        "joblib",
        "IPython",
        "ipywidgets",
        "tqdm",
        "threadpoolctl",
        "ucimlrepo",
        "studylib",
    ):
        assert keys._versions({name}).keys() == set(keys.PACKAGES), name


def test_what_is_always_part_of_a_key():
    assert keys.PACKAGES == ("numpy", "numba", "scikit-learn", "scipy", "pandas")
    assert Path(keys.__file__).is_relative_to(keys.LIBRARY / "studylib")
    found = keys.function_context("studylib.core.files", "sha256").parts
    assert found["python"] == ".".join(platform.python_version().split(".")[:2])
    seeds = keys.function_context("studylib.study.store", "seed_of").parts["code"]
    assert found["code"]["src/studylib/study/store.py"] == seeds["src/studylib/study/store.py"]
    assert len(seeds["src/studylib/study/store.py"]) == 64
    more = keys.function_context("studylib.study.store", "Store").parts["code"]
    assert more["src/studylib/study/store.py"] != seeds["src/studylib/study/store.py"]
    inner = keys.function_context("studylib.study.store", "seed_of.<locals>.inner")
    assert inner.parts["code"] == seeds


def test_the_library_is_found_beside_a_study_in_another_folder(tmp_path, monkeypatch):
    (tmp_path / "own.py").write_text(
        "from studylib.core.files import sha256\n\n\ndef f():\n    return sha256\n"
    )
    monkeypatch.setattr(keys, "current_study", lambda: SimpleNamespace(path=[tmp_path], root=tmp_path))
    code = keys.function_context("own", "f").parts["code"]
    assert any(path.endswith("studylib/core/files.py") for path in code)
