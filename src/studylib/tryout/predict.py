"""``studylib predict DIR FILE``: what the model of a page says of new rows."""

import os
import warnings
from pathlib import Path

from studylib.tryout import options
from studylib.tryout.escapes import say, visible

NAME = "predict"
WHAT = "let the model that `studylib try` wrote into a folder predict the rows of a file"


def add_arguments(parser):
    """The command's arguments."""
    parser.add_argument("folder", metavar="DIR", help="folder that `studylib try` wrote")
    parser.add_argument("data", metavar="FILE", help="CSV, Excel or Parquet file with that table's columns")
    parser.add_argument(
        "--out", metavar="FILE", default="predictions.csv", help="file to write (default predictions.csv)"
    )
    options.add_file_arguments(parser)


def run(chosen):
    """Load, read, predict, write; returns the exit code."""
    try:
        return _run(chosen)
    except ValueError as error:  # its sentence may hold names from the files
        raise ValueError(visible(error)) from error


def _run(chosen):
    from studylib.core.files import write_atomically
    from studylib.tryout.command import as_csv
    from studylib.tryout.phrases import several
    from studylib.tryout.saved import load_model

    data, out = Path(chosen.data).expanduser(), Path(chosen.out).expanduser()
    if out.exists() and data.exists() and os.path.samefile(data, out):
        raise ValueError(f"predict: --out={chosen.out} is the file with the rows; name another one.")
    model = load_model(chosen.folder)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", UserWarning)
        rows = model.read(data, **{name: getattr(chosen, name) for name in options.OF_FILES})
        table = _table(model, rows)
    write_atomically(out, as_csv(table))
    say(f"studylib: {data.name}, {several(len(rows), 'row')}, by {model.method}")
    say(f"  {model.remark}")
    for remark in dict.fromkeys(str(one.message) for one in said):  # rows are read for classes and shares
        say(f"  {remark}")
    say(f"predictions: {out}")
    return 0


def _table(model, rows):
    """The rows' numbers and identifiers as given, the class and the probability of each class."""
    import pandas as pd

    shares = model.predict_proba(rows)
    parts = [
        pd.Series(range(1, len(rows) + 1), name="row"),
        *(rows[name].reset_index(drop=True) for name in model.identifiers if name in rows),
        pd.Series(model.predict(rows), name="prediction"),
        *(pd.Series(shares[:, k], name=f"probability of {c}") for k, c in enumerate(model.classes_)),
    ]
    return pd.concat(parts, axis=1)
