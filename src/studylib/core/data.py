"""Locations of data files, and the errors raised for missing or altered ones."""

import os
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

    ``$STUDYLIB_DATA`` may be set for other studies and hold another file of that name.
    """
    own = _data_of_the_study() / path
    return own if own.is_file() else data_dir() / path


def _data_of_the_study():
    study = os.environ.get(STUDY_VARIABLE)
    project = Path(__file__).resolve().parents[3]
    if study:
        project = Path(study).expanduser().resolve()
    elif not (project / "pyproject.toml").is_file():
        project = Path.cwd()
    return project / "data"
