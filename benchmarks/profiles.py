"""Where the time of a compiled kernel goes: it is compiled once more with a clock around each of its parts.

The clock is the processor's cycle counter, read before and after each call, so a part that is called for
every node pays some twenty cycles more than it would without.
"""

from types import FunctionType
from unittest import mock

import numpy as np
import pandas as pd
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic

from benchmarks import data
from studylib.core import walk
from studylib.graf import GuidedRandomForestClassifier
from studylib.graf import _grow as guided
from studylib.graf import _predict as guided_walk
from studylib.pcf import _grow as partial
from studylib.rules import _mine, apriori
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest
from studylib.trees import RandomForestClassifier, TreePredictor
from studylib.trees import _grow as axis_parallel

#: Kernels: where they are written, where they are called from, and the parts that are timed; "a: b" is a part
#: of the part a.
GUIDED_FIT = (
    guided,
    guided,
    "_grow",
    (
        "draw_plane",
        "draw_chosen_plane",
        "give_all_bits",
        "find_divided",
        "divide_all",
        "classify_partitions",
        "tidy",
    ),
)
GUIDED_PREDICT = guided_walk, guided_walk, "_find_leaves", ("give_bits", "_walk", "_walk_on_rows")
PARTIAL_FIT = partial, partial, "grow", ("_try_leaf", "next_feature", "partition", "_undo")
FOREST_FIT = (
    axis_parallel,
    axis_parallel,
    "_grow",
    ("_best_split", "_best_split: gather", "_best_split: _best_in_column", "_partition", "_make_node"),
)
TREE_PREDICT = walk, walk, "_find_leaves", ()
MINING = _mine, _mine, "mine", ("_extensions", "_set_bits", "_descend")


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


def _taken_apart(kernel, parts, counters, outer=""):
    """The kernel with a clock around each of its parts; ``counters`` gets an int64 array for each."""
    own = dict(kernel.py_func.__globals__)
    for name in (part for part in parts if ": " not in part):
        inner = [part.removeprefix(f"{name}: ") for part in parts if part.startswith(f"{name}: ")]
        part = _taken_apart(own[name], inner, counters, f"{outer}{name}: ") if inner else own[name]
        counters[outer + name] = np.zeros(1, np.int64)
        own[name] = _clocked(part, counters[outer + name].ctypes.data)
    code = kernel.py_func
    return njit(nogil=True)(FunctionType(code.__code__, own, code.__name__, code.__defaults__))


def profile(action, kernel):
    """Shares of a kernel's time that its parts take, in an action that calls it.

    Parameters
    ----------
    action : callable
    kernel : tuple
        One of those above.

    Returns
    -------
    dict of str to float
        "kernel", its share of the action; then the parts' shares of the kernel, if it has parts, and "rest",
        what none of the first level accounts for.
    """
    written, called_from, name, parts = kernel
    counters, whole = {}, np.zeros(1, np.int64)
    clocked = _clocked(_taken_apart(getattr(written, name), parts, counters), whole.ctypes.data)
    with mock.patch.object(called_from, name, clocked):
        action()  # compiles
        for counter in (whole, *counters.values()):
            counter[0] = 0
        before = _cycles()
        action()
        cycles = _cycles() - before
    shares = {part: float(counter[0] / whole[0]) for part, counter in counters.items()}
    if parts:
        shares["rest"] = 1.0 - sum(share for part, share in shares.items() if ": " not in part)
    return {"kernel": float(whole[0] / cycles), **shares}


def _cycles():
    counter = np.zeros(1, np.int64)
    _read(counter.ctypes.data)
    return int(counter[0])


@njit
def _read(address):
    _tick(address, 1)


def _guided(work, hyperplane, rows):
    def build(scale, n_trees):
        _, X, y, probes, _ = rows(scale)
        forest = GuidedRandomForestClassifier(n_trees, hyperplane=hyperplane, random_state=0)
        if work == "fit":
            return lambda: forest.fit(X, y)
        forest.fit(X, y)
        return lambda: forest.predict(probes)

    return build


def _partial(scale, n_trees):
    X, y, _, _ = data.clean_partitions(scale)
    forest = PartialClassificationForest(n_trees, max_depth=32, random_state=0)
    return lambda: forest.fit(X, y)


def _forest(scale, n_trees):
    _, X, y, *_ = data.numbers(scale)
    forest = RandomForestClassifier(n_trees, criterion="gini", random_state=0)
    return lambda: forest.fit(X, y)


def _tree(scale, n_trees):
    _, tables, y, _ = data.mushroom_tables(scale)
    table, probes = tables["frame"]
    tree = TreePredictor("gini").fit(table, y)
    return lambda: tree.predict(probes)


def _itemsets(scale, n_trees):
    _, transactions = data.mushroom_baskets(scale)
    return lambda: apriori(transactions, 0.1)


#: What is taken apart, by name: what builds the action, and the kernel.
PROFILES = {
    "PCF: fit": (_partial, PARTIAL_FIT),
    "GRAF, box, letter: fit": (_guided("fit", "box", data.letter), GUIDED_FIT),
    "GRAF, guided, letter: fit": (_guided("fit", "guided", data.letter), GUIDED_FIT),
    "GRAF, canonical, letter: fit": (_guided("fit", "canonical", data.letter), GUIDED_FIT),
    "GRAF, box, noisy: fit": (_guided("fit", "box", data.noisy), GUIDED_FIT),
    "GRAF, guided, noisy: fit": (_guided("fit", "guided", data.noisy), GUIDED_FIT),
    "GRAF, box, letter: predict": (_guided("predict", "box", data.letter), GUIDED_PREDICT),
    "GRAF, guided, letter: predict": (_guided("predict", "guided", data.letter), GUIDED_PREDICT),
    "GRAF, canonical, letter: predict": (_guided("predict", "canonical", data.letter), GUIDED_PREDICT),
    "GRAF, box, noisy: predict": (_guided("predict", "box", data.noisy), GUIDED_PREDICT),
    "tree, mixed, a frame: predict": (_tree, TREE_PREDICT),
    "apriori, mushrooms, lists: fit": (_itemsets, MINING),
    "random forest, numbers: fit": (_forest, FOREST_FIT),
}


def profiles(scale=1.0, n_trees=20, n_profiles=None):
    """:func:`profile` of the first of ``PROFILES``, as text.

    Returns
    -------
    DataFrame
        For each the kernel's share of the time, and the shares of that that its parts take.
    """
    rows = {}
    for name, (build, kernel) in list(PROFILES.items())[:n_profiles]:
        shares = profile(build(scale, n_trees), kernel)
        whole = shares.pop("kernel")
        parts = sorted(shares.items(), key=lambda item: -item[1])
        said = ", ".join(f"{part} {share:.0%}" for part, share in parts if share >= 0.005)
        rows[name] = {"in the kernel": f"{whole:.0%}", "parts of the kernel": said}
    return pd.DataFrame(rows).T
