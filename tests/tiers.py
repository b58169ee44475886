"""What `make test` leaves to `make test-all`: marked ``slow``, ``browser`` or ``cluster``."""

import pytest

#: A notebook of the partial forest, and lessons that need kernels of trees, of guided forests, or none.
FEW_NOTEBOOKS = {
    "01_pcf_decision_surfaces",
    "lesson_1_impurity",
    "lesson_5_guided_partitions",
    "lesson_8_reading_a_claim",
}


def by_notebook(names):
    """Parameters of a test for each notebook, of which `make test` runs a few."""
    return [pytest.param(n, marks=() if n in FEW_NOTEBOOKS else pytest.mark.slow) for n in names]
