"""An axis-parallel tree over coded columns the slow, obvious way: the oracle of ``studylib.graf._axis``.

It imports nothing of studylib.  Scores are exact fractions, so that ties are ties.  Random numbers come from a
function ``uniform() -> [0, 1)``: the rows of the bag, then for each round of a node its columns.
"""

from fractions import Fraction

MISSING = 255


def draw(items, m, uniform):
    """``m`` of the items without replacement: swapped to the front of the list one after the other."""
    for i in range(m):
        j = i + int(uniform() * (len(items) - i))
        items[i], items[j] = items[j], items[i]
    return items[:m]


def purity(labels):
    """Σ_c n_c² / n: the larger, the smaller the Gini impurity times n."""
    return Fraction(sum(labels.count(c) ** 2 for c in set(labels)), len(labels))


def goes_right(code, cut):
    _, kind, at, missing_right = cut
    if kind == "equal":
        return code == at
    return missing_right if code == MISSING else code > at


def cuts(codes, equal):
    """All cuts of one column for samples with these codes, in the order in which ties are decided."""
    present = sorted(set(codes))
    if equal:
        return [("equal", code, code == MISSING) for code in present]
    found = [("threshold", code, True) for code in present[:-1]]
    if present[-1] == MISSING:
        found += [("threshold", code, False) for code in present[:-2]]
    return found


def best_cut(columns, equal, features, rows, y):
    """``(feature, kind, code, missing_right)`` of the first best cut, or None if no column varies."""
    best, best_score = None, None
    for f in features:
        codes = [columns[f][i] for i in rows]
        if len(set(codes)) == 1:
            continue
        for cut in cuts(codes, equal[f]):
            sides = [[], []]
            for i in rows:
                sides[goes_right(columns[f][i], (f, *cut))].append(y[i])
            score = purity(sides[0]) + purity(sides[1])
            if best is None or score > best_score:
                best, best_score = (f, *cut), score
    return best


def grow(columns, equal, y, n_features, min_samples_split, bootstrap, uniform, n_scored=512):
    """Nodes as dicts, depth first: ``rows``, and ``cut`` and ``children`` where they are divided."""
    n = len(y)
    bag = [int(uniform() * n) if bootstrap else i for i in range(n)]
    features = list(range(len(columns)))
    nodes, stack = [{"rows": bag}], [0]
    while stack:
        at = stack.pop()
        rows = nodes[at]["rows"]
        if len({y[i] for i in rows}) == 1 or len(rows) < min_samples_split:
            continue
        for k in range(10):
            tried = draw(features, n_features, uniform)
            looked_at = rows
            if k == 0 and len(rows) > n_scored:
                looked_at = [rows[i * len(rows) // n_scored] for i in range(n_scored)]
            cut = best_cut(columns, equal, tried, looked_at, y)
            if cut is not None:
                break
        if cut is None:
            continue
        sides = [[], []]
        for i in rows:
            sides[goes_right(columns[cut[0]][i], cut)].append(i)
        nodes[at] |= {"cut": cut, "children": len(nodes)}
        nodes += [{"rows": side} for side in sides]
        stack += [len(nodes) - 1, len(nodes) - 2]
    return nodes
