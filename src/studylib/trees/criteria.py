"""Split criteria by name, and what each of them measures.

With p the class shares of a node, n its size and a the class counts of one side of a split:

=================== ======================================= ==================================
name                index of a node                         source
=================== ======================================= ==================================
misclassification   1 - max p                               "minimum": smallest count present
information         -Σ p log2 p                             entropy H(p)
gini                1 - Σ p²                                printed as 1 - Σ p, always 0
sqrt_gini           √(1 - Σ p²)                             second lecture
chi_square          none: Σ (a - x)² / x over both sides,   Σ √((a - x)² / x), present classes
                    x = n_side p the expected counts
=================== ======================================= ==================================

The gain of a split is ``I - (n0/n I0 + n1/n I1)``, for chi-square the statistic itself.  The right-hand
column is what ``source_compatible=True`` computes where it differs from the textbook.
"""

from studylib._checks import check_choice
from studylib.trees import _grow

CRITERIA = {
    "misclassification": _grow.MISCLASSIFICATION,
    "information": _grow.INFORMATION,
    "gini": _grow.GINI,
    "sqrt_gini": _grow.SQRT_GINI,
    "chi_square": _grow.CHI_SQUARE,
}

_SOURCE_FORMS = {
    "misclassification": _grow.MINIMUM_COUNT,
    "chi_square": _grow.ROOT_CHI_SQUARE,
}


def criterion_code(owner, criterion, source_compatible):
    """Code of a named criterion in the kernels."""
    name = check_choice(owner, "criterion", criterion, CRITERIA)
    if source_compatible and name in _SOURCE_FORMS:
        return _SOURCE_FORMS[name]
    return CRITERIA[name]
