"""What training costs in the worst case, and multiway against binary trees."""

import numpy as np
import pandas as pd
import pytest

from studylib.datasets import _uci_archive, data_dir
from studylib.datasets._uci_archive import SUITE
from studylib.studies.mushrooms import costs, non_binary

# What training costs in the worst case


def test_steps_of_the_exhaustive_algorithm_by_hand():
    """Two rows: one comparison and one threshold on two rows; three: 2 + 2 · 3, and then a node of two."""
    assert costs.exhaustive_work(np.array([[0.0], [1.0]]), np.array([0, 1])) == (3, 2)
    chain = np.array([[0.0], [1.0], [2.0]])
    assert costs.exhaustive_work(chain, np.array([0, 1, 0])) == (8 + 3, 3)
    assert costs.exhaustive_work(np.repeat(chain, 2, axis=1), np.array([0, 1, 0])) == (2 * (8 + 3), 3)
    assert costs.exhaustive_work(chain, np.zeros(3, int)) == (0, 1)


def test_work_stays_within_the_bound_and_the_chain_is_as_deep_as_long():
    work = costs.work_table([8, 16], [1, 2])
    assert work["depth"].tolist() == [8, 16, 8, 16]
    assert work.loc[(8, 2), "bound"] == 8 * 2 * (8 * 3 + 64)
    assert (work["steps"] <= work["bound"]).all()
    thresholds = sum(k * (k - 1) for k in range(2, 9))
    assert thresholds < work.loc[(8, 1), "steps"] <= thresholds + sum(k * np.log2(k) for k in range(2, 9))


# Multiway and binary trees


@pytest.mark.slow
@pytest.mark.skipif(not (data_dir() / SUITE.path).is_file(), reason="the UCI suite is not there")
def test_category_sets_are_those_of_the_rule():
    names = [
        entry.name
        for entry, parts in _uci_archive.read(data_dir() / SUITE.path, list(_uci_archive.entries().values()))
        if non_binary.has_categories_only(parts[0][:, :-1])
    ]
    assert sorted(names) == list(non_binary.CATEGORY_SETS)


@pytest.mark.parametrize(
    ("columns", "n", "answer"),
    [([8, 3], 900, True), ([9, 3], 900, False), ([8, 3], 899, False), ([3, 2], 900, True), ([3, 2, 2], 900, False)],
)  # fmt: skip
def test_sets_of_categories_by_numbers_of_values(columns, n, answer):
    X = np.array([np.arange(n) % k for k in columns]).T
    assert non_binary.has_categories_only(X) is answer


def test_measurements_are_cut_at_quantiles_of_the_training_rows():
    rng = np.random.default_rng(0)
    X, X_test = (pd.DataFrame({"x": rng.normal(size=n), "c": list("ab") * (n // 2)}) for n in (800, 100))
    ranges, test_ranges = non_binary._in_ranges(X, X_test)
    assert ranges["x"].value_counts().tolist() == [100] * 8
    assert set(test_ranges["x"]) <= set(ranges["x"])
    assert ranges["c"].equals(X["c"])
