"""An axis-parallel tree over coded columns the slow, obvious way: the oracle of ``studylib.blend._axis``.

It imports nothing of studylib.  Scores are exact fractions, so that ties are ties.  Random numbers come from a
function ``uniform() -> [0, 1)``: the rows of the bag, unless they are given, then for each node its columns.
"""

from fractions import Fraction

MISSING = 255


def purity(labels):
    """Σ_c n_c² / n: the larger, the smaller the Gini impurity times n."""
    return Fraction(sum(labels.count(c) ** 2 for c in set(labels)), len(labels))


def is_above(code, cut):
    """Whether a sample is on the side above the cut, or on that of the code that was set apart."""
    _, kind, at, missing_right = cut
    if kind == "equal":
        return code == at
    return missing_right if code == MISSING else code > at


def goes_second(code, cut):
    """Missing values go first, except where equality sets them apart."""
    return is_above(code, cut) != (cut[1] == "threshold" and cut[3])


def cuts(codes, equal):
    """All cuts of one column for samples with these codes, in the order in which ties are decided.

    Where no sample is missing, those to come will go to the larger side.
    """
    present = sorted(set(codes))
    if equal:
        return [("equal", code, code == MISSING) for code in present]
    if present[-1] != MISSING:
        n_above = {code: sum(c > code for c in codes) for code in present}
        return [("threshold", code, 2 * n_above[code] > len(codes)) for code in present[:-1]]
    return [("threshold", code, True) for code in present[:-1]] + [
        ("threshold", code, False) for code in present[:-2]
    ]


def best_cut(columns, equal, features, n_constant, n_features, rows, y, uniform):
    """``(feature, kind, code, missing_right)`` of the first best cut, or None; and the constant columns.

    Columns are drawn from those not known to be constant until ``n_features`` of them vary.
    """
    best, best_score = None, None
    end, tried = len(features), 0
    while tried < n_features and n_constant < end:
        j = n_constant + int(uniform() * (end - n_constant))
        f = features[j]
        codes = [columns[f][i] for i in rows]
        if len(set(codes)) == 1:
            features[j], features[n_constant] = features[n_constant], f
            n_constant += 1
            continue
        end, tried = end - 1, tried + 1
        features[j], features[end] = features[end], f
        for cut in cuts(codes, equal[f]):
            sides = [[], []]
            for i in rows:
                sides[is_above(columns[f][i], (f, *cut))].append(y[i])
            score = purity(sides[0]) + purity(sides[1])
            if best is None or score > best_score:
                best, best_score = (f, *cut), score
    return best, n_constant


def draw_by_weight(weights, uniform):
    """How often each row is drawn in as many draws as there are rows; a row's chance is its weight."""
    sums = [sum(weights[: i + 1]) for i in range(len(weights))]
    times = [0] * len(weights)
    for _ in weights:
        at = uniform() * sums[-1]
        times[next(i for i, above in enumerate(sums) if at < above)] += 1
    return times


def grow(columns, equal, y, n_features, min_samples_split, uniform, times=None, n_scored=512):
    """Nodes as dicts, depth first: ``rows``, and ``cut`` and ``children`` where they are divided.

    ``times`` says how often each row is in the bag; without it rows are drawn with replacement.
    """
    n = len(y)
    if times is None:
        bag = sorted(int(uniform() * n) for _ in range(n))
    else:
        bag = [i for i in range(n) for _ in range(times[i])]
    features = list(range(len(columns)))
    nodes, stack = [{"rows": bag, "constant": 0}], [0]
    while stack:
        at = stack.pop()
        rows, n_constant = nodes[at]["rows"], nodes[at]["constant"]
        if len({y[i] for i in rows}) == 1 or len(rows) < min_samples_split:
            continue
        cut = None
        if len(rows) > n_scored:
            some = [rows[i * len(rows) // n_scored] for i in range(n_scored)]
            cut, _ = best_cut(columns, equal, features, n_constant, n_features, some, y, uniform)
            if cut is not None and cut[1] == "threshold":
                f, kind, code, missing_right = cut
                above = [columns[f][i] for i in some if code < columns[f][i] < MISSING]
                middle = (code + min(above)) // 2 if above else code  # other samples may lie between
                cut = f, kind, middle, missing_right
        if cut is None:
            cut, n_constant = best_cut(columns, equal, features, n_constant, n_features, rows, y, uniform)
        if cut is None:
            continue
        if cut[1] == "threshold":  # the last code below it that is present
            f, kind, code, missing_right = cut
            cut = f, kind, max(columns[f][i] for i in rows if columns[f][i] <= code), missing_right
        sides = [[], []]
        for i in rows:
            sides[goes_second(columns[cut[0]][i], cut)].append(i)
        nodes[at] |= {"cut": cut, "children": len(nodes)}
        nodes += [{"rows": side, "constant": n_constant} for side in sides]
        stack += [len(nodes) - 1, len(nodes) - 2]
    return nodes
