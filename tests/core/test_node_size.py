"""What trees would have said with a larger ``min_samples_split``, and its scores: against a slow oracle."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from studylib.core.node_size import N_TREES, SIZES, CutBack
from studylib.trees import RandomForestClassifier, TreePredictor
from tests.naive import node_size as naive


def table(n, n_classes, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).round(1)
    y = np.where(rng.random(n) < 0.5, rng.integers(0, n_classes, n), (X[:, 0] > 0) * 1)
    return X, y


def paths_of(tree, X):
    shares = tree.class_counts_ / tree.class_counts_.sum(axis=1, keepdims=True)
    passed = tree.decision_path(X)
    return [[(int(tree.nodes_["n_samples"][k]), shares[k].tolist()) for k in row.indices] for row in passed]


@settings(max_examples=25, deadline=None)
@given(st.integers(12, 80), st.integers(2, 4), st.integers(2, 6), st.integers(0, 10**6))
def test_scores_are_those_of_the_oracle(n, n_classes, n_trees, seed):
    X, y = table(n, n_classes, seed)
    forest = RandomForestClassifier(n_trees, random_state=seed).fit(X, y)
    probes = table(15, n_classes, seed + 1)[0]
    rng = np.random.default_rng(seed)
    truth = np.eye(len(forest.classes_), dtype=bool)[rng.integers(0, len(forest.classes_), 15)]
    weight, asked = rng.random(15) * 3, rng.random((n_trees, 15)) < 0.7
    answers, paths = CutBack(SIZES, 15, len(forest.classes_)), [[] for _ in range(15)]
    for tree, some in zip(forest, asked, strict=True):
        some = np.flatnonzero(some)
        answers.add(tree, tree.apply(probes[some]), some)
        for i, path in zip(some, paths_of(tree, probes[some]), strict=True):
            paths[i].append(path)
    assert answers.n_trees.tolist() == [len(of_row) for of_row in paths]
    expected = [naive.scores(paths, truth.astype(float), weight, m, N_TREES) for m in SIZES]
    np.testing.assert_allclose(answers.errors(truth, weight).T, expected, rtol=1e-9, atol=1e-9)


def test_a_tree_that_is_read_as_if_cut_back_is_the_tree_that_is_grown_so():
    X, y = table(300, 3, 0)
    probes, truth = table(100, 3, 1)[0], np.eye(3, dtype=bool)[np.arange(100) % 3]
    pure, answers = TreePredictor("gini").fit(X, y), CutBack(SIZES, 100, 3)
    for _ in range(2):
        answers.add(pure, pure.apply(probes), np.arange(100))
    errors, _ = answers.errors(truth, np.ones(100))
    for m, error in zip(SIZES, errors, strict=True):
        shares = TreePredictor("gini", min_samples_split=m).fit(X, y).predict_proba(probes)
        assert error == pytest.approx(((shares - truth) ** 2).sum())
    assert len(set(errors.round(9))) > 4


def test_samples_that_no_two_trees_answer_for_do_not_count():
    X, y = table(60, 2, 3)
    tree, answers = TreePredictor("gini").fit(X, y), CutBack(SIZES, 60, 2)
    answers.add(tree, tree.apply(X), np.arange(60))
    assert not answers.errors(np.eye(2, dtype=bool)[y], np.ones(60)).any()
