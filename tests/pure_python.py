"""The kernels as plain Python: ``NUMBA_DISABLE_JIT=1 python -m tests.pure_python`` prints what they give.

Some things work in compiled code only, and are made up for here: a record's fields as attributes, the count
of bits by one instruction, arrays without reference counts, and 64-bit arithmetic that wraps without a warning.
"""

import contextlib
import json
import sys
from unittest import mock

import numba
import numpy as np
from numba.core.extending import _Intrinsic
from sklearn.base import clone

from studylib.graf import GuidedRandomForestClassifier
from studylib.rules import apriori
from tests.conventions.registry import ESTIMATORS, name_of

#: What numba's own functions do, in plain Python.
TWINS = {
    "ones": lambda word: int(word).bit_count(),
    "lowest_bit": lambda word: (int(word) & -int(word)).bit_length() - 1,
    "without_refcount": lambda arrays: arrays,
}


def chosen():
    """All estimators, small ones, by name."""
    guided = (
        GuidedRandomForestClassifier(1, hyperplane=h, random_state=0)
        for h in ("centred", "guided", "canonical")
    )
    estimators = {name_of(estimator): clone(estimator) for estimator in ESTIMATORS}
    estimators |= {estimator.hyperplane: estimator for estimator in guided}
    for estimator in estimators.values():
        if "n_estimators" in estimator.get_params():
            estimator.set_params(n_estimators=2)
    return estimators


def outcomes():
    """What each estimator says of some rows, as text of its bytes, and the itemsets of a table."""
    rng = np.random.default_rng(0)
    X, new = rng.integers(0, 4, (40, 3)) / 4, rng.integers(0, 5, (15, 3)) / 4
    y = (X[:, 0] + X[:, 1] + rng.random(40) > 1).astype(int)
    by_name = {}
    for name, estimator in chosen().items():
        fitted = estimator.fit(X, y)
        if hasattr(fitted, "predict_proba"):
            by_name[name] = fitted.predict_proba(new).tobytes().hex() + fitted.predict(new).tobytes().hex()
        else:
            by_name[name] = np.asarray(fitted.transform(new), dtype=str).tobytes().hex()
    by_name["apriori"] = str(apriori(X > 0.3, min_support=0.1))
    return by_name


@contextlib.contextmanager
def as_python():
    """Make up for what works in compiled code only."""
    assert numba.config.DISABLE_JIT, "kernels are compiled; set NUMBA_DISABLE_JIT=1"

    def with_fields(make):
        def made(*words, **named):
            array = make(*words, **named)
            if array.dtype.names is None:
                return array
            records = np.recarray(array.shape, array.dtype)  # not a view: it can be shortened
            records[...] = array
            return records

        return made

    for module in [module for name, module in sys.modules.items() if name.startswith("studylib.")]:
        for name, value in vars(module).items():
            if isinstance(value, _Intrinsic):
                setattr(module, name, TWINS[name])
    fields = {name: with_fields(getattr(np, name)) for name in ("empty", "zeros")}
    with mock.patch.multiple(np, **fields), np.errstate(over="ignore"):
        yield


def main():
    """Print the outcomes as JSON."""
    with as_python():
        print(json.dumps(outcomes()))


if __name__ == "__main__":
    main()
