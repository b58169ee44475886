"""The command line as a user types it."""

import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from studylib.study import cli


def test_list_names_the_notebooks(capsys):
    assert cli.main(["list"]) == 0
    said = capsys.readouterr().out
    assert "07_mushroom_trees: 25 claims" in said
    assert "of 200 claims have a notebook" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reproduce", "99_nothing"], "there is no notebook '99_nothing'"),
        (["reproduce", "--jobs", "0"], "--jobs must be at least 1, got 0"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(words, said, capsys):
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_an_unknown_profile_is_refused_with_the_known_ones(capsys):
    assert cli.main(["reproduce", "--profile", "fast"]) == 2
    assert "profile must be one of smoke, quick, paper, got 'fast'" in capsys.readouterr().err


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit) as caught:
        cli.main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out.strip() == f"studylib {version('studylib')}"


def test_data_says_what_to_do_when_there_is_none(tmp_path):
    words = [sys.executable, "-m", "studylib", "data"]
    variables = {**os.environ, "STUDYLIB_DATA": str(tmp_path), "STUDYLIB_OFFLINE": "1"}
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "By hand: download it from" in done.stderr


def test_importing_the_estimators_needs_no_study_package():
    """The library under the study stays light: no papermill, no plots, no jupyter."""
    code = (
        "import sys, studylib.trees, studylib.datasets, studylib.statistics;"
        "print([m for m in ('papermill', 'matplotlib', 'nbconvert', 'jupyterlab', 'ucimlrepo') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
