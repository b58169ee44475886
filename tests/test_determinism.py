"""Equal bits: in every layout of memory, for any number of jobs, in threads and processes."""

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed, parallel_config
from sklearn.base import clone

from studylib.graf import GuidedRandomForestClassifier
from studylib.neighbors import KNeighborsClassifier
from tests.test_conventions import ESTIMATORS, each, having, name_of


def drawn(n=150, d=7, seed=0):
    """Numbers whose sums depend on the order in which they are added."""
    rng = np.random.default_rng(seed)
    X = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)).round(6)
    return X, (X[:, 0] / 1e-3 + rng.normal(size=n) > 0).astype(int) + (X[:, 1] > 0)


def outcome(estimator, X=None, new=None):
    """Bytes of all that a freshly fitted estimator says of new rows."""
    train, y = drawn()
    fitted = clone(estimator).fit(train if X is None else X, y)
    new = drawn(60, seed=1)[0] if new is None else new
    if not hasattr(fitted, "predict"):
        return np.asarray(fitted.transform(new), dtype=str).tobytes()
    return fitted.predict_proba(new).tobytes() + np.ascontiguousarray(fitted.predict(new)).tobytes()


@pytest.fixture(scope="module")
def expected():
    return {name_of(estimator): outcome(estimator) for estimator in ESTIMATORS}


# Runs, threads, processes

BACKENDS = pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])


@each(ESTIMATORS)
def test_a_second_run_gives_the_same_bits(estimator, expected):
    assert outcome(estimator) == expected[name_of(estimator)]


@each(having("n_jobs"))
@pytest.mark.parametrize("n_jobs", [1, 2, 3, -1])
@BACKENDS
def test_the_number_of_jobs_and_joblibs_backend_change_no_bit(estimator, n_jobs, backend, expected):
    own = clone(estimator).set_params(n_jobs=n_jobs)
    with parallel_config(backend=backend, n_jobs=2):
        assert outcome(own) == expected[name_of(estimator)]
        assert outcome(clone(estimator).set_params(n_jobs=None)) == expected[name_of(estimator)]


@BACKENDS
def test_estimators_at_work_at_the_same_time_change_no_bit(backend, expected):
    found = Parallel(n_jobs=2, backend=backend)(delayed(outcome)(e) for e in [*ESTIMATORS, *ESTIMATORS])
    assert found == [expected[name_of(e)] for e in [*ESTIMATORS, *ESTIMATORS]]


# Layouts of memory


def memory_map(X, folder):
    path = folder / "X.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def read_only(X, folder):
    X = X.copy()
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
    "memory map": memory_map,
    "big-endian": lambda X, folder: X.astype(">f8"),
}


@each(ESTIMATORS)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_of_the_tables_changes_no_bit(estimator, layout, tmp_path, expected):
    X, new = drawn()[0], drawn(60, seed=1)[0]
    laid_out = LAYOUTS[layout](X, tmp_path)
    assert outcome(estimator, X=laid_out) == expected[name_of(estimator)], "in training"
    named = laid_out if layout.startswith("frame") else X
    new = LAYOUTS[layout](new, tmp_path)
    assert outcome(estimator, X=named, new=new) == expected[name_of(estimator)], "in prediction"


VARIANTS = [
    *(
        GuidedRandomForestClassifier(5, hyperplane=kind, random_state=0)
        for kind in ("centred", "guided", "canonical")
    ),
    *(KNeighborsClassifier(metric=metric) for metric in ("mahalanobis", "full_mahalanobis")),
]


@pytest.mark.parametrize("layout", ["F", "strided", "frame of columns"])
@pytest.mark.parametrize(
    "estimator", VARIANTS, ids=lambda e: getattr(e, "hyperplane", getattr(e, "metric", None))
)
def test_the_layout_changes_no_bit_of_other_planes_and_metrics(estimator, layout, tmp_path):
    assert outcome(estimator, X=LAYOUTS[layout](drawn()[0], tmp_path)) == outcome(estimator)
