"""What a run tells the kernels that it starts: one file, which one environment variable names."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from studylib.core.data import RUN_VARIABLE
from studylib.core.files import write_json

#: The executor of this machine; others are ``"dask://host:port"``.
LOCAL = "local"
#: Environment variables for notebooks that are run by hand: number of processes, and executor.
JOBS_VARIABLE, EXECUTOR_VARIABLE = "STUDYLIB_JOBS", "STUDYLIB_EXECUTOR"


@dataclass(frozen=True)
class Context:
    """How notebooks and their tasks are to run.

    A notebook computes ``jobs`` tasks at the same time, until the ``deadline`` on the clock of
    ``time.monotonic()``, which all processes of a machine share and nobody can set.  ``packages`` are those
    whose versions in the kernel the run wants to know.  ``data`` has the files that the notebook lists; None
    if it may read any.  A run ``by_hand``, in JupyterLab say, does not write into the report.
    """

    jobs: int = 1
    executor: str = LOCAL
    deadline: float | None = None
    packages: tuple = ()
    data: tuple | None = None
    by_hand: bool = False

    def write(self, path):
        """Write it down for a kernel; returns the variables that name it."""
        write_json(path, asdict(self))
        return {RUN_VARIABLE: str(path)}


def current_context():
    """The context of the run that started this kernel, or that of a notebook that is run by hand."""
    named = os.environ.get(RUN_VARIABLE)
    if named is None:
        executor = os.environ.get(EXECUTOR_VARIABLE, LOCAL)
        return Context(int(os.environ.get(JOBS_VARIABLE, 1)), executor, by_hand=True)
    return Context(**json.loads(Path(named).read_text(encoding="utf-8")))
