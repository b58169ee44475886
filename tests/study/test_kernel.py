"""The kernel is the process that is stamped: its Python, its packages, nothing that its user has set up."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys

import nbformat
import pytest
from jupyter_client import write_connection_file

from studylib.core.data import RUN_VARIABLE
from studylib.study import reproduce as runner
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.reading import notebook_from_text
from studylib.study.run import execute
from studylib.study.run.context import Context
from studylib.study.run.execute import run_cells
from tests.study.small_study import FINISH, MAP, SETUP, use, write_notebook, write_study


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study of one notebook, ``toy``."""
    write_study(tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


def packages_in(folder, **versions):
    """A folder in which packages are installed, as far as their versions tell."""
    for name, version in versions.items():
        metadata = folder / f"{name}-{version}.dist-info" / "METADATA"
        metadata.parent.mkdir(parents=True)
        metadata.write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder


#: What a template of the kernel's command or of papermill would fill in.
WORK = "a $HOME {b}"


def run(tmp_path, source, **options):
    """Run a notebook of one cell; what went wrong or None, and what was printed."""
    notebook, executed = tmp_path / "one.ipynb", tmp_path / "executed.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source)]), notebook)
    problem = run_cells(notebook, executed, {}, work=tmp_path / WORK / "one.ipynb", timeout=600, **options)
    (cell,) = nbformat.read(executed, as_version=4).cells
    return problem, "".join(output.get("text", "") for output in cell.outputs)


def test_no_kernelspec_and_nothing_of_the_user_reaches_the_kernel(tmp_path, monkeypatch):
    spec = tmp_path / "jupyter/kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    other = {"PYTHONPATH": str(packages_in(tmp_path / "other", numpy="0.1"))}
    argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": argv, "display_name": "x", "language": "python", "env": other}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    profile = tmp_path / "of the user/profile_default"
    (profile / "startup").mkdir(parents=True)
    (profile / "startup/00.py").write_text("of_startup = 1\n")
    (profile / "ipython_config.py").write_text(
        "get_config().InteractiveShellApp.exec_lines = ['of_config = 1']\n"
    )
    (tmp_path / "python.py").write_text("of_python = 1\n")
    monkeypatch.setenv("IPYTHONDIR", str(profile.parent))
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "python.py"))
    (profile.parent / "matplotlibrc").write_text("text.usetex: True\ntimezone: Asia/Tokyo\n")
    monkeypatch.setenv("MPLCONFIGDIR", str(profile.parent))
    before = sorted(profile.rglob("*"))
    source = """
import json, os, sys
import matplotlib
from importlib.metadata import version
from IPython.core import application
print(json.dumps({
    "numpy": version("numpy"),
    "python": sys.executable,
    "found": [name for name in globals() if name.startswith("of_")],
    "machine": application.SYSTEM_CONFIG_DIRS + application.ENV_CONFIG_DIRS,
    "folder": os.environ["IPYTHONDIR"],
    "modules": [path for path in sys.path if path.endswith("run")],
    "jobs": json.load(open(os.environ["STUDYLIB_RUN"]))["jobs"],
    "drawing": [matplotlib.rcParams["text.usetex"], matplotlib.rcParams["timezone"]],
}))
"""
    problem, printed = run(tmp_path, source, context=Context(jobs=7))
    assert problem is None
    state = json.loads(printed)
    assert state["numpy"] == stamps.versions(["numpy"])["numpy"]
    assert state["python"] == sys.executable
    assert (state["found"], state["machine"], state["modules"]) == ([], [], [])
    assert state["jobs"] == 7
    assert state["drawing"] == [False, "UTC"]
    assert state["folder"] == str(tmp_path / WORK / "one.ipython")
    assert not (tmp_path / WORK / "one.ipython").exists()
    assert sorted(profile.rglob("*")) == before


def test_a_kernel_that_ends_at_once_is_one_sentence_with_a_hint(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    problem, _ = run(tmp_path, "1")
    assert problem.startswith("its kernel ended before the first cell")
    assert f"{sys.executable} -m ipykernel --version" in problem
    assert not list((tmp_path / WORK).iterdir())


@pytest.mark.slow
def test_nothing_is_stamped_where_the_kernel_had_other_versions(folder, capsys):
    others = packages_in(folder / "others", numpy="0.1", papermill="0.2")
    write_notebook(folder, "toy", (SETUP, MAP, f"import sys\nsys.path.insert(0, {str(others)!r})", FINISH))
    assert runner.reproduce("quick") == 1
    here = stamps.versions(["numpy", "papermill"])
    errors = capsys.readouterr().err
    assert f"its kernel had numpy 0.1 instead of {here['numpy']}, papermill 0.2 instead of" in errors
    assert "so nothing is stamped" in errors
    assert stamps.read(Layout("quick"), "toy") is None
    write_notebook(folder, "toy", (SETUP, MAP, FINISH))
    assert runner.reproduce("quick") == 0
    stamp = stamps.read(Layout("quick"), "toy")
    errors = json.loads(Layout("quick").usage("toy").read_text())["versions"]
    assert errors == {**stamps.versions(stamps.PACKAGES), **stamp["inputs"]["packages"]}


@pytest.mark.slow
def test_only_kernels_are_told_that_they_run_under_the_runner(folder, monkeypatch):
    """Not the runner's own process: what else it starts meanwhile runs by hand."""
    monkeypatch.delenv(RUN_VARIABLE, raising=False)
    write_notebook(
        folder, "toy", ("import os\n" + SETUP, f"assert os.environ[{RUN_VARIABLE!r}]", MAP, FINISH)
    )
    seen = []
    monkeypatch.setattr(
        "studylib.study.run.execute.run_cells",
        lambda *a, **k: (seen.append(RUN_VARIABLE in runner.os.environ), run_cells(*a, **k))[1],
    )
    assert runner.reproduce("quick") == 0
    assert seen == [False]
    assert RUN_VARIABLE not in runner.os.environ


@pytest.mark.slow
def test_of_a_flood_the_beginning_and_the_end_are_kept(tmp_path):
    problem, printed = run(
        tmp_path, "for i in range(40_000):\n    print(f'line {i:05}', flush=i % 1000 == 0)"
    )
    assert problem is None
    first, remark, last = re.split(r"\n*\[(.+)\]\n*", printed)
    assert (first[:10], len(first), last[-10:], len(last)) == ("line 00000", 100_000, "ine 39999\n", 20_000)
    assert remark.startswith("320,000 characters are left out here")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "darwin", reason="names of files are UTF-8 there")
def test_a_folder_whose_name_the_locale_cannot_read_does_no_harm(tmp_path):
    folder = tmp_path / os.fsdecode(b"Gr\xf6\xdfe")  # as with LC_ALL=C, where no umlaut can be read
    folder.mkdir()
    assert run(folder, "print(1)") == (None, "1\n")


def test_a_parameter_that_is_no_text_is_one_sentence(tmp_path):
    (tmp_path / "one.ipynb").write_text(notebook_from_text("# %% parameters\ndata = ''\n"))
    given, work = {"data": os.fsdecode(b"\xdf")}, tmp_path / "work.ipynb"
    problem = run_cells(tmp_path / "one.ipynb", tmp_path / "executed.ipynb", given, work=work, timeout=90)
    assert problem.startswith(
        "a path or a parameter has characters that are no text in this locale; set PYTHON"
    )


@pytest.mark.slow
def test_what_is_cleared_does_not_count_as_printed(tmp_path):
    source = """
from IPython.display import clear_output
for i in range(30):
    clear_output(wait=i % 2 == 0)
    print(i, "x" * 9_999)
"""
    assert run(tmp_path, source) == (None, "29 " + "x" * 9_999 + "\n")


@pytest.mark.slow
def test_kernels_run_in_the_notebooks_folder_and_the_runner_stays_in_its_own(tmp_path, monkeypatch):
    """Were the runner to change its folder and back, as papermill can, threads would leave it in the wrong one."""
    here = os.getcwd()

    def chdir(path):
        assert os.path.realpath(path) == os.path.realpath(here), "the runner leaves its folder"

    monkeypatch.setattr(os, "chdir", chdir)
    problem, printed = run(tmp_path, "import os\nprint(os.getcwd())")
    assert (problem, os.path.realpath(printed.strip())) == (None, os.path.realpath(tmp_path))


@pytest.mark.parametrize("port", ["iopub_port", "shell_port"])  # its pulse alone it can do without
def test_a_kernel_whose_port_is_taken_ends(tmp_path, port):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ports = {port: taken.getsockname()[1]}
        connection, _ = write_connection_file(str(tmp_path / "kernel.json"), ip="127.0.0.1", **ports)
        words = [sys.executable, execute.__file__.replace("execute.py", "kernel.py"), "-f", connection]
        ended = subprocess.run(words, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 1
    assert "Address already in use" in ended.stderr
