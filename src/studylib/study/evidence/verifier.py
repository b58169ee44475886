"""Check a report's evidence: every hash, and every verdict, derived again.

This file needs the standard library, ``fingerprints`` and ``rules`` only: ``reports/<profile>/verify.py`` is
made of the three.
"""

import json
import os
import sys
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from studylib.study.fingerprints import bytes_hash, data_hash, key_of, readable_text, rule_hash
from studylib.study.rules import outcome

#: The manifest.
EVIDENCE = "evidence.json"
#: What a damaged file can lead to while a claim is checked.
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError)
#: What a claim of ``ledger.json`` says where its table in ``claims.toml`` says nothing.
CLAIM_DEFAULTS = {
    "judge": {}, "note": "", "needs_data": True, "checked_by_hand": False, "added": "", "amended": {},
}  # fmt: skip
#: Files of a report that carry evidence, by folder.
FOLDERS = {
    "results": [".json"],
    "stamps": [".json"],
    "tasks": [".jsonl"],
    "notebooks": [".ipynb"],
}


@dataclass
class Verification:
    """What was found: ``problems``, a sentence for each; and what to say of the rest."""

    problems: list = field(default_factory=list)
    notes: list = field(default_factory=list)
    n_files: int = 0
    derived: Counter = field(default_factory=Counter)
    by_function: list = field(default_factory=list)
    not_here: list = field(default_factory=list)


def verify(folder, by_function=None):
    """Check the report in a folder.

    Parameters
    ----------
    folder : path-like
    by_function : callable ``(rule, measured) -> Finding`` or None
        Judges by the functions of the study, if they can be imported.

    Returns
    -------
    Verification
    """
    return _Check(Path(folder), by_function).run()


class _Check:
    def __init__(self, folder, by_function):
        self.folder = folder
        self.by_function = by_function
        self.found = Verification()
        self.contents = {}
        self.written = {}  # by claim: the file of the ledger that it is in, and its table

    def run(self):
        evidence = self._evidence()
        if not self.found.problems:  # otherwise there is nothing to compare with
            self._files(evidence)
            self._ledger(evidence)
            self._stamps(evidence)
            self._tasks(evidence)
            self._claims(evidence)
        return self.found

    def _evidence(self):
        try:
            text = (self.folder / EVIDENCE).read_bytes().decode()
            evidence = json.loads(text)
            said = data_hash({key: value for key, value in evidence.items() if key != "sha256"})
            if text != readable_text(evidence):
                self._problem(f"{EVIDENCE}: its text is not as it was written")
            if said != evidence["sha256"]:
                self._problem(f"{EVIDENCE}: its own sha256 is not that of what it says")
            for part in ("files", "beside", "claims"):
                evidence[part].items()
            return evidence
        except OSError as error:
            self._problem(f"{EVIDENCE}: cannot be read ({error.strerror})")
        except _DAMAGE as error:
            self._problem(f"{EVIDENCE}: cannot be understood ({type(error).__name__}: {error})")

    def _problem(self, sentence):
        self.found.problems.append(sentence)

    # Files

    def _files(self, evidence):
        for name, listed in evidence["files"].items():
            content = self._content(name)
            if content is None:
                self._problem(f"{name}: missing")
                continue
            self.found.n_files += 1
            if bytes_hash(content) != listed:
                self._problem(f"{name}: its bytes are not those listed in {EVIDENCE}")
        for part, endings in FOLDERS.items():
            paths = [path for ending in endings for path in self.folder.glob(f"{part}/*{ending}")]
            for path in sorted(paths):
                name = path.relative_to(self.folder).as_posix()
                if name not in evidence["files"]:
                    self._problem(f"{name}: not listed in {EVIDENCE}")
        for name, listed in evidence["beside"].items():
            content = self._content(name)
            if content is None:
                self.found.not_here.append(name)
                continue
            self.found.n_files += 1
            if bytes_hash(content) != listed:
                self._problem(f"{name}: its bytes are not those that the report was made from")
            if name.endswith("/claims.toml"):
                self._claims_file(name, content)

    def _content(self, name):
        if name not in self.contents:
            try:
                self.contents[name] = Path(os.path.normpath(self.folder / name)).read_bytes()
            except OSError:
                self.contents[name] = None
        return self.contents[name]

    def _json(self, name, path=()):
        """What stands in a file, or in a part of it; None if that cannot be read."""
        try:
            value = json.loads(self._content(name).decode())
            for key in path:
                value = value[key]
        except _DAMAGE:
            return None
        return value

    def _claims_file(self, name, content):
        try:
            claims = tomllib.loads(content.decode("utf-8-sig"))["claim"]
            self.written |= {claim["id"]: (name, claim) for claim in claims}
        except _DAMAGE as error:
            self._problem(f"{name}: cannot be understood ({type(error).__name__}: {error})")

    # What belongs together

    def _ledger(self, evidence):
        ledger = self._json("ledger.json")
        if not isinstance(ledger, dict):
            self._problem("ledger.json: cannot be understood")
            return
        said = data_hash({key: value for key, value in ledger.items() if key != "sha256"})
        for name, hash_ in (("ledger.json", ledger.get("sha256")), (EVIDENCE, evidence["ledger_sha256"])):
            if hash_ != said:
                self._problem(f"{name}: its hash of the ledger is not that of what ledger.json says")

    def _stamps(self, evidence):
        """A stamp is of the files beside it."""
        judged = {entry["notebook"] for entry in evidence["claims"].values()}
        stamped = set()
        for name in [name for name in evidence["files"] if name.startswith("stamps/")]:
            stamp, notebook = self._json(name), Path(name).stem
            if not isinstance(stamp, dict):
                self._problem(f"{name}: cannot be understood")
                continue
            stamped.add(notebook)
            files = {
                "results": "results/{}.json",
                "tasks": "tasks/{}.jsonl",
                "executed": "notebooks/{}.ipynb",
            }
            for what, file in files.items():
                content = self._content(file.format(notebook))
                hash_ = "absent" if content is None else bytes_hash(content)
                if stamp.get(f"{what}_sha256") != hash_:
                    self._problem(f"{name}: it is not the stamp of {file.format(notebook)}")
            if stamp.get("key") != key_of(stamp.get("inputs")):
                self._problem(f"{name}: its key is not that of its inputs")
        for name in sorted(judged - stamped):
            self._problem(f"stamps/{name}.json: missing, though claims were judged")

    def _tasks(self, evidence):
        """Each line of a file of tasks has its checksum."""
        for name in [name for name in evidence["files"] if name.startswith("tasks/")]:
            for number, line in enumerate((self._content(name) or b"").splitlines(), start=1):
                try:
                    entry = json.loads(line)
                    same = entry.pop("sha256") == data_hash(entry)
                except _DAMAGE:
                    same = False
                if not same:
                    self._problem(f"{name}: line {number} has not the checksum of what it says")

    # Claims

    def _claims(self, evidence):
        known, measured = self._json("ledger.json", ["claims"]) or {}, {}
        for name in [name for name in evidence["files"] if name.startswith("results/")]:
            given = self._json(name, ["claims"])
            if not isinstance(given, dict):
                self._problem(f"{name}: cannot be understood")
                continue
            measured[Path(name).stem] = given
            left_out = [claim for claim in given if claim in known and claim not in evidence["claims"]]
            if left_out:
                self.found.notes.append(f"{name} measured claims without a verdict: {', '.join(left_out)}")
        for claim_id, entry in evidence["claims"].items():
            try:
                given = measured[entry["notebook"]][claim_id]
                problems = list(self._claim(claim_id, known[claim_id], given, entry, evidence["profile"]))
            except _DAMAGE as error:
                problems = [f"cannot be checked ({type(error).__name__}: {error})"]
            self.found.problems += [f"claim {claim_id}: {problem}" for problem in problems]

    def _claim(self, claim_id, claim, given, entry, profile):
        """Yield what is wrong with a verdict."""
        if rule_hash(claim) != entry["rule_sha256"]:
            yield "its rule in ledger.json is not the one that judged it"
        if claim_id in self.written:
            file, table = self.written[claim_id]
            table = {**CLAIM_DEFAULTS, **table, "source": claim["source"]}
            other = sorted(key for key in claim if claim[key] != table.get(key))
            if other:
                yield f"ledger.json and {file} differ in its {', '.join(other)}"
        if data_hash(given) != entry["measured_sha256"]:
            yield f"results/{entry['notebook']}.json holds another measurement than the one that was judged"
        if "function" in claim["judge"] and self.by_function is None:
            self.found.by_function.append(claim_id)
            return
        for key, said in outcome(claim, given, profile, self.by_function).items():
            if said != entry[key]:
                yield f"derived again, its {key} is {said!r}, but {EVIDENCE} says {entry[key]!r}"
        own = (claim["place"], claim["nature"]) == ("ours", "finding")  # no source states it; counted apart
        self.found.derived["own finding" if own else claim["nature"], entry["verdict"]] += 1


def summary(found):
    """What was checked, as lines to read."""
    if any(problem.startswith(f"{EVIDENCE}:") for problem in found.problems) and not found.n_files:
        lines = [f"{EVIDENCE} cannot be trusted, so nothing was compared with it."]
    else:
        lines = [f"{found.n_files} files compared with their sha256."]
        lines += [f"Not here, so not compared: {', '.join(found.not_here)}."] * bool(found.not_here)
        lines.append(f"{sum(found.derived.values())} verdicts derived again from what was measured:")
        for nature in dict.fromkeys(nature for nature, _ in found.derived):
            of = {verdict: n for (its, verdict), n in found.derived.items() if its == nature}
            said = ", ".join(f"{n} {verdict}" for verdict, n in of.items())
            lines.append(f"  {nature}: {sum(of.values())} ({said})")
        if found.by_function:
            lines.append(
                f"{len(found.by_function)} judged by a function of the study, not derived here: "
                f"{', '.join(found.by_function)}."
            )
            lines.append("`studylib verify` derives these, too; it needs the study and its packages.")
        lines += [f"Note: {note}." for note in found.notes]
    if not found.problems:
        return [*lines, "Everything agrees."]
    said = "1 thing differs:" if len(found.problems) == 1 else f"{len(found.problems)} things differ:"
    return [*lines, said, *(f"  {problem}" for problem in found.problems)]


def main(folder=None, by_function=None):
    """Check the report in a folder, by default the one this file is in; returns an exit code."""
    found = verify(Path(__file__).resolve().parent if folder is None else folder, by_function)
    said = "\n".join(summary(found)) + "\n"
    sys.stdout.buffer.write(said.encode())  # a terminal without UTF-8 must not make it fail
    return 1 if found.problems else 0
