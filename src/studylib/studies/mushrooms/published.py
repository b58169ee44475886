"""What the report prints: its two tables."""

import pandas as pd

#: Table 2.1: share of missing values of each column.
TABLE_21 = pd.Series(
    {
        "class": 0.00,
        "cap-diameter": 0.00,
        "cap-shape": 0.00,
        "cap-surface": 0.23,
        "cap-color": 0.00,
        "does-bruise-or-bleed": 0.00,
        "gill-attachment": 0.16,
        "gill-spacing": 0.41,
        "gill-color": 0.00,
        "stem-height": 0.00,
        "stem-width": 0.00,
        "stem-root": 0.84,
        "stem-surface": 0.62,
        "stem-color": 0.00,
        "veil-type": 0.95,
        "veil-color": 0.88,
        "has-ring": 0.00,
        "ring-type": 0.04,
        "spore-print-color": 0.90,
        "habitat": 0.00,
        "season": 0.00,
    },
    name="Table 2.1",
)

#: Table 4.1: the four trees.
TABLE_41 = pd.DataFrame(
    {
        "depth": [15, 28, 28, 27],
        "nodes": [2027, 773, 837, 1119],
        "leaves": [1014, 387, 419, 560],
        "train error": [0.017, 0.000, 0.000, 0.000],
        "test error": [0.036, 0.004, 0.005, 0.007],
    },
    index=["misclassification", "information", "gini", "chi_square"],
)

#: Errors of a single tree on 10,000 rows.
ERRORS_10000 = pd.Series({"single split": 0.017, "5 folds": 0.019, "best of 560": 0.028})
