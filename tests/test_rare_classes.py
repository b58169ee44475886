"""The page on rare classes says what its script measures."""

import numpy as np
import pytest

from benchmarks import rare_classes
from studylib import datasets
from studylib.datasets import _uci_archive, load_uci_suite
from tests.conventions.registry import ESTIMATORS, name_of

PAGE = rare_classes.PAGE.read_text(encoding="utf-8")


def test_every_classifier_is_on_the_page():
    classifiers = {name_of(e) for e in ESTIMATORS if hasattr(e, "predict_proba")}
    classifiers -= {"PartialClassificationTree"}  # its forest is there
    assert set(rare_classes.CLASSIFIERS) == classifiers
    for name in classifiers:
        assert PAGE.count(f"| `{name}` |") == len(rare_classes.RARE)


@pytest.mark.skipif(
    not (datasets.data_dir() / _uci_archive.SUITE.path).is_file(),
    reason=f"the UCI suite is not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)
@pytest.mark.parametrize("name", ["TreePredictor", "KNeighborsClassifier"])
def test_the_numbers_are_those_that_the_script_measures(name):
    bunch = load_uci_suite("yeast")
    X, rare = np.asarray(bunch.data, float), np.asarray(bunch.target) == rare_classes.RARE["yeast"]
    model = rare_classes.CLASSIFIERS[name]
    values = zip(
        rare_classes.measured(model, X, rare),
        rare_classes.measured(model, X, rare, balanced=True),
        strict=True,
    )
    line = " | ".join(f"{value:.1f}" for pair in values for value in pair)
    assert f"| `{name}` | {line} |" in PAGE.split("### yeast")[1]
