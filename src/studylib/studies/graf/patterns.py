"""Six patterns in the plane (Fig. 7) whose true classes and boundaries are known.

The source shows pictures of its patterns and gives no formulas.  Here circles and pie charts fill the unit
disc, XOR the square from −1 to 1, and all of them have density 1 and no noise.
"""

import numpy as np

#: Pattern: its kind, the number of classes, and the number of rings, of sectors, or of squares along a side.
PATTERNS = {
    "circles, 2 classes": ("circles", 2, 4),
    "circles, 4 classes": ("circles", 4, 4),
    "pie chart, 2 classes": ("pie", 2, 8),
    "pie chart, 4 classes": ("pie", 4, 8),
    "XOR, 2 classes": ("xor", 2, 2),
    "XOR, 4 classes": ("xor", 4, 4),
}
#: Radius of the disc in which classes are counted for the local entropy, and points that it is filled with.
RADIUS, _N_AROUND = 0.1, 512
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


def draw(pattern, n, rng):
    """Points drawn uniformly from a pattern."""
    if PATTERNS[pattern][0] == "xor":
        X = rng.uniform(-1, 1, (n, 2))
    else:
        radius, angle = np.sqrt(rng.random(n)), rng.uniform(0, 2 * np.pi, n)
        X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X, true_classes(pattern, X)


def inside(pattern, X):
    """Whether points belong to the pattern's disc or square, bool; ``X`` has any shape (…, 2)."""
    if PATTERNS[pattern][0] == "xor":
        return np.abs(X).max(axis=-1) <= 1
    return np.square(X).sum(axis=-1) <= 1


def true_classes(pattern, X):
    """Class of every point, int64; ``X`` has any shape (…, 2)."""
    kind, n_classes, n_parts = PATTERNS[pattern]
    if kind == "circles":
        part = np.floor(np.hypot(X[..., 0], X[..., 1]) * n_parts)
    elif kind == "pie":
        part = np.floor(np.arctan2(X[..., 1], X[..., 0]) % (2 * np.pi) * n_parts / (2 * np.pi))
    else:
        column, row = np.moveaxis(np.floor((X + 1) * n_parts / 2), -1, 0)
        part = column + (row if n_classes == 2 else 2 * row)  # neighbours always differ
    return part.astype(np.int64) % n_classes


def boundary_distance(pattern, X):
    """Distance of every point to the nearest boundary between classes."""
    kind, _, n_parts = PATTERNS[pattern]
    if kind == "circles":
        radii = np.arange(1, n_parts) / n_parts
        return np.abs(np.hypot(*X.T)[:, None] - radii).min(axis=1)
    if kind == "pie":
        rays = 2 * np.pi * np.arange(n_parts) / n_parts
        radius, angle = np.hypot(*X.T)[:, None], np.arctan2(X[:, 1], X[:, 0])[:, None] - rays
        to_ray = np.where(np.cos(angle) > 0, np.abs(radius * np.sin(angle)), radius)
        return to_ray.min(axis=1)
    lines = 2 * np.arange(1, n_parts) / n_parts - 1
    return np.abs(X[:, :, None] - lines).min(axis=(1, 2))


def local_entropy(pattern, X):
    """Entropy in bits of the true classes in a disc of ``RADIUS`` around every point, inside the pattern."""
    k = np.arange(_N_AROUND)
    radius, angle = RADIUS * np.sqrt((k + 0.5) / _N_AROUND), k * _GOLDEN_ANGLE
    around = X[:, None] + np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    labels, counted = true_classes(pattern, around), inside(pattern, around)
    n_classes = PATTERNS[pattern][1]
    shares = np.array([((labels == c) & counted).sum(axis=1) for c in range(n_classes)]) / counted.sum(axis=1)
    return -np.where(shares > 0, shares * np.log2(np.where(shares > 0, shares, 1)), 0).sum(axis=0)
