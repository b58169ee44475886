"""What makes the results of this project's own notebooks stale, and what does not.

The sources are copied, one line is changed, and the parts of every key are compared with those before.
"""

import shutil
from pathlib import Path

import nbformat
import pytest

from studylib.study.freshness import keys
from studylib.study.ledger.study import read_study, study_root

ROOT = study_root()
PCF, GRAF, MUSHROOMS = "02_pcf_behaviour", "04_graf_strength_correlation", "08_mushroom_tuning_and_forest"
BENCHMARKS = "12_benchmarks"  # measures all of them
GRAFS = {
    "lesson_5_guided_partitions",
    "03_graf_bias_variance", GRAF, "05_graf_uci_comparison", "06_graf_sensitivity", "11_blended_forest",
    BENCHMARKS,
}  # fmt: skip
PCFS = {"01_pcf_decision_surfaces", PCF, "lesson_7_abstaining", BENCHMARKS}
NONE, ALL = set(), None


@pytest.fixture(scope="module")
def copies(tmp_path_factory):
    """The project's sources and notebooks without outputs, in a folder of their own."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    shutil.copytree(ROOT / "benchmarks", folder / "benchmarks", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "study.toml", folder)
    shutil.copytree(ROOT / "docs", folder / "docs")  # the guide that study.toml names
    (folder / "notebooks").mkdir()
    for path in (ROOT / "notebooks").glob("*.ipynb"):
        notebook = nbformat.read(path, as_version=4)
        for cell in notebook.cells:
            if cell.cell_type == "code":
                cell.outputs = []
        nbformat.write(notebook, folder / "notebooks" / path.name)
    for name in ("secondary_data.csv", "primary_data.csv"):
        (folder / "data/secondary_mushroom").mkdir(parents=True, exist_ok=True)
        (folder / "data/secondary_mushroom" / name).write_text("1\n")
    return folder


def _use(copies, patch):
    patch.setenv("STUDYLIB_STUDY", str(copies))
    patch.setenv("STUDYLIB_DATA", str(copies / "data"))
    patch.setattr(keys, "LIBRARY", copies / "src")


@pytest.fixture
def project(copies, monkeypatch):
    _use(copies, monkeypatch)
    return copies


@pytest.fixture(scope="module")
def _parts_of_copies(copies):
    with pytest.MonkeyPatch.context() as patch:
        _use(copies, patch)
        return parts(copies)


@pytest.fixture
def before(_parts_of_copies, project):
    """What the keys of all notebooks are made of; every test leaves the sources as they were."""
    return _parts_of_copies


def stale_after(project, before):
    """Notebooks whose parts have changed, and why."""
    now = parts(project)
    found = {name: keys.changes(before[name], now[name]) for name in now}
    return {name: reasons for name, reasons in found.items() if reasons}


def parts(project):
    study = read_study(project)
    return {name: keys.notebook_parts(notebook, "quick") for name, notebook in study.notebooks.items()}


def users_of(before, path):
    return {name for name, found in before.items() if path in found["code"]}


LIBRARY = "src/studylib"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "addition"),
    [
        (f"{LIBRARY}/graf/_grow.py", "# a comment\n"),
        (f"{LIBRARY}/graf/forest.py", "\n\n# another comment\n"),
        (f"{LIBRARY}/plots/style.py", "\nPALETTE = PALETTE[::-1]\n"),
        (f"{LIBRARY}/study/site/model.py", "\nVERDICTS = {}\n"),
        (f"{LIBRARY}/study/reproduce.py", "\n\ndef reproduce():\n    return 1\n"),
        # (notebook 12 takes some kernels' modules apart, so all that is in those counts there)
        (f"{LIBRARY}/graf/_canonical.py", "\n\ndef not_used_anywhere():\n    return 1\n"),
        ("requirements.lock", "another==1\n"),
    ],
)
def test_what_computes_nothing_leaves_everything_fresh(project, before, path, addition):
    file = project / path
    text = file.read_text() if file.exists() else ""
    file.write_text(text + addition)
    try:
        assert stale_after(project, before) == {}
    finally:
        file.write_text(text)


@pytest.mark.slow
def test_a_docstring_and_formatting_leave_everything_fresh(project, before):
    file = project / LIBRARY / "graf/forest.py"
    text = file.read_text()
    changed = text.replace('"""Grow the trees.', '"""Grow all the trees.').replace(
        "        return self\n", "        return (\n            self\n        )\n", 1
    )
    assert changed != text
    file.write_text(changed)
    try:
        assert stale_after(project, before) == {}
    finally:
        file.write_text(text)


@pytest.mark.slow
def test_every_estimator_is_reached_by_its_own_notebooks_only(before):
    assert users_of(before, f"{LIBRARY}/pcf/_grow.py") == PCFS
    assert users_of(before, f"{LIBRARY}/graf/_grow.py") == GRAFS
    assert MUSHROOMS in users_of(before, f"{LIBRARY}/trees/_grow.py")
    assert not any("plots/" in path for found in before.values() for path in found["code"])


@pytest.mark.parametrize(
    ("path", "old", "new", "stale"),
    [
        # a kernel, a constant that it uses, and the seeds of tasks
        ("graf/_bits.py", "BLOCK = 512", "BLOCK = 256", GRAFS),
        ("core/random.py", "np.uint64(30)", "np.uint64(31)", PCFS),
        ("study/store.py", "[:8], 16", "[:7], 16", ALL),
    ],
)
def test_a_used_kernel_or_constant_makes_exactly_its_users_stale(project, before, path, old, new, stale):
    file = project / LIBRARY / path
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))
    try:
        found = stale_after(project, before)
        if stale is ALL:
            study = read_study(project)
            context = keys.task_context(
                "studylib.studies.graf.experiments", "strengths", study.notebook(GRAF)
            )
            assert f"{LIBRARY}/{path}" in context.parts["code"]
        else:
            assert set(found) >= stale
            assert set(found) == users_of(before, f"{LIBRARY}/{path}") & set(found)
            assert all(reasons == [f"{LIBRARY}/{path} changed"] for reasons in found.values())
    finally:
        file.write_text(text)


@pytest.mark.slow
def test_a_data_file_makes_exactly_its_readers_stale_and_its_absence_nobody(project, before):
    file = project / "data/secondary_mushroom/primary_data.csv"
    file.write_text("2\n")
    found = stale_after(project, before)
    assert found == {
        name: ["data secondary_mushroom/primary_data.csv changed"]
        for name in ("07_mushroom_trees", MUSHROOMS)
    }
    file.unlink()
    assert stale_after(project, before) == {}
    file.write_text("1\n")


@pytest.mark.slow
def test_a_parameter_makes_exactly_its_notebook_stale(project, before):
    file = project / "study.toml"
    text = file.read_text()
    head = "[notebook.02_pcf_behaviour.quick]\nn_seeds = "
    n = int(text.split(head)[1].split("\n")[0])
    file.write_text(text.replace(f"{head}{n}\n", f"{head}{n + 1}\n"))
    try:
        assert stale_after(project, before) == {PCF: [f"parameter n_seeds: {n} → {n + 1}"]}
    finally:
        file.write_text(text)


@pytest.mark.slow
def test_a_version_is_named(project, before, monkeypatch):
    monkeypatch.setattr(
        keys,
        "_version",
        lambda package: "0" if package == "numba" else before[PCF]["packages"].get(package, "1"),
    )
    found = stale_after(project, before)
    assert set(found) == set(before)
    assert found[PCF] == [f"numba {before[PCF]['packages']['numba']} → 0"]


@pytest.mark.slow
def test_prose_and_comments_of_a_notebook_are_no_change_and_code_is(project, before):
    path = project / "notebooks" / f"{PCF}.ipynb"
    text = path.read_text()
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += " Another sentence."
    code = next(
        c for c in notebook.cells if c.cell_type == "code" and "parameters" not in c.metadata.get("tags", [])
    )
    code.source = "# a comment\n" + code.source
    nbformat.write(notebook, path)
    try:
        assert stale_after(project, before) == {}
        code.source += "\nx = 1"
        nbformat.write(notebook, path)
        assert stale_after(project, before) == {PCF: ["cells of the notebook changed"]}
    finally:
        path.write_text(text)


def test_paths_in_keys_are_the_same_on_every_machine(before):
    for found in before.values():
        assert not any(Path(path).is_absolute() for path in found["code"])
