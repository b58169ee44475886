"""Secondary Mushroom: the published tables, and the simulation of how they were made."""

import numpy as np
import pandas as pd
import pytest

from studylib import datasets
from studylib.datasets import mushroom

TABLE_21 = {
    "cap-surface": 0.23, "gill-attachment": 0.16, "gill-spacing": 0.41, "stem-root": 0.84, "stem-surface": 0.62,
    "veil-type": 0.95, "veil-color": 0.88, "ring-type": 0.04, "spore-print-color": 0.90,
}  # fmt: skip

needs_data = pytest.mark.skipif(
    not (datasets.data_dir() / mushroom.SECONDARY.path).is_file(),
    reason=f"Secondary Mushroom is not in {datasets.data_dir()} (set {datasets.DATA_VARIABLE})",
)


@needs_data
def test_published_table_has_its_facts():
    bunch = datasets.load_secondary_mushroom()
    frame = bunch.frame
    assert frame.shape == (61_069, 21)
    assert list(frame.columns[:2]) == ["class", "cap-diameter"]
    assert list(frame.select_dtypes("number").columns) == list(mushroom.MEASUREMENTS)
    assert frame["class"].value_counts().to_dict() == {"p": 33_888, "e": 27_181}
    assert frame.isna().any(axis=1).all()
    assert frame.duplicated().sum() == 146
    assert not bunch.simulated
    assert bunch.provenance["sha256"] == mushroom.SECONDARY.sha256


@needs_data
def test_levels_and_missing_values_of_the_simulation_are_those_of_the_published_table():
    frame = datasets.load_secondary_mushroom().frame
    for column, levels in mushroom.LEVELS.items():
        assert "".join(sorted(frame[column].dropna().unique())) == levels, column
    species_without = (frame.isna().mean() * 173).round(9)
    assert species_without[species_without > 0].to_dict() == mushroom.SPECIES_WITHOUT


@needs_data
def test_the_generating_process_gives_the_published_spread():
    """Drawn again from the real species, every measurement has the published mean and deviation."""
    species = datasets.parse_species(datasets.load_primary_mushroom().frame)
    real = datasets.load_secondary_mushroom().frame
    ours = datasets.simulate_secondary_mushrooms(species=species).frame
    group = np.repeat(np.arange(173), 353)
    for column in mushroom.MEASUREMENTS:
        a, b = (f[column].groupby(group).agg(["mean", "std"]) for f in (real, ours))
        error = a["std"] / np.sqrt(353)
        z = ((a["mean"] - b["mean"]) / (error * np.sqrt(2)))[error > 0]
        assert 0.8 < z.std() < 1.2  # standard normal if both come from one distribution
        ratio = (a["std"] / b["std"])[error > 0]
        assert ratio.between(0.8, 1.25).all()
    assert (real["class"] == ours["class"]).all()
    pd.testing.assert_frame_equal(real.isna(), ours.isna())


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_simulation_has_the_schema_and_missing_shares(seed):
    bunch = datasets.simulate_secondary_mushrooms(random_state=seed)
    frame = bunch.frame
    assert bunch.simulated
    assert frame.shape == (61_069, 21)
    assert tuple(frame.columns) == mushroom.COLUMNS
    shares = frame.isna().mean().round(2)
    assert shares[shares > 0].to_dict() == TABLE_21
    assert (frame["class"] == "e").mean() == pytest.approx(77 / 173)
    for column, levels in mushroom.LEVELS.items():
        assert set(frame[column].dropna()) <= set(levels)
    assert (frame[list(mushroom.MEASUREMENTS)] >= 0).all(axis=None)


def test_simulation_repeats_with_its_seed_and_not_with_another():
    a, b, c = (datasets.simulate_secondary_mushrooms(20, 30, random_state=s).frame for s in (1, 1, 2))
    pd.testing.assert_frame_equal(a, b)
    assert not a.equals(c)


def test_simulation_refuses_no_species():
    with pytest.raises(ValueError, match="n_species must be an integer >= 2, got 0"):
        datasets.simulate_secondary_mushrooms(0)


def test_parse_species_reads_ranges_and_sets():
    row = dict.fromkeys(mushroom.COLUMNS, "[x f]") | {"class": "p", "veil-type": None}
    row |= {"cap-diameter": "[10 20]", "stem-height": "[4]", "stem-width": "[0]"}
    species = datasets.parse_species(pd.DataFrame([row]))
    assert species["cap-diameter"][0] == (10.0, 20.0)
    assert species["stem-height"][0] == (3.0, 5.0)
    assert species["season"][0] == ("x", "f")
    assert species["veil-type"][0] is None
