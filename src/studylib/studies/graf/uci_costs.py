"""Processor time of a fit here, for each method at its defaults, relative to a random forest."""

import time

import numpy as np
import pandas as pd
from sklearn.ensemble import (
    AdaBoostClassifier,
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
)
from threadpoolctl import threadpool_limits

from studylib.blend import BlendedForestClassifier
from studylib.graf import GuidedRandomForestClassifier
from studylib.studies.graf.uci_grids import FIRST_BLEND
from studylib.studies.suites import rows

_REFERENCE = "random forest"


def _models(n_trees):
    ours = {"GRAF": "box", "guided": "guided", "canonical": "canonical"}
    return {
        "random forest": RandomForestClassifier(n_trees, random_state=0),
        "extra trees": ExtraTreesClassifier(n_trees, random_state=0),
        "gradient boosting": GradientBoostingClassifier(n_estimators=n_trees, random_state=0),
        "histogram boosting": HistGradientBoostingClassifier(max_iter=n_trees, random_state=0),
        "AdaBoost": AdaBoostClassifier(n_estimators=n_trees, random_state=0),
        **{
            name: GuidedRandomForestClassifier(n_trees, hyperplane=h, random_state=0)
            for name, h in ours.items()
        },
        "blend": BlendedForestClassifier(n_trees, random_state=0),
        FIRST_BLEND: BlendedForestClassifier(n_trees, min_samples_split=2, random_state=0),
    }


def relative_fit_times(sets, n_trees):
    """How much longer than a random forest each method takes to fit, in processor time, on one thread.

    The geometric mean of the ratios over the sets, all rows of each; the first is fitted once before,
    uncounted, so that kernels are compiled.
    """
    ratios = []
    with threadpool_limits(1):
        for k, data in enumerate([sets[0], *sets]):
            X, y = rows(data.name)
            seconds = {name: _fit_time(model, X, y) for name, model in _models(n_trees).items()}
            if k:
                ratios.append(np.log(pd.Series(seconds) / seconds[_REFERENCE]))
    return np.exp(pd.DataFrame(ratios).mean())


def _fit_time(model, X, y):
    start = time.process_time()
    model.fit(X, y)
    return time.process_time() - start
