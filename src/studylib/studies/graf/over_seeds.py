"""Pairs, curves and means over data seeds, as the ledger judges them."""

from studylib.statistics import mean_interval


def over_seeds(table, values, columns):
    """Mean over the models: a row per data seed, a column for each value of ``columns``."""
    return table.pivot_table(values, "data_seed", columns)


def pairs(table, column, first, second, values="percent"):
    """Measured pairs for each data set: the mean over the models at two values of a column, per data seed."""
    by_set = {}
    for data, part in table.groupby("data", sort=False):
        wide = over_seeds(part, values, column)
        by_set[data] = {"first": wide[first], "second": wide[second]}
    return by_set


def pairs_of_parts(table, column, first, second):
    """:func:`pairs` of each part of the error, a dict by data set and part."""
    parts = {part: pairs(rows, column, first, second) for part, rows in table.groupby("part", sort=False)}
    return {
        data: {part: pairs_of_part[data] for part, pairs_of_part in parts.items()}
        for data in table["data"].unique()
    }


def pairs_with_last(table, column, values="percent"):
    """:func:`pairs` of every other value of a column with its last, a dict by data set and value."""
    *others, last = sorted(table[column].unique())
    by_value = {value: pairs(table, column, value, last, values) for value in others}
    return {
        data: {f"{column} {value}": by_value[value][data] for value in others}
        for data in table["data"].unique()
    }


def pairs_from_last(table, column, values="percent"):
    """:func:`pairs` of the last value of a column with every other, a dict by data set and value."""
    return {
        data: {name: {"first": pair["second"], "second": pair["first"]} for name, pair in by_value.items()}
        for data, by_value in pairs_with_last(table, column, values).items()
    }


def curves(table, column, values="percent"):
    """Measured curves for each data set: a row per data seed, a step for each value of a column."""
    by_set = {}
    for data, part in table.groupby("data", sort=False):
        wide = over_seeds(part, values, column)
        by_set[data] = {"steps": wide.columns, "runs": wide.to_numpy().tolist()}
    return by_set


def mean_over_seeds(table, columns, values):
    """Mean of the data seeds' means, a row for each value of ``columns``; each seed counts the same."""
    by_seed = table.groupby([*columns, "data_seed"], sort=False)[values].mean()
    return by_seed.groupby(columns, sort=False).mean()


def interval(values):
    """Ends of the 95% interval of the mean."""
    return mean_interval(values)[1:]
