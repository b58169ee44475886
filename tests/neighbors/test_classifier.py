"""KNeighborsClassifier: against the oracle, against scikit-learn's, ties, exact hits, errors."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier as Peer

from studylib.neighbors import METRICS, KNeighborsClassifier
from tests.estimator_checks import parametrize_with_checks
from tests.naive import neighbors as naive

ALGORITHMS = ["kd_tree", "ball_tree", "brute"]


@parametrize_with_checks(
    [
        KNeighborsClassifier(),
        KNeighborsClassifier(3, metric="manhattan", weights="uniform"),
        KNeighborsClassifier(metric="maximum", algorithm="ball_tree"),
        KNeighborsClassifier(metric="mahalanobis", algorithm="brute"),
        KNeighborsClassifier(metric="full_mahalanobis"),
    ],
    expected_failed_checks=lambda estimator: (
        {
            "check_sample_weight_equivalence_on_dense_data": (
                "repeats samples, which are as many neighbours; a weight is that of one neighbour's vote"
            )
        }
        | (
            {"check_class_weight_classifiers": "of three neighbours too often none is of the heavy class"}
            if estimator.n_neighbors == 3
            else {}
        )
    ),
    xfail_strict=True,
)
def test_scikit_learns_estimator_checks(estimator, check):
    check(estimator)


# Small whole numbers: many ties and exact hits, and no rounding; with weights, and without


@settings(max_examples=200)
@given(
    rows=st.lists(st.tuples(*[st.integers(0, 3)] * 2), min_size=1, max_size=20),
    query=st.tuples(*[st.integers(-1, 4)] * 2),
    metric=st.sampled_from(list(naive.DISTANCES)),
    algorithm=st.sampled_from(ALGORITHMS),
    data=st.data(),
)
def test_neighbours_and_votes_equal_the_oracles_and_weight_zero_is_absence(
    rows, query, metric, algorithm, data
):
    n = len(rows)
    labels = data.draw(st.lists(st.sampled_from("abc"), min_size=n, max_size=n))
    factors = data.draw(st.none() | st.lists(st.integers(0, 4), min_size=n, max_size=n).filter(any))
    by_class = data.draw(st.sampled_from([{}, {}, {"a": 2, "b": 0.5}, {"a": 3, "b": 1, "c": 0.25}]))
    by_class = {label: weight for label, weight in by_class.items() if label in labels}
    used = [i for i in range(n) if factors is None or factors[i]]
    k = data.draw(st.integers(1, len(used)))
    whole = [Fraction(factors[i] if factors else 1) * Fraction(by_class.get(labels[i], 1)) for i in used]
    plain = naive.nearest([rows[i] for i in used], query, k, metric)
    for weights in ("inverse_square", "uniform"):
        model = KNeighborsClassifier(
            k, metric=metric, weights=weights, algorithm=algorithm, class_weight=by_class or None
        ).fit(np.array(rows), labels, sample_weight=factors)
        distances, nearest = model.kneighbors([query])
        assert nearest[0].tolist() == [used[i] for i, _ in plain]
        assert distances[0] == pytest.approx([float(squared) ** 0.5 for _, squared in plain], abs=0)
        votes = dict.fromkeys(sorted(set(labels)), Fraction(0)) | naive.votes(
            [rows[i] for i in used], [labels[i] for i in used], query, k, metric, weights, whole
        )
        total = sum(votes.values(), Fraction(0))
        assert model.predict_proba([query])[0] == pytest.approx([float(v / total) for v in votes.values()])
        best = [label for label in votes if votes[label] == max(votes.values())]
        assert model.predict([query])[0] in best
        if factors is None and not by_class and (weights == "uniform" or len({d for _, d in plain}) == 1):
            assert model.predict([query])[0] == best[0]  # nothing was rounded


def test_more_neighbours_than_samples_of_positive_weight_are_refused():
    with pytest.raises(ValueError, match="n_neighbors must be at most n_samples = 2, got 3"):
        KNeighborsClassifier(3).fit([[0.0], [1.0], [2.0]], [0, 1, 1], [1, 0, 1])


# Scikit-learn's, where nothing is tied

PEERS = {"euclidean": {}, "manhattan": {"metric": "manhattan"}, "maximum": {"metric": "chebyshev"}}


def peer_of(metric, weights, X):
    options = PEERS.get(metric)
    if metric == "mahalanobis":
        options = {"metric": "seuclidean", "metric_params": {"V": X.var(axis=0, ddof=1)}}
    elif metric == "full_mahalanobis":
        options = {"metric": "mahalanobis", "metric_params": {"VI": np.linalg.inv(np.cov(X.T))}}
    rule = (lambda d: 1 / d**2) if weights == "inverse_square" else "uniform"
    return Peer(7, weights=rule, algorithm="brute", **options)


@pytest.mark.parametrize("weights", ["inverse_square", "uniform"])
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("load", [load_iris, load_wine], ids=["iris", "wine"])
def test_predictions_equal_scikit_learns(load, metric, weights):
    X, y = load(return_X_y=True)
    X = X + np.random.default_rng(0).normal(0, 1e-4, X.shape)  # no two distances are equal
    X, X_test, y, y_test = train_test_split(X, y, random_state=0)
    ours = KNeighborsClassifier(7, metric=metric, weights=weights).fit(X, y)
    peer = peer_of(metric, weights, X).fit(X, y)
    d, rows = ours.kneighbors(X_test)
    d_peer, rows_peer = peer.kneighbors(X_test)
    assert np.array_equal(rows, rows_peer)
    np.testing.assert_allclose(d, d_peer, rtol=1e-6)
    np.testing.assert_allclose(ours.predict_proba(X_test), peer.predict_proba(X_test), rtol=1e-6)
    assert np.array_equal(ours.predict(X_test), peer.predict(X_test))


@pytest.mark.parametrize("metric", METRICS)
def test_bits_are_the_same_for_every_index_and_batch(metric, monkeypatch):
    X, y = load_digits(return_X_y=True)  # 64 whole numbers, three of them constant; with ties
    X, new, y, _ = train_test_split(X, y, test_size=200, random_state=0)
    models = [KNeighborsClassifier(9, metric=metric, algorithm=a).fit(X, y) for a in ALGORITHMS]
    first, *others = [(*m.kneighbors(new), m.predict_proba(new)) for m in models]
    monkeypatch.setattr("studylib.neighbors._search._AT_ONCE", 10_000)
    others.append((*models[0].kneighbors(new), models[0].predict_proba(new)))
    for other in others:
        assert [part.tobytes() for part in other] == [part.tobytes() for part in first]


# Ties and exact hits


def test_of_equal_distances_the_lowest_row_is_the_nearer():
    X = np.ones((50, 2))
    model = KNeighborsClassifier(3, algorithm="kd_tree").fit(X, np.arange(50) % 2)
    assert model.kneighbors([[0.0, 0.0], [1.0, 1.0]])[1].tolist() == [[0, 1, 2]] * 2


@pytest.mark.parametrize("metric", ["euclidean", "mahalanobis", "full_mahalanobis"])
def test_a_training_sample_is_an_exact_hit_of_itself(metric):
    X, y = load_wine(return_X_y=True)  # |x|² up to 3e6: scikit-learn's search by brute force rounds
    model = KNeighborsClassifier(5, metric=metric, algorithm="brute").fit(X, y)
    distances, rows = model.kneighbors(X[:20])
    assert not distances[:, 0].any()
    assert rows[:, 0].tolist() == list(range(20))
    assert model.score(X, y) == 1.0


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e150])
def test_weights_neither_overflow_nor_vanish(scale):
    X = np.array([[1.0], [2.0]]) * scale
    shares = KNeighborsClassifier(2, metric="manhattan").fit(X, ["a", "b"]).predict_proba([[0.0]])
    assert shares[0] == pytest.approx([0.8, 0.2])


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scale", [1.0, 1e-160, 1e-300])
def test_numbers_of_any_size_where_numpy_raises(scale, metric):
    X = np.random.default_rng(0).normal(size=(60, 3)) * scale
    y, model = X[:, 0] > 0, KNeighborsClassifier(3, metric=metric)

    def outcome():
        try:
            return model.fit(X[:40], y[:40]).predict_proba(X).tolist()
        except ValueError as error:
            return str(error)

    expected = outcome()
    with np.errstate(all="raise"):
        assert outcome() == expected


# Mahalanobis


def test_what_does_not_vary_is_ignored():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)) * [1.0, 1e6, 1e-6]
    y = (X[:, 0] > 0).astype(int)
    constant = np.column_stack([X, np.full(60, 0.1)])
    twice = np.column_stack([X, X[:, 0] + X[:, 1] * 1e-6])
    new = rng.normal(size=(20, 3)) * [1.0, 1e6, 1e-6]
    for metric, wider, further in (
        ("mahalanobis", constant, np.full(20, 7.0)),
        ("full_mahalanobis", constant, np.full(20, 7.0)),
        ("full_mahalanobis", twice, new[:, 0] + new[:, 1] * 1e-6),
    ):
        plain = KNeighborsClassifier(metric=metric).fit(X, y).kneighbors(new)
        neighbours = (
            KNeighborsClassifier(metric=metric).fit(wider, y).kneighbors(np.column_stack([new, further]))
        )
        assert np.array_equal(neighbours[1], plain[1])
        np.testing.assert_allclose(neighbours[0], plain[0], rtol=1e-6)


def test_one_sample_answers_for_all_metrics():
    for metric in METRICS:
        assert KNeighborsClassifier(1, metric=metric).fit([[1.0, 2.0]], ["a"]).predict([[5.0, 5.0]]) == ["a"]


# Parameters


def test_kneighbors_takes_a_number_of_its_own():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifier().fit(X, y)
    assert model.kneighbors(X[:4], 9)[0].shape == (4, 9)
    with pytest.raises(ValueError, match="n_neighbors must be at most n_samples = 150, got 200"):
        model.kneighbors(X, 200)


@pytest.mark.parametrize("metric", ["mahalanobis", "full_mahalanobis"])
def test_numbers_whose_squares_vanish_have_no_standard_deviation(metric):
    X = np.array([[0.0], [1e-200], [2e-200]])
    with pytest.raises(ValueError, match=r"^KNeighborsClassifier: X holds numbers too close together"):
        KNeighborsClassifier(1, metric=metric).fit(X, [0, 1, 0])
