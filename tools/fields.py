"""Fields of a report: a number by its name, for sentences that state it.

The grammar is in ``CONTRIBUTING.md``, "Write a number".  Nothing is computed here but a factor.
"""

import json
import re
from functools import cache, cached_property
from pathlib import Path

from bs4 import BeautifulSoup

from studylib.study import findings
from studylib.study.cards import sentences
from studylib.study.cards.numbers import number_text
from studylib.study.ledger.study import read_study
from studylib.study.site.pages import moved

NUMBER = r"(?:(?<!\d)[−+-])?\d+(?:,\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?"
_FIELD = re.compile(
    r"(?P<source>[\w-]+)(?:#(?P<cell>[\w-]+))?(?:\[(?P<chosen>.+)\])?(?:\.(?P<part>\w+))?"
    r"(?:\s*(?P<sign>[*/])\s*(?P<factor>-?[\d.]+))?"
)
#: What a part of a finding is called in a field, and in the evidence.
_KEYS = {"ours": "value", "of": "count"}
_SPAN = re.compile(rf"\s*({NUMBER})[^;:(…]*?\(({NUMBER}) … ({NUMBER})\)")


class FieldError(ValueError):
    """A field that does not exist, or is not one number."""


def number(text):
    """The first number in a text, with any minus sign."""
    return float(re.search(NUMBER, text).group().replace(",", "").replace("−", "-"))


def short(name):
    """What a notebook is called in a field: "07", "10a" or "lesson_2"."""
    return re.match(r"lesson_\d+|\d+[a-z]?(?![^\W_])|\w+", name).group()


class Fields:
    """The fields of one report of a study.

    Parameters
    ----------
    folder : path-like, of the study
    profile : str
    """

    def __init__(self, folder, profile="paper"):
        self.study = read_study(Path(folder))
        self.report = Path(folder) / "reports" / profile
        self.notebooks = {short(name): name for name in self.study.notebooks}

    def value(self, field):
        """The number that a field names.

        Raises
        ------
        FieldError
            If there is none, or more than one.
        """
        terms = re.split(r" ([+-]) (?![^\[]*\])", field)  # no sign within brackets
        if len(terms) > 1:
            signs = [1, *(1 if sign == "+" else -1 for sign in terms[1::2])]
            return sum(s * self.value(term) for s, term in zip(signs, terms[::2], strict=True))
        match = _FIELD.fullmatch(field)
        if not match:
            raise FieldError(f"{field!r} is no field.")
        source, cell, chosen, part, factor = match.group("source", "cell", "chosen", "part", "factor")
        if source == "report":
            found = sum(self._of_stamp(name, part) for name in self.study.notebooks)
        elif source == "ledger":
            found = self._count(chosen)
        elif source in self.study.ledger.claims:
            found = self._of_verdict(source, chosen, part or "ours")
        elif source not in self.notebooks:
            raise FieldError(f"{field!r}: there is no claim and no notebook {source!r}.")
        elif cell:
            found = self._of_output(field, self.notebooks[source], cell, chosen, part or "ours")
        elif chosen:
            found = self._of_results(self.notebooks[source], chosen)
        else:
            found = self._of_stamp(self.notebooks[source], part)
        if not factor:
            return found
        return found * float(factor) if match["sign"] == "*" else found / float(factor)

    @cache  # noqa: B019 - one object for a whole check
    def _json(self, path):
        try:
            return json.loads((self.report / path).read_text(encoding="utf-8"))
        except FileNotFoundError as error:
            raise FieldError(f"there is no {path} in {self.report}.") from error

    @cached_property
    def verdicts(self):
        return self._json("evidence.json")["claims"]

    def _count(self, chosen):
        """How many claims have all these properties: source, nature, verdict, amended, published, …"""
        wanted = set(chosen.split("; ")) if chosen else set()
        wanted.discard("all")
        seen = set()
        total = 0
        for claim in self.study.ledger.claims.values():
            folder = next(n for n, s in self.study.ledger.sources.items() if s.short == claim.source)
            verdict = self.verdicts.get(claim.id, {}).get("verdict", "planned")
            origin = "own" if claim.place == "ours" else "published"
            has = {
                folder,
                claim.counted_as,
                verdict,
                origin,
                moved(claim.amended[0]["first_verdict"] if claim.amended else None, verdict),
            }
            later = {key for key in ("amended", "added") if getattr(claim, key)}
            has |= later or {"as first written"}
            has |= {key for key in ("ours", "choices") if getattr(claim, key)}
            seen |= has
            total += wanted <= has
        if wanted - seen:
            raise FieldError(f"no claim is {', '.join(sorted(wanted - seen))}.")
        return total

    def _of_verdict(self, claim, chosen, part):
        entry = self.verdicts.get(claim)
        if entry is None:
            raise FieldError(f"{claim!r} has no verdict.")
        parts = entry["parts"]
        answers = findings.answers([findings.Part(p["outcome"], set=p.get("set", "")) for p in parts])
        counts = {"refuted": False, "undecided": None}
        if part in counts:
            return sum(answer is counts[part] for answer in answers.values())
        if chosen is None and len(answers) > 1:
            return {"ours": sum(answer is True for answer in answers.values()), "of": len(answers)}[part]
        its_claim = self.study.ledger.claims[claim]
        if chosen is None or its_claim.kind != "question":  # an answer is a sentence, which the ledger gives
            found = parts[:1] if chosen is None else _named([*parts, *entry.get("beside", [])], chosen[1:-1])
            value = found[0].get(_KEYS.get(part, part)) if found else None
            if isinstance(value, (int, float)):
                shares = part == "ours" and chosen is None and its_claim.kind == "share"
                return value * found[0]["count"] if shares else value
        said = [sentences.in_a_line(its_claim, entry), sentences.reason(its_claim, entry)]
        said += [number_text(one["value"]) for one in parts if isinstance(one.get("value"), list)]
        return _in_text("; ".join(said), chosen, part, claim)

    def _of_results(self, name, metric):
        metrics = self._json(f"results/{name}.json")["metrics"]
        if metric not in metrics:
            raise FieldError(f"{name} has no metric {metric!r}.")
        return metrics[metric]["value"]

    def _of_stamp(self, name, part):
        stamp = self._json(f"stamps/{name}.json")
        known = {"minutes": stamp["computing_s"] / 60, "memory": stamp["peak_memory_mib"] / 1024}
        tasks = stamp["tasks"].values()
        known |= {"tasks": sum(t["n"] for t in tasks), "seconds": sum(t["seconds"] for t in tasks)}
        found = (known | stamp["inputs"]["parameters"]).get(part)
        if not isinstance(found, (int, float)):
            raise FieldError(f"{name} has no number {part!r}.")
        return found

    def _of_output(self, field, name, cell, chosen, part):
        tables, text = self._shown(name, cell)
        if chosen is None or chosen[0] in "\"'":
            return _in_text(text, chosen, part, f"{name}#{cell}")
        wanted = set(chosen.split("; "))
        cells = [value for table in tables for value, labels in table if wanted <= labels]
        if part in ("yes", "no"):
            return cells.count(part)
        cells = [value for value in cells if re.search(r"\d", value)]
        if part in ("least", "most") and cells:
            return (min if part == "least" else max)(map(number, cells))
        if len(cells) != 1:
            raise FieldError(f"{field!r}: {len(cells)} cells of that table have these labels.")
        return _in_text(cells[0], None, part, field)

    @cache  # noqa: B019 - one object for a whole check
    def _shown(self, name, cell):
        """The tables of a cell's outputs, each a list of values with their labels, and its text."""
        notebook = self._json(f"notebooks/{name}.ipynb")
        outputs = next((c.get("outputs", []) for c in notebook["cells"] if c.get("id") == cell), None)
        if outputs is None:
            raise FieldError(f"{name} has no cell {cell!r}.")
        tables, text = [], []
        for output in outputs:
            data = output.get("data", {})
            if "<table" in "".join(data.get("text/html", "")):
                tables += map(_cells, BeautifulSoup("".join(data["text/html"]), "html.parser")("table"))
            elif output["output_type"] == "stream":
                text.append("".join(output["text"]))
            else:
                text.append("".join(data.get("text/markdown", data.get("text/plain", ""))))
        return tables, "\n".join(text)


def _in_text(text, chosen, part, where):
    """The number at the beginning of a text, or behind the words in quotes; or an end of its interval."""
    if chosen:
        for words in chosen[1:-1].split(" … "):  # one behind the other
            behind = text.partition(words)[2]
            if not behind:
                raise FieldError(f"{where} does not say {words!r}: {text[:200]!r}.")
            text = behind
    if part in ("low", "high"):
        span = re.search(rf"({NUMBER}) (?:…|to) ({NUMBER})", text) if not chosen else _SPAN.search(text)
        if not span:
            raise FieldError(f"{where} has no interval there: {text[:80]!r}.")
        return number(span.groups()[-2 if part == "low" else -1])
    if part == "of":
        found = re.search(rf"{NUMBER} of ({NUMBER})", text)
        text = found.group(1) if found else ""
    elif part != "ours":
        raise FieldError(f"{where}: a value has the parts ours, low, high and of, not {part!r}.")
    if not re.search(NUMBER, text):
        raise FieldError(f"{where} shows no number there.")
    return number(text)


def _named(parts, words):
    """The parts whose names hold these words, one of exactly that name first."""
    wanted = [one.strip(" :;") for one in words.split(" … ")]
    labels = [(f"{part.get('set', '')}: {part.get('name', '')}".strip(": "), part) for part in parts]
    exact = [part for label, part in labels if wanted == [label]]
    return exact or [part for label, part in labels if all(one in label for one in wanted)]


def _cells(table):
    """The cells of an HTML table, each with its labels: those of its column, and its row's others."""
    grid = {}
    rows = table("tr")
    for y, row in enumerate(rows):
        x = 0
        for cell in row(["th", "td"]):
            while (y, x) in grid:
                x += 1
            for down in range(int(cell.get("rowspan", 1))):
                for right in range(int(cell.get("colspan", 1))):
                    grid[y + down, x + right] = (cell.get_text(" ", strip=True), cell.name)
            x += int(cell.get("colspan", 1))
    heads = {y for y, row in enumerate(rows) if not row("td") and "group" not in row.get("class", [])}
    width = 1 + max(x for _, x in grid)
    found, group = [], set()  # rows below the heading of a group have its label, too
    for y in sorted({y for y, _ in grid} - heads):
        if "group" in rows[y].get("class", []):
            group = {grid[y, 0][0]}
        for x in range(width):
            text, kind = grid.get((y, x), ("", ""))
            if kind == "td":
                labels = {grid[h, x][0] for h in heads if (h, x) in grid}
                labels |= {grid[y, other][0] for other in range(width) if other != x and (y, other) in grid}
                found.append((text, (labels | group) - {""}))
    return found
