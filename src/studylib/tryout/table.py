"""A table made ready: which rows, which columns, which classes; and all that must be said about it."""

import difflib
import pickle
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from studylib.core.text import shorten
from studylib.tryout.choice import are_numbers
from studylib.tryout.columns import Column, as_column, as_columns, as_entries, together, without_missing
from studylib.tryout.dates import AsDate
from studylib.tryout.doubts import doubts, formulas, leaks
from studylib.tryout.formats import shown as texts_of
from studylib.tryout.marks import marks_in
from studylib.tryout.options import Options
from studylib.tryout.phrases import near_or_all, number, several
from studylib.tryout.reading import read_table

N_FOLDS = 5
#: Labelled rows below which there is nothing to compare.
MIN_ROWS = 40
#: Rows × columns that are used at most, so that the page is there in about two minutes.
MAX_CELLS = 400_000
_MAX_CLASSES = 100
_UNEVEN = 0.4  # share of a class's even share of the rows; with two classes, 20% of the rows
_QUANTITY = 20  # different numbers, above which a target is asked about
_MOSTLY = 0.9  # share of numbers among labels that are asked about
_SPELLING = 0.85  # likeness of two labels, above which one may be a misspelling of the other
_WHOLE = r"[+-]?\d+\.0+"
_N_EXAMPLES = 5
_BARS, _HEIGHTS = 10, " ▁▂▃▄▅▆▇█"


@dataclass
class Table:
    """What is compared on.

    ``X`` has columns of float64 and category, with missing values, ``y`` is a Series of str.  ``columns`` has
    a row for each column of the file: ``kind``, ``distinct``, ``missing``, ``values``, ``distribution``,
    ``read as``; ``details`` what ``columns.json`` holds, how each was read and what became of it; ``parsed``
    what ``parsed.csv`` holds, the columns of ``X`` and the target as text; ``raw`` those of ``X`` as the file
    has them.  ``n_rows`` counts rows of the file.

    Rows with the same number in ``groups`` stay together, in training or in test; models are tested on rows
    with later ``times`` than those that they were fitted on.  ``positive`` is the label that matters; empty
    for the rarest.  ``remarks`` are sentences, ``leaks`` those about columns that tell the target too well.
    ``dates`` has an AsDate for each column of dates.
    """

    X: pd.DataFrame
    y: pd.Series
    target: str
    columns: pd.DataFrame
    n_rows: int
    remarks: list = field(default_factory=list)
    details: list = field(default_factory=list)
    parsed: pd.DataFrame | None = None
    raw: pd.DataFrame | None = None
    groups: np.ndarray | None = None
    positive: str = ""
    times: np.ndarray | None = None
    leaks: list = field(default_factory=list)
    dates: dict = field(default_factory=dict)

    @property
    def rarest(self):
        """The class with the fewest rows, or the one that --positive names."""
        return self.positive or self.y.value_counts().index[-1]

    @property
    def uneven(self):
        """True if that class has so few rows that a low error says little about it."""
        sizes = self.y.value_counts()
        return bool(sizes[self.rarest] < _UNEVEN * sizes.mean())

    @property
    def focus(self):
        """True if finding the rows of that class is what the page is about."""
        return self.uneven and (bool(self.positive) or self.y.nunique() == 2)

    @property
    def categorical(self):
        """Names of the columns with categories."""
        return list(self.X.select_dtypes("category"))


def load_table(path, target, max_rows=10_000, seed=0, **options):
    """Read a table and make it ready, or say in one sentence, a ValueError, what is wrong with it.

    At most ``max_rows`` rows are used, drawn at random with the classes in their shares.  The options, what
    the file does not say, are fields of :class:`studylib.tryout.options.Options`.
    """
    options = Options.of(options)
    frame, remarks = read_table(path, target, options)
    if options.group and options.time:
        raise ValueError(
            "try: --group and --time were both given, and rows can be divided by one of them only."
        )
    n_rows = len(frame)
    known = list(map(str, frame.columns))
    for name in (target, *options.of_columns()):
        if name not in known:
            raise ValueError(f"try: {path} has no column {name!r}{near_or_all(name, known)}")
    if target in options.of_columns():
        raise ValueError(
            f"try: {target!r} is the column to predict; --drop, --id, --group and --time need another one."
        )
    labelled = _labelled(frame[target], target, options, remarks)
    frame = frame[labelled].reset_index(drop=True)
    n_labelled = len(frame)
    y = _labels(frame[target], target)
    y, kept = _frequent(y, remarks, target)
    sizes = ", ".join(f"{label!r} {size:,}" for label, size in y.value_counts().items())
    _check_enough(
        len(y),
        f"{several(len(y), 'row')} of {n_labelled:,} are in classes of {target!r} with at least {N_FOLDS} "
        f"rows ({shorten(sizes, 100)})",
    )
    frame = frame[kept].reset_index(drop=True)
    if options.positive and options.positive not in set(y):
        labels = near_or_all(options.positive, sorted(set(y)))
        raise ValueError(f"try: --positive={options.positive} is no label of {target!r}{labels}")
    made = as_columns(frame, target, options)
    remarks += together({name: column.remark for name, column in made.items() if column.remark})
    X = pd.DataFrame({name: column.values for name, column in made.items() if column.values is not None})
    if X.shape[1] == 0:
        why = f": {shorten(' '.join(remarks), 400)}" if made else "; it is the only one."
        raise ValueError(f"try: {path} has no column to predict {target!r} from{why}")
    parsed = pd.DataFrame({name: made[name].as_text() for name in X} | {target: y})
    details = _details(frame, made, parsed)
    columns = _summary(frame, made, details)
    n_duplicates = int(X.duplicated().sum())
    if n_duplicates:
        folds = "; unless too many are alike, they stay together, in training or in test"
        folds = "" if options.time or options.group else folds
        remarks.append(f"{several(n_duplicates, 'row')} with the same features as an earlier row{folds}.")
    rows = _drawn(X, y, max_rows, seed, remarks)
    raw = frame[list(X)].iloc[rows].reset_index(drop=True)
    groups = None
    if options.group:
        texts = as_entries(frame[options.group].iloc[rows], options.missing)
        groups = pd.factorize(texts, use_na_sentinel=False)[0]
        n_groups = groups.max() + 1
        if n_groups < N_FOLDS:
            few = several(n_groups, "group")
            raise ValueError(f"try: --group={options.group} has {few}, and {N_FOLDS} are needed.")
        remarks.append("The blended forest chooses its shares of trees by rows, whatever their groups.")
    times = _times(frame[options.time].iloc[rows], y.iloc[rows], options) if options.time else None
    X, y = X.iloc[rows].reset_index(drop=True), y.iloc[rows].reset_index(drop=True)
    for name in X.select_dtypes("category"):
        X[name] = X[name].cat.remove_unused_categories()  # those that the draw left out
    remarks += [*doubts(X, y, target), *formulas(X, y, target)]
    dates = {name: AsDate(made[name].moments) for name in X if made[name].moments is not None}
    return Table(
        X, y, target, columns, n_rows, remarks, details, parsed.iloc[rows], raw, groups,
        options.positive or "", times, leaks(X, y, target), dates,
    )  # fmt: skip


def kept_table(path, *arguments, **options):
    """The table that the command has put into this file of its own; without one, that of ``load_table``."""
    path = Path(path)
    return pickle.loads(path.read_bytes()) if path.is_file() else load_table(*arguments, **options)


def _times(series, y, options):
    """A number for each row that says which is later."""
    name = options.time
    column = as_column(name, series, replace(options, time=None))
    values = column.values if column.kind in ("numbers", "dates") else pd.to_numeric(series, errors="coerce")
    if values.isna().any():
        raise ValueError(
            f"try: --time={name} needs a date or a number in each row, and "
            f"{several(values.isna().sum(), 'row')} of {len(series):,} have none that can be read."
        )
    times = values.to_numpy()
    earliest = y.iloc[np.argsort(times, kind="stable")[: len(y) // (N_FOLDS + 1)]]
    if earliest.nunique() == 1:
        raise ValueError(
            f"try: --time={name}: the earliest {several(len(earliest), 'row')} all have the label "
            f"{earliest.iloc[0]!r}, so there is nothing to learn before the first test."
        )
    return times


def _labelled(column, target, options, remarks):
    """Which rows have a label.  The word none is a class, unless all others are numbers."""
    texts = as_entries(without_missing(column, options.missing), options.missing)
    different = texts.dropna().unique()
    gaps = set(different[marks_in(different)])
    none = {text for text in different if text.casefold() == "none"}
    if none and are_numbers([text for text in different if text not in gaps | none]):
        gaps |= none
    elif none:
        words, n = ", ".join(map(repr, sorted(none))), several(texts.isin(none).sum(), "row")
        remarks.append(f"Read as a class and not as a gap: {words} ({n}); a gap is an empty entry.")
    gap = texts.isin(gaps)
    if gap.any():
        words = ", ".join(map(repr, texts[gap].unique()))
        remarks.append(
            f"Read as no label: {words} ({several(gap.sum(), 'row')}); a class of this name needs another."
        )
    empty = texts.isna() | gap
    if empty.any():
        remarks.append(f"Left out: {several(empty.sum(), 'row')} without a label.")
    return ~empty


def _check_enough(n, why):
    if n < MIN_ROWS:
        raise ValueError(f"try: {why}; a comparison needs at least {MIN_ROWS}.")


def _labels(column, target):
    """The target as text; ValueError if it is no class."""
    _check_enough(len(column), f"the table has {several(len(column), 'row')} with a label in {target!r}")
    labels = column.astype(str).str.strip()
    n_distinct = labels.nunique()
    if n_distinct == 1:
        raise ValueError(
            f"try: all rows have the same label in {target!r}, {labels.iloc[0]!r:.40}; there is "
            "nothing to tell apart."
        )
    telling = [text for text in labels.unique() if any(map(str.isdecimal, text))]
    mostly = labels.isin(telling).mean() > _MOSTLY
    if len(telling) > _QUANTITY and mostly and are_numbers(telling):
        cut = f"pandas.qcut(table[{target!r}], 3, labels=['low', 'mid', 'high'])"
        raise ValueError(
            f"try: {target!r} holds {n_distinct:,} different numbers, so it looks like a quantity and not "
            f"like a class; cut it, as in {cut}, or put a letter before numbers that name classes."
        )
    if n_distinct > 0.5 * len(column):
        raise ValueError(
            f"try: {target!r} holds {n_distinct:,} different labels in {len(column):,} rows, so it names "
            "rows rather than classes; choose another column."
        )
    if labels.str.fullmatch(_WHOLE).all():
        labels = labels.str.split(".").str[0]  # 1.0 because some were missing
    return labels


def _frequent(y, remarks, target):
    """Leave out classes that are too rare for the folds."""
    sizes = y.value_counts()
    kept = sizes.index[sizes >= N_FOLDS][:_MAX_CLASSES]
    if len(kept) < 2:
        raise ValueError(
            f"try: {target!r} has {several(len(sizes), 'class', 'classes')}, {len(kept)} of them with at "
            f"least {N_FOLDS} rows; {N_FOLDS}-fold cross-validation needs two such classes."
        )
    if len(kept) < len(sizes):
        rare = [name for name in sizes.index if name not in set(kept)]
        few = ", ".join(map(repr, rare[:5])) + (" …" if len(rare) > 5 else "")
        if sizes[rare[0]] < N_FOLDS:
            why = f"fewer than {N_FOLDS} rows, one for each fold"
        else:
            why = f"fewer rows than the {_MAX_CLASSES} most frequent ones"
        remarks.append(
            f"Left out: {several(len(rare), 'class', 'classes')} with {why}, in all "
            f"{several(sizes[rare].sum(), 'row')}: {few}.{_misspelt(rare, list(kept))}"
        )
    mask = y.isin(kept)
    return y[mask].reset_index(drop=True), mask.to_numpy()


def _misspelt(rare, kept):
    """A sentence about classes left out that look like another spelling of others, or nothing."""
    folded = {name.casefold(): name for name in kept}
    pairs = [
        f"{name!r} ({folded[found[0]]!r})"
        for name in rare
        if not are_numbers([name])
        and (found := difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=_SPELLING))
    ]
    if not pairs:
        return ""
    shown = ", ".join(pairs[:5]) + (" …" if len(pairs) > 5 else "")
    return f" Are these spellings of classes that stay: {shown}? Then correct them in the file."


def _drawn(X, y, max_rows, seed, remarks):
    """Numbers of at most ``max_rows`` rows, fewer if there are many columns."""
    n_classes = y.nunique()
    n = min(max_rows, max(1000, MAX_CELLS // X.shape[1]), max(2000, 200_000 // n_classes))
    if len(y) <= n:
        return np.arange(len(y))
    rng = np.random.default_rng(seed)
    drawn = []
    for label, size in y.value_counts(sort=False).items():
        share = max(round(size * n / len(y)), min(size, 2 * N_FOLDS))  # enough of a rare class for the folds
        drawn.append(rng.choice(np.flatnonzero(y == label), share, replace=False))
    rows = np.sort(np.concatenate(drawn))  # by rounding, a few more or fewer than n
    remarks.append(
        f"{len(rows):,} of {len(y):,} rows were drawn for the comparison, each class in its share"
        + (", because the table has many columns or classes." if n < max_rows else "; --rows sets how many.")
    )
    return rows


def _details(frame, made, parsed):
    """What became of each column of the file, in its order, with different entries and how they were read."""
    rows = []
    for name in frame:
        column = made.get(name) or Column("target", how={"kind": "categories"})
        kept, how = name in parsed, column.how or {}
        raw = frame[name].dropna().astype(str).drop_duplicates()[:_N_EXAMPLES]
        read = parsed[name][raw.index] if kept else [None] * len(raw)
        rows.append(
            {
                "name": name,
                "kind": column.kind,
                "format": how.get("name", ""),
                "how": how if kept else None,
                "dropped": not kept,
                "reason": "" if kept else column.remark,
                "examples": [list(pair) for pair in zip(raw, read, strict=True)],
            }
        )
    return rows


def _summary(frame, made, details):
    rows, examples = [], {row["name"]: row["examples"] for row in details}
    for name, column in made.items():
        known = frame[name].dropna()
        missing = (frame[name] if column.values is None else column.values).isna()
        shown = ", ".join(f"{value!s:.20}" for value in known.astype(str).value_counts().index[:3])
        if column.kind in ("numbers", "dates") and column.values is not None:
            shown = _range(column)
        rows.append(
            {
                "column": name,
                "kind": column.kind if column.values is not None else f"left out: {column.kind}",
                "distinct": known.astype(str).nunique(),
                "missing": f"{100 * missing.mean():.1f}%" if missing.any() else "",
                "values": shown,
                "distribution": _bars(column.values, column.kind),
                "read as": _example(examples[name]) if column.values is not None else "",
            }
        )
    return pd.DataFrame(rows).set_index("column")


def _bars(values, kind):
    """How often values come, as a row of bars: ten ranges, or the most frequent categories."""
    if values is None:
        return ""
    if kind == "categories":
        counts = values.value_counts().to_numpy()[:_BARS]
    else:
        known = values.dropna().to_numpy()
        try:
            counts = np.histogram(known, _BARS)[0] if np.isfinite(np.ptp(known)) else []
        except ValueError:  # 10^20 and 10^20 + 1 have no ten numbers between them
            counts = []
    return "".join(_HEIGHTS[int(np.ceil(8 * n / max(counts)))] for n in counts)


def _range(column):
    """The least and the largest value, as a reader would write them."""
    if column.moments is None:
        return f"{number(column.values.min())} to {number(column.values.max())}"
    ends = pd.Series([column.moments.min(), column.moments.max()])
    return " to ".join(text.replace("T", " ") for text in texts_of("dates", ends))


def _example(pairs):
    """The first entry that was read as something else than it looks like."""
    told = [(raw, parsed) for raw, parsed in pairs if parsed not in (raw, raw.rstrip("0").rstrip("."))]
    return f"{told[0][0]:.30} → {told[0][1]:.30}" if told else ""
