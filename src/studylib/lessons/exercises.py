"""Checks of the lessons' exercises: what a reader is told about an answer."""

import numpy as np
from scipy.stats import binom
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from studylib.study import rules
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, TreePredictor


def check(exercise, answer, *given):
    """What is said about an answer, a sentence that begins with "Right" if it is.

    Parameters
    ----------
    exercise : {"thresholds", "depth", "stability", "trees", "hyperplanes", "votes", "sizes", "interval"}
    answer : the reader's, None if there is none yet
    *given
        What the lesson worked with, as its cell hands it over.
    """
    if exercise not in _CHECKS:
        raise ValueError(f"check: there is no exercise {exercise!r}, only {', '.join(_CHECKS)}.")
    if answer is None:
        return "Set your answer in the cell above, then run this one."
    return _CHECKS[exercise](answer, *given)


def _thresholds(pair, X, y):
    """Best thresholds of the first feature: by Gini, and by the error rate."""
    x = X[:, 0]
    criteria = {"Gini": "gini", "the error rate": "misclassification"}
    for (name, criterion), answer in zip(criteria.items(), pair, strict=True):
        best = TreePredictor(criterion, max_depth=1).fit(X[:, :1], y).condition(0).threshold
        if not np.array_equal(x <= answer, x <= best):
            return f"Not yet: by {name} another threshold gains more."
    return "Right. Gini goes where a part is nearly pure, the error rate where the majority changes."


def _depth(depth, trees, X, y, X_new, y_new):
    """By the one-standard-error rule; ``trees`` are fitted ones by depth."""
    folds = {d: cross_val_score(tree, X, y, cv=5) for d, tree in trees.items()}
    if depth not in folds:
        return f"One of {list(trees)}, please."
    best = max(folds.values(), key=np.mean)
    needed = best.mean() - best.std(ddof=1) / np.sqrt(5)
    if folds[depth].mean() < needed:
        return f"Not yet: its mean accuracy is {folds[depth].mean():.1%}, and {needed:.1%} is needed."
    if any(folds[d].mean() >= needed for d in trees if d < depth):
        return "Not yet: a smaller tree is good enough."
    right = trees[depth].score(X_new, y_new)
    return f"Right: {folds[depth].mean():.1%} in cross-validation, {right:.1%} on data that nobody had seen."


def _stability(n, counts, pairs, X_new):
    """The fewest that change at most half as many answers as one; ``pairs`` are all rows and those kept."""
    if n not in counts:
        return f"One of {counts}, please."

    def changed(model):
        return np.mean([model.fit(*a).predict(X_new) != model.fit(*b).predict(X_new) for a, b in pairs])

    found = {k: changed(RandomForestClassifier(k, random_state=0)) for k in counts if k <= n}
    if found[n] > found[counts[0]] / 2:
        return f"More: with {n} {found[n]:.1%} of the answers change, with one tree {found[counts[0]]:.1%}."
    if any(share <= found[counts[0]] / 2 for k, share in found.items() if k < n):
        return "Fewer would do."
    alone = changed(TreePredictor())
    return f"Right: {found[n]:.1%} of the answers change. With one tree of all rows it is {alone:.1%}."


def _trees(n, right, error):
    """Independent trees that vote as well as a forest with this error; ``right`` is bool (trees, points)."""
    if n < 1 or n % 2 == 0:
        return "An odd number, please, so that there are no ties."
    alone, together = right.mean(), 1 - error
    enough = next(k for k in range(1, 102, 2) if binom.sf(k // 2, k, alone) >= together)
    if n < enough:
        vote = binom.sf(n // 2, n, alone)
        return f"More: {n} independent trees would be right in {vote:.1%}, these are in {together:.1%}."
    if n > enough:
        return "Fewer would do."
    correlation = np.corrcoef(right[:50])[np.triu_indices(50, 1)].mean()
    return f"Right. Trees that share their data are not independent: errors correlate by {correlation:.2f}."


def _hyperplanes(counts, forest, X, y):
    """A pair of numbers, with and without extension; ``forest`` has one tree."""
    found, leaves = [], []
    for extend in (True, False):
        model = clone(forest).set_params(extend=extend).fit(X, y)
        found.append(len(model.trees_[0].thresholds))
        leaves.append(len(np.unique(model.apply(X))))
    if tuple(counts) != tuple(found):
        return "Not yet. Did both forests have one tree, both features and the same random_state?"
    return f"Right. The samples end in {leaves[0]} partitions with extension and in {leaves[1]} without."


def _votes(numbers, X, y):
    """Vote of the first stump, and the weight of a point that it got wrong after the round."""
    model = AdaBoostClassifier(1).fit(X, y)
    n_wrong, error = int((model.predict(X) != y).sum()), model.estimator_errors_[0]
    vote, weight = numbers
    if not np.isclose(vote, model.estimator_weights_[0], atol=0.005):
        return f"Not yet: it errs on {error:.1%} of the weight. Its vote is ½ ln((1 − ε) / ε)."
    if not np.isclose(weight, 1 / (2 * n_wrong), atol=0.0005):
        return f"The vote is right. The {n_wrong} points that it got wrong hold half of the weight together."
    return (
        f"Right. Each of the other {len(y) - n_wrong} points now weighs {1 / (2 * (len(y) - n_wrong)):.1%}."
    )


def _sizes(size, forests, points, X, y):
    """Of the sizes with 98 % of the answers right, the one with the most answers.

    ``forests`` are fitted ones by size, ``points`` their coverage and accuracy; ``X`` and ``y`` are new.
    """
    if size not in forests:
        return f"One of {list(forests)}, please."
    found = dict(zip(forests, points, strict=True))
    enough = [k for k, (_, accuracy) in found.items() if accuracy >= 0.98]
    if size != max(enough, key=lambda k: found[k][0]):
        share, accuracy = found[size]
        return (
            f"Not yet: {accuracy:.1%} of its answers are right, and it answers in {share:.1%} of the cases."
        )
    predicted = forests[size].predict(X)
    answered = predicted != forests[size].abstain_label_
    right = (predicted == y)[answered].mean()
    return f"Right. On another sample {right:.1%} of its answers are right."


def _interval(found, runs, rule):
    """Ends of the interval of the mean, and the verdict by a rule with a bound."""
    low, high = rules.mean_interval(list(map(float, runs)), 0.95)
    if not np.allclose(found[:2], (low, high), atol=0.01):
        return "Not yet: the interval is the mean ± t · s / √n, with the t of n − 1 degrees of freedom."
    verdict = rules.judge("finding", "equivalent", rule, list(map(float, runs))).verdict
    if found[2] != verdict:
        return "The interval is right. Is all of it where the rule asks, nothing of it, or a part?"
    return f"Right: {low:.2f} to {high:.2f} is “{verdict}”."


_CHECKS = {
    "thresholds": _thresholds,
    "depth": _depth,
    "stability": _stability,
    "trees": _trees,
    "hyperplanes": _hyperplanes,
    "votes": _votes,
    "sizes": _sizes,
    "interval": _interval,
}
