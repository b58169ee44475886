"""Which of this project's own notebooks a change of its files makes stale."""

from pathlib import Path

import pytest

from studylib.study.freshness import keys
from studylib.study.ledger.study import read_study, study_root

STUDY = read_study(study_root())
PCF, GRAF, MUSHROOMS = "02_pcf_behaviour", "04_graf_strength_correlation", "08_mushroom_tuning_and_forest"
BENCHMARKS = "12_benchmarks"  # measures all of them
GRAFS = {
    "lesson_5_guided_partitions",
    "03_graf_bias_variance", GRAF, "05_graf_uci_comparison", "06_graf_sensitivity", "11_blended_forest",
    "11b_tables_kept_back", BENCHMARKS,
}  # fmt: skip
PCFS = {"01_pcf_decision_surfaces", PCF, "lesson_7_abstaining", BENCHMARKS}


@pytest.fixture(scope="module")
def code():
    """The files of code in the key of each notebook."""
    return {
        name: keys.notebook_parts(notebook, "quick")["code"] for name, notebook in STUDY.notebooks.items()
    }


def users_of(code, path):
    return {name for name, files in code.items() if f"src/studylib/{path}" in files}


@pytest.mark.parametrize(
    ("path", "users"),
    [
        ("pcf/_grow.py", PCFS),
        ("graf/_grow.py", GRAFS),
        ("plots/style.py", set()),
        ("study/site/model.py", set()),
        ("studies/graf/claims.toml", set()),
    ],
)
def test_a_file_is_in_the_keys_of_its_own_notebooks_only(code, path, users):
    assert (study_root() / "src/studylib" / path).is_file()
    assert users_of(code, path) == users


def test_kernels_tables_and_seeds_are_in_the_keys_of_what_uses_them(code):
    assert MUSHROOMS in users_of(code, "trees/_grow.py")
    assert {"11_blended_forest", BENCHMARKS} <= users_of(code, "datasets/real_tables.csv")
    context = keys.task_context("studylib.studies.graf.experiments", STUDY.notebook(GRAF).data)
    assert "src/studylib/study/store.py" in context.parts["code"]
    assert GRAF not in users_of(code, "study/store.py")  # it takes results by these keys


def test_paths_in_keys_are_the_same_on_every_machine(code):
    assert not any(Path(path).is_absolute() for files in code.values() for path in files)
