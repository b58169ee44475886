"""A plugin of pytest for ``make mutants``: tests run with the kernels as plain Python, so nothing is compiled."""

import contextlib

import numba

numba.config.DISABLE_JIT = True  # before any kernel is imported
_until_the_end = contextlib.ExitStack()


def pytest_collection_finish():
    from tests import pure_python

    _until_the_end.enter_context(pure_python.as_python())


def pytest_unconfigure():
    _until_the_end.close()
