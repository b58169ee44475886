"""Tasks for the tests on a cluster, whose workers import this module: what it imports is in their keys."""

import os
import signal
from pathlib import Path

import numpy as np

from studylib.core.files import sha256
from tests.conventions.registry import ESTIMATORS, name_of
from tests.conventions.test_determinism import outcome
from tests.study.dask_cluster import until


def draw(key, seed):
    return {"x": np.random.default_rng(seed).normal(size=3).tolist(), "key": key["i"]}


def die_on_one(key, seed):
    if key["i"] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return key["i"]


def bits_of(key, seed):
    """The hash of all that a freshly fitted estimator says."""
    estimator = next(e for e in ESTIMATORS if name_of(e) == key["name"])
    return sha256(outcome(estimator))


def fail_on_two(key, seed):
    if key["i"] == 2:
        raise ValueError("two")
    return key["i"]


def wait_for_a_file(key, seed):
    """Leaves a line with its process, and ends as soon as the file ``go`` is there."""
    folder = Path(key["folder"])
    with (folder / "log").open("a") as log:
        log.write(f"{os.getpid()} {key['i']}\n")
    until(lambda: (folder / "go").exists() or key["i"] < key["free"])
    return key["i"]
