"""What a forest does not depend on: processes, blocks of rows, the order of rows, constant columns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.pcf import PartialClassificationForest
from tests.pcf.support import (
    LEAF_MODELS,
    assert_same_trees,
    blobs,
    majority_gamma,
    mixed_up_rows,
    nodes_of,
    problems,
)

# Most tables here are too small or too random for a forest of clean partitions.
pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")

SEEDS = st.integers(0, 2**32 - 1)


# Constant columns, order of rows and classes


@settings(max_examples=60)
@given(
    problem=problems(),
    model=st.sampled_from([*LEAF_MODELS, "callable"]),
    where=st.integers(0, 4),
    value=st.sampled_from([0.0, -7.5, 1e300]),
    seed=SEEDS,
)
def test_constant_column_changes_neither_splits_nor_predictions(problem, model, where, value, seed):
    rows, y, growth = problem
    where = min(where, len(rows[0]))
    leaf_model = majority_gamma if model == "callable" else LEAF_MODELS[model][0]
    plain, wider = (
        PartialClassificationForest(3, leaf_model=leaf_model, random_state=seed, **growth) for _ in range(2)
    )
    plain.fit(rows, y)
    wider.fit(np.insert(rows, where, value, axis=1), y)
    for nodes, others in zip(nodes_of(plain), nodes_of(wider), strict=True):
        shifted = nodes.copy()
        shifted["feature"] += shifted["feature"] >= where
        assert shifted.tobytes() == others.tobytes()
    new = mixed_up_rows(rows)
    elsewhere = np.insert(new, where, np.arange(len(new)) - 3.0, axis=1)
    assert plain.tree_predict(new).tolist() == wider.tree_predict(elsewhere).tolist()
    assert plain.predict(new).tolist() == wider.predict(elsewhere).tolist()


@settings(max_examples=40)
@given(problem=problems(), model=st.sampled_from(list(LEAF_MODELS)), seed=SEEDS, data=st.data())
def test_order_of_the_training_rows_does_not_matter(problem, model, seed, data):
    rows, y, growth = problem
    order = data.draw(st.permutations(range(len(y))))
    forest, other = (
        PartialClassificationForest(3, leaf_model=LEAF_MODELS[model][0], random_state=seed, **growth)
        for _ in range(2)
    )
    forest.fit(rows, y)
    other.fit([rows[i] for i in order], [y[i] for i in order])
    for nodes, others in zip(nodes_of(forest), nodes_of(other), strict=True):
        for field in nodes.dtype.names:  # 0.0 and -0.0 count as equal
            np.testing.assert_array_equal(nodes[field], others[field])


def test_names_of_the_classes_do_not_matter_but_their_order_does():
    X, y = blobs(150, 2, 3)
    forest = PartialClassificationForest(5, random_state=0).fit(X, y)
    renamed = PartialClassificationForest(5, random_state=0).fit(X, np.array(["x", "y", "z"])[y])
    assert_same_trees(forest, renamed)
    assert forest.vote_shares(X).tolist() == renamed.vote_shares(X).tolist()
    turned = PartialClassificationForest(5, random_state=0).fit(X, 2 - y)
    assert forest.vote_shares(X)[:, :-1].tolist() == turned.vote_shares(X)[:, -2::-1].tolist()


# Threads and processes


def test_number_of_rows_changes_no_prediction():
    """The rows go down the Trees in blocks, over several threads: no edge of a block may show."""
    X, y = blobs(300, 3, 3)
    forest = PartialClassificationForest(6, random_state=0).fit(X, y)
    new = np.random.default_rng(0).uniform(-0.2, 1.2, (20_001, 3))
    shares = forest.vote_shares(new)
    for n_jobs in (2, 4):
        assert forest.set_params(n_jobs=n_jobs).vote_shares(new).tobytes() == shares.tobytes()
    one_by_one = np.concatenate([forest.vote_shares(new[i : i + 1]) for i in range(40)])
    assert one_by_one.tobytes() == shares[:40].tobytes()
    for n in [*range(1, 20), 8191, 8192, 8193, 16_384, 16_385]:
        assert forest.vote_shares(new[:n]).tobytes() == shares[:n].tobytes()
