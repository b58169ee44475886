"""Run one notebook through papermill and write its files, the stamp last."""

import math
import os
import shutil
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import nbformat
import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from nbclient.exceptions import CellTimeoutError, DeadKernelError

from studylib.core.files import file_hash, write_atomically, write_json
from studylib.core.text import shorten
from studylib.study.evidence.verdicts import load_results
from studylib.study.fingerprints import key_of
from studylib.study.freshness import stamps
from studylib.study.freshness.keys import changes, default_parameters, notebook_parts
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.reading import read_json, read_notebook, readable_notebook
from studylib.study.ledger.study import current_study
from studylib.study.run.client import ENGINE

#: Seconds that one cell may take, by profile; other profiles may take what ``paper`` may.
CELL_TIMEOUT = {"smoke": 600, "quick": 1800, "paper": 12 * 3600}

#: Seconds that a cell has after the deadline of the run, to stop by itself and say what is stored.
_GRACE = 10

#: What a kernel says of its own use.
_USAGE = {"peak_memory_mib": float, "mapping_s": float, "tasks": {...: dict}, "versions": {...: str}}


def _kernels_of_this_python(folder, variables):
    """A class of kernel managers: each kernel is this very Python, without the user's settings."""
    (folder / "matplotlibrc").touch()  # matplotlib goes on to the user's where there is none
    given = {"IPYTHONDIR": str(folder), "MATPLOTLIBRC": str(folder), "PYTHONSTARTUP": "", **variables}
    spec = KernelSpec(
        argv=[sys.executable, str(Path(__file__).with_name("kernel.py")), "-f", "{connection_file}"],
        env={name: value.replace("$", "$$") for name, value in given.items()},  # they are templates
        language="python",
        metadata={"kernel_provisioner": {"provisioner_name": "local-provisioner"}},
    )

    class Kernels(AsyncKernelManager):
        kernel_spec = spec

    return Kernels


def check_parameters(notebook, profile):
    """Refuse parameters that the notebook does not have (papermill would only warn)."""
    known = default_parameters(notebook.path)
    for name in notebook.parameters_for(profile):
        if name not in known:
            raise ValueError(
                f"{notebook.name}: the profile {profile!r} sets {name!r}, but the notebook's parameters are "
                f"{', '.join(known) or 'none'}; give it a value in the code cell tagged `parameters`."
            )


def execute(notebook, profile, context, tell=lambda: None):
    """Execute a notebook, with ``tell()`` after every cell; None, or one sentence on what went wrong.

    A notebook that fails, whose inputs were edited meanwhile, or whose kernel had other versions of packages
    leaves its executed notebook, but no stamp.
    """
    layout = Layout(profile)
    current_study().use()  # the kernel inherits it
    name = notebook.name
    before = stamps.read(layout, name)
    for path in (layout.stamp(name), layout.results(name), layout.usage(name)):
        path.unlink(missing_ok=True)
    started, cell_seconds = time.perf_counter(), []

    def cell_done(seconds):
        cell_seconds.append(round(seconds, 2))
        tell()

    try:
        check_parameters(notebook, profile)
        parts = notebook_parts(notebook, profile)
        stamped = stamps.versions([*stamps.PACKAGES, *parts["packages"]])  # before it can install something
        problem = run_cells(
            notebook.path,
            layout.executed(name),
            notebook.parameters_for(profile),
            work=layout.work(f"{name}.ipynb"),
            timeout=CELL_TIMEOUT.get(profile, CELL_TIMEOUT["paper"]),
            tell=cell_done,
            context=replace(context, packages=tuple(stamped), data=notebook.data),
        )
    except (ValueError, SyntaxError) as error:  # the notebook, or a module of the study, cannot be read
        return shorten(f"{type(error).__name__}: {error}")
    wall_time = time.perf_counter() - started
    if problem:
        return problem
    if load_results(layout, name) is None:
        return "the notebook ended without results: its last cell must call run.finish()"
    edited = changes(parts, notebook_parts(notebook, profile))
    if edited:
        return f"edited while it ran, so nothing is stamped: {'; '.join(edited)}; run it again"
    usage = read_json(layout.usage(name), _USAGE)
    if usage is None:
        return "what it used was not written down as a whole; run it again"
    problem = _other_versions(usage["versions"], stamped)
    if problem is None:
        stamp = _stamp(layout, notebook, profile, parts, wall_time, usage, before, context)
        write_json(layout.stamp(name), {**stamp, "cell_seconds": cell_seconds})
    return problem


def _other_versions(in_kernel, stamped):
    """A sentence if a kernel computed with other versions than the stamp would say, or None."""
    others = [
        f"{name} {in_kernel.get(name, 'unknown')} instead of {version}"
        for name, version in stamped.items()
        if in_kernel.get(name) != version
    ]
    if not others:
        return None
    return (
        f"its kernel had {', '.join(others)}, so nothing is stamped; install packages before the run, let no "
        "cell change where they are imported from, and run it again"
    )


def run_cells(source, executed, parameters, *, work, timeout, tell=None, context=None):
    """Execute the cells of a notebook; None, or one sentence on what went wrong.

    It is held in ``work`` while it runs, and written with its outputs to ``executed``, also if it failed.  A
    cell may take ``timeout`` seconds; ``tell(seconds)`` is called after each.  Without a ``context`` it runs
    as by hand.
    """
    fresh = work.with_suffix(".ipython")
    shutil.rmtree(fresh, ignore_errors=True)  # of a run that was killed
    problem, deadline = None, context.deadline if context and context.deadline else math.inf

    def seconds(cell):
        return min(timeout, max(1.0, deadline + _GRACE - time.monotonic()))

    if time.monotonic() > deadline:
        return "not started, because the time limit had passed"
    # papermill reads a copy: it would not understand a byte-order mark.
    write_atomically(work, nbformat.writes(read_notebook(source)))
    path = str(work).replace("{", "{{").replace("}", "}}")  # papermill formats it
    try:
        fresh.mkdir()
        variables = context.write(fresh / "run.json") if context else {}
        papermill.execute_notebook(
            path,
            path,
            parameters=parameters,
            engine_name=ENGINE,
            kernel_name="python3",
            kernel_manager_class=_kernels_of_this_python(fresh, variables),
            tell=tell,
            progress_bar=False,
            # The kernel's folder.  papermill's ``cwd`` would change that of this process, and two threads at
            # once would leave it in the wrong one.
            resources={"metadata": {"path": str(source.parent)}},
            start_timeout=600,  # seconds; a few when the machine is idle
            timeout_func=seconds,
            extra_arguments=["--log-level=CRITICAL"],  # the kernel's own remarks do not belong in our output
        )
    except papermill.PapermillExecutionError as error:
        problem = shorten(f"{error.ename}: {error.evalue}")
    except CellTimeoutError as error:
        if time.monotonic() > deadline:
            problem = "stopped, because the time limit had passed"
        else:
            problem = f"CellTimeoutError: {str(error).splitlines()[0]}"  # the other lines show the cell
    except DeadKernelError as error:
        problem = str(error)
    except UnicodeEncodeError:
        problem = (
            "a path or a parameter has characters that are no text in this locale; set PYTHONUTF8=1 and run "
            "it again, or rename the file"
        )
    except Exception as error:  # a full disk, say: the other notebooks go on
        problem = shorten(f"{type(error).__name__}: {error}")
        if "before replying" in problem:  # jupyter_client has no class of its own for it
            problem = (
                "its kernel ended before the first cell, perhaps with a remark above; see whether "
                f"{sys.executable} -m ipykernel --version works, and whether memory is free"
            )
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    done = readable_notebook(work)
    if done is not None:
        done.metadata.pop("papermill", None)  # holds times and paths of this machine
        for cell in done.cells:
            cell.metadata.pop("papermill", None)
            cell.metadata.pop("execution", None)
        write_atomically(executed, nbformat.writes(done))
    work.unlink(missing_ok=True)
    return problem


def _stamp(layout, notebook, profile, parts, wall_time, usage, before, context):
    tasks = usage["tasks"]
    # What all cells took, however many runs it took to compute the tasks, and on however many processes.
    computing = wall_time - usage["mapping_s"] + sum(noted["seconds"] for noted in tasks.values())
    return {
        "key": key_of(parts),
        "inputs": parts,
        "profile": profile,
        "results_sha256": file_hash(layout.results(notebook.name)),
        "executed_sha256": file_hash(layout.executed(notebook.name)),
        "tasks_sha256": file_hash(layout.tasks(notebook.name)),
        "environment": stamps.environment(),
        "commit": stamps.commit(layout),
        "cores": os.cpu_count(),
        "executor": context.executor.partition(":")[0],  # not its address
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "wall_time_s": round(wall_time, 2),
        "computing_s": round(computing, 2),
        "tasks": tasks,
        "peak_memory_mib": _peak_memory(usage["peak_memory_mib"], tasks, before),
    }


def _peak_memory(measured, tasks, before):
    """MiB, of the run that computed the tasks: one that only takes them from the store needs less."""
    if before is None or not tasks:
        return measured
    stored = all(
        noted["confirmed"] or noted["context"] == before["tasks"].get(task, {}).get("context")
        for task, noted in tasks.items()
    )
    return max(measured, before.get("peak_memory_mib", 0)) if stored else measured
