"""Hashes and states by which the engine tells whether something is still the same.

``reports/<profile>/verify.py`` contains this file word for word, so it needs the standard library only.  The
hash of one file is :func:`studylib.core.files.file_hash`, because the data sets need it, too.
"""

import hashlib
import json
import os


def canonical_text(value):
    """JSON text of plain data that does not depend on the order of keys."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, allow_nan=False)


def readable_text(value):
    """JSON text as it is written into the files of a report."""
    return json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False, sort_keys=True) + "\n"


def bytes_hash(content):
    """sha256 of bytes."""
    return hashlib.sha256(content).hexdigest()


def data_hash(value):
    """sha256 of plain data."""
    return bytes_hash(canonical_text(value).encode())


def key_of(parts):
    """Hash of everything that a result depends on: the key of a stamp, the context of a task."""
    return bytes_hash(json.dumps(parts, sort_keys=True).encode())


def rule_hash(claim):
    """Hash of everything that judges a claim, a table of ``claims.toml`` or ``ledger.json``; not of words."""
    judging = {key: claim[key] for key in ("nature", "kind", "judge") if claim.get(key)}
    if claim.get("choices"):
        keys = ("id", "sets", "values", "main")
        judging["choices"] = [{key: choice[key] for key in keys} for choice in claim["choices"]]
    return data_hash(judging)


def forgotten_amendments(claim, hashes):
    """A sentence for each rule that judged a claim before and that no amendment of the claim replaced.

    The claim is a dict as in ``ledger.json``; ``hashes`` are those of all rules that gave it a verdict.
    Choices that are listed later replace no rule: what it is remains their main one, and they have a date.
    Once they have judged, a change of them needs an amendment, too.
    """
    without = rule_hash({**claim, "choices": []})
    known = {rule_hash(claim), without, *(amended.get("rule_sha256") for amended in claim["amended"])}
    return [
        "its rule was changed after it had given a verdict, so write that rule and verdict in claims.toml as "
        f'a [[claim.amended]] with rule_sha256 = "{old}", or restore the rule'
        for old in hashes
        if old not in known
    ]


class WrittenNumber(float):
    """A number of a TOML file, with its text: 0.60 is not 0.6 where a text is asked for."""

    def __new__(cls, text):
        """The number of a text."""
        number = super().__new__(cls, text)
        number.text = text
        return number


def number_as_text(value):
    """A number as it was written, where a text is asked for; anything else stays."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return value
    return getattr(value, "text", str(value))


def content_of(files, root):
    """Hash of the names and contents of files, by their path below a folder."""
    digest = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b"absent"
        name = file.relative_to(root) if file.is_relative_to(root) else file
        digest.update(name.as_posix().encode() + b"\0" + content + b"\0")
    return digest.hexdigest()


def state_of(files):
    """State of files without their content, to notice that one was written meanwhile; a list of lists."""
    states = []
    for file in files:
        try:
            state = os.stat(file)
            states.append([str(file), state.st_mtime_ns, state.st_size, state.st_ino])
        except OSError:
            states.append([str(file), 0, 0, 0])
    return states
