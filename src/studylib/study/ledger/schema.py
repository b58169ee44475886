"""Reading the TOML files of a study, with errors that name file, key and what is allowed."""

import re
import tomllib
from dataclasses import MISSING, fields
from datetime import date

from studylib.core.text import shorten
from studylib.study.fingerprints import WrittenNumber, number_as_text
from studylib.study.shapes import Maybe, fits, needed_keys, shape_in_words

#: What is part of file names, links and command lines.
_NAME = re.compile(r"\w[\w .+-]*")


class SchemaError(ValueError):
    """A file of a study is not as it must be."""


def read_toml(path):
    """The table in a TOML file; SchemaError if there is none, or if it is no TOML, with line and column."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=WrittenNumber)
    except OSError as error:
        raise SchemaError(f"{path}: cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise SchemaError(f"{path}: is not UTF-8 text.") from error
    except ValueError as error:  # a TOMLDecodeError, or an integer of thousands of digits
        raise SchemaError(f"{path}: is not valid TOML: {shorten(error).removesuffix('.')}.") from error
    except RecursionError as error:
        raise SchemaError(f"{path}: is nested too deeply.") from error


def shape_of(record, *left_out, **shapes):
    """The shape of a table whose keys are the fields of a dataclass; those with a default may be missing.

    ``shapes`` has those of fields whose annotation does not say enough.
    """
    shape = {}
    for field in fields(record):
        if field.name not in left_out:
            inner = shapes.get(field.name, field.type)
            needed = field.default is MISSING and field.default_factory is MISSING
            shape[field.name] = inner if needed else Maybe(inner)
    return shape


def check(path, where, table, shape):
    """Return a table that has only the keys of its shape; numbers where texts are asked for become texts.

    ``where`` is the table as a reader finds it, such as ``"[notebook.01_first]"``; empty for the file itself.
    """
    at = f"{path}: {where + ' ' if where else ''}"
    if not isinstance(table, dict):
        raise SchemaError(f"{at}must be a table, got {shown(table)}.")
    for name, value in table.items():
        wanted = shape.get(name, shape.get(...))
        if wanted is None:
            raise SchemaError(f"{at}has the unknown key {shown(name)}; allowed are {', '.join(shape)}.")
        if wanted in (str, Maybe(str)):
            value = table[name] = number_as_text(value)
        if not fits(value, wanted):
            raise SchemaError(f"{at}key {shown(name)} must be {shape_in_words(wanted)}, got {shown(value)}.")
    for name in needed_keys(shape):
        if name not in table:
            raise SchemaError(f"{at}lacks the key {name!r}, {shape_in_words(shape[name])}.")
    return table


def check_name(path, what, name):
    """Return a name that file names, links and command lines can hold; else raise SchemaError."""
    if not _NAME.fullmatch(name):
        raise SchemaError(
            f"{path}: {what} must have a name of letters, digits, spaces and . _ + - that begins with a "
            f"letter, a digit or _, got {shown(name)}."
        )
    return name


def shown(value):
    """A value as an error shows it."""
    text = str(value) if isinstance(value, date) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
