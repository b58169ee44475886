"""Axis-parallel trees over coded columns against slow, obvious ones."""

import numpy as np
import pytest

from studylib.blend._axis import grow_axis, make_workspace
from studylib.blend._binned_split import MISSING_CODE
from studylib.core.tree import LEAF
from tests.naive import axis as naive
from tests.naive.splitmix64 import Stream

pytestmark = pytest.mark.slow


def table(seed, n, d, n_classes, n_codes):
    """Codes with missing ones, columns that are tested by equality, a constant column, labels that depend."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_codes, (d, n)).astype(np.uint8)
    codes[rng.random((d, n)) < 0.15] = MISSING_CODE
    codes[0] = 7
    if d > 2:
        codes[1] = np.where(rng.random(n) < 0.5, MISSING_CODE, 3)
    equal = rng.random(d) < 0.4
    labels = (codes[-1].astype(int) + (codes[d // 2] == MISSING_CODE) + rng.integers(0, 2, n)) % n_classes
    return codes, equal, labels.astype(np.int32)


def grow(codes, equal, labels, n_features, least, seed, times=None):
    workspace = make_workspace(len(labels), len(codes), labels.max() + 1)
    bag = () if times is None else (times,)
    return grow_axis(codes, equal, labels, n_features, least, np.array([seed], np.uint64), workspace, *bag)


def bags(seed, n):
    """A bag that the tree draws, all rows, and rows of unequal weights."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 4, n) + 0.25
    yield from (None, np.ones(n, np.int64), rng.multinomial(n, weights / weights.sum()))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("bag", range(3))
@pytest.mark.parametrize(("n", "n_codes"), [(1, 3), (15, 3), (60, 4), (60, 200)])
def test_a_tree_is_the_naive_one(seed, bag, n, n_codes):
    n_classes, d = 2 + seed % 4, 1 + seed % 6
    codes, equal, labels = table(seed, n, d, n_classes, n_codes)
    n_features, least = 1 + seed % d, 2 + seed % 3
    times = list(bags(seed, n))[bag]
    nodes, counts = grow(codes, equal, labels, n_features, least, seed, times)
    y = labels.tolist()
    expected = naive.grow(codes.tolist(), equal.tolist(), y, n_features, least, Stream(seed), times)
    assert len(nodes) == len(expected)
    n_impure = 0
    for node, other in zip(nodes, expected, strict=True):
        classes = [y[i] for i in other["rows"]]
        assert node["n_samples"] == len(classes)
        if "cut" in other:
            feature, kind, code, missing_right = other["cut"]
            assert (node["feature"], node["code"], node["equal"]) == (feature, code, kind == "equal")
            assert node["missing_right"] == missing_right
            assert node["first_child"] == other["children"]
            if kind == "threshold":
                above = [c for c in codes[feature][other["rows"]] if c > code and c != MISSING_CODE]
                assert node["next_code"] == (min(above) if above else MISSING_CODE)
        elif len(set(classes)) == 1:
            assert (node["feature"], node["first_child"], node["label"]) == (LEAF, LEAF, classes[0])
        else:
            assert node["feature"] == LEAF
            assert counts[node["first_child"]].tolist() == [classes.count(c) for c in range(max(y) + 1)]
            n_impure += 1
    assert n_impure == len(counts)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_large_nodes_are_judged_by_strided_samples(n_classes):
    codes, equal, labels = table(1, 1500, 4, n_classes, 40)
    nodes, _ = grow(codes, equal, labels, 2, 300, 5)
    expected = naive.grow(codes.tolist(), equal.tolist(), labels.tolist(), 2, 300, Stream(5))
    assert [n["rows"] for n in expected if len(n["rows"]) > 512]
    assert nodes["n_samples"].tolist() == [len(n["rows"]) for n in expected]
    assert nodes["feature"].tolist() == [n.get("cut", (LEAF,))[0] for n in expected]


def test_the_trees_of_separable_data_are_pure():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 250, (5, 2000)).astype(np.uint8)
    labels = ((codes[0] > 100) + (codes[1] > 50)).astype(np.int32)
    nodes, counts = grow(codes, np.zeros(5, bool), labels, 2, 2, 3)
    assert len(counts) == 0
    leaves = nodes[nodes["feature"] == LEAF]
    assert leaves["n_samples"].sum() == 2000
