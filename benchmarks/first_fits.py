"""What a first fit takes: with no kernel compiled, with kernels kept on disk, and from a wheel that has them.

``python -m benchmarks.first_fits [python]`` prints medians of five.  ``python`` is that of an environment in
which a wheel of ``make wheel`` is installed.
"""

import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

from benchmarks.growth import judged

#: What a user writes first, and the target in seconds.
FIRST_FITS = {
    "PCF": (
        "from studylib.pcf import PartialClassificationForest; E = lambda: PartialClassificationForest(2)",
        3.0,
    ),
    "tree": ("from studylib.trees import TreePredictor as E", 4.0),
    "GRAF, box": (
        "from studylib.graf import GuidedRandomForestClassifier; E = lambda: GuidedRandomForestClassifier(2)",
        6.0,
    ),
    "GRAF, guided": (
        "from studylib.graf import GuidedRandomForestClassifier\n"
        "E = lambda: GuidedRandomForestClassifier(2, hyperplane='guided')",
        6.0,
    ),
    "random forest": (
        "from studylib.trees import RandomForestClassifier; E = lambda: RandomForestClassifier(2)",
        np.nan,
    ),
    "blend": (
        "from studylib.blend import BlendedForestClassifier; E = lambda: BlendedForestClassifier(2)",
        np.nan,
    ),
}
_FIRST = """
import time
import numpy as np
from numba.core import event
spent, since = [], []

class Watch(event.Listener):
    def on_start(self, event):
        since.append(time.process_time())

    def on_end(self, event):
        spent.append(time.process_time() - since.pop())

event.register("numba:llvm_lock", Watch())
{code}
X = np.random.default_rng(0).normal(size=(200, 4)); y = (X[:, 0] > 0).astype(int)
start = time.process_time(); E().fit(X, y).predict(X); print(time.process_time() - start, sum(spent))
"""


def first_fits(n_fits=None, repeats=1, python=None):
    """Processor seconds of a first fit and prediction in fresh processes, imports apart.

    Parameters
    ----------
    n_fits : int or None
        Of the first ``n_fits`` of ``FIRST_FITS``, or all.
    repeats : int
        Processes of which the median is given.
    python : path or None
        Of an environment in which a wheel with kernels is installed.

    Returns
    -------
    DataFrame
        Columns "compiling", with an empty cache of kernels, "of it LLVM", "loading", with a full one, "from a
        wheel", "target" and "reached".
    """
    rows = {}
    for name, (code, target) in list(FIRST_FITS.items())[:n_fits]:
        seconds = [_one_of_each(code, python) for _ in range(repeats)]
        rows[name] = pd.DataFrame(seconds).median().to_dict() | {"target": target}
    return judged(pd.DataFrame(rows).T, "compiling")


def _one_of_each(code, python):
    with tempfile.TemporaryDirectory() as cache:
        (compiling, llvm), (loading, _) = [_seconds(code, NUMBA_CACHE_DIR=cache) for _ in range(2)]
        seconds = {"compiling": compiling, "of it LLVM": llvm, "loading": loading}
        if python:
            plain = {"PYTHONPATH": "", "NUMBA_CACHE_DIR": "", "HOME": cache, "XDG_CACHE_HOME": ""}
            seconds["from a wheel"] = _seconds(code, python, **plain)[0]
    return seconds


def _seconds(code, python=sys.executable, **variables):
    """Processor seconds of a fit and a prediction in a fresh process, and of LLVM's part."""
    environment = os.environ | {"NUMBA_NUM_THREADS": "1", "STUDYLIB_RUN": "1"} | variables
    call = [python, "-P", "-c", _FIRST.format(code=code)]
    printed = subprocess.run(call, env=environment, check=True, capture_output=True, text=True).stdout
    return [float(word) for word in printed.split()]


if __name__ == "__main__":
    print(first_fits(None, 5, *sys.argv[1:]).round(2))
