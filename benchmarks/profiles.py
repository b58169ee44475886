"""Where the time of a compiled kernel goes: it is compiled once more with a clock around each of its parts.

The clock is the processor's cycle counter, read before and after each call, so a part that is called for
every node pays some twenty cycles more than it would without.
"""

from types import FunctionType
from unittest import mock

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

#: The parts of each kernel that are timed; a part may have parts of its own.
GUIDED = {
    "draw_plane": {}, "draw_chosen_plane": {}, "give_all_bits": {}, "find_divided": {}, "divide_all": {},
    "judge": {}, "tidy": {}, "_reset": {},
}  # fmt: skip
WALK = {"give_bits": {}, "_walk": {}}
TREE = {"_best_split": {"tally": {}, "_best_in_column": {}}, "_partition": {}, "_make_node": {}}
PARTIAL = {"_judge": {}, "next_feature": {}, "partition": {}, "_undo": {}, "_twice": {}}


@intrinsic
def _tick(typing_context, address, sign):
    """Add ``sign`` times the cycle counter to the int64 at ``address``."""
    word = ir.IntType(64)

    def codegen(context, builder, signature, args):
        counter = builder.module.declare_intrinsic("llvm.readcyclecounter", fnty=ir.FunctionType(word, []))
        place = builder.inttoptr(args[0], word.as_pointer())
        cycles = builder.mul(args[1], builder.call(counter, []))
        builder.store(builder.add(builder.load(place), cycles), place)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), codegen


def _clocked(kernel, address):
    @njit(nogil=True)
    def timed(*arguments):
        _tick(address, -1)
        found = kernel(*arguments)
        _tick(address, 1)
        return found

    return timed


def _taken_apart(kernel, parts, counters, prefix=""):
    """The kernel with a clock around each of its parts; ``counters`` gets an int64 array for each."""
    own = dict(kernel.py_func.__globals__)
    for name, inner in parts.items():
        if name not in own:
            continue
        counters[prefix + name] = np.zeros(1, np.int64)
        part = _taken_apart(own[name], inner, counters, f"{prefix}{name}: ") if inner else own[name]
        own[name] = _clocked(part, counters[prefix + name].ctypes.data)
    code = kernel.py_func
    return njit(nogil=True)(FunctionType(code.__code__, own, code.__name__, code.__defaults__))


def profile(action, module, name, parts, used_in=None):
    """Shares of the time of a kernel's parts in an action that calls it.

    Parameters
    ----------
    action : callable
    module : module, where the kernel is written
    name : str
    parts : dict
        Names of functions that the kernel calls, with their own parts.
    used_in : module, by default ``module``
        From where it is called.

    Returns
    -------
    dict of str to float
        Share of the kernel's time, "rest" being what no part of the first level accounts for, and "kernel",
        its share of the processor seconds of the action.
    """
    counters, whole = {}, np.zeros(1, np.int64)
    kernel = _clocked(_taken_apart(getattr(module, name), parts, counters), whole.ctypes.data)
    with mock.patch.object(used_in or module, name, kernel):
        action()  # compiles
        for counter in (whole, *counters.values()):
            counter[0] = 0
        before = _cycles()
        action()
        cycles = _cycles() - before
    shares = {part: counter[0] / whole[0] for part, counter in counters.items()}
    first = sum(share for part, share in shares.items() if ": " not in part)
    return {"kernel": whole[0] / cycles, **shares, "rest": 1.0 - first}


def _cycles():
    counter = np.zeros(1, np.int64)
    _read(counter.ctypes.data)
    return int(counter[0])


@njit
def _read(address):
    _tick(address, 1)
