"""Running small notebooks: freshness, failures, the report that comes out."""

import json

import nbformat
import pytest

from studylib.study import execute, report, runner, stamps
from studylib.study.paths import Layout
from studylib.study.studies import Study

HEAD = "# A toy\n\n**Question.** Does it run?"
PARAMETERS = 'profile = "smoke"\nn = 1'
WRITE = """
import json, pathlib
from studylib.study.paths import Layout
path = Layout(profile).results("toy")
path.parent.mkdir(parents=True, exist_ok=True)
path.write_text(json.dumps({"data": "real", "simulated": [], "claims": {}, "metrics": {"n": n}}))
"""


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A study of one notebook, in a folder of its own; returns a function that writes its last cell."""
    monkeypatch.setenv("STUDYLIB_REPORTS", str(tmp_path / "reports"))
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("STUDYLIB_OFFLINE", "1")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/toy.csv").write_text("1")
    path = tmp_path / "toy.ipynb"
    study = Study("toy", data=("toy.csv",), claims=(), parameters={"quick": {"n": 2}})
    for module in (stamps, execute, report, runner):
        monkeypatch.setattr(module, "notebook_path", lambda name: path)
    monkeypatch.setattr(runner, "studies", lambda: {"toy": study})

    def write(last=WRITE):
        cells = [
            nbformat.v4.new_markdown_cell(HEAD),
            nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
            nbformat.v4.new_code_cell(last),
        ]
        kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
        nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel}), path)

    write()
    write.study, write.data = study, tmp_path / "data/toy.csv"
    return write


def ran(capsys):
    return "toy: done" in capsys.readouterr().err


def test_a_second_run_finds_everything_fresh_and_leaves_the_files_alone(toy, capsys):
    layout = Layout("quick")
    assert runner.reproduce("quick") == 0
    assert ran(capsys)
    assert json.loads(layout.results("toy").read_text())["metrics"] == {"n": 2}  # the profile's parameter
    before = {p: p.read_bytes() for p in layout.folder.rglob("*.*") if p.name != "index.html"}
    assert runner.reproduce("quick") == 0
    assert not ran(capsys)
    assert before == {p: p.read_bytes() for p in layout.folder.rglob("*.*") if p.name != "index.html"}


def test_a_stamp_tells_where_the_result_came_from(toy):
    runner.reproduce("quick")
    stamp = stamps.read(Layout("quick"), "toy")
    assert stamp["inputs"]["parameters"] == {"profile": "quick", "n": 2}
    assert stamp["inputs"]["data"] == {"toy.csv": stamps.file_hash(toy.data)}
    assert stamp["environment"]["numba"]
    assert stamp["wall_time_s"] > 0
    assert stamp["key"] == stamps.key_of(stamp["inputs"])


def test_whatever_is_changed_the_notebook_is_stale_and_runs_again(toy, capsys):
    layout = Layout("quick")
    runner.reproduce("quick")
    files = {
        p: p.read_bytes() for p in (toy.data, *layout.folder.rglob("toy*.*"), stamps.notebook_path("toy"))
    }
    changes = {
        "data": lambda: toy.data.write_text("2"),
        "cell": lambda: toy(WRITE + "# changed"),
        "parameter": lambda: toy.study.parameters["quick"].update(n=3),
        "results": lambda: layout.results("toy").write_text("{}"),
        "executed": lambda: layout.executed("toy").unlink(),
        "stamp": lambda: layout.stamp("toy").write_text("{ half a stam"),
    }
    for name, change in changes.items():
        change()
        assert not stamps.is_fresh(layout, toy.study, "quick"), name
        toy.study.parameters["quick"]["n"] = 2
        for path, content in files.items():
            path.write_bytes(content)
        assert stamps.is_fresh(layout, toy.study, "quick"), name
    changes["stamp"]()
    capsys.readouterr()
    runner.reproduce("quick")
    assert ran(capsys)


def test_a_failing_notebook_leaves_a_page_no_stamp_and_an_exit_code(toy, capsys):
    layout = Layout("quick")
    runner.reproduce("quick")
    toy("print('so far')\nraise RuntimeError('boom')")
    assert runner.reproduce("quick") == 1
    assert "toy: FAILED, RuntimeError: boom" in capsys.readouterr().err
    assert stamps.read(layout, "toy") is None
    assert not layout.results("toy").exists()  # nothing of an older run passes for a result
    page = layout.page("toy").read_text()
    assert "so far" in page
    assert "boom" in page
    assert "boom" in layout.index.read_text()
    toy()
    assert runner.reproduce("quick") == 0
    assert "boom" not in layout.page("toy").read_text()


def test_a_notebook_that_ends_without_results_has_failed(toy, capsys):
    toy("pass")
    assert runner.reproduce("quick") == 1
    assert "its last cell must call run.finish()" in capsys.readouterr().err


def test_a_parameter_that_the_notebook_lacks_is_refused(toy, capsys):
    toy.study.parameters["quick"]["m"] = 3
    assert runner.reproduce("quick") == 1
    assert "sets 'm', but the notebook's parameters are profile, n" in capsys.readouterr().err


def test_braces_in_a_folder_do_no_harm(toy, monkeypatch, tmp_path):
    monkeypatch.setenv("STUDYLIB_REPORTS", str(tmp_path / "{n}{}"))
    assert runner.reproduce("quick") == 0
    assert Layout("quick").index.is_file()


def test_outputs_do_not_count_as_a_change(toy, capsys):
    runner.reproduce("quick")
    path = stamps.notebook_path("toy")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[2]["outputs"] = [nbformat.v4.new_output("stream", text="old")]
    notebook.cells[2]["execution_count"] = 7
    nbformat.write(notebook, path)
    capsys.readouterr()
    runner.reproduce("quick")
    assert not ran(capsys)
