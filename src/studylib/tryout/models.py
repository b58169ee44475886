"""The classifiers that are compared, each with what it needs of a table and a few settings to choose from."""

from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder

from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.pcf import PartialClassificationForest
from studylib.rules import OneRClassifier
from studylib.trees import RandomForestClassifier, TreePredictor

BASELINE, ONE_RULE, TREE, PARTIAL = "most frequent class", "1-R (one column)", "tree", "partial forest (PCF)"
FOREST, BOOSTING = "random forest (scikit-learn)", "histogram boosting (scikit-learn)"
BLEND = "blended forest"
#: Boosting grows a tree for each class in each round: with more classes, it has its defaults only.
_MANY_CLASSES = 10
_MAX_INDICATORS = 20


def classifiers(table, seed=0):
    """All classifiers with their grids.

    Parameters
    ----------
    table : Table
    seed : int

    Returns
    -------
    dict of str to (estimator, dict)
    """
    seeded = {"random_state": seed}
    many = table.y.nunique() > _MANY_CLASSES
    guided = {
        f"guided forest ({kind})": (
            _numbers_only(table, GuidedRandomForestClassifier(hyperplane=kind, **seeded)),
            {"model__min_samples_split": [2, 10]},
        )
        for kind in ("box", "guided", "canonical")
    }
    return {
        BASELINE: (DummyClassifier(), {}),
        ONE_RULE: (OneRClassifier(), {"min_bucket_size": [6, 25]}),
        TREE: (TreePredictor(), {"max_depth": [3, 6, 10, None]}),
        "random forest (ours)": (RandomForestClassifier(**seeded), {"max_features": ["sqrt", 0.4]}),
        **guided,
        BLEND: (BlendedForestClassifier(categorical_features=table.categorical or None, **seeded), {}),
        FOREST: (
            _with_indicators(table, SklearnForest(**seeded)),
            {"model__max_features": ["sqrt", 0.4]},
        ),
        BOOSTING: (HistGradientBoostingClassifier(**seeded), {} if many else {"max_leaf_nodes": [7, 31]}),
        PARTIAL: (
            _numbers_only(table, PartialClassificationForest(**seeded)),
            {"model__min_samples_leaf": [2, 4, 10]},
        ),
    }


def _with_indicators(table, model):
    """Categories as indicators; missing numbers are the model's own business."""
    return Pipeline([("table", _indicators(table, "passthrough")), ("model", model)])


def _numbers_only(table, model):
    """As ``_with_indicators``, and missing numbers as the median, with a column that says so."""
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return Pipeline([("table", _indicators(table, imputer)), ("model", model)])


def _indicators(table, numbers):
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MAX_INDICATORS, sparse_output=False
    )
    return make_column_transformer(
        (encoder, table.categorical), remainder=numbers, verbose_feature_names_out=False
    )
