"""A study of a few small notebooks in a folder of its own, for tests of the runner."""

import nbformat

HEAD = "# {name}\n\n**Question.** Does it run?"
PARAMETERS = 'profile = "smoke"\nn = 2'
SETUP = 'from studylib.study import Run\nimport tasks\n\nrun = Run("{name}", profile)'
MAP = 'found = run.map(tasks.work, [{{"notebook": "{name}", "i": i}} for i in range(n)])'
FINISH = 'run.metric("sum", sum(found))\nrun.finish()'

TASKS = '''
import os, pathlib, time

import numpy as np


def work(key, seed):
    """A slow task that leaves a line in the log each time it is computed."""
    time.sleep(float(os.environ.get("SMALL_STUDY_SECONDS", 0)))
    with open(pathlib.Path(os.environ["STUDYLIB_STUDY"]) / "computed.log", "a") as log:
        log.write(f"{key['notebook']} {key['i']}\\n")
    return float(np.random.default_rng(seed).normal()) + key["i"]
'''


def write_notebook(folder, name, cells=(SETUP, MAP, FINISH)):
    """Write one notebook; ``cells`` are its code cells after the parameters."""
    notebook = nbformat.v4.new_notebook(
        cells=[
            nbformat.v4.new_markdown_cell(HEAD.format(name=name)),
            nbformat.v4.new_code_cell(PARAMETERS, metadata={"tags": ["parameters"]}),
            *(nbformat.v4.new_code_cell(cell.format(name=name)) for cell in cells),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    for k, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{k}"
    nbformat.write(notebook, folder / "notebooks" / f"{name}.ipynb")


def write_study(folder, names=("toy",), n=3):
    """Write a whole study; the profile ``quick`` sets ``n``."""
    (folder / "notebooks").mkdir(parents=True)
    (folder / "data").mkdir()
    lines = []
    for name in names:
        write_notebook(folder, name)
        (folder / "data" / f"{name}.csv").write_text("1\n")
        lines += [f"[{name}]", f'data = ["{name}.csv"]', f"[{name}.quick]", f"n = {n}"]
    (folder / "notebooks/studies.toml").write_text("\n".join(lines) + "\n")
    (folder / "notebooks/tasks.py").write_text(TASKS)
    (folder / "requirements.lock").write_text("numba==1\n")


def environment(folder):
    """Environment variables under which the study in a folder runs."""
    return {
        "STUDYLIB_STUDY": str(folder),
        "STUDYLIB_REPORTS": str(folder / "reports"),
        "STUDYLIB_DATA": str(folder / "data"),
        "STUDYLIB_OFFLINE": "1",
    }


def result_files(folder):
    """Bytes of all files that must be equal between runs."""
    reports = folder / "reports"
    files = [*reports.glob("*/results/*.json"), *reports.glob("*/store/**/*.json")]
    return {
        str(p.relative_to(reports)): p.read_bytes()
        for p in files
        if not p.name.endswith((".time.json", ".failed.json"))
    }
