"""Growth of a Tree with a custom leaf model γ: the kernels' steps, driven from Python."""

import math
import numbers

import numpy as np

from studylib.core.parameters import describe
from studylib.core.tree import LEAF
from studylib.pcf import _grow
from studylib.pcf._nodes import NO_LABEL, PARTIAL_NODE_DTYPE


class LeafModelError(ValueError):
    """A leaf model raised, or returned what it may not."""


def grow_with_model(owner, gamma, columns, y, weight, classes, lower, upper, s, state, labels):
    """Grow one Tree as :func:`studylib.pcf._grow.grow` does, asking γ at every node.

    ``gamma`` is called with ``(X, y)``, or ``(X, y, sample_weight)`` if there are weights.  Returns the
    nodes, PARTIAL_NODE_DTYPE (n_nodes,), and what γ returned for active leaves without a single label.
    """
    positions = {label: k for k, label in enumerate(classes.tolist())}
    all_samples = np.arange(columns.shape[1], dtype=np.int32)
    scratch = np.empty_like(all_samples)
    nodes, predictors = [None], []
    open_nodes = [(0, 0, len(all_samples), 0, -1, lower, upper)]
    while open_nodes:
        at, start, end, depth, feature, lower, upper = open_nodes.pop()
        samples = all_samples[start:end]
        n, loss, label = end - start, np.nan, NO_LABEL
        if n > 0 and (n >= s.min_samples_leaf or s.small_leaves_active):
            where = f"{owner}: leaf_model, in a node of {n} sample{'s' * (n > 1)} at depth {depth},"
            weights = {} if weight is None else {"sample_weight": weight[samples]}
            predictor, loss = _ask(
                where, gamma, columns[:, samples].T, classes[y[samples]], weights
            )  # line 1
            if loss <= s.max_loss:  # lines 2 and 3
                label = _label_of(where, predictor, positions)
                if label is None:
                    label = -2 - len(predictors)
                    predictors.append(predictor)
                labels[samples] = label
        nodes[at] = (np.nan, loss, LEAF, LEAF, label, n)
        if label != NO_LABEL or n < s.min_samples_leaf or depth >= s.max_depth:  # line 4
            continue
        feature = _grow.next_feature(columns, samples, feature)  # line 7
        if feature < 0:
            continue
        split = _grow.draw_split(lower[feature], upper[feature], state)  # line 8
        middle = start + _grow.partition(columns[feature], split, samples, scratch)  # line 10
        first = len(nodes)
        nodes[at] = (split, loss, feature, first, NO_LABEL, n)
        nodes += [None, None]
        below, above = upper.copy(), lower.copy()
        below[feature] = above[feature] = split
        open_nodes.append((first + 1, middle, end, depth + 1, feature, above, upper))  # line 12
        open_nodes.append((first, start, middle, depth + 1, feature, lower, below))  # line 11, before it
    return np.array(nodes, PARTIAL_NODE_DTYPE), predictors


def _ask(where, gamma, X, y, weights):
    """``(predictor, loss)`` from γ, checked."""
    try:
        answer = gamma(np.ascontiguousarray(X), y, **weights)
    except Exception as error:
        raise LeafModelError(f"{where} raised {type(error).__name__}: {error}") from error
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise LeafModelError(f"{where} must return (predictor, loss), got {describe(answer)}.")
    predictor, loss = answer
    if not isinstance(loss, (numbers.Real, np.bool_)) or not _is_finite(loss):
        raise LeafModelError(f"{where} must return a finite number as loss, got {describe(loss)}.")
    return predictor, float(loss)


def _is_finite(number):
    try:
        return math.isfinite(number)
    except OverflowError:  # an integer beyond all floats
        return False


def _label_of(where, predictor, positions):
    """Class index that a predictor stands for; None if it has to be called."""
    if callable(predictor) or hasattr(predictor, "predict"):
        return None
    label = predictor.item() if isinstance(predictor, np.generic) else predictor
    try:
        return positions[label]
    except (KeyError, TypeError):
        raise LeafModelError(
            f"{where} must return a label of the training set, a callable or an object with a predict "
            f"method as predictor, got {describe(predictor)}."
        ) from None


def predict_with(where, predictor, X, classes):
    """Class indices that a leaf's predictor gives to the rows of ``X``."""
    call = predictor.predict if hasattr(predictor, "predict") else predictor
    try:
        labels = np.asarray(call(X))
    except Exception as error:
        raise LeafModelError(f"{where} raised {type(error).__name__}: {error}") from error
    if labels.shape != (len(X),):
        raise LeafModelError(f"{where} must give one label per row, ({len(X)},), got shape {labels.shape}.")
    matches = labels[:, None] == classes[None, :]
    if not matches.any(axis=1).all():
        stray = labels[np.flatnonzero(~matches.any(axis=1))[0]]
        raise LeafModelError(f"{where} predicted {stray!r}, which is no label of the training set.")
    return matches.argmax(axis=1)
