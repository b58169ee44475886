"""The model of a page: kept in a file that runs no code when it is read, and asked about new rows.

The file is one of skops, a zip archive of arrays and JSON.  We add how the columns were read, so that a
folder that is written again never mixes two runs.
"""

import io
import json
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import sklearn

from studylib import __version__
from studylib.core import model as model_form
from studylib.core.files import write_atomically
from studylib.core.text import warn
from studylib.tryout.new_rows import as_frame, raw_columns, read_rows
from studylib.tryout.options import Options
from studylib.tryout.reading import read_table

NAME = "model.skops"
_ABOUT = "about.json"
#: Raised by one whenever the file gets another form.
_FORM = [2, model_form._FORM]
_MOST_BYTES = 2_000_000_000  # unpacked
_N_TYPICAL = 10
#: All that a model of ``studylib try`` is made of; a file that asks for anything else is refused.
_NAMES = {
    "builtins": "dict int list slice str tuple",
    "functools": "partial",
    "numpy": "dtype float64 int64 ndarray random._generator.Generator uint64",
    "sklearn": """
        _loss._loss.CyHalfBinomialLoss _loss._loss.CyHalfMultinomialLoss _loss.link.Interval
        _loss.link.LogitLink _loss.link.MultinomialLogit _loss.loss.HalfBinomialLoss
        _loss.loss.HalfMultinomialLoss compose._column_transformer.ColumnTransformer
        ensemble._forest.RandomForestClassifier ensemble._hist_gradient_boosting.binning._BinMapper
        ensemble._hist_gradient_boosting.gradient_boosting.HistGradientBoostingClassifier
        ensemble._hist_gradient_boosting.predictor.TreePredictor impute._base.MissingIndicator
        impute._base.SimpleImputer linear_model._logistic.LogisticRegression pipeline.Pipeline
        preprocessing._data.StandardScaler preprocessing._encoders.OneHotEncoder
        preprocessing._encoders.OrdinalEncoder preprocessing._function_transformer.FunctionTransformer
        preprocessing._label.LabelEncoder tree._classes.DecisionTreeClassifier tree._tree.Tree
        utils.validation.check_array
    """,
    "studylib": """
        blend._axis_family.AxisTree blend._oblique_family.ObliqueTree blend._oblique_family.ObliqueView
        blend._table.MixedTable blend._tree.View blend.classifier.BlendedForestClassifier
        core.bagging.Bags core.frames.ColumnNames core.table.TableReader graf._scaling.Scaling
        graf._space.Space graf._tree.Tree graf.forest.GuidedRandomForestClassifier rules._values.Values
        rules.one_r.OneRClassifier trees._columns.Columns trees.forest.RandomForestClassifier
        trees.predictor.TreePredictor
    """,
}
_TYPES = frozenset(f"{package}.{name}" for package, names in _NAMES.items() for name in names.split())
#: How skops may make it: nothing here calls what a file names.
_LOADERS = """
    DTypeNode DictNode FunctionNode JsonNode ListNode LossNode NdArrayNode ObjectNode PartialNode
    RandomGeneratorNode SliceNode TreeNode TupleNode TypeNode
"""
_LOADERS = frozenset(_LOADERS.split())


class TableModel:
    """A fitted classifier that takes rows as a file has them; :func:`load_model` makes one.

    It reads entries in the formats of the table that it was fitted on: decimal commas, dates, units, marks
    of what is missing.  Numbers and dates that are no text count as they are.  Columns may come in any order,
    and those that it does not use are ignored.  A warning names categories that it has not seen: trees take
    these as none of those that they know, boosting as missing.

    Rows are a pandas DataFrame, or one row as a Series or a dict.  ValueError if a column is missing, or for
    the first entry that cannot be read.

    Parameters
    ----------
    estimator : estimator
        The fitted classifier, which takes the columns as numbers and categories.
    about : dict
        How the columns were read, as the file has it.

    Attributes
    ----------
    estimator : estimator
        As it was given.
    method : str
        Its name on the page.
    remark : str
        Why it is this one.
    target : str
        The column that it predicts.
    classes_ : ndarray of str (n_classes,)
    feature_names : list of str
        The columns that it needs.
    identifiers : list of str
        Columns that name the rows of the table; it does not need them.

    Examples
    --------
    >>> from studylib.tryout import load_model
    >>> model = load_model("reports/try/orders")  # doctest: +SKIP
    >>> model.predict({"price": "1.249,00 €", "city": "Bern"})  # doctest: +SKIP
    array(['returned'], dtype=object)
    """

    def __init__(self, estimator, about):
        self.estimator, self.classes_ = estimator, estimator.classes_
        self.method, self.target, self.remark = about["method"], about["target"], about["remark"]
        self.identifiers = about["identifiers"]
        self._columns, self._options = about["columns"], Options.of(about["options"])
        self.feature_names = [column["name"] for column in self._columns]

    def read(self, path, **options):
        """Read the rows of a file as ``studylib try`` reads one; returns a DataFrame.

        Parameters
        ----------
        path : path
            CSV (also packed), Excel or Parquet.
        **options
            ``sep``, ``encoding``, ``sheet``, ``header``, ``max_file_mb``, ``max_file_rows``, where it differs
            from the table's file.
        """
        given = {key: value for key, value in options.items() if value is not None}
        try:
            frame, remarks = read_table(path, "", replace(self._options, **given), self.feature_names)
        except ValueError as error:
            raise ValueError(str(error).replace("try:", "predict:", 1)) from error
        for remark in remarks:
            warn(remark)
        return frame

    def predict(self, rows):
        """The class of each row, ndarray of str (n_rows,).

        Parameters
        ----------
        rows : DataFrame, Series or dict
        """
        return self.estimator.predict(self._read(as_frame(rows)))

    def predict_proba(self, rows):
        """The probability of each class, float64 (n_rows, n_classes), in the order of ``classes_``.

        Parameters
        ----------
        rows : DataFrame, Series or dict
        """
        return self.estimator.predict_proba(self._read(as_frame(rows)))

    def explain(self, rows):
        """How much each value of a row speaks for the class that is predicted.

        That is the probability of this class, less its mean if the column has ten typical values instead.
        Columns that only together make a difference may look unimportant.

        Parameters
        ----------
        rows : DataFrame, Series or dict

        Returns
        -------
        DataFrame
            ``row`` (its label in the index), ``prediction``, ``column``, ``value`` as given and ``effect``,
            for each row and column; of a row, the largest effects come first.
        """
        frame = as_frame(rows)
        X, raw = self._read(frame), raw_columns(frame, self.feature_names).to_numpy(object)
        labels = self.estimator.predict(X)
        predicted = np.argmax(labels[:, None] == self.classes_, axis=1)
        before = self.estimator.predict_proba(X)[np.arange(len(X)), predicted]
        effects = np.column_stack([before - self._without(column, X, predicted) for column in self._columns])
        order = np.argsort(-np.abs(effects), axis=1, kind="stable")
        n_columns = len(self.feature_names)
        return pd.DataFrame(
            {
                "row": frame.index.repeat(n_columns),
                "prediction": labels.repeat(n_columns),
                "column": np.array(self.feature_names, object)[order].ravel(),
                "value": np.take_along_axis(raw, order, axis=1).ravel(),
                "effect": np.take_along_axis(effects, order, axis=1).ravel(),
            }
        )

    def _without(self, column, X, predicted):
        """Mean probability of the classes with these numbers if a column has its typical values instead."""
        name, typical = column["name"], column["typical"]
        n, m = len(X), len(typical)
        changed = X.loc[X.index.repeat(m)].reset_index(drop=True)
        changed[name] = pd.Series(typical * n, dtype=X[name].dtype)
        shares = self.estimator.predict_proba(changed)[np.arange(n * m), predicted.repeat(m)]
        return shares.reshape(n, m).mean(axis=1)

    def _read(self, frame):
        return read_rows(frame, self._columns, self._options)


def save_model(path, estimator, method, table, options, remark=""):
    """Write a classifier that was fitted on a table, with how its columns were read.

    ``method`` is its name, ``remark`` why it is this one, ``options`` what
    :func:`studylib.tryout.table.load_table` was given.
    """
    import skops.io

    details = {row["name"]: row for row in table.details}
    about = {
        "form": _FORM,
        "studylib": __version__,
        "scikit-learn": sklearn.__version__,
        "method": method,
        "remark": remark,
        "target": table.target,
        "identifiers": [name for name, row in details.items() if row["kind"] in ("identifier", "text")],
        "columns": [_about(table.X[name], details[name]) for name in table.X],
        "options": options,
    }
    # The default level makes files of a 30,000 × 13 table a sixth smaller, and takes more than twice as long.
    packed = {"compression": zipfile.ZIP_DEFLATED, "compresslevel": 1}
    content = io.BytesIO(skops.io.dumps(estimator, **packed))
    with zipfile.ZipFile(content, "a", **packed) as archive:
        archive.writestr(_ABOUT, json.dumps(about))
    write_atomically(path, content.getvalue())


def _about(values, row):
    """How a column was read, and values for :meth:`TableModel.explain`, which tell nothing of any row."""
    places = ((np.arange(_N_TYPICAL) + 0.5) / _N_TYPICAL * len(values)).astype(int)
    typical = values.sort_values(na_position="last").iloc[places].astype(object)
    known = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else []
    return {
        "name": row["name"],
        "how": row["how"],
        "example": row["examples"][0][0] if row["examples"] else "",
        "categories": list(known),
        "typical": typical.where(typical.notna(), None).tolist(),
    }


def load_model(folder):
    """Load the model that ``studylib try`` keeps beside its page; no code of the file is run.

    Parameters
    ----------
    folder : path
        Where the page is.

    Returns
    -------
    TableModel

    Raises
    ------
    ValueError
        If there is no such file, if it is damaged or holds anything else than such a model, or if another
        version of studylib or scikit-learn wrote it.
    """
    import skops.io  # noqa: F401 - a package that lacks is no damaged file

    path = Path(folder).expanduser() / NAME
    if not path.is_file():
        there = path.parent.is_dir()
        what = f"the folder {path.parent} has no {NAME}" if there else f"there is no folder {path.parent}"
        raise ValueError(f"predict: {what}; `studylib try` with --out writes it.")
    content = path.read_bytes()
    try:
        model, refusal = _loaded(content)
    except Exception as error:  # a file can be wrong in any way
        raise ValueError(
            f"predict: {path} is damaged, or no model of `studylib try` ({type(error).__name__})."
        ) from error
    if refusal:
        raise ValueError(f"predict: {path} {refusal}")
    return model


def _loaded(content):
    """The model in the bytes of a file, or None and why it is refused."""
    import skops.io

    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(part.file_size for part in archive.infolist()) > _MOST_BYTES:  # no more are unpacked
            return None, f"has more than {_MOST_BYTES:,} bytes when it is unpacked."
        about = json.loads(archive.read(_ABOUT))
        needs = json.loads(archive.read("schema.json"))
    if about["form"] != _FORM:
        theirs = f"{about['studylib']:.20}"
        return None, f"was written by another version of studylib, {theirs}; run `studylib try` again."
    if _minor(about["scikit-learn"]) != _minor(sklearn.__version__):
        theirs = f"{about['scikit-learn']:.20}, and {sklearn.__version__} is installed"
        return None, f"was written with scikit-learn {theirs}; run `studylib try` again."
    types, loaders = map(set, zip(*_asked(needs), strict=True))
    foreign = [*sorted(types - _TYPES), *sorted(loaders - _LOADERS)]
    if foreign:
        return None, f"asks for {foreign[0]:.100}, which no model of `studylib try` needs; it was not loaded."
    return TableModel(skops.io.loads(content, trusted=sorted(_TYPES)), about), ""


def _minor(version):
    return version.split(".")[:2]


def _asked(node):
    """The types that a file of skops names, each with the loader that makes it."""
    if isinstance(node, dict):
        if "__loader__" in node:
            yield f"{node['__module__']}.{node['__class__']}", node["__loader__"]
        for child in node.values():
            yield from _asked(child)
    elif isinstance(node, list):
        for child in node:
            yield from _asked(child)
