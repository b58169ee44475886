"""Results do not depend on how the work was spread, to the last bit."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from studylib.graf import GuidedRandomForestClassifier
from tests.graf.support import blobs

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
