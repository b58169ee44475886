"""The claims ledger: what the sources say, where, and by which rule it is judged.

A source is a folder with ``source.toml`` (who wrote it, and where), ``claims.toml`` (its statements with
their rules) and, where its passages contradict each other, ``deviations.toml`` (the reading taken).
"""

import re
from dataclasses import asdict, dataclass, field

from studylib.core.files import file_hash
from studylib.study.fingerprints import data_hash, rule_hash
from studylib.study.ledger.choices import CHOICE, check_choices, check_ours
from studylib.study.ledger.rule_table import KINDS, NATURES, check_rule
from studylib.study.ledger.schema import Key, SchemaError, check, read_toml, shown
from studylib.study.rules import VERDICTS

#: Names the field that a number in a sentence comes from (`tools/prose.py`); no reader sees it.
_ANNOTATION = re.compile(r"<!--.*?-->", re.DOTALL)
#: What a finding is counted as that is no source's statement.
OWN = "own finding"
_SOURCE = {
    "short": Key(),
    "author": Key(),
    "title": Key(),
    "year": Key(required=False),
    "identifier": Key(required=False),
    "link": Key(required=False),
    "cite": Key(required=False),
    "finding": Key("a table", required=False),
    "order": Key("an integer", required=False),
    "not_covered": Key("a list of tables", required=False),
}
_NOT_COVERED = {"place": Key(), "statement": Key(), "why": Key()}
_FINDING = {
    "text": Key(),
    "headline": Key(required=False),
    "figure": Key(required=False),
    "rests_on": Key("a table", required=False),
}
_CLAIM = {
    "id": Key(),
    "place": Key(),
    "statement": Key(),
    "value": Key(),
    "kind": Key(allowed=KINDS),
    "rule": Key(),
    "nature": Key(allowed=NATURES),
    "judge": Key("a table", required=False),
    "ours": Key("a list of strings", required=False),
    "choices": Key("a list of tables", required=False),
    "note": Key(required=False),
    "needs_data": Key("true or false", required=False),
    "checked_by_hand": Key("true or false", required=False),
    "added": Key(required=False),
    "amended": Key("a list of tables", required=False),
}
_AMENDED = {
    "date": Key(),
    "reason": Key(),
    "first_rule": Key(),
    "first_verdict": Key(),
    "first_kind": Key(required=False, allowed=KINDS),
    "first_nature": Key(required=False, allowed=NATURES),
    "first_statement": Key(required=False),
    "first_value": Key(required=False),
    "rule_sha256": Key(required=False),
}
_DEVIATION = {"place": Key(), "text": Key(), "claims": Key("a list of strings", required=False)}


@dataclass(frozen=True)
class Source:
    """A paper, report or lecture whose statements are checked.

    ``name`` is that of its folder.  Sources are listed by ``order``, those without one last, by name.
    ``finding`` is what came out, in a few short sentences (``text``) and in one or two (``headline``), the
    verdicts that they rest on (``rests_on``, by claim) and the figure that goes with them (``figure``, such
    as ``"01_petals#2"``, the second of that notebook).  ``not_covered`` has checkable statements without a
    claim: place, statement, and why there is none.
    """

    name: str
    short: str
    author: str
    title: str
    year: str = ""
    identifier: str = ""
    link: str = ""
    cite: str = ""
    finding: dict = field(default_factory=dict)
    order: int | None = None
    not_covered: list = field(default_factory=list)


@dataclass(frozen=True)
class Claim:
    """One checkable statement of a source, which is named by its short name.

    ``kind`` and ``judge``, the rule as data, say how it is judged, ``rule`` says it in words.  ``nature`` is
    what a verdict can tell: "finding", "arithmetic", "identity" or "question".  ``ours`` lists what of the
    rule the source does not give: keys of ``judge`` whose value is this study's, and ``"measured: ..."`` for
    what is chosen in the measurement; it is None if nobody has looked.  ``choices`` are other values with
    which the claim is judged, too, see :mod:`studylib.study.ledger.choices`.  ``note`` is shown with the
    verdict.  With ``needs_data``, a simulated stand-in for an absent real data set leaves the claim
    untestable.  With ``checked_by_hand``, the rule names the answer, which was worked out by hand beforehand.
    ``added`` is the date of a claim that was added after the first run.  ``amended`` has the changes of the
    rule after results were known, in order of time: date, reason, and rule and verdict until then.
    """

    id: str
    source: str
    place: str
    statement: str
    value: str
    kind: str
    rule: str
    nature: str
    judge: dict = field(default_factory=dict)
    note: str = ""
    needs_data: bool = True
    checked_by_hand: bool = False
    added: str = ""
    amended: list = field(default_factory=list)
    ours: list | None = None
    choices: list = field(default_factory=list)

    @property
    def counted_as(self):
        """Its nature; a finding that no source states, but this study, is an own finding."""
        return OWN if (self.place, self.nature) == ("ours", "finding") else self.nature

    @property
    def rule_hash(self):
        """Hash of everything that judges: nature, kind and the rule as data."""
        return rule_hash(asdict(self))


@dataclass(frozen=True)
class Deviation:
    """A contradiction in a source and the reading taken, or a difference of protocol."""

    source: str
    place: str
    text: str
    claims: tuple = ()


@dataclass(frozen=True)
class Ledger:
    """Everything that the sources of a study say: sources by folder, claims by id, and deviations.

    ``disputed`` has the claims whose rule is wrong or impossible, each with the reason; ``functions`` the
    files with functions that judge, below the folder of the sources, each with its sha256.
    """

    sources: dict
    claims: dict
    deviations: tuple
    disputed: dict
    functions: dict = field(default_factory=dict)

    @property
    def hash(self):
        """Hash of all that the ledger says."""
        return data_hash(asdict(self))

    def of(self, notebook):
        """The claims that a notebook judges, a list of Claim."""
        return [self.claims[claim_id] for claim_id in notebook.claims]


def read_ledger(folder):
    """The ledger of a folder with one for each source; SchemaError, with file, entry and key, if wrong."""
    sources = {source.name: source for source in _sources(folder)}
    claims, deviations, disputed, functions = {}, [], {}, {}
    for source in sources.values():
        file = folder / source.name / "source.toml"
        for claim in _claims(file.with_name("claims.toml"), source):
            if claim.id in claims:
                raise SchemaError(f"{file.with_name('claims.toml')}: the id {shown(claim.id)} is used twice.")
            claims[claim.id] = claim
            if "function" in claim.judge:
                path = _file_of_function(file, claim)
                functions[path.relative_to(folder).as_posix()] = file_hash(path)
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
    for source in sources.values():
        _check_finding(folder / source.name / "source.toml", source.finding, claims)
    return Ledger(sources, claims, tuple(deviations), disputed, functions)


def _sources(folder):
    """The sources of a folder in their order: list of Source."""
    found = []
    for file in sorted(folder.glob("*/source.toml")):
        source = Source(file.parent.name, **check(file, "", read_toml(file), _SOURCE))
        if source.link and not source.link.lower().startswith(("http://", "https://")):
            raise SchemaError(
                f"{file}: key 'link' must begin with http:// or https://, got {shown(source.link)}."
            )
        for n, statement in enumerate(source.not_covered, start=1):
            check(file, f"[[not_covered]] number {n}", statement, _NOT_COVERED)
        if source.finding:
            check(file, "[finding]", source.finding, _FINDING)
            for key in source.finding.keys() & {"text", "headline"}:
                source.finding[key] = without_annotations(source.finding[key])
        found.append(source)
    return sorted(found, key=lambda source: (source.order is None, source.order or 0))


def without_annotations(text):
    """A text as it is read: without the comments that name the fields of its numbers."""
    return _ANNOTATION.sub("", text)


def _file_of_function(file, claim):
    """The module of a function that judges: it is in the folder of its source."""
    module = claim.judge["function"].partition(":")[0]
    path = file.with_name(f"{module.rpartition('.')[2]}.py")
    if module.split(".")[-2:-1] != [file.parent.name] or not path.is_file():
        raise SchemaError(
            f"{file.with_name('claims.toml')}: [[claim]] {claim.id!r}: the function "
            f"{claim.judge['function']!r} must be in a module in {file.parent}."
        )
    return path


def _claims(path, source):
    keys = {"claim": Key("a list of tables"), "source": Key(required=False)}
    for k, entry in enumerate(check(path, "", read_toml(path), keys)["claim"], start=1):
        where = _named(entry, k)
        check(path, where, entry, _CLAIM)
        for n, amended in enumerate(entry.get("amended", []), start=1):
            check(path, f"{where}, [[claim.amended]] number {n}", amended, _AMENDED)
        for n, choice in enumerate(entry.get("choices", []), start=1):
            check(path, f"{where}, [[claim.choices]] number {n}", choice, CHOICE)
        if (entry["kind"] == "question") != (entry["nature"] == "question"):
            raise SchemaError(f"{path}: {where}: the kind and the nature 'question' belong together.")
        try:
            check_rule(entry["kind"], entry.get("judge", {}))
            check_ours(entry.get("ours"), entry.get("judge", {}))
            check_choices(entry)
        except ValueError as error:
            raise SchemaError(f"{path}: {where}: {error}") from error
        yield Claim(source=source.short, **entry)


def _named(entry, k):
    return f"[[claim]] {shown(entry['id'])}" if isinstance(entry.get("id"), str) else f"[[claim]] number {k}"


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
            raise SchemaError(f"{folder}: a deviation of {where} names the unknown claim {shown(claim_id)}.")


def _check_finding(path, finding, claims):
    for claim_id, verdict in finding.get("rests_on", {}).items():
        if claim_id not in claims:
            raise SchemaError(f"{path}: [finding] key 'rests_on' names the unknown claim {shown(claim_id)}.")
        if verdict not in VERDICTS:
            raise SchemaError(
                f"{path}: [finding] key 'rests_on' says {shown(verdict)} of {shown(claim_id)}; allowed are "
                f"{', '.join(VERDICTS)}."
            )
    figure = finding.get("figure", "")
    if figure and not re.fullmatch(r"[^#]+(#[1-9]\d*)?", figure):
        raise SchemaError(
            f"{path}: [finding] key 'figure' must be a notebook's name, if need be with # and a figure's "
            f"number, got {shown(figure)}."
        )
