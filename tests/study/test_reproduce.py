"""Running small notebooks: freshness, failures, locks, the report that comes out."""

import json
import logging

import pytest

from studylib.core.files import file_hash
from studylib.study import cli
from studylib.study import reproduce as runner
from studylib.study.fingerprints import key_of
from studylib.study.freshness import stamps
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from tests.study.small_study import (
    FINISH,
    MAP,
    SETUP,
    change,
    computed,
    results_in,
    studylib,
    use,
    write_notebook,
    write_study,
)

JUDGED = 'run.judge("some-claim", 1)'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A study of one notebook, ``toy``."""
    write_study(tmp_path / "study")
    return use(tmp_path / "study", monkeypatch)


def toy():
    """The notebook as the study's files describe it now."""
    return current_study().notebook("toy")


def ran(capsys):
    return "toy: done" in capsys.readouterr().err


@pytest.mark.slow
def test_a_run_leaves_a_stamp_and_the_next_one_finds_everything_fresh(folder, capsys):
    layout = Layout("quick")
    assert cli.main(["status"]) == 3
    assert "toy: not run yet" in capsys.readouterr().out
    assert cli.main(["reproduce"]) == 0
    assert ran(capsys)
    assert sorted(computed(folder)) == ["toy 0", "toy 1", "toy 2"]
    stamp = stamps.read(layout, "toy")
    assert stamp["inputs"]["parameters"] == {"profile": "quick", "n": 3}
    assert stamp["inputs"]["data"] == {"toy.csv": file_hash(folder / "data/toy.csv")}
    assert stamp["environment"]["numba"]
    assert stamp["wall_time_s"] > 0
    assert stamp["peak_memory_mib"] > 10
    assert stamp["key"] == key_of(stamp["inputs"])
    assert set(stamp["inputs"]["code"]) >= {"code_of/tasks.py", "code_of/helpers.py"}
    task = stamp["tasks"]["code_of.tasks.work"]
    assert (task["n"], task["confirmed"]) == (3, 0)
    assert task["seconds"] >= 0
    before = stamp_and_results(layout)
    assert cli.main(["reproduce"]) == 0
    assert "1 notebook(s) fresh already" in capsys.readouterr().out
    assert stamp_and_results(layout) == before
    assert len(computed(folder)) == 3


def stamp_and_results(layout):
    return [path("toy").read_bytes() for path in (layout.stamp, layout.results, layout.tasks)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "old", "new", "reason"),
    [
        ("data/toy.csv", "1", "2", "data toy.csv changed"),
        ("notebooks/toy.ipynb", "run.finish()", "1 + 1; run.finish()", "cells of the notebook changed"),
        # a module counts as a whole
        ("code_of/helpers.py", "return UNUSED", "return UNUSED + 1", "code_of/helpers.py changed"),
        ("study.toml", "n = 30", "n = 31", "parameter n: 30 → 31"),
        ("reports/quick/results/toy.json", '"sum"', '"Sum"', "its file of results was altered or removed"),
    ],
)
def test_whatever_is_changed_the_notebook_is_stale_and_runs_again(small, capsys, path, old, new, reason):
    change(small / path, old, new)
    assert stamps.stale_because(Layout("quick"), toy(), "quick") == [reason]
    assert cli.main(["status"]) == 3
    output = capsys.readouterr().out
    assert "toy: stale since" in output
    assert f"    {reason}\n" in output
    assert runner.reproduce("quick") == 0
    assert ran(capsys)
    assert stamps.stale_because(Layout("quick"), toy(), "quick") == []


def test_status_while_a_run_begins_and_removes_a_stamp_is_no_error(small, capsys, monkeypatch):
    layout, staleness = Layout("quick"), stamps.staleness

    def while_a_run_begins(*words):
        reasons = staleness(*words)
        layout.stamp("toy").unlink()
        return reasons

    monkeypatch.setattr(stamps, "staleness", while_a_run_begins)
    assert cli.main(["status"]) == 3
    assert capsys.readouterr().out == "toy: failed\n"


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
    errors = capsys.readouterr().err
    assert "helpers.py" in errors
    assert "while" in errors
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
def test_the_report_marks_what_is_stale_and_only_that_runs_again(folder, monkeypatch, capsys):
    write_study(folder / "two", names=("one", "two"), n=1, claims={"one": ["some-claim"]})
    use(folder / "two", monkeypatch)
    write_notebook(folder / "two", "one", (SETUP, JUDGED, MAP, FINISH))
    assert runner.reproduce("quick", jobs=2) == 0
    layout = Layout("quick")
    assert not any("Stale" in page.read_text() for page in layout.folder.glob("*.html"))
    (folder / "two/data/one.csv").write_text("2\n")
    assert runner.reproduce("quick", ["two"]) == 0
    index, page = layout.index.read_text(), layout.page("one").read_text()
    assert "1 notebook(s) are stale: one." in index
    assert "<b>Stale:</b> data one.csv changed" in layout.page("claims").read_text()
    assert "⟳ stale" in layout.page("notebooks").read_text()
    assert "These results are stale: data one.csv changed" in page
    capsys.readouterr()
    assert runner.reproduce("quick") == 0
    errors = capsys.readouterr().err
    assert "one: done" in errors
    assert "two: done" not in errors
    assert not any("Stale" in page.read_text() for page in layout.folder.glob("*.html"))


@pytest.mark.slow
def test_a_page_appears_as_soon_as_its_notebook_is_done(folder, monkeypatch):
    """The second notebook looks for the page of the first; the third for that of the second, which failed."""
    three = folder / "three"
    write_study(three, names=("one", "two", "three"), n=1, claims={"one": ["some-claim"]})
    use(three, monkeypatch)
    look = "from pathlib import Path\n\nassert '{said}' in Path('../reports/quick/{before}.html').read_text()"
    write_notebook(three, "one", (SETUP, JUDGED, MAP, FINISH))
    write_notebook(
        three, "two", (look.format(said="claim-some-claim", before="one"), "raise RuntimeError('boom')")
    )
    write_notebook(three, "three", (look.format(said="boom", before="two"), SETUP, MAP, FINISH))
    assert runner.reproduce("quick") == 1
    layout = Layout("quick")
    stamps_found = [stamps.read(layout, name) is not None for name in ("one", "two", "three")]
    assert stamps_found == [True, False, True]
    assert 'href="two.html" rel="next"' in layout.page("one").read_text()
    assert 'href="two.html" rel="prev"' in layout.page("three").read_text()


@pytest.mark.slow
def test_a_failing_notebook_leaves_a_page_no_stamp_and_an_exit_code(small, capsys):
    layout = Layout("quick")
    write_notebook(small, "toy", (SETUP, "print('so far')\nraise RuntimeError('first\\n\\n  boom')"))
    assert cli.main(["reproduce"]) == 1
    assert capsys.readouterr().err == "  toy: FAILED, RuntimeError: first boom\n"
    assert stamps.read(layout, "toy") is None
    assert not layout.results("toy").exists()  # nothing of an older run passes for a result
    assert "so far" in layout.page("toy").read_text()
    assert "boom" in layout.page("toy").read_text()
    assert "boom" in layout.page("notebooks").read_text()
    cli.main(["status"])
    assert "toy: failed" in capsys.readouterr().out
    write_notebook(small, "toy")
    assert runner.reproduce("quick") == 0
    assert "boom" not in layout.page("toy").read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cells", "message"),
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
def test_a_notebook_that_does_not_end_well_has_failed(folder, capsys, cells, message):
    write_notebook(folder, "toy", cells)
    assert runner.reproduce("quick") == 1
    assert message in capsys.readouterr().err


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
    errors = capsys.readouterr().err
    assert (
        "sets 'm', but the notebook's parameters are profile, n; give it a value in the code cell tagged"
        in errors
    )


@pytest.mark.slow
def test_two_runs_at_once_are_one_run_and_one_sentence(folder):
    with runner.only_run(Layout("quick")):
        code, printed = studylib("reproduce")
    assert (code, printed.count("\n")) == (2, 1)
    assert "another run of the profile 'quick' is at work" in printed


def test_a_notebook_that_is_called_like_a_page_is_refused_before_it_runs(tmp_path, monkeypatch):
    write_study(use(tmp_path, monkeypatch), names=("method",))
    with pytest.raises(ValueError, match="'method' needs another name: the report has a page called so"):
        runner.reproduce("quick")
    assert not computed(tmp_path)


@pytest.mark.slow
def test_notebooks_whose_names_differ_after_a_dot_run_at_once(tmp_path, monkeypatch):
    write_study(use(tmp_path, monkeypatch), names=("1.1_toy", "1.2_toy"))
    assert runner.reproduce("quick", jobs=2) == 0


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_one_sentence(folder, capsys, monkeypatch):
    (folder / "file").write_text("")
    monkeypatch.setenv("STUDYLIB_REPORTS", str(folder / "file"))
    assert cli.main(["reproduce"]) == 2
    errors = capsys.readouterr().err
    assert errors.count("\n") == 1
    assert str(folder / "file") in errors


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


def test_loggers_are_as_before_also_after_an_exception():
    levels = [logging.getLogger(name).level for name in ("papermill", "traitlets", "asyncio")]
    with pytest.raises(OSError, match="full"), runner.quiet():
        raise OSError("full")
    assert [logging.getLogger(name).level for name in ("papermill", "traitlets", "asyncio")] == levels
