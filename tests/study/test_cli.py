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
from tests.study.small_study import write_study


def test_list_names_the_notebooks(capsys):
    assert cli.main(["list"]) == 0
    said = capsys.readouterr().out
    assert "07_mushroom_trees: 30 claims" in said
    assert "of 251 claims have a notebook" in said


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


@pytest.mark.parametrize("start", ["07", "07_mush", "07_mushroom_trees"])
def test_a_notebook_is_known_by_the_beginning_of_its_name(start):
    assert current_study().find(start).name == "07_mushroom_trees"


@pytest.mark.parametrize("start", ["0", "mushroom", ""])
def test_a_beginning_that_fits_several_or_none_is_refused_with_the_names(start):
    with pytest.raises(ValueError, match=f"there is no notebook {start!r}; there are 01_pcf"):
        current_study().find(start)


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


def test_quick_commands_import_nothing_heavy():
    """What the command line imports stays light; so does the package itself."""
    code = (
        "import sys, studylib; before = set(sys.modules);"
        "print([m for m in ('numpy', 'numba', 'pandas') if m in before]);"
        "import studylib.__main__, studylib.study.freshness.stamps;"
        "print([m for m in ('numpy', 'pandas', 'nbformat', 'IPython', 'papermill') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]


def test_a_run_and_its_kernels_start_without_what_only_notebooks_need():
    """Scikit-learn and pandas take a second to import, at every start of a run, a kernel and a worker."""
    code = (
        "import sys, studylib.study.reproduce, studylib.study.confirm; from studylib.study import Run;"
        "print([m for m in ('sklearn', 'pandas', 'scipy', 'numba', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_no_process_of_the_study_builds_the_grammar_of_addresses():
    """jsonschema, which nbformat imports, would build it if it could: longer than all other imports."""
    code = "import studylib.study, jsonschema, sys; print(sys.modules.get('rfc3987_syntax'), 'lark' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None False"


@pytest.fixture
def reports(tmp_path, monkeypatch):
    """The profile ``smoke`` has a report in a git repository, of two committed files."""
    folder = tmp_path / "reports"
    (folder / "smoke").mkdir(parents=True)
    for name in ("index.html", "two.html"):
        (folder / "smoke" / name).write_text("page")
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder))
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", "-C", str(folder), *words], check=True)
    return folder


def test_clean_removes_committed_files_only_when_told(reports, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO())
    assert cli.main(["clean", "--profile", "smoke"]) == 2
    assert "2 files that are under version control; add --yes" in capsys.readouterr().err
    assert (reports / "smoke" / "two.html").is_file()
    assert cli.main(["clean", "--profile", "smoke", "--yes"]) == 0
    assert not (reports / "smoke").exists()


@pytest.mark.parametrize(("answer", "code"), [("n", 1), ("", 1), ("y", 0)])
def test_clean_asks_in_a_terminal(reports, monkeypatch, answer, code):
    terminal = io.StringIO()
    terminal.isatty = lambda: True
    monkeypatch.setattr("sys.stdin", terminal)
    monkeypatch.setattr("builtins.input", lambda question: answer)
    assert cli.main(["clean", "--profile", "smoke"]) == code
    assert (reports / "smoke").exists() == (code == 1)


def test_clean_does_not_ask_where_nothing_is_committed(reports):
    subprocess.run(["git", "-C", str(reports), "rm", "-rq", "--cached", "."], check=True)
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
def test_importing_the_estimators_needs_no_study_package():
    """The library under the study stays light: no papermill, no plots, no jupyter."""
    code = (
        "import sys, studylib.trees, studylib.datasets, studylib.statistics;"
        "print([m for m in ('papermill', 'matplotlib', 'nbconvert', 'jupyterlab', 'ucimlrepo') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


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
