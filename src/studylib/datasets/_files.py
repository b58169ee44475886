"""Where data files are, and how they are checked and written."""

import hashlib
import json
import os
import tempfile
from pathlib import Path

#: Environment variable that names the data directory.
DATA_VARIABLE = "STUDYLIB_DATA"


class DataNotAvailableError(OSError):
    """A data set is neither in the data directory nor could it be downloaded."""


class DataChangedError(ValueError):
    """A data file is there, but it is not the published one."""


def data_dir():
    """Directory of the data files: ``$STUDYLIB_DATA``, else the project's ``data/``, else ``./data``."""
    named = os.environ.get(DATA_VARIABLE)
    if named:
        return Path(named).expanduser().resolve()
    project = Path(__file__).resolve().parents[3]
    return (project if (project / "pyproject.toml").is_file() else Path.cwd()) / "data"


def sha256(content):
    """Hex digest of bytes."""
    return hashlib.sha256(content).hexdigest()


def write_atomically(path, content):
    """Write bytes so that ``path`` is either the old file or the whole new one."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(path, value):
    """Write a value as readable JSON, atomically."""
    text = json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=True)
    write_atomically(path, (text + "\n").encode())
