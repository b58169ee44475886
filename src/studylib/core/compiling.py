"""``njit`` for our kernels, the files that keep them, and the notice shown while they are compiled.

numba lets what goes wrong with its cache end the program: no folder that can be written, damaged files, a
full disk.  Here a kernel is looked for in every folder of ``kernel_cache`` and kept in the first that takes
it; what is damaged counts as missing, and where nothing can be kept, kernels live as long as the process.
All this uses names that numba does not promise to keep.  Where one of them is gone, kernels are cached by
numba alone.

A first fit takes seconds, so after two of them a line to stderr says why.  It is logged by
``logging.getLogger("studylib")`` as a warning: ``setLevel("ERROR")`` silences it.  The processes of a run say
nothing, because their output belongs to a report.  With kernels from the cache nothing is compiled and
nothing said.
"""

import contextlib
import functools
import gc
import hashlib
import logging
import os
import pickle
import threading
import time
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import numba

from studylib.core import kernel_cache
from studylib.core.data import RUN_VARIABLE
from studylib.core.files import sha256, write_atomically

try:
    from llvmlite import ir
    from numba.core.cgutils import is_not_null
    from numba.core.codegen import CodeLibrary, CPUCodegen
    from numba.core.compiler import CompileResult
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.pythonapi import PythonAPI
    from numba.core.serialize import dumps
    from numba.misc.appdirs import AppDirs

    _from_native_return = PythonAPI.from_native_return
    _kernel = numba.njit(no_cfunc_wrapper=True)(lambda: None)
    _USED = (
        (CodeLibrary.has_dynamic_globals, CPUCodegen.magic_tuple, PythonAPI._get_function),
        (CompileResult._fields.index("lifted"), CompileResult._reduce, CompileResult._rebuild),
        (_kernel._compiler.compile, _kernel._cache.load_overload, _kernel._cache.save_overload),
        _kernel.targetdescr.options.no_cfunc_wrapper,  # an unknown option is noticed too late, on compiling
    )
except (ImportError, AttributeError, KeyError, TypeError, ValueError):  # or nothing is compiled at all
    _USED = None

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
        if _USED is None:
            return numba.njit(cache=cache, **options)(function)
        made = numba.njit(no_cfunc_wrapper=True, **options)(function)
        made._compiler.compile = _accompanied(made._compiler.compile)
        if cache:
            made._cache = _Cache(function)
        return made

    return decorate


def _accompanied(compile_kernel):
    @functools.wraps(compile_kernel)
    def accompanied(args, return_type):
        with _NOTICE.compilation(), _compiling():
            return compile_kernel(args, return_type)

    return accompanied


@contextlib.contextmanager
def _compiling():
    """Compile kernels that run the handlers of signals, such as Ctrl-C's, before they return Python objects.

    Otherwise those run in the first Python function that numba then calls.  If a handler raises there, numba
    does not notice: the caller gets a SystemError, or a tuple with a hole, on which Python crashes.

    The garbage collector, which finds nothing and takes a seventh of the time, waits meanwhile.
    """
    with global_compiler_lock:
        before, PythonAPI.from_native_return = PythonAPI.from_native_return, _returned
        collects = gc.isenabled()
        gc.disable()
        try:
            yield
        finally:
            if collects:
                gc.enable()
            PythonAPI.from_native_return = before


def _returned(api, kind, value, env_manager):
    builder = api.builder
    check = api._get_function(ir.FunctionType(ir.IntType(32), ()), name="PyErr_CheckSignals")
    with builder.if_then(is_not_null(builder, builder.call(check, ())), likely=False):
        api.context.nrt.decref(builder, kind, value)
        builder.ret(api.get_null_object())
    return _from_native_return(api, kind, value, env_manager)


@functools.cache
def _places():
    """Folders of compiled kernels, in order of preference; None is the temporary folder."""
    return [*kernel_cache.folders(AppDirs("numba", appauthor=False).user_cache_dir), None]


class _Cache:
    """The compiled forms of one kernel, a file each, in several folders, for any of which no fault is fatal.

    A file says what it is, with a checksum, because after a crash it may be anything.
    """

    def __init__(self, function):
        path = Path(function.__code__.co_filename)
        self._function, self._below = function, kernel_cache.below(path)
        name = function.__qualname__.replace("<", "").replace(">", "")
        self._name = f"{path.stem}.{name}-{function.__code__.co_firstlineno}"
        checks = numba.config.BOUNDSCHECK  # $NUMBA_BOUNDSCHECK: kernels with checks are others
        self._stamp = (numba.__version__, EXTENSION_SUFFIXES[0], checks, kernel_cache.stamp(path))
        self.cache_path = str(_places()[0] / self._below)

    def load_overload(self, signature, context):
        """Compiled form for a signature and this processor, or one for any of its kind that came with us."""
        context.refresh()
        triple, *processor = context.codegen().magic_tuple()
        for place in _places():
            try:
                return self._load(self._in(place), signature, (triple, *processor), context)
            except OSError:  # not made yet, or not for us to read
                continue
            except Exception as error:  # whatever a pickle raises that is none
                _NOTICE.disappoint(
                    f"compiled kernels in {place or kernel_cache.temporary()} are damaged and are compiled "
                    f"again ({type(error).__name__}: {error})"
                )
        with contextlib.suppress(Exception):
            return self._load(
                kernel_cache.shipped() / self._below, signature, (triple, "generic", ""), context
            )

    def save_overload(self, signature, result):
        """Save a compiled form in the first place that can be written."""
        if result.lifted or result.library.has_dynamic_globals:  # it has addresses of this process
            return
        identity = self._identity(signature, result.codegen.magic_tuple())
        content = dumps((identity, signature, result._reduce()))
        content = hashlib.sha256(content).digest() + content
        failures = []
        for place in _places():
            try:
                write_atomically(self._path(self._in(place, make=True), identity), content)
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
        """Discard the compiled forms in all places that can be written."""
        for place in _places():
            with contextlib.suppress(OSError):
                for path in self._in(place).glob(f"{self._name}-*.kernel"):
                    path.unlink()

    def _load(self, folder, signature, processor, context):
        identity = self._identity(signature, processor)
        content = self._path(folder, identity).read_bytes()
        if content[:32] != hashlib.sha256(content[32:]).digest():
            raise ValueError("wrong checksum")
        stored, of, form = pickle.loads(content[32:])
        if (stored, of) != (identity, signature):
            raise FileNotFoundError("it is another kernel's")
        return CompileResult._rebuild(context, *form)

    def _in(self, place, make=False):
        return (place or kernel_cache.temporary(make)) / self._below

    def _path(self, folder, identity):
        return folder / f"{self._name}-{sha256(repr(identity).encode())[:16]}.kernel"

    def _identity(self, signature, processor):
        """What a compiled form depends on; of the signature, its name."""
        closure = tuple(cell.cell_contents for cell in self._function.__closure__ or ())
        code = sha256(self._function.__code__.co_code + (dumps(closure) if closure else b""))
        return (*self._stamp, code, str(signature), *processor)
