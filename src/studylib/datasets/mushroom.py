"""Secondary Mushroom (UCI 848): the published tables, and a simulation of the process that made them."""

import io
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from studylib.core.parameters import check_integer
from studylib.datasets import _download, _tables

HOMEPAGE = "https://archive.ics.uci.edu/dataset/848/secondary+mushroom+dataset"
_ARCHIVE = "https://archive.ics.uci.edu/static/public/848/secondary+mushroom+dataset.zip"
_UCI_ID = 848

MEASUREMENTS = ("cap-diameter", "stem-height", "stem-width")

#: Levels of the categorical columns, in file order of the columns, as one-letter codes.
LEVELS = {
    "cap-shape": "bcfopsx",
    "cap-surface": "deghiklstwy",
    "cap-color": "begklnopruwy",
    "does-bruise-or-bleed": "ft",
    "gill-attachment": "adefpsx",
    "gill-spacing": "cdf",
    "gill-color": "befgknopruwy",
    "stem-root": "bcfrs",
    "stem-surface": "fghiksty",
    "stem-color": "befgklnopruwy",
    "veil-type": "u",
    "veil-color": "eknuwy",
    "has-ring": "ft",
    "ring-type": "efglmprz",
    "spore-print-color": "gknpruw",
    "habitat": "dghlmpuw",
    "season": "asuw",
}

#: Species (of 173) without an entry; the missing shares of Table 2.1 are these counts over 173.
SPECIES_WITHOUT = {
    "cap-surface": 40,
    "gill-attachment": 28,
    "gill-spacing": 71,
    "stem-root": 146,
    "stem-surface": 108,
    "veil-type": 164,
    "veil-color": 152,
    "ring-type": 7,
    "spore-print-color": 155,
}

COLUMNS = (
    "class", "cap-diameter", "cap-shape", "cap-surface", "cap-color", "does-bruise-or-bleed",
    "gill-attachment", "gill-spacing", "gill-color", "stem-height", "stem-width", "stem-root",
    "stem-surface", "stem-color", "veil-type", "veil-color", "has-ring", "ring-type",
    "spore-print-color", "habitat", "season",
)  # fmt: skip
_PRIMARY_COLUMNS = (
    "family",
    "name",
    *(c.capitalize() if c in ("cap-surface", "spore-print-color") else c for c in COLUMNS),
)


def _fetch_primary():
    """The species table, from the publisher's archive (ucimlrepo serves only the secondary table)."""
    return _download.fetch_parsed(_ARCHIVE, lambda content: _tables.read_csv(_member(content)))


def _member(content, name="primary_data.csv"):
    """The bytes of a file in a zip archive, or in an archive that is in it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        inner = []
        for path in archive.namelist():
            if path.rsplit("/", 1)[-1] == name:  # not "._primary_data.csv"
                return archive.read(path)
            if path.endswith(".zip"):
                inner.append(path)
        for path in inner:
            with suppress(LookupError, zipfile.BadZipFile):
                return _member(archive.read(path), name)
    raise LookupError(f"the archive holds no {name}")


SECONDARY = _tables.Table(
    name="Secondary Mushroom",
    path="secondary_mushroom/secondary_data.csv",
    shape=(61_069, 21),
    columns=COLUMNS,
    sha256="67f0534e4e4fd42169e12f3f714af671a89079b5e165228d261d16068afbb4fc",
    homepage=HOMEPAGE,
    fetch=lambda: _download.fetch_uci_frame(_UCI_ID),
)
PRIMARY = _tables.Table(
    name="Primary Mushroom",
    path="secondary_mushroom/primary_data.csv",
    shape=(173, 23),
    columns=_PRIMARY_COLUMNS,
    sha256="70da5d4f8e0f0760a5d5b5e94d5bd9ee01473eff72258ea506cfda885b142e55",
    homepage=HOMEPAGE,
    fetch=_fetch_primary,
)


def load_secondary_mushroom():
    """The Secondary Mushroom table: 61,069 hypothetical mushrooms of 173 species.

    Returns
    -------
    Bunch
        ``frame``: 61,069 rows; the column ``class`` (``"e"`` edible, ``"p"`` poisonous) and 20 features
        in file order, 3 of them numbers (cap-diameter and stem-height in cm, stem-width in mm); NaN
        where an entry is missing.  ``simulated``: False.  ``provenance``: file, sha256, origin.

    Raises
    ------
    DataNotAvailableError
        If the file is not in the data directory and cannot be downloaded.
    DataChangedError
        If the file, or the table that the server sends, is not the published one.
    """
    return _as_bunch(*_tables.load(SECONDARY))


def load_primary_mushroom():
    """The table of 173 species that the secondary table was simulated from.

    Returns
    -------
    Bunch
        As :func:`load_secondary_mushroom`; ``frame`` has the columns ``family``, ``name``, ``class`` and
        20 features whose entries are strings: ``"[low high]"`` or ``"[mean]"`` for a measurement, and the
        set of levels, such as ``"[x f]"``, for the rest.
    """
    return _as_bunch(*_tables.load(PRIMARY))


def _as_bunch(frame, provenance):
    return Bunch(frame=frame, simulated=False, provenance=provenance)


def simulate_species(n_species=173, random_state=0):
    """A made-up species table with the columns, levels and missing shares of the real one.

    Of 173 species 77 are edible, as in the real table.  A measurement's range is log-normal around the real
    table's typical sizes; a species has one to three levels of a column, drawn from a distribution that
    depends on its class, so that the classes can be learned, but not from a single column.

    Parameters
    ----------
    n_species : int
    random_state : int

    Returns
    -------
    DataFrame
        ``class``; per measurement a pair ``(low, high)``; per categorical column a tuple of levels, or
        None where the species has no entry.
    """
    n = check_integer("simulate_species", "n_species", n_species, 2)
    rng = np.random.default_rng(random_state)
    edible = np.arange(n) < round(n * 77 / 173)
    rng.shuffle(edible)
    species = pd.DataFrame({"class": np.where(edible, "e", "p")})
    columns = {}
    for column, typical in zip(MEASUREMENTS, (6.0, 6.0, 10.0), strict=True):
        middle = typical * rng.lognormal(0.0, 0.6, n)
        width = middle * rng.uniform(0.4, 1.0, n)
        columns[column] = list(zip((middle - width / 2).round(2), (middle + width / 2).round(2), strict=True))
    for column, levels in LEVELS.items():
        levels = list(levels)
        share = {c: rng.dirichlet(np.ones(len(levels))) for c in "ep"}
        entries = []
        for label in species["class"]:
            wanted = min(1 + rng.binomial(2, 0.25), len(levels))
            order = rng.choice(len(levels), size=wanted, replace=False, p=share[label])
            entries.append(tuple(levels[k] for k in order))
        n_missing = round(n * SPECIES_WITHOUT.get(column, 0) / 173)
        for k in rng.choice(n, size=n_missing, replace=False):
            entries[k] = None
        columns[column] = entries
    for column in COLUMNS[1:]:
        species[column] = columns[column]
    return species


def simulate_secondary_mushrooms(n_species=173, n_per_species=353, random_state=0, species=None):
    """Simulated mushrooms, by the process that made the published table.

    For each species, a measurement is normal with the range's middle as mean and a sixth of its width as
    standard deviation (so that the range spans ± 3 σ), rounded to two decimals and never negative; every
    other entry is uniform over the species' levels.

    Parameters
    ----------
    n_species : int
        Number of made-up species; see :func:`simulate_species`.
    n_per_species : int
        Mushrooms per species; 353 in the published table.
    random_state : int
    species : DataFrame or None
        A species table in the form of :func:`simulate_species`, such as :func:`parse_species` gives.

    Returns
    -------
    Bunch
        ``frame`` with the published table's columns, ordered by species; ``species``; ``simulated``: True.
    """
    m = check_integer("simulate_secondary_mushrooms", "n_per_species", n_per_species, 1)
    if species is None:
        species = simulate_species(n_species, random_state)
    rng = np.random.default_rng([random_state, 1])
    frame = pd.DataFrame({"class": np.repeat(species["class"].to_numpy(), m)})
    for column in COLUMNS[1:]:
        if column in MEASUREMENTS:
            low, high = np.array(species[column].tolist(), float).T
            drawn = rng.normal(((low + high) / 2)[:, None], ((high - low) / 6)[:, None], (len(species), m))
            frame[column] = np.maximum(drawn, 0.0).round(2).ravel()
        else:
            drawn = [
                np.full(m, None, object) if levels is None else rng.choice(np.array(levels, object), m)
                for levels in species[column]
            ]
            frame[column] = pd.Series(np.concatenate(drawn), dtype="str")
    return Bunch(
        frame=frame,
        species=species,
        simulated=True,
        provenance={"file": "none: simulated", "random_state": str(random_state)},
    )


def parse_species(frame):
    """The published species table in the form of :func:`simulate_species`.

    A single measurement ``[v]`` becomes the range from 0.75 v to 1.25 v, which matches its spread in the
    published secondary table (standard deviation v / 12).

    Parameters
    ----------
    frame : DataFrame
        ``load_primary_mushroom().frame``.
    """
    species = pd.DataFrame({"class": frame["class"]})
    by_name = {c.lower(): frame[c] for c in frame.columns}
    for column in COLUMNS[1:]:
        parts = [None if pd.isna(t) else t.strip("[]").split() for t in by_name[column]]
        if column in MEASUREMENTS:
            numbers = [[float(v) for v in p] for p in parts]
            parts = [(v[0], v[1]) if len(v) > 1 else (0.75 * v[0], 1.25 * v[0]) for v in numbers]
        else:
            parts = [None if p is None else tuple(p) for p in parts]
        species[column] = parts
    return species
