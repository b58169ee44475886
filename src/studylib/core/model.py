"""What all estimators share as objects: a fit that fails changes nothing, and what is saved can be read."""

from contextlib import contextmanager

from sklearn.base import BaseEstimator

#: Raised by one whenever fitted attributes get another form.
_FORM = 2


class Model(BaseEstimator):
    """An estimator that knows in which form it was saved."""

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


@contextmanager
def unchanged_on_failure(estimator):
    """Set an estimator back to what it was if the block raises.

    The block may set attributes, but must not change in place what they held before.
    """
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise
