"""Results of tasks as an earlier commit of the study computes them on this machine.

Machines round differently: NumPy's ``exp`` and ``log``, for example, differ in the last digit with AVX-512
and without it, and a last digit can turn a split of a tree.  So a result that is stored from another machine
cannot tell whether a change of code changed anything.  Both codes on one machine can.
"""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from studylib.core.data import DATA_VARIABLE, STUDY_VARIABLE, data_dir
from studylib.core.text import shorten
from studylib.study.ledger.study import current_study
from studylib.study.run._local import ONE_THREAD

_PROGRAM = Path(__file__).parent / "run" / "earlier_tasks.py"


class EarlierCodeError(RuntimeError):
    """The code that computed a stored result is not there, or does not run here."""


def results_of_commit(commit, notebook, profile, inputs, tasks, jobs=1):
    """Results of tasks, pairs of name and key, with the code of a commit; a list of canonical texts.

    EarlierCodeError if the commit is missing, has other ``inputs`` than the stamp, or if a task fails.
    """
    root = current_study().root
    top = Path(_git(root, "rev-parse", "--show-toplevel").strip())
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "study")
        # Not as tar: Python 3.11.0 to 3.11.3 cannot unpack it safely.
        _git(top, "archive", "--format=zip", f"--output={folder}/code.zip", commit)
        with zipfile.ZipFile(Path(folder, "code.zip")) as archive:
            archive.extractall(copy)
        # What is installed, into an environment within the checkout for example, is the same for both.
        inside = [Path(p) for p in sys.path if p and "site-packages" not in Path(p).parts]
        search = [copy / p.relative_to(top) for p in inside if p.is_relative_to(top)]
        variables = {
            **os.environ,
            **ONE_THREAD,
            DATA_VARIABLE: str(data_dir()),
            STUDY_VARIABLE: str(copy / root.relative_to(top)),
            "NUMBA_CACHE_DIR": f"{folder}/kernels",
            "PYTHONPATH": os.pathsep.join(map(str, search)),
        }

        def compute(part):
            request = {"notebook": notebook, "profile": profile, "inputs": inputs, "tasks": part}
            done = subprocess.run(
                [sys.executable, "-P", str(_PROGRAM)],
                input=json.dumps(request),
                cwd=copy / root.relative_to(top),
                env=variables,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise EarlierCodeError(shorten(done.stderr.strip().rpartition("\n")[2]))
            answer = json.loads(done.stdout.strip().rpartition("\n")[2])
            if "others" in answer:
                raise EarlierCodeError("; ".join(answer["others"]))
            return answer["results"]

        results = [None] * len(tasks)
        with ThreadPoolExecutor(jobs) as pool:
            parts = [slice(k, None, jobs) for k in range(min(jobs, len(tasks)))]
            for part, computed in zip(parts, pool.map(compute, [tasks[p] for p in parts]), strict=True):
                results[part] = computed
        return results


def _git(folder, *words):
    try:
        done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=True)
    except OSError as error:
        raise EarlierCodeError(f"git does not run: {error}") from error
    except subprocess.CalledProcessError as error:
        raise EarlierCodeError(shorten(error.stderr.strip())) from error
    return done.stdout
