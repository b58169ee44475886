"""The file of a page's model: it runs no code, and is read as it was written or refused in one sentence."""

import io
import json
import pickle
import subprocess
import sys
import zipfile

import pytest
import skops.io

from studylib.tryout import load_model, saved
from studylib.tryout.models import BASELINE, LIGHTGBM, PARTIAL, classifiers
from studylib.tryout.table import load_table
from tests.tryout.test_new_rows import fitted, orders


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The folder of a tree for orders, the table and the tree."""
    folder = tmp_path_factory.mktemp("model")
    return folder, *fitted(folder, orders())


@pytest.fixture(scope="module")
def every(tmp_path_factory):
    """A folder for each method that a page may keep, with the table and the estimator."""
    found, X = {}, orders(150)
    for k, method in enumerate(classifiers(load_table_of(X, tmp_path_factory.mktemp("table")))):
        if method not in (BASELINE, PARTIAL, LIGHTGBM):
            folder = tmp_path_factory.mktemp(f"method-{k}")
            found[method] = (folder, *fitted(folder, X, method=method))
    return found


def load_table_of(frame, folder):
    frame.to_csv(folder / "table.csv", index=False)
    return load_table(folder / "table.csv", "Zurück")


@pytest.mark.slow
def test_every_method_says_the_same_once_it_is_loaded_also_of_new_categories(every):
    for folder, table, estimator in every.values():
        model = load_model(folder)
        assert model.predict_proba(orders(150)).tolist() == estimator.predict_proba(table.X).tolist()
        with pytest.warns(UserWarning, match="'Rom'"):
            assert len(model.predict(orders(5).assign(Ort="Rom"))) == 5
        assert len(model.explain(orders(2))) == 10


@pytest.mark.slow
def test_the_types_that_are_trusted_are_those_that_are_needed(every, tmp_path):
    """With three classes boosting has another loss, and with a rare class most methods have weights."""
    asked = set()
    three = orders(150).assign(Zurück=lambda t: t["Zurück"].mask(t["Ort"] == "Ulm", "halb"))
    rare = orders(150).assign(Zurück=lambda t: t["Zurück"].mask(t.index > 20, "nein"))
    for k, frame in enumerate((three, rare)):
        for method in every:
            folder = tmp_path / f"{k} {method}"
            folder.mkdir()
            fitted(folder, frame, method=method)
            load_model(folder)
            asked |= asked_of(folder)
    asked |= set().union(*(asked_of(folder) for folder, *_ in every.values()))
    assert asked == saved._TYPES | saved._LOADERS


def asked_of(folder):
    with zipfile.ZipFile(folder / saved.NAME) as archive:
        return {one for pair in saved._asked(json.loads(archive.read("schema.json"))) for one in pair}


SAID = """
import sys
import pandas as pd
from studylib.tryout import load_model
model = load_model(sys.argv[1])
print(model.predict_proba(model.read(sys.argv[2])).tolist())
"""


@pytest.mark.slow
def test_a_new_process_says_the_same(home):
    folder, table, tree = home
    words = [sys.executable, "-c", SAID, folder, folder / "table.csv"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == tree.predict_proba(table.X).tolist()


def rewritten(home, tmp_path, **parts):
    """A folder with a copy of the model in which some parts are others."""
    with zipfile.ZipFile(home[0] / saved.NAME) as old, zipfile.ZipFile(tmp_path / saved.NAME, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            change = parts.get(name.partition(".")[0])
            new.writestr(name, json.dumps(change(json.loads(content))) if change else content)
    return tmp_path


class Bomb:
    def __reduce__(self):
        return exec, ("raise SystemExit('it ran')",)


def node(name, loader="FunctionNode"):
    module, _, kind = name.rpartition(".")
    return {"__class__": kind, "__module__": module, "__loader__": loader, "__id__": 1, "content": {}}


@pytest.mark.parametrize(
    "foreign",
    [
        "os.system", "builtins.eval", "numpy.add", "builtins.getattr", "sklearn.svm._classes.SVC",
        "studylib.core.files.write_atomically",
    ],
)  # fmt: skip
def test_a_file_that_asks_for_other_types_is_refused(foreign, home, tmp_path):
    rewritten(home, tmp_path, schema=lambda tree: tree | {"more": [node(foreign)]})
    with pytest.raises(ValueError, match="^predict: ") as error:
        load_model(tmp_path)
    assert str(error.value).endswith(
        f"model.skops asks for {foreign}, which no model of `studylib try` needs; it was not loaded."
    )


def test_a_file_that_asks_for_a_method_is_refused(home, tmp_path):
    tree = node("studylib.trees.predictor.TreePredictor", "MethodNode")
    rewritten(home, tmp_path, schema=lambda old: old | {"more": tree})
    with pytest.raises(ValueError, match=r"model\.skops asks for MethodNode, which no model"):
        load_model(tmp_path)


def test_a_file_that_is_damaged_or_something_else_is_refused(home, tmp_path):
    path = tmp_path / saved.NAME
    whole = (home[0] / saved.NAME).read_bytes()
    archive = io.BytesIO()
    zipfile.ZipFile(archive, "w").close()
    others = [
        b"", b"text", whole[:-1], whole[: len(whole) // 2], pickle.dumps(Bomb()), archive.getvalue(),
        skops.io.dumps([1, 2]),
    ]  # fmt: skip
    for content in others:
        path.write_bytes(content)
        with pytest.raises(
            ValueError, match=r"^predict: .*model\.skops is damaged, or no model of `studylib try`"
        ):
            load_model(tmp_path)
    for part in ("about", "schema"):
        rewritten(home, tmp_path, **{part: lambda old: {} if isinstance(old, dict) else old})
        with pytest.raises(ValueError, match="is damaged, or no model"):
            load_model(tmp_path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"form": [0, 1], "studylib": "0.0.7"}, "was written by another version of studylib, 0.0.7; run `studylib try`"),
        ({"scikit-learn": "1.2.3"}, r"was written with scikit-learn 1\.2\.3, and .* is installed; run `studylib try`"),
    ],
)  # fmt: skip
def test_a_file_of_another_version_is_refused(change, said, home, tmp_path):
    rewritten(home, tmp_path, about=lambda old: old | change)
    with pytest.raises(ValueError, match=said):
        load_model(tmp_path)


def test_a_file_that_unpacks_to_too_much_is_refused(home, monkeypatch):
    monkeypatch.setattr(saved, "_MOST_BYTES", 1000)
    with pytest.raises(ValueError, match="has more than 1,000 bytes when it is unpacked"):
        load_model(home[0])


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"^predict: the folder .* has no model\.skops; `studylib try` with --out"
    ):
        load_model(tmp_path)
    with pytest.raises(ValueError, match=r"^predict: there is no folder .*nowhere; "):
        load_model(tmp_path / "nowhere")
