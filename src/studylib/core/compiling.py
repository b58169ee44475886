"""``njit`` for our kernels, and the notice shown while they are compiled.

numba lets what goes wrong with its cache end the program: no folder that can be written, damaged files, a
full disk.  Here a kernel is looked for in every folder of ``kernel_cache`` and kept in the first that takes
it; what is damaged counts as missing, and where nothing can be kept, kernels live as long as the process.

A first fit takes seconds, so after two of them a line to stderr says why.  It is logged by
``logging.getLogger("studylib")`` as a warning: ``setLevel("ERROR")`` silences it.  The processes of a run say
nothing, because their output belongs to a report.  With kernels from the cache nothing is compiled and
nothing said.
"""

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import threading
import time
from pathlib import Path

import numba
from llvmlite import ir
from numba.core import caching, cgutils
from numba.core.compiler_lock import global_compiler_lock
from numba.core.pythonapi import PythonAPI
from numba.core.serialize import dumps
from numba.misc.appdirs import AppDirs

from studylib.core import kernel_cache
from studylib.core.data import RUN_VARIABLE

_NOTICE_AFTER = 2.0  # seconds


class Notice:
    """Adds up the time that our kernels take to compile, and shows one notice if it is long."""

    def __init__(self):
        self._depth, self._since, self._spent, self._given = 0, 0.0, 0.0, False
        self._disappointed, self._lock = False, threading.Lock()

    @contextlib.contextmanager
    def compilation(self):
        """Add the time of a block that compiles a kernel; kernels that it calls are compiled within."""
        with self._lock:
            if self._depth == 0:
                self._since = time.monotonic()
            self._depth += 1
        self._look()
        try:
            yield
        finally:
            self._look()
            with self._lock:
                self._depth -= 1
                if self._depth == 0:
                    self._spent += time.monotonic() - self._since

    def _look(self):
        if not self._given and self._spent + time.monotonic() - self._since > _NOTICE_AFTER:
            self._given = True
            _say("compiling kernels takes some seconds, once; later runs find them in numba's cache")

    def disappoint(self, sentence):
        """Say, once, that later runs will not find the compiled kernels, or not where they should be."""
        with self._lock:
            first, self._disappointed, self._given = not self._disappointed, True, True
        if first:
            _say(sentence)


def _say(sentence):
    if RUN_VARIABLE not in os.environ:
        logging.getLogger("studylib").warning(f"studylib: {sentence}.")


_NOTICE = Notice()


def njit(*, cache=False, **options):
    """Decorate a kernel as ``numba.njit`` does, but cache it in the folders of this package.

    No kernel is passed on as a pointer for C; without those, a first fit takes up to a fifth less time.
    """

    def decorate(function):
        made = numba.njit(no_cfunc_wrapper=True, **options)(function)
        if not numba.config.DISABLE_JIT:
            made._compiler.compile = _noticed(made._compiler.compile)
            if cache:
                made._cache = _Cache(function)
        return made

    return decorate


def _noticed(compile_kernel):
    @functools.wraps(compile_kernel)
    def noticed(args, return_type):
        with _NOTICE.compilation(), _signals_first():
            return compile_kernel(args, return_type)

    return noticed


@contextlib.contextmanager
def _signals_first():
    """Compile kernels that run the handlers of signals, such as Ctrl-C's, before they return Python objects.

    Otherwise those run in the first Python function that numba then calls.  If a handler raises there, numba
    does not notice: the caller gets a SystemError, or a tuple with a hole, on which Python crashes.
    """
    with global_compiler_lock:
        before, PythonAPI.from_native_return = PythonAPI.from_native_return, _returned
        try:
            yield
        finally:
            PythonAPI.from_native_return = before


_from_native_return = PythonAPI.from_native_return


def _returned(api, kind, value, env_manager):
    builder = api.builder
    check = api._get_function(ir.FunctionType(ir.IntType(32), ()), name="PyErr_CheckSignals")
    with builder.if_then(cgutils.is_not_null(builder, builder.call(check, ())), likely=False):
        api.context.nrt.decref(builder, kind, value)
        builder.ret(api.get_null_object())
    return _from_native_return(api, kind, value, env_manager)


@functools.cache
def _places():
    """Folders of compiled kernels, in order of preference; None is the temporary folder."""
    return [*kernel_cache.folders(AppDirs("numba", appauthor=False).user_cache_dir), None]


class _Locator(caching.InTreeCacheLocator):
    """Names a kernel's files without asking whether they can be written."""

    @classmethod
    def from_function(cls, py_func, py_file):
        return cls(py_func, py_file)

    def get_cache_path(self):
        return str(_places()[0] / self.get_suitable_cache_subpath(self._py_file))

    def get_source_stamp(self):
        return kernel_cache.stamp(self._py_file)

    def ensure_cache_path(self):
        """Do nothing: a folder is made when a kernel is saved in it."""


class _Names(caching.CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _Cache(caching.FunctionCache):
    """A kernel's cache in several folders, for any of which no fault is fatal."""

    _impl_class = _Names

    def __init__(self, py_func):
        super().__init__(py_func)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _Files(Path(self.cache_path).name, self._impl.filename_base, stamp)


class _Files:
    """Compiled forms of one kernel, as numba's index and files in every place.

    Each entry says what it is, with a checksum: after a crash, or when two processes write at once, an index
    may name the wrong file.
    """

    def __init__(self, below, name, stamp):
        self._below, self._name, self._stamp = below, name, stamp

    def load(self, key):
        """Compiled form for this key, or None."""
        for place in _places():
            try:
                identity, checksum, content = self._in(place).load(key) or (None, None, None)
                if identity == self._identity(key):
                    if checksum != hashlib.sha256(content).digest():
                        raise ValueError("wrong checksum")
                    return pickle.loads(content)
            except OSError:  # not made yet, or not for us to read
                continue
            except Exception as error:  # whatever a pickle raises that is none
                _NOTICE.disappoint(
                    f"compiled kernels in {place or kernel_cache.temporary()} are damaged and are compiled "
                    f"again ({type(error).__name__}: {error})"
                )
        return None

    def save(self, key, data):
        """Save a compiled form in the first place that can be written."""
        content = dumps(data)
        entry = (self._identity(key), hashlib.sha256(content).digest(), content)
        failures = []
        for place in _places():
            try:
                self._save_in(place, key, entry)
            except OSError as error:
                failures.append(error)
                continue
            if place is None:
                _NOTICE.disappoint(
                    f"compiled kernels are kept in {kernel_cache.temporary()}, as {_places()[0]} cannot be "
                    f"written ({failures[0]})"
                )
            return
        _NOTICE.disappoint(
            f"compiled kernels cannot be kept in {_places()[0]}, so every process takes seconds for them "
            f"({failures[0]})"
        )

    def flush(self):
        """Discard the compiled forms in all places."""
        for place in _places():
            with contextlib.suppress(OSError):
                self._in(place).flush()

    def _save_in(self, place, key, entry):
        files = self._in(place, make=True)
        try:
            files.save(key, entry)
        except OSError:
            raise
        except Exception:  # the index is damaged
            files.flush()
            files.save(key, entry)

    def _in(self, place, make=False):
        folder = (place or kernel_cache.temporary(make)) / self._below
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        return caching.IndexDataCacheFile(str(folder), self._name, self._stamp)

    def _identity(self, key):
        return numba.__version__, self._stamp, key
