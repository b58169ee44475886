"""The model of a page and new rows: read as the table was, or refused in one sentence."""

import datetime
import json
import re

import numpy as np
import pandas as pd
import pytest

from studylib import __main__ as program
from studylib.tryout import load_model, saved
from studylib.tryout.columns import OTHER, as_column
from studylib.tryout.models import TREE, classifiers
from studylib.tryout.new_rows import as_frame, read_rows
from studylib.tryout.options import NO_OPTIONS, Options
from studylib.tryout.table import load_table
from tests.tryout.test_zoo import DOUBTFUL, ZOO, first_part

N = 200


def orders(n=N):
    """German orders, of which the label depends on the amount and on the day, as a file has them."""
    rng = np.random.default_rng(0)
    amounts, days = rng.uniform(1, 900, n).round(2), rng.integers(0, 500, n)
    dates = pd.Timestamp("2023-01-01") + pd.to_timedelta(days, "D")
    return pd.DataFrame(
        {
            "Nr": rng.permutation(n).astype(str),
            "Betrag": [f"{v:.2f} €".replace(".", ",") for v in amounts],
            "Datum": dates.strftime("%d.%m.%Y"),
            "Alter": np.where(rng.random(n) < 0.2, "k.A.", rng.integers(18, 85, n).astype(str)),
            "Ort": rng.choice(["Bern", "Ulm", "Wien", "?"], n),
            "Neu": rng.choice(["ja", "nein"], n),
            "Firma": "dieselbe",
            "Beleg": [f"R-{k}" for k in range(n)],
            "Zurück": np.where((amounts > 450) ^ (days > 250), "ja", "nein"),
        }
    )


def fitted(folder, frame, target="Zurück", method=TREE, **options):
    """A model in a folder as ``studylib try`` leaves one, beside its table; the table and the estimator."""
    frame.to_csv(folder / "table.csv", index=False, sep=";")
    table = load_table(folder / "table.csv", target, **options)
    estimator = classifiers(table)[method][0].fit(table.X, table.y)
    remark = f"The model stored is the advised one, {method}."
    saved.save_model(folder / saved.NAME, estimator, method, table, options, remark)
    return table, estimator


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The folder of a tree for orders, and the table."""
    folder = tmp_path_factory.mktemp("model")
    return folder, *fitted(folder, orders())


@pytest.fixture(scope="module")
def model(home):
    return load_model(home[0])


def test_the_table_is_read_again_as_it_was(home, model):
    folder, table, tree = home
    rows = model.read(folder / "table.csv")
    pd.testing.assert_frame_equal(model._read(rows), table.X, check_categorical=False)
    assert model.predict(rows).tolist() == tree.predict(table.X).tolist()
    assert model.predict_proba(rows).tolist() == tree.predict_proba(table.X).tolist()
    assert list(model.classes_) == ["ja", "nein"]
    assert model.feature_names == ["Betrag", "Datum", "Alter", "Ort", "Neu"]
    assert (model.method, model.target, model.identifiers) == (TREE, "Zurück", ["Nr", "Beleg"])


@pytest.mark.parametrize("name", [name for name, (_, truth) in ZOO.items() if truth is not None])
def test_entries_of_every_format_are_read_as_before_together_and_alone(name):
    entries = pd.Series(ZOO[name][0])
    options = Options(first=first_part(name[:2])) if name in DOUBTFUL else NO_OPTIONS
    column = as_column(name, entries, options)
    how = json.loads(json.dumps(column.how))
    about = [{"name": name, "how": how, "categories": [], "example": entries[0]}]
    again = read_rows(entries.to_frame(name), about, NO_OPTIONS)
    pd.testing.assert_series_equal(again[name], column.values, check_names=False)
    for row in range(3):
        alone = read_rows(pd.DataFrame({name: [entries[row]]}), about, NO_OPTIONS)
        assert alone[name].tolist() == pytest.approx([column.values[row]], nan_ok=True)


def test_columns_in_another_order_and_further_ones_change_nothing(model):
    rows = orders()
    expected = model.predict_proba(rows).tolist()
    other = rows[rows.columns[::-1]].drop(columns=["Firma", "Zurück", "Nr"]).assign(more="anything")
    assert model.predict_proba(other.rename(columns={"Ort": " Ort "})).tolist() == expected


def test_one_row_may_be_a_series_or_a_dict(model):
    rows = orders()
    for row in (rows.iloc[7], rows.iloc[7].to_dict(), rows.iloc[[7]]):
        assert model.predict_proba(row).tolist() == model.predict_proba(rows)[[7]].tolist()


def test_numbers_and_dates_that_are_no_text_count_as_they_are(model):
    rows = orders()
    typed = rows.assign(
        Betrag=rows["Betrag"].str.removesuffix(" €").str.replace(",", ".").astype(float),
        Datum=pd.to_datetime(rows["Datum"], dayfirst=True),
        Alter=pd.to_numeric(rows["Alter"], errors="coerce"),
        Neu=rows["Neu"].str.upper(),
    )
    expected = model._read(rows)
    pd.testing.assert_frame_equal(model._read(typed), expected)
    pd.testing.assert_frame_equal(model._read(typed.astype(object)), expected)
    one = typed.iloc[0].to_dict() | {"Datum": datetime.date(2023, 3, 1), "Betrag": 1.234}
    read = model._read(as_frame(one)).iloc[0]
    assert read["Betrag"] == 1.234
    since = min(pd.to_datetime(rows["Datum"], dayfirst=True))
    assert read["Datum"] == (pd.Timestamp("2023-03-01") - since).days


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.374,12 €", 1374.12), ("2.000 €", 2000.0), ("950 €", 950.0), ("-3,5 €", -3.5), ("k.A.", np.nan),
        ("", np.nan), (None, np.nan), (np.nan, np.nan), ("-", np.nan),
    ],
)  # fmt: skip
def test_an_amount_may_have_marks_that_none_had_before(text, value, model):
    read = model._read(as_frame(orders().iloc[0].to_dict() | {"Betrag": text}))
    assert read["Betrag"].tolist() == pytest.approx([value], nan_ok=True)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"Betrag": "12;50 €"}, "row 3, column 'Betrag': '12;50 €' cannot be read, where the table had entries such as '"),
        ({"Betrag": "12 kg"}, "row 3, column 'Betrag': '12 kg' cannot be read"),
        ({"Datum": "2023-02-01"}, "row 3, column 'Datum': '2023-02-01' cannot be read"),
        ({"Datum": "31.02.2023"}, "row 3, column 'Datum': '31.02.2023' cannot be read"),
        ({"Alter": "1.374"}, "row 3, column 'Alter': '1.374' cannot be read"),  # may be two numbers
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_named_with_its_row_and_column(changed, said, model):
    rows = orders()[:5]
    for name, entry in changed.items():
        rows.loc[2, name] = entry
    with pytest.raises(ValueError, match="^predict: ") as error:
        model.predict(rows)
    assert str(error.value).startswith(f"predict: {said}")
    assert str(error.value).count("\n") == 0


def test_a_category_that_was_not_there_is_told_and_left_to_the_estimator(model, home):
    rows = orders()[:6].assign(Ort=["Ulm", "Rom", "Rom", "?", "k.A.", "Bern"])
    with pytest.warns(
        UserWarning, match=r"^Column 'Ort' has, in 2 rows, a category .*, such as 'Rom'; .* none of"
    ):
        said = model.predict(rows)
    X = model._read(orders()[:6]).assign(Ort=pd.Categorical(["Ulm", "Rom", "Rom", None, None, "Bern"]))
    assert said.tolist() == home[2].predict(X).tolist()


def test_entries_that_tell_nothing_are_told_and_count_as_missing(model):
    rows = orders()[:4].assign(Alter=["30", "alt", "k.A.", "40"], Neu=["JA", "nein", "vielleicht", ""])
    with pytest.warns(UserWarning, match="that counts as missing") as said:
        read = model._read(rows)
    assert [str(one.message) for one in said] == [
        "Column 'Alter' has, in 1 row, an entry without a digit, such as 'alt'; that counts as missing.",
        "Column 'Neu' has, in 1 row, what is neither 'ja' nor 'nein', such as 'vielleicht'; that counts as missing.",
    ]
    assert read["Alter"].tolist() == pytest.approx([30, np.nan, np.nan, 40], nan_ok=True)
    assert read["Neu"].tolist() == pytest.approx([1, 0, np.nan, np.nan], nan_ok=True)


def test_of_very_many_categories_a_new_one_is_like_the_rare_ones(tmp_path):
    frame = orders(1500)
    frame["Ort"] = [f"Ort {'abcdefghij'[k % 10]}{k % 300}" for k in range(1500)]
    fitted(tmp_path, frame)
    model = load_model(tmp_path)
    with pytest.warns(UserWarning, match=re.escape(f"the model takes it as {OTHER!r}.")):
        read = model._read(frame[:2].assign(Ort=["Nirgends", "Ort a0"]))
    assert read["Ort"].tolist() == [OTHER, "Ort a0"]


def test_options_of_the_table_hold_for_new_rows(tmp_path):
    frame = orders()
    frame["Alter"] = frame["Alter"].replace("k.A.", "-999")
    frame["Datum"] = pd.to_datetime(frame["Datum"], dayfirst=True).dt.strftime("%d/%m/%y")
    table, _ = fitted(tmp_path, frame, missing=["-999"], first="day", first_year=1950, drop=["Neu"])
    model = load_model(tmp_path)
    read = model._read(model.read(tmp_path / "table.csv"))
    pd.testing.assert_frame_equal(read, table.X, check_categorical=False)
    assert read["Alter"].isna().any()
    assert "Neu" not in model.feature_names
    typed = frame.assign(Alter=frame["Alter"].astype(float))
    pd.testing.assert_frame_equal(model._read(typed), read)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (orders().drop(columns="Datum"), "the table has no column 'Datum', which the model needs."),
        (orders().rename(columns={"Betrag": "betrag", "Ort": "o"}),
         "the table has no column 'Betrag' (and 1 other), which the model needs; did you mean 'betrag'?"),
        (orders()[["Betrag", *orders()]], "the table has several columns called 'Betrag'."),
        (orders()[:0], "the table has no rows."),
        (np.zeros((3, 2)), "rows must be a pandas DataFrame, or one row as a Series or dict, got ndarray."),
    ],
)  # fmt: skip
def test_a_table_that_does_not_fit_is_refused_in_a_sentence(rows, said, model):
    for ask in (model.predict, model.predict_proba, model.explain):
        with pytest.raises(ValueError, match="^predict: ") as error:
            ask(rows)
        assert str(error.value) == f"predict: {said}"


# Reasons


def test_an_explanation_finds_the_columns_that_matter(model):
    rows = orders()[10:13]
    told = model.explain(rows)
    assert list(told) == ["row", "prediction", "column", "value", "effect"]
    assert told["row"].tolist() == [10] * 5 + [11] * 5 + [12] * 5
    assert told["prediction"].tolist() == list(model.predict(rows).repeat(5))
    for row, part in told.groupby("row"):
        assert set(part["column"][:2]) == {"Betrag", "Datum"}
        assert (part["effect"].abs().diff().dropna() <= 0).all()
        assert part.set_index("column")["value"].to_dict() == rows.loc[row, model.feature_names].to_dict()
    alone = model.explain(orders().iloc[10])
    pd.testing.assert_frame_equal(alone, told[:5])


def test_an_effect_is_the_probability_less_its_mean_over_typical_values(model):
    row, typical = orders().iloc[3], next(c for c in model._columns if c["name"] == "Betrag")["typical"]
    k = list(model.classes_).index(model.predict(row)[0])
    others = [model.predict_proba(row.to_dict() | {"Betrag": value})[0, k] for value in typical]
    effect = model.explain(row).set_index("column").loc["Betrag", "effect"]
    assert effect == pytest.approx(model.predict_proba(row)[0, k] - np.mean(others))


# The command


def test_the_command_writes_numbers_identifiers_classes_and_probabilities(
    home, model, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    rows = orders()[:7].assign(Ort=["Ulm"] * 6 + ["Rom"])
    rows.to_csv("new.csv", index=False)
    assert program.main(["predict", str(home[0]), "new.csv"]) == 0
    written = pd.read_csv("predictions.csv", dtype={"Nr": str})
    assert list(written) == ["row", "Nr", "Beleg", "prediction", "probability of ja", "probability of nein"]
    assert written["row"].tolist() == list(range(1, 8))
    assert written["Nr"].tolist() == rows["Nr"].tolist()
    expected = model.predict_proba(orders()[:7].assign(Ort="Ulm"))
    assert written.iloc[:, 4:].to_numpy() == pytest.approx(expected)
    said = capsys.readouterr().out.splitlines()
    assert said[:2] == ["studylib: new.csv, 7 rows, by tree", "  The model stored is the advised one, tree."]
    assert said[2].startswith(
        "  Column 'Ort' has, in 1 row, a category that the model has not seen, such as 'Rom'"
    )
    assert said[3:] == ["predictions: predictions.csv"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "predictions.csv"]


@pytest.mark.parametrize(
    ("content", "words", "said"),
    [
        ("", [], "new.csv is empty"),
        ("Betrag;Datum;Alter;Ort;Neu\n", [], "the table has no rows"),
        ("Betrag;Datum\n1 €;01.01.2023\n", [], "the table has no column 'Alter' (and 2 others)"),
        ("Betrag;Datum;Alter;Ort;Neu\n1 €;heute 7;3;Ulm;ja\n", [], "row 1, column 'Datum': 'heute 7' cannot be read"),
        ("a\n1\n", ["--out", "./new.csv"], "--out=./new.csv is the file with the rows; name another one"),
        (None, [], "there is no file new.csv"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence_and_write_nothing(
    content, words, said, home, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    if content is not None:
        (tmp_path / "new.csv").write_text(content, encoding="utf-8")
    assert program.main(["predict", str(home[0]), "new.csv", *words]) == 2
    error = capsys.readouterr().err
    assert error.startswith("studylib: predict: ")
    assert said in error
    assert error.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ([] if content is None else ["new.csv"])
    if content is not None:
        assert (tmp_path / "new.csv").read_text(encoding="utf-8") == content
