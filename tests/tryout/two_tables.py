"""Two tables such as a business has them, with known truth: German orders and American customers."""

import numpy as np
import pandas as pd


def german_orders(n=4000, seed=0):
    """Orders with German numbers and dates; 6.6 % of them are returned, which depends on three columns.

    A DataFrame of texts, as the CSV file has them.
    """
    rng = np.random.default_rng(seed)
    amount = rng.lognormal(5.5, 1, n).round(2)
    days = rng.integers(0, 700, n)
    discount = rng.choice([0, 2.5, 5, 7.2, 10], n)
    age = rng.integers(18, 85, n)
    risk = 1.1 * (np.log(amount) - 5.5) + 0.15 * discount + 1.2 * (age < 30) + rng.logistic(size=n)
    returned = risk > np.quantile(risk, 1 - 0.066)
    customers = rng.integers(100_000, 100_000 + n // 4, n)
    dates = pd.Timestamp("2023-01-01") + pd.to_timedelta(days, "D")
    return pd.DataFrame(
        {
            "Kunden-Nr": customers.astype(str),
            "PLZ": [f"{code:05}" for code in rng.choice([1067, 10115, 20095, 50667, 80331, 99084], n)],
            "Bestellt am": dates.strftime("%d.%m.%Y"),
            "Betrag": [f"{value:,.2f} €".translate(str.maketrans(",.", ".,")) for value in amount],
            "Rabatt": [f"{value:.1f} %".replace(".", ",") for value in discount],
            "Alter": np.where(rng.random(n) < 0.04, "k.A.", age.astype(str)),
            "Land": rng.choice(["NRW", "nrw", "Bayern", "Berlin"], n, p=[0.4, 0.05, 0.35, 0.2]),
            "Rücksendung": np.where(returned, "ja", "nein"),
        }
    )


def american_customers(n=4000, seed=0):
    """Customers with American numbers and dates; 6.6 % leave, and a column known later tells it.

    A DataFrame of texts, as the CSV file has them.
    """
    rng = np.random.default_rng(seed)
    income = rng.lognormal(10.8, 0.6, n).round(2)
    tenure = rng.integers(1, 120, n)
    usage = rng.beta(4, 2, n)
    visits = rng.poisson(3, n)
    risk = -0.03 * tenure - 4 * usage + 0.25 * visits + rng.logistic(size=n)
    leaves = risk > np.quantile(risk, 1 - 0.066)
    since = pd.Timestamp("2024-06-30") - pd.to_timedelta(30 * tenure, "D")
    reason = rng.choice(["price", "moved", "service"], n)
    return pd.DataFrame(
        {
            "account_id": [f"P-{k:07}" for k in rng.permutation(n)],
            "zip": [f"{code:05}" for code in rng.choice([2139, 10001, 60601, 73301, 94103], n)],
            "member since": since.strftime("%m/%d/%Y"),
            "income": [f"${value:,.2f}" for value in income],
            "usage": [f"{100 * value:.1f}%" for value in usage],
            "visits": visits.astype(str),
            "visits again": visits.astype(str),
            "exit reason": np.where(leaves, reason, ""),
            "left": np.where(leaves, "yes", "no"),
        }
    )
