"""The screen of cuts leaves the best one in: the same bits as the gains of all of them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from studylib.trees import CRITERIA, _gains
from studylib.trees._class_counts import gather, make_cells, sizes_of
from studylib.trees._grow import _best_in_column
from studylib.trees.criteria import source_form

#: How samples are weighted: n weights from a generator.
WEIGHTS = {
    "none": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(1, 4, n).astype(float),
    "decimal": lambda rng, n: rng.choice([0.1, 0.2, 0.3, 0.7], n),
    "random": lambda rng, n: rng.random(n) + 1e-3,
    "far apart": lambda rng, n: 10.0 ** rng.uniform(-30, 0, n),
}


def best_of_all(code, equality, column, y, weight, n_classes, best, least_samples, least_weight):
    """The best condition by the contract's formula for each candidate, sides added up code by code."""
    present = np.unique(column)
    table = np.zeros((len(present), n_classes))
    np.add.at(table, (np.searchsorted(present, column), y), weight)
    counts = np.zeros(n_classes)
    np.add.at(counts, y, weight)
    up_to, beyond = np.cumsum(table, axis=0), np.zeros_like(table)
    beyond[:-1] = np.cumsum(table[:0:-1], axis=0)[::-1]
    n, choice = _gains.total_of(counts), (best, -1, -1)
    for k in range(len(present) - (not equality)):
        if equality:
            true, false, chosen = table[k], (up_to[k - 1] if k else 0.0) + beyond[k], column == present[k]
        else:
            true, false, chosen = up_to[k], beyond[k], column <= present[k]
        n_true, n_false = _gains.total_of(true), _gains.total_of(false)
        if min(chosen.sum(), (~chosen).sum()) < least_samples or min(n_true, n_false) < least_weight:
            continue
        parent = counts, n, _gains.impurity(code, counts, n)
        gain = _gains.split_gain(code, *parent, false, n_false, true, n_true)
        if gain > choice[0]:
            choice = gain, present[k], -1 if equality else present[k + 1]
    return choice


@pytest.mark.parametrize("source", [False, True], ids=["default", "source"])
@pytest.mark.parametrize("criterion", CRITERIA)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 120),
    n_codes=st.sampled_from([2, 5, 40, 1000]),
    n_classes=st.sampled_from([2, 3, 26, 100]),
    informative=st.booleans(),
    weights=st.sampled_from(sorted(WEIGHTS)),
    equality=st.booleans(),
    least=st.sampled_from([(1, 0.0), (1, 0.0), (4, 0.0), (1, 0.1), (3, 0.25)]),
)
def test_best_of_the_screened_is_the_best_of_all(
    criterion, source, seed, n, n_codes, n_classes, informative, weights, equality, least
):
    rng = np.random.default_rng(seed)
    code = source_form(CRITERIA[criterion]) if source else CRITERIA[criterion]
    column = rng.integers(0, n_codes, n).astype(np.int32)
    y = rng.integers(0, n_classes, n)
    if informative:
        y = (column * n_classes // n_codes + rng.integers(0, 2, n)) % n_classes
    y, weight = np.unique(y, return_inverse=True)[1].astype(np.int32), WEIGHTS[weights](rng, n)
    n_classes = int(y.max()) + 1
    assume(n_classes > 1)  # others are leaves
    counts = np.zeros(n_classes)
    np.add.at(counts, y, weight)
    total = _gains.total_of(counts)
    cells = make_cells(n, np.array([n_codes], np.int64), n_classes)[2]
    samples, least = np.arange(n, dtype=np.int32), (least[0], least[1] * total)
    for best in (-np.inf, 0.0, 0.01):
        m = gather(column, n_codes, samples, y, weight, n_classes, cells)
        if m < 2:
            return
        sizes = (
            sizes_of(column, samples, m, cells.present, cells.row_of, cells.sizes)
            if least[0] > 1
            else cells.sizes[:0]
        )
        parent = counts, total, _gains.impurity(code, counts, total)
        choice = _best_in_column(code, equality, m, cells, *parent, best, sizes, *least)
        assert choice == best_of_all(code, equality, column, y, weight, n_classes, best, *least)
