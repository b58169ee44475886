"""The forest without its warning that it would predict next to nothing: here that is what is measured."""

import warnings

from studylib import pcf


class PartialClassificationForest(pcf.PartialClassificationForest):
    """As :class:`studylib.pcf.PartialClassificationForest`."""

    def fit(self, X, y, sample_weight=None):
        """Grow the Trees."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pcf.LowCoverageWarning)
            return super().fit(X, y, sample_weight)
