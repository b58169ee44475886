"""A forest's tuning, the slow, obvious way: cut a Tree back by walking down from its root, sample by sample."""


def stop(nodes, x, losses, max_loss, smallest):
    """Index of the node at which ``x`` stops, or None: the first that is large and clean enough.

    ``nodes`` are tuples ``(feature or None, threshold, first child, number of samples)``.
    """
    at = 0
    while True:
        feature, threshold, first, n = nodes[at]
        if n >= smallest and losses[at] <= max_loss:
            return at
        if feature is None or n < smallest:
            return None
        at = first + (x[feature] >= threshold)


def holm(p_values):
    """Adjusted p-values from the definition: the smallest level at which each hypothesis is rejected."""
    n = len(p_values)
    order = sorted(range(n), key=lambda k: p_values[k])
    corrected = [0.0] * n
    for place, k in enumerate(order):
        corrected[k] = min(1.0, max((n - before) * p_values[order[before]] for before in range(place + 1)))
    return corrected
