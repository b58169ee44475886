"""Data sets: published tables with checksums, and simulations."""

from studylib.core.data import DATA_VARIABLE, DataChangedError, DataNotAvailableError, data_dir
from studylib.datasets.bundled import BUNDLED, load_bundled
from studylib.datasets.clean_partitions import Region, clean_regions, make_clean_partitions, region_of
from studylib.datasets.cleaning import clean, delete_features, fill_missing, split_target
from studylib.datasets.lecture_tables import load_golf, load_restaurant, load_weather
from studylib.datasets.mushroom import (
    load_primary_mushroom,
    load_secondary_mushroom,
    parse_species,
    simulate_secondary_mushrooms,
    simulate_species,
)
from studylib.datasets.random_rbf import make_random_rbf, random_rbf_centroids
from studylib.datasets.real_tables import load_real_table, real_table_names
from studylib.datasets.uci_suite import load_uci_suite, uci_suite_names

__all__ = [
    "BUNDLED",
    "DATA_VARIABLE",
    "DataChangedError",
    "DataNotAvailableError",
    "Region",
    "clean",
    "clean_regions",
    "data_dir",
    "delete_features",
    "fill_missing",
    "load_bundled",
    "load_golf",
    "load_primary_mushroom",
    "load_real_table",
    "load_restaurant",
    "load_secondary_mushroom",
    "load_uci_suite",
    "load_weather",
    "make_clean_partitions",
    "make_random_rbf",
    "parse_species",
    "random_rbf_centroids",
    "real_table_names",
    "region_of",
    "simulate_secondary_mushrooms",
    "simulate_species",
    "split_target",
    "uci_suite_names",
]
