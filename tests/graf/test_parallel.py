"""Results do not depend on how the work was spread, to the last bit."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from joblib import parallel_config

from studylib.graf import GuidedRandomForestClassifier
from tests.graf.support import HYPERPLANES, blobs

SCRIPT = """
from studylib.graf import GuidedRandomForestClassifier
from tests.graf.support import blobs
from tests.graf.test_parallel import fingerprint
X, y = blobs(400, 6, 4)
print(fingerprint(GuidedRandomForestClassifier(6, compute_sensitivity=True, random_state=5).fit(X, y), X))
"""


def fingerprint(forest, X):
    """A hash of all trees, scores and sensitivities."""
    digest = hashlib.sha256()
    for tree in forest.trees_:
        for array in (held for held in vars(tree).values() if isinstance(held, np.ndarray)):
            digest.update(np.ascontiguousarray(array).tobytes())
    for array in (forest.decision_function(X), forest.apply(X), forest.sensitivity_):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


@HYPERPLANES
def test_bits_do_not_depend_on_the_number_of_threads(hyperplane):
    X, y = blobs(400, 6, 4)
    prints = {
        fingerprint(
            GuidedRandomForestClassifier(
                11, hyperplane=hyperplane, compute_sensitivity=True, n_jobs=n_jobs, random_state=5
            ).fit(X, y),
            X,
        )
        for n_jobs in (None, 1, 2, 4, -1)
    }
    assert len(prints) == 1


def test_bits_are_the_same_where_processes_are_asked_for():
    X, y = blobs(400, 6, 4)
    forest = GuidedRandomForestClassifier(6, compute_sensitivity=True, random_state=5)
    expected = fingerprint(forest.fit(X, y), X)
    with parallel_config(backend="loky", n_jobs=2):  # trees need shared memory, and get threads
        assert fingerprint(forest.fit(X, y), X) == expected


@pytest.mark.slow
def test_bits_are_the_same_with_a_cold_and_a_warm_kernel_cache(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", SCRIPT]
    runs = [
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
        for _ in ("cold", "warm")
    ]
    assert any(tmp_path.rglob("*.kernel"))
    X, y = blobs(400, 6, 4)
    here = fingerprint(GuidedRandomForestClassifier(6, compute_sensitivity=True, random_state=5).fit(X, y), X)
    assert {run.strip() for run in runs} == {here}


def test_a_seed_fixes_the_forest_and_another_changes_it():
    X, y = blobs(200)
    forests = [
        GuidedRandomForestClassifier(4, compute_sensitivity=True, random_state=seed).fit(X, y)
        for seed in (1, 1, 2, np.random.RandomState(1))
    ]
    prints = [fingerprint(forest, X) for forest in forests]
    assert prints[0] == prints[1] == prints[3] != prints[2]


def test_no_seed_draws_from_numpys_global_state():
    X, y = blobs(100)
    np.random.seed(3)
    first = GuidedRandomForestClassifier(3).fit(X, y).codes(X).tolist()
    second = GuidedRandomForestClassifier(3).fit(X, y).codes(X).tolist()
    np.random.seed(3)
    assert GuidedRandomForestClassifier(3).fit(X, y).codes(X).tolist() == first != second
