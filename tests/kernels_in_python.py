"""For ``make mutants``: whether kernels, as plain Python, give what they gave before one of them was altered.

``STUDYLIB_BEFORE`` names a file: the first call writes to it what the estimators in ``STUDYLIB_ESTIMATORS``
give, later calls compare.
"""

import json
import os
from pathlib import Path

import numba


def test_the_bits_are_those_of_before():
    numba.config.DISABLE_JIT = True
    from tests import pure_python

    with pure_python.as_python():
        found = pure_python.outcomes(os.environ["STUDYLIB_ESTIMATORS"].split())
    before = Path(os.environ["STUDYLIB_BEFORE"])
    if not before.exists():
        before.write_text(json.dumps(found))
    assert found
    assert found == json.loads(before.read_text())
