"""Equal bits on other processors, as far as one can pretend: BLAS, numpy and numba choose their code by it."""

import json
import os
import platform
import subprocess
import sys

import pytest
from numpy._core import _multiarray_umath as numpy_core
from threadpoolctl import threadpool_info

from tests.conventions.registry import ESTIMATORS, name_of
from tests.conventions.test_determinism import outcome

pytestmark = pytest.mark.slow

#: Parameters of notebook 07: as many kernels, less to compute.
LITTLE = {"n_draws": 2, "n_generated": 5, "work_sizes": [8, 16]}
GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}


def libraries():
    """What this process makes of the processor."""
    blas = {pool["architecture"] for pool in threadpool_info() if pool["internal_api"] == "openblas"}
    threads = {pool["num_threads"] for pool in threadpool_info() if pool["internal_api"] == "openblas"}
    features = [name for name in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__.get(name)]
    return [sorted(blas), sorted(threads), features]


def plainer_machines():
    """Variables that make libraries use less than this processor has."""
    features = numpy_core.__cpu_features__
    extras = " ".join(name for name in numpy_core.__cpu_dispatch__ if features.get(name))
    older = "Nehalem" if platform.machine() in ("x86_64", "AMD64") else "ARMV8"
    yield "BLAS of an older kind", {"OPENBLAS_CORETYPE": older}
    if max(libraries()[1], default=1) > 1:
        yield "BLAS in one thread", {"OPENBLAS_NUM_THREADS": "1"}
    if extras:
        yield "numpy without vector extensions", {"NPY_DISABLE_CPU_FEATURES": extras}


def on_another(machine, lines, **how):
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)],
        env={**os.environ, **machine, **how},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def expected():
    return {name_of(estimator): outcome(estimator).hex() for estimator in ESTIMATORS}


@pytest.mark.parametrize("machine", [pytest.param(m, id=name) for name, m in plainer_machines()])
def test_estimators_give_the_same_bits(machine, expected):
    lines = (
        "import json",
        "from tests.conventions.test_determinism import ESTIMATORS, name_of, outcome",
        "from tests.test_other_machines import libraries",
        "print(json.dumps([libraries(), {name_of(e): outcome(e).hex() for e in ESTIMATORS}]))",
    )
    what, hashes = on_another(machine, lines)
    assert what != libraries(), "it is no other machine"
    assert hashes == expected


def test_kernels_for_any_processor_give_the_same_results(tmp_path):
    """A notebook's results to the last digit, fitted slopes among them, from kernels for no particular processor."""
    lines = (
        "import json",
        "from dataclasses import replace",
        "from studylib.study.run.context import Context",
        "from studylib.study.run.execute import execute",
        "from studylib.study.ledger.layout import Layout",
        "from studylib.study.evidence.verdicts import load_results",
        "from studylib.study.ledger.study import current_study",
        "notebook = current_study().notebook('07_mushroom_trees')",
        f"notebook = replace(notebook, parameters={{'smoke': {LITTLE}}})",
        "assert execute(notebook, 'smoke', Context()) is None",
        "found = load_results(Layout('smoke'), notebook.name)",
        "print(json.dumps({'metrics': found['metrics'], 'claims': found['claims']}))",
    )
    simulated = {
        "STUDYLIB_DATA": str(tmp_path / "empty"),
        "STUDYLIB_OFFLINE": "1",
    }  # so that it needs no real data
    here = on_another({}, lines, **simulated, STUDYLIB_REPORTS=str(tmp_path / "here"))
    everything = {**GENERIC, **{k: v for _, machine in plainer_machines() for k, v in machine.items()}}
    generic = on_another(
        everything,
        lines,
        **simulated,
        STUDYLIB_REPORTS=str(tmp_path / "there"),
        NUMBA_CACHE_DIR=str(tmp_path / "kernels"),
    )
    assert generic == here
    assert list((tmp_path / "kernels").rglob("*.kernel")), "nothing was compiled"
