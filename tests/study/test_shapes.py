"""What a table from a file may hold: which values fit a shape, and its name in an error."""

import pytest

from studylib.study.shapes import Maybe, fits, shape_in_words

TABLE = {"name": str, "n": Maybe(int), "inner": Maybe({...: [float]})}


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("a", str), (1, int), (1, float), (0.5, float), (True, bool), (True, object), (None, object), ([], [str]),
        (["a", "b"], [str]), ("rising", ("rising", "falling")), ({"a": 1}, dict), ({}, {...: str}),
        ({"name": "a"}, TABLE), ({"name": "a", "other": None}, TABLE), ({"name": "a", "inner": {"x": [1, 0.5]}}, TABLE),
    ],
)  # fmt: skip
def test_what_fits(value, shape):
    assert fits(value, shape)
    assert fits(value, Maybe(shape))


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (1, str), (True, int), (True, float), (1, bool), ("1", int), (None, str), (["a", 1], [str]), ("a", [str]),
        ("up", ("rising", "falling")), ({}, ("rising",)), ([], dict), ({"a": 1}, {...: str}), ({}, TABLE),
        ({"name": "a", "n": None}, TABLE), ({"name": "a", "inner": {"x": [True]}}, TABLE),
    ],
)  # fmt: skip
def test_what_does_not_fit(value, shape):
    assert not fits(value, shape)
    assert not fits(value, Maybe(shape))


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (str, "a string"), (float, "a number"), (bool, "true or false"), (list, "a list"), (TABLE, "a table"),
        ([str], "a list of strings"), (Maybe([dict]), "a list of tables"), (("a", "b"), "one of a, b"),
    ],
)  # fmt: skip
def test_a_shape_has_a_name(shape, words):
    assert shape_in_words(shape) == words
