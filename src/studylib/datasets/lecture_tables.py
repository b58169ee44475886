"""The small tables of the two lectures, as frames: restaurant, golf and weather."""

import io

import pandas as pd
from sklearn.utils import Bunch

from studylib.core.parameters import check_boolean

#: Categories in the order of the lectures; the other columns are boolean or numbers.
_ORDER = {
    "Patrons": ("None", "Some", "Full"),
    "Price": ("$", "$$", "$$$"),
    "WaitEstimate": ("0-10", "10-30", "30-60", ">60"),
    "outlook": ("sunny", "overcast", "rainy", "rain"),
    "temperature": ("hot", "mild", "cool"),
    "humidity": ("high", "normal"),
}

_RESTAURANT = """
Alternate Bar Fri/Sat Hungry Patrons Price Raining Reservation Type WaitEstimate WillWait
T F F T Some $$$ F T French  0-10  yes
T F F T Full $   F F Thai    30-60 no
F T F F Some $   F F Burger  0-10  yes
T F T T Full $   F F Thai    10-30 yes
T F T F Full $$$ F T French  >60   no
F T F T Some $$  T T Italian 0-10  yes
F T F F None $   T F Burger  0-10  no
F F F T Some $$  T T Thai    0-10  yes
F T T F Full $   T F Burger  >60   no
T T T T Full $$$ F T Italian 10-30 no
F F F F None $   F F Thai    0-10  no
T T T T Full $   F F Burger  30-60 yes
"""

_GOLF = """
outlook humidity wind golf
rain high   weak   yes
rain normal weak   yes
rain normal strong no
rain normal weak   yes
rain high   strong no
"""

_WEATHER = """
outlook temperature humidity windy temperature_f humidity_percent play
sunny    hot  high   F 85 85 no
sunny    hot  high   T 80 90 no
overcast hot  high   F 83 86 yes
rainy    mild high   F 70 96 yes
rainy    cool normal F 68 80 yes
rainy    cool normal T 65 70 no
overcast cool normal T 64 65 yes
sunny    mild high   F 72 95 no
sunny    cool normal F 69 70 yes
rainy    mild normal F 75 80 yes
sunny    mild normal T 75 70 yes
overcast mild high   T 72 90 yes
overcast hot  normal F 81 75 yes
rainy    mild high   T 71 91 no
"""


def load_restaurant():
    """Twelve evenings before a restaurant: wait for a table, or go?

    Returns
    -------
    Bunch
        ``frame``: 12 rows of 6 boolean columns, 3 categorical ones, the estimated waiting time as one of
        four ranges, and ``WillWait``, "yes" or "no".  ``data`` and ``target``: the ten attributes and
        ``WillWait``.  ``feature_names``, ``DESCR``.
    """
    return _as_bunch(
        _parsed(_RESTAURANT),
        "Twelve observations of whether somebody waits for a table, by ten attributes: six are boolean "
        "(is there an alternative, a bar, is it Friday or Saturday, is one hungry, does it rain, is there a "
        "reservation), three discrete (patrons, price, type), and the estimated waiting time in minutes is "
        "continuous, given in four ranges.  Printed in G. Zachmann, Massively Parallel Algorithms: "
        "Classification and Prediction Using Random Forests, after S. Russell and P. Norvig, Artificial "
        "Intelligence: A Modern Approach.",
    )


def load_golf():
    """The five rainy days of the golf example.

    Returns
    -------
    Bunch
        ``frame``: 5 rows of the categorical columns ``outlook``, ``humidity``, ``wind``, and ``golf``, "yes"
        or "no".  ``data`` and ``target``: the three attributes and ``golf``.  ``feature_names``, ``DESCR``.
    """
    return _as_bunch(
        _parsed(_GOLF),
        "Five days with rain, and whether golf was played: the branch in which wind decides and humidity "
        "says almost nothing.  Printed in the lecture slides on non-linear classification models, from a "
        "longer table that they leave out.",
    )


def load_weather(numeric=False):
    """Fourteen days, and whether a game was played on them.

    Parameters
    ----------
    numeric : bool
        Whether temperature (in degrees Fahrenheit) and humidity (in percent) are the measured numbers
        rather than the categories made of them.

    Returns
    -------
    Bunch
        ``frame``: 14 rows of ``outlook``, ``temperature``, ``humidity``, the boolean ``windy``, and
        ``play``, "yes" or "no".  ``data`` and ``target``: the four attributes and ``play``.
        ``feature_names``, ``DESCR``.
    """
    frame = _parsed(_WEATHER)
    measured = {"temperature": frame.pop("temperature_f"), "humidity": frame.pop("humidity_percent")}
    if check_boolean("load_weather", "numeric", numeric):
        frame = frame.assign(**measured)
    return _as_bunch(
        frame,
        "Fourteen days described by outlook, temperature, humidity and wind, and whether a game was played: "
        "the weather data of I. Witten, E. Frank and M. Hall, Data Mining: Practical Machine Learning Tools "
        "and Techniques, from which the lecture slides on non-linear classification models print the rules "
        "of 1-R and their errors.",
    )


def _parsed(text):
    """A frame of boolean, categorical and integer columns."""
    frame = pd.read_csv(
        io.StringIO(text), sep=r"\s+", true_values=["T"], false_values=["F"], keep_default_na=False
    )
    for column in frame.columns[:-1]:
        if pd.api.types.is_string_dtype(frame[column]):
            present = frame[column].unique()
            order = _ORDER.get(column)
            known = [value for value in order if value in present] if order else sorted(present)
            frame[column] = pd.Categorical(frame[column], known, ordered=order is not None)
    return frame


def _as_bunch(frame, description):
    data, target = frame.iloc[:, :-1], frame.iloc[:, -1]
    return Bunch(
        frame=frame,
        data=data,
        target=target,
        feature_names=list(data.columns),
        DESCR=description,
    )
