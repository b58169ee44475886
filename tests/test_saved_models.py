"""A saved model keeps what prediction needs and nothing else, and is read again where less is installed."""

import io
import pickle

import numpy as np
import pandas as pd
import pytest
import skops.io
from sklearn.base import clone
from sklearn.utils import get_tags

import studylib.core.model as model_form
from studylib.blend import BlendedForestClassifier
from studylib.neighbors import KNeighborsClassifier
from studylib.pcf import PartialClassificationForest, PartialClassificationTree
from studylib.rules import OneRClassifier, OneRDiscretizer, RuleClassifier
from studylib.trees import AdaBoostClassifier, MultiwayTreePredictor, RandomForestClassifier, TreePredictor
from tests.conventions.registry import ESTIMATORS, TAKES_TEXT, each, having, name_of, output
from tests.core.test_frames import answers, content, labels, takes
from tests.table_makers import MAKERS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")]

#: Packages that read tables, of which a model needs none.
READERS = ("pandas", "pyarrow", "polars", "narwhals")


def fitted_models():
    """Every estimator on each table that it takes, by every maker."""
    for estimator in ESTIMATORS:
        for name in ("numbers", "all with gaps"):
            for maker in MAKERS if takes(estimator, content(name)) else ():
                if MAKERS[maker].holds(content(name)):
                    yield pytest.param(estimator, name, maker, id=f"{name_of(estimator)}-{name}-{maker}")


def fit(estimator, table, maker="pandas"):
    """A fitted clone."""
    return clone(estimator).fit(MAKERS[maker].make(table), np.where(labels(table), "yes", "no"))


class WithoutReaders(pickle.Unpickler):
    """Reads a pickle as where no package for tables is installed."""

    def find_class(self, module, name):
        if module.split(".")[0] in READERS:
            raise ModuleNotFoundError(f"the model needs {module}.{name}")
        return super().find_class(module, name)


@pytest.mark.parametrize(("estimator", "name", "maker"), list(fitted_models()))
def test_a_model_is_read_where_no_package_for_tables_is(estimator, name, maker):
    X, model = MAKERS[maker].make(content(name)), fit(estimator, content(name), maker)
    before = pickle.dumps(model)
    expected = answers(model, X)
    for data in (before, pickle.dumps(model)):  # before and after it was asked
        assert answers(WithoutReaders(io.BytesIO(data)).load(), X) == expected


SOME = ("pandas", "pandas str", "pandas category", "polars")


@pytest.mark.parametrize(
    ("estimator", "name", "maker"), [case for case in fitted_models() if case.values[2] in SOME]
)
def test_skops_keeps_a_model(estimator, name, maker):
    X, model = MAKERS[maker].make(content(name)), fit(estimator, content(name), maker)
    data = skops.io.dumps(model)
    trusted = skops.io.get_untrusted_types(data=data)
    assert not [kind for kind in trusted if kind.split(".")[0] in READERS]
    assert answers(skops.io.loads(data, trusted=trusted), X) == answers(model, X)


# Sizes


def noisy(n):
    """All numbers distinct; a tree of a few levels has something in each node."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    return X, (X[:, 0] * X[:, 1] + rng.normal(size=n) > 0).astype(int)


def clear(n):
    """All numbers distinct, and in each column one threshold that divides the classes."""
    x = np.random.default_rng(0).normal(size=n)
    return np.column_stack([x, -x, np.exp(x), np.sinh(x)]), (x > 0).astype(int)


def repeated(n):
    """The same 200 rows again and again."""
    X, y = noisy(200)
    return np.tile(X, (n // 200, 1)), np.tile(y, n // 200)


def gaps(n):
    """Categories and numbers, some of them missing."""
    rng = np.random.default_rng(0)
    city = rng.permutation(np.resize(["Bern", "Oslo", "Rome", None], n))
    rooms = rng.permutation(np.resize([1.0, 2.0, 3.0, np.nan], n))
    return pd.DataFrame({"city": city, "rooms": rooms}), ((city == "Rome") | (rooms == 2)).astype(int)


#: What each estimator learns in a table that ten times the rows do not make larger.
BOUNDED = [
    (TreePredictor(max_depth=3), noisy),
    (TreePredictor(max_depth=3, max_leaf_nodes=6), noisy),
    (MultiwayTreePredictor(max_depth=3), noisy),
    (RandomForestClassifier(5, max_depth=3, random_state=0), noisy),
    (AdaBoostClassifier(5, random_state=0), noisy),
    (PartialClassificationTree(max_depth=3, max_loss=0.5, random_state=0), noisy),
    (PartialClassificationForest(5, max_depth=3, max_loss=0.5, random_state=0), noisy),
    (OneRClassifier(), clear),
    (OneRDiscretizer(), clear),
    (RuleClassifier(), clear),
    (BlendedForestClassifier(5, random_state=0), repeated),
    *((e, repeated) for e in having("hyperplane")),
    *((e, gaps) for e in ESTIMATORS if isinstance(e, TAKES_TEXT) and get_tags(e).input_tags.allow_nan),
]
GROWS = (KNeighborsClassifier,)  # whose training rows are the model


def test_the_size_of_every_estimator_is_looked_at():
    assert {type(e) for e, _ in BOUNDED} | set(GROWS) == {type(e) for e in ESTIMATORS}


@pytest.mark.parametrize(
    ("estimator", "made"), BOUNDED, ids=[f"{name_of(e)}-{made.__name__}" for e, made in BOUNDED]
)
@pytest.mark.parametrize("names", [False, True], ids=["array", "frame"])
def test_a_model_of_more_rows_is_no_larger(estimator, made, names):
    sizes = []
    for n in (2_000, 20_000):
        X, y = made(n)
        X = pd.DataFrame(X).rename(columns=str) if names else X
        model = clone(estimator).fit(X, y)
        output(model, X[:5])
        sizes.append(len(pickle.dumps(model)))
    small, large = sizes
    # A node more here and there: 18,000 rows of one byte each would be more than that.
    assert large < 1.5 * small + 2_000, sizes


@each(ESTIMATORS)
def test_a_model_of_another_form_says_to_fit_again(estimator, monkeypatch):
    monkeypatch.setattr(model_form, "_FORM", model_form._FORM + 1)
    data = pickle.dumps(fit(estimator, content("numbers")))
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"^\w+: this model was saved by another .* form; fit it again\.$"):
        pickle.loads(data)
