"""Running small notebooks: freshness, failures, locks, the report that comes out."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from studylib.study import cli, runner, stamps, studies
from studylib.study.paths import Layout, notebook_path
from tests.study.small_study import FINISH, MAP, SETUP, environment, write_notebook, write_study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study of one notebook, ``toy``."""
    write_study(tmp_path / "study")
    for name, value in environment(tmp_path / "study").items():
        monkeypatch.setenv(name, value)
    studies._read.cache_clear()
    stamps.tree_hash.cache_clear()
    yield tmp_path / "study"
    studies._read.cache_clear()


def ran(capsys):
    return "toy: done" in capsys.readouterr().err


def files_of(layout):
    files = (p for p in layout.folder.rglob("*") if p.is_file() and p.name not in ("index.html", "lock"))
    return {p: p.read_bytes() for p in files}


def test_a_second_run_finds_everything_fresh_and_leaves_the_files_alone(folder, capsys):
    layout = Layout("quick")
    assert cli.main(["reproduce"]) == 0
    assert ran(capsys)
    assert (folder / "computed.log").read_text().splitlines() == ["toy 0", "toy 1", "toy 2"]
    before = files_of(layout)
    assert cli.main(["reproduce"]) == 0
    said = capsys.readouterr()
    assert "1 notebook(s) fresh already" in said.out
    assert before == files_of(layout)
    assert len((folder / "computed.log").read_text().splitlines()) == 3


def test_a_stamp_tells_where_the_result_came_from(folder):
    runner.reproduce("quick")
    stamp = stamps.read(Layout("quick"), "toy")
    assert stamp["inputs"]["parameters"] == {"profile": "quick", "n": 3}
    assert stamp["inputs"]["data"] == {"toy.csv": stamps.file_hash(folder / "data/toy.csv")}
    assert stamp["environment"]["numba"]
    assert stamp["wall_time_s"] > 0
    assert stamp["peak_memory_mib"] > 10
    assert stamp["key"] == stamps.key_of(stamp["inputs"])


def test_whatever_is_changed_the_notebook_is_stale_and_runs_again(folder, capsys):
    layout, study = Layout("quick"), studies.study("toy")
    runner.reproduce("quick")
    files = {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    changes = {
        "data": lambda: (folder / "data/toy.csv").write_text("2"),
        "lock": lambda: (folder / "requirements.lock").write_text("numba==2\n"),
        "cell": lambda: write_notebook(folder, "toy", (SETUP, MAP + "  # changed", FINISH)),
        "results": lambda: layout.results("toy").write_text("{}"),
        "executed": lambda: layout.executed("toy").unlink(),
        "stamp": lambda: layout.stamp("toy").write_text("{ half a stam"),
    }
    for name, change in changes.items():
        change()
        assert not stamps.is_fresh(layout, study, "quick"), name
        for path, content in files.items():
            path.write_bytes(content)
        assert stamps.is_fresh(layout, study, "quick"), name
    changed = {**study.parameters["quick"], "n": 4}
    other = studies.Study("toy", study.data, study.claims, {"quick": changed})
    assert not stamps.is_fresh(layout, other, "quick")
    changes["stamp"]()
    capsys.readouterr()
    runner.reproduce("quick")
    assert ran(capsys)


def test_a_changed_library_line_is_noticed_but_a_changed_page_is_not(tmp_path):
    for path in ("a.py", "site/b.css", "c.toml"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("1")

    def digest():
        stamps.tree_hash.cache_clear()
        return stamps.tree_hash(tmp_path, (tmp_path / "site",))

    before = digest()
    (tmp_path / "site/b.css").write_text("2")
    assert digest() == before
    (tmp_path / "a.py").write_text("2")
    assert digest() != before


def test_only_the_notebook_that_depends_on_a_change_runs_again(folder, capsys):
    write_study(folder / "two", names=("one", "two"), n=1)
    for name, value in environment(folder / "two").items():
        os.environ[name] = value  # the fixture's monkeypatch puts them back
    assert runner.reproduce("quick", jobs=2) == 0
    (folder / "two/data/two.csv").write_text("2")
    capsys.readouterr()
    runner.reproduce("quick")
    said = capsys.readouterr().err
    assert "two: done" in said
    assert "one: done" not in said


def test_a_failing_notebook_leaves_a_page_no_stamp_and_an_exit_code(folder, capsys):
    layout = Layout("quick")
    runner.reproduce("quick")
    write_notebook(folder, "toy", (SETUP, "print('so far')\nraise RuntimeError('boom')"))
    assert cli.main(["reproduce"]) == 1
    assert "toy: FAILED, RuntimeError: boom" in capsys.readouterr().err
    assert stamps.read(layout, "toy") is None
    assert not layout.results("toy").exists()  # nothing of an older run passes for a result
    assert "so far" in layout.page("toy").read_text()
    assert "boom" in layout.page("toy").read_text()
    assert "boom" in layout.index.read_text()
    cli.main(["status"])
    assert "toy: failed" in capsys.readouterr().out
    write_notebook(folder, "toy")
    assert runner.reproduce("quick") == 0
    assert "boom" not in layout.page("toy").read_text()


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ((SETUP,), "its last cell must call run.finish()"),
        (("import os, signal; os.kill(os.getpid(), signal.SIGKILL)",), "DeadKernelError"),
    ],
    ids=["no results", "killed kernel"],
)
def test_a_notebook_that_does_not_end_well_has_failed(folder, capsys, cells, said):
    write_notebook(folder, "toy", cells)
    assert runner.reproduce("quick") == 1
    assert said in capsys.readouterr().err


def test_a_notebook_with_an_endless_cell_has_failed(folder, capsys, monkeypatch):
    # No cell before it that imports anything: the limit must not end that one on a busy machine.
    monkeypatch.setattr("studylib.study.execute.CELL_TIMEOUT", {"quick": 5})
    write_notebook(folder, "toy", ("import time\nwhile True:\n    time.sleep(1)",))
    assert runner.reproduce("quick") == 1
    assert "CellTimeoutError" in capsys.readouterr().err


def test_a_parameter_that_the_notebook_lacks_is_refused(folder, capsys):
    with (folder / "notebooks/studies.toml").open("a") as file:
        file.write("m = 3\n")
    assert runner.reproduce("quick") == 1
    assert "sets 'm', but the notebook's parameters are profile, n" in capsys.readouterr().err


def test_braces_in_a_folder_do_no_harm(folder, monkeypatch):
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder / "{n}{}"))
    assert runner.reproduce("quick") == 0
    assert Layout("quick").index.is_file()


def test_outputs_do_not_count_as_a_change(folder):
    runner.reproduce("quick")
    notebook = nbformat.read(notebook_path("toy"), as_version=4)
    notebook.cells[2]["outputs"] = [nbformat.v4.new_output("stream", text="old")]
    notebook.cells[2]["execution_count"] = 7
    nbformat.write(notebook, notebook_path("toy"))
    assert stamps.is_fresh(Layout("quick"), studies.study("toy"), "quick")


def test_status_and_clean(folder, capsys):
    assert cli.main(["status"]) == 0
    assert "toy: not run yet" in capsys.readouterr().out
    runner.reproduce("quick")
    cli.main(["status"])
    assert "toy: fresh" in capsys.readouterr().out
    (folder / "data/toy.csv").write_text("2")
    cli.main(["status"])
    assert "toy: stale (data changed since" in capsys.readouterr().out
    assert cli.main(["clean"]) == 0
    assert not Layout("quick").folder.exists()
    assert cli.main(["clean"]) == 0


def test_two_runs_at_once_are_one_run_and_one_sentence(folder, capsys):
    with runner.only_run(Layout("quick")):
        done = subprocess.run(
            [sys.executable, "-m", "studylib", "reproduce"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "another run of the profile 'quick' is at work" in done.stderr


def test_a_folder_that_cannot_be_written_is_one_sentence(folder, capsys, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder / "file"))
    assert cli.main(["reproduce"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(folder / "file") in said


def test_a_full_disk_is_one_sentence_and_what_was_there_stays(folder, capsys, monkeypatch):
    def full(source, target):
        raise OSError(28, "No space left on device", str(target))

    monkeypatch.setattr("studylib.core.files.os.replace", full)
    code = cli.main(["reproduce"])
    said = capsys.readouterr().err
    assert code in (1, 2)
    assert "No space left on device" in said
    assert "Traceback" not in said
    monkeypatch.undo()
    assert not list((folder / "reports").rglob(".*"))  # no temporary file is left


def test_results_do_not_depend_on_the_number_of_jobs(folder):
    runner.reproduce("quick", jobs=1)
    one = Layout("quick").results("toy").read_bytes()
    cli.main(["clean"])
    runner.reproduce("quick", jobs=2)
    assert Layout("quick").results("toy").read_bytes() == one
    assert json.loads(one)["metrics"]["sum"]["value"] != 3.0
