"""Where compiled kernels are cached: a folder named after the code they came from.

Numba invalidates a cached kernel when its own file changes, but not when a kernel that it calls from
another file does.  So the cache's path holds a hash of every source file that kernels can use, and of the
lock.  The variable must be set before numba is imported: importing ``studylib`` from a checkout does so, in a
notebook's kernel too, and the Makefile sets it for everything that a target starts.
Run as a script, this file prints the path.  Standard library only.
"""

import hashlib
import os
import re
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_ROOT = _PACKAGE.parents[1]
#: Rooms whose kernels, if they have any, call none of another file: numba itself notices when these change,
#: so to edit a file there compiles nothing else anew.
_SELF_CONTAINED = ("study", "studies", "plots", "tryout")


def source_hash():
    """Hex digest over the names and bytes of the sources that kernels can use, and of the lock."""
    digest = hashlib.sha256()
    files = sorted(
        path for path in _PACKAGE.rglob("*.py") if path.relative_to(_PACKAGE).parts[0] not in _SELF_CONTAINED
    )
    for path in [*files, _ROOT / "requirements.lock"]:
        if path.is_file():
            digest.update(path.relative_to(_ROOT).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def cache_dir():
    """Path of the cache for the present sources, below ``$NUMBA_CACHE_DIR`` if that is set."""
    name = source_hash()[:16]
    named = os.environ.get("NUMBA_CACHE_DIR")
    if not named:
        return _ROOT / ".cache" / "numba" / name
    folder = Path(named)
    if re.fullmatch("[0-9a-f]{16}", folder.name):  # appended by an earlier process, perhaps of older sources
        folder = folder.parent
    return folder / name


def in_checkout():
    """Whether this package is used from a clone of the repository."""
    return (_ROOT / "pyproject.toml").is_file() and (_ROOT / "requirements.lock").is_file()


def use():
    """Point numba at the cache."""
    os.environ["NUMBA_CACHE_DIR"] = str(cache_dir())


if __name__ == "__main__":
    print(cache_dir())
