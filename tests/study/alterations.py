"""Alter the code that tasks run, one place at a time, and see whether the tasks' keys change.

``python -m tests.study.alterations [--number 500] [--seed S]`` prints how many alterations went unseen, and which.
What a task runs is traced: each is computed once for a small key, with the kernels as plain Python.  ``--keys``
takes new small keys from the notebooks' smoke runs.
"""

import argparse
import ast
import collections
import contextlib
import copy
import importlib
import importlib.util
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import tomllib
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[2]
KEYS = Path(__file__).with_name("task_keys.json")
SOURCES = ROOT / "src" / "studylib"
_SECONDS = 10  # of the processor: as plain Python a task may take long; what it ran until then counts
_AT_MOST = 3  # of the tasks that run a function, so many are asked for their key


def take_keys():
    """Write down a small key of every task: the first one of each function in each notebook's smoke run."""
    import matplotlib

    from studylib.study.freshness import keys
    from studylib.study.ledger.study import current_study
    from studylib.study.run.record import Run

    matplotlib.use("Agg")
    found, original = {}, Run.map
    notebooks = tomllib.loads((ROOT / "study.toml").read_text(encoding="utf-8"))["notebook"]

    def recorded(self, function, wanted, **options):
        wanted = list(wanted)
        name = f"{function.__module__}.{function.__qualname__}"
        if function.__module__ != "__main__":
            found.setdefault(name, {"notebook": self.notebook.name, "key": wanted[0]})
        return original(self, function, wanted, **options)

    with tempfile.TemporaryDirectory() as reports, mock.patch.object(Run, "map", recorded):
        os.environ["STUDYLIB_REPORTS"] = reports
        for name in notebooks:
            print(name, flush=True)
            names = {"__name__": "__main__", "display": lambda *things: None, "get_ipython": mock.MagicMock()}
            path = current_study().notebook(name).path
            os.chdir(path.parent)
            for text, _ in keys._code_cells(path):
                exec(compile(text, name, "exec"), names)
    KEYS.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def functions_run_by(tasks):
    """``{(file, first line): [tasks]}`` of the library's functions that tasks call; kernels are Python here."""
    from studylib.study.store import seed_of
    from tests.pure_python import as_python

    found = collections.defaultdict(list)
    with as_python():
        for task in tasks:
            module, _, name = task.rpartition(".")
            function = getattr(importlib.import_module(module), name)
            key = json.loads(KEYS.read_text(encoding="utf-8"))[task]["key"]
            places = _trace(function, key, seed_of(key))
            print(f"{task}: {len(places)} functions", flush=True)
            for place in places:
                found[place].append(task)
    return found


def _trace(function, key, seed):
    seen = set()

    def note(frame, event, argument):
        if event == "call":
            seen.add((frame.f_code.co_filename, frame.f_code.co_firstlineno))

    class Enough(BaseException):
        pass

    def stop(number, frame):
        raise Enough

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS)
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        function(key, seed)
    except Enough:
        pass
    except Exception as error:  # some things work in compiled code only
        print(f"{function.__module__}.{function.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    inside = {(name, line) for name, line in seen if Path(name).is_relative_to(SOURCES)}
    return {(Path(name).relative_to(SOURCES).as_posix(), line) for name, line in inside}


def alterations(places):
    """Every way to alter an operator or a constant in the functions at some places: ``(place, what, text)``."""
    mutants = _tool("mutants")
    by_file = collections.defaultdict(set)
    for file, line in places:
        by_file[file].add(line)
    for file, lines in sorted(by_file.items()):
        tree = mutants.parsed(SOURCES / file)
        for function in ast.walk(tree):
            if not isinstance(function, ast.FunctionDef):
                continue
            first = min([function.lineno, *(d.lineno for d in function.decorator_list)])
            if first not in lines:
                continue
            inner = {id(node) for statement in function.body for node in ast.walk(statement)}
            for k, node in enumerate(ast.walk(tree)):
                if id(node) not in inner or getattr(node, "untouched", False):
                    continue
                if not isinstance(node, ast.Compare | ast.BoolOp | ast.BinOp | ast.UnaryOp | ast.Constant):
                    continue
                for what, alter in mutants._of(node):
                    yield (file, first), f"{file}:{node.lineno} {function.name}: {what}", (file, k, alter)


def altered(file, k, alter):
    """The text of a module with one node altered."""
    tree = ast.parse((SOURCES / file).read_text(encoding="utf-8"))
    node = next(node for i, node in enumerate(ast.walk(tree)) if i == k)
    alter(node)
    return ast.unparse(ast.fix_missing_locations(tree))


@contextlib.contextmanager
def copy_of_the_sources():
    """The library in a folder of its own, and keys that are taken from there."""
    from studylib.study.freshness import keys

    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(SOURCES, Path(folder) / "src/studylib", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copytree(ROOT / "benchmarks", Path(folder) / "benchmarks")
        study = mock.Mock(path=(Path(folder) / "src", Path(folder)), root=Path(folder))
        with mock.patch.multiple(keys, LIBRARY=Path(folder) / "src", current_study=lambda: study):
            yield Path(folder) / "src/studylib"


def unseen(run, number, seed):
    """``(alterations tried by file, those that left a key as it was)``."""
    from studylib.study.freshness.keys import function_context

    def key(task):
        module, _, name = task.rpartition(".")
        return function_context(module, name).hash

    draw = random.Random(seed)
    every = list(alterations(run))
    tried, left = collections.Counter(), []
    with copy_of_the_sources() as sources:
        before = {task: key(task) for tasks in run.values() for task in tasks}
        for place, what, (file, k, alter) in draw.sample(every, min(number, len(every))):
            path = sources / file
            text = path.read_text(encoding="utf-8")
            path.write_text(altered(file, k, copy.copy(alter)), encoding="utf-8")
            for task in draw.sample(run[place], min(_AT_MOST, len(run[place]))):
                if key(task) == before[task]:
                    left.append(f"{what} (run by {task})")
                    break
            path.write_text(text, encoding="utf-8")
            tried[file] += 1
    return tried, left


def _tool(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tasks", nargs="*", help="module.function; by default all")
    parser.add_argument("--keys", action="store_true", help="take new small keys from the notebooks")
    chosen = parser.parse_args()
    if chosen.keys:
        take_keys()
        return 0
    os.environ["NUMBA_DISABLE_JIT"] = "1"  # numba has not been imported yet
    run = functions_run_by(chosen.tasks or sorted(json.loads(KEYS.read_text(encoding="utf-8"))))
    print(f"{len(run)} functions, run by {len({t for tasks in run.values() for t in tasks})} tasks")
    tried, left = unseen(run, chosen.number, chosen.seed)
    for file, n in sorted(tried.items()):
        print(f"  {file}: {n}")
    print(f"{sum(tried.values())} alterations, {len(left)} unseen")
    for line in left:
        print(f"  {line}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
