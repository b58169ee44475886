"""Split criteria by name, with the impurity or statistic that each of them measures.

With p the class shares of a node:

=================== ==================== ==============================================
name                impurity I of a node with ``source_compatible=True``
=================== ==================== ==============================================
misclassification   1 - max p            smallest class count among the classes present
information         -Σ p log2 p          the same
gini                1 - Σ p²             the same (printed as 1 - Σ p, which is always 0)
sqrt_gini           √(1 - Σ p²)          the same
=================== ==================== ==============================================

A split sends n0 of n samples to the false side and n1 to the true one; its gain is
``I - (n0/n I0 + n1/n I1)`` with the sides' impurities I0 and I1.

``sqrt_gini`` is the lecture's √(Σ p (1 - p)); for two classes that is √2 √(p (1 - p)).  Then the weighted
ratios n0/n I0/I and n1/n I1/I do not change if one class is multiplied: with a and b samples of the two
classes such a ratio is √(a0 b0) / √(a b).  So the choice among splits does not depend on the class balance.
The plain ratio I0/I does change, and with three classes both do.

``chi_square`` has no impurity; its gain is the statistic Σ (a - x)² / x over the sides and classes, a the
count of a class on a side and x the count expected there, the side's size times p.  With
``source_compatible=True`` it is Σ √((a - x)² / x) over the classes present on a side.

"entropy", scikit-learn's name, is accepted for "information".
"""

from typing import NamedTuple

from studylib.core.parameters import check_choice
from studylib.trees import _gains

__all__ = ["CRITERIA"]

#: The names that ``criterion`` accepts in binary trees; the values are the kernels' own codes.
CRITERIA = {
    "misclassification": _gains.MISCLASSIFICATION,
    "information": _gains.INFORMATION,
    "gini": _gains.GINI,
    "sqrt_gini": _gains.SQRT_GINI,
    "chi_square": _gains.CHI_SQUARE,
}

_ALIASES = {"entropy": "information"}

_SOURCE_FORMS = {
    _gains.MISCLASSIFICATION: _gains.MINIMUM_COUNT,
    _gains.CHI_SQUARE: _gains.ROOT_CHI_SQUARE,
}


class Criterion(NamedTuple):
    """Constraint of a named criterion: its code in the kernels is what the algorithm takes."""

    codes: dict = CRITERIA

    def __call__(self, owner, name, value):
        known = isinstance(value, str) and value in _ALIASES
        return self.codes[check_choice(owner, name, _ALIASES[value] if known else value, self.codes)]


def source_form(code):
    """Code of the form that a criterion has with ``source_compatible=True``."""
    return _SOURCE_FORMS.get(code, code)
