"""AdaBoost as the lecture writes it down, with stumps found by trying them all.

Beyond the lecture, K classes: the classifiers' votes have SAMME's ½ ln(K − 1), and Z is summed from its
definition, which is the lecture's at K = 2.
"""

import itertools
import math

from tests.naive.tree import answer, candidates, find_leaf, grow


def stumps(X, n_classes, categorical):
    """Every question with every pair of answers, as a function from a row to a class index."""
    options = [lambda row, c=c: c for c in range(n_classes)]
    for column in range(len(X[0])):
        for condition in candidates([row[column] for row in X], column in categorical):
            for labels in itertools.product(range(n_classes), repeat=2):
                options.append(lambda row, j=column, q=condition, ab=labels: ab[answer(q, row[j])])
    return options


def weighted_error(classifier, X, y, weights):
    return sum(w for row, label, w in zip(X, y, weights, strict=True) if classifier(row) != label)


def reweighted(wrong, weights, error, n_classes=2):
    """Weights of the next round; for two classes w / (2 ε) and w / (2 (1 − ε))."""
    share = (n_classes - 1) / n_classes
    return [
        w * share / error if bad else w * (1 - share) / (1 - error)
        for bad, w in zip(wrong, weights, strict=True)
    ]


def vote(error, n_classes=2):
    return 0.5 * (math.log((1 - error) / error) + math.log(n_classes - 1))


def normaliser(wrong, weights, alpha):
    """Z = Σ w exp(−α t M), where t M is 1 for a sample that M gets right and −1 for another."""
    return sum(w * math.exp(alpha if bad else -alpha) for bad, w in zip(wrong, weights, strict=True))


def gaining_stump(X, y, weights):
    """The stump with the largest information gain."""
    nodes = grow(X, y, (), "information", weights=weights, max_depth=1)
    return lambda row: nodes[find_leaf(nodes, row)].label


def boost(X, y, rounds):
    """``(classifier, α, ε, Z)`` of every round, for two classes and data in which ε is never 0."""
    weights = [1 / len(y)] * len(y)
    ensemble = []
    for _ in range(rounds):
        classifier = gaining_stump(X, y, weights)
        error = weighted_error(classifier, X, y, weights)
        if error >= 1 / 2:
            break
        wrong = [classifier(row) != label for row, label in zip(X, y, strict=True)]
        alpha = vote(error)
        ensemble.append((classifier, alpha, error, normaliser(wrong, weights, alpha)))
        weights = reweighted(wrong, weights, error)
    return ensemble


def margin(ensemble, row):
    """Σ α M of a row for two classes, M being −1 or +1."""
    return sum(alpha * (1 if classifier(row) == 1 else -1) for classifier, alpha, _, _ in ensemble)
