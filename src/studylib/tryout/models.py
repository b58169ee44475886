"""The classifiers that are compared, each with what it needs of a table and a few settings to choose from."""

import importlib.util

from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, OrdinalEncoder, StandardScaler

from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.pcf import PartialClassificationForest
from studylib.rules import OneRClassifier
from studylib.trees import RandomForestClassifier, TreePredictor

BASELINE, ONE_RULE, TREE, PARTIAL = "most frequent class", "1-R (one column)", "tree", "partial forest (PCF)"
OURS, FOREST, BOOSTING = (
    "random forest (ours)",
    "random forest (scikit-learn)",
    "histogram boosting (scikit-learn)",
)
BLEND, GUIDED, LOGISTIC, LIGHTGBM = "blended forest", "guided forest", "logistic regression", "LightGBM"
#: What can be read as rules or weights, the simplest first.
SIMPLE = (ONE_RULE, TREE, LOGISTIC)
#: What each classifier does, in a clause.
CLAUSES = {
    BASELINE: "always gives the same answer",
    ONE_RULE: "the best rule that asks for one column",
    TREE: "questions with two answers, each about one column",
    LOGISTIC: "a weighted sum of the columns",
    OURS: "the vote of 100 trees, each grown on rows drawn at random",
    GUIDED: "100 trees that split by sums of columns",
    BLEND: "the vote of trees that split by one column and of trees that split by sums",
    FOREST: "the vote of 100 trees, each grown on rows drawn at random",
    BOOSTING: "100 small trees, each correcting those before it",
    LIGHTGBM: "100 small trees, each correcting those before it",
    PARTIAL: "predicts where its trees find a clean region, and abstains elsewhere",
}
#: Boosting grows a tree for each class in each round: with more classes, it has its defaults only.
_MANY_CLASSES = 10
_MAX_INDICATORS = 20


def classifiers(table, seed=0, fast=False):
    """All classifiers with their grids: by name, pairs of an estimator and a dict; ``fast``: no grids.

    If a rare class is what matters, all that can weigh classes weigh them equally.
    """
    seeded = {"random_state": seed}
    many = table.y.nunique() > _MANY_CLASSES
    found = {
        BASELINE: (DummyClassifier(), {}),
        ONE_RULE: (OneRClassifier(), {"min_bucket_size": [6, 25]}),
        TREE: (TreePredictor(), {"max_depth": [3, 6, 10, None]}),
        LOGISTIC: (_scaled(table, LogisticRegression(max_iter=1000)), {"model__C": [0.03, 1.0]}),
        OURS: (RandomForestClassifier(**seeded), {"min_samples_leaf": [1, 3]}),
        GUIDED: (
            _numbers_only(table, GuidedRandomForestClassifier(**seeded)),
            {"model__hyperplane": ["box", "guided", "canonical"]},
        ),
        BLEND: (BlendedForestClassifier(categorical_features=table.categorical or None, **seeded), {}),
        FOREST: (_with_codes(table, SklearnForest(**seeded)), {"model__min_samples_leaf": [1, 3]}),
        BOOSTING: (HistGradientBoostingClassifier(**seeded), {} if many else {"max_leaf_nodes": [7, 31]}),
        PARTIAL: (
            _numbers_only(table, PartialClassificationForest(**seeded)),
            {"model__min_samples_leaf": [2, 4, 10]},
        ),
    }
    if importlib.util.find_spec("lightgbm"):
        found[LIGHTGBM] = _lightgbm(seed, {} if many else {"model__num_leaves": [7, 31]})
    if table.focus:
        for estimator, _ in found.values():
            weights = [name for name in estimator.get_params() if name.split("__")[-1] == "class_weight"]
            estimator.set_params(**dict.fromkeys(weights, "balanced"))
        # scikit-learn 1.9 turns "balanced" into a dict with the labels as keys, and then takes the labels
        # '0' and '1' for numbers, which are no keys of it.
        found[FOREST][0].set_params(model__class_weight="balanced_subsample")
    return {name: (estimator, {}) for name, (estimator, _) in found.items()} if fast else found


def chosen(models, compared, stored=False):
    """The classifier that is advised, with the settings chosen most often: name, unfitted.

    If a constant is as good as all, it is the best of the others; what is to be ``stored`` is none of
    LightGBM's, whose files are not safe to load.
    """
    names = [compared.advised, *compared.ranked]
    name = next(method for method in names if method not in ("", BASELINE, LIGHTGBM if stored else ""))
    settings = compared.folds.loc[compared.folds["model"] == name, "settings"]
    texts = settings.map(str)
    often = settings[texts == texts.mode()[0]].iloc[0]
    estimator = clone(models[name][0])
    prefix = "model__" if isinstance(estimator, Pipeline) else ""
    return name, estimator.set_params(**{prefix + key: value for key, value in often.items()})


def _lightgbm(seed, grid):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(random_state=seed, n_jobs=1, deterministic=True, verbose=-1)
    return Pipeline([("table", FunctionTransformer(_numbered)), ("model", model)]), grid


def _numbered(X):
    """A table with numbers for names, of which LightGBM takes few."""
    return X.set_axis([f"column {k}" for k in range(X.shape[1])], axis=1)


def _with_codes(table, model):
    """Categories as numbers, as trees take them; what is missing is the model's own business."""
    encoder = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    columns = (encoder, table.categorical)
    step = make_column_transformer(columns, remainder="passthrough", verbose_feature_names_out=False)
    return Pipeline([("table", step), ("model", model)])


def _numbers_only(table, model):
    """Categories as indicators, and missing numbers as the median, with a column that says so."""
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MAX_INDICATORS, sparse_output=False
    )
    columns = (encoder, table.categorical)
    step = make_column_transformer(columns, remainder=imputer, verbose_feature_names_out=False)
    return Pipeline([("table", step), ("model", model)])


def _scaled(table, model):
    """As ``_numbers_only``, and all columns in the same scale, which a penalty on weights needs."""
    table_step, model_step = _numbers_only(table, model).steps
    return Pipeline([table_step, ("scale", StandardScaler()), model_step])
