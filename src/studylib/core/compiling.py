"""While kernels are compiled: no garbage collection, and, after two seconds, one line to stderr that says so.

numba makes many objects that live until a kernel is done, and looking through them again and again took a
tenth to a seventh of a first fit.

It is logged by ``logging.getLogger("studylib")`` as a warning, so ``setLevel("ERROR")`` silences it; so does
``STUDYLIB_SILENT=1`` in the environment, which the command line sets for its many processes, whose output
belongs to reports.  With kernels from the cache nothing is compiled and nothing said.
"""

import gc
import logging
import os
import threading
import time

from numba.core import event

from studylib.core.data import SILENT_VARIABLE

_PATIENCE = 2.0  # seconds


class Notice(event.Listener):
    """Adds up how long numba compiles our kernels, says so once, and holds back the garbage collector."""

    def __init__(self):
        self._depth, self._since, self._spent, self._said = 0, 0.0, 0.0, False
        self._collects, self._lock = False, threading.Lock()

    def on_start(self, event):
        """A kernel, or one that it calls, begins to be compiled."""
        if not _is_ours(event):
            return
        with self._lock:
            if self._depth == 0:
                self._since = time.monotonic()
                self._collects = gc.isenabled()
                gc.disable()
            self._depth += 1
        self._look()

    def on_end(self, event):
        """It is compiled."""
        if not _is_ours(event):
            return
        self._look()
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._spent += time.monotonic() - self._since
                if self._collects:
                    gc.enable()

    def _look(self):
        if (
            self._said
            or SILENT_VARIABLE in os.environ
            or self._spent + time.monotonic() - self._since <= _PATIENCE
        ):
            return
        self._said = True
        logging.getLogger("studylib").warning(
            "studylib: compiling kernels takes some seconds, once; later runs find them in numba's cache."
        )


def _is_ours(event):
    return event.data["dispatcher"].py_func.__module__.startswith("studylib.")


event.register("numba:compile", Notice())
