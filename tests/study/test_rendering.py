"""Writing a report again changes no byte: no clock, no age of a file, no leftover decides what a page says."""

import datetime
import os
import shutil
import sys
import time

import pytest

from studylib.study import cli
from studylib.study.freshness import stamps
from studylib.study.ledger.study import current_study
from tests.study.judged_study import commit_all, in_study, reproduce, write_judged_study

#: What the engine writes of results alone, so that it can be written anew.
RENDERED = ("*.html", "*.py", "evidence.json", "ledger.json", "ro-crate-metadata.json")
#: What a user writes.
WRITTEN = ("*.toml", "*.cff", "sources/*/*.toml", "code_of/*.py", "sources/*/*.py", "notebooks/*.ipynb")
BOM = b"\xef\xbb\xbf"


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """A reproduced study, under version control as a whole; its name and its text files are awkward."""
    folder = tmp_path_factory.mktemp("rendering") / "st{u}dy"
    write_judged_study(folder)
    mark(folder)
    commit_all(folder, "Claims")
    reproduce(folder)
    return folder


def mark(folder):
    """Put a byte-order mark before everything that a user writes, as some editors do."""
    for path in (path for pattern in WRITTEN for path in folder.glob(pattern)):
        path.write_bytes(BOM + path.read_bytes())


def files(folder):
    """What is committed of a report: all but the folder of work."""
    paths = (path for path in folder.rglob("*") if path.is_file() and "work" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


@pytest.fixture
def tomorrow(monkeypatch):
    """The clock is a day ahead, for everything that asks it."""

    class Tomorrow(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return super().now(tz) + datetime.timedelta(days=1)

    present, asked = time.time, []
    for name, module in list(sys.modules.items()):
        if (
            name.split(".")[0] in ("studylib", "rocrate")
            and getattr(module, "datetime", None) is datetime.datetime
        ):
            monkeypatch.setattr(module, "datetime", Tomorrow)
            asked.append(name)
    assert "studylib.study.site.report" in asked
    monkeypatch.setattr(time, "time", lambda: present() + 86400)


def grow_old(folder):
    """Give every file another age."""
    for k, path in enumerate(sorted(folder.rglob("*"))):
        if path.is_file():
            os.utime(path, (1e9 + 60 * k, 1e9 + 60 * k))


def test_judging_and_reproducing_again_change_no_byte_and_lost_pages_are_written_as_they_were(
    study, tomorrow, capsys
):
    with in_study(study) as layout:
        before = files(layout.folder)
        lost = [path for pattern in RENDERED for path in layout.folder.glob(pattern)]
        assert len(lost) >= 6
        for command in ("judge", "judge", "reproduce"):
            grow_old(study)
            assert cli.main([command]) == 0
            assert files(layout.folder) == before, command
        assert "1 notebook(s) fresh already" in capsys.readouterr().out
        for path in lost:
            path.unlink()
        assert cli.main(["judge"]) == 0
        assert files(layout.folder) == before


def test_the_first_page_says_when_the_last_run_ended_if_there_was_one(study, tmp_path):
    with in_study(study) as layout:
        finished = datetime.datetime.fromisoformat(stamps.read(layout, "toy")["finished"])
        ended = f"{finished:%Y-%m-%d %H:%M} UTC"
        index = layout.index.read_text()
    assert f"<time>{ended}</time>" in index
    assert f"last run {ended}" in index
    write_judged_study(tmp_path / "study")
    with in_study(tmp_path / "study") as layout:
        assert cli.main(["judge"]) == 0
        index = layout.index.read_text()
    assert "<time>" not in index
    assert "last run" not in index


def test_a_byte_order_mark_is_no_part_of_what_a_user_wrote(study, tmp_path):
    """It neither hinders a run nor makes a result stale."""
    study = shutil.copytree(study, tmp_path / "study")
    with in_study(study):
        assert current_study().title == "Small study"
        assert cli.main(["verify"]) == 0
        for path in (path for pattern in WRITTEN for path in study.glob(pattern)):
            if path.name != "judging.py":  # a function that judges counts byte by byte
                path.write_bytes(path.read_bytes().removeprefix(BOM))
        assert cli.main(["status"]) == 0
