"""Cache folders of compiled kernels, named after the code that the kernels came from.

Numba invalidates a cached kernel when its own file changes, but not when a kernel that it calls from
another file does.  So the cache's path holds a hash of every source file that kernels can use, and of the
versions of numba and llvmlite; where the package lies does not count.  For kernels of a user's own study,
numba's variable names the folder; it must be set before numba is imported, and the Makefile sets it for
everything that a target starts.
Run as a script, this file prints the path.  Standard library only.
"""

import contextlib
import errno
import functools
import hashlib
import os
import re
import stat
import sys
import tempfile
from importlib import metadata
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_ROOT = _PACKAGE.parents[1]
#: Rooms whose kernels, if they have any, call none of another file: they are compiled again when that file
#: changes, so editing a file there recompiles nothing else.
_SELF_CONTAINED = ("study", "studies", "plots", "tryout")


def _sources():
    """Files of the code that kernels can use, or the one in which it is packed: a zip, a program."""
    packed = [path for path in _PACKAGE.parents if path.is_file()]
    others = {*_SELF_CONTAINED, "__pycache__"}
    paths = (path for path in _PACKAGE.rglob("*.py*") if others.isdisjoint(path.relative_to(_PACKAGE).parts))
    return packed or sorted(p for p in paths if p.suffix in (".py", ".pyc")) or [Path(sys.executable)]


@functools.cache
def source_hash():
    """Hex digest over the names and bytes of the sources that kernels can use, and of the compiler's version.

    It is that of the code which this process runs, so later changes do not count.
    """
    digest = hashlib.sha256()
    for name in ("numba", "llvmlite"):
        with contextlib.suppress(metadata.PackageNotFoundError):  # a program in one file may leave it out
            digest.update(f"{name} {metadata.version(name)}".encode())
    for path in _sources():
        digest.update((_within(path) or Path(path.name)).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _within(path):
    """Path of a file within the package; None if it lies elsewhere."""
    with contextlib.suppress(ValueError):
        return Path(path).resolve().relative_to(_PACKAGE)


def below(path):
    """Folder of a file's kernels within each cache: that of the file in the package, wherever this lies."""
    folder = Path(path).resolve().parent
    elsewhere = f"{folder.name}_{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    return (_within(path) or Path(elsewhere, "a file")).parent


def stamp(path):
    """Stamp of a kernel's code: a hash of the sources, and of its own file where that is none of them."""
    within = _within(path)
    if within and within.parts[0] not in _SELF_CONTAINED:
        return source_hash()
    return f"{source_hash()} {hashlib.sha256(Path(path).read_bytes()).hexdigest()}"


def folders(of_user):
    """Folders of our kernels: the first that can be written keeps new ones; all of them are searched.

    An installed package keeps them in its own folder.  If that cannot be written, it uses ``of_user``, the
    user's cache folder; a relative path means that there is no home, and is left out.
    """
    if in_checkout() or os.environ.get("NUMBA_CACHE_DIR"):
        return [cache_dir()]
    places = [_PACKAGE / "__pycache__", Path(of_user)]
    return [place / source_hash()[:16] for place in places if place.is_absolute()]


def shipped():
    """Folder of the kernels that a wheel carries, see ``tools/wheel.sh``; nothing is written to it."""
    return _PACKAGE / "_kernels" / source_hash()[:16]


def temporary(make=False):
    """Folder used if no other can be written; as code is loaded from it, it must be the user's alone."""
    user = os.getuid() if hasattr(os, "getuid") else ""  # else each user has a temporary folder
    folder = Path(tempfile.gettempdir()) / f"studylib-{user}-{source_hash()[:16]}"
    if make:
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)
    status = folder.lstat()
    alone = user == "" or (status.st_uid == user and not status.st_mode & 0o077)
    if not (stat.S_ISDIR(status.st_mode) and alone):
        raise PermissionError(errno.EPERM, "Not a folder of this user alone", str(folder))
    return folder


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
    """True if this package is used from a clone of the repository."""
    return (_ROOT / "pyproject.toml").is_file() and (_ROOT / "requirements.lock").is_file()


if __name__ == "__main__":
    print(cache_dir())
