"""Choosing parameters on data set aside, and estimating the error of the choice.

All losses are 0-1 errors.
"""

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, check_cv
from sklearn.utils import column_or_1d

_map = map


class Search(NamedTuple):
    """Validation losses of the configurations of a grid.

    Attributes
    ----------
    configurations : list of dict
        In the order of :class:`sklearn.model_selection.ParameterGrid`.
    losses : float64 ndarray (n_configurations, n_splits)

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studylib.statistics import flat_cv
    >>> from studylib.trees import TreePredictor
    >>> X, y = load_iris(return_X_y=True)
    >>> search = flat_cv(TreePredictor(), {"max_depth": [1, 3]}, X, y)
    >>> search.best_params
    {'max_depth': 3}
    """

    configurations: list
    losses: np.ndarray

    @property
    def mean_losses(self):
        """Mean loss of each configuration over the splits, float64 (n_configurations,)."""
        # Rounded, so that equal losses in another order of the splits are a tie.
        return self.losses.mean(axis=1).round(12)

    @property
    def best_params(self):
        """The configuration with the smallest mean loss; the first of them in a tie."""
        return self.configurations[int(self.mean_losses.argmin())]

    @property
    def best_loss(self):
        """The smallest mean loss: an optimistic estimate, because it was chosen for being small."""
        return float(self.mean_losses.min())

    def to_frame(self):
        """A row per configuration: its parameters, and ``validation_loss``."""
        return pd.DataFrame(self.configurations).assign(validation_loss=self.mean_losses)


class NestedSearch(NamedTuple):
    """Choice of each outer fold of a nested cross-validation, and its loss on the outer fold.

    Attributes
    ----------
    searches : list of Search
        The inner search of each outer fold.
    losses : float64 ndarray (n_outer,)
        Loss of the chosen configuration on the outer fold, which took no part in the choice.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from studylib.statistics import nested_cv
    >>> from studylib.trees import TreePredictor
    >>> X, y = load_iris(return_X_y=True)
    >>> nested = nested_cv(TreePredictor(), {"max_depth": [1, 3]}, X, y)
    >>> [search.best_params["max_depth"] for search in nested.searches]
    [3, 3, 3, 3, 3]
    """

    searches: list
    losses: np.ndarray

    @property
    def estimate(self):
        """Mean outer loss: the error of the search and fit together."""
        return float(self.losses.mean())


def holdout_search(estimator, grid, X, y, X_valid, y_valid, *, map=_map):
    """Fit every configuration on one part of the data and validate it on another.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Cloned for every fit.
    grid : dict of str to list, or list of such dicts
        As for :class:`sklearn.model_selection.ParameterGrid`.
    X, X_valid : DataFrame or array (n_samples, n_features)
    y, y_valid : array-like (n_samples,)
    map : callable ``(function, items)``
        Like Python's own, results in order: the ``map`` of a ``ThreadPoolExecutor``, for instance.  Maps over
        the configurations.

    Returns
    -------
    Search, of one split
    """
    name = "holdout_search"
    configurations = checked_configurations(name, estimator, grid)
    training, validation = checked_data(name, X, y), checked_data(name, X_valid, y_valid)
    losses = map(partial(_loss, estimator, training, validation), configurations)
    return Search(configurations, np.array(list(losses))[:, None])


def flat_cv(estimator, grid, X, y, cv=5, *, search=holdout_search):
    """Validate every configuration by cross-validation.

    The smallest mean loss is the usual "flat" estimate of the chosen configuration's error.  It is
    optimistic: the same folds choose and estimate.  See :func:`nested_cv`.

    Parameters
    ----------
    estimator, grid
        As in :func:`holdout_search`.
    X : DataFrame or array (n_samples, n_features)
    y : array-like (n_samples,)
    cv : int, splitter or iterable of (train, validation) indices
        An int gives that many stratified folds, as everywhere in scikit-learn.
    search : callable
        What validates the configurations on one split: :func:`holdout_search`, also with a custom
        ``map`` (``functools.partial(holdout_search, map=pool.map)``), or a function of the same arguments and
        result, such as :func:`stopping_search`.

    Returns
    -------
    Search, of as many splits as ``cv`` has
    """
    X, y = checked_data("flat_cv", X, y)
    configurations = checked_configurations("flat_cv", estimator, grid)
    splits = check_cv(cv, y, classifier=True).split(X, y)
    searches = [search(estimator, grid, *_rows(X, y, train), *_rows(X, y, valid)) for train, valid in splits]
    return Search(configurations, np.hstack([each.losses for each in searches]))


def nested_cv(estimator, grid, X, y, outer=5, inner=5, *, search=holdout_search):
    """Estimate the error of a search: each outer fold tests what an inner search chose without it.

    Parameters
    ----------
    estimator, grid, X, y, search
        As in :func:`flat_cv`.
    outer : int, splitter or iterable of (train, test) indices
    inner : int or splitter

    Returns
    -------
    NestedSearch
    """
    X, y = checked_data("nested_cv", X, y)
    folds = check_cv(outer, y, classifier=True).split(X, y)
    folds_done = [nested_fold(estimator, grid, X, y, *fold, inner, search=search) for fold in folds]
    return NestedSearch([chosen for chosen, _ in folds_done], np.array([loss for _, loss in folds_done]))


def nested_fold(estimator, grid, X, y, train, test, inner=5, *, search=holdout_search):
    """Run one outer fold of :func:`nested_cv`: an inner search, and a test of its choice.

    Parameters
    ----------
    estimator, grid, X, y, inner, search
        As in :func:`nested_cv`.
    train, test : int ndarray
        Positions of the outer fold's rows.

    Returns
    -------
    chosen : Search
        Over the inner folds of the training rows.
    loss : float
        Of its best configuration, fitted on all training rows, on the test rows.
    """
    if isinstance(inner, Iterable):
        raise ValueError(
            "nested_cv: inner must be a number of folds or a splitter, because every outer fold has "
            f"training rows of its own, got {type(inner).__name__}."
        )
    X, y = checked_data("nested_cv", X, y)
    training, testing = _rows(X, y, train), _rows(X, y, test)
    chosen = flat_cv(estimator, grid, *training, inner, search=search)
    return chosen, _loss(estimator, training, testing, chosen.best_params)


def _loss(estimator, training, validation, params):
    """0-1 error of one configuration; a function of the module, so that it can go to another process."""
    X, y = validation
    model = clone(estimator).set_params(**clone(params, safe=False)).fit(*training)
    return float(np.mean(model.predict(X) != y))


def checked_configurations(owner, estimator, grid):
    """The configurations of a grid, a list of dict; every name is a parameter of the estimator."""
    configurations = list(ParameterGrid(grid))
    allowed = estimator.get_params()
    for name in dict.fromkeys(name for params in configurations for name in params):
        if name not in allowed:
            raise ValueError(
                f"{owner}: grid names {name!r}, which is no parameter of {type(estimator).__name__}."
            )
    if not configurations:
        raise ValueError(f"{owner}: grid must have at least one configuration, got {grid!r}.")
    return configurations


def checked_data(owner, X, y):
    """``X`` with a shape and ``y`` as an array, of the same length."""
    X, y = X if hasattr(X, "shape") else np.asarray(X), column_or_1d(y)
    if len(y) != X.shape[0]:
        raise ValueError(f"{owner}: X has {X.shape[0]} rows and y has {len(y)} labels; they must match.")
    if len(y) == 0:
        raise ValueError(f"{owner}: X must have at least one row, got none.")
    return X, y


def _rows(X, y, rows):
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows], y[rows]
