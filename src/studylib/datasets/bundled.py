"""Real data sets that come with scikit-learn, so that nothing needs to be downloaded."""

from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from studylib.core.parameters import check_choice

#: Loader of each set, by its name.
BUNDLED = {
    "iris": load_iris,
    "wine": load_wine,
    "breast cancer": load_breast_cancer,
    "digits": load_digits,
}


def load_bundled(name):
    """Features and target of a data set that comes with scikit-learn.

    Parameters
    ----------
    name : {"iris", "wine", "breast cancer", "digits"}

    Returns
    -------
    X : float64 ndarray (n_samples, n_features)
    y : int64 ndarray (n_samples,)
    """
    return BUNDLED[check_choice("load_bundled", "name", name, tuple(BUNDLED))](return_X_y=True)
