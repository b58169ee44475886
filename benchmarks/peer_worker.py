"""The process of a peer in its own environment; see ``peers.py``.  It imports nothing of ours.

A word per line on standard input, a JSON value per line on standard output: "fit" and "predict" give their
processor seconds, "accuracy" that of the last prediction.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np


def ydf_forest(data, n_trees):
    """YDF's random forest with sparse oblique splits, as deep as the others' trees."""
    import ydf

    ydf.verbose(0)

    def columns(X):
        return {f"f{j}": np.ascontiguousarray(X[:, j], dtype=np.float32) for j in range(X.shape[1])}

    train, probes = columns(data["X"]) | {"label": data["y"]}, columns(data["probes"])
    learner = ydf.RandomForestLearner(
        label="label", num_trees=n_trees, split_axis="SPARSE_OBLIQUE", num_threads=1, max_depth=-1,
        compute_oob_performances=False,
    )  # fmt: skip

    def predict(model):
        found = model.predict(probes, num_threads=1)
        classes = np.asarray(model.label_classes())
        codes = (found > 0.5).astype(int) if found.ndim == 1 else found.argmax(axis=1)
        return classes[codes].astype(data["labels"].dtype)

    return lambda: learner.train(train), predict


def treeple_forest(data, n_trees):
    """treeple's oblique random forest at its defaults."""
    from treeple import ObliqueRandomForestClassifier

    def fit():
        forest = ObliqueRandomForestClassifier(n_estimators=n_trees, n_jobs=1, random_state=0)
        return forest.fit(data["X"], data["y"])

    return fit, lambda forest: forest.predict(data["probes"])


def pyfim(data, algorithm, share):
    """The C code behind pyfim; "fit" finds the itemsets, nothing is predicted."""
    import fim

    ends = data["ends"]
    transactions = [data["items"][a:b].tolist() for a, b in zip(ends, ends[1:])]  # noqa: B905
    return lambda: getattr(fim, algorithm)(transactions, supp=100 * share), None


def main():
    """Answer words until the input ends."""
    what, folder, options = sys.argv[1:]
    data = {path.stem: np.load(path) for path in Path(folder).glob("*.npy")}
    makers = {"ydf_forest": ydf_forest, "treeple_forest": treeple_forest, "pyfim": pyfim}
    fit, predict = makers[what](data, **json.loads(options))
    answers = sys.stdout
    sys.stdout = sys.stderr  # what a library prints is no answer
    model = predicted = None
    for line in sys.stdin:
        word, start = line.strip(), time.process_time()
        if word == "fit":
            model = fit()
        elif word == "predict" and predict:
            predicted = predict(model)
        answer = time.process_time() - start
        if word == "accuracy":
            answer = None if predicted is None else float((predicted == data["labels"]).mean())
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
