"""``make mutants``: alter the code that judges and keeps results, one place at a time; tests must notice.

``python tools/mutants.py [MODULE ...] [--sample N] [--seed S] [--lines K ...]``.  Every mutant is made in
memory, in a process forked from one that has imported the large packages: files stay as they are, and
a mutant costs no start.  Processes that a test starts itself run the code as it is.

Survivors that stay are in ``tools/survivors.toml``, each with its reason; any other makes the command fail.
"""

import argparse
import ast
import contextlib
import copy
import functools
import importlib.abc
import importlib.util
import io
import os
import random
import signal
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "studylib"
REASONS = ROOT / "tools" / "survivors.toml"
#: The tests of each module, quick ones: others run it, too, and may notice what these do not.
TESTS = {
    "study/rules.py": ["tests/study/test_rules.py"],
    "study/rule_table.py": ["tests/study/test_rule_table.py"],
    "study/verdicts.py": ["tests/study/test_claim_lines.py", "tests/study/test_verdicts.py"],
    "study/store.py": ["tests/study/test_store.py"],
    "study/stamps.py": ["tests/study/test_stamps.py"],
    "study/keys.py": ["tests/study/test_keys.py"],
    "study/executor.py": ["tests/study/test_executor_arguments.py", "tests/study/test_executor.py"],
    "datasets/_tables.py": ["tests/datasets/test_tables.py", "tests/datasets/test_loading.py"],
    "datasets/_uci_archive.py": ["tests/datasets/test_uci_download.py", "tests/datasets/test_uci_suite.py"],
    "tryout/reading.py": ["tests/tryout/test_reading_csv.py", "tests/tryout/test_reading.py"],
}
#: Kernels, altered as plain Python, and the tests that compare them with the slow, obvious implementations.
KERNELS = {
    "pcf/_grow.py": ["tests/pcf/test_oracle.py"],
    "trees/_gains.py": ["tests/trees/test_oracle.py", "tests/trees/test_boosting.py"],
    "trees/_grow.py": ["tests/trees/test_oracle.py", "tests/trees/test_forest.py"],
    "trees/_tally.py": ["tests/trees/test_tally.py", "tests/trees/test_oracle.py"],
    "graf/_grow.py": ["tests/graf/test_oracle.py"],
    "graf/_partitions.py": ["tests/graf/test_oracle.py"],
    "core/walk.py": ["tests/core/test_walk.py", "tests/trees/test_oracle.py"],
}
TESTS |= KERNELS
#: Without tests of leaf models in Python (which use no kernel), scikit-learn's checks, and threads.
_ABOUT_KERNELS = "not (callable or check or threads)"
_PRELOADED = ("numpy", "pandas", "scipy.stats", "sklearn.ensemble", "numba", "pytest",
              "nbformat", "joblib", "IPython.core.inputtransformer2", "papermill")  # fmt: skip
_OPERATORS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.And: ast.Or,
    ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Mod: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip


def mutations(tree):
    """Every way to alter a tree in one place: ``(node's number, line, what, alter)``.

    Texts of errors, docstrings, annotations and how kernels are compiled are left alone: tests do not look.
    """
    for k, node in enumerate(ast.walk(tree)):
        if getattr(node, "untouched", False):
            continue
        for what, alter in _of(node):
            yield k, node.lineno, what, alter


def _of(node):
    if isinstance(node, ast.Compare) and type(node.ops[0]) in _OPERATORS:
        new = _OPERATORS[type(node.ops[0])]
        yield f"{_name(node.ops[0])} → {new.__name__}", lambda n: n.ops.__setitem__(0, new())
    elif isinstance(node, ast.BoolOp | ast.BinOp | ast.AugAssign) and type(node.op) in _OPERATORS:
        if not isinstance(getattr(node, "left", None), ast.JoinedStr):
            new = _OPERATORS[type(node.op)]
            yield f"{_name(node.op)} → {new.__name__}", lambda n: setattr(n, "op", new())
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield "not dropped", lambda n: setattr(n, "op", ast.UAdd()) or _become(n, n.operand)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield f"{node.value} → {not node.value}", lambda n: setattr(n, "value", not n.value)
    elif isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        yield f"{node.value} → {node.value + 1}", lambda n: setattr(n, "value", n.value + 1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield f"{node.value[:20]!r} → other text", lambda n: setattr(n, "value", n.value + "X")
    elif isinstance(node, ast.Return) and node.value is not None and not _is_none(node.value):
        yield "returns None", lambda n: setattr(n, "value", ast.Constant(None))
    elif isinstance(node, ast.Raise | ast.Continue | ast.Break | ast.AugAssign):
        yield f"{_name(node).lower()} dropped", lambda n: _become(n, ast.Pass())
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call dropped", lambda n: _become(n, ast.Pass())
    elif isinstance(node, ast.IfExp | ast.If | ast.While):
        yield "condition turned", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def _name(node):
    return type(node).__name__


def _is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def _become(node, other):
    node.__class__ = other.__class__
    node.__dict__.update(vars(other))


def parsed(path):
    """A module's tree; what is not to be altered is marked."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        alone = []
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            alone.append(node.body[0])
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            alone += node.exc.args
        if isinstance(node, ast.JoinedStr):
            alone += [part for part in node.values if isinstance(part, ast.Constant)]
        if isinstance(node, ast.FunctionDef):  # how a kernel is compiled
            alone += [d for d in node.decorator_list if ast.unparse(d).startswith("njit")]
        alone += [a for a in (getattr(node, "annotation", None), getattr(node, "returns", None)) if a]
        if isinstance(node, ast.FormattedValue) and node.format_spec:
            alone.append(node.format_spec)
        for one in alone:
            for inner in ast.walk(one):
                inner.untouched = True
    return tree


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a tree."""

    def __init__(self, path, tree):
        self.path, self.tree = path, tree
        self.name = ".".join(("studylib", *path.relative_to(SOURCES).with_suffix("").parts))

    def find_spec(self, name, path=None, target=None):
        if name == self.name:
            return importlib.util.spec_from_loader(name, self, origin=str(self.path))
        return None

    def exec_module(self, module):
        module.__file__ = str(self.path)
        exec(compile(self.tree, str(self.path), "exec"), vars(module))


def passes(path, tree, tests, options, seconds, log=None):
    """Run tests in a forked process: True if they pass, False if not or not in time.

    ``options`` are further ones of pytest; ``log`` is a file for the numbers of the lines that are run.
    """
    child = os.fork()
    if child == 0:
        code = 3
        with contextlib.suppress(BaseException):
            os.setsid()
            code = _run(path, tree, [*options, *tests], log)
        os._exit(int(code))
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what the tests have left behind
            return os.waitstatus_to_exitcode(status) == 0
        time.sleep(0.02)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run(path, tree, arguments, log):
    import pytest

    sys.meta_path.insert(0, Finder(path, tree))
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    lines, name = set(), str(path)

    def trace(frame, event, argument):
        if frame.f_code.co_filename != name:
            return None
        lines.add(frame.f_lineno)
        return trace

    if log:
        sys.settrace(trace)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        # What is cleared when a process exits would stay: this one is left without exiting.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist", "-o", "addopts="]
        code = pytest.main([*options, f"--basetemp={folder}/t", *arguments])
    if log:
        sys.settrace(None)
        log.write_text(" ".join(map(str, lines)))
    return code


def reasons(module):
    """Why mutants of a module may survive: ``{(text of the line, what): reason}``."""
    entries = tomllib.loads(REASONS.read_text(encoding="utf-8")).get(module, [])
    return {(entry["line"], what): entry["reason"] for entry in entries for what in entry["changes"]}


def survivors(module, sample, chance, only, tell):
    """Try mutants of a module.

    Returns how many survived without a reason, how many with one, how many were tried, and how many exist.
    """
    path, tests = SOURCES / module, [name for name in TESTS[module] if (ROOT / name).is_file()]
    tree = parsed(path)
    every = [one for one in mutations(tree) if not only or one[1] in only]
    options = ["-p", "tests.kernels_in_python", "-k", _ABOUT_KERNELS] if module in KERNELS else []
    started = time.monotonic()
    assert passes(path, tree, tests, options, 600), f"{module}: its tests fail without any mutant"
    seconds = 20 + 5 * (time.monotonic() - started)
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "lines"
        passes(path, tree, tests, options, 20 * seconds, log)
        run = set(map(int, log.read_text().split()))
    chosen = sorted(chance.sample(range(len(every)), min(sample or len(every), len(every))))
    lines, stay = path.read_text(encoding="utf-8").splitlines(), reasons(module)
    unexplained = explained = 0
    for n, i in enumerate(chosen, start=1):
        k, line, what, alter = every[i]
        mutant = copy.deepcopy(tree)
        alter(list(ast.walk(mutant))[k])
        ast.fix_missing_locations(mutant)
        if passes(path, mutant, tests, options, seconds):
            known = (lines[line - 1].strip(), what) in stay
            explained, unexplained = explained + known, unexplained + (not known)
            if not known:
                tell(f"{module}:{line}: {what}" + ("" if line in run else " (no test runs this line)"))
        if n % 50 == 0:
            tell(f"{module}: {n} of {len(chosen)}")
    return unexplained, explained, len(chosen), len(every)


def main():
    """Print the survivors of each module, and how many there are; 1 if there is no reason for one of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(TESTS)}; by default all")
    parser.add_argument("--sample", type=int, help="mutants of each module; by default all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--lines", type=int, nargs="+", help="only mutants of these lines of one module")
    chosen = parser.parse_args()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    importlib.import_module("studylib")  # sets the cache of kernels before numba is imported
    for name in _PRELOADED:
        importlib.import_module(name)
    tell = functools.partial(print, flush=True)
    without = 0
    for module in chosen.modules or TESTS:
        started = time.monotonic()
        bad, good, n, of = survivors(module, chosen.sample, random.Random(chosen.seed), chosen.lines, tell)
        spent = time.monotonic() - started
        tell(
            f"{module}: of {n} mutants ({of} possible) {good} survive with a reason, {bad} without; "
            f"{spent:.0f} s"
        )
        without += bad
    return int(without > 0)


if __name__ == "__main__":
    sys.exit(main())
