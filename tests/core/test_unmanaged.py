"""Arrays that kernels borrow: without counted references where numba's layout is known, else as usual."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numba import njit, typeof
from numba.core.datamodel import default_manager

from studylib.core import unmanaged


def make():
    @njit
    def total(a, pair):
        a, pair = unmanaged.without_refcount((a, pair))
        sum = 0.0
        for i in range(a.shape[0]):
            part = a[i : i + 2]
            sum += part[0] * pair[0][i] + pair[1][i]
        return sum

    return total


@pytest.mark.skipif(not hasattr(make(), "inspect_llvm"), reason="nothing is compiled")
@pytest.mark.parametrize("known", [True, False])
def test_references_are_counted_where_the_layout_is_unknown(monkeypatch, known):
    stripped = []
    null = unmanaged.cgutils.get_null_value
    watched = SimpleNamespace(get_null_value=lambda kind: stripped.append(kind) or null(kind))
    monkeypatch.setattr(unmanaged, "cgutils", watched)
    if not known:
        monkeypatch.setattr(unmanaged, "_MEMBERS", ("data", "owner"))
    a = np.arange(5.0)
    total, before = make(), sys.getrefcount(a)
    for _ in range(100):
        assert total(a, (a, a)) == sum(a * a + a)
    assert sys.getrefcount(a) == before
    assert (len(stripped) > 0) == known


def test_the_layout_of_this_numba_is_known():
    for array in (np.zeros(2), np.zeros((2, 3), np.int32).T, np.zeros(3, "i4,f8")):
        assert unmanaged.has_known_layout(default_manager[typeof(array)])
    assert not unmanaged.has_known_layout(default_manager[typeof((1, 2.0))])
