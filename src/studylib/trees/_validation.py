"""What the classifiers of this package accept as parameters, checked."""

from studylib.core.parameters import (
    check_boolean,
    check_integer,
    check_real,
    describe,
    resolve_max_features,
)
from studylib.trees import _grow
from studylib.trees.conditions import BinaryCondition
from studylib.trees.criteria import criterion_code

NO_LIMIT = 2**62

#: Names that ``max_features`` accepts.
MAX_FEATURES = (None, "sqrt", "log2", "ceil_sqrt")


def growth_settings(tree, d):
    """Growth settings for the kernels, every parameter checked."""
    name = type(tree).__name__
    if not callable(tree.criterion):
        criterion = criterion_code(name, tree.criterion, tree.source_compatible)
    else:
        criterion = -1
    _check_condition(name, "continuous_condition", tree.continuous_condition, ("threshold", "equality"))
    _check_condition(name, "categorical_condition", tree.categorical_condition, ("membership", "equality"))
    if tree.stop is not None and not callable(tree.stop):
        raise ValueError(
            f"{name}: stop must be None or a callable stop(counts, depth), got {describe(tree.stop)}."
        )
    check_laplace(tree)
    root = int(check_boolean(name, "source_compatible", tree.source_compatible))  # its depth
    return _grow.Settings(
        criterion=criterion,
        max_depth=check_integer(name, "max_depth", tree.max_depth, root, none_as=NO_LIMIT) - root,
        max_leaf_nodes=check_integer(name, "max_leaf_nodes", tree.max_leaf_nodes, 1, none_as=NO_LIMIT),
        max_nodes=check_integer(name, "max_nodes", tree.max_nodes, 1, none_as=NO_LIMIT),
        min_samples_split=check_integer(name, "min_samples_split", tree.min_samples_split, 1),
        min_entropy=check_real(name, "min_entropy", tree.min_entropy, 0.0),
        max_features=resolve_max_features(name, tree.max_features, d, MAX_FEATURES),
        source_compatible=bool(root),
        **leaf_settings(tree),
    )


def leaf_settings(tree):
    """What a split must leave in its branches and gain, every parameter checked; by the kernels' names."""
    name = type(tree).__name__
    return {
        "min_samples_leaf": check_integer(name, "min_samples_leaf", tree.min_samples_leaf, 1),
        "min_weight_fraction_leaf": check_real(
            name, "min_weight_fraction_leaf", tree.min_weight_fraction_leaf, 0.0, 0.5
        ),
        "min_impurity_decrease": check_real(name, "min_impurity_decrease", tree.min_impurity_decrease, 0.0),
    }


def _check_condition(owner, name, value, allowed):
    """Accept one of ``allowed`` strings, or a class that proposes conditions."""
    if isinstance(value, str) and value in allowed:
        return
    own = isinstance(value, type) and issubclass(value, BinaryCondition)
    if not (own and callable(getattr(value, "candidates", None))):
        choices = ", ".join(repr(a) for a in allowed)
        raise ValueError(
            f"{owner}: {name} must be one of {choices} or a subclass of BinaryCondition with a classmethod "
            f"candidates(values), got {describe(value)}."
        )


def check_laplace(tree):
    """``laplace`` as a float."""
    return check_real(type(tree).__name__, "laplace", tree.laplace, 0.0, 1e9)  # not infinite
