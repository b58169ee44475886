"""Base of all estimators: checked parameters, a fit that changes all or nothing, and saved models."""

from types import SimpleNamespace
from typing import ClassVar

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from studylib.core.labels import as_labels

#: Raised by one whenever fitted attributes get another form.
_FORM = 4


class Model(BaseEstimator):
    """Base class of estimators, with a table of constraints and a mark of the form of saved models."""

    #: Constraint of each parameter, in the order of ``__init__``; see :mod:`studylib.core.parameters`.
    _constraints: ClassVar[dict] = {}

    def _checked(self):
        """The parameters as the algorithm takes them, a namespace; the first thing that ``fit`` asks for.

        Raises ValueError for the first parameter that is not as its constraint wants it, then for parameters
        that contradict each other.
        """
        checked = SimpleNamespace(**{name: self._value(name) for name in self._constraints})
        self._check_together(checked)
        return checked

    def _value(self, name):
        """A parameter as the algorithm takes it; one that counts after ``fit`` is asked for again there."""
        return self._constraints[name](type(self).__name__, name, getattr(self, name))

    def _check_together(self, parameters):
        """Raise ``ValueError`` if parameters contradict each other."""

    def __getstate__(self):
        return {**super().__getstate__(), "_form": _FORM}

    def __setstate__(self, state):
        fitted = set(state) - set(self._get_param_names())
        if fitted and state.get("_form") != _FORM:
            raise ValueError(
                f"{type(self).__name__}: this model was saved by another version of studylib, which kept "
                "models in another form; fit it again."
            )
        super().__setstate__({name: value for name, value in state.items() if name != "_form"})


class Classifier(ClassifierMixin, Model):
    """Base class of classifiers."""

    def predict_log_proba(self, X):
        """Logarithm of ``predict_proba``, -inf where that is 0; float64 (n_samples, n_classes).

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X, y, sample_weight=None):
        """Accuracy: the share of samples that are predicted correctly, float.

        Parameters
        ----------
        X : DataFrame or array-like (n_samples, n_features)
        y : array-like (n_samples,)
        sample_weight : array-like (n_samples,) or None
        """
        from sklearn.metrics import accuracy_score  # slow to import

        predicted = self.predict(X)
        y = as_labels(type(self).__name__, y, len(predicted))
        return accuracy_score(y, predicted, sample_weight=sample_weight)


def fit_whole(estimator, *data):
    """Fit a copy with ``_fit``, and hand all its attributes over at once; returns the estimator.

    So it stays as it is if that fails, and threads that fit it at once do not mix their arrays, beyond which
    kernels would write.  ``_fit`` must not change in place what attributes hold.
    """
    fitted = object.__new__(type(estimator))
    vars(fitted).update(vars(estimator))
    fitted._fit(*data)
    estimator.__dict__ = vars(fitted)
    return estimator
