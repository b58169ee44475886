"""How hypothesis draws, and what a test file leaves behind: nothing."""

import os
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


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_left():
    """The tests of another file must not meet the study that a command chose, nor figures that are open."""
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)
    if drawing := sys.modules.get("matplotlib.pyplot"):
        drawing.close("all")
