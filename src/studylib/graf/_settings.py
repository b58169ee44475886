"""From the forest's parameters to the settings that its kernels read."""

import math

from studylib.core.parameters import resolve_max_features
from studylib.graf import _grow
from studylib.graf._candidates import Candidates

HYPERPLANES = {
    "box": _grow.BOX,
    "centred": _grow.CENTRED,
    "guided": _grow.CHOSEN,
    "canonical": _grow.CHOSEN,
}
NUMBERS_OF_FEATURES = ("half", "log2", "sqrt")


def growth_settings(owner, p, d):
    """``(max_features as a number, growth settings)`` for checked parameters ``p`` and ``d`` features."""
    kind, m = HYPERPLANES[p.hyperplane], d
    if kind != _grow.CHOSEN:
        m = resolve_max_features(owner, p.max_features, d, NUMBERS_OF_FEATURES)
    return m, _grow.Settings(
        hyperplane=kind,
        extend=p.extend,
        extension_gain=p.extension_gain,
        min_samples_split=p.min_samples_split,
        candidates=Candidates(
            n_sparse=p.n_candidates,
            k_sparse=min(d, p.features_per_plane),
            k_canonical=math.isqrt(d - 1) + 1 if p.hyperplane == "canonical" else 0,  # ⌈√d⌉
            cut=False,
        ),
    )
