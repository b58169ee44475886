"""Cleaning a table with missing values: section 2.2 of the mushroom study."""

from studylib.core.parameters import check_real


def delete_features(frame, threshold):
    """Drop every column whose share of missing values is at least ``threshold``.

    Parameters
    ----------
    frame : DataFrame
    threshold : float
        Share from 0 to 1; at 0 every column is dropped, which is the limit of the rule.

    Returns
    -------
    DataFrame
        The other columns, in the same order.
    """
    threshold = check_real("delete_features", "threshold", threshold, 0.0, 1.0)
    missing = frame.isna().sum()
    return frame[[c for c in frame.columns if missing[c] < threshold * len(frame)]]


def fill_missing(frame, value):
    """Replace every missing value with ``value`` (the study uses ``"u"``, unknown).

    Parameters
    ----------
    frame : DataFrame
        A numeric column with missing values can only be filled with a number.
    value : str or number
    """
    for column in frame.columns[frame.isna().any()]:
        if frame[column].dtype.kind in "iuf" and isinstance(value, str):
            raise ValueError(
                f"fill_missing: column {column!r} is numeric ({frame[column].dtype}) with missing values; "
                f"value must be a number, got {value!r}."
            )
    return frame.fillna(value)


def split_target(frame, target="class"):
    """Features and target of a table, as ``(X, y)``.

    Parameters
    ----------
    frame : DataFrame
    target : str
        Name of the target's column.
    """
    if target not in frame.columns:
        columns = ", ".join(map(str, frame.columns[:5]))
        raise ValueError(f"split_target: target must name a column (such as {columns}), got {target!r}.")
    return frame.drop(columns=target), frame[target]


def clean(frame, threshold, value, target="class"):
    """Delete features, fill the remaining missing values and split off the target: all of section 2.2.

    Parameters
    ----------
    frame : DataFrame
    threshold, value, target
        As in :func:`delete_features`, :func:`fill_missing` and :func:`split_target`.

    Returns
    -------
    (X, y)
    """
    return split_target(fill_missing(delete_features(frame, threshold), value), target)
