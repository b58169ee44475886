"""What leaving out columns or rows, or filling entries, does to predictions (sections 2.2 and 3.4.3).

Tasks ``(key, seed) -> plain data``, and the keys that the notebook asks for, on the first 60,000 rows.
"""

import numpy as np
from sklearn.model_selection import train_test_split

from studylib import datasets
from studylib.studies.keys import crossed
from studylib.studies.mushrooms.experiments import raw_mushroom
from studylib.studies.mushrooms.published_trees import ROWS, VARIATIONS, published_split, trees_of_variation
from studylib.trees import TreePredictor

#: Each step of the report's cleaning by itself, and none: from a frame to a frame.
STEPS = {
    "deleted at 0.20": lambda frame: datasets.delete_features(frame, 0.20),
    "deleted at 0.40": lambda frame: datasets.delete_features(frame, 0.40),
    "filled with u": lambda frame: datasets.fill_missing(frame, "u"),
    "as they are": lambda frame: frame,
}


def step_keys(data, n_split_seeds):
    """Keys of :func:`step_task`: each step on each split."""
    return crossed({"step": STEPS, "split_seed": range(n_split_seeds)}, data=data)


def step_task(key, seed):
    """Test error of an information tree after one of ``STEPS`` of the cleaning; all have the same splits."""
    X, y = datasets.split_target(STEPS[key["step"]](raw_mushroom(key["data"]).iloc[:ROWS]))
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.2, random_state=key["split_seed"])
    return float(np.mean(TreePredictor().fit(X, y).predict(X_test) != y_test))


def step_errors(errors):
    """Measured pairs of test errors with and without each step, in percent, a dict by step."""
    wide = 100 * errors.pivot(index="split_seed", columns="step", values="value")
    return {
        step: {"first": wide[step], "second": wide["as they are"]} for step in STEPS if step != "as they are"
    }


def prediction_keys(data, n_draws, variation="1 %"):
    """Keys of :func:`prediction_task`: one variation of each size of the training set, and draws."""
    return [
        {"data": data, "n_train": n, "n_dropped": variations[variation], "draw": draw}
        for n, variations in VARIATIONS.items()
        for draw in range(n_draws)
    ]


def prediction_task(key, seed):
    """What leaving out a few training rows does to the predictions of the published split's test rows.

    "changed" is the share of test rows that the two trees of a variation classify differently, "error" that
    of the first.
    """
    _, X_test, _, y_test = published_split(key["data"])
    first, second = (tree.predict(X_test) for tree in trees_of_variation(key))
    return {"changed": float(np.mean(first != second)), "error": float(np.mean(first != y_test))}


def changed_predictions(table):
    """Test rows classified differently in each draw, in points, by size of the training set."""
    return {f"{n:,} rows": part["changed"].tolist() for n, part in table.groupby("n_train", sort=False)}
