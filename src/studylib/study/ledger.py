"""The claims ledger: what the sources say, where, and by which rule it is judged.

A source is a folder with ``source.toml`` (who wrote it, and where), ``claims.toml`` (its statements with
their rules) and, where its passages contradict each other, ``deviations.toml`` (the reading taken).
"""

from dataclasses import dataclass

from studylib.study.schema import Key, SchemaError, check, read_toml

KINDS = (
    "exact",
    "tolerance",
    "published-run",
    "paired",
    "equivalent",
    "trend",
    "property",
    "counterexample",
    "not-testable",
)

_SOURCE = {
    "short": Key(),
    "author": Key(),
    "title": Key(),
    "year": Key(required=False),
    "identifier": Key(required=False),
    "link": Key(required=False),
    "cite": Key(required=False),
}
_CLAIM = {
    "id": Key(),
    "place": Key(),
    "statement": Key(),
    "value": Key(),
    "kind": Key(allowed=KINDS),
    "rule": Key(),
}
_DEVIATION = {"place": Key(), "text": Key(), "claims": Key("a list of strings", required=False)}


@dataclass(frozen=True)
class Source:
    """A paper, report or lecture whose statements are checked."""

    name: str
    short: str
    author: str
    title: str
    year: str = ""
    identifier: str = ""
    link: str = ""
    cite: str = ""


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a source; ``source`` is the source's short name."""

    id: str
    source: str
    place: str
    statement: str
    value: str
    kind: str
    rule: str


@dataclass(frozen=True)
class Deviation:
    """A contradiction in a source and the reading taken, or a difference of protocol."""

    source: str
    place: str
    text: str
    claims: tuple = ()


@dataclass(frozen=True)
class Ledger:
    """Everything that the sources of a study say.

    Parameters
    ----------
    sources : dict of str to Source, by the name of the folder
    claims : dict of str to Claim, by id
    deviations : tuple of Deviation
    disputed : dict of str to str
        Claims whose rule is wrong or impossible, each with the reason.
    """

    sources: dict
    claims: dict
    deviations: tuple
    disputed: dict


def read_ledger(folder):
    """The ledger of a folder with one folder for each source, in alphabetical order.

    Raises
    ------
    SchemaError
        If a file is not as it must be; it names file, entry and key.
    """
    sources, claims, deviations, disputed = {}, {}, [], {}
    for file in sorted(folder.glob("*/source.toml")):
        source = Source(file.parent.name, **check(file, "", read_toml(file), _SOURCE))
        sources[source.name] = source
        for claim in _claims(file.with_name("claims.toml"), source):
            if claim.id in claims:
                raise SchemaError(f"{file.with_name('claims.toml')}: the id {claim.id!r} is used twice.")
            claims[claim.id] = claim
        path = file.with_name("deviations.toml")
        if path.is_file():
            more, refused = _deviations(path, source)
            deviations += more
            disputed |= refused
    if not sources:
        raise SchemaError(f"{folder}: there is no source, a folder with source.toml and claims.toml.")
    for deviation in deviations:
        _check_known(folder, deviation.source, deviation.claims, claims)
    _check_known(folder, "[disputed]", disputed, claims)
    return Ledger(sources, claims, tuple(deviations), disputed)


def _claims(path, source):
    keys = {"claim": Key("a list of tables"), "source": Key(required=False)}
    for k, entry in enumerate(check(path, "", read_toml(path), keys)["claim"], start=1):
        yield Claim(source=source.short, **check(path, _named(entry, k), entry, _CLAIM))


def _named(entry, k):
    return f"[[claim]] {entry['id']!r}" if isinstance(entry.get("id"), str) else f"[[claim]] number {k}"


def _deviations(path, source):
    keys = {"deviation": Key("a list of tables", required=False), "disputed": Key("a table", required=False)}
    table = check(path, "", read_toml(path), keys)
    found = []
    for k, entry in enumerate(table.get("deviation", []), start=1):
        check(path, f"[[deviation]] number {k}", entry, _DEVIATION)
        found.append(Deviation(source.short, entry["place"], entry["text"], tuple(entry.get("claims", ()))))
    disputed = check(path, "[disputed]", table.get("disputed", {}), {}, others=Key())
    return found, disputed


def _check_known(folder, where, ids, claims):
    for claim_id in ids:
        if claim_id not in claims:
            raise SchemaError(f"{folder}: a deviation of {where} names the unknown claim {claim_id!r}.")
