"""What `make test` leaves to `make test-all`: marked ``slow``, ``browser`` or ``cluster``."""

import pytest

#: One notebook for each family of kernels, and two lessons.
FEW_NOTEBOOKS = {
    "01_pcf_decision_surfaces",
    "lesson_3_guided_partitions",
    "08_mushroom_tuning_and_forest",
    "lesson_1_depth",
    "lesson_4_abstaining",
}


def by_notebook(names):
    """Parameters of a test for each notebook, of which `make test` runs a few."""
    return [pytest.param(n, marks=() if n in FEW_NOTEBOOKS else pytest.mark.slow) for n in names]
