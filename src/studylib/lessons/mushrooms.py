"""The mushrooms of lesson 0."""

import pandas as pd

#: Cap and stem in cm: the middle of what the table prints.
_EDIBLE = {
    "Fawn Pluteus": (9.0, 1.0), "Veined Pluteus": (6.5, 1.0), "Bay Bolete": (11.0, 2.25),
    "Red-cracked Bolete": (7.5, 1.25), "Yellow-cracked Bolete": (6.5, 1.5), "Parasitic Bolete": (3.5, 1.0),
    "Peppery Bolete": (4.5, 1.15), "Orange Birch Bolete": (18.5, 3.5), "Brown Birch Bolete": (7.5, 2.5),
    "Larch Bolete": (8.0, 1.5), "Slippery Jack": (9.0, 1.75), "Shallow-pored Bolete": (8.0, 1.25),
}  # fmt: skip
_POISONOUS = {
    "Dotted-stemmed Bolete": (14.0, 3.0), "Lurid Bolete": (11.0, 2.75), "Bitter Bolete": (9.5, 3.0),
    "Brown Roll-rim": (11.0, 1.5), "Velvet Roll-rim": (16.5, 3.5), "False Chanterelle": (5.5, 0.65),
}  # fmt: skip


def mushrooms():
    """Species of three families, with the width of cap and stem, and whether they are poisonous.

    They are the boletes, roll-rims and plutei of the Primary Mushroom table of Wagner, Heider and Hattab
    (UCI 848, CC BY 4.0), without the Cep, whose stem is twice as wide as any other.

    Returns
    -------
    DataFrame
        One row for each species, its name in the index; columns "cap" and "stem" in cm, "poisonous" 0 or 1.
    """
    rows = [(*widths, k) for k, group in enumerate((_EDIBLE, _POISONOUS)) for widths in group.values()]
    return pd.DataFrame(rows, index=[*_EDIBLE, *_POISONOUS], columns=["cap", "stem", "poisonous"])
