"""The loop of the forests: order and slices."""

import numpy as np
import pytest

from studylib.core.forest import grow_trees, over_rows


@pytest.mark.parametrize("n_jobs", [None, 1, 2, 3])
@pytest.mark.parametrize("trees_per_task", [None, 1, 4, 100])
@pytest.mark.parametrize("n", [1, 7, 60])
def test_trees_come_in_the_order_of_their_seeds(n, n_jobs, trees_per_task):
    def grow(seeds):
        return [int(seed) ** 2 for seed in seeds]

    grown = grow_trees(grow, np.arange(n), n_jobs, trees_per_task=trees_per_task)
    assert list(grown) == [k**2 for k in range(n)]


@pytest.mark.parametrize("n_jobs", [None, 2, 5])
@pytest.mark.parametrize("at_most", [None, 1, 4])
@pytest.mark.parametrize("n", [1, 4, 9])
def test_slices_cover_every_row_once(n, n_jobs, at_most):
    X = np.arange(n)[:, None]
    seen = over_rows(lambda part, rows: (part, np.arange(n)[rows]), X, n_jobs, at_most)
    assert np.concatenate([part[:, 0] for part, _ in seen]).tolist() == list(range(n))
    assert np.concatenate([rows for _, rows in seen]).tolist() == list(range(n))
    assert max(len(part) for part, _ in seen) <= (at_most or n)
