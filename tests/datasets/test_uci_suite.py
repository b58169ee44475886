"""The UCI suite as published: sizes, splits and scales of all sets."""

from types import SimpleNamespace

import numpy as np
import pytest

from studylib import datasets
from studylib.datasets import _uci_archive, load_uci_suite, uci_suite, uci_suite_names

ARCHIVE = datasets.data_dir() / _uci_archive.SUITE.path
needs_data = pytest.mark.skipif(
    not ARCHIVE.is_file(),
    reason=f"the UCI suite is not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)


@pytest.fixture(scope="module")
def suite():
    """All sets by name, from one reading of the archive."""
    sets = {}
    for entry, parts in _uci_archive.read(ARCHIVE, _uci_archive.entries().values()):
        assert _uci_archive.is_right(entry, parts), entry.name
        sets[entry.name] = entry, uci_suite._as_bunch(entry, parts)
    return sets


@pytest.mark.parametrize(
    "damage", [(), ("table", b"\tf1\tclas\n"), ("tuning", b"0\n"), ("folds", b"0\n" * 7)]
)
def test_a_set_needs_a_row_two_lines_of_tuning_and_eight_of_folds(damage):
    contents = {"table": b"\tf1\tclas\n1\t0.5\t0\n", "tuning": b"0\n" * 2, "folds": b"0\n" * 8}
    contents |= [damage] if damage else []
    assert (_uci_archive.parse(SimpleNamespace(files=list(contents)), contents) is None) == bool(damage)


# Names


def test_names_need_no_data(monkeypatch, tmp_path):
    monkeypatch.setenv(datasets.DATA_VARIABLE, str(tmp_path))
    names = uci_suite_names()
    assert isinstance(names, tuple)
    assert len(names) == len(set(names)) == 116
    assert list(names) == sorted(names)
    assert not set(names) & set(uci_suite._LEFT_OUT)
    assert len(names) + len(uci_suite._LEFT_OUT) == 121


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pendigit", r"got 'pendigit' \(close to 'pendigits'\)\.$"),
        ("adult", r"got 'adult' \(left out: no checksum of its table is known here\)\.$"),
    ],
)
def test_an_unknown_name_is_a_sentence(name, message):
    with pytest.raises(ValueError, match=rf"^load_uci_suite: name must be one of the 116 in .*, {message}"):
        load_uci_suite(name)


# All sets


@pytest.mark.slow
@needs_data
def test_all_sets_have_their_sizes_and_no_gap(suite):
    assert tuple(suite) == uci_suite_names()
    for name, (entry, bunch) in suite.items():
        assert bunch.data.shape == (entry.n_samples, entry.n_features), name
        assert bunch.data.dtype == np.float64
        assert np.isfinite(bunch.data).all(), name
        assert bunch.target.dtype == np.int64
        assert np.array_equal(np.unique(bunch.target), np.arange(entry.n_classes)), name
        assert len(bunch.feature_names) == entry.n_features
        assert name in bunch.DESCR
        assert "CC BY 4.0" in bunch.DESCR
        assert bunch.provenance["sha256"] == entry.sha256
        assert bunch.simulated is False
    assert min(e.n_samples for e, _ in suite.values()) == 10
    assert max(e.n_samples for e, _ in suite.values()) == 28_056


@needs_data
def test_test_files_are_kept_apart_and_their_scale_is_told(suite):
    two_files = [name for name, (entry, _) in suite.items() if entry.n_test_samples]
    assert len(two_files) == 17
    scales = {"": [], "train": [], "test": []}
    for name, (entry, bunch) in suite.items():
        tables = {"train": bunch.data}
        if name in two_files:
            tables["test"] = bunch.test_data
            assert bunch.test_data.shape == (entry.n_test_samples, entry.n_features), name
            assert np.isfinite(bunch.test_data).all(), name
            assert bunch.test_target.dtype == np.int64
            assert set(bunch.test_target) <= set(bunch.target), name
            scales[entry.raw].append(name)
        else:
            assert not {"test_data", "test_target"} & set(bunch), name
        for which, X in tables.items():
            deviation = X.std(axis=0, ddof=1)
            standardised = np.abs(X.mean(axis=0)) < 1e-4
            standardised &= (np.abs(deviation - 1) < 1e-4) | (deviation == 0)
            assert standardised.all() == (which != entry.raw), name
        assert ("not standardised" in bunch.DESCR) == bool(entry.raw), name
    assert scales["train"] == ["monks-1", "monks-2", "monks-3", "spectf"]
    assert scales["test"] == [
        "annealing", "hayes-roth", "hill-valley", "horse-colic", "image-segmentation", "soybean", "spect",
    ]  # fmt: skip


# One set, as a user loads it


@needs_data
def test_rows_and_splits_of_iris():
    bunch = load_uci_suite("iris")
    assert bunch.data[0].tolist() == [-0.897674, 1.02861, -1.33679, -1.30859]
    assert bunch.target.tolist() == [0] * 50 + [1] * 50 + [2] * 50
    assert bunch.feature_names == ["f1", "f2", "f3", "f4"]
    assert bunch.tuning_split[0][:4].tolist() == [46, 21, 13, 38]
    assert bunch.folds[0][0][:4].tolist() == [41, 9, 34, 22]
    bunch.data[:] = 0.0  # a caller's own copy
    assert load_uci_suite("iris").data[0, 0] == -0.897674
