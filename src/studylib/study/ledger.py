"""The claims ledger: what the sources say, where, and by which rule it is judged."""

import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

_SOURCES = ("forest_lecture", "graf", "mushrooms", "nonlinear_lecture", "pcf")
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


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a source."""

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
    claims: tuple = field(default=())


@cache
def claims():
    """All claims by id, in the order of their files; ValueError if a file is malformed."""
    found = {}
    folder = files("studylib.studies")
    for name in _SOURCES:
        file = folder / name / "claims.toml"
        table = tomllib.loads(file.read_text(encoding="utf-8"))
        for entry in table["claim"]:
            claim = Claim(source=table["source"], **entry)
            if claim.id in found:
                raise ValueError(f"{file}: the claim {claim.id!r} stands twice in the ledger.")
            if claim.kind not in KINDS:
                raise ValueError(f"{file}: the claim {claim.id!r} has the unknown kind {claim.kind!r}.")
            found[claim.id] = claim
    return found


@cache
def disputed():
    """Claims whose rule is wrong or impossible, with the reason."""
    return {}


@cache
def deviations():
    """Deviations from the sources, in the order of the sources."""
    found = []
    for name in _SOURCES:
        file = files("studylib.studies") / name / "deviations.toml"
        for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("deviation", []):
            found.append(Deviation(**{"source": name, **entry, "claims": tuple(entry.get("claims", ()))}))
    return tuple(found)
