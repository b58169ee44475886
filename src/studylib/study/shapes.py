"""What files may hold: strict JSON, and one way to say what is in a table of TOML, of JSON or of a rule.

A shape is a type (``float`` is any number, ``object`` anything); a list with the shape of its entries; a
tuple of the texts that are allowed; or a dict of shapes by key, in which ``...`` stands for all other keys.

This file needs the standard library only: ``reports/<profile>/verify.py`` contains it word for word.
"""

import json
import math
from dataclasses import dataclass

_IN_WORDS = {
    str: "a string",
    int: "an integer",
    float: "a number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
    object: "a value",
}


class Refused(ValueError):
    """Its text says why something is not used."""


def parsed(content):
    """The value of JSON bytes with finite numbers, whole characters, and no name twice in a table."""
    text = content.decode()
    value = json.loads(text, object_pairs_hook=_unique, parse_constant=_finite, parse_float=_finite)
    check_characters(text, value)
    return value


def _unique(pairs):
    table = dict(pairs)
    if len(table) < len(pairs):  # readers see one or the other
        raise Refused("a name is twice in one table")
    return table


def _finite(text):
    if not math.isfinite(number := float(text)):
        raise Refused(f"{text} is no finite number")
    return number


def check_characters(text, value):
    """Raise ValueError if a string of a JSON text is half a character, which no page can hold."""
    if "\\ud" in text.lower():
        json.dumps(value, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Maybe:
    """The shape of a key that may be missing."""

    shape: object


def fits(value, shape):
    """Whether a value is of a shape; a table may have more keys than its shape names."""
    if isinstance(shape, Maybe):
        return fits(value, shape.shape)
    if isinstance(shape, dict):
        others = shape.get(..., object)
        return (
            isinstance(value, dict)
            and all(key in value for key in needed_keys(shape))
            and all(fits(entry, shape.get(key, others)) for key, entry in value.items())
        )
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(entry, shape[0]) for entry in value)
    if isinstance(shape, tuple):
        return value in shape
    if isinstance(value, bool):  # Python takes it for an integer
        return shape in (bool, object)
    return isinstance(value, (int, float) if shape is float else shape)


def needed_keys(shape):
    """The keys that a table of a shape must have."""
    return [key for key, inner in shape.items() if key is not ... and not isinstance(inner, Maybe)]


def shape_in_words(shape):
    """``"a list of strings"``: a shape as an error names it."""
    if isinstance(shape, Maybe):
        return shape_in_words(shape.shape)
    if isinstance(shape, tuple):
        return f"one of {', '.join(shape)}"
    if isinstance(shape, list):
        return f"a list of {shape_in_words(shape[0]).partition(' ')[2]}s"
    return _IN_WORDS[dict if isinstance(shape, dict) else shape]
