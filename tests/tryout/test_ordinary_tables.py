"""What is doubted in two tables of a business, and that ordinary tables raise no alarm."""

import pytest

from studylib import datasets
from studylib.datasets import real_tables
from studylib.tryout.doubts import doubts
from studylib.tryout.table import load_table
from tests.tryout.two_tables import american_customers, german_orders

#: Ordinary tables of several makers.
ORDINARY = (
    "College", "HMDA", "Kakadu", "acs12", "attrition", "comics", "credit_data", "diamonds", "happiness",
    "hpc_data", "lending_club", "mpg", "stackoverflow", "stroke", "survey", "wa_churn",
)  # fmt: skip


def test_german_orders_are_read_and_their_identifiers_doubted(tmp_path):
    german_orders().to_csv(tmp_path / "orders.csv", sep=";", index=False, encoding="utf-8-sig")
    table = load_table(tmp_path / "orders.csv", "Rücksendung")
    assert list(table.X) == ["Kunden-Nr", "PLZ", "Bestellt am", "Betrag", "Rabatt", "Alter", "Land"]
    assert (table.rarest, table.focus) == ("ja", True)
    said = [*table.leaks, *doubts(table.X, table.y, table.target)]
    assert len(said) == 2
    assert said[0].startswith("Column 'Kunden-Nr' looks like an identifier with repetitions")
    assert "'NRW' and 'nrw'" in said[1]


def test_american_customers_are_read_and_what_is_known_later_is_doubted(tmp_path):
    american_customers().to_csv(tmp_path / "customers.csv", index=False)
    table = load_table(tmp_path / "customers.csv", "left")
    assert list(table.X) == [
        "zip", "member since", "income", "usage", "visits", "visits again", "exit reason"
    ]  # fmt: skip
    said = [*table.leaks, *doubts(table.X, table.y, table.target)]
    assert len(said) == 2
    assert said[0].startswith("Column 'exit reason' alone tells 'left' almost without error")
    assert "'visits' and 'visits again'" in said[1]


def real_table(name):
    entry = real_tables.entries()[name]
    dropped = ["rownames", *entry.drop.split()]
    return load_table(datasets.data_dir() / entry.path, entry.target, 5000, drop=dropped)


needs_data = pytest.mark.skipif(
    not (datasets.data_dir() / "real_tables").is_dir(), reason="needs the real tables"
)


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("name", ORDINARY)
def test_an_ordinary_table_raises_no_alarm(name):
    table = real_table(name)
    assert [*table.leaks, *doubts(table.X, table.y, table.target)] == []


@needs_data
@pytest.mark.parametrize(
    ("name", "same"),
    [("OJ", "'StoreID' and 'STORE'"), ("mlc_churn", "'total_day_minutes' and 'total_day_charge'")],
)
def test_columns_that_follow_from_others_are_named(name, same):
    table = real_table(name)
    (said,) = [*table.leaks, *doubts(table.X, table.y, table.target)]
    assert said.startswith(f"Columns that tell the same in every row: {same}")
