"""Run one notebook through papermill and write its files, the stamp last."""

import json
import os
import threading
import time
from datetime import UTC, datetime

import nbformat
import papermill
from papermill.engines import NBClientEngine, papermill_engines

from studylib.core.files import write_atomically, write_json
from studylib.study import stamps
from studylib.study.paths import Layout, notebook_path
from studylib.study.record import load_results

#: Seconds that one cell may take, by profile.
CELL_TIMEOUT = {"smoke": 600, "quick": 1800, "paper": 12 * 3600}

_local = threading.local()


class _Engine(NBClientEngine):
    """nbclient, telling the runner about every finished cell."""

    @classmethod
    def execute_managed_notebook(cls, nb_man, *args, **kwargs):
        tell, complete = getattr(_local, "tell", None), nb_man.cell_complete

        def cell_complete(*a, **k):
            complete(*a, **k)
            if tell:
                tell()

        nb_man.cell_complete = cell_complete
        return super().execute_managed_notebook(nb_man, *args, **kwargs)


papermill_engines.register("studylib", _Engine)


def check_parameters(study, profile):
    """Refuse parameters that the notebook does not have (papermill would only warn)."""
    known = papermill.inspect_notebook(str(notebook_path(study.name)))
    for name in study.parameters_for(profile):
        if name not in known:
            raise ValueError(
                f"{study.name}: the profile {profile!r} sets {name!r}, but the notebook's parameters are "
                f"{', '.join(known) or 'none'}."
            )


def execute(study, profile, tell=None):
    """Execute a notebook; returns None, or one sentence about what went wrong.

    ``tell()`` is called after every cell.  A notebook that fails leaves what it had done as its executed
    notebook, and neither results nor a stamp.
    """
    layout = Layout(profile)
    name = study.name
    parts = stamps.key_parts(study, profile)
    for path in (layout.stamp(name), layout.results(name), layout.usage(name)):
        path.unlink(missing_ok=True)
    work = layout.work(name).with_suffix(".ipynb")
    work.parent.mkdir(parents=True, exist_ok=True)
    work.unlink(missing_ok=True)
    _local.tell = tell
    started, problem = time.perf_counter(), None
    try:
        check_parameters(study, profile)
        papermill.execute_notebook(
            str(notebook_path(name)),
            str(work).replace("{", "{{").replace("}", "}}"),  # papermill formats this path
            parameters=study.parameters_for(profile),
            engine_name="studylib",
            kernel_name="python3",
            progress_bar=False,
            cwd=str(notebook_path(name).parent),
            execution_timeout=CELL_TIMEOUT[profile],
            extra_arguments=["--log-level=ERROR"],  # the kernel's own remarks do not belong in our output
        )
    except papermill.PapermillExecutionError as error:
        problem = f"{error.ename}: {error.evalue}".splitlines()[0]
    except Exception as error:  # a dead kernel, a timeout, a full disk: the other notebooks go on
        problem = f"{type(error).__name__}: {error}".splitlines()[0]
    wall_time = time.perf_counter() - started
    notebook = _readable(work)
    if notebook is not None:
        notebook.metadata.pop("papermill", None)  # holds times and paths of this machine
        for cell in notebook.cells:
            cell.metadata.pop("papermill", None)
            cell.metadata.pop("execution", None)
        write_atomically(layout.executed(name), nbformat.writes(notebook))
    work.unlink(missing_ok=True)
    if problem is None and load_results(layout, name) is None:
        problem = "the notebook ended without results: its last cell must call run.finish()"
    if problem is None:
        write_json(layout.stamp(name), _stamp(layout, study, profile, parts, wall_time))
    return problem


def _readable(path):
    """The notebook in a file, or None if there is none or it was cut off, as on a full disk."""
    try:
        return nbformat.read(path, as_version=4)
    except (OSError, ValueError):
        return None


def _stamp(layout, study, profile, parts, wall_time):
    usage = layout.usage(study.name)
    return {
        "key": stamps.key_of(parts),
        "inputs": parts,
        "profile": profile,
        "results_sha256": stamps.file_hash(layout.results(study.name)),
        "executed_sha256": stamps.file_hash(layout.executed(study.name)),
        "environment": stamps.environment(),
        "commit": stamps.commit(),
        "cores": os.cpu_count(),
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "wall_time_s": round(wall_time, 2),
        **(json.loads(usage.read_text()) if usage.is_file() else {}),
    }
