"""The loop of the forests: order, slices, and what the trees say together."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError

from studylib.core.forest import Forest, add_votes, grow_trees, over_rows


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


def test_rows_of_many_columns_are_read_some_at_a_time():
    assert Stumps()._rows_at_once(20) > 10_000
    assert Stumps()._rows_at_once(1_000_000) == 256


class Stumps(Forest, BaseEstimator):
    """Tree k says class 1 above k, and nothing at exactly k."""

    def __init__(self, n_jobs=None):
        self.n_jobs = n_jobs

    def fit(self, n):
        self.estimators_ = list(range(n))
        self.classes_ = np.array(["low", "high"])
        return self

    def _check_X(self, X):
        return np.asarray(X, float)

    def _no_votes(self, n):
        return np.zeros((n, 3), np.int32)

    def _leaves(self, k, rows):
        return np.sign(rows[:, 0] - k).astype(int) + 1

    def _labels(self, k, leaves, X):
        return np.array([0, -1, 1])[leaves]

    def _outcome(self, votes):
        return np.where(votes[:, 2] > 0, "unsure", self.classes_[votes[:, :2].argmax(axis=1)])


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_what_the_trees_say(n_jobs):
    X = np.array([[-1.0], [0.0], [0.5], [1.5], [9.0]])
    forest = Stumps(n_jobs).fit(3)
    assert len(forest) == 3
    with pytest.raises(NotFittedError):
        len(Stumps(n_jobs))
    assert forest.apply(X).tolist() == [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 2, 0], [2, 2, 2]]
    assert forest.tree_predict(X).tolist() == [[0, -1, 1, 1, 1], [0, 0, 0, 1, 1], [0, 0, 0, 0, 1]]
    stages = [stage.tolist() for stage in forest.staged_predict(X)]
    assert stages[0] == ["low", "unsure", "high", "high", "high"]
    assert stages[-1] == forest.predict(X).tolist() == ["low", "unsure", "low", "high", "high"]


def test_a_vote_without_a_label_is_the_last_column():
    votes = np.zeros((3, 3), np.int32)
    add_votes(np.array([0, -1, 1], np.int32), 1, votes)
    assert votes.tolist() == [[1, 0, 0], [0, 0, 1], [0, 1, 0]]
    weighted = np.zeros((2, 2))
    add_votes(np.array([1, 1]), 0.25, weighted)
    add_votes(np.array([0, 1]), 0.5, weighted)
    assert weighted.tolist() == [[0.5, 0.25], [0, 0.75]]
