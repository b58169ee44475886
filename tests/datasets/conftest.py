"""Fixtures of the download tests: a data folder of their own, and a server that fails on demand."""

from tests.datasets.download_support import folder, serve, study_of  # noqa: F401
