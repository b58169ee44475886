"""Equal bits: in every layout of memory, for any number of jobs, in threads and processes."""

import functools

import joblib
import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.pcf import PartialClassificationForest
from studylib.trees import RandomForestClassifier
from tests.conventions.registry import ESTIMATORS, each, holds, name_of

pytestmark = pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")


def majority_gamma(X, y):
    """A leaf model of the user's own."""
    labels, counts = np.unique(y, return_counts=True)
    return labels[counts.argmax()], 1 - counts.max() / counts.sum()


GROWTH = {"max_loss": 0.3, "min_samples_leaf": 15, "random_state": 0}
#: Other planes and metrics, beside the estimators of the registry.
PLANES_AND_METRICS = {
    **{
        kind: GuidedRandomForestClassifier(5, hyperplane=kind, compute_sensitivity=True, random_state=0)
        for kind in ("box", "centred", "guided", "canonical")
    },
    **{metric: KNeighborsClassifier(metric=metric) for metric in ("mahalanobis", "full_mahalanobis")},
}
#: Other leaf models, and what is computed out of bag.
THREADED = {
    "guided bags": GuidedRandomForestClassifier(5, bootstrap=True, oob_score=True, random_state=0),
    "bound": PartialClassificationForest(5, leaf_model="confidence_bound", **GROWTH),
    "callable": PartialClassificationForest(5, leaf_model=majority_gamma, **GROWTH),
    "classifier": PartialClassificationForest(
        5, leaf_model=DecisionTreeClassifier(max_depth=1, random_state=0), **GROWTH
    ),
    "out of bag": RandomForestClassifier(9, oob_score=True, weighted_votes=True, random_state=0),
    "auto": RandomForestClassifier(40, min_samples_split="auto", oob_score=True, random_state=0),
    "auto blend": BlendedForestClassifier(9, min_samples_split="auto", random_state=0),
}
LAID_OUT = {**{name_of(estimator): estimator for estimator in ESTIMATORS}, **PLANES_AND_METRICS}
NAMED = {**LAID_OUT, **THREADED}
#: Fitted attributes beside the trees.
BESIDE = ("oob_decision_function_", "sensitivity_", "tree_weights_", "family_weights_")


def drawn(n=150, d=7, seed=0):
    """Numbers whose sums depend on the order in which they are added."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)).round(6)
    return X, (X[:, 0] / 1e-3 + rng.normal(size=n) > 0).astype(int) + (X[:, 1] > 0)


def outcome(estimator, X=None, new=None, *, within=False):
    """Bytes of all that a freshly fitted estimator says of new rows, and of the numbers within its trees."""
    train, y = drawn()
    fitted = clone(estimator).fit(train if X is None else X, y)
    new = drawn(1001, seed=1)[0] if new is None else new
    if not hasattr(fitted, "predict"):
        return np.asarray(fitted.transform(new), dtype=str).tobytes()
    content = fitted.predict_proba(new).tobytes() + np.ascontiguousarray(fitted.predict(new)).tobytes()
    if within:
        trees = [holds(fitted)] if hasattr(fitted, "decision_path") and hasattr(fitted, "n_jobs") else []
        beside = [getattr(fitted, name) for name in BESIDE if hasattr(fitted, name)]
        content += joblib.hash([trees, beside]).encode()
    return content


bits = functools.partial(outcome, within=True)


@pytest.fixture(scope="module")
def expected():
    return {name: bits(estimator) for name, estimator in NAMED.items()}


# Runs, threads, processes

BACKENDS = pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])


@each(ESTIMATORS)
def test_a_second_run_gives_the_same_bits(estimator, expected):
    assert bits(estimator) == expected[name_of(estimator)]


@pytest.mark.parametrize("name", [name for name, e in NAMED.items() if "n_jobs" in e.get_params()])
@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
@BACKENDS
def test_the_number_of_jobs_and_joblibs_backend_change_no_bit(name, n_jobs, backend, expected):
    threaded = clone(NAMED[name]).set_params(n_jobs=n_jobs)
    with parallel_config(backend=backend, n_jobs=2):
        assert bits(threaded) == expected[name]
        assert bits(clone(threaded).set_params(n_jobs=None)) == expected[name]


@BACKENDS
def test_estimators_at_work_at_the_same_time_change_no_bit(backend, expected):
    outcomes = Parallel(n_jobs=2, backend=backend)(delayed(bits)(e) for e in [*ESTIMATORS, *ESTIMATORS])
    assert outcomes == [expected[name_of(e)] for e in [*ESTIMATORS, *ESTIMATORS]]


# Layouts of memory


def memory_map(X, folder):
    path = folder / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def read_only(X, folder):
    X = X.copy(order="K")
    X.setflags(write=False)
    return X


LAYOUTS = {
    "C": lambda X, folder: np.ascontiguousarray(X),
    "F": lambda X, folder: np.asfortranarray(X),
    "strided": lambda X, folder: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "reversed": lambda X, folder: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "frame": lambda X, folder: pd.DataFrame(X),
    "frame of columns": lambda X, folder: pd.DataFrame({j: X[:, j].copy() for j in range(X.shape[1])}),
    "list": lambda X, folder: X.tolist(),
    "read-only": read_only,
    "read-only F": lambda X, folder: read_only(np.asfortranarray(X), folder),
    "memory map": memory_map,
    "big-endian": lambda X, folder: X.astype(">f8"),
}


@pytest.mark.parametrize("name", LAID_OUT)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_the_tables_changes_no_bit(name, layout, tmp_path, expected):
    X, new = drawn()[0], drawn(1001, seed=1)[0]
    laid_out = LAYOUTS[layout](X, tmp_path)
    assert bits(NAMED[name], X=laid_out) == expected[name], "in training"
    named = laid_out if layout.startswith("frame") else X
    new = LAYOUTS[layout](new, tmp_path)
    assert bits(NAMED[name], X=named, new=new) == expected[name], "in prediction"


def test_the_layout_of_missing_values_and_categories_changes_no_bit():
    X, y = drawn()
    X[:, 1] = np.arange(150) % 4
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    contents = set()
    for lay_out in (np.ascontiguousarray, np.asfortranarray, pd.DataFrame):
        forest = BlendedForestClassifier(7, categorical_features=[1], random_state=0).fit(lay_out(X), y)
        contents.add((joblib.hash(holds(forest)), forest.predict_proba(lay_out(X)).tobytes()))
    assert len(contents) == 1
