"""``make mutants``: alter the code that judges and keeps results, one place at a time; tests must notice.

``python tools/mutants.py [MODULE ...] [--sample N] [--seed S] [--lines K ...] [--jobs J] [--write]``.  Every
mutant is made in memory, in a process forked from one that has imported all packages the tests use: files
stay as they are, and a mutant costs no start.  Processes that a test starts itself run the code as it is.

``tools/mutants.json`` holds how many mutants of each module survive.  The command prints the survivors and
fails where a module has more of them; with ``--write`` it renews the numbers.
"""

import argparse
import ast
import collections
import contextlib
import copy
import functools
import importlib.abc
import importlib.util
import io
import json
import os
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src" / "studylib"
BASELINE = ROOT / "tools" / "mutants.json"
#: The tests of each module, quick ones: others run it, too, and may notice what these do not.
TESTS = {
    "study/rules.py": [
        "tests/study/test_rules.py",
        "tests/study/test_outcome.py",
        "tests/study/test_choices.py",
    ],
    "study/kinds.py": ["tests/study/test_rules.py", "tests/study/test_kinds.py"],
    "study/intervals.py": ["tests/study/test_rules.py", "tests/study/test_kinds.py"],
    "study/ledger/rule_table.py": ["tests/study/test_rule_table.py"],
    "study/evidence/verdicts.py": ["tests/study/test_claim_lines.py", "tests/study/test_verdicts.py"],
    "study/store.py": ["tests/study/test_store.py"],
    "study/freshness/stamps.py": ["tests/study/test_stamps.py"],
    "study/freshness/keys.py": ["tests/study/test_keys.py"],
    "study/run/executor.py": ["tests/study/test_executor_arguments.py", "tests/study/test_executor.py"],
    "datasets/_tables.py": ["tests/datasets/test_tables.py", "tests/datasets/test_downloads.py"],
    "datasets/_uci_archive.py": ["tests/datasets/test_uci_download.py", "tests/datasets/test_uci_suite.py"],
    "tryout/delimited.py": ["tests/tryout/test_reading_csv.py", "tests/tryout/test_layout.py"],
    "tryout/layout.py": [
        "tests/tryout/test_layout.py",
        "tests/tryout/test_above_and_below.py",
        "tests/tryout/test_reading_csv.py",
    ],
    "tryout/reading.py": [
        "tests/tryout/test_reading_csv.py",
        "tests/tryout/test_layout.py",
        "tests/tryout/test_above_and_below.py",
        "tests/tryout/test_reading.py",
    ],
}
#: Kernels, altered as plain Python, and the tests that compare them with the slow, obvious implementations.
KERNELS = {
    "pcf/_grow.py": ["tests/pcf/test_oracle.py"],
    "trees/_gains.py": [
        "tests/trees/test_grow_kernels.py",
        "tests/trees/test_oracle.py",
        "tests/trees/test_boosting.py",
    ],
    "trees/_grow.py": [
        "tests/trees/test_grow_kernels.py",
        "tests/trees/test_limits_and_methods.py",
        "tests/trees/test_oracle.py",
        "tests/trees/test_forest.py",
    ],
    "trees/_class_counts.py": ["tests/trees/test_class_counts.py", "tests/trees/test_oracle.py"],
    "graf/_grow.py": ["tests/graf/test_partition_kernels.py", "tests/graf/test_oracle.py"],
    "graf/_partitions.py": ["tests/graf/test_partition_kernels.py", "tests/graf/test_oracle.py"],
    "core/walk.py": ["tests/core/test_walk.py", "tests/trees/test_oracle.py"],
}
TESTS |= KERNELS
#: Without tests of leaf models in Python (which use no kernel), scikit-learn's checks, threads, and what a
#: forest makes of trees that are grown.
_ABOUT_KERNELS = "not (callable or check or threads or cut_back or least_node_size or out_of_bag)"
_FOR_THE_COMPILER = ("overload", "intrinsic")
_OURS = ("studylib", "tests", "conftest", "__main__")
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
    elif isinstance(node, ast.Return) and not _says_no(node.value):
        yield "returns None", lambda n: setattr(n, "value", ast.Constant(None))
    elif isinstance(node, ast.Raise | ast.Continue | ast.Break | ast.AugAssign):
        yield f"{_name(node).lower()} dropped", lambda n: _become(n, ast.Pass())
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield "call dropped", lambda n: _become(n, ast.Pass())
    elif isinstance(node, ast.IfExp | ast.If | ast.While):
        yield "condition turned", lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))


def _name(node):
    return type(node).__name__


def _says_no(node):
    """Whether a returned value is None, or False, which is altered to True and is None's like elsewhere."""
    return node is None or (isinstance(node, ast.Constant) and (node.value is None or node.value is False))


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
            if any(ast.unparse(d).startswith(_FOR_THE_COMPILER) for d in node.decorator_list):
                alone.append(node)  # compiled tests alone run it
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


class Tests:
    """A module's tests for a run in a forked process, which knows what earlier runs have told.

    Those that noticed mutants before come first, then the quickest; each has a limit of its own, and
    hypothesis makes no failure smaller: that one fails is all that is asked.
    """

    def __init__(self, module):
        self.path = SOURCES / module
        self.names = [name for name in TESTS[module] if (ROOT / name).is_file()]
        self.options = ["-p", "tests.kernels_in_python", "-k", _ABOUT_KERNELS] if module in KERNELS else []
        self.seconds, self.noticed = {}, collections.Counter()
        self.limit, self.patience, self.report = 600, 1, None

    def learn(self, report):
        """Take what a run has written: ``[(test, seconds of its set-up and call, or None if it failed)]``."""
        first = not self.seconds  # the run without a mutant, in which every test is run
        for name, seconds in report:
            if seconds is None:
                self.noticed[name] += 1
            elif first:
                self.seconds[name] = self.seconds.get(name, 0) + seconds

    def pytest_collection(self, session):
        from hypothesis import Phase, settings

        settings.register_profile("mutants", settings.default, phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")

    def pytest_collection_modifyitems(self, items):
        import pytest

        items.sort(key=lambda item: (-self.noticed[item.nodeid], self.seconds.get(item.nodeid, 0)))
        for item in items:
            if item.nodeid in self.seconds:
                limit = self.patience * (5 + 10 * self.seconds[item.nodeid])
                item.add_marker(pytest.mark.timeout(limit, method="thread"))  # ends the process

    def pytest_runtest_logreport(self, report):
        if report.failed or report.when != "teardown":
            line = json.dumps([report.nodeid, None if report.failed else report.duration])
            os.write(self.report, f"{line}\n".encode())


class Run:
    """Tests at work in a forked process, with a module made from ``tree``."""

    def __init__(self, tests, tree, trace=False):
        self.tests, self.ends = tests, time.monotonic() + tests.patience * tests.limit
        self.reader, writer = os.pipe()
        self.child = os.fork()
        if self.child == 0:
            code = 3
            with contextlib.suppress(BaseException):
                os.setsid()
                tests.report = writer
                code = _run(tests, tree, trace)
            os._exit(int(code))
        os.close(writer)
        os.set_blocking(self.reader, False)
        self.told = b""

    def ended(self):
        """None while at work; then whether all tests passed in time."""
        done, status = os.waitpid(self.child, os.WNOHANG)
        with contextlib.suppress(BlockingIOError):  # after that: what it told last is here
            while some := os.read(self.reader, 1 << 16):
                self.told += some
        if not done and time.monotonic() < self.ends:
            return None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.child, signal.SIGKILL)  # with what the tests have left behind
        if not done:
            os.waitpid(self.child, 0)
        os.close(self.reader)
        return bool(done) and os.waitstatus_to_exitcode(status) == 0

    def lines(self):
        """What it has told, line by line."""
        return [json.loads(line) for line in self.told.decode().splitlines()]


def _run(tests, tree, trace):
    import pytest

    sys.meta_path.insert(0, Finder(tests.path, tree))
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)
    lines, name = set(), str(tests.path)

    def note(frame, event, argument):
        if frame.f_code.co_filename != name:
            return None
        lines.add(frame.f_lineno)
        return note

    if trace:
        sys.settrace(note)
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        # What is cleared when a process exits would stay: this one is left without exiting.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        options = ["-q", "-x", "-p", "no:cacheprovider", "-p", "no:nbval", "-p", "no:xdist", "-o", "addopts=",
                   "-W", "ignore::pytest.PytestAssertRewriteWarning"]  # fmt: skip
        arguments = [*options, f"--basetemp={folder}/t", *tests.options, *tests.names]
        code = pytest.main(arguments, plugins=[tests])
    if not tests.seconds:
        names = [name for name in sys.modules if name.partition(".")[0] not in _OURS]
        os.write(tests.report, f"{json.dumps(names)}\n".encode())
    if trace:
        sys.settrace(None)
        os.write(tests.report, f"{json.dumps(sorted(lines))}\n".encode())
    return code


def finished(runs):
    """Wait until one of some runs has ended: ``(run, whether its tests passed)``."""
    while True:
        for run in runs:
            if (passed := run.ended()) is not None:
                return run, passed
        time.sleep(0.01)


def survivors(module, sample, chance, only, jobs, tell):
    """Try mutants of a module, and tell of those that survive: ``(survivors, tried, possible)``."""
    tests = Tests(module)
    tree = parsed(tests.path)
    every = [one for one in mutations(tree) if not only or one[1] in only]
    started = time.monotonic()
    whole, passed = finished([Run(tests, tree)])
    *told, imported = whole.lines()
    assert passed, f"{module}: its tests fail without any mutant: {told[-1:]}"
    tests.learn(told)
    for name in imported:  # runs forked from now on have them
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    tests.limit = 60 + 5 * (time.monotonic() - started)
    chosen = sorted(chance.sample(range(len(every)), min(sample or len(every), len(every))))
    unnoticed, tried, runs = [], 0, {}
    for i in [*chosen, *[None] * jobs]:  # None: wait only
        while runs and (i is None or len(runs) >= jobs):
            run, passed = finished(list(runs))
            _, line, what, _ = runs.pop(run)
            tried += 1
            tests.learn(run.lines())
            if passed:
                tell(f"{module}:{line}: {what}")
                unnoticed.append(line)
            if tried % 50 == 0:
                tell(f"{module}: {tried} of {len(chosen)}")
        if i is not None:
            runs[Run(tests, _mutant(tree, every[i]))] = every[i]
    if unnoticed:
        tests.patience = 20
        traced, passed = finished([Run(tests, tree, trace=True)])
        assert passed, f"{module}: its tests fail where lines are noted: {traced.lines()[-1:]}"
        never = sorted(set(unnoticed) - set(traced.lines()[-1]))
        tell(
            f"{module}: lines that no test runs: {never}"
            if never
            else f"{module}: tests run each of these lines"
        )
    return len(unnoticed), len(chosen), len(every)


def _mutant(tree, mutation):
    k, _, _, alter = mutation
    mutant = copy.deepcopy(tree)
    alter(list(ast.walk(mutant))[k])
    return ast.fix_missing_locations(mutant)


def main():
    """Print the survivors of each module, and how many there are; 1 if a module has more than before."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(TESTS)}; by default all")
    parser.add_argument("--sample", type=int, help="mutants of each module; by default all")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at a time")
    parser.add_argument("--lines", type=int, nargs="+", help="only mutants of these lines of one module")
    parser.add_argument("--write", action="store_true", help="the number of survivors is right as it is")
    chosen = parser.parse_args()
    if chosen.write and (chosen.sample or chosen.lines):
        parser.error("--write takes every mutant of a module: leave out --sample and --lines")
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    importlib.import_module("studylib")  # sets the cache of kernels before numba is imported
    tell = functools.partial(print, flush=True)
    baseline, grown = json.loads(BASELINE.read_text(encoding="utf-8")), []
    for module in chosen.modules or TESTS:
        started = time.monotonic()
        chance = random.Random(chosen.seed)
        n, tried, possible = survivors(module, chosen.sample, chance, chosen.lines, chosen.jobs, tell)
        before, spent = baseline.get(module, 0), time.monotonic() - started
        tell(
            f"{module}: {n} of {tried} mutants survive ({possible} possible; {before} survived before); "
            f"{spent:.0f} s"
        )
        if chosen.write:
            baseline = {name: baseline.get(name, 0) for name in TESTS} | {module: n}
            BASELINE.write_text(json.dumps(baseline, indent=2) + "\n", encoding="utf-8")
        elif n > before:
            grown.append(module)
    if grown:
        tell(f"more survivors than in {BASELINE.relative_to(ROOT)}: {', '.join(grown)}")
    return int(bool(grown))


if __name__ == "__main__":
    sys.exit(main())
