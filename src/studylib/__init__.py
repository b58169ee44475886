"""studylib: a reproducible study of tree-ensemble research, and the library under it.

The estimators are in :mod:`studylib.pcf`, :mod:`studylib.graf`, :mod:`studylib.blend` and
:mod:`studylib.trees`, the data sets in :mod:`studylib.datasets`, intervals and comparisons in
:mod:`studylib.statistics`, figures in :mod:`studylib.plots`, what runs a study in :mod:`studylib.study`, and
this project's own study, one folder per source, in ``studylib.studies``.
"""

__version__ = "0.1.0"
