"""Kernels that divide partitions, by themselves, where a whole tree seldom meets the case."""

import numpy as np
import pytest

from studylib.graf._candidates import Candidates
from studylib.graf._grow import BOX, Settings, make_workspace
from studylib.graf._partitions import find_divided

SETTINGS = Settings(BOX, True, 0.0, 2, Candidates(1, 1, 0, False))


@pytest.mark.parametrize("n", [2, 8, 14, 30, 64])
def test_there_is_room_for_the_most_partitions_that_a_hyperplane_divides(n):
    samples, partitions, planes, _, _ = make_workspace(n, 1, 2, 1, SETTINGS)
    places = np.arange(n)
    samples.order[:n], samples.owner[:n] = places, places // 2  # pairs,
    samples.joined[:n], samples.bits[:n] = places % 2 == 0, places % 2  # each with a sample on either side
    partitions.stops[: n // 2] = 2 * np.arange(n // 2) + 2
    assert find_divided(samples, n, partitions.stops, planes.cut) == n // 2
    assert planes.cut[: n // 2].tolist() == list(range(n // 2))
    assert samples.ordered_bits[:n].tolist() == (places % 2).tolist()
