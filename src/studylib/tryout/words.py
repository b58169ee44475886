"""What a comparison says, in a few sentences made from its numbers."""

import numpy as np
import pandas as pd
from IPython.display import HTML

from studylib.tryout.escapes import NO_MATH, as_markup
from studylib.tryout.models import BASELINE, LOGISTIC, ONE_RULE, PARTIAL, SIMPLE, TREE
from studylib.tryout.phrases import several

_READ = {ONE_RULE: "rule", TREE: "rules", LOGISTIC: "weights"}
_LITTLE = "Either the columns say little about it, or it takes more rows to see what they say."
_ABSTAINS = "The partial forest (PCF) finds no clean region and abstains on all rows."


def conclusion(table, compared, fast=False):
    """The conclusion in sentences; honest where there is none, and first what may make it worthless."""
    n = several(len(table.y), "row")
    left_out = (
        f"A first answer (--fast), from {n}: each method has its defaults. Without --fast, settings are "
        "chosen, and more rows are used if there are more."
    )
    return [*table.leaks, *[left_out] * fast, *_conclusion(table, compared)]


def of_the_model(compared, name):
    """Which method the stored model has, and why."""
    if not compared.advised:
        better = "rank by more than chance" if compared.focus else "err less than a constant answer"
        return f"No method is advised, since none is shown to {better}; the model stored is the best, {name}."
    if name == compared.advised:
        return f"The model stored is the advised one, {name}, fitted on all rows used."
    return f"The model stored is the next best, {name}: no file of {compared.advised} is safe to load."


def of_the_tests(table, compared, fast):
    """How the methods were tested, and what the measures are, sentences."""
    yield (
        "Each of five folds tests what was fitted on the rows before it (--time)."
        if table.times is not None
        else "The rows are cut into five folds (four, of more than 5,000 rows), and each tests what was "
        "fitted on the others."
    )
    if compared.repeats > 1:
        times = "twice" if compared.repeats == 2 else f"{compared.repeats} times"
        yield f"The table is folded {times}, so that less depends on how the folds fall."
    if not fast:
        yield (
            "Settings are chosen on training rows only, for forests with 25 trees: by three folds of them, "
            "or, of more than 2,000, by one of three folds of 2,000."
        )
    yield "Balanced error is the mean of the classes' errors, so each class counts equally."
    if compared.uneven:
        yield (
            "ROC AUC is the share of pairs, a row of the rare class and another, of which the first gets "
            "the higher probability. Average precision is the mean share of the class among the rows ranked "
            "first."
        )
    else:
        yield (
            "Log loss and Brier score judge the probabilities, the lower the better. They are not "
            "calibrated: a forest's are shares of its trees."
        )
    if compared.focus:
        yield "Each class counts the same in training, so probabilities rank rows, and are no risks."


def _conclusion(table, compared):
    if compared.focus:
        return [*_of_the_rarest(table, compared), _partial_by_class(compared)]
    best, baseline = compared.ranked[0], compared.interval(BASELINE).mean
    constant = f"always answering {table.y.mode()[0]!r}"
    if not compared.beats_constant:
        first = (
            f"By plain error, these data do not show that any of the classifiers predicts “{table.target}” "
            f"better than {constant}, which is wrong for {percent(baseline)} of the rows"
            f"{_chance(compared, best)}."
        )
        return [first, _ranking(table, compared), _partial(table, compared)]
    error = compared.interval(best)
    interval = ends(error, digits=1 if error.high > 0.005 else 2)
    first = (
        f"{best[0].upper()}{best[1:]} has the lowest error: {percent(error.mean)} (95% interval {interval}) "
        f"of the rows; {constant} would be wrong for {percent(baseline)}."
    )
    second = _advice(compared)
    return [first, second, *_rare(table, compared, best), _partial(table, compared)]


def _advice(compared):
    """Which method to use, and what these data say of the others.

    The best is advised, unless a simple one is shown to be as good.
    """
    best, *others = compared.ranked
    advised, equal = compared.advised, compared.not_worse()
    beaten = [_the(name) for name in others if name not in equal and name != BASELINE]
    if advised != best:
        return (
            f"Yet use {_the(advised)}, which can be read: it {_does(compared, advised)}, and is behind by "
            f"{_behind(compared, advised)} {_unit(compared)}, where {100 * compared.margin:.2g} is allowed."
        )
    if not equal:
        worse = beaten[0] if len(beaten) == 1 else f"each of the {len(beaten)} others"
        return f"Use it: it is better than {worse} (intervals that hold together with 95%)."
    open_to = f"these data do not tell it apart from {_list([_the(name) for name in equal])}."
    sentence = (
        f"Use it: it is better than {_list(beaten)}; {open_to}" if beaten else f"Use it, although {open_to}"
    )
    simple = next((name for name in SIMPLE if name in equal), None)
    if simple and best not in SIMPLE:
        sentence += (
            f" If you need {_READ[simple]} that you can read: {_the(simple)} {_does(compared, simple)}, and "
            f"is behind by {_behind(compared, simple)} {_unit(compared)}."
        )
    return sentence


def _the(name):
    return f"the {name}" if name == TREE else name


def _does(compared, name):
    """How good a method is, as a clause without its subject."""
    if compared.focus:
        return f"has a ROC AUC of {compared.errors(name, 'auc').mean():.2f}"
    return f"errs on {percent(compared.interval(name).mean)}"


def _unit(compared):
    """That of a difference of two methods."""
    return "hundredths" if compared.focus else "percentage points"


def _behind(compared, name):
    """The interval of how far a method is behind the best."""
    return ends(compared.difference(name, compared.ranked[0]))


def _chance(compared, best):
    """What the best one seems to gain."""
    if best == BASELINE:
        return ""
    gain = compared.difference(BASELINE, best)
    mean = f"{100 * gain.mean:.1f} points (interval {ends(gain)})"
    return f"; the best of them, {best}, gains {mean}, which may be chance"


def _of_the_rarest(table, compared):
    """How well the rows of a rare class are found, where that is what matters."""
    rarest, share = compared.rarest, percent((table.y == compared.rarest).mean())
    name, auc = compared.best_ranking()
    if not compared.beats_constant:
        return [
            f"Only {share} of the rows are {rarest!r}, and these data do not show that any of the "
            f"classifiers ranks them before the others: the highest ROC AUC, that of {name}, is "
            f"{_of_the_best(auc, compared)}, and 0.5 is chance. {_LITTLE}"
        ]
    precision, chance = compared.interval(name, "average_precision"), (table.y == rarest).mean()
    first = (
        f"Only {share} of the rows are {rarest!r}. {name[0].upper()}{name[1:]} finds them best: by its "
        f"probability of {rarest!r} it ranks the rows with a ROC AUC of "
        f"{_of_the_best(auc, compared)}, where 0.5 is chance, and an average precision of "
        f"{_with_ends(precision)}, where {chance:.2f} is chance."
    )
    second = _advice(compared)
    right = compared.labels == rarest
    threshold, called = compared.called(name)
    hits, n_called = int((called & right).sum()), int(called.sum())
    third = (
        f"Of the {several(n_called, 'row')} with the highest probabilities ({threshold:.2f} or more), "
        f"{how_many(compared)}, {hits:,} are {rarest!r}: {several(n_called - hits, 'false alarm')}, and "
        f"{several(int(right.sum()) - hits, 'row')} missed."
    )
    return [first, second, third]


def how_many(compared):
    """How many rows get the label of the rare class."""
    if not compared.costs:
        return "about as many as the class has"
    miss, false_alarm = compared.costs
    return f"the cheapest number of rows if a miss costs {miss:g} and a false alarm {false_alarm:g}"


def _ranking(table, compared):
    """What the probabilities tell where the answers tell nothing."""
    name, auc = compared.best_ranking()
    rarest = compared.rarest
    if auc is None:
        return "That does not say how well their probabilities rank the rows."
    if auc.low <= 0.5:
        return (
            f"Nor do these data show that any of them ranks the rows of {rarest!r} before the others: the "
            f"highest ROC AUC, that of {name}, is {_of_the_best(auc, compared)}, and 0.5 is chance. {_LITTLE}"
        )
    return (
        f"Yet the columns tell something: by its probability of {rarest!r}, {name} ranks the rows with a ROC "
        f"AUC of {_of_the_best(auc, compared)}, where 0.5 is chance. It has "
        f"{_list(_rest(table, compared, name)[1:])}."
    )


def _rare(table, compared, best):
    """What a low error hides if there is a rare class."""
    if not compared.uneven:
        return []
    share = percent((table.y == compared.rarest).mean())
    return [
        f"Only {share} of the rows are {compared.rarest!r}, so the error says little about them: {best} has "
        f"{_list(_rest(table, compared, best))}."
    ]


def _rest(table, compared, name):
    """Measures that a rare class does not flatter, each beside that of chance."""
    auc, precision, balanced, constant = (
        compared.errors(one, column).mean()
        for one, column in [
            (name, "auc"), (name, "average_precision"), (name, "balanced_error"), (BASELINE, "balanced_error")
        ]
    )  # fmt: skip
    chance = (table.y == compared.rarest).mean()
    said = [
        f"a ROC AUC of {auc:.2f} (chance: 0.50)",
        f"an average precision of {precision:.2f} (chance: {chance:.2f})",
        f"a balanced error of {percent(balanced)} (always the same answer: {percent(constant)})",
    ]
    return said[2:] if np.isnan(auc) else said  # a fold may lack the class


def _with_ends(interval, note=""):
    return f"{interval.mean:.2f} (interval {ends(interval, 1, 2)}{note})"


def _of_the_best(interval, compared):
    """The highest value and its interval, which is wider than in the table of all methods, and why."""
    return _with_ends(interval, f", widened because it is the best of {len(compared.ranked) - 1}")


def _partial(table, compared):
    """Where the partial forest predicts in the first repetition, beside the most frequent class there."""
    y = compared.labels
    said = compared.confidences[PARTIAL] >= 1
    right = compared.predictions[PARTIAL] == y
    if not said.any():
        return _ABSTAINS
    often = table.y.mode()[0]
    accuracy, constant = right[said].mean(), np.mean(y[said] == often)
    sentence = (
        f"The partial forest (PCF) predicts {percent(said.mean())} of the rows, {percent(accuracy)} of them "
        f"correctly (always answering {often!r} would be right for {percent(constant)} of these), and "
        f"abstains on {'none' if said.all() else 'the others'}."
    )
    by_class = pd.Series(right[said]).groupby(y[said]).agg(["mean", "sum", "size"]).sort_values("mean")
    if len(by_class) == 1:
        return f"{sentence} All rows that it predicts are {by_class.index[0]!r}."
    worst = by_class.iloc[0]
    if worst["mean"] == 1:
        return sentence
    return (
        f"{sentence} Of the class on which it errs most, {by_class.index[0]!r}, it predicts "
        f"{several(int(worst['size']), 'row')}, {int(worst['sum']):,} correctly."
    )


def _partial_by_class(compared):
    """What the partial forest does with the rare class, and with the others."""
    rare = compared.labels == compared.rarest
    said = compared.confidences[PARTIAL] >= 1
    right = compared.predictions[PARTIAL] == compared.labels
    if not said.any():
        return _ABSTAINS
    parts = []
    for here in (rare, ~rare):
        some = percent((said & here).sum() / here.sum())
        parts.append(
            f"{some}, {percent(right[said & here].mean())} of them correctly"
            if (said & here).any()
            else "none"
        )
    return (
        f"Of the rows that are {compared.rarest!r}, the partial forest (PCF) predicts {parts[0]}; of the "
        f"others {parts[1]}. On the rest it abstains."
    )


def as_list(sentences):
    """Sentences as an HTML list; they hold names from the file, in which Markdown must see nothing."""
    items = (f"<li>{as_markup(one)}</li>" for one in sentences)
    return HTML("".join([f"<ul {NO_MATH}>", *items, "</ul>"]))


def paragraph(sentences):
    """Sentences as an HTML paragraph."""
    return HTML(f"<p {NO_MATH}>{as_markup(' '.join(sentences))}</p>")


def captioned(frame, caption):
    """A table with its own caption, None if there is none; the page keeps its names as they are."""
    if frame is None:
        return None
    text = f"<caption>{as_markup(caption)}</caption>\n  <thead>"
    with pd.option_context("display.html.use_mathjax", False):
        shown = frame._repr_html_().replace('class="dataframe', 'class="dataframe verbatim', 1)
    return HTML(shown.replace("<thead>", text, 1))


def counted(kinds):
    """How many columns there are of each kind, ``"numbers (12), left out: constant (1)"``."""
    return ", ".join(f"{kind} ({n})" for kind, n in kinds.items())


def percent(share):
    """A share as ``"12.3%"``, without a false zero or hundred."""
    value = 100 * share
    if 0 < value < 0.1:
        return "less than 0.1%"
    if 99.9 < value < 100:
        return "more than 99.9%"
    return f"{value:.0f}%" if value in (0, 100) else f"{value:.1f}%"


def ends(interval, scale=100, digits=1):
    """An interval as ``"−1.2 to 3.4"``, by default in percent or percentage points."""
    return f"{scale * interval.low:.{digits}f} to {scale * interval.high:.{digits}f}".replace("-", "−")


def _list(names):
    """A list in words, of more than three only the first two: the figure and the table have all."""
    if len(names) > 3:
        names = [*names[:2], f"{len(names) - 2} others"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
