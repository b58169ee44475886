"""Locations of data files, and the errors raised for missing or altered ones."""

import contextlib
import json
import os
from contextvars import ContextVar
from pathlib import Path

#: Environment variable that names the data directory.
DATA_VARIABLE = "STUDYLIB_DATA"
#: Environment variable that names the folder of a study.
STUDY_VARIABLE = "STUDYLIB_STUDY"
#: Environment variable of the processes of a run: it names a file that says how to run.
RUN_VARIABLE = "STUDYLIB_RUN"
#: If set, nothing is downloaded (the study runner sets it after one failure).
OFFLINE_VARIABLE = "STUDYLIB_OFFLINE"


class DataNotAvailableError(OSError):
    """A data set is neither in the data directory nor could it be downloaded."""


class DataNotListedError(ValueError):
    """A notebook of a run, or one of its tasks, reads a data file that the notebook does not list."""


class DataChangedError(ValueError):
    """A table, in a file or as a server sent it, is not the published one."""


def data_dir():
    """Directory that holds the published tables and receives downloads.

    That is ``$STUDYLIB_DATA``, else ``data`` in the study's folder: ``$STUDYLIB_STUDY``, else the checkout
    that this package is in, else the working directory.
    """
    named = os.environ.get(DATA_VARIABLE)
    return Path(named).expanduser().resolve() if named else _data_of_the_study()


def data_file(path):
    """A study's own data file: below ``data`` in its folder if it is there, else below :func:`data_dir`.

    ``$STUDYLIB_DATA`` may be set for other studies and hold another file of that name.  Raises
    DataNotListedError in a run, if the notebook does not list the file in ``study.toml``.
    """
    _check_listed(path)
    bundled = _data_of_the_study() / path
    return bundled if bundled.is_file() else data_dir() / path


def published_file(path, part_of=None):
    """A published table below :func:`data_dir`, which holds the same for all studies.

    Raises DataNotListedError in a run, if the notebook does not list the file in ``study.toml``, or the list
    of tables that it is ``part_of``, if that is what is named there.
    """
    _check_listed(part_of or path)
    return data_dir() / path


_of_the_task = ContextVar("data files that the task of this thread may read", default=None)


@contextlib.contextmanager
def only_data(paths):
    """Refuse all data files but these, which the notebook of a task lists; None allows all."""
    before = _of_the_task.set(paths)
    try:
        yield
    finally:
        _of_the_task.reset(before)


def _check_listed(path):
    listed = _of_the_task.get()
    if listed is None and (run := os.environ.get(RUN_VARIABLE)):
        listed = json.loads(Path(run).read_text(encoding="utf-8"))["data"]
    if listed is not None and str(path) not in listed:
        raise DataNotListedError(
            f"the data file {path} is read, but the notebook does not list it, so a change of it would go "
            "unnoticed; add it to the notebook's 'data' in study.toml."
        )


def _data_of_the_study():
    study = os.environ.get(STUDY_VARIABLE)
    project = Path(__file__).resolve().parents[3]
    if study:
        project = Path(study).expanduser().resolve()
    elif not (project / "pyproject.toml").is_file():
        project = Path.cwd()
    return project / "data"
