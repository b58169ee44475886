"""Write src/studylib/datasets/uci_suite.csv, sizes and checksums of the UCI suite, from the local archive.

Needed only if the authors change their archive: the loader accepts what this writes.
"""

import csv
import sys
import tarfile

import numpy as np

from studylib.datasets import _uci_archive, data_dir


def is_standardised(table):
    """Whether all features have mean 0 and deviation 1 (or 0), to the six digits that the files give."""
    deviation = table[:, :-1].std(axis=0, ddof=1)
    centred = np.abs(table[:, :-1].mean(axis=0)) < 1e-4
    return bool((centred & ((np.abs(deviation - 1) < 1e-4) | (deviation == 0))).all())


def described(name, with_test, archive):
    """The row of a set, or None if the archive lacks one of its files."""
    entry = _uci_archive.Entry(name, 0, 0, 0, int(with_test), "", "")
    try:
        with archive.open("rb") as file:
            [(_, contents)] = _uci_archive.collect(file, [entry])
    except LookupError:
        return None
    parts = _uci_archive.parse(entry, contents)
    table, test = parts[0], parts[3:]
    raw = [kind for kind, t in zip(("train", "test"), (table, *test), strict=False) if not is_standardised(t)]
    assert len(raw) == 0 or len(raw) == len(test) == 1, name
    n_test = len(test[0]) if test else 0
    n, d = table.shape
    return name, n, d - 1, len(np.unique(table[:, -1])), n_test, "".join(raw), _uci_archive.checksum(parts)


def main():
    """Describe every folder of the archive."""
    archive = data_dir() / _uci_archive.SUITE.path
    with tarfile.open(archive) as tar:
        files = {tuple(m.name.split("/")[-2:]) for m in tar if m.isfile()}
    rows = []
    for name in sorted({folder for folder, _ in files}):
        row = described(name, (name, f"{name}_test_R.dat") in files, archive)
        if row is None:
            print(f"{name}: incomplete, left out", file=sys.stderr)
        else:
            rows.append(row)
    with _uci_archive.TABLE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["name", "samples", "features", "classes", "test_samples", "raw", "sha256"])
        writer.writerows(rows)


if __name__ == "__main__":
    main()
