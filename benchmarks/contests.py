"""What is compared with what, on which data, and how many times as long the peers should take.

A contest builds a title and its contestants for a :class:`Size`.  Its targets are the ratios that the project
aims at, or None for a ratio that is shown without one.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn import ensemble, tree

from benchmarks import data
from benchmarks.peers import Peer, PeerNotAvailableError
from benchmarks.timing import Contestant, accuracies, estimator, in_turn, ratios, take_turns
from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.rules import apriori
from studylib.studies.graf import repeated
from studylib.studies.pcf.without_coverage_warning import PartialClassificationForest
from studylib.trees import AdaBoostClassifier, RandomForestClassifier, TreePredictor

BOTH = "fit + predict"
ONE_HOT, ORDINAL = "scikit-learn, one-hot", "scikit-learn, ordinal"
RF, EXTRA = "scikit-learn's random forest", "scikit-learn's extra trees"
TREE = "scikit-learn's tree"
LIGHTGBM = "LightGBM's random forest"
AUTO, PURE = "ours, m chosen", "blend, m = 2"
YDF, TREEPLE = "YDF's oblique forest", "treeple's oblique forest"
EMBEDDING, ONE_FEATURE = "scikit-learn's random-trees embedding", "scikit-learn's extra trees, one feature"
MLXTEND, MLXTEND_FP = "mlxtend's apriori", "mlxtend's fpgrowth"
ECLAT, FPGROWTH = "pyfim's eclat (C)", "pyfim's fpgrowth (C)"


class Size(NamedTuple):
    """Share of the rows, number of trees, and whether to install peers that need other environments."""

    scale: float = 1.0
    n_trees: int = 100
    elsewhere: bool = False


def _mixed(size, ours, one_hot, ordinal):
    title, tables, y, labels = data.mushroom_tables(size.scale)
    models = {"frame": ours, "one-hot": one_hot, "ordinal": ordinal}
    names = {"frame": "ours", "one-hot": ONE_HOT, "ordinal": ORDINAL}
    return title, {
        names[t]: estimator(model, tables[t][0], y, tables[t][1], labels) for t, model in models.items()
    }


def tree_on_mixed_columns(size):
    """One tree on numbers and categories."""
    return _mixed(
        size, TreePredictor("gini"), *(tree.DecisionTreeClassifier(random_state=0) for _ in range(2))
    )


def forest_on_mixed_columns(size):
    """A random forest on numbers and categories."""
    n = max(2, size.n_trees // 5)
    title, found = _mixed(
        size,
        RandomForestClassifier(n, criterion="gini", random_state=0),
        *(ensemble.RandomForestClassifier(n, random_state=0) for _ in range(2)),
    )
    return f"{title}, {n} trees", found


def stumps_on_mixed_columns(size):
    """Boosted stumps on numbers and categories."""
    title, found = _mixed(
        size,
        AdaBoostClassifier(size.n_trees),
        *(ensemble.AdaBoostClassifier(n_estimators=size.n_trees) for _ in range(2)),
    )
    return f"{title}, {size.n_trees} rounds", found


def forest_on_numbers(size):
    """A random forest on numbers."""
    title, *parts = data.numbers(size.scale)
    n = max(2, size.n_trees // 5)
    models = {
        "ours": RandomForestClassifier(n, criterion="gini", random_state=0),
        AUTO: RandomForestClassifier(n, criterion="gini", min_samples_split="auto", random_state=0),
        RF: ensemble.RandomForestClassifier(n, random_state=0),
        **_lightgbm(n),
    }
    return f"{title}, {n} trees", {name: estimator(model, *parts) for name, model in models.items()}


def _lightgbm(n_trees):
    """LightGBM as a random forest of trees as large as the others'; nothing if it cannot be imported."""
    try:
        from lightgbm import LGBMClassifier
    except (ImportError, OSError) as error:  # OSError: a library of the system is missing
        print(f"LightGBM is left out: {str(error).splitlines()[0]}")
        return {}
    return {
        LIGHTGBM: LGBMClassifier(
            boosting_type="rf", n_estimators=n_trees, num_leaves=2**12, min_child_samples=1,
            bagging_freq=1, bagging_fraction=0.632, feature_fraction_bynode=0.22, n_jobs=1, verbose=-1,
        )
    }  # fmt: skip


def _guided(title, parts, n_trees, elsewhere=()):
    models = {
        **{
            name: GuidedRandomForestClassifier(n_trees, hyperplane=name, random_state=0)
            for name in ("box", "guided", "canonical")
        },
        "blend": BlendedForestClassifier(n_trees, random_state=0),
        PURE: BlendedForestClassifier(n_trees, min_samples_split=2, random_state=0),
        RF: ensemble.RandomForestClassifier(n_trees, random_state=0),
        EXTRA: ensemble.ExtraTreesClassifier(n_trees, random_state=0),
    }
    found = {name: estimator(model, *parts) for name, model in models.items()}
    arrays = dict(zip(("X", "y", "probes", "labels"), parts, strict=True))
    kinds = {YDF: ("ydf", "ydf_forest"), TREEPLE: ("treeple", "treeple_forest")}
    for name in elsewhere:
        found |= _elsewhere(name, *kinds[name], arrays, once=name == YDF, n_trees=n_trees)
    return f"{title}, {n_trees} trees", found


def _elsewhere(name, package, what, arrays, once=False, **options):
    """A contestant from another environment, or nothing, and why."""
    try:
        return {name: Peer(package, what, arrays, **options).contestant(once)}
    except PeerNotAvailableError as error:
        print(f"{name} is left out: {error}")
        return {}


def guided_on_letter(size):
    """Guided forests, the blend, and other packages' oblique forests on 26 classes."""
    title, *parts = data.letter(size.scale)
    return _guided(title, parts, size.n_trees, (YDF, TREEPLE) if size.elsewhere else ())


def guided_on_spambase(size):
    """Guided forests and the blend on 57 features."""
    title, *parts = data.spambase(size.scale)
    return _guided(title, parts, size.n_trees)


def guided_on_noisy(size):
    """Guided forests and the blend on many noisy rows."""
    title, *parts = data.noisy(size.scale)
    return _guided(title, parts, size.n_trees)


def forests_on_wide(size):
    """Each forest and one tree on 300 features."""
    title, *parts = data.wide(size.scale)
    n = max(2, size.n_trees // 5)
    title, found = _guided(title, parts, n)
    models = {
        "random forest": RandomForestClassifier(n, criterion="gini", random_state=0),
        "tree": TreePredictor("gini"),
        TREE: tree.DecisionTreeClassifier(random_state=0),
    }
    return title, found | {name: estimator(model, *parts) for name, model in models.items()}


def blend_on_real_tables(size):
    """The blend, and scikit-learn's methods, on real tables with categories and missing values."""
    title, tables = data.real_tables(size.scale)
    as_they_are = (repeated.BLEND, repeated.PURE, repeated.HGB)

    def on_one(method, X, y, probes, labels):
        if method not in as_they_are:
            X, probes = repeated.as_codes(X), repeated.as_codes(probes)
        return estimator(repeated.model(method, size.n_trees, 0), X, y, probes, labels)

    found = {method: in_turn([on_one(method, *parts) for parts in tables]) for method in repeated.ON_TABLES}
    return f"{title}, one after the other, {size.n_trees} trees", found


def pcf(size):
    """The Partial Classification Forest and two forests that also draw their splits at random."""
    options = {"max_depth": 32, "random_state": 0}
    X, y, probes, labels = data.clean_partitions(size.scale)
    trees = ensemble.ExtraTreesClassifier(size.n_trees, max_features=1, **options)
    embedding = ensemble.RandomTreesEmbedding(size.n_trees, **options)
    ours = PartialClassificationForest(size.n_trees, **options)
    return f"simulated, {len(X):,} × 10, {size.n_trees} trees", {
        "ours": Contestant(lambda: ours.fit(X, y), lambda: ours.predict(probes)),
        ONE_FEATURE: estimator(trees, X, y, probes, labels),
        EMBEDDING: Contestant(lambda: embedding.fit(X), lambda: embedding.apply(probes)),
    }


def _itemsets(title, transactions, share, elsewhere):
    from mlxtend.frequent_patterns import apriori as theirs
    from mlxtend.frequent_patterns import fpgrowth

    frame = data.one_hot(transactions)
    found = {
        "from lists": Contestant(lambda: apriori(transactions, share)),
        "from a frame": Contestant(lambda: apriori(frame, share)),
        MLXTEND: Contestant(lambda: theirs(frame, share, use_colnames=True, low_memory=True)),
        MLXTEND_FP: Contestant(lambda: fpgrowth(frame, share, use_colnames=True)),
    }
    if not elsewhere:
        return f"{title}, {len(transactions):,} transactions, support {share:.1%}", found
    items = {item: k for k, item in enumerate(sorted({i for basket in transactions for i in basket}))}
    arrays = {
        "items": np.array([items[item] for basket in transactions for item in basket], np.int32),
        "ends": np.cumsum([0, *map(len, transactions)]),
    }
    for name, algorithm in ((ECLAT, "eclat"), (FPGROWTH, "fpgrowth")):
        found |= _elsewhere(name, "pyfim", "pyfim", arrays, algorithm=algorithm, share=share)
    return f"{title}, {len(transactions):,} transactions, support {share:.1%}", found


def itemsets_of_baskets(size):
    """Frequent itemsets of simulated baskets."""
    return _itemsets("T10.I4 baskets", data.baskets(data.share_of(100_000, size.scale)), 0.01, size.elsewhere)


def itemsets_of_mushrooms(size):
    """Frequent itemsets of real rows, up to a hundred thousand and more."""
    origin, transactions = data.mushroom_baskets(size.scale)
    return _itemsets(origin, transactions, 0.1, size.elsewhere)


class Contest(NamedTuple):
    """What to build, how often to repeat it at full scale, and the targets."""

    build: object
    repeats: int
    targets: dict


def _against(ours, others):
    """``{(ours, other, work): target}`` from ``{other: {work: target}}``."""
    return {(ours, other, work): goal for other, works in others.items() for work, goal in works.items()}


def _guided_targets(box, guided, canonical, blend, predict):
    goals = {"box": box, "guided": guided, "canonical": canonical, "blend": blend}
    found = {(name, RF, BOTH): goal for name, goal in goals.items()}
    found |= {(name, RF, "predict"): predict for name in ("box", "guided", "canonical")}
    return found | {(name, EXTRA, BOTH): None for name in goals} | CHOSEN


#: Choosing the least node size shall not make the blend's fit longer.
CHOSEN = {("blend", PURE, "fit"): 1.0, ("blend", PURE, "predict"): None}
ITEMSETS = _against("from a frame", {MLXTEND: {"fit": 10.0}, MLXTEND_FP: {"fit": None}}) | _against(
    "from lists", {ECLAT: {"fit": 1 / 3}, FPGROWTH: {"fit": 1 / 3}}
)
CONTESTS = {
    "trees": Contest(
        tree_on_mixed_columns,
        9,
        _against("ours", {ONE_HOT: {"fit": 5.0, "predict": 1.2}, ORDINAL: {"fit": 3.0, "predict": 1.0}}),
    ),
    "forests": Contest(
        forest_on_mixed_columns,
        3,
        _against("ours", {ONE_HOT: {"fit": 3.0, "predict": None}, ORDINAL: {"fit": None, "predict": None}}),
    ),
    "numbers": Contest(
        forest_on_numbers,
        7,
        _against("ours", {RF: {"fit": 1.5, "predict": 1.7}, LIGHTGBM: {"fit": None, "predict": None}})
        | {(AUTO, "ours", "fit"): 1 / 1.1, (AUTO, "ours", "predict"): None},
    ),
    "stumps": Contest(
        stumps_on_mixed_columns,
        3,
        _against("ours", {ONE_HOT: {"fit": None, "predict": None}, ORDINAL: {"fit": None, "predict": None}}),
    ),
    "letter": Contest(
        guided_on_letter,
        7,
        _guided_targets(4.0, 5.0, 3.0, 1.5, 1.5)
        | {(ours, other, BOTH): 5.0 for other in (YDF, TREEPLE) for ours in ("box", "guided", "canonical")},
    ),
    "spambase": Contest(guided_on_spambase, 7, _guided_targets(None, None, None, 1.5, None)),
    "noisy": Contest(guided_on_noisy, 3, _guided_targets(16.0, 18.0, 12.0, 5.0, 1.5)),
    "wide": Contest(
        forests_on_wide,
        3,
        {(name, RF, "predict"): 1.0 for name in ("random forest", "box", "guided", "canonical", "blend")}
        | {("tree", TREE, "predict"): 1.0},
    ),
    "tables": Contest(
        blend_on_real_tables,
        3,
        CHOSEN
        | {
            ("blend", rival, BOTH): None for rival in (repeated.RF, repeated.ET, repeated.HGB, repeated.TUNED)
        },
    ),
    "pcf": Contest(
        pcf,
        3,
        _against(
            "ours", {ONE_FEATURE: {"fit": 2.5, "predict": None}, EMBEDDING: {"fit": 6.0, "predict": None}}
        ),
    ),
    "baskets": Contest(itemsets_of_baskets, 5, ITEMSETS),
    "mushrooms": Contest(itemsets_of_mushrooms, 3, ITEMSETS),
}


def hold(name, size, most_repeats=None):
    """Hold one contest.

    Parameters
    ----------
    name : str
        A key of ``CONTESTS``.
    size : Size
    most_repeats : int or None
        At most so many repetitions; by default as many as the contest asks for.

    Returns
    -------
    (str, DataFrame, dict)
        A title, :func:`benchmarks.timing.ratios`, and the accuracy of each contestant that has one.
    """
    contest = CONTESTS[name]
    targets = (
        contest.targets if (size.scale, size.n_trees) == Size()[:2] else dict.fromkeys(contest.targets)
    )  # they are for full scale
    title, contestants = contest.build(size)
    try:
        seconds = take_turns(contestants, min(most_repeats or contest.repeats, contest.repeats))
        return title, ratios(seconds, targets).assign(contest=name), accuracies(contestants)
    finally:
        for contestant in contestants.values():
            if contestant.close:
                contestant.close()


def hold_all(names, size, most_repeats=None):
    """Hold contests, and print the title and the accuracies of each as it ends.

    Parameters
    ----------
    names : iterable of str
    size, most_repeats
        As :func:`hold` takes them.

    Returns
    -------
    DataFrame
        All their ratios.
    """
    tables = []
    for name in names:
        title, table, shares = hold(name, size, most_repeats)
        said = ", ".join(f"{who} {share:.3f}" for who, share in shares.items() if share is not None)
        print(f"{name}: {title}" + (f"; accuracy: {said}" if said else ""), flush=True)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def readable(table):
    """A table of ratios for a page: what matters comes first, and nothing stands where there is no target."""
    numbers = table.round(2)
    return pd.DataFrame(
        {
            "ratio": numbers["ratio"],
            "target": [f"{goal:.3g}" if goal == goal else "" for goal in table["target"]],
            "reached": table["reached"],
            "quartiles": [
                f"{low:.2f} … {high:.2f}"
                for low, high in zip(numbers["lower quartile"], numbers["upper quartile"], strict=True)
            ],
            "ms": numbers["ms"],
            "its ms": numbers["its ms"],
        }
    ).set_axis(pd.MultiIndex.from_frame(table[["contest", "estimator", "compared with", "work"]]))
