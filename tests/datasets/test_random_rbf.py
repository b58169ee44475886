"""RandomRBF: Weka's own files, an oracle that counts with exact integers, and what follows from the draws."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib import datasets
from studylib.datasets import make_random_rbf, random_rbf_centroids
from tests.naive.random_rbf import JavaRandom, random_rbf

FOLDER = datasets.data_dir() / "weka_random_rbf"
WEKA_FILES = [f"rbf_c{c}_k{k}.arff.gz" for c in (2, 5) for k in (10, 20, 50)]


def weka(name):
    """A file that Weka wrote: its parameters, the centroids of its header, X and y."""
    path = FOLDER / name
    if not path.is_file():
        pytest.skip(f"{name} is not in {FOLDER} (set {datasets.DATA_VARIABLE})")
    header, rows = gzip.decompress(path.read_bytes()).decode().split("@data")
    options = {key: int(value) for key, value in re.findall(r"-([SnacC]) (\d+)", header)}
    centroids = [
        np.array([c.split(",") for c in re.findall(r"^% \d+\.: (.+)$", header, re.MULTILINE)], float)
    ]
    for what, kind in (("Classes", int), ("Weights", float), ("StdDevs", float)):
        centroids.append(np.array(re.search(rf"centroid{what}: (.+)", header)[1].split(","), kind))
    assert f"{{{','.join(f'c{c}' for c in range(options['c']))}}}" in header
    cells = [row.split(",") for row in rows.split()]
    return options, centroids, np.array([r[:-1] for r in cells], float), [int(r[-1][1:]) for r in cells]


@pytest.mark.parametrize("name", WEKA_FILES)
def test_every_row_and_centroid_of_wekas_files(name):
    options, centroids, X_weka, y_weka = weka(name)
    model = [options[key] for key in "acCS"]
    for ours, theirs in zip(random_rbf_centroids(*model), centroids, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    X, y = make_random_rbf(options["n"], *model)
    assert X.shape == X_weka.shape == (10_000, 10)
    assert np.abs(X - X_weka).max() <= 5e-7  # half of the sixth decimal, where Weka's files end
    np.testing.assert_array_equal(y, y_weka)


SEEDS = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(-5, 5))
# powers of two, a bound that refuses every second number, the largest
CLASSES = st.one_of(st.integers(1, 12), st.sampled_from([2**16, 2**30, 2**30 + 1, 2**31 - 1]))


@given(st.integers(1, 40), st.integers(1, 12), CLASSES, st.integers(1, 60), SEEDS)
def test_the_oracle_draws_the_same_numbers(n_samples, n_features, n_classes, n_centroids, seed):
    X, y = make_random_rbf(n_samples, n_features, n_classes, n_centroids, seed)
    X_naive, y_naive, centroids = random_rbf(n_samples, n_features, n_classes, n_centroids, seed)
    np.testing.assert_array_equal(X, X_naive)
    np.testing.assert_array_equal(y, y_naive)
    model = random_rbf_centroids(n_features, n_classes, n_centroids, seed)
    for ours, theirs in zip(model, zip(*centroids, strict=True), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_types_defaults_and_integers_of_numpy():
    X, y = make_random_rbf()
    assert (X.shape, X.dtype, y.shape, y.dtype) == ((100, 10), np.float64, (100,), np.int64)
    assert set(y) == {0, 1}
    again = make_random_rbf(np.int32(100), np.int64(10), np.uint8(2), np.int16(50), np.int64(1))
    np.testing.assert_array_equal(X, again[0])
    assert not np.array_equal(X, make_random_rbf(seed=2)[0])


def test_the_oracles_generator_gives_javas_numbers():
    """Values that the documentation of Java fixes: seed 42 is the usual example."""
    random = JavaRandom(42)
    assert [random.integer(10) for _ in range(5)] == [0, 3, 8, 4, 0]
    assert JavaRandom(42).double() == 0.7275636800328681
    assert JavaRandom(42).gaussian() == pytest.approx(1.1419053154730547, rel=1e-15)


@pytest.mark.parametrize("name", ["n_samples", "n_features", "n_classes", "n_centroids"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "2", None, True, 2**31])
def test_counts_are_checked(name, value):
    message = rf"make_random_rbf: {name} must be an integer from 1 to 2147483647, got {value!r}\."
    with pytest.raises(ValueError, match=message):
        make_random_rbf(**{name: value})


@pytest.mark.parametrize("seed", [2**63, -(2**63) - 1, 1.5, None, "1"])
def test_seeds_are_checked(seed):
    message = r"random_rbf_centroids: seed must be an integer from -9\d+ to 9\d+, got"
    with pytest.raises(ValueError, match=message):
        random_rbf_centroids(seed=seed)
