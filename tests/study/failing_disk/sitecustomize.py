"""A disk that is full or read-only, for every Python process that finds this file: ``FAILING_DISK`` says how.

``FAILING_DISK=28:5:/folder`` lets five writes below the folder succeed in each process; the next ones fail with
error number 28.  Tests use it because a real full disk needs a file system of its own.
"""

import builtins
import io
import os


def _install(number, left, folder):
    def check(path):
        nonlocal left
        if isinstance(path, int) or str(os.fspath(path)).startswith(folder):
            left -= 1
            if left < 0:
                raise OSError(number, os.strerror(number), None if isinstance(path, int) else os.fspath(path))

    def guarded(function, writes=lambda *arguments, **keywords: True):
        def call(path, *arguments, **keywords):
            if writes(*arguments, **keywords):
                check(path)
            return function(path, *arguments, **keywords)

        return call

    def opens_to_write(mode="r", *arguments, **keywords):
        return not set(mode).isdisjoint("wax+")

    builtins.open = io.open = guarded(io.open, opens_to_write)
    os.open = guarded(os.open, lambda flags, *a, **k: flags & (os.O_WRONLY | os.O_RDWR))
    for name in ("fsync", "mkdir", "replace"):
        setattr(os, name, guarded(getattr(os, name)))


if "FAILING_DISK" in os.environ:
    _number, _left, _folder = os.environ["FAILING_DISK"].split(":", 2)
    _install(int(_number), int(_left), _folder)
