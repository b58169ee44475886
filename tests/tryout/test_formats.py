"""Numbers and dates as strangers write them: read right, with rank correlation 1, or not at all and said so."""

import numpy as np
import pandas as pd
import pytest

from studylib.tryout import choice
from studylib.tryout.columns import as_column
from studylib.tryout.options import Options
from studylib.tryout.table import load_table

N = 300
RNG = np.random.default_rng(0)
AMOUNTS = pd.Series(np.exp(RNG.normal(6.5, 1.5, N)).round(2))


def english(number, digits=2):
    return f"{number:,.{digits}f}"


def german(number, digits=2):
    return english(number, digits).translate(str.maketrans(",.", ".,"))


def read(entries, name="it", **options):
    return as_column(name, pd.Series(list(entries)), Options(**options))


def asked(entries):
    """The question that a column raises."""
    with pytest.raises(ValueError, match="^try: column 'it'") as caught:
        read(entries)
    return str(caught.value)


def test_the_order_is_the_one_under_which_no_entry_fails():
    assert "day first (such as '26/01/2023')" in read([f"{day:02}/01/2023" for day in range(1, 27)]).remark
    assert "month first (such as '01/26/2023')" in read([f"01/{day:02}/2023" for day in range(1, 27)]).remark
    doubtful = [f"{k % 12 + 1:02}/{k // 12 % 12 + 1:02}/2023" for k in range(144)]
    assert asked(doubtful) == (
        "try: column 'it' holds dates such as '02/01/2023', which may be 2023-01-02 or 2023-02-01; say --dayfirst "
        "or --monthfirst, or leave it out with --drop=it."
    )
    for first, form in (("day", "%d/%m/%Y"), ("month", "%m/%d/%Y")):
        expected = pd.to_datetime(pd.Series(doubtful), format=form)
        assert read(doubtful, first=first).moments.tolist() == expected.tolist()


@pytest.mark.parametrize("entry", ["13.04.45", "04/13/45", "45-04-13", "13 Apr 45", "April 13, 45"])
def test_two_digits_of_a_year_mean_what_the_user_says(entry):
    assert "which may be 2045-04-13 or 1945-04-13; say --first-year=1969 or --first-year=1930, or" in asked(
        [entry, entry.replace("45", "46")]
    )
    for first_year, year in {1969: 2045, 1930: 1945, 1850: 1945, 1840: 1845}.items():
        assert read([entry, None], first_year=first_year).moments[0] == pd.Timestamp(f"{year}-04-13")


def test_a_number_that_is_not_plain_is_shown_as_it_was_read():
    assert read(["1.277,44 €", "10,60 €"] * 20).remark == (
        "Column 'it' holds numbers, such as '1.277,44 €' for 1277.44."
    )
    assert read(["1.5", "2"] * 20).remark == ""


@pytest.mark.parametrize(
    ("entries", "values"),
    [
        (["-1.277,44", "+10,60"], [-1277.44, 10.6]),
        (["-$1,277.44", "$-10.60"], [-1277.44, -10.6]),
        (["($1,277.44)", "$(10.60)"], [-1277.44, -10.6]),
        (["1e3", "-.5", "7."], [1000, -0.5, 7]),
        (["1,5E-3", "2e3"], [0.0015, 2000]),
        (["1.277,44 EUR", "-10,60 EUR"], [1277.44, -10.6]),
        (["R$ 1.277,44", "R$ 10,60"], [1277.44, 10.6]),
        (["USD 1,277.44", "USD 10.60"], [1277.44, 10.6]),
        (["37.5 °C", "-4 °C"], [37.5, -4]),
        (["1.277,-", "950,-- "], [1277, 950]),
        (["CHF 1'410.–", "CHF 7.—", "CHF -8.-"], [1410, 7, -8]),
        (["12.5 ‰", "7 ‰"], [12.5, 7]),
        (["1 week", "12 weeks"], [1, 12]),
        (["14:30 Uhr", "6:45 Uhr"], [14.5, 6.75]),
        (["14h30", "6h45"], [14.5, 6.75]),
        (["7", "#DIV/0!", "#VALUE!", "8"], [7, np.nan, np.nan, 8]),
    ],
)
def test_numbers_and_times_are_read(entries, values):
    np.testing.assert_allclose(read(entries).values, values)


@pytest.mark.parametrize(
    ("entry", "moment"),
    [
        ("2024-07-09 2:30:00 PM GMT+2", "2024-07-09 12:30"),
        ("2024-07-09 08:30 UTC", "2024-07-09 08:30"),
        ("2024-07-09 08:30-01:30", "2024-07-09 10:00"),
        ("2024-07-09T14:30+02:00[Europe/Berlin]", "2024-07-09 12:30"),
        ("29.7.2024 um 14:30 Uhr", "2024-07-29 14:30"),
        ("July 9, 2024 at 2:30 PM", "2024-07-09 14:30"),
        ("09/Jul/2024:14:30:05 +0200", "2024-07-09 12:30:05"),
        ("9 Jul '24", "2024-07-09"),
        ("2024-Jul-09", "2024-07-09"),
        ("Tuesday 9 July 2024", "2024-07-09"),
        ("1er juillet 2024", "2024-07-01"),
    ],
)
def test_dates_in_words_and_in_zones_are_read(entry, moment):
    assert read([entry, None]).moments[0] == pd.Timestamp(moment)


@pytest.mark.parametrize(("mark", "written"), [(",", english), (".", german)])
def test_a_zero_that_was_kept_beside_numbers_without_a_mark_tells_thousands(mark, written):
    """A decimal 1,200 would be written 1,2 where 950 has no decimals, or 950 would be 950,000."""
    found = read(written(one, 0) for one in range(500, 2000, 10))
    assert found.values.tolist() == list(range(500, 2000, 10))
    assert f"'1{mark}000' for 1000" in found.remark


@pytest.mark.parametrize("entries", [["1,201", "950"], ["1.201", "950"], ["1,200", "2,500"]])
def test_thousands_or_decimals_are_not_guessed(entries):
    mark = entries[0][1]
    question = asked(entries * 20)
    assert f"numbers such as {entries[0]!r}, which may be 1" in question
    assert f'say --decimal="{mark}" or --thousands="{mark}", or leave it out' in question
    larger, smaller = (read(entries * 20, **{key: mark}).values for key in ("thousands", "decimal"))
    assert larger[0] == int(entries[0].replace(mark, ""))
    np.testing.assert_allclose(larger[::2], 1000 * smaller[::2])


def test_numbers_that_pandas_would_read_are_looked_at_as_text(tmp_path):
    """``4.356`` beside ``751`` may be either; no point at all leaves no doubt."""

    def load(text, **options):
        rows = [f"{text if k % 2 else 751 + k},{k / 7:.4f},{'ab'[k % 3 > 1]}" for k in range(60)]
        (tmp_path / "a.csv").write_text("\n".join(["amount,x,label", *rows]))
        return load_table(tmp_path / "a.csv", "label", **options)

    assert load("4356").X["amount"][1] == 4356
    with pytest.raises(ValueError, match=r"column 'amount' .* which may be 4.356 or 4356; say --decimal"):
        load("4.356")
    assert load("4.356", thousands=".").X["amount"][1] == 4356
    assert list(load("4.356", drop=["amount"]).X) == ["x"]


@pytest.mark.parametrize(
    ("entries", "what"),
    [
        ([f"{k}.{k}.2023" if k % 2 else f"{k}/{k}/2023" for k in range(1, 31)], "dates ('1.1.2023' and '2/2/2023')"),
        ([f"{k}/{k}/2023" for k in range(1, 33)], "dates ('1/1/2023')"),
        ([f"4.{k}.{k + 1}" for k in range(30)], "versions ('4.0.1')"),
        ([f"{k % 13 + 1}:{k:02} pm" for k in range(30)], "times ('1:00 pm')"),
        ([f"€{k}" if k % 2 else f"{k}€" for k in range(30)], "numbers ('0€' and '€1')"),
        ([f"{k},5%" if k % 2 else f"{k}.5%" for k in range(30)], "numbers ('0.5%' and '1,5%')"),
        ([f"${k}" if k % 2 else f"{k}" for k in range(30)], "numbers ('0' and '$1')"),
        ([english(one) if one > 700 else german(one) for one in AMOUNTS], "numbers ("),
        ([f"({one:.0f}" if one < 100 else f"{one}" for one in AMOUNTS], "numbers ("),
    ],
)  # fmt: skip
def test_what_no_format_fits_is_left_out_and_described(entries, what):
    found = read(entries)
    assert (found.kind, found.values) == ("unread", None)
    assert found.remark.startswith(f"Column 'it' holds what looks like {what}")
    assert found.remark.endswith("), and no format fits them all; it is left out.")


def test_few_entries_that_are_not_read_are_categories():
    found = read(["1", "2", "3", "4+", "5", "6"] * 10)
    assert found.kind == "categories"
    assert found.remark == (
        "Column 'it' holds what looks like numbers ('1' and '4+'), and no format fits them all; its entries count as "
        "categories."
    )
    codes = pd.Series(["1", "2"] * 20, dtype="category")
    assert as_column("it", codes).kind == "categories"  # who says so means it


@pytest.mark.parametrize(
    "words",
    ["yes no", "Y N", "TRUE FALSE", "t f", "on off", "Ja Nein", "wahr falsch", "oui non", "sí no", "sì no", "sim não",
     "tak nie", "ano ne", "да нет"],
)  # fmt: skip
def test_the_usual_words_are_yes_and_no(words):
    yes, no = words.split()
    found = read([yes, no, None, yes])
    assert found.kind == "numbers"
    assert found.as_text().tolist() == ["1", "0", "", "1"]


@pytest.mark.parametrize(
    "mark",
    ["?", "NA", "n/a", "N/A", "<NA>", "NaN", "k.A.", "k. A.", "-", "--", "–", "#N/A", "#DIV/0!", "NULL", "", " "],
)  # fmt: skip
@pytest.mark.parametrize(
    "entries", [["1,5", "2,25"], ["a", "b"], ["2024-01-30", "2024-02-01"], ["yes", "no"]]
)
def test_marks_of_what_is_missing(mark, entries):
    found = read([entries[0], mark, entries[1]] * 10)
    assert found.kind == read(entries * 10).kind
    assert found.values.isna().tolist() == [False, True, False] * 10


def test_a_number_is_missing_only_if_the_user_says_so():
    assert read(["-999", "1,5", "2"]).values.tolist() == [-999, 1.5, 2]
    assert read(["-999", "1,5", "2"], missing=("-999",)).as_text().tolist() == ["", "1.5", "2"]


@pytest.mark.parametrize(
    "codes",
    [["007", "012"], ["0", "1", "02"], ["1.2.3", "1.10.0"], ["fe80::1", "2001:db8::1"],
     ["00:1B:44:11:3A:B7", "00:1B:44:11:3A:B8"], ["030/123456", "089/654321"],
     ["555-123-4567", "212-555-1234"], ["(212) 555-1234", "(415) 555-9876"], ["06 12 34 56 78", "07 12 34 56 79"],
     ["978-3-16-148410-0", "978-0-306-40615-7"], ["DE89 3704 0044 0532", "DE89 3704 0044 0533"], ["10-20", "20-30"],
     ["<5", "7"], ["1/2", "3/4"], ["10 GB", "512 MB"], ["48.86, 2.35", "52.52, 13.41"], ["1,5", "2.75"], ["$5", "€5"]],
)  # fmt: skip
def test_codes_and_what_is_no_single_number_stay_text(codes):
    found = read(codes * 10)
    assert found.kind == "categories"
    assert found.as_text().tolist() == codes * 10


@pytest.mark.parametrize(
    ("entries", "moments", "what"),
    [
        (["2021-03", "2021-12"], ["2021-03", "2021-12"], "months"), (["2021/03", "1999/12"], ["2021-03", "1999-12"], "months"),
        (["03/2021", "12/2021"], ["2021-03", "2021-12"], "months"), (["2021M03", "2021M12"], ["2021-03", "2021-12"], "months"),
        (["Mar 2021", "Dez. 2021"], ["2021-03", "2021-12"], "months"), (["Mar-21", "Dec-19"], ["2021-03", "2019-12"], "months"),
        (["2021-Q2", "2020-Q4"], ["2021-04", "2020-10"], "quarters"), (["Q2 2021", "Q1 2020"], ["2021-04", "2020-01"], "quarters"),
    ],
)  # fmt: skip
def test_months_and_quarters_are_ordered(entries, moments, what):
    found = read(entries)
    assert found.moments.tolist() == [pd.Timestamp(moment) for moment in moments]
    assert found.remark.startswith(f"Column 'it' holds {what}; they count as days since")
    assert read([*entries, "2021-13"]).kind == "categories"


@pytest.mark.parametrize(("below", "value"), [("half", 0.025), ("limit", 0.05), ("missing", np.nan)])
def test_what_is_below_a_limit_counts_as_the_user_says(below, value):
    entries = ["0.31", "<0.05", "0.2", "< 0.05", "1.7", "0.11"]
    assert asked(entries) == (
        "try: column 'it' holds numbers below a limit, such as '<0.05'; say --below=half, --below=limit or "
        "--below=missing, or leave it out with --drop=it."
    )
    found = read(entries, below=below)
    np.testing.assert_allclose(found.values, [0.31, value, 0.2, value, 1.7, 0.11])
    form = choice.format_of(found.how)
    np.testing.assert_allclose(choice.read_as(["<0.05", "0.3"], form, Options(below=below)), [value, 0.3])
    assert choice.read_as(["<0.05"], form) == [None]


def test_names_with_numbers_are_texts():
    for entries in (["room 12", "room 13"], ["B12", "C7"], ["3 cats", "1 dog"], ["0x1", "1_0"]):
        assert read(entries * 20).kind == "categories"
        assert choice.read(entries).remark == ""
