"""The lectures' tables against every number that the lectures print about them."""

from collections import Counter

import pandas as pd
import pytest
from sklearn.utils import Bunch

from studylib.datasets import load_golf, load_restaurant, load_weather
from studylib.trees import conditional_entropy, entropy, information_gain

LOADERS = {
    "restaurant": (load_restaurant, (12, 11), {"yes": 6, "no": 6}),
    "golf": (load_golf, (5, 4), {"yes": 3, "no": 2}),
    "weather": (load_weather, (14, 5), {"yes": 9, "no": 5}),
    "weather in numbers": (lambda: load_weather(numeric=True), (14, 5), {"yes": 9, "no": 5}),
}


@pytest.mark.parametrize("name", LOADERS)
def test_table_has_its_size_classes_and_parts(name):
    load, shape, classes = LOADERS[name]
    table = load()
    assert isinstance(table, Bunch)
    assert table.frame.shape == shape
    assert not table.frame.isna().any(axis=None)
    assert Counter(table.target) == classes
    pd.testing.assert_frame_equal(table.data.join(table.target), table.frame)
    assert table.feature_names == list(table.data)
    assert len(table.DESCR) > 100


def test_restaurant_has_six_boolean_and_four_other_attributes():
    kinds = Counter(map(str, load_restaurant().data.dtypes))
    assert kinds == {"bool": 6, "category": 4}


def test_restaurant_has_the_lectures_entropies():
    table = load_restaurant()
    gains = {name: information_gain(table.data[name], table.target) for name in table.data}
    assert entropy(table.target) == 1.0
    assert conditional_entropy(table.data["Patrons"], table.target) == pytest.approx(0.459, abs=5e-4)
    assert gains["Patrons"] == pytest.approx(0.541, abs=5e-4)
    assert conditional_entropy(table.data["Type"], table.target) == 1.0
    assert gains["Type"] == 0.0
    assert max(gains, key=gains.get) == "Patrons"
    assert sorted(gains.values())[-2] < 0.21


def test_golf_has_the_lectures_entropies():
    table = load_golf()
    assert entropy(table.target) == pytest.approx(0.971, abs=5e-4)
    assert information_gain(table.data["wind"], table.target) == entropy(table.target)
    assert information_gain(table.data["humidity"], table.target) == pytest.approx(0.02, abs=5e-4)
    assert information_gain(table.data["outlook"], table.target) == 0.0


def test_weather_has_quinlans_gains():
    table = load_weather()
    gains = [information_gain(table.data[name], table.target) for name in table.data]
    assert gains == pytest.approx([0.247, 0.029, 0.152, 0.048], abs=5e-4)


def test_categories_of_the_weather_are_ranges_of_its_numbers():
    nominal, numbers = load_weather().data, load_weather(numeric=True).data
    for column, order in (("temperature", ["cool", "mild", "hot"]), ("humidity", ["normal", "high"])):
        ranges = numbers[column].groupby(nominal[column], observed=True).agg(["min", "max"]).loc[order]
        assert (ranges["max"].to_numpy()[:-1] < ranges["min"].to_numpy()[1:]).all()


def test_numeric_must_be_true_or_false():
    with pytest.raises(ValueError, match="load_weather: numeric must be True or False, got 'yes'"):
        load_weather(numeric="yes")
