"""Checks of the lessons' exercises: what a reader is told about an answer, in a notebook and on its page."""

import html
import json
from functools import cache
from numbers import Real

import numpy as np
from scipy.stats import binom
from sklearn.model_selection import cross_val_score

from studylib.study import rules
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, TreePredictor

_ANY = None  # a part of an answer that may be anything
_FAR = 1e9


class Reply(str):
    """A sentence about an answer; while there is none, a page shows fields to answer in instead."""

    def __new__(cls, sentence, form=None):
        reply = super().__new__(cls, sentence)
        reply.form = form
        return reply

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        if self.form is None:
            return None
        form = html.escape(json.dumps(self.form, separators=(",", ":"), ensure_ascii=False))
        return f'<div class="exercise" data-form="{form}"><p>{html.escape(self)}</p></div>'


def check(exercise, answer, *given):
    """What is said about an answer, a sentence that begins with "Right" if it is.

    Parameters
    ----------
    exercise : {"path", "thresholds", "depth", "stability", "trees", "partitions", "votes", …}
    answer : the reader's, None if there is none yet
    *given
        What the lesson worked with, as its cell hands it over.
    """
    if exercise not in _EXERCISES:
        raise ValueError(f"check: there is no exercise {exercise!r}, only {', '.join(_EXERCISES)}.")
    reply, fields, cases = _EXERCISES[exercise](*given)
    if answer is not None:
        parts = tuple(answer) if isinstance(answer, tuple | list | np.ndarray) else (answer,)
        return Reply(_misfit(parts, fields) or reply(parts if len(fields) > 1 else parts[0]))
    # The page has no Python: it takes the first case that its reader's answer falls under.
    replies = [[where, reply(example)] for where, example in cases]
    form = {"fields": [{"label": label, "options": options} for label, options in fields], "replies": replies}
    return Reply("Set your answer in the cell above, then run this one.", form)


def _misfit(parts, fields):
    """What keeps the parts of an answer out of its fields, in a sentence; None if they fit."""
    if len(parts) != len(fields):
        comma = " Write a decimal with a point." if len(parts) > len(fields) else ""
        labels = ", ".join(label for label, _ in fields)
        return f"Not {len(parts)} but {len(fields)} values, please: {labels}.{comma}"
    for part, (label, options) in zip(parts, fields, strict=True):
        if options is None and not isinstance(part, Real):
            return f"A number, please: {label}, not {part!r}."
        if options and part not in options:
            return f"One of {', '.join(map(str, options))}, please: {label}, not {part!r}."
    return None


# An exercise is three things: ``said(answer)``; its fields, each a label and what there is to choose from
# (None for a number); and its cases, pairs of a condition (for each field a range or a choice) and an answer
# that fulfils it.


def _path(tree, row, classes):
    """What a tree says of a row, and after how many questions."""
    said, asked = classes[int(tree.predict(row)[0])], int(tree.decision_path(row).sum()) - 1
    numbers = list(range(1, tree.get_depth() + 2))

    def reply(answer):
        if answer[1] != asked:
            return f"Not yet: it asks {'more' if answer[1] < asked else 'fewer'} questions."
        if answer[0] != said:
            return "The questions are right. Which class does the leaf name where they end?"
        return (
            f"Right: after {asked} questions it says {said}. But never eat a mushroom because a tree of so "
            "few rows calls it edible."
        )

    cases = [([None, n], (said, n)) for n in numbers if n != asked]
    return (
        reply,
        [("it says", list(classes)), ("questions", numbers)],
        [*cases, *(([c, asked], (c, asked)) for c in classes)],
    )


def _thresholds(X, y, choices):
    """The best of some thresholds of the first feature: by Gini, and by the error rate."""
    impurities = {"Gini": lambda p: 2 * p * (1 - p), "the error rate": lambda p: min(p, 1 - p)}
    parts = {t: (y[X[:, 0] <= t], y[X[:, 0] > t]) for t in choices}
    gains = {
        name: {t: of(y.mean()) - sum(len(p) * of(p.mean()) for p in parts[t]) / len(y) for t in choices}
        for name, of in impurities.items()
    }

    def reply(pair):
        for answer, (name, gained) in zip(pair, gains.items(), strict=True):
            if gained[answer] < max(gained.values()) - 1e-12:
                return f"Not yet: by {name} {answer} gains {gained[answer]:.3f}, and another threshold more."
        return "Right. Gini goes where a part is nearly pure, the error rate where the majority changes."

    cases = [([a, b], (a, b)) for a in choices for b in choices]
    return reply, [("threshold by Gini", choices), ("by the error rate", choices)], cases


def _depth(trees, X, y, X_new, y_new):
    """By the one-standard-error rule; ``trees`` are fitted ones by depth."""
    folds = {d: cross_val_score(tree, X, y, cv=5) for d, tree in trees.items()}
    best = max(folds.values(), key=np.mean)
    needed = best.mean() - best.std(ddof=1) / np.sqrt(5)

    def reply(depth):
        mean = folds[depth].mean()
        if mean < needed:
            return f"Not yet: its mean accuracy is {mean:.1%}, and {needed:.1%} is needed."
        if any(folds[d].mean() >= needed for d in trees if d < depth):
            return "Not yet: a smaller tree is good enough."
        right = trees[depth].score(X_new, y_new)
        return f"Right: {mean:.1%} in cross-validation, {right:.1%} on data that nobody had seen."

    return reply, [("depth", list(trees))], _choices(trees)


def _stability(counts, pairs, X_new):
    """The fewest that change at most half as many answers as one; ``pairs`` are all rows and those kept."""

    @cache
    def changed(n):
        model = RandomForestClassifier(n, random_state=0) if n else TreePredictor()
        return np.mean([model.fit(*a).predict(X_new) != model.fit(*b).predict(X_new) for a, b in pairs])

    def reply(n):
        alone = changed(counts[0])
        if changed(n) > alone / 2:
            return f"More: {changed(n):.1%} of the answers change with {n}, and {alone:.1%} with one tree."
        if any(changed(k) <= alone / 2 for k in counts if k < n):
            return "Fewer would do."
        right = f"Right: {changed(n):.1%} of the answers change."
        return f"{right} With one tree of all rows it is {changed(0):.1%}."

    return reply, [("trees", counts)], _choices(counts)


def _trees(right, error):
    """Independent trees that vote as well as a forest with this error; ``right`` is bool (trees, points)."""
    alone, together = right.mean(), 1 - error
    enough = next(k for k in range(1, 102, 2) if binom.sf(k // 2, k, alone) >= together)

    def reply(n):
        if n < enough:
            vote = binom.sf(n // 2, n, alone)
            return (
                f"More: a vote of {n} would be right in {vote:.1%}, that of these trees is in {together:.1%}."
            )
        if n > enough:
            return "Fewer would do."
        correlation = np.corrcoef(right[:50])[np.triu_indices(50, 1)].mean()
        return (
            f"Right. Trees that share their data are not independent: errors correlate by {correlation:.2f}."
        )

    odd = list(range(1, 22, 2))
    return reply, [("independent trees", odd)], _choices(odd)


def _partitions(models, X, height):
    """How many partitions there are after some hyperplanes, with and without extension; one tree each."""
    ends = [model.apply(X)[:, 0] for model in models]
    numbers = [len(set(m.trees_[0].at_height(end, height))) for m, end in zip(models, ends, strict=True)]
    hyperplanes = [len(model.trees_[0].thresholds) for model in models]

    def reply(counts):
        for name, answer, number in zip(("with", "without"), counts, numbers, strict=True):
            if answer != number:
                return f"Not yet: there are {'more' if answer < number else 'fewer'} {name} extension."
        return (
            f"Right. Until all partitions are pure it takes {hyperplanes[0]} hyperplanes with extension, and "
            f"{hyperplanes[1]} without."
        )

    cases = _numbers(*zip(numbers, numbers, strict=True))
    return reply, [("partitions with extension", None), ("without", None)], cases


def _votes(X, y):
    """Vote of the first stump, and the weight of a point that it got wrong after the round."""
    model = AdaBoostClassifier(1).fit(X, y)
    n_wrong = int((model.predict(X) != y).sum())
    error, vote, weight = model.estimator_errors_[0], model.estimator_weights_[0], 1 / (2 * n_wrong)

    def reply(numbers):
        if not np.isclose(numbers[0], vote, atol=0.005):
            return f"Not yet: it errs on {error:.1%} of the weight. Its vote is ½ ln((1 − ε) / ε)."
        if not np.isclose(numbers[1], weight, atol=0.0005):
            return (
                f"The vote is right. The {n_wrong} points that it got wrong hold half of the weight together."
            )
        others = len(y) - n_wrong
        return f"Right. Each of the other {others} points now weighs {1 / (2 * others):.1%}."

    cases = _numbers((vote - 0.005, vote + 0.005), (weight - 0.0005, weight + 0.0005))
    return reply, [("vote α", None), ("weight of a point", None)], cases


def _sizes(forests, points, X, y):
    """Of the sizes with 98% of the answers right, the one with the most answers.

    ``forests`` are fitted ones by size, ``points`` their coverage and accuracy; ``X`` and ``y`` are new.
    """
    measured = dict(zip(forests, points, strict=True))
    best = max((k for k, (_, accuracy) in measured.items() if accuracy >= 0.98), key=lambda k: measured[k][0])

    def reply(size):
        if size != best:
            share, accuracy = measured[size]
            right = f"{accuracy:.1%} of its answers are right"
            return f"Not yet: {right}, and it answers in {share:.1%} of the cases."
        predicted = forests[size].predict(X)
        answered = predicted != forests[size].abstain_label_
        return f"Right. On another sample {(predicted == y)[answered].mean():.1%} of its answers are right."

    return reply, [("points in an answer, at least", list(forests))], _choices(forests)


def _interval(runs, rule):
    """Ends of the interval of the mean, and the verdict by a rule with a bound."""
    runs = list(map(float, runs))
    ends = rules.mean_interval(runs, 0.95)
    verdict = rules.judge("finding", "equivalent", rule, runs).verdict
    verdicts = [rules.REPRODUCED, rules.NOT_REPRODUCED, rules.INCONCLUSIVE]

    def reply(finding):
        if not np.allclose(finding[:2], ends, rtol=0, atol=0.02):
            return "Not yet: the interval is the mean ± t · s / √n, with the t of n − 1 degrees of freedom."
        if finding[2] != verdict:
            return "The interval is right. Is all of it where the rule asks, nothing of it, or a part?"
        return f"Right: {ends[0]:.2f} to {ends[1]:.2f} is “{verdict}”."

    near = [[end - 0.02, end + 0.02] for end in map(float, ends)]
    cases = [([*near, choice], (*ends, choice)) for choice in verdicts]
    cases.append(([_ANY] * 3, (ends[0] - 1, ends[1], verdict)))
    return reply, [("lower end", None), ("upper end", None), ("verdict", verdicts)], cases


def _choices(values):
    """Cases of one field with these choices."""
    return [([value], value) for value in values]


def _numbers(*ranges):
    """Cases of so many numbers: all in their ranges, or one outside and those before it inside."""
    ranges = np.array(ranges, dtype=float).tolist()
    right = [sum(pair) / 2 for pair in ranges]
    cases = [(ranges, right)]
    for k, (low, high) in reversed(list(enumerate(ranges))):
        for side, example in (([-_FAR, low], low - 1), ([high, _FAR], high + 1)):
            where = [*ranges[:k], side, *[_ANY] * (len(ranges) - k - 1)]
            cases.append((where, [*right[:k], example, *right[k + 1 :]]))
    return cases


_EXERCISES = {
    "path": _path,
    "thresholds": _thresholds,
    "depth": _depth,
    "stability": _stability,
    "trees": _trees,
    "partitions": _partitions,
    "votes": _votes,
    "sizes": _sizes,
    "interval": _interval,
}
