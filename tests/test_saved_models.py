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
from tests.table_makers import MAKERS

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::studylib.pcf.LowCoverageWarning")]

#: Packages that read tables, of which a model needs none.
READERS = ("pandas", "pyarrow", "polars", "narwhals")


def numbers(n=60):
    """Columns of numbers."""
    rng = np.random.default_rng(0)
    return {"size": (rng.integers(0, 8, n) / 2).tolist(), "rooms": rng.integers(0, 6, n).tolist()}


def mixed(n=60):
    """Numbers, Booleans and categories, with gaps."""
    rng = np.random.default_rng(1)
    columns = {
        "size": (rng.integers(0, 8, n) / 2).tolist(),
        "city": rng.choice(["Bern", "Oslo", "Rome"], n).tolist(),
        "smoker": (rng.random(n) < 0.5).tolist(),
    }
    return {
        name: [None if gap else entry for entry, gap in zip(entries, rng.random(n) < 0.1, strict=True)]
        for name, entries in columns.items()
    }


def fitted_models():
    """Every estimator on each table that it takes, by every maker."""
    for estimator in ESTIMATORS:
        takes_mixed = isinstance(estimator, TAKES_TEXT) and get_tags(estimator).input_tags.allow_nan
        for content in (numbers, mixed) if takes_mixed else (numbers,):
            for maker in MAKERS:
                if MAKERS[maker].holds(content()):
                    yield pytest.param(
                        estimator, content, maker, id=f"{name_of(estimator)}-{content.__name__}-{maker}"
                    )


def fit(estimator, table, maker="pandas"):
    """A fitted clone."""
    model = clone(estimator)
    sizes = np.array([0.0 if size is None else size for size in table["size"]])
    return model.fit(MAKERS[maker].make(table), np.where(sizes > 1.5, "yes", "no"))


def said(model, X):
    """What a model says, comparable."""
    told = pd.DataFrame(output(model, X)).astype(object)
    found = [told.where(told.notna(), None).to_numpy().tolist()]
    return [*found, model.predict_proba(X).tolist()] if hasattr(model, "predict_proba") else found


class WithoutReaders(pickle.Unpickler):
    """Reads a pickle as where no package for tables is installed."""

    def find_class(self, module, name):
        if module.split(".")[0] in READERS:
            raise ModuleNotFoundError(f"the model needs {module}.{name}")
        return super().find_class(module, name)


@pytest.mark.parametrize(("estimator", "content", "maker"), list(fitted_models()))
def test_a_model_is_read_where_no_package_for_tables_is(estimator, content, maker):
    table = content()
    X = MAKERS[maker].make(table)
    model = fit(estimator, table, maker)
    expected = said(model, X)
    for data in (
        pickle.dumps(fit(estimator, table, maker)),
        pickle.dumps(model),
    ):  # before and after it was asked
        assert said(WithoutReaders(io.BytesIO(data)).load(), X) == expected


@pytest.mark.parametrize(
    ("estimator", "content", "maker"),
    [
        case
        for case in fitted_models()
        if case.values[2] in ("pandas", "pandas str", "pandas category", "polars")
    ],
)
def test_skops_keeps_a_model(estimator, content, maker):
    table = content()
    X = MAKERS[maker].make(table)
    model = fit(estimator, table, maker)
    data = skops.io.dumps(model)
    trusted = skops.io.get_untrusted_types(data=data)
    assert not [kind for kind in trusted if kind.split(".")[0] in READERS]
    assert said(skops.io.loads(data, trusted=trusted), X) == said(model, X)


def test_the_reader_without_packages_for_tables_refuses_them():
    with pytest.raises(ModuleNotFoundError, match="the model needs pandas"):
        WithoutReaders(io.BytesIO(pickle.dumps(pd.Index(["a"])))).load()


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
        X = pd.DataFrame(X, columns=list("abcd")) if names else X
        model = clone(estimator).fit(X, y)
        output(model, X[:5])
        sizes.append(len(pickle.dumps(model)))
    small, large = sizes
    # A node more here and there: 18,000 rows of one byte each would be more than that.
    assert large < 1.5 * small + 2_000, sizes


@each([e for e in ESTIMATORS if isinstance(e, TAKES_TEXT) and get_tags(e).input_tags.allow_nan])
def test_a_model_of_more_rows_with_categories_and_gaps_is_no_larger(estimator):
    sizes = []
    for n in (200, 20_000):
        rng = np.random.default_rng(0)
        X = pd.DataFrame(
            {
                "city": rng.permutation(np.resize(["Bern", "Oslo", "Rome", None], n)),
                "rooms": rng.permutation(np.resize([1.0, 2.0, 3.0, np.nan], n)),
            }
        )
        y = ((X["city"] == "Rome") | (X["rooms"] == 2)).astype(int)
        model = clone(estimator)
        sizes.append(len(pickle.dumps(model.fit(X, y))))
    small, large = sizes
    assert large < 1.5 * small + 2_000, sizes


@each(ESTIMATORS)
def test_a_model_of_another_form_says_to_fit_again(estimator, monkeypatch):
    monkeypatch.setattr(model_form, "_FORM", model_form._FORM + 1)
    data = pickle.dumps(fit(estimator, numbers()))
    monkeypatch.undo()
    with pytest.raises(ValueError, match=r"^\w+: this model was saved by another .* form; fit it again\.$"):
        pickle.loads(data)
