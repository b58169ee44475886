"""Nearest neighbours by looking at every training sample, in plain Python: the oracle of ``neighbors``.

With fractions instead of floats (all but the Euclidean root) nothing is rounded, and ties are true ties.
"""

from fractions import Fraction


def squared_euclidean(x, y):
    return sum((a - b) ** 2 for a, b in zip(x, y, strict=True))


def manhattan(x, y):
    return sum(abs(a - b) for a, b in zip(x, y, strict=True))


def maximum(x, y):
    return max(abs(a - b) for a, b in zip(x, y, strict=True))


#: A monotone function of each distance, and the power of the distance that it is.
DISTANCES = {"euclidean": (squared_euclidean, 2), "manhattan": (manhattan, 1), "maximum": (maximum, 1)}


def nearest(rows, query, k, metric):
    """``(row index, squared distance)`` of the k nearest rows, by distance, then by row."""
    distance, power = DISTANCES[metric]
    ordered = sorted((distance(row, query), i) for i, row in enumerate(rows))[:k]
    return [(i, d if power == 2 else d * d) for d, i in ordered]


def votes(rows, labels, query, k, metric, weights, factors=None):
    """Dict of class to the sum of the votes, each times the factor of its row."""
    neighbours = nearest(rows, query, k, metric)
    if weights == "uniform":
        weighted = [(i, Fraction(1)) for i, _ in neighbours]
    elif neighbours[0][1] == 0:
        weighted = [(i, Fraction(1)) for i, squared in neighbours if squared == 0]
    else:
        weighted = [(i, Fraction(1) / squared) for i, squared in neighbours]
    shares = dict.fromkeys(sorted(set(labels)), Fraction(0))
    for i, weight in weighted:
        shares[labels[i]] += weight if factors is None else weight * factors[i]
    return shares
