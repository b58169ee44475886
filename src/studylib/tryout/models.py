"""The classifiers that are compared, each with what it needs of a table and a few settings to choose from."""

from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier as SklearnForest
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

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
BLEND, LOGISTIC = "blended forest", "logistic regression"
#: What can be read as rules or weights, the simplest first.
SIMPLE = (ONE_RULE, TREE, LOGISTIC)
GUIDED = {kind: f"guided forest ({kind})" for kind in ("box", "guided", "canonical")}
#: What each classifier does, in a clause.
CLAUSES = {
    BASELINE: "always gives the same answer",
    ONE_RULE: "the best rule that asks for one column",
    TREE: "questions with two answers, each about one column",
    LOGISTIC: "a weighted sum of the columns",
    OURS: "the vote of 100 trees, each grown on rows drawn at random",
    GUIDED["box"]: "100 trees that split by sums of columns with random weights",
    GUIDED["guided"]: "the same, with the best of several random sums",
    GUIDED["canonical"]: "the same, and sums along which the classes differ most",
    BLEND: "the vote of trees that split by one column and of trees that split by sums",
    FOREST: "the vote of 100 trees, each grown on rows drawn at random",
    BOOSTING: "up to 100 small trees, each correcting those before it",
    PARTIAL: "predicts where its trees find a clean region, and abstains elsewhere",
}
#: Boosting grows a tree for each class in each round: with more classes, it has its defaults only.
_MANY_CLASSES = 10
_MAX_INDICATORS = 20


def classifiers(table, seed=0):
    """All classifiers with their grids: by name, pairs of an estimator and a dict.

    If a rare class is what matters, all that can weigh classes weigh them equally.
    """
    seeded = {"random_state": seed}
    many = table.y.nunique() > _MANY_CLASSES
    guided = {
        name: (
            _numbers_only(table, GuidedRandomForestClassifier(hyperplane=kind, **seeded)),
            {"model__min_samples_split": [2, 10]},
        )
        for kind, name in GUIDED.items()
    }
    found = {
        BASELINE: (DummyClassifier(), {}),
        ONE_RULE: (OneRClassifier(), {"min_bucket_size": [6, 25]}),
        TREE: (TreePredictor(), {"max_depth": [3, 6, 10, None]}),
        LOGISTIC: (_scaled(table, LogisticRegression(max_iter=1000)), {"model__C": [0.03, 1.0]}),
        OURS: (RandomForestClassifier(**seeded), {"max_features": ["sqrt", 0.4]}),
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
    if table.focus:
        for estimator, _ in found.values():
            weights = [name for name in estimator.get_params() if name.split("__")[-1] == "class_weight"]
            estimator.set_params(**dict.fromkeys(weights, "balanced"))
        # scikit-learn 1.9 turns "balanced" into a dict with the labels as keys, and then takes the labels
        # '0' and '1' for numbers, which are no keys of it.
        found[FOREST][0].set_params(model__class_weight="balanced_subsample")
    return found


def chosen(models, compared):
    """The classifier that is advised, with the settings chosen most often: name, unfitted."""
    name = compared.advised
    settings = compared.folds.loc[compared.folds["model"] == name, "settings"]
    texts = settings.map(str)
    often = settings[texts == texts.mode()[0]].iloc[0]
    estimator = clone(models[name][0])
    prefix = "model__" if isinstance(estimator, Pipeline) else ""
    return name, estimator.set_params(**{prefix + key: value for key, value in often.items()})


def _with_indicators(table, model):
    """Categories as indicators; missing numbers are the model's own business."""
    return Pipeline([("table", _indicators(table, "passthrough")), ("model", model)])


def _numbers_only(table, model):
    """As ``_with_indicators``, and missing numbers as the median, with a column that says so."""
    imputer = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    return Pipeline([("table", _indicators(table, imputer)), ("model", model)])


def _scaled(table, model):
    """As ``_numbers_only``, and all columns in the same scale, which a penalty on weights needs."""
    table_step, model_step = _numbers_only(table, model).steps
    return Pipeline([table_step, ("scale", StandardScaler()), model_step])


def _indicators(table, numbers):
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=_MAX_INDICATORS, sparse_output=False
    )
    return make_column_transformer(
        (encoder, table.categorical), remainder=numbers, verbose_feature_names_out=False
    )
