"""Simulated data that are predictable only inside a few boxes: the test plane of the PCF paper."""

from typing import NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from studylib.core.parameters import check_integer, describe

_N_REGIONS, _SHARE, _WIDTH = 5, 0.20, 0.16


class Region(NamedTuple):
    """An axis-aligned box ``lower <= x < upper`` in the first dimensions, and the label of its points.

    Parameters
    ----------
    lower, upper : tuple of float
        Corners of the box.
    label : int
        Class of its points.

    Examples
    --------
    >>> from studylib.datasets import Region, make_clean_partitions
    >>> corner = Region(lower=(0.0, 0.0), upper=(0.5, 0.5), label=1)
    >>> corner.upper, corner.label
    ((0.5, 0.5), 1)
    """

    lower: tuple
    upper: tuple
    label: int


def clean_regions(n_features=2, n_classes=2):
    """Five disjoint boxes of volume 0.04 each in the unit cube, the default regions.

    The source says that there are five and that they hold 20% of the points, but not where they are.
    Here each occupies a different fifth of the first dimension and is 0.16 wide there; in every other
    dimension it is (0.04 / 0.16)^(1 / (d − 1)) wide and its position varies from box to box.  Labels
    alternate.

    Parameters
    ----------
    n_features : int
        d, the dimensions that a region bounds.
    n_classes : int

    Returns
    -------
    list of Region
    """
    d = check_integer("clean_regions", "n_features", n_features, 1)
    n_classes = check_integer("clean_regions", "n_classes", n_classes, 2)
    volume = _SHARE / _N_REGIONS
    first = _WIDTH if d > 1 else volume
    width = (volume / first) ** (1 / (d - 1)) if d > 1 else 0.0
    regions = []
    for k in range(_N_REGIONS):
        low = [(k + 0.5) / _N_REGIONS - first / 2]
        for j in range(1, d):
            low.append((1 - width) * (0.05 + 0.9 * ((3 * k + j) % _N_REGIONS) / (_N_REGIONS - 1)))
        high = [low[0] + first, *(entry + width for entry in low[1:])]
        regions.append(Region(tuple(low), tuple(high), k % n_classes))
    return regions


def make_clean_partitions(
    n_samples=5000, n_features=2, *, n_relevant=None, regions=None, n_classes=2, random_state=None
):
    """Uniform points on the unit cube, with one label inside each box and random labels elsewhere.

    With the defaults this is the plane of the source's section IV: five regions with 20% of the points
    and two classes.  No classifier does well on the whole plane.

    Parameters
    ----------
    n_samples : int
    n_features : int
    n_relevant : int or None
        Dimensions that the default regions bound; the others are noise.  ``None`` takes all.
    regions : list of Region or None
        Custom boxes ``(lower, upper, label)``, which must be disjoint; by default :func:`clean_regions`.
    n_classes : int
        Labels are 0 … n_classes − 1.
    random_state : int, RandomState instance or None

    Returns
    -------
    X : float64 ndarray (n_samples, n_features), in [0, 1)
    y : int64 ndarray (n_samples,)

    Examples
    --------
    >>> from studylib.datasets import clean_regions, make_clean_partitions, region_of
    >>> X, y = make_clean_partitions(random_state=0)
    >>> region = region_of(X, clean_regions())
    >>> round(float((region >= 0).mean()), 2)
    0.19
    """
    name = "make_clean_partitions"
    n = check_integer(name, "n_samples", n_samples, 1)
    d = check_integer(name, "n_features", n_features, 1)
    relevant = check_integer(name, "n_relevant", n_relevant, 1, none_as=d)
    if relevant > d:
        raise ValueError(f"{name}: n_relevant must be at most n_features = {d}, got {relevant}.")
    n_classes = check_integer(name, "n_classes", n_classes, 2)
    if regions is None:
        regions = clean_regions(relevant, n_classes)
    else:
        regions = _checked(name, regions, d, n_classes)
    rng = check_random_state(random_state)
    X = rng.random_sample((n, d))
    y = rng.randint(n_classes, size=n).astype(np.int64)
    region = region_of(X, regions)
    labels = np.array([r.label for r in regions], np.int64)
    y[region >= 0] = labels[region[region >= 0]]
    return X, y


def region_of(X, regions):
    """Index of the region that contains each point, ``-1`` outside all of them; int64 (n_samples,).

    Parameters
    ----------
    X : array-like (n_samples, n_features)
    regions : list of Region
        Bounds for the first dimensions of ``X``.
    """
    X = np.asarray(X)
    regions_of_rows = np.full(len(X), -1, np.int64)
    for k, region in enumerate(regions):
        part = X[:, : len(region.lower)]
        regions_of_rows[((part >= region.lower) & (part < region.upper)).all(axis=1)] = k
    return regions_of_rows


def _checked(name, regions, d, n_classes):
    """Custom regions, checked: non-empty boxes, disjoint, with labels in range."""
    checked = []
    for k, region in enumerate(regions):
        try:
            lower, upper, label = region
            lower, upper = (tuple(float(v) for v in bound) for bound in (lower, upper))
        except (TypeError, ValueError):
            raise ValueError(
                f"{name}: each of the regions must be (lower, upper, label) with numbers as bounds, got "
                f"{describe(region)}."
            ) from None
        if not (1 <= len(lower) == len(upper) <= d and all(np.less(lower, upper))):
            raise ValueError(
                f"{name}: region {k} must have 1 to {d} lower bounds below as many upper bounds, got "
                f"{describe(region)}."
            )
        if label not in range(n_classes):
            raise ValueError(
                f"{name}: the label of region {k} must be from 0 to {n_classes - 1}, got {describe(label)}."
            )
        checked.append(Region(lower, upper, int(label)))
    for k, a in enumerate(checked):
        for other, b in enumerate(checked[:k]):
            shared = zip(a.lower, a.upper, b.lower, b.upper, strict=False)
            if all(max(al, bl) < min(au, bu) for al, au, bl, bu in shared):
                raise ValueError(f"{name}: regions must be disjoint, but regions {other} and {k} overlap.")
    return checked
