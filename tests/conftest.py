"""How hypothesis draws, and figures that are closed when a test file ends."""

import sys

import pytest
from hypothesis import HealthCheck, settings

# The same examples everywhere: a failure in CI is a failure here.  The first example of a session may
# wait for a compilation, so no deadline.
settings.register_profile(
    "studylib",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("studylib")


#: Files that take longest, so that no process is left alone with one of them at the end.
_FIRST = ("test_other_machines.py", "test_kills.py", "test_confirm.py", "test_goldens.py", "test_cluster.py")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Notebooks first, because the goldens judge what they wrote, then long files, then the others.

    Neighbours among the notebooks share kernels: those at work together are three apart, so that each
    kernel is compiled once.
    """
    names = sorted({item.path for item in items if item.path.suffix == ".ipynb"})
    order = {path: k for k, path in enumerate(names[::3] + names[1::3] + names[2::3])}
    last = len(order) + len(_FIRST)
    order |= {name: len(order) + k for k, name in enumerate(_FIRST)}
    items.sort(key=lambda item: order.get(item.path, order.get(item.path.name, last)))


@pytest.fixture(scope="module", autouse=True)
def _no_figure_is_left():
    """The tests of another file must not meet figures that are open."""
    yield
    if drawing := sys.modules.get("matplotlib.pyplot"):
        drawing.close("all")
