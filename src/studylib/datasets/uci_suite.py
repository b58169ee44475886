"""The UCI suite of Fernández-Delgado et al. (JMLR 15, 2014, 3133-3181), with the authors' own splits."""

import numpy as np
from sklearn.utils import Bunch

from studylib.core.data import DataChangedError
from studylib.datasets import _tables, _uci_archive
from studylib.datasets._uci_archive import entries

#: Sets of the suite without a checksum here: the copy that the others were taken from lacks their tables.
_LEFT_OUT = ("adult", "connect-4", "miniboone", "musk-2", "statlog-shuttle")


def uci_suite_names():
    """Names of the sets that :func:`load_uci_suite` loads, in alphabetical order.

    Returns
    -------
    tuple of str
        116 of the suite's 121 names; adult, connect-4, miniboone, musk-2 and statlog-shuttle are left out.
    """
    return tuple(entries())


def load_uci_suite(name):
    """A data set of the UCI suite, with the splits that its authors published.

    Parameters
    ----------
    name : str
        One of :func:`uci_suite_names`.

    Returns
    -------
    Bunch
        ``data``: float64, (n_samples, n_features); the authors encoded categories as numbers, filled missing
        values and standardised (mean 0, deviation 1 with n - 1) all files except those that ``DESCR`` names.
        ``target``: int64, from 0.
        ``feature_names``: ``"f1"``, ``"f2"``, …, as in the archive.
        ``tuning_split``: ``(train, test)``, row numbers of two halves, nearly stratified.
        ``folds``: four pairs ``(train, test)`` of row numbers.  Each pair is a partition of the rows, three
        quarters and one, nearly stratified.  But the four were drawn independently: they are repeated
        holdouts, not a cross-validation, and a third of the rows is in no test part.
        ``test_data``, ``test_target``: the separate test file, where a set has one (17 do); the splits
        number the rows of the training file only.
        ``DESCR``, ``provenance``, ``simulated`` (False).

    Raises
    ------
    ValueError
        If there is no set of that name.
    DataNotAvailableError
        If the archive is not in the data directory and cannot be downloaded.
    DataChangedError
        If the archive cannot be read, or the set in it is not the published one.
    """
    entry = _entry(name)
    path = _uci_archive.find()
    [(_, parts)] = _uci_archive.read(path, [entry])
    if not _uci_archive.is_right(entry, parts):
        raise DataChangedError(f"{path}: the set {name} has been altered; {_uci_archive.remedy()}.")
    return _as_bunch(entry, parts)


def _as_bunch(entry, parts):
    table, tuning, folds, *test = parts
    bunch = Bunch(
        data=np.ascontiguousarray(table[:, :-1]),
        target=table[:, -1].astype(np.int64),
        feature_names=[f"f{j + 1}" for j in range(entry.n_features)],
        tuning_split=tuple(tuning),
        folds=list(zip(folds[::2], folds[1::2], strict=True)),
        DESCR=_description(entry),
        simulated=False,
        provenance={
            "file": _uci_archive.SUITE.path,
            "sha256": entry.sha256,
            "origin": _uci_archive.URL,
        },
    )
    if test:
        bunch.test_data = np.ascontiguousarray(test[0][:, :-1])
        bunch.test_target = test[0][:, -1].astype(np.int64)
    return bunch


def _entry(name):
    """The set called ``name``; ValueError with the nearest names if it does not exist."""
    left_out = isinstance(name, str) and name in _LEFT_OUT
    note = " (left out: no checksum of its table is known here)" if left_out else ""
    return _tables.pick("load_uci_suite", entries(), "uci_suite_names", name, note)


def _description(entry):
    """Sizes, origin, licence, and any peculiarity of the test file."""
    text = (
        f"{entry.name}: {entry.n_samples} rows, {entry.n_features} features, {entry.n_classes} classes. From "
        "the UCI Machine Learning Repository (CC BY 4.0), as M. Fernández-Delgado, E. Cernadas, S. Barro and "
        "D. Amorim prepared it: Do we need hundreds of classifiers to solve real world classification "
        "problems? JMLR 15 (2014), 3133-3181."
    )
    if entry.n_test_samples:
        text += f" A separate test file has {entry.n_test_samples} rows; "
        if entry.raw:
            raw, other = ("training", "test") if entry.raw == "train" else ("test", "training")
            text += (
                f"the features of the {raw} file are not standardised and those of the {other} file are, so "
                "that a model trained on one cannot be evaluated on the other as it is."
            )
        else:
            text += "its features are standardised by its own means and deviations."
    return text
