"""Reading the TOML files of a study, with errors that name file, key and what is allowed."""

import re
import tomllib
from dataclasses import dataclass

from studylib.core.text import shorten
from studylib.study.fingerprints import WrittenNumber, number_as_text

_KINDS = {
    "a string": str,
    "a table": dict,
    "a list of strings": list,
    "a list of tables": list,
    "a list": list,
    "a value": object,
    "an integer": int,
    "true or false": bool,
}


#: What is part of file names, links and command lines.
_NAME = re.compile(r"\w[\w .+-]*")


class SchemaError(ValueError):
    """A file of a study is not as it must be."""


@dataclass(frozen=True)
class Key:
    """What a key of a table may be: of a kind in ``_KINDS``, and if strings are ``allowed``, one of them."""

    kind: str = "a string"
    required: bool = True
    allowed: tuple = ()


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


def check(path, where, table, keys, *, others=None):
    """Return a table, checked against what its keys may be; numbers where texts are asked for become texts.

    ``where`` is the table as a reader finds it, such as ``"[notebook.01_first]"``; empty for the file itself.
    Keys with other names are refused, unless ``others`` says what they may be.
    """
    at = f"{path}: {where + ' ' if where else ''}"
    if not isinstance(table, dict):
        raise SchemaError(f"{at}must be a table, got {shown(table)}.")
    for name, value in table.items():
        key = keys.get(name, others)
        if key is None:
            raise SchemaError(f"{at}has the unknown key {shown(name)}; allowed are {', '.join(keys)}.")
        if key.kind == "a string":
            value = table[name] = number_as_text(value)
        if not _is(key.kind, value):
            raise SchemaError(f"{at}key {shown(name)} must be {key.kind}, got {shown(value)}.")
        if key.allowed and value not in key.allowed:
            raise SchemaError(
                f"{at}key {name!r} must be one of {', '.join(key.allowed)}, got {shown(value)}."
            )
    missing = [name for name, key in keys.items() if key.required and name not in table]
    if missing:
        raise SchemaError(f"{at}lacks the key {missing[0]!r}, {keys[missing[0]].kind}.")
    return table


def check_name(path, what, name):
    """Return a name that file names, links and command lines can hold; else raise SchemaError.

    It consists of letters, digits, spaces and ``. _ + -``, with a letter, digit or _ first.
    """
    if not _NAME.fullmatch(name):
        raise SchemaError(
            f"{path}: {what} must have a name of letters, digits, spaces and . _ + - that begins with a "
            f"letter, a digit or _, got {shown(name)}."
        )
    return name


def _is(kind, value):
    if not isinstance(value, _KINDS[kind]) or (isinstance(value, bool) and kind != "true or false"):
        return False
    inner = {"a list of strings": str, "a list of tables": dict}.get(kind)
    return inner is None or all(isinstance(entry, inner) for entry in value)


def shown(value):
    """A value as an error shows it."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
