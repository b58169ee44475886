"""The data sets that come with scikit-learn."""

import pytest

from studylib.datasets import BUNDLED, load_bundled

SHAPES = {"iris": (150, 4), "wine": (178, 13), "breast cancer": (569, 30), "digits": (1797, 64)}


@pytest.mark.parametrize("name", BUNDLED)
def test_bundled_sets_have_features_and_labels(name):
    X, y = load_bundled(name)
    assert X.shape == SHAPES[name]
    assert len(y) == len(X)


def test_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(ValueError, match="load_bundled: name must be one of 'iris', 'wine'.*got 'titanic'"):
        load_bundled("titanic")
