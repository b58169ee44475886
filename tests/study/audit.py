"""Which files tasks really open and import, as Python's own audit says, against those in their keys.

``python -m tests.study.audit`` takes new small keys of all tasks from the notebooks' smoke runs.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).parents[2]
KEYS = Path(__file__).with_name("task_keys.json")

#: Run in a process of its own, which has imported nothing of ours: a module that is there is not opened.
_CHILD = """
import importlib, json, sys
opened = []
def note(event, given):
    name = given[0] if event == "open" else given[1] if event == "import" else None
    if isinstance(name, str) and not names_the_folder_of_kernels(sys._getframe()):
        opened.append(name)
def names_the_folder_of_kernels(frame):  # which hashes all sources
    while frame and frame.f_code.co_name != "source_hash":
        frame = frame.f_back
    return frame is not None
module, paths, calls = json.loads(sys.argv[1])
sys.path += paths
sys.addaudithook(note)
loaded = importlib.import_module(module)
for name, key, seed in calls:
    getattr(loaded, name)(key, seed)
print(json.dumps(sorted(set(opened))))
"""


def opened_by(module, calls, study):
    """Files that a module and some of its tasks open.

    Parameters
    ----------
    module : str
    calls : list of (str, key, int)
        Functions with a key and a seed.
    study : Study

    Returns
    -------
    set of Path
        Files below the study's folder and the library; the source for a compiled one.
    """
    given = json.dumps([module, [str(folder) for folder in study.path], calls])
    words = [sys.executable, "-c", _CHILD, given]
    done = subprocess.run(words, cwd=study.root, capture_output=True, text=True, check=True)
    paths = set()
    for name in json.loads(done.stdout.splitlines()[-1]):
        path = study.root / name
        if path.suffix == ".pyc" and path.parent.name == "__pycache__":
            path = Path(importlib.util.source_from_cache(path))
        apart = {".venv", ".cache", "__pycache__"} & set(path.parts)
        if path.is_file() and not apart and path.is_relative_to(study.root):
            paths.add(path.resolve())
    return paths


def take_keys():
    """Write down a small key of every task: the first one of each function in each notebook's smoke run."""
    import matplotlib

    from studylib.study.freshness import keys
    from studylib.study.ledger.study import current_study
    from studylib.study.run.notebook_api import Run

    matplotlib.use("Agg")
    keys_of, original = {}, Run.map
    notebooks = tomllib.loads((ROOT / "study.toml").read_text(encoding="utf-8"))["notebook"]

    def recorded(self, function, wanted, **options):
        wanted = list(wanted)
        name = f"{function.__module__}.{function.__qualname__}"
        keys_of.setdefault(name, {"notebook": self.notebook.name, "key": wanted[0]})
        return original(self, function, wanted, **options)

    with tempfile.TemporaryDirectory() as reports, mock.patch.object(Run, "map", recorded):
        os.environ["STUDYLIB_REPORTS"] = reports
        for name in notebooks:
            print(name, flush=True)
            names = {"__name__": "__main__", "display": lambda *things: None, "get_ipython": mock.MagicMock()}
            path = current_study().notebook(name).path
            os.chdir(path.parent)
            for _, trees, _ in keys._code_cells(path):
                exec(compile(trees[0], name, "exec"), names)
    KEYS.write_text(json.dumps(keys_of, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    take_keys()
