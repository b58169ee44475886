"""Where compiled kernels are cached: a folder named after the code they came from.

Numba invalidates a cached kernel when its own file changes, but not when a kernel that it calls from
another file does.  So the cache's path holds a hash of every source file and of the lock.  The variable
must be set before numba is imported: importing ``studylib`` from a checkout does so, in a notebook's
kernel too, and the Makefile sets it for everything that a target starts.
Run as a script, this file prints the path.  Standard library only.
"""

import hashlib
import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_ROOT = _PACKAGE.parents[1]


def source_hash():
    """Hex digest over the names and bytes of the package's sources and the lock."""
    digest = hashlib.sha256()
    files = sorted(p for p in _PACKAGE.rglob("*.py"))
    for path in [*files, _ROOT / "requirements.lock"]:
        if path.is_file():
            digest.update(path.relative_to(_ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_dir():
    """Path of the cache for the present sources."""
    return _ROOT / ".cache" / "numba" / source_hash()[:16]


def in_checkout():
    """Whether this package is used from a clone of the repository."""
    return (_ROOT / "pyproject.toml").is_file() and (_ROOT / "requirements.lock").is_file()


def use():
    """Point numba at the cache, unless the variable is set already."""
    os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir()))


if __name__ == "__main__":
    print(cache_dir())
