"""What every test run needs before anything is imported or collected."""

import gc
import json
import os
import tempfile

import pytest
from xdist.scheduler import LoadScopeScheduling

# Some tests start `python -m tests.…` in this folder.
os.environ.pop("PYTHONSAFEPATH", None)
# Two processes want both cores: a thread of scikit-learn or BLAS that waits for another sleeps.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")

import studylib  # noqa: F401  (sets the kernel cache before anything imports numba)
from tests.tiers import FEW_NOTEBOOKS

#: Folders of tests that share compiled kernels.
KERNELS = {f"tests/{name}" for name in ("blend", "graf", "neighbors", "pcf", "rules", "trees")}
#: Files of tests that share a study that has been run.
JUDGED = {"tests/study/test_evidence.py", "tests/study/test_verifier.py"}

if "PYTEST_XDIST_WORKER" not in os.environ:
    # Notebooks under test write their results here, not into the user's reports; all processes into one.
    _reports = tempfile.TemporaryDirectory(prefix="studylib-test-reports-", ignore_cleanup_errors=True)
    os.environ["STUDYLIB_REPORTS"] = _reports.name


def pytest_collection_modifyitems(items):
    """Mark the notebooks, and skip those whose committed outputs need data that are not here."""
    from studylib.datasets import DATA_VARIABLE, data_dir
    from studylib.study.ledger.study import current_study

    for item in items:
        if item.path.suffix != ".ipynb":
            continue
        if item.path.stem not in FEW_NOTEBOOKS:
            item.add_marker("slow")
        missing = [
            path
            for path in current_study().notebook(item.path.stem).data
            if not (data_dir() / path).is_file()
        ]
        if missing:
            reason = (
                f"{item.path.name}: its outputs come from {missing[0]}, which is not in {data_dir()} "
                f"(set {DATA_VARIABLE}); its golden on simulated data still runs"
            )
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item):
    """A notebook's kernel says nothing of compilation: which cell does would depend on the cache."""
    if item.path.suffix != ".ipynb":
        return (yield)
    from studylib.study.run.context import Context

    with pytest.MonkeyPatch.context() as patch:
        for name, value in Context(by_hand=True).write(f"{os.environ['STUDYLIB_REPORTS']}/run.json").items():
            patch.setenv(name, value)
        return (yield)


def pytest_report_header(config):
    """Say how many cells of notebooks have outputs that are compared; those with times are only run."""
    paths = sorted((config.rootpath / "notebooks").glob("*.ipynb"))
    cells = [
        c for path in paths for c in json.loads(path.read_text("utf-8"))["cells"] if c["cell_type"] == "code"
    ]
    shown = [c for c in cells if c["outputs"]]
    compared = [c for c in shown if "nbval-ignore-output" not in c["metadata"].get("tags", ())]
    return (
        f"notebooks: {len(cells)} cells are run; of {len(shown)} with outputs, {len(compared)} are compared, "
        f"and {len(shown) - len(compared)} show times"
    )


class ByKernels(LoadScopeScheduling):
    """Give one process all tests of a package of estimators, so that two do not compile the same kernels.

    Other files are units of their own; so are goldens, each of which runs a notebook.
    """

    def _split_scope(self, nodeid):
        file = nodeid.partition("::")[0]
        folder, _, name = file.rpartition("/")
        if name == "test_goldens.py":
            return nodeid
        return folder if folder in KERNELS else "judged" if file in JUDGED else file


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Schedule tests by the kernels that they need, under ``--dist loadscope``."""
    if config.getvalue("dist") == "loadscope":
        return ByKernels(config, log)


def pytest_collection_finish():
    """What collecting has made stays to the end: the garbage collector need not look through it each time."""
    gc.collect()
    gc.freeze()
