"""One tree of the Guided Random Forest the slow, obvious way: the oracle of ``studylib.graf``.

Written from the source's equations and from the readings in the project's description; it imports nothing of
studylib.  Data are lists of floats, a partition is a list of row numbers in the order of the data set, every
quantity is counted anew where it is needed.  Random numbers come from a function ``uniform() -> [0, 1)``, in
this order: the features of the tree, then for each hyperplane one number a feature ("box", "centred"), or
for each candidate its features and its weights ("guided", "canonical").

Where a float decides (bits, ties), the order of its operations is part of what is pinned: sums run over
features, or classes, in ascending order, and a mean is that of :func:`mean`.
"""

import math
from dataclasses import dataclass


def draw(items, m, uniform):
    """``m`` of the items without replacement: swapped to the front of the list one after the other."""
    for i in range(m):
        j = i + int(uniform() * (len(items) - i))
        items[i], items[j] = items[j], items[i]
    return items[:m]


def mean(values):
    """Mean by four interleaved sums (the built-in sum compensates for rounding from Python 3.12 on)."""
    sums = [0.0] * 4
    for i, value in enumerate(values):
        sums[i % 4] += value
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) / len(values)


@dataclass
class Plane:
    features: list
    weights: list
    threshold: float = math.nan

    def project(self, x):
        total = 0.0
        for feature, weight in zip(self.features, self.weights, strict=True):
            total += weight * x[feature]
        return total

    def bit(self, x):
        """Eq 3."""
        return int(self.project(x) > self.threshold)


@dataclass
class Partition:
    rows: list
    height: int
    code: str
    plane: Plane | None = None
    children: tuple | None = None
    given_up: bool = False  # looks impure, but no hyperplane divides it


def divide(rows, X, plane):
    """Eqs 13 and 14: the rows with bit 0, and those with bit 1."""
    return [i for i in rows if plane.bit(X[i]) == 0], [i for i in rows if plane.bit(X[i]) == 1]


def counts_of(rows, y, n_classes):
    return [sum(y[i] == c for i in rows) for c in range(n_classes)]


def impurity(rows, y, totals):
    """Z, eq 10."""
    counts = counts_of(rows, y, len(totals))
    total = squares = 0.0
    for count, n in zip(counts, totals, strict=True):
        total += count / n
        squares += (count / n) * (count / n)
    return (1.0 - squares / (total * total)) * len(rows)


def shares(rows, y, totals):
    """Eqs 18 to 20: class shares, re-weighted by inverse class frequency."""
    counts = counts_of(rows, y, len(totals))
    weighted = [count / len(rows) * (sum(totals) / n) for count, n in zip(counts, totals, strict=True)]
    return [w / sum(weighted) for w in weighted]


def weighted_gini(rows, y, n_classes):
    """Gini impurity times the number of rows."""
    squares = sum(float(count) * count for count in counts_of(rows, y, n_classes))
    return len(rows) - squares / len(rows)


def relative_gain(rows, y, n_classes, sides):
    before = weighted_gini(rows, y, n_classes)
    return (before - (weighted_gini(sides[0], y, n_classes) + weighted_gini(sides[1], y, n_classes))) / before


def ranges_of(rows, X, features):
    """Eqs 6 and 7: ``(min, max)`` of each feature."""
    return [(min(X[i][f] for i in rows), max(X[i][f] for i in rows)) for f in features]


def random_plane(rows, X, features, hyperplane, uniform):
    """Eqs 4 to 8; None if ten draws do not divide the rows, or if nothing can."""
    ranges = ranges_of(rows, X, features)
    for _ in range(10):
        weights = []
        for low, high in ranges:
            u = uniform()
            if hyperplane == "centred":
                weights.append((u - 0.5) * (high - low) if low < high else 0.0)
            elif low < high:
                epsilon = 1e-6 * (high - low)
                weights.append((low + epsilon) + u * ((high - epsilon) - (low + epsilon)))
            else:
                weights.append(low)
        plane = Plane(features, weights)
        plane.threshold = mean([plane.project(X[i]) for i in rows])
        if all(low == high for low, high in ranges):
            return None
        if all(divide(rows, X, plane)):
            return plane
    return None


def draw_varying(items, n_constant, k, uniform, ranges):
    """``(constant ones by now, k of the features that vary)``.

    The list has the constant ones that are known in front, then those that are drawn.
    """
    taken = 0
    while taken < k and n_constant + taken < len(items):
        i = n_constant + taken
        j = i + int(uniform() * (len(items) - i))
        items[i], items[j] = items[j], items[i]
        low, high = ranges[items[i]]
        if high - low > 1e-300:
            taken += 1
        else:
            items[i], items[n_constant] = items[n_constant], items[i]
            n_constant += 1
    return n_constant, items[n_constant : n_constant + taken]


def best_threshold(line, labels, n_classes):
    """``(score, threshold)`` of the first best of all cuts between neighbours, or None if there is none."""
    distinct, best = sorted(set(line)), None
    for below, above in zip(distinct, distinct[1:], strict=False):
        threshold = below + 0.5 * (above - below)
        if threshold >= above:
            threshold = below
        sides = [[i for i, x in enumerate(line) if (x > threshold) == side] for side in (False, True)]
        score = -(weighted_gini(sides[0], labels, n_classes) + weighted_gini(sides[1], labels, n_classes))
        if best is None or score > best[0]:
            best = score, threshold
    return best


def without_zeros(features, weights):
    kept = [(f, w) for f, w in zip(features, weights, strict=True) if w != 0.0]
    return Plane([f for f, _ in kept], [w for _, w in kept])


def chosen_plane(
    rows,
    X,
    y,
    n_classes,
    uniform,
    n_candidates,
    features_per_plane,
    cut=False,
    n_canonical=0,
    directions=None,
):
    """The best of some candidates; None if ten rounds do not find one that divides the rows.

    ``directions(columns, labels, features, uniform)`` gives the canonical directions of samples that are sorted
    by class, in rows of weights.
    """
    for round_ in range(10):
        n_scored = min(len(rows), 512) if round_ == 0 else len(rows)
        scored = [rows[k * len(rows) // n_scored] for k in range(n_scored)]
        ranges = ranges_of(scored if cut else rows, X, range(len(X[0])))
        scored.sort(key=lambda i: y[i])
        labels = [y[i] for i in scored]
        if round_ == 0 or (round_ == 1 and len(rows) > 512):
            items, n_constant = list(range(len(X[0]))), 0
        best, best_score, keeps_threshold = None, -math.inf, False
        if n_canonical > 0 and n_scored >= 4:
            n_constant, features = draw_varying(items, n_constant, n_canonical, uniform, ranges)
            if features:
                for weights in directions([X[i] for i in scored], labels, features, uniform):
                    plane = without_zeros(features, weights)
                    threshold = best_threshold([plane.project(X[i]) for i in scored], labels, n_classes)
                    if threshold is not None and threshold[0] > best_score:
                        best, best_score, keeps_threshold = plane, threshold[0], True
                        best.threshold = threshold[1]
        for _ in range(n_candidates):
            k = 1 + int(uniform() * features_per_plane) if cut else features_per_plane
            n_constant, features = draw_varying(items, n_constant, k, uniform, ranges)
            if not features:
                break
            weights = [(2.0 * uniform() - 1.0) / (ranges[f][1] - ranges[f][0]) for f in features]
            plane = without_zeros(features, weights)
            line = [plane.project(X[i]) for i in scored]
            if cut:
                score, plane.threshold = best_threshold(line, labels, n_classes) or (-math.inf, 0.0)
            else:
                plane.threshold, score = mean(line), -math.inf
                sides = divide(scored, X, plane)
                if all(sides):
                    score = -(weighted_gini(sides[0], y, n_classes) + weighted_gini(sides[1], y, n_classes))
            if score > best_score:
                best, best_score, keeps_threshold = plane, score, cut
        if n_constant == len(items) and not (cut and n_scored < len(rows)):
            return None
        if best is not None:
            if not keeps_threshold:
                best.threshold = mean([best.project(X[i]) for i in rows])
            if all(divide(rows, X, best)):
                return best
    return None


def grow(
    X,
    y,
    uniform,
    *,
    max_features,
    hyperplane="box",
    extend=True,
    extension_gain=0.0,
    min_samples_split=2,
    n_candidates=20,
    features_per_plane=3,
    cut=False,
    directions=None,
):
    """``(partitions in the order in which they were made, hyperplanes)``; ``y`` holds class indices."""
    n_classes = max(y) + 1
    totals = counts_of(range(len(y)), y, n_classes)
    d = len(X[0])
    features = list(range(d))
    choosing = hyperplane in ("guided", "canonical")
    if not choosing and max_features < d:
        features = sorted(draw(features, max_features, uniform))

    def can_be_divided(partition):
        return (
            len({y[i] for i in partition.rows}) > 1
            and len(partition.rows) >= min_samples_split
            and not partition.given_up
        )

    made = [Partition(list(range(len(y))), 0, "")]
    present = [made[0]]  # the partitions of this height, in the order of their codes
    planes = []
    while True:
        impure = [p for p in present if can_be_divided(p)]
        if not impure:
            return made, planes
        # max takes the first of equals, so they stand in the order in which they were made
        omega = max(sorted(impure, key=made.index), key=lambda p: impurity(p.rows, y, totals))
        if choosing:
            plane = chosen_plane(
                omega.rows,
                X,
                y,
                n_classes,
                uniform,
                n_candidates,
                min(features_per_plane, d),
                cut,
                math.ceil(math.sqrt(d)) if hyperplane == "canonical" else 0,
                directions,
            )
        else:
            plane = random_plane(omega.rows, X, features, hyperplane, uniform)
        if plane is None:
            omega.given_up = True
            continue
        planes.append((plane, made.index(omega)))
        gain = relative_gain(omega.rows, y, n_classes, divide(omega.rows, X, plane))
        after = []
        for partition in present:
            sides = divide(partition.rows, X, plane)
            wanted = partition is omega or (
                extend
                and can_be_divided(partition)
                and all(sides)
                and (
                    extension_gain == 0.0
                    or relative_gain(partition.rows, y, n_classes, sides) >= extension_gain * gain
                )
            )
            if not wanted:
                after.append(partition)
                continue
            partition.plane = plane
            partition.children = (len(made), len(made) + 1)
            for bit in (0, 1):
                child = Partition(sides[bit], len(planes), partition.code + str(bit))
                made.append(child)
                after.append(child)
        present = after


def find_leaf(made, x):
    at = 0
    while made[at].children is not None:
        at = made[at].children[made[at].plane.bit(x)]
    return at


def scores(trees, x, y, totals):
    """Eq 23 for one sample; ``trees`` are lists of partitions."""
    total = [0.0] * len(totals)
    for made in trees:
        h = shares(made[find_leaf(made, x)].rows, y, totals)
        for c in range(len(totals)):
            total[c] += math.log2(1.0 + h[c])
    return total


def sensitivity(trees, y, weight):
    """Eqs 37 to 39; ``weight`` is "height" or "depth"."""
    total = [0.0] * len(y)
    for made in trees:
        theta = [0.0] * len(y)
        for partition in made:
            if partition.children is None:
                number = partition.height if weight == "height" else len(partition.code)
                for rank, i in enumerate(partition.rows, start=1):
                    theta[i] = number / rank
        for i, label in enumerate(y):
            of_class = sum(theta[k] for k in range(len(y)) if y[k] == label)
            if of_class > 0:
                total[i] += math.log(1.0 + theta[i] / of_class)
    return [s / len(trees) for s in total]
