"""Running small notebooks: freshness, failures, locks, the report that comes out."""

import json
import logging
import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from studylib.core.files import file_hash
from studylib.study import cli
from studylib.study import reproduce as runner
from studylib.study.fingerprints import key_of
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.run.execute import run_cells
from tests.study import small_study
from tests.study.small_study import (
    CLAIM,
    FINISH,
    HEAD,
    MAP,
    SETUP,
    results_in,
    use,
    write_notebook,
    write_study,
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study of one notebook, ``toy``."""
    write_study(tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


@pytest.fixture(scope="module")
def _reproduced(tmp_path_factory):
    return small_study.reproduced(tmp_path_factory.mktemp("reproduced") / "study")


@pytest.fixture
def reproduced(_reproduced, tmp_path, monkeypatch):
    """The same study with its report, a copy for each test."""
    shutil.copytree(_reproduced, tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


def toy():
    """The notebook as the study's files describe it now."""
    return current_study().notebook("toy")


def ran(capsys):
    return "toy: done" in capsys.readouterr().err


def files_of(layout):
    files = (p for p in layout.folder.rglob("*") if p.is_file() and p.name not in ("index.html", "lock"))
    return {p: p.read_bytes() for p in files}


@pytest.mark.slow
def test_a_second_run_finds_everything_fresh_and_leaves_the_files_alone(folder, capsys):
    layout = Layout("quick")
    assert cli.main(["reproduce"]) == 0
    assert ran(capsys)
    assert sorted((folder / "computed.log").read_text().splitlines()) == ["toy 0", "toy 1", "toy 2"]
    before = files_of(layout)
    assert cli.main(["reproduce"]) == 0
    said = capsys.readouterr()
    assert "1 notebook(s) fresh already" in said.out
    assert before == files_of(layout)
    assert len((folder / "computed.log").read_text().splitlines()) == 3


@pytest.mark.slow
def test_a_stamp_tells_where_the_result_came_from(reproduced):
    stamp = stamps.read(Layout("quick"), "toy")
    assert stamp["inputs"]["parameters"] == {"profile": "quick", "n": 3}
    assert stamp["inputs"]["data"] == {"toy.csv": file_hash(reproduced / "data/toy.csv")}
    assert stamp["environment"]["numba"]
    assert stamp["wall_time_s"] > 0
    assert stamp["peak_memory_mib"] > 10
    assert stamp["key"] == key_of(stamp["inputs"])
    assert set(stamp["inputs"]["code"]) >= {"code_of/tasks.py", "code_of/helpers.py"}
    task = stamp["tasks"]["code_of.tasks.work"]
    assert (task["n"], task["confirmed"]) == (3, 0)
    assert task["seconds"] >= 0


@pytest.mark.slow
def test_whatever_is_changed_the_notebook_is_stale_and_runs_again(reproduced, capsys):
    layout = Layout("quick")
    files = {p: p.read_bytes() for p in reproduced.rglob("*") if p.is_file()}

    def replace(path, old, new):
        text = (reproduced / path).read_text()
        assert old in text
        (reproduced / path).write_text(text.replace(old, new))

    stamp = json.loads(layout.stamp("toy").read_text())
    changes = {
        "data toy.csv changed": lambda: (reproduced / "data/toy.csv").write_text("2"),
        "cells of the notebook changed": lambda: write_notebook(
            reproduced, "toy", (SETUP, MAP + "; x = 1", FINISH)
        ),
        "code_of/helpers.py changed": lambda: replace(  # a module counts as a whole
            "code_of/helpers.py", "return UNUSED", "return UNUSED + 1"
        ),
        "code_of/tasks.py changed": lambda: replace("code_of/tasks.py", "+ key", "- key"),
        "parameter n: 3 → 4": lambda: replace("study.toml", "n = 3", "n = 4"),
        "its file of results was altered or removed": lambda: layout.results("toy").write_text("{}"),
        "its file of outputs was altered or removed": lambda: layout.executed("toy").unlink(),
        "its stamp was altered": lambda: layout.stamp("toy").write_text(json.dumps(stamp | {"key": "0"})),
    }
    for reason, change in changes.items():
        change()
        assert stamps.stale_because(layout, toy(), "quick") == [reason]
        for path, content in files.items():
            path.write_bytes(content)
        assert stamps.is_fresh(layout, toy(), "quick"), reason
    for text in (
        "{ half a stam",
        "[]",
        "{}",
        "3",
        "null",
        '{"key": []}',
        "[" * 5000,
        json.dumps(stamp | {"inputs": []}),
    ):
        layout.stamp("toy").write_text(text)
        assert stamps.stale_because(layout, toy(), "quick") is None
        assert not stamps.is_fresh(layout, toy(), "quick")
    capsys.readouterr()
    runner.reproduce("quick")
    assert ran(capsys)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("code_of/helpers.py", "# a comment", "# another one"),
        ("code_of/helpers.py", '"""The value."""', '"""The value, scaled."""'),
        ("code_of/not_imported.py", "", "X = 1\n"),
    ],
)
def test_what_computes_nothing_leaves_it_fresh(reproduced, path, old, new):
    file = reproduced / path
    text = file.read_text() if file.exists() else ""
    assert old in text
    file.write_text(text.replace(old, new))
    assert stamps.is_fresh(Layout("quick"), toy(), "quick")


EDITS_ITSELF = (
    "import pathlib, os\n"
    "helpers = pathlib.Path(os.environ['STUDYLIB_STUDY']) / 'code_of/helpers.py'\n"
    "helpers.write_text(helpers.read_text().replace('FACTOR = 1.0', 'FACTOR = 2.0'))"
)


@pytest.mark.slow
@pytest.mark.parametrize("cells", [(SETUP, MAP, EDITS_ITSELF, FINISH), (SETUP, EDITS_ITSELF, MAP, FINISH)])
def test_a_source_file_that_is_edited_while_a_notebook_runs_is_never_stamped_as_its_code(
    folder, capsys, cells
):
    layout = Layout("quick")
    write_notebook(folder, "toy", cells)
    assert runner.reproduce("quick") == 1
    said = capsys.readouterr().err
    assert "helpers.py" in said
    assert "while" in said
    assert stamps.read(layout, "toy") is None
    assert len(results_in(layout.tasks("toy"))) == (
        3 if cells[1] == MAP else 0
    )  # what the old code computed is kept under its own key
    write_notebook(folder, "toy")
    assert runner.reproduce("quick") == 0
    total = json.loads(layout.results("toy").read_text())["metrics"]["sum"]["value"]
    (folder / "reports").rename(folder / "before")
    assert runner.reproduce("quick") == 0
    assert json.loads(layout.results("toy").read_text())["metrics"]["sum"]["value"] == total


@pytest.mark.slow
def test_the_report_marks_what_is_stale(folder, monkeypatch):
    write_study(folder / "two", names=("one", "two"), n=1)
    use(folder / "two", monkeypatch)
    judged = 'run.judge("some-claim", 1)'
    write_notebook(folder / "two", "one", (SETUP, judged, MAP, FINISH))
    (folder / "two/sources/someone/claims.toml").write_text(CLAIM)
    text = (folder / "two/study.toml").read_text()
    (folder / "two/study.toml").write_text(
        text.replace("[notebook.one]", '[notebook.one]\nclaims = ["some-claim"]')
    )
    assert runner.reproduce("quick") == 0
    layout = Layout("quick")
    assert not any("Stale" in page.read_text() for page in layout.folder.glob("*.html"))
    (folder / "two/data/one.csv").write_text("2\n")
    assert runner.reproduce("quick", ["two"]) == 0
    index, page = layout.index.read_text(), layout.page("one").read_text()
    assert "1 notebook(s) are stale: one." in index
    assert "<b>Stale:</b> data one.csv changed" in layout.page("claims").read_text()
    assert "⟳ stale" in layout.page("notebooks").read_text()
    assert "These results are stale: data one.csv changed" in page
    assert runner.reproduce("quick") == 0
    assert not any("Stale" in page.read_text() for page in layout.folder.glob("*.html"))


@pytest.mark.slow
def test_a_page_appears_as_soon_as_its_notebook_is_done(folder, monkeypatch):
    """The second notebook looks for the page of the first; the third for that of the second, which failed."""
    three = folder / "three"
    write_study(three, names=("one", "two", "three"), n=1)
    use(three, monkeypatch)
    look = "from pathlib import Path\n\nassert '{said}' in Path('../reports/quick/{before}.html').read_text()"
    judged = 'run.judge("some-claim", 1)'
    write_notebook(three, "one", (SETUP, judged, MAP, FINISH))
    write_notebook(
        three, "two", (look.format(said="claim-some-claim", before="one"), "raise RuntimeError('boom')")
    )
    write_notebook(three, "three", (look.format(said="boom", before="two"), SETUP, MAP, FINISH))
    text = (three / "study.toml").read_text()
    (three / "study.toml").write_text(
        text.replace("[notebook.one]", '[notebook.one]\nclaims = ["some-claim"]')
    )
    assert runner.reproduce("quick") == 1
    layout = Layout("quick")
    stamps_found = [stamps.read(layout, name) is not None for name in ("one", "two", "three")]
    assert stamps_found == [True, False, True]
    assert 'href="two.html" rel="next"' in layout.page("one").read_text()
    assert 'href="two.html" rel="prev"' in layout.page("three").read_text()


@pytest.mark.slow
def test_better_prose_costs_no_computation_and_reaches_the_page(reproduced, capsys):
    layout = Layout("quick")
    write_notebook(reproduced, "toy", head=HEAD + " Or does it walk?")
    capsys.readouterr()
    assert runner.reproduce("quick") == 0
    assert not ran(capsys)
    assert "Or does it walk?" in layout.page("toy").read_text()
    assert stamps.is_fresh(layout, toy(), "quick")
    before = files_of(layout)
    runner.reproduce("quick")
    assert files_of(layout) == before


@pytest.mark.slow
def test_only_the_notebook_that_depends_on_a_change_runs_again(folder, monkeypatch, capsys):
    write_study(folder / "two", names=("one", "two"), n=1)
    use(folder / "two", monkeypatch)
    assert runner.reproduce("quick", jobs=2) == 0
    (folder / "two/data/two.csv").write_text("2")
    capsys.readouterr()
    runner.reproduce("quick")
    said = capsys.readouterr().err
    assert "two: done" in said
    assert "one: done" not in said


@pytest.mark.slow
def test_a_failing_notebook_leaves_a_page_no_stamp_and_an_exit_code(reproduced, capsys):
    layout = Layout("quick")
    write_notebook(reproduced, "toy", (SETUP, "print('so far')\nraise RuntimeError('boom')"))
    assert cli.main(["reproduce"]) == 1
    assert "toy: FAILED, RuntimeError: boom" in capsys.readouterr().err
    assert stamps.read(layout, "toy") is None
    assert not layout.results("toy").exists()  # nothing of an older run passes for a result
    assert "so far" in layout.page("toy").read_text()
    assert "boom" in layout.page("toy").read_text()
    assert "boom" in layout.page("notebooks").read_text()
    cli.main(["status"])
    assert "toy: failed" in capsys.readouterr().out
    write_notebook(reproduced, "toy")
    assert runner.reproduce("quick") == 0
    assert "boom" not in layout.page("toy").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ((SETUP,), "its last cell must call run.finish()"),
        (
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)",),
            "toy: FAILED, its kernel was killed by SIGKILL (out of memory?) in the cell that begins “import os",
        ),
        (("import os; os._exit(3)",), "toy: FAILED, its kernel ended with exit code 3 in the cell"),
    ],
    ids=["no results", "killed kernel", "kernel that ends"],
)
def test_a_notebook_that_does_not_end_well_has_failed(folder, capsys, cells, said):
    write_notebook(folder, "toy", cells)
    assert runner.reproduce("quick") == 1
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_a_notebook_with_an_endless_cell_has_failed(folder, capsys, monkeypatch):
    # No cell before it that imports anything: the limit must not end that one on a busy machine.
    monkeypatch.setattr("studylib.study.run.execute.CELL_TIMEOUT", {"quick": 5, "paper": 5})
    write_notebook(folder, "toy", ("import time\nwhile True:\n    time.sleep(1)",))
    assert runner.reproduce("quick") == 1
    assert "CellTimeoutError" in capsys.readouterr().err


@pytest.mark.slow
def test_a_parameter_that_the_notebook_lacks_is_refused(folder, capsys):
    with (folder / "study.toml").open("a") as file:
        file.write("m = 3\n")
    assert runner.reproduce("quick") == 1
    said = capsys.readouterr().err
    assert (
        "sets 'm', but the notebook's parameters are profile, n; give it a value in the code cell tagged"
        in said
    )


@pytest.mark.slow
def test_braces_in_a_folder_do_no_harm(folder, monkeypatch):
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder / "{n}{}"))
    assert runner.reproduce("quick") == 0
    assert Layout("quick").index.is_file()


@pytest.mark.slow
def test_outputs_do_not_count_as_a_change(reproduced):
    notebook = nbformat.read(toy().path, as_version=4)
    notebook.cells[2]["outputs"] = [nbformat.v4.new_output("stream", text="old")]
    notebook.cells[2]["execution_count"] = 7
    nbformat.write(notebook, toy().path)
    assert stamps.is_fresh(Layout("quick"), toy(), "quick")


@pytest.mark.slow
def test_status_and_clean(folder, capsys):
    assert cli.main(["status"]) == 3
    assert "toy: not run yet" in capsys.readouterr().out
    runner.reproduce("quick")
    capsys.readouterr()
    assert cli.main(["status"]) == 0
    assert "toy: fresh" in capsys.readouterr().out
    (folder / "data/toy.csv").write_text("2")
    assert cli.main(["status"]) == 3
    said = capsys.readouterr().out
    assert "toy: stale since" in said
    assert "    data toy.csv changed" in said
    assert cli.main(["clean"]) == 0
    assert not Layout("quick").folder.exists()
    assert cli.main(["clean"]) == 0


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_one_sentence(folder, capsys, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder / "file"))
    assert cli.main(["reproduce"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(folder / "file") in said


@pytest.mark.slow
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


@pytest.mark.slow
def test_results_do_not_depend_on_the_number_of_jobs(folder):
    runner.reproduce("quick", jobs=1)
    one = Layout("quick").results("toy").read_bytes()
    cli.main(["clean"])
    runner.reproduce("quick", jobs=2)
    assert Layout("quick").results("toy").read_bytes() == one
    assert json.loads(one)["metrics"]["sum"]["value"] != 3.0


@pytest.mark.slow
def test_only_temporary_files_of_the_reports_own_files_are_removed(folder):
    layout = Layout("quick")
    ours = [
        ".index.html.a1b2c3d4",
        "results/.toy.json.abcd_123",
        "tasks/.toy.jsonl.00000000",
        "notebooks/.toy.ipynb.zzzzzzzz",
    ]
    others = [
        ".gitignore",
        ".gitattributes",
        ".notes.markdown",
        ".env.settings",
        "results/.private.keepthis",
        "mine/.toy.json.abcd_123",
        ".git/.index.json.abcd_123",
        "tasks/.toy.jsonl.swp",
    ]
    for name in (*ours, *others):
        path = layout.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (layout.folder / ".page.html.abcdefgh").mkdir()
    with runner.only_run(layout):
        pass
    assert [name for name in ours if (layout.folder / name).exists()] == []
    assert [name for name in others if not (layout.folder / name).exists()] == []


@pytest.mark.slow
def test_kernels_run_in_the_notebooks_folder_and_the_runner_stays_in_its_own(tmp_path, monkeypatch):
    """Were the runner to change its folder and back, as papermill can, threads would leave it in the wrong one."""

    here = os.getcwd()

    def chdir(path):
        assert os.path.realpath(path) == os.path.realpath(here), "the runner leaves its folder"

    monkeypatch.setattr(os, "chdir", chdir)
    source, executed = tmp_path / "one.ipynb", tmp_path / "executed" / "one.ipynb"
    cell = nbformat.v4.new_code_cell("import os\nprint(os.getcwd())")
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), source)
    assert run_cells(source, executed, {}, work=tmp_path / "work" / "one.ipynb", timeout=600) is None
    printed = nbformat.read(executed, as_version=4).cells[-1].outputs[0].text.strip()
    assert os.path.realpath(printed) == os.path.realpath(tmp_path)


def test_loggers_are_as_before_also_after_an_exception():
    levels = [logging.getLogger(name).level for name in ("papermill", "traitlets", "asyncio")]
    with pytest.raises(OSError, match="full"), runner.quiet():
        raise OSError("full")
    assert [logging.getLogger(name).level for name in ("papermill", "traitlets", "asyncio")] == levels
