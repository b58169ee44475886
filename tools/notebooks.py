"""Execute the notebooks in place with their defaults, and renew the goldens of their results.

Run by ``make notebooks`` after a change that is meant to change results; check the diff before committing
it.  Outputs and ``*.real.json`` need the real data, ``*.simulated.json`` is computed without them.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from studylib.core.files import write_atomically
from studylib.datasets import data_dir
from studylib.study.ledger.layout import REPORTS_VARIABLE, Layout
from studylib.study.ledger.study import current_study
from studylib.study.run.context import Context

GOLDENS = Path(__file__).parents[1] / "tests" / "goldens"


def run(name, folder, **variables):
    """Execute a notebook with environment variables set; returns it and the file of its results."""
    path = current_study().notebook(name).path
    notebook = nbformat.read(path, as_version=4)
    context = Context(by_hand=True).write(Path(folder) / "run.json")  # no word about compilation in outputs
    os.environ.update({REPORTS_VARIABLE: folder, **context, **variables})
    client = NotebookClient(
        notebook, timeout=1200, resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--log-level=ERROR"],
    )  # fmt: skip
    client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
    notebook.metadata.pop("widgets", None)
    return notebook, Layout("smoke", by_hand=True).results(name)


def main(names):
    """Renew the named notebooks, or all."""
    for name in names or current_study().notebooks:
        print(name)
        real = data_dir()
        with tempfile.TemporaryDirectory() as folder:
            if all((real / path).is_file() for path in current_study().notebook(name).data):
                notebook, results = run(name, folder, STUDYLIB_DATA=str(real))
                write_atomically(current_study().notebook(name).path, nbformat.writes(notebook) + "\n")
                shutil.copy(results, GOLDENS / f"{name}.real.json")
            else:
                print(f"  real data not in {real}: outputs and the real golden stay as they are")
            if current_study().notebook(name).data:
                _, results = run(name, folder, STUDYLIB_DATA=folder, STUDYLIB_OFFLINE="1")
                shutil.copy(results, GOLDENS / f"{name}.simulated.json")
                del os.environ["STUDYLIB_OFFLINE"]
            os.environ["STUDYLIB_DATA"] = str(real)


if __name__ == "__main__":
    main(sys.argv[1:])
