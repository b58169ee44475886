"""What tests of several files of the studies need."""

import pytest

from studylib.studies.mushrooms import published_trees, rows_and_columns


@pytest.fixture
def small(monkeypatch):
    """The first 600 simulated mushrooms instead of 60,000, for tasks that are not to take long."""
    for module in (published_trees, rows_and_columns):
        monkeypatch.setattr(module, "ROWS", 600)
    caches = published_trees.first_rows, published_trees._all_columns, published_trees._published_split
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()
