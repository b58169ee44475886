"""Check a report's evidence: every hash, and every verdict, derived again.

The report may be hostile, with hashes that fit, so its files are read by ``untrusted`` only.

This file needs the standard library and the files of which ``manifest.standalone`` makes ``verify.py`` only.
"""

import hashlib
import os
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

from studylib.study.evidence.untrusted import (
    MOST_BYTES,
    MOST_DOTS,
    MOST_JUDGED,
    MOST_PARSED,
    MOST_PROBLEMS,
    MOST_SENTENCE,
    MOST_TOML,
    opened,
    read,
    reason,
    visible,
)
from studylib.study.fingerprints import (
    WrittenNumber,
    canonical_text,
    data_hash,
    forgotten_amendments,
    key_of,
    number_as_text,
    readable_text,
    rule_hash,
)
from studylib.study.rules import DISPUTED, NOT_TESTABLE, PLANNED, outcome
from studylib.study.shapes import Refused, fits, parsed

#: The manifest.
EVIDENCE = "evidence.json"
#: What a claim of ``ledger.json`` says where its table in ``claims.toml`` says nothing.
CLAIM_DEFAULTS = {
    "judge": {}, "note": "", "needs_data": True, "checked_by_hand": False, "added": "", "amended": [],
    "choices": [], "ours": None,
}  # fmt: skip
#: Files of a report that carry evidence: in its own folder, and by folder.
OWN_FILES = ("ledger.json", "verify.py", "ro-crate-metadata.json")
FOLDERS = {"results": ".json", "stamps": ".json", "tasks": ".jsonl", "notebooks": ".ipynb"}
#: The page that shows the verdict on every claim.
CLAIMS_PAGE = "claims.html"
#: A folder that only runs use.
WORK = "work"
_MISSING = "missing"
#: What a manifest's own hashes are not of: pages render what the first one is of.
_NOT_CITED = ("pages", "pages_sha256", "sha256")
#: Files of the ledger, in a folder for each source.
SOURCE_FILES = ("source.toml", "claims.toml", "deviations.toml")
#: What the manifest must hold.
_MANIFEST = {
    **dict.fromkeys(("files", "pages", "beside"), ({...: str}, "table of texts")),
    "claims": ({...: dict}, "table of tables"),
    "rules_sha256": ({...: list}, "table of lists"),
    **dict.fromkeys(("ledger_sha256", "profile", "sha256", "pages_sha256"), (str, "text")),
}
#: What it says about a claim.
_ENTRY = ("notebook", "rule_sha256", "measured_sha256", "verdict")
#: What of it is derived again.
_DERIVED = ("verdict", "parts", "note", "beside", "at_main", "choices")


@dataclass
class Verification:
    """What was found: ``problems``, a sentence for each; and what to say of the rest.

    ``trusted`` says whether the manifest could be read, so that anything was compared with it.
    """

    problems: list = field(default_factory=list)
    trusted: bool = False
    n_files: int = 0
    derived: Counter = field(default_factory=Counter)
    by_function: list = field(default_factory=list)
    not_here: list = field(default_factory=list)


def verify(folder, by_function=None):
    """Check the report in a folder; returns a Verification.

    ``by_function(rule, measured)`` judges by the functions of the study, if they can be imported.
    """
    check = _Check(Path(folder), by_function)
    problems = check.result.problems
    try:
        for problem in check.problems():
            short = len(problem) <= MOST_SENTENCE
            problems.append(problem if short else f"{problem[:700]} … {problem[-200:]}")
            if len(problems) == MOST_PROBLEMS:
                problems.append("perhaps more; the check stopped here")
                break
    except Exception as error:  # whatever a report can still do, it must not look as if it agreed
        problems.append(f"the report: cannot be checked ({reason(error)})")
    return check.result


class _Check:
    """One check of a report; its methods are generators of problems, a sentence for each."""

    def __init__(self, folder, by_function):
        self.folder = folder
        self.by_function = by_function
        self.result = Verification()
        self.evidence = None  # the manifest
        self.hashes = {}  # of the files that could be read
        self.bytes_left = MOST_BYTES
        self.known = None  # the claims of ledger.json
        self.disputed = {}  # those among them about which the source contradicts itself
        self.differs = {}  # by claim: its claims.toml, and the keys in which ledger.json differs from it

    def problems(self):
        yield from self._manifest()
        if self.result.problems:
            return  # there is nothing to compare with
        self.result.trusted = True
        yield from self._files()
        yield from self._ledger()
        yield from self._sources()
        yield from self._stamps()
        yield from self._tasks()
        yield from self._claims()
        yield from self._pages()

    def _manifest(self):
        try:
            content = read(self.folder, EVIDENCE, MOST_PARSED)
            evidence = parsed(content)
            _check_shape(evidence)
            same_text = content == readable_text(evidence).encode()
            cited = {key: value for key, value in evidence.items() if key not in _NOT_CITED}
            hashes = {"sha256": data_hash(cited), "pages_sha256": data_hash(evidence["pages"])}
        except OSError as error:
            yield f"{EVIDENCE}: cannot be read ({reason(error)})"
        except Exception as error:
            yield f"{EVIDENCE}: cannot be understood ({reason(error)})"
        else:
            if not same_text:
                yield f"{EVIDENCE}: its text is not as it was written"
            for key, hash_ in hashes.items():
                if hash_ != evidence[key]:
                    yield f"{EVIDENCE}: its own {key} is not that of what it says"
            self.evidence = evidence

    # Files

    def _files(self):
        files, pages = self.evidence["files"], self.evidence["pages"]
        for name, listed in files.items():
            part, _, file = name.rpartition("/")
            if name not in OWN_FILES and not file.endswith(FOLDERS.get(part, ())):
                yield f"{name}: a report has no such file, but {EVIDENCE} lists it"
            elif fault := self._fault(name, listed, f"those listed in {EVIDENCE}"):
                yield f"{name}: {fault}"
        for name, listed in pages.items():
            if "/" in name or name in (EVIDENCE, *OWN_FILES):
                yield f"{name}: it is no page, but {EVIDENCE} lists it as one"
            elif fault := self._fault(name, listed, f"those listed in {EVIDENCE}"):
                yield f"{name}: {fault}"
        for name in self._names():
            if name != EVIDENCE and name not in files and name not in pages:
                yield f"{name}: not listed in {EVIDENCE}"

    def _names(self):
        """What is in the folder, but for what only runs use, and what file managers leave."""
        for entry in sorted(os.scandir(self.folder), key=lambda entry: entry.name):
            if entry.name.startswith(".") or entry.name == WORK:
                continue
            if entry.name in FOLDERS and entry.is_dir():
                inner = sorted(path.name for path in os.scandir(entry.path))
                yield from (f"{entry.name}/{name}" for name in inner if not name.startswith("."))
            else:
                yield entry.name

    def _sources(self):
        """The ledger's own files, which are below the study's folder, two above the report's."""
        for name, listed in self.evidence["beside"].items():
            if name.rpartition("/")[2] not in SOURCE_FILES:
                yield f"{name}: a ledger has no such file, but {EVIDENCE} lists it"
                continue
            fault = self._fault(name, listed, "those that the report was made from", "../..")
            if fault == _MISSING:
                self.result.not_here.append(name)
            elif fault:
                yield f"{name}: {fault}"
            if name in self.hashes and name.endswith("/claims.toml"):
                yield from self._claims_file(name)

    def _fault(self, name, listed, wanted, root="."):
        """What is wrong with a file, which is compared with its sha256; None if nothing is."""
        try:
            with opened(self.folder, name, root) as file:
                size = os.fstat(file.fileno()).st_size
                if size > self.bytes_left:
                    raise Refused(f"all files of a report may have {MOST_BYTES // 10**6} MB together")
                self.bytes_left -= size
                self.hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except (FileNotFoundError, NotADirectoryError):
            return _MISSING
        except Exception as error:
            return f"cannot be read ({reason(error)})"
        self.result.n_files += 1
        return None if self.hashes[name] == listed else f"its bytes are not {wanted}"

    def _table(self, name):
        """The table in a JSON file; None, and a problem, if there is none."""
        if name not in self.hashes:
            return None  # that was said already
        try:
            table = parsed(read(self.folder, name, MOST_PARSED))
            canonical_text(table).encode()  # fails for what has no hash
            if not isinstance(table, dict):
                raise Refused("it is no table")
        except Exception as error:
            yield f"{name}: cannot be understood ({reason(error)})"
            return None
        return table

    def _claims_file(self, name):
        """Compare the claims of ledger.json with their tables in a claims.toml."""
        try:
            content = read(self.folder, name, MOST_TOML, "../..").decode("utf-8-sig")
            if max(line.count(".") for line in content.split("\n")) > MOST_DOTS:
                raise Refused(f"a line of it may have {MOST_DOTS} dots")
            for table in tomllib.loads(content, parse_float=WrittenNumber)["claim"]:
                claim = (self.known or {}).get(table["id"], {})
                table = {**CLAIM_DEFAULTS, **table, "source": claim.get("source")}
                others = {key for key in claim if claim[key] != table.get(key)}
                others -= {key for key in others if claim[key] == number_as_text(table.get(key))}
                self.differs[table["id"]] = name, sorted(others)
        except Exception as error:
            yield f"{name}: cannot be understood ({reason(error)})"

    # What belongs together

    def _ledger(self):
        ledger = yield from self._table("ledger.json")
        if ledger is None:
            return
        its_hash = data_hash({key: value for key, value in ledger.items() if key != "sha256"})
        listed = {"ledger.json": ledger.get("sha256"), EVIDENCE: self.evidence["ledger_sha256"]}
        for name, hash_ in listed.items():
            if hash_ != its_hash:
                yield f"{name}: its hash of the ledger is not that of what ledger.json says"
        if not fits(ledger.get("claims"), {...: dict}):
            yield "ledger.json: its claims must be a table of tables"
            return
        self.known = ledger["claims"]
        self.disputed = ledger.get("disputed") or {}

    def _stamps(self):
        """A stamp is of the files beside it."""
        judged = {entry["notebook"] for entry in self.evidence["claims"].values()}
        names = [name for name in self.evidence["files"] if name.startswith("stamps/")]
        for name in names:
            stamp, notebook = (yield from self._table(name)), Path(name).stem
            if stamp is None:
                continue
            for what, part in (("results", "results"), ("tasks", "tasks"), ("executed", "notebooks")):
                file = f"{part}/{notebook}{FOLDERS[part]}"
                if stamp.get(f"{what}_sha256") != self.hashes.get(file, "absent"):
                    yield f"{name}: it is not the stamp of {file}"
            if stamp.get("key") != key_of(stamp.get("inputs")):
                yield f"{name}: its key is not that of its inputs"
        for name in sorted(judged - {Path(name).stem for name in names}):
            yield f"stamps/{name}.json: missing, though claims were judged"

    def _tasks(self):
        """Each line of a file of tasks has its checksum; a first one that has not is said."""
        for name in [name for name in self.hashes if name.startswith("tasks/")]:
            with opened(self.folder, name) as file:
                for number, line in enumerate(iter(lambda: file.readline(MOST_PARSED), b""), start=1):
                    if not _has_its_checksum(line):
                        yield f"{name}: line {number} has not the checksum of what it says"
                        break

    # Claims

    def _claims(self):
        """Notebook by notebook, so that the memory holds the results of one."""
        if self.known is None:
            return
        judged = {}
        for claim_id, entry in self.evidence["claims"].items():
            judged.setdefault(entry["notebook"], {})[claim_id] = entry
        for name in [name for name in self.evidence["files"] if name.startswith("results/")]:
            entries = judged.pop(Path(name).stem, {})
            results = yield from self._table(name)
            if results is None:
                continue
            if not fits(results.get("claims"), {...: dict}):
                yield f"{name}: its claims must be a table of tables"
                continue
            for claim_id in results["claims"]:
                if claim_id in self.known and claim_id not in self.evidence["claims"]:
                    yield f"claim {claim_id}: measured in {name}, but {EVIDENCE} has no verdict on it"
            for claim_id, entry in entries.items():
                try:
                    problems = list(self._claim(claim_id, entry, results["claims"]))
                except Exception as error:  # a function of the study may raise anything
                    problems = [f"cannot be checked ({reason(error)})"]
                yield from (f"claim {claim_id}: {problem}" for problem in problems)
        for notebook, entries in judged.items():
            yield f"results/{notebook}.json: not listed in {EVIDENCE}, but judged: {', '.join(entries)}"

    def _claim(self, claim_id, entry, measured):
        for file, claims in (("ledger.json", self.known), (f"results/{entry['notebook']}.json", measured)):
            if claim_id not in claims:
                yield f"not in {file}"
                return
        claim, given = self.known[claim_id], measured[claim_id]
        if rule_hash(claim) != entry["rule_sha256"]:
            yield "its rule in ledger.json is not the one that judged it"
        yield from forgotten_amendments(claim, self.evidence["rules_sha256"].get(claim_id, []))
        file, other = self.differs.get(claim_id, ("", []))
        if other:
            yield f"ledger.json and {file} differ in its {', '.join(other)}"
        if data_hash(given) != entry["measured_sha256"]:
            yield f"results/{entry['notebook']}.json holds another measurement than the one that was judged"
        if not isinstance(claim["judge"], dict):
            yield "its rule in ledger.json must be a table"
            return
        if "function" in claim["judge"] and self.by_function is None:
            self.result.by_function.append(claim_id)
            return
        if len(canonical_text(claim["judge"])) * len(canonical_text(given)) > MOST_JUDGED:
            yield "its rule and its measurement are too long"
            return
        derived = outcome(claim, given, self.evidence["profile"], self.by_function)
        for key in _DERIVED:
            now, listed = derived.get(key), entry.get(key)
            if not _alike(now, listed):
                yield f"derived again, its {key} is {now!r}, but {EVIDENCE} says {listed!r}"
        by_us = (claim["place"], claim["nature"]) == ("ours", "finding")  # no source states it; counted apart
        self.result.derived["own finding" if by_us else claim["nature"], entry["verdict"]] += 1

    # Pages

    def _pages(self):
        """The verdict that a reader sees is the one in the evidence, on every page."""
        missing = set(self.evidence["claims"])
        for name in [n for n in self.evidence["pages"] if n in self.hashes and n.endswith(".html")]:
            try:
                page = _Page()
                page.feed(read(self.folder, name, MOST_PARSED).decode())
                page.close()
            except Exception as error:
                yield f"{name}: cannot be understood ({reason(error)})"
                continue
            for claim_id, which, shown in page.verdicts:
                right = self._verdicts(claim_id, which)
                if shown not in right:
                    yield f"{name}: shows {shown!r} for the claim {claim_id}, not {' or '.join(right)!r}"
            if name == CLAIMS_PAGE:
                missing -= {claim_id for claim_id, which, _ in page.verdicts if not which}
        for claim_id in sorted(missing) if CLAIMS_PAGE in self.hashes else ():
            yield f"{CLAIMS_PAGE}: shows no verdict on the claim {claim_id}"

    def _verdicts(self, claim_id, which):
        """What a page may show for a claim."""
        if which:
            amended = (self.known or {}).get(claim_id, {}).get("amended", [])
            by_number = {str(n): change["first_verdict"] for n, change in enumerate(amended, start=1)}
            return [by_number.get(which, "nothing")]
        if claim_id in self.disputed:
            return [DISPUTED]
        if claim_id in self.evidence["claims"]:
            return [self.evidence["claims"][claim_id]["verdict"]]
        return [PLANNED, NOT_TESTABLE]


class _Page(HTMLParser):
    """The verdicts that a page shows, each with its claim; and which amendment ended it."""

    def __init__(self):
        super().__init__()
        self.verdicts = []
        self._open = None  # the present verdict: its tag, how often that is open within, and its text

    def handle_starttag(self, tag, attrs):
        if self._open:
            self._open[1] += tag == self._open[0]
            return
        named = dict(attrs)
        if "verdict" in (named.get("class") or "").split():
            self._open = [tag, 1, ""]
            self.verdicts.append((named.get("data-of") or "", named.get("data-which") or "", ""))

    def handle_endtag(self, tag):
        if self._open and tag == self._open[0]:
            self._open[1] -= 1
            if not self._open[1]:
                self.verdicts[-1] = (*self.verdicts[-1][:2], " ".join(self._open[2].split()))
                self._open = None

    def handle_data(self, data):
        if self._open:
            self._open[2] += data


def _check_shape(evidence):
    """Refuse a manifest that is not of the form that is written."""
    if not isinstance(evidence, dict):
        raise Refused("it is no table")
    for key, (shape, in_words) in _MANIFEST.items():
        if not fits(evidence.get(key), shape):
            raise Refused(f"its {key} must be a {in_words}")
    for claim_id, entry in evidence["claims"].items():
        for key in _ENTRY:
            if not isinstance(entry.get(key), str):
                raise Refused(f"its claim {claim_id} must have a text as {key}")


def _alike(now, listed, scale=0.0):
    """Test if two values are the same; numbers may differ by 1e-11 of the largest number beside them.

    The functions of the C library round differently on different machines.
    """
    if isinstance(now, float) and isinstance(listed, float):
        return abs(now - listed) <= 1e-11 * scale or now == listed
    if type(now) is not type(listed):
        return False
    if isinstance(now, dict):
        scale = max((abs(value) for value in now.values() if isinstance(value, float)), default=0.0)
        return now.keys() == listed.keys() and all(_alike(now[key], listed[key], scale) for key in now)
    if isinstance(now, list):
        return len(now) == len(listed) and all(map(_alike, now, listed))
    return now == listed


def _has_its_checksum(line):
    try:
        entry = parsed(line)
        return entry.pop("sha256") == data_hash(entry)
    except Exception:
        return False


def summary(result):
    """What was checked, as lines to read."""
    n_derived = sum(result.derived.values())
    if not result.trusted:
        lines = [f"{EVIDENCE} cannot be trusted, so nothing was compared with it."]
    else:
        lines = [f"{result.n_files} files compared with their sha256."]
        lines += [f"Not here, so not compared: {', '.join(result.not_here)}."] * bool(result.not_here)
        lines.append(f"{n_derived} verdicts derived again from what was measured:")
        by_nature = {}
        for (nature, verdict), n in result.derived.items():
            by_nature.setdefault(nature, {})[verdict] = n
        for nature, of in by_nature.items():
            counts = ", ".join(f"{n} {verdict}" for verdict, n in of.items())
            lines.append(f"  {nature}: {sum(of.values())} ({counts})")
        if result.by_function:
            lines.append(
                f"{len(result.by_function)} judged by a function of the study, not derived here: "
                f"{', '.join(result.by_function)}."
            )
            lines.append("`studylib verify` derives these, too; it needs the study and its packages.")
    if result.problems:
        lines.append(
            "1 thing differs:" if len(result.problems) == 1 else f"{len(result.problems)} things differ:"
        )
        lines += [f"  {problem}" for problem in result.problems]
    # The last line is ours: a long name in the one before could end as one likes, in a line of a terminal.
    n_judged = n_derived + len(result.by_function)
    derived = f"all {n_derived}" if not result.by_function else f"{n_derived} of {n_judged}"
    agrees = f"Everything agrees; {derived} verdicts were derived."
    lines.append("Not everything agrees." if result.problems else agrees)
    return [visible(line) for line in lines]


def main(folder=None, by_function=None):
    """Check the report in a folder, by default the one this file is in; returns an exit code."""
    result = verify(Path(__file__).resolve().parent if folder is None else folder, by_function)
    text = "\n".join(summary(result)) + "\n"
    sys.stdout.buffer.write(text.encode())  # a terminal without UTF-8 must not make it fail
    return 1 if result.problems else 0
