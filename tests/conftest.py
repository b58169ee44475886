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


#: Notebooks that compile what others need: they begin, and beside them those that need none of it.
_COMPILING = (
    "lesson_5_guided_partitions",
    "01_pcf_decision_surfaces",
    "lesson_1_impurity",
    "03_graf_bias_variance",
)
#: Files that take longest, so that no process is left alone with one of them at the end.
_FIRST = (
    "test_other_machines.py",
    "test_stress.py",
    "test_confirm.py",
    "test_page.py",
    "test_cluster.py",
)
#: Folders whose kernels the tests of other folders need, too, in the order of what they need themselves.
_KERNELS = ("graf", "trees", "pcf", "blend", "neighbors", "rules")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """Notebooks first, because the goldens, later, judge what they wrote; then long files; then kernels.

    Two processes should not compile the same kernels at once.  So neighbours among the notebooks, which share
    kernels, are three apart, and what uses all estimators comes last, when their kernels are compiled.
    """
    names = sorted({item.path.stem for item in items if item.path.suffix == ".ipynb"})
    turns = [*_COMPILING, *names[::3], *names[1::3], *names[2::3], *_FIRST, *_KERNELS]
    order = {name: k for k, name in reversed([*enumerate(turns)])}

    def turn(item):
        folder = item.path.parent.name
        places = [order[x] for x in (item.path.stem, item.path.name, folder) if x in order]
        late = folder in ("core", "conventions", "tests") or item.path.name == "test_goldens.py"
        return places[0] if places else len(turns) + late

    items.sort(key=turn)


@pytest.fixture(scope="module", autouse=True)
def _no_figure_is_left():
    """The tests of another file must not meet figures that are open."""
    yield
    if drawing := sys.modules.get("matplotlib.pyplot"):
        drawing.close("all")
