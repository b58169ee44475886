"""Where data files are, and how they are checked."""

import os
from pathlib import Path

#: Environment variable that names the data directory.
DATA_VARIABLE = "STUDYLIB_DATA"


class DataNotAvailableError(OSError):
    """A data set is neither in the data directory nor could it be downloaded."""


class DataChangedError(ValueError):
    """A table, in a file or as a server sent it, is not the published one."""


def data_dir():
    """Directory of the data files: ``$STUDYLIB_DATA``, else the project's ``data/``, else ``./data``."""
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named).expanduser().resolve()
    project = Path(__file__).resolve().parents[3]
    return (project if (project / "pyproject.toml").is_file() else Path.cwd()) / "data"
