"""Compiled kernels do what their lines say: the same bits come from them as plain Python."""

import json
import os
import subprocess
import sys

import pytest

from tests.pure_python import outcomes

pytestmark = pytest.mark.slow


def test_compiled_kernels_give_the_bits_of_plain_python():
    done = subprocess.run(
        [sys.executable, "-m", "tests.pure_python"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    plain, compiled = json.loads(done.stdout), outcomes()
    assert plain.keys() == compiled.keys()
    assert not [name for name in plain if plain[name] != compiled[name]]
