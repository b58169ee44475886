"""The command line as a user types it."""

import io
import os
import re
import subprocess
import sys
from importlib.metadata import version

import pytest

from studylib.study import cli
from studylib.study.ledger.study import current_study
from studylib.study.terminal import Printable
from tests.study.small_study import git, write_study


def test_a_notebook_is_known_by_the_beginning_of_its_name(capsys):
    for start in ("07", "07_mushroom_trees"):
        assert current_study().find(start).name == "07_mushroom_trees"
    for start in ("0", "mushroom", ""):
        with pytest.raises(ValueError, match=f"there is no notebook {start!r}; there are 01_pcf"):
            current_study().find(start)
    assert cli.main(["list"]) == 0
    assert "07_mushroom_trees: 30 claims" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["reproduce", "99_nothing"], "there is no notebook '99_nothing'"),
        (["reproduce", "--jobs", "0"], "--jobs must be at least 1, got 0"),
        (["reproduce", "--profile", "fast"], "profile must be one of smoke, quick, paper, got 'fast'"),
        (
            ["reproduce", "--executor", "cloud"],
            "--executor must be 'local' or 'dask://host:port', got 'cloud'",
        ),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(words, message, capsys):
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_the_version_is_the_packages(capsys):
    with pytest.raises(SystemExit, match="^0$"):
        cli.main(["--version"])
    assert capsys.readouterr().out.strip() == f"studylib {version('studylib')}"


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("a\x1b[2J\x9b\x7fb", r"a\x1b[2J\x9b\x7fb"),
        ("stale\rfresh", r"stale\rfresh"),
        ("\r50%", "\r50%"),
        ("\u202egpj.exe \udcff", r"\u202egpj.exe \udcff"),
        ("Größe\t= 5 µm\n", "Größe\t= 5 µm\n"),
    ],
)
def test_a_terminal_gets_text_and_nothing_that_it_obeys(written, shown):
    stream = io.StringIO()
    assert Printable(stream).write(written) == len(shown)
    assert stream.getvalue() == shown


def test_a_name_in_a_study_writes_nothing_over_what_is_printed(tmp_path, capsys):
    write_study(tmp_path)
    with (tmp_path / "study.toml").open("a") as file:
        file.write('[data."\\u001b[2J"]\n[notebook.other]\ndata = ["\\u001b[2J"]\n')
    assert cli.main(["list", "--study", str(tmp_path)]) == 0
    assert r"other: 0 claims, data: \x1b[2J" in capsys.readouterr().out


def test_the_default_of_jobs_is_that_of_make():
    makefile = (current_study().root / "Makefile").read_text()
    jobs = int(re.search(r"^JOBS\s+\?= (\d+)", makefile, re.MULTILINE)[1])
    for command in ("reproduce", "confirm"):
        assert cli._parser().parse_args([command]).jobs == jobs


def test_what_reads_the_output_may_leave_early():
    """As in ``studylib list | head -1``: no traceback, and the exit code of a broken pipe."""
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "studylib", "list"]
    done = subprocess.run(words, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode == 141


@pytest.mark.parametrize(
    ("imports", "heavy"),
    [
        ("studylib", "numpy numba pandas"),
        ("studylib.__main__, studylib.study.freshness.stamps", "numpy pandas nbformat IPython papermill"),
        # a second of imports, at every start of a run, a kernel and a worker
        ("studylib.study.reproduce, studylib.study.confirm", "sklearn pandas scipy numba matplotlib"),
        # jsonschema, which nbformat imports, would build the grammar of addresses: longer than all else
        ("studylib.study, jsonschema", "rfc3987_syntax lark"),
        (
            "studylib.trees, studylib.datasets, studylib.statistics",
            "papermill matplotlib nbconvert jupyterlab",
        ),
    ],
)
def test_what_starts_often_imports_nothing_heavy(imports, heavy):
    code = f"import sys, {imports}; print([m for m in {heavy.split()} if sys.modules.get(m)])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]"]


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """The profile ``smoke`` has a report in a git repository, of two committed files."""
    folder = tmp_path / "reports"
    (folder / "smoke").mkdir(parents=True)
    for name in ("index.html", "two.html"):
        (folder / "smoke" / name).write_text("page")
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder))
    git(folder, "init", "-q")
    git(folder, "add", ".")
    return folder


@pytest.mark.parametrize(
    ("answer", "words", "code"),
    [(None, [], 2), (None, ["--yes"], 0), ("n", [], 1), ("", [], 1), ("y", [], 0)],
)
def test_clean_removes_committed_files_only_when_told(reports, capsys, monkeypatch, answer, words, code):
    terminal = io.StringIO()
    terminal.isatty = lambda: answer is not None
    monkeypatch.setattr("sys.stdin", terminal)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    assert cli.main(["clean", "--profile", "smoke", *words]) == code
    assert (reports / "smoke").exists() == (code > 0)
    asked = "2 files that are under version control; add --yes" in capsys.readouterr().err
    assert asked == (code == 2)
    git(reports, "rm", "-rq", "--cached", ".")
    assert cli.main(["clean", "--profile", "smoke"]) == 0
    assert not (reports / "smoke").exists()


def test_open_shows_the_report_that_was_rendered_last(reports, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda address: opened.append(address) or True)
    monkeypatch.setenv("BROWSER", "some")
    old = reports / "paper" / "index.html"
    old.parent.mkdir()
    old.write_text("page")
    os.utime(old, (1, 1))
    page = reports / "smoke" / "index.html"
    assert cli.main(["open"]) == 0
    assert capsys.readouterr().out.strip() == str(page)
    assert opened == [page.as_uri()]
    assert cli.main(["open", "--profile", "paper"]) == 0
    assert opened[1:] == [old.as_uri()]
    assert cli.main(["open", "--profile", "quick"]) == 2
    assert "there is no report of quick yet" in capsys.readouterr().err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere there is always a display")
def test_open_prints_the_path_where_there_is_no_display(reports, capsys, monkeypatch):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("webbrowser.open", lambda address: pytest.fail("opened a browser in the terminal"))
    assert cli.main(["open"]) == 0
    assert capsys.readouterr().out.strip() == str(reports / "smoke" / "index.html")


@pytest.mark.slow
def test_data_says_what_to_do_when_there_is_none(tmp_path):
    words = [sys.executable, "-m", "studylib", "data"]
    variables = {**os.environ, "STUDYLIB_DATA": str(tmp_path), "STUDYLIB_OFFLINE": "1"}
    done = subprocess.run(words, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "By hand: download it from" in done.stderr


@pytest.mark.slow
def test_a_command_whose_packages_are_missing_names_the_extra_that_has_them(tmp_path):
    program = (
        "import sys; sys.modules['nbformat'] = None; from studylib.__main__ import main; sys.exit(main())"
    )
    words = [sys.executable, "-c", program, "new", str(tmp_path / "study")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "studylib: new needs the package nbformat, which is not installed; the extra 'study' has all that it takes: "
        "pip install 'studylib[study]'.\n"
    )
    assert not (tmp_path / "study").exists()
