"""Sentences against the evidence, and against their readers' patience.

Every measured number in prose names the field that it comes from, and sentences are short and plain.

A number is followed by an HTML comment, which no reader sees: ``2.4<!-- graf-blend-boosting.ours -->``.
``python -m tools.prose`` lists what is wrong in README, guide, sources and notebooks; with ``--write`` it
renews the numbers first.  ``CONTRIBUTING.md`` ("Write a number") has the grammar.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import nbformat
import yaml

from studylib.core.files import write_atomically
from tools import sentences
from tools.fields import NUMBER, FieldError, Fields, number, short
from tools.printed import CODE, COMMENT, annotated, blank, blocks, compare, plain, row, stray

ROOT = Path(__file__).parents[1]
GIVEN = "given"
_FREE = re.compile(rf"(?<![\w.,^/′√])(?:{NUMBER})(?![\w⁰-⁹²³]|-[A-Za-z]|[.,]\d|/[a-z])")
#: What is no measured number: places, parameters in code, dates, levels of intervals.
_PLACES = (
    r"sections?|eqs?\.?|equations?|figs?\.?|figures?|tables?|lines?|algorithm|notebooks?|lessons?|python|parts?"
    r"|seeds?|version|UCI|step"
)
_CONSTANTS = re.compile(
    rf"\b(?:{_PLACES})\s+\[?\d[\d.]*[a-z]?(?:(?:, | and | or | to |–|\]\([^)]*\)|, \[| and \[)+\d[\d.]*)*"
    r"|(?:in|ex)clud\w+ 0\b(?!\.\d)|\b0\d\b(?!\.)|\d[\d.]* ?% (?:confidence )?(?:intervals?|CI)\b"
    r"|(?:\(|et al\., |, )(?:19|20)\d\d\b|\b\d{4}-\d\d(?:-\d\d)?|arXiv:[\d.]+",
    re.IGNORECASE,
)
_HIDDEN = re.compile(rf"{CODE.pattern}|\$[^$]+\$|\]\([^)\s]*\)|https?://\S+|</?[a-z][^<>]*>", re.DOTALL)
#: The heading of a table, the first cell of each row, and the number of a list item.
_LABELS = re.compile(r"(?m)^\|.*\n\|[-|: ]+$|^\|[^|\n]*\||^\s*\d+\. ")
_NOTEBOOK = re.compile(
    r"notebooks? (\d\d[a-z]?)\b|\[(?:notebook )?(\d\d[a-z]?)\]|(?<!\w)(\d\d[a-z]?|lesson_\d)_\w+",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"^#+\s*(?:conclusions?|summary|what follows)\b", re.IGNORECASE | re.MULTILINE)
_OUTDATED = re.compile(
    r"does not exist yet|do not exist yet|not (?:yet )?written|(?:is|are|as) planned|planned as", re.I
)
_REAL = re.compile(r"\breal (?:data|sets|tables)\b", re.IGNORECASE)


@dataclass
class Text:
    """A stretch of prose in a file.

    Parameters
    ----------
    path : Path
    raw : str
    line : int, of its first line in the file
    where : str, beside the file's name, such as a cell's id
    strict : bool
        Whether each number must name its field, and not only those beside a notebook or a claim.
    about : tuple of str
        Notebooks that it speaks of without a name.
    rule : bool
        Whether its numbers are those of a rule or a reference, which no result gives.
    read : bool
        Whether its sentences are checked for length and words: those of rules and templates are not.
    """

    path: Path
    raw: str
    line: int = 1
    where: str = ""
    strict: bool = False
    about: tuple = ()
    rule: bool = False
    read: bool = True

    def at(self, offset):
        """File and line of an offset."""
        return f"{self.path}{self.where}:{self.line + self.raw.count(chr(10), 0, offset)}"


class Prose:
    """What sentences say, compared with a report.

    Parameters
    ----------
    fields : Fields
    folder : Path, that links are relative to
    """

    def __init__(self, fields, folder=ROOT):
        self.fields, self.folder = fields, folder

    # Numbers

    def numbers(self, text):
        """Problems with the numbers of a text, and what to write instead: ``start, end, new``."""
        problems, renewed, taken = [], [], []
        for start, _, block in blocks(text.raw):
            table = self._table(block) if block.startswith("|") else []
            for at, said, field in [*annotated(block), *table]:
                taken.append((start + at, start + at + len(said)))
                if field == GIVEN:
                    continue
                try:
                    problem, new = compare(said, self.fields.value(field), block[:at])
                except FieldError as error:
                    problem, new = str(error), None
                if problem:
                    problems.append(f"{text.at(start + at)}: {problem}")
                if new:
                    renewed.append((start + at, start + at + len(said), new))
            problems += [
                f"{text.at(start + at)}: no number stands before <!-- {field} -->."
                for at, field in stray(block)
            ]
        for start, end, names in self._checked(text):
            block = text.raw[start:end]
            if re.match(r"\s*<!-- given: .+-->\n", block):  # all of it, for the reason that stands there
                continue
            hidden = blank(_CONSTANTS, blank(_LABELS, blank(_HIDDEN, blank(COMMENT, block))))
            known = self._parameters(names)
            for match in _FREE.finditer(hidden):
                at = start + match.start()
                if any(a <= at < b for a, b in taken) or number(match.group()) in known:
                    continue
                said = " ".join(plain(block[max(0, match.start() - 40) : match.end() + 20]).split())
                problems.append(f"{text.at(at)}: {match.group()!r} names no field (“{said}”).")
        return problems, renewed

    def _checked(self, text):
        """The blocks whose numbers must all name a field: ``start, end, notebooks``."""
        names = []
        for start, end, block in blocks(text.raw):
            if not block.lstrip().startswith("|") or not names:  # a table belongs to the words above it
                names = self.names(block)
            compared = re.search(r"\d\W*(?:times (?:as|faster|slower)|× (?:as|faster|slower))", plain(block))
            if text.strict or ((names or compared) and not text.rule):
                yield start, end, [*names, *text.about]

    def names(self, block):
        """The notebooks and claims that a block names."""
        block = plain(block)
        found = [next(filter(None, m.groups())) for m in _NOTEBOOK.finditer(block)]
        claims = [c for c in re.findall(r"[a-z]\w*(?:-\w+)+", block) if c in self.fields.study.ledger.claims]
        return [n for n in found if n in self.fields.notebooks] + claims

    def _parameters(self, names):
        """Parameters of the notebooks named, from 100 on: smaller ones could hide a measured number."""
        found = set()
        for name in {self.fields.notebooks[n] for n in names if n in self.fields.notebooks}:
            parameters = self.fields.study.notebooks[name].parameters_for("paper")
            for value in parameters.values():
                found |= {
                    v
                    for v in (value if isinstance(value, list) else [value])
                    if isinstance(v, int) and v >= 100
                }
        return found

    def _table(self, block):
        """Numbers of a table whose first cells and headings name their fields together."""
        lines = block.splitlines(keepends=True)
        heads = [(COMMENT.findall(cell) or [""])[0] for _, cell in row(lines[0])]
        offset = 0
        for line in lines:
            cells = list(row(line))
            pattern = (COMMENT.findall(cells[0][1]) or [""])[0] if cells else ""
            for (at, cell), head in zip(cells[1:], heads[1:], strict=False):
                if "{}" in pattern and head:
                    hidden = blank(_HIDDEN, cell)
                    for match, part in zip(_FREE.finditer(hidden), head.split("&"), strict=False):
                        if not hidden[match.end() :].lstrip("*").startswith("<!--"):
                            label, end = re.fullmatch(r"(.*?)(\.(?:low|high))?", part.strip()).groups()
                            field = pattern.replace("{}", label) + (end or "")
                            yield offset + at + match.start(), match.group(), field
            offset += len(line)

    # Words

    def words(self, text):
        """Problems with what a text says in words."""
        problems = []
        for start, _, block in blocks(text.raw):
            said = " ".join(plain(block).split())  # as it is read
            where = text.at(start)
            named = [n for n in self.names(block) if n in self.fields.notebooks]
            if named and (match := _OUTDATED.search(said)):
                problems.append(f"{where}: {match.group()!r}, but notebook {named[0]} is there.")
            for match in _REAL.finditer(said):
                for name in self._nearest(said, match.start(), text):
                    data_are = self.fields.study.notebooks[name].data_are
                    if not re.search(r"\breal (?:data|sets)\b", data_are):
                        problems.append(f"{where}: {match.group()!r} of {name}, whose data are {data_are}.")
            for pattern, unless, why in OVERSTATED:
                if re.search(pattern, said, re.I) and not (unless and re.search(unless, said, re.I)):
                    problems.append(f"{where}: {re.search(pattern, said, re.I).group()!r}: {why}")
            problems += [f"{where}: there is no file {link}." for link in self._missing(text.path, block)]
        return problems

    def _nearest(self, said, at, text):
        """The notebook named in the sentence at an offset, else in the next one, as a list."""
        sentences = re.split(r"(?<=[.?!])\s+(?=[A-Z*\[“])", said)
        end = 0
        for k, sentence in enumerate(sentences):
            end += len(sentence) + 1
            if at < end:
                for near in sentences[k : k + 2]:
                    if found := [n for n in self.names(near) if n in self.fields.notebooks]:
                        return [self.fields.notebooks[found[0]]]
                break
        return [self.fields.notebooks[n] for n in text.about]

    def _missing(self, path, block):
        links = re.findall(r"\]\((?!https?:|#|mailto:|data:|attachment:)([^)#\s]+)", block)
        for link in links:
            if not (self.folder / path.parent / link).exists():
                yield link
        for name in re.findall(r"[\w./-]+\.md\b", plain(re.sub(r"\]\([^)]*\)", "", block))):
            if not any((self.folder / folder / name).exists() for folder in (".", path.parent, "docs")):
                yield name


#: Words that once said more than the evidence: the pattern, the words beside it that make it right, and why.
OVERSTATED = (
    (r"node for node", None, "the published trees are not available; counts and errors are compared"),
    (
        r"held[- ]out (?:UCI )?sets|sets? held out",
        r"looked at",
        "the research had looked at these sets before",
    ),
    (
        r"tuned as in the (?:source|paper)",
        r"smaller|cut|fewer|except",
        "grids are cut, and six sets are left out",
    ),
    (r"can only favour", None, "a larger grid also buys optimism, so the direction is not certain"),
    (
        r"\b(?:the|its) (?:published )?figures can be reproduced",
        None,
        "Fig. 1's statement cannot be tested",
    ),
    (r"all but \w+ hold\b", r"undecided|inconclusive|open", "leaves out what is undecided"),
    (
        r"rules? .{0,30}fixed before .{0,40}first result",
        r"prototype",
        "prototypes had measured part of it before",
    ),
    (
        r"sensitive points (?:are|train) .{0,60}(?:better|worse) than",
        r"control|simulated",
        "the control is ours, and must be called so",
    ),
    (r"hundred trees are not enough for (?:the )?error", None, "the error is refuted on no set"),
    (r"rules were amended", r"towards|raised|lowered", "say which way verdicts moved"),
)


# The texts of a study


def texts(study, folder=ROOT):
    """Every prose that is checked: Markdown, citation, what sources and pages say, cells of notebooks."""
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff"]
    for path in map(Path, [*pages, *sorted(p.relative_to(folder) for p in (folder / "docs").glob("*.md"))]):
        if (folder / path).exists():
            cited = path.suffix == ".cff"
            yield Text(path, (folder / path).read_text(encoding="utf-8"), rule=cited, read=not cited)
    for file in sorted((folder / "src/studylib/studies").glob("*/*.toml")):
        raw = file.read_text(encoding="utf-8")
        strict = file.name == "source.toml"
        for match in re.finditer(r'(?m)^(headline|text|rule|note|reason) = (?:"""\n([^"]*)"""|"(.*)")$', raw):
            line = raw.count("\n", 0, match.start()) + 1
            read = match.group(1) != "rule"
            path = file.relative_to(folder)
            words = match.group(2) or match.group(3)
            yield Text(path, words, line, strict=strict, rule=not strict, read=read)
    for path in sorted((folder / "src/studylib/study").glob("*/templates/*.j2")):
        raw = path.read_text(encoding="utf-8")
        yield Text(path.relative_to(folder), raw, rule=True, read=False)
    solutions = sorted((folder / "notebooks/solutions").glob("*.ipynb"))
    for path in [*(notebook.path for notebook in study.notebooks.values()), *solutions]:
        name = short(path.stem)
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "markdown":
                concludes = bool(_CONCLUDES.search(cell.source))
                yield Text(
                    path.relative_to(folder),
                    cell.source,
                    where=f"#{cell.id}",
                    strict=concludes,
                    about=(name,) * concludes,
                )


def release(changelog, citation):
    """Problems of the changelog with the release that the citation names."""
    cited = yaml.safe_load(citation)
    version, cited_day = str(cited["version"]), str(cited.get("date-released", "unreleased"))
    latest, day = re.search(r"^## (\d+\.\S+) \((.+)\)$", changelog, re.MULTILINE).groups()
    if (latest, day) != (version, cited_day):
        return [f"CHANGELOG.md: the latest is {latest} ({day}), CITATION.cff says {version} ({cited_day})."]
    return []


def suite_users(citation, study):
    """Problems of the citation with the notebooks that use the suite of data sets which it names."""
    using = {name[:2] for name, n in study.notebooks.items() if any("uci_delgado" in path for path in n.data)}
    for entry in yaml.safe_load(citation)["references"]:
        match = re.search(r"sets .*notebooks? ([\d, and]+)", entry.get("notes", ""))
        if match and set(re.findall(r"\d\d", match.group(1))) != using:
            return [f"CITATION.cff: the suite is used in {', '.join(sorted(using))}, not {match.group(1)}."]
    return []


def check(folder=ROOT):
    """All problems of the study's prose."""
    prose = Prose(Fields(folder), folder)
    problems = []
    everything = list(texts(prose.fields.study, folder))
    for text in everything:
        problems += prose.numbers(text)[0] + prose.words(text)
    problems += plainness(everything)
    citation = (folder / "CITATION.cff").read_text(encoding="utf-8")
    problems += release((folder / "CHANGELOG.md").read_text(encoding="utf-8"), citation)
    return problems + suite_users(citation, prose.fields.study)


def plainness(everything):
    """Problems of texts with long sentences and with words for which there is a plainer one."""
    everything = [text for text in everything if text.read]
    problems = [p for text in everything for p in (*sentences.long(text), *sentences.unplain(text))]
    return problems + list(sentences.rambling(everything))


def write(folder=ROOT):
    """Renew all numbers that differ from their fields; returns the sentences in which one did."""
    prose = Prose(Fields(folder), folder)
    changed, pages = [], {}
    for text in texts(prose.fields.study, folder):
        _, renewed = prose.numbers(text)
        if not renewed:
            continue
        new = text.raw
        for start, end, said in sorted(renewed, reverse=True):
            new = new[:start] + said + new[end:]
        for start, end, said in renewed:
            around = " ".join(plain(text.raw[max(0, start - 300) : end + 200]).split())
            changed.append(f"{text.at(start)}: {text.raw[start:end]} → {said} in “… {around} …”")
        pages.setdefault(text.path, []).append((text, new))
    for path, pairs in pages.items():
        if path.suffix == ".ipynb":
            notebook = nbformat.read(folder / path, as_version=4)
            for text, new in pairs:
                next(c for c in notebook.cells if f"#{c.id}" == text.where).source = new
            write_atomically(folder / path, nbformat.writes(notebook).rstrip("\n") + "\n")
        else:
            whole = (folder / path).read_text(encoding="utf-8")
            for text, new in pairs:
                whole = whole.replace(text.raw, new, 1)
            write_atomically(folder / path, whole)
    return list(dict.fromkeys(changed))


def main(arguments):
    """Renew numbers if asked to, and list all problems; the exit code says whether there are any."""
    if arguments not in ([], ["--check"], ["--write"]):
        print("usage: python -m tools.prose [--check | --write]", file=sys.stderr)
        return 2
    if arguments == ["--write"]:
        for sentence in write():
            print(f"renewed, see whether its words still hold: {sentence}")
    problems = check()
    print("\n".join(problems) or "Every number in prose is that of its field, and every sentence is plain.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
