"""What tests of the blend's families share."""

from types import SimpleNamespace

import numpy as np

from studylib.core.frames import ColumnNames


def family_of(kind, X, n_categories, n_classes=3, weight=None):
    """A family on rows that were read from a table with so many codes in each column."""
    table = SimpleNamespace(n_categories=np.asarray(n_categories), column_names=ColumnNames(None, X.shape[1]))
    return kind(X, table, np.arange(n_classes), weight)
