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
from studylib.study.ledger.schema import SchemaError, check, read_toml, shape_of, shown
from studylib.study.rules import VERDICTS
from studylib.study.shapes import Maybe

#: Names the field that a number in a sentence comes from (`tools/prose.py`); no reader sees it.
_ANNOTATION = re.compile(r"<!--.*?-->", re.DOTALL)
#: What a finding is counted as that is no source's statement.
OWN = "own finding"
_NOT_COVERED = {"place": str, "statement": str, "why": str}
_FINDING = {"text": str, "headline": Maybe(str), "figure": Maybe(str), "rests_on": Maybe(dict)}
_AMENDED = {
    "date": str,
    "reason": str,
    "first_rule": str,
    "first_verdict": str,
    "first_kind": Maybe(KINDS),
    "first_nature": Maybe(NATURES),
    "first_statement": Maybe(str),
    "first_value": Maybe(str),
    "rule_sha256": Maybe(str),
}


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


_SOURCE = shape_of(Source, "name", order=int, not_covered=[dict])
_CLAIM = shape_of(Claim, "source", kind=KINDS, nature=NATURES, ours=[str], choices=[dict], amended=[dict])
_DEVIATION = shape_of(Deviation, "source", claims=[str])


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
    if not sources:
        raise SchemaError(f"{folder}: there is no source, a folder with source.toml and claims.toml.")
    shorts = [source.short for source in sources.values()]
    if len(set(shorts)) < len(shorts):
        raise SchemaError(
            f"{folder}: two sources are called {shown(max(shorts, key=shorts.count))} in short."
        )
    claims, deviations, disputed, functions = {}, [], {}, {}
    for source in sources.values():
        path = folder / source.name / "claims.toml"
        for claim in _claims(path, source):
            if claim.id in claims:
                raise SchemaError(f"{path}: the id {shown(claim.id)} is used twice.")
            claims[claim.id] = claim
            if "function" in claim.judge:
                module = _module_of_function(path, claim)
                functions[module.relative_to(folder).as_posix()] = file_hash(module)
        path = path.with_name("deviations.toml")
        if path.is_file():
            table = check(path, "", read_toml(path), {"deviation": Maybe([dict]), "disputed": Maybe(dict)})
            for k, entry in enumerate(table.get("deviation", []), start=1):
                check(path, f"[[deviation]] number {k}", entry, _DEVIATION)
                its_claims = tuple(entry.get("claims", ()))
                deviations.append(Deviation(source.short, entry["place"], entry["text"], its_claims))
            disputed |= check(path, "[disputed]", table.get("disputed", {}), {...: str})
    for deviation in deviations:
        _check_known(f"{folder}: a deviation of {deviation.source}", deviation.claims, claims)
    _check_known(f"{folder}: a deviation of [disputed]", disputed, claims)
    for source in sources.values():
        place = f"{folder / source.name / 'source.toml'}: [finding] key 'rests_on'"
        _check_known(place, source.finding.get("rests_on", {}), claims)
    return Ledger(sources, claims, tuple(deviations), disputed, functions)


def _check_known(place, ids, claims):
    for claim_id in ids:
        if claim_id not in claims:
            raise SchemaError(f"{place} names the unknown claim {shown(claim_id)}.")


def _sources(folder):
    """The sources of a folder in their order: list of Source."""
    sources = []
    for path in sorted(folder.glob("*/source.toml")):
        source = Source(path.parent.name, **check(path, "", read_toml(path), _SOURCE))
        if source.link and not source.link.lower().startswith(("http://", "https://")):
            raise SchemaError(
                f"{path}: key 'link' must begin with http:// or https://, got {shown(source.link)}."
            )
        for n, statement in enumerate(source.not_covered, start=1):
            check(path, f"[[not_covered]] number {n}", statement, _NOT_COVERED)
        if source.finding:
            _check_finding(path, source.finding)
        sources.append(source)
    return sorted(sources, key=lambda source: (source.order is None, source.order or 0))


def _check_finding(path, finding):
    """Refuse a source's finding that is not of its form; its texts lose their annotations."""
    check(path, "[finding]", finding, _FINDING)
    check(path, "[finding.rests_on]", finding.get("rests_on", {}), {...: VERDICTS})
    figure = finding.get("figure", "")
    if figure and not re.fullmatch(r"[^#]+(#[1-9]\d*)?", figure):
        raise SchemaError(
            f"{path}: [finding] key 'figure' must be a notebook's name, if need be with # and a figure's "
            f"number, got {shown(figure)}."
        )
    for key in finding.keys() & {"text", "headline"}:
        finding[key] = without_annotations(finding[key])


def without_annotations(text):
    """A text as it is read: without the comments that name the fields of its numbers."""
    return _ANNOTATION.sub("", text)


def _module_of_function(path, claim):
    """The file of a function that judges: it is in the folder of its source."""
    module = claim.judge["function"].partition(":")[0]
    file = path.with_name(f"{module.rpartition('.')[2]}.py")
    if module.split(".")[-2:-1] != [path.parent.name] or not file.is_file():
        raise SchemaError(
            f"{path}: [[claim]] {claim.id!r}: the function {claim.judge['function']!r} must be in a module "
            f"in {path.parent}."
        )
    return file


def _claims(path, source):
    table = check(path, "", read_toml(path), {"claim": [dict], "source": Maybe(str)})
    for k, entry in enumerate(table["claim"], start=1):
        name = shown(entry["id"]) if isinstance(entry.get("id"), str) else f"number {k}"
        where = f"[[claim]] {name}"
        check(path, where, entry, _CLAIM)
        for key, shape in (("amended", _AMENDED), ("choices", CHOICE)):
            for n, inner in enumerate(entry.get(key, []), start=1):
                check(path, f"{where}, [[claim.{key}]] number {n}", inner, shape)
        if (entry["kind"] == "question") != (entry["nature"] == "question"):
            raise SchemaError(f"{path}: {where}: the kind and the nature 'question' belong together.")
        try:
            check_rule(entry["kind"], entry.get("judge", {}))
            check_ours(entry.get("ours"), entry.get("judge", {}))
            check_choices(entry)
        except ValueError as error:
            raise SchemaError(f"{path}: {where}: {error}") from error
        yield Claim(source=source.short, **entry)
