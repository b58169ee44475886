"""The trees that a page grows are the library's, node for node, in a real headless browser."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from studylib.core.random import draw_states, next_uniform, spawn_states
from studylib.core.tree import LEAF
from studylib.datasets import make_clean_partitions
from studylib.graf import GuidedRandomForestClassifier
from studylib.pcf import PartialClassificationTree
from studylib.study.site._render import static
from studylib.trees import TreePredictor

pytestmark = pytest.mark.browser

N_DATA_SETS = 200


def data_set(seed):
    """Up to 300 points of two or three classes: clean and noisy, some with ties, duplicates or a constant."""
    rng = np.random.default_rng(seed)
    n, kind = int(rng.integers(2, 301)), seed % 5
    if kind == 0:
        X, y = make_moons(n, noise=rng.uniform(0, 0.6), random_state=seed)
    elif kind == 1:
        X, y = make_clean_partitions(n, random_state=seed)
    elif kind == 2:
        X, y = rng.integers(0, 6, (n, 2)).astype(float), rng.integers(0, 3, n)
    elif kind == 3:
        X = rng.uniform(-1, 1, (n, 2)) * [1e-3, 1e4]
        y = (np.hypot(X[:, 0] * 1e3, X[:, 1] * 1e-4) < 0.55).astype(int)
    else:
        X, y = np.column_stack([np.full(n, 0.1), rng.normal(size=n)]), rng.integers(0, 2, n)
    _, y = np.unique(y, return_inverse=True)
    return (X, y) if y.max() > 0 else (X, np.arange(n) % 2)


def as_json(X, y):
    return {"x": X.tolist(), "y": y.tolist(), "classes": int(y.max()) + 1}


@pytest.fixture(scope="module")
def grown(browser):
    """Grow a tree on many data sets at once: ``grown(kind, data sets, options of each)``."""
    page = browser.new_page()
    page.add_script_tag(content=str(static("grow.js")))
    code = """([kind, all, options]) => all.map((data, k) => Trees[kind](data, options[k]).map((node) => ({
      depth: node.depth, n: node.samples.length, counts: node.counts, label: node.label, first: node.first ?? -1,
      step: node.step ?? -1, feature: node.cut?.feature ?? -1, threshold: node.cut?.threshold ?? null,
      plane: node.cut?.plane ?? null, origin: node.cut?.origin ?? -1,
    })))"""
    yield lambda kind, sets, options: page.evaluate(code, [kind, [as_json(*data) for data in sets], options])
    page.close()


def column(nodes, name, missing=np.nan):
    return np.array([missing if node[name] is None else node[name] for node in nodes])


SETS = [data_set(seed) for seed in range(N_DATA_SETS)]


@pytest.mark.parametrize("criterion", ["information", "gini", "misclassification"])
def test_axis_parallel_trees_are_the_librarys(grown, criterion):
    depths = [None if seed % 3 else seed % 7 for seed in range(N_DATA_SETS)]
    options = [{"criterion": criterion} | ({} if d is None else {"maxDepth": d}) for d in depths]
    for (X, y), depth, nodes in zip(SETS, depths, grown("axis", SETS, options), strict=True):
        tree = TreePredictor(criterion, max_depth=depth).fit(X, y)
        assert len(nodes) == tree.n_nodes_
        for name, field in [("feature", "feature"), ("first", "first_child"), ("label", "label")]:
            assert column(nodes, name).tolist() == tree.nodes_[field].tolist()
        assert column(nodes, "depth").tolist() == tree.nodes_["depth"].tolist()
        assert [node["counts"] for node in nodes] == tree.class_counts_.tolist()
        np.testing.assert_array_equal(column(nodes, "threshold").astype(float), tree.nodes_["value"])


def test_partial_trees_are_the_librarys(grown):
    settings = [
        {
            "min_samples_leaf": 1 + seed % 8,
            "max_depth": 32 if seed % 3 else seed % 9,
            "max_loss": 0.1 * (seed % 2),
        }
        for seed in range(N_DATA_SETS)
    ]
    options = [
        {
            "state": str(spawn_states(seed, 1)[0, 0]),
            "minSamplesLeaf": s["min_samples_leaf"],
            "maxDepth": s["max_depth"],
            "maxLoss": s["max_loss"],
        }
        for seed, s in enumerate(settings)
    ]
    trees = grown("partial", SETS, options)
    for seed, ((X, y), chosen, nodes) in enumerate(zip(SETS, settings, trees, strict=True)):
        tree = PartialClassificationTree(**chosen, random_state=seed).fit(X, y)
        assert len(nodes) == len(tree.nodes_)
        assert column(nodes, "feature").tolist() == tree.nodes_["feature"].tolist()
        assert column(nodes, "first").tolist() == tree.nodes_["first_child"].tolist()
        assert column(nodes, "label", -1).tolist() == tree.nodes_["label"].tolist()
        assert column(nodes, "n").tolist() == tree.nodes_["n_samples"].tolist()
        np.testing.assert_array_equal(column(nodes, "threshold").astype(float), tree.nodes_["threshold"])


@pytest.mark.parametrize("hyperplane", ["guided", "box"])
def test_guided_trees_are_the_librarys(grown, hyperplane):
    least = [2 + 3 * (seed % 4 == 0) for seed in range(N_DATA_SETS)]
    options = [
        {"state": str(draw_states(seed, 1)[0, 0]), "hyperplane": hyperplane, "minSamplesSplit": least[seed]}
        for seed in range(N_DATA_SETS)
    ]
    trees = grown("guided", SETS, options)
    for seed, ((X, y), nodes) in enumerate(zip(SETS, trees, strict=True)):
        forest = GuidedRandomForestClassifier(
            1, hyperplane=hyperplane, max_features=2, min_samples_split=least[seed], random_state=seed
        ).fit(X, y)
        (tree,) = forest.estimators_
        inner = tree.nodes["plane"] >= 0
        assert len(nodes) == len(tree.nodes)
        assert column(nodes, "step")[inner].tolist() == tree.nodes["plane"][inner].tolist()
        assert column(nodes, "first").tolist() == tree._first_child().tolist()
        assert column(nodes, "n").tolist() == tree.n_samples.tolist()
        labels = column(nodes, "label")
        assert labels[~inner].tolist() == tree.labels()[~inner].tolist()
        planes = {node["step"]: node for node in nodes if node["first"] != LEAF}
        for k in range(len(tree.thresholds)):
            plane, features = planes[k]["plane"], tree.features[k if len(tree.features) > 1 else 0]
            used = tree.weights[k] != 0
            assert planes[k]["origin"] == tree.origins[k]
            weights = dict(zip(plane["features"], plane["weights"], strict=True))
            assert [weights.get(f, 0) for f in features[used]] == pytest.approx(
                tree.weights[k][used], rel=1e-9
            )
            assert plane["threshold"] == pytest.approx(tree.thresholds[k], rel=1e-9, abs=1e-12)


def test_draws_are_the_librarys(browser):
    page = browser.new_page()
    page.add_script_tag(content=str(static("grow.js")))
    state = spawn_states(3, 1)[0]
    drawn = page.evaluate(
        "state => { const u = Trees.uniforms(state); return Array.from({length: 1000}, () => u()); }",
        str(state[0]),
    )
    page.close()
    assert drawn == [next_uniform(state) for _ in range(1000)]
