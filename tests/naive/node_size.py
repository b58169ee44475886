"""The score of every least node size the slow, obvious way: the oracle of ``studylib.core.node_size``.

A path is what one tree shows one sample: ``(training samples, share of each class)`` of the nodes from the root to
its leaf.
"""


def answer(path, m):
    """Shares in the first node that is too small to be divided, or in the leaf."""
    return next((shares for n_samples, shares in path if n_samples < m), path[-1][1])


def scores(paths, truth, weights, m, n_trees):
    """Brier scores of the trees, and of a forest of ``n_trees`` of their kind.

    ``paths[i]`` are the paths of sample i, one of each tree that may answer for it; ``truth[i]`` is 0 or 1 for
    each class.  The score of a forest of N trees is the mean over all pairs of its trees of the products of their
    errors: N of N² pairs are a tree with itself.
    """
    brier = corrected = 0.0
    for of_row, true, weight in zip(paths, truth, weights, strict=True):
        errors = [[share - t for share, t in zip(answer(path, m), true, strict=True)] for path in of_row]
        t = len(errors)
        if t < 2:
            continue
        products = [
            [sum(a * b for a, b in zip(first, other, strict=True)) for other in errors] for first in errors
        ]
        alike = sum(products[k][k] for k in range(t)) / t
        apart = sum(products[k][j] for k in range(t) for j in range(t) if j != k) / (t * (t - 1))
        brier += weight * (alike / t + apart * (1 - 1 / t))
        corrected += weight * (alike / n_trees + apart * (1 - 1 / n_trees))
    return brier, corrected
