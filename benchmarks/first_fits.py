"""What a first fit takes: with no kernel compiled, after ``make env``, and from a wheel that carries kernels.

``python -m benchmarks.first_fits [python]`` prints processor seconds inside ``fit``, imports apart: the
medians of five fresh processes.  ``python`` is that of an environment in which such a wheel is installed.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from benchmarks.growth import FIRST_FITS, first_fit

_WARM_UP = Path(__file__).parents[1] / "tools/warm_up.py"


def warm_up(cache):
    """Compile into a cache as ``make env`` does; returns processor seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, _WARM_UP], env=os.environ | {"NUMBA_CACHE_DIR": cache}, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def first_fits(python=None, repeats=5):
    """Table of the medians, a row for each classifier."""
    rows = {}
    with tempfile.TemporaryDirectory() as folder:
        print(f"make env compiles for {warm_up(folder):.0f} processor seconds", flush=True)
        for name, (code, _) in FIRST_FITS.items():
            rows[name] = {"after make env": _median(repeats, code, NUMBA_CACHE_DIR=folder)}
            if python:
                plain = {"PYTHONPATH": "", "NUMBA_CACHE_DIR": "", "HOME": folder, "XDG_CACHE_HOME": ""}
                rows[name]["from a wheel"] = _median(repeats, code, python, **plain)
            print(name, rows[name], flush=True)
    for name, (code, _) in FIRST_FITS.items():
        rows[name]["nothing compiled"] = _median(repeats, code)
        print(name, rows[name], flush=True)
    return pd.DataFrame(rows).T


def _median(repeats, code, *python, **variables):
    seconds = []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as empty:
            seconds.append(first_fit(code, *python, **{"NUMBA_CACHE_DIR": empty} | variables)[2])
    return statistics.median(seconds)


if __name__ == "__main__":
    print(first_fits(*sys.argv[1:]).round(2))
