"""The source's Algorithm 1 as it is printed, to show what it would do; the estimators do not use it."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

__all__ = ["Growth", "fit_as_printed"]


class Growth(NamedTuple):
    """What a run of Algorithm 1 left.

    Parameters
    ----------
    n_nodes : int
    height : int
        Edges of the longest path.
    cut_off : bool
        Whether some branch was ended by the height limit alone.
    n_looked_at : int
        Observations looked at: those of each node once by γ, and once more where a split moves them.
    n_steps : int
        Of PREDICT on the costliest path: a comparison for each Node, and the predictor of an active Leaf.
    n_empty_split : int
        Partitions without observations that were split.
    """

    n_nodes: int
    height: int
    cut_off: bool
    n_looked_at: int
    n_steps: int
    n_empty_split: int


def fit_as_printed(
    X, y, *, tau_l=0.0, tau_x=2, tau_h=32, line_4="printed", height_stop="printed", random_state=None
):
    """Grow one Tree with Algorithm 1, line for line, and say what it looked like.

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    y : array-like (n_samples,)
    tau_l : float
        Loss threshold τ_l; γ is the majority class with its loss.
    tau_x : int
        τ_|X|, the threshold for the number of observations.
    tau_h : int
        τ_h, the height limit.
    line_4 : {"printed", "prose"}
        "printed" stops at ``h > τ_h or |X| < τ_|X| or loss > τ_l``; "prose" drops the last term.
    height_stop : {"printed", "bound"}
        "printed" stops at h > τ_h; "bound" at h ≥ τ_h, as the source's bound on the nodes needs.
    random_state : int, RandomState instance or None

    Returns
    -------
    Growth
    """
    X, y = np.asarray(X, float), np.unique(y, return_inverse=True)[1]
    rng = check_random_state(random_state)
    n_nodes, height, cut_off, n_looked_at, n_steps, n_empty_split = 0, 0, False, 0, 0, 0
    todo = [(np.arange(len(X)), 0, X.min(axis=0), X.max(axis=0))]
    while todo:
        samples, h, low, high = todo.pop()
        n_nodes, height = n_nodes + 1, max(height, h)
        n = len(samples)
        n_looked_at += n
        loss = 1 - np.bincount(y[samples]).max() / n if n else np.inf  # γ of nothing is no good predictor
        too_high = h > tau_h or (h == tau_h and height_stop == "bound")
        n_steps = max(n_steps, h + (loss <= tau_l))
        if loss <= tau_l:
            continue
        if too_high or n < tau_x or (line_4 == "printed" and loss > tau_l):
            cut_off |= too_high and n >= tau_x
            continue
        n_looked_at += n
        n_empty_split += n == 0
        dimension = h % X.shape[1]
        split = rng.uniform(low[dimension], high[dimension])
        left = X[samples, dimension] < split
        below, above = high.copy(), low.copy()
        below[dimension] = above[dimension] = split
        todo.append((samples[~left], h + 1, above, high))
        todo.append((samples[left], h + 1, low, below))
    return Growth(n_nodes, height, cut_off, n_looked_at, n_steps, n_empty_split)
