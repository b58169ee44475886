"""A zoo of columns as ten countries write them: each is read as it was meant, or asked about, or text."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from studylib.core.files import write_json
from studylib.tryout.columns import as_column
from studylib.tryout.options import Options
from studylib.tryout.table import load_table
from tests.tryout.parsed import read_parsed

N = 120
MONTHS = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "sv": "jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.",
    "en": "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
}
#: Country: thousands and decimals, currency, minus sign, dates in short and in words.
COUNTRIES = {
    "us": (",.", "${}", "(", "%m/%d/%Y", "{m} {d}, {y}", "en"),
    "uk": (",.", "£{}", "-", "%d/%m/%Y", "{d} {m} {y}", "en"),
    "de": (".,", "{} €", "-", "%d.%m.%Y", "{d}. {m} {y}", "de"),
    "ch": ("’.", "CHF {}", "-", "%d.%m.%Y", "{d}. {m} {y}", "de"),
    "fr": ("\u202f,", "{}\u00a0€", "-", "%d/%m/%Y", "{d} {m} {y}", "fr"),
    "es": (".,", "{}€", "-", "%d/%m/%Y", "{d} de {m} de {y}", "es"),
    "it": (".,", "€ {}", "-", "%d/%m/%Y", "{d} {m} {y}", "it"),
    "se": ("\u00a0,", "{} kr", "\u2212", "%Y-%m-%d", "{d} {m} {y}", "sv"),
    "cz": ("\u2009,", "{} Kč", "-", "%d. %m. %Y", "{d}-{m}-{y}", "en"),
    "jp": (",.", "¥{}", "-", "%Y/%m/%d", "{m} {d}, {y}", "en"),
}


def written(value, marks, digits=2, minus="-"):
    text = f"{abs(value):,.{digits}f}".translate(str.maketrans(",.", marks))
    if value >= 0:
        return text
    return f"({text})" if minus == "(" else minus + text


def zoo():
    """Name, entries and truth of each column; the truth is None where the entries are to stay text."""
    rng = np.random.default_rng(0)
    for country, (marks, money, minus, short, named, language) in COUNTRIES.items():
        amounts = np.exp(rng.normal(6.5, 2, N)).round(2)
        signed = (amounts * rng.choice([-1, 1], N)).round(2)
        whole = np.exp(rng.normal(11, 4, N)).round()
        shares = rng.uniform(0, 100, N).round(1)
        days = pd.Series(pd.Timestamp("2019-02-27") + pd.to_timedelta(rng.integers(0, 2000, N), "D"))
        moments = days + pd.to_timedelta(rng.integers(0, 1440, N), "min")
        months = MONTHS[language].split()
        yield f"{country} amounts", [written(v, marks) for v in amounts], amounts
        yield f"{country} signed", [written(v, marks, 2, minus) for v in signed], signed
        yield f"{country} whole", [written(v, marks, 0) for v in whole], whole
        yield f"{country} small", [f"{v:.1f}".replace(".", marks[1]) for v in shares], shares
        yield f"{country} money", [money.format(written(v, marks)) for v in amounts], amounts
        yield f"{country} shares", [f"{v:.1f} %".replace(".", marks[1]) for v in shares], shares
        yield f"{country} days", list(days.dt.strftime(short)), days
        yield f"{country} moments", list(moments.dt.strftime(f"{short} %H:%M")), moments
        words = [named.format(d=t.day, m=months[t.month - 1], y=t.year) for t in days]
        yield f"{country} words", words, days
        yield f"{country} short years", list(days.dt.strftime(short.replace("%Y", "%y"))), days
    seconds = rng.integers(0, 86_400, N)
    moments = pd.Series(pd.Timestamp("2022-03-01") + pd.to_timedelta(rng.integers(0, 10**8, N), "s"))
    clock = pd.Series(pd.Timestamp("2022-03-01") + pd.to_timedelta(seconds, "s"))
    yield "iso", [f"{t.isoformat()}Z" for t in moments], moments
    yield (
        "offsets",
        [f"{(t + pd.Timedelta(hours=k % 5)).isoformat()}+0{k % 5}:00" for k, t in enumerate(moments)],
        moments,
    )
    yield "halves", list(moments.dt.strftime("%m/%d/%Y %I:%M:%S %p")), moments
    yield "times", list(clock.dt.strftime("%H:%M:%S")), seconds / 3600
    yield "half times", list(clock.dt.strftime("%I:%M:%S %p")), seconds / 3600
    yield "long", [str(pd.Timedelta(seconds=10 * int(s))) for s in seconds], seconds / 360
    yield (
        "powers",
        [f"{v:.3E}" for v in np.exp(seconds / 5000)],
        [float(f"{v:.3E}") for v in np.exp(seconds / 5000)],
    )
    yield (
        "behind",
        [f"{s:,}-" if s % 2 else f"{s:,}" for s in seconds * 37],
        seconds * 37 * np.where(seconds * 37 % 2, -1, 1),
    )
    yield "units", [f"{s} km/h" for s in seconds], seconds
    lakhs = 97 * seconds + 1_000_000
    yield "lakhs", [f"₹{v // 100_000},{v // 1000 % 100:02},{v % 1000:03}" for v in lakhs], lakhs
    yield (
        "gaps",
        [str(s) if s % 3 else ["?", "n/a", "k.A.", "-", "--", "#N/A", "NULL", ""][s % 8] for s in seconds],
        (np.where(seconds % 3, seconds, np.nan)),
    )
    yield "ja", [["nein", "Ja"][s % 2] for s in seconds], seconds % 2
    yield "true", [["FALSE", "TRUE"][s % 2] for s in seconds], seconds % 2
    yield "postcodes", [f"{s:05}" for s in seconds], None
    yield "versions", [f"{s % 7}.{s % 11}.{s % 13}" for s in seconds], None
    yield "articles", [f"A{s}" for s in seconds], None
    yield "sorts", [["a", "b", "", "N/A"][s % 4] for s in seconds], None


ZOO = {name: (entries, truth) for name, entries, truth in zoo()}
#: With two digits for each part, a year may be a day; only a month in front shows itself.
DOUBTFUL = {f"{country} short years" for country in COUNTRIES if country != "us"}


def first_part(country):
    return {"%d": "day", "%m": "month", "%Y": "year"}[COUNTRIES[country][3][:2]]


@pytest.mark.parametrize("name", ZOO)
def test_a_column_is_read_as_it_was_meant_or_asked_about(name):
    entries, truth = ZOO[name]
    series, options = pd.Series(entries), Options()
    if name in DOUBTFUL:
        with pytest.raises(ValueError, match=f"column {name!r} holds dates .* say --dayfirst or --"):
            as_column(name, series)
        options = Options(first=first_part(name[:2]))
    column = as_column(name, series, options)
    if truth is None:
        assert column.values is None or column.kind == "categories"
        assert column.kind not in ("numbers", "dates")
        return
    if column.kind == "dates":
        assert column.moments.tolist() == list(truth)
    else:
        np.testing.assert_allclose(column.values, truth, rtol=1e-12)
    known = ~pd.isna(column.values)
    assert spearmanr(column.values[known], pd.Series(truth)[known].rank()).statistic == pytest.approx(1)


def test_a_file_of_all_columns_is_parsed(tmp_path):
    """What was parsed is read again by pandas alone, without any format, and as the table that was used."""
    columns = {name: entries for name, (entries, _) in ZOO.items() if name not in DOUBTFUL}
    pd.DataFrame({**columns, "label": ["a", "b"] * (N // 2)}).to_csv(
        tmp_path / "zoo.csv", index=False, sep=";"
    )
    table = load_table(tmp_path / "zoo.csv", "label")
    write_json(tmp_path / "columns.json", table.details)
    table.parsed.to_csv(tmp_path / "parsed.csv", index=False)
    X, y = read_parsed(tmp_path)
    pd.testing.assert_frame_equal(X, table.X, check_categorical=False)
    assert y.tolist() == table.y.tolist()
    parsed = pd.read_csv(tmp_path / "parsed.csv")
    dropped = {row["name"] for row in table.details if row["dropped"]}
    assert dropped <= {name for name, (_, truth) in ZOO.items() if truth is None}
    assert list(parsed) == [name for name in [*columns, "label"] if name not in dropped]
    for name, (_, truth) in ZOO.items():
        if truth is None or name in DOUBTFUL:
            continue
        if name in ("times", "half times"):
            np.testing.assert_allclose(pd.to_timedelta(parsed[name]).dt.total_seconds() / 3600, truth)
        elif isinstance(truth, pd.Series):
            assert pd.to_datetime(parsed[name]).tolist() == truth.tolist()
        else:
            np.testing.assert_allclose(parsed[name], truth, rtol=1e-12)
    examples = {row["name"]: row["examples"] for row in table.details}
    assert len(examples["de money"]) == 5
    assert examples["de money"][0] == [ZOO["de money"][0][0], f"{ZOO['de money'][1][0]:.2f}".rstrip("0")]


ELSEWHERE = """
import sys
from pathlib import Path
from studylib.core.files import write_json
from studylib.tryout.table import load_table
out = Path(sys.argv[1])
table = load_table(out.parent / "zoo.csv", "label", max_rows=1000)
write_json(out / "columns.json", table.details)
table.parsed.to_csv(out / "parsed.csv", index=False, lineterminator="\\n", encoding="utf-8")
"""


@pytest.mark.slow
def test_what_was_read_does_not_depend_on_the_machine(tmp_path):
    columns = {name: entries * 10 for name, (entries, _) in ZOO.items() if name not in DOUBTFUL}
    columns["größe"] = [f"{k % 7} été" for k in range(10 * N)]
    pd.DataFrame({**columns, "label": ["a", "b"] * (5 * N)}).to_csv(
        tmp_path / "zoo.csv", index=False, sep=";", encoding="cp1252", errors="replace"
    )
    written = []
    for k, settings in enumerate(
        (
            {"LC_ALL": "C.UTF-8", "TZ": "America/New_York", "PYTHONHASHSEED": "1"},
            {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Pacific/Auckland",
             "PYTHONHASHSEED": "2"},
        )
    ):  # fmt: skip
        out = tmp_path / str(k)
        out.mkdir()
        subprocess.run([sys.executable, "-c", ELSEWHERE, out], check=True, env={**os.environ, **settings})
        written.append([(out / name).read_bytes() for name in ("columns.json", "parsed.csv")])
    assert written[0] == written[1]
    assert all(len(content) > 10_000 for content in written[0])


def outcome(entries, truth):
    """Check a column that may be asked about or left out, and may not be wrong."""
    try:
        column = as_column("it", pd.Series(entries))
    except ValueError as question:
        if "which may be" not in str(question):
            raise
        return
    if column.kind == "dates":
        assert column.moments.tolist() == list(truth)
    elif column.kind == "numbers":
        np.testing.assert_allclose(column.values, truth, rtol=1e-12)


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=2, max_size=30),
    st.integers(0, 4),
    st.sampled_from([",.", ".,", " ,", "'.", "\u202f,", "’."]),
    st.sampled_from(["{}", "${}", "{} €", "{}%", "USD {}", "{} kg"]),
    st.sampled_from(["-", "(", "\u2212"]),
)
def test_numbers_are_never_wrong(values, digits, marks, money, minus):
    truth = [value / 10**digits for value in values]
    outcome([money.format(written(value, marks, digits, minus)) for value in truth], truth)


@given(
    st.lists(st.datetimes(pd.Timestamp("1970-01-01"), pd.Timestamp("2029-12-31")), min_size=2, max_size=30),
    st.sampled_from(
        ["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%m-%d-%Y", "%Y/%m/%d", "%d.%m.%y", "%m/%d/%y", "%y-%m-%d",
         "%d %b %Y", "%B %d, %Y", "%d-%b-%y"]
    ),
    st.sampled_from(["", " %H:%M", "T%H:%M:%S", " %I:%M:%S %p"]),
)  # fmt: skip
def test_dates_are_never_wrong(moments, form, clock):
    form += clock
    texts = [moment.strftime(form) for moment in moments]
    outcome(texts, [pd.Timestamp(pd.to_datetime(text, format=form)) for text in texts])


@given(
    st.lists(st.integers(0, 86_399), min_size=2, max_size=30),
    st.sampled_from(["%H:%M", "%H:%M:%S", "%I:%M %p", "%I:%M:%S %p", "%Hh%M"]),
)
def test_times_are_never_wrong(seconds, form):
    texts = [(pd.Timestamp("2024-01-01") + pd.Timedelta(seconds=second)).strftime(form) for second in seconds]
    truth = [pd.to_datetime(text, format=form) - pd.Timestamp("1900-01-01") for text in texts]
    outcome(texts, [part.total_seconds() / 3600 for part in truth])


@given(
    st.lists(st.integers(0, 10**6), min_size=2, max_size=30),
    st.sampled_from(["{h}:{m:02}:{s:02}", "{d} days {r:02}:{m:02}:{s:02}"]),
)
def test_durations_are_never_wrong(seconds, form):
    parts = [
        {"d": t // 86_400, "r": t // 3600 % 24, "h": t // 3600, "m": t // 60 % 60, "s": t % 60}
        for t in seconds
    ]
    outcome([form.format(**part) for part in parts], [t / 3600 for t in seconds])
