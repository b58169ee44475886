"""Files that are either the old one or the whole new one, whatever happens in between."""

import hashlib
import json
import os
import re
import tempfile
from pathlib import Path

#: Names of the temporary files that :func:`write_atomically` leaves if the process is killed.
TEMPORARY = re.compile(r"\..+\.[A-Za-z0-9_]{8}")


def write_atomically(path, content):
    """Write bytes (or text, as UTF-8) to a temporary file beside ``path``, then put it in its place."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError) and error.errno and error.filename is None:  # a full disk names no file
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


def write_json(path, value):
    """Write a value as readable JSON, atomically."""
    write_atomically(
        path, json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n"
    )


def sha256(content):
    """Hex digest of bytes."""
    return hashlib.sha256(content).hexdigest()


def file_hash(path):
    """sha256 of a file, or ``"absent"``."""
    path = Path(path)
    if not path.is_file():
        return "absent"
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
