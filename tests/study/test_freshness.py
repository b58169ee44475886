"""What makes the results of this project's own notebooks stale, and what does not.

The sources are copied, one line is changed, and the parts of every key are compared with those before.
"""

import shutil
from contextlib import contextmanager
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
    "11b_tables_kept_back", BENCHMARKS,
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


@contextmanager
def edited(project, path, *pairs):
    """A file with some text replaced, for a while; a text of None stands for its end."""
    file = project / path
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    changed = text
    for old, new in pairs:
        assert old is None or old in changed
        changed = changed + new if old is None else changed.replace(old, new)
    file.write_text(changed, encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/studylib/graf/_grow.py", None, "# a comment\n"),
        ("src/studylib/graf/forest.py", '"""Grow the trees.', '"""Grow all the trees.'),
        (
            "src/studylib/graf/forest.py",
            "        return self\n",
            "        return (\n            self\n        )\n",
        ),
        ("src/studylib/plots/style.py", None, "\nPALETTE = PALETTE[::-1]\n"),
        ("src/studylib/study/site/model.py", None, "\nVERDICTS = {}\n"),
        ("src/studylib/studies/graf/claims.toml", None, "# another comment\n"),
        ("src/studylib/studies/graf/a_new_module.py", None, "X = 1\n"),
        ("requirements.lock", None, "another==1\n"),
    ],
)
def test_what_computes_nothing_leaves_everything_fresh(project, before, path, old, new):
    with edited(project, path, (old, new)):
        assert stale_after(project, before) == {}


@pytest.mark.slow
def test_every_estimator_is_reached_by_its_own_notebooks_only(before):
    assert users_of(before, f"{LIBRARY}/pcf/_grow.py") == PCFS
    assert users_of(before, f"{LIBRARY}/graf/_grow.py") == GRAFS
    assert MUSHROOMS in users_of(before, f"{LIBRARY}/trees/_grow.py")
    assert not any("plots/" in path for found in before.values() for path in found["code"])


@pytest.mark.parametrize(
    ("path", "old", "new", "some"),
    [
        ("graf/_bits.py", "BLOCK = 512", "BLOCK = 256", GRAFS),  # a constant of a kernel
        ("core/random.py", "np.uint64(30)", "np.uint64(31)", PCFS),
        # what an import binds: the name stays, another thing stands behind it
        (
            "studies/graf/approximation.py",
            "from sklearn.ensemble import RandomForestClassifier",
            "from sklearn.ensemble import ExtraTreesClassifier as RandomForestClassifier",
            {"06_graf_sensitivity"},
        ),
        (
            "studies/pcf/comparison.py",
            "HistGradientBoostingClassifier, RandomForestClassifier",
            "HistGradientBoostingClassifier as RandomForestClassifier, "
            "RandomForestClassifier as HistGradientBoostingClassifier",
            {PCF},
        ),
        (
            "studies/nonlinear_lecture/forests.py",
            "import spearmanr",
            "import kendalltau as spearmanr",
            {"09_classification_foundations"},
        ),
        ("datasets/real_tables.csv", "Aids2", "Aids3", {"11_blended_forest", BENCHMARKS}),
    ],
)
def test_what_is_altered_makes_exactly_its_users_stale(project, before, path, old, new, some):
    with edited(project, f"{LIBRARY}/{path}", (old, new)):
        found = stale_after(project, before)
    assert some <= found.keys() == users_of(before, f"{LIBRARY}/{path}")
    assert all(reasons == [f"{LIBRARY}/{path} changed"] for reasons in found.values())


def test_the_seeds_of_tasks_are_in_their_keys_and_not_in_those_of_notebooks(before):
    study = read_study(ROOT)
    context = keys.task_context("studylib.studies.graf.experiments", study.notebook(GRAF).data)
    assert f"{LIBRARY}/study/store.py" in context.parts["code"]
    assert f"{LIBRARY}/study/store.py" not in before[GRAF]["code"]  # it takes results by these keys


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
    head = "[notebook.02_pcf_behaviour.quick]\nn_seeds = "
    n = int((project / "study.toml").read_text().split(head)[1].split("\n")[0])
    with edited(project, "study.toml", (f"{head}{n}\n", f"{head}{n + 1}\n")):
        assert stale_after(project, before) == {PCF: [f"parameter n_seeds: {n} → {n + 1}"]}


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
