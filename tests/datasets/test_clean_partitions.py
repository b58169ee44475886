"""The plane of the PCF's source, and its generalisation to many dimensions."""

import numpy as np
import pytest

from studylib.datasets import clean_regions, make_clean_partitions, region_of


@pytest.mark.parametrize("d", [1, 2, 3, 10, 200])
def test_default_regions_are_disjoint_boxes_with_a_fifth_of_the_cube(d):
    regions = clean_regions(d)
    assert len(regions) == 5
    volumes = [np.prod(np.subtract(r.upper, r.lower)) for r in regions]
    assert volumes == pytest.approx([0.04] * 5)
    assert all(0 <= low < high <= 1 for r in regions for low, high in zip(r.lower, r.upper, strict=True))
    for before, after in zip(regions, regions[1:], strict=False):
        assert before.upper[0] <= after.lower[0]
    assert {r.label for r in regions} == {0, 1}


@pytest.mark.parametrize(("d", "relevant"), [(2, None), (2, 1), (20, 2), (20, 20)])
def test_points_in_a_region_have_its_label_and_the_others_are_random(d, relevant):
    X, y = make_clean_partitions(20_000, d, n_relevant=relevant, random_state=0)
    regions = clean_regions(relevant or d)
    region = region_of(X, regions)
    for k, r in enumerate(regions):
        assert set(y[region == k]) == {r.label}
    noise = y[region < 0]
    assert noise.mean() == pytest.approx(0.5, abs=4 * 0.5 / np.sqrt(len(noise)))
    assert (region >= 0).mean() == pytest.approx(0.2, abs=0.012)
    assert X.min() >= 0
    assert X.max() < 1


def test_region_of_agrees_with_a_loop():
    X, _ = make_clean_partitions(500, random_state=3)
    regions = clean_regions()
    for x, region in zip(X, region_of(X, regions), strict=True):
        inside = [
            k
            for k, r in enumerate(regions)
            if all(low <= v < high for v, low, high in zip(x, r.lower, r.upper, strict=True))
        ]
        assert inside == ([region] if region >= 0 else [])


def test_regions_of_ones_own_and_several_classes():
    regions = [([0.0, 0.0], [0.5, 0.5], 2), ([0.5], [1.0], 1)]
    X, y = make_clean_partitions(1000, 3, regions=regions, n_classes=3, random_state=0)
    assert set(y[X[:, 0] >= 0.5]) == {1}
    assert set(y[(X[:, :2] < 0.5).all(axis=1)]) == {2}
    assert set(y[(X[:, 0] < 0.5) & (X[:, 1] >= 0.5)]) == {0, 1, 2}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_samples": 0}, "n_samples must be an integer >= 1, got 0"),
        ({"n_features": 1.5}, "n_features must be an integer >= 1, got 1.5"),
        ({"n_relevant": 3}, "n_relevant must be at most n_features = 2, got 3"),
        ({"n_classes": 1}, "n_classes must be an integer >= 2, got 1"),
        ({"regions": [([0], [1])]}, "must be .lower, upper, label."),
        ({"regions": [([0.5], [0.5], 0)]}, "region 0 must have 1 to 2 lower bounds below as many upper"),
        ({"regions": [([0, 0, 0], [1, 1, 1], 0)]}, "region 0 must have 1 to 2 lower bounds"),
        ({"regions": [([0.0], [1.0], 2)]}, "the label of region 0 must be from 0 to 1, got 2"),
        ({"regions": [([0.0], [0.6], 0), ([0.5, 0.1], [1.0, 0.2], 1)]}, "regions 0 and 1 overlap"),
    ],
)
def test_bad_parameters_give_one_sentence(parameters, message):
    with pytest.raises(ValueError, match=f"make_clean_partitions: .*{message}"):
        make_clean_partitions(**parameters)
