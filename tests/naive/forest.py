"""What a forest does around its trees, one sample at a time: bags, votes, out-of-bag error."""

import math

from tests.naive.splitmix64 import Stream


def bag(state, n):
    """How often each of ``n`` samples is drawn in ``n`` draws of splitmix64, the seed being ``state``."""
    times, stream = [0] * n, Stream(state)
    for _ in range(n):
        times[stream.word() % n] += 1
    return times


def tally(labels, weights, n_classes):
    votes = [0.0] * n_classes
    for label, weight in zip(labels, weights, strict=True):
        votes[label] += weight
    return votes


def winner(votes):
    return votes.index(max(votes))


def tree_weight(labels, times, y):
    """Accuracy of a tree on the samples out of its bag."""
    right = [label == truth for label, truth, drawn in zip(labels, y, times, strict=True) if drawn == 0]
    return sum(right) / len(right) if right else 1.0


def out_of_bag(labels, bags, weights, y, n_classes):
    """``(error, shares)`` from every tree's label of every sample; shares are None without a vote."""
    wrong, shares = [], []
    for i in range(len(y)):
        free = [k for k in range(len(bags)) if bags[k][i] == 0]
        votes = tally([labels[k][i] for k in free], [weights[k] for k in free], n_classes)
        total = sum(votes)
        shares.append([v / total for v in votes] if total > 0 else None)
        if total > 0:
            wrong.append(winner(votes) != y[i])
    return sum(wrong) / len(wrong) if wrong else math.nan, shares
