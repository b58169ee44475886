"""Tables with missing values and categories as a blend reads them."""

import numpy as np

from studylib.core.table import TableReader
from studylib.graf._space import MOST_CATEGORIES


class MixedTable(TableReader):
    """Reads tables as float64 in C order, with NaN for missing numbers and codes for categories.

    A missing category has a code of its own, behind the others, if one was missing in training.
    """

    def __init__(self, categorical_features):
        super().__init__(
            missing=True,
            missing_code=True,
            categorical_features=categorical_features,
            most_categories=MOST_CATEGORIES,
        )

    @property
    def n_categories(self):
        """Codes of each column, 0 for one of numbers; int64 (n_features,)."""
        known = [0 if categories is None else len(categories) for categories in self.categories]
        return np.array(known, np.int64) + (self.categorical & self.has_missing)

    def _checked(self, values):
        # Sums over samples are in this order, whatever the table's layout.
        return np.require(super()._checked(values), requirements=["C", "W"])

    def category(self, column, code):
        """The category of a code, a string."""
        known = self.categories[column]
        return str(known[code]) if code < len(known) else "missing"
