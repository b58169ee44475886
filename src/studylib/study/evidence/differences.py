"""Compare two reports, such as one that another machine computed: verdicts, metrics and results of tasks.

Either may be damaged or hostile, so its files are read by ``untrusted`` only.  It is ``verifier`` that
compares them with their hashes.
"""

import math
import operator
import os
from functools import partial

from studylib.core.text import shorten
from studylib.study.evidence import untrusted
from studylib.study.evidence.untrusted import MOST_BYTES, MOST_PARSED, visible
from studylib.study.evidence.verifier import EVIDENCE
from studylib.study.shapes import Refused, fits, parsed
from studylib.study.store import canonical, read_entry

_TWO = ("first", "second")
#: Rows of a table, tasks of a notebook and characters of a text that are shown.
_ROWS, _TASKS, _WIDTH = 20, 3, 60
_MANIFEST = {
    **dict.fromkeys(("study", "profile", "ledger_sha256"), str),
    "files": {...: str},
    "claims": {...: {"notebook": str, "rule_sha256": str, "verdict": str}},
}
_RESULTS = {"metrics": {...: {"value": float, "tolerance": float}}}


def differences(folders, timed, notebook=None):
    """Lines on how the reports in two folders differ, and whether each verdict is in both and the same.

    ``timed`` has by notebook the tasks that rest on time, which differ from run to run.  With ``notebook``,
    only what that one found is compared.
    """
    reports = [_Report(folder) for folder in folders]
    first, second = (report.manifest for report in reports)
    lines = [
        f"Not the same {key}: {_short(first[key])} and {_short(second[key])}."
        for key in ("study", "profile")
        if first[key] != second[key]
    ]
    if first["ledger_sha256"] != second["ledger_sha256"]:
        rules = _Compared(*(report.claims("rule_sha256", notebook) for report in reports))
        lines.append(f"Not the same ledger; {rules.said_of('rule')}.")
    verdicts = _Compared(*(report.claims("verdict", notebook) for report in reports))
    lines += [verdicts.said_of("verdict"), *_table(("claim", *_TWO), verdicts.rows())]
    known = set().union(*(report.notebooks for report in reports))
    if notebook not in (None, *known):
        raise ValueError(f"diff: neither report has results of {notebook}.")
    names = sorted(known) if notebook is None else [notebook]
    lines += _metric_lines(
        *({n: report.read(f"results/{n}.json", _metrics) for n in names} for report in reports)
    )
    rows, examples = [], []
    for name in names:
        both = [report.read(f"tasks/{name}.jsonl", _results_of_tasks) for report in reports]
        tasks = _Compared(*({k: v for k, v in of.items() if k[0] not in timed.get(name, ())} for of in both))
        n_timed = len(both[0].keys() | both[1].keys()) - tasks.total
        if tasks.total or n_timed:
            rows.append((name, tasks.n_same, len(tasks.differ), *map(len, tasks.alone), n_timed))
        for (task, key), *texts in tasks.rows()[: min(_TASKS, len(tasks.differ))]:
            differ = next((k for k, (a, b) in enumerate(zip(*texts, strict=False)) if a != b), 0)
            start = max(0, differ - _WIDTH // 3)
            examples.append(f"  {name}: {task} for {_short(key)}")
            examples += (f"    {'…' * (start > 0)}{_short(text[start:])}" for text in texts)
    lines += _table(("tasks of", "same", "differ", "only first", "only second", "timed"), rows, len(rows))
    lines += ["tasks that differ, the first few, with both results:", *examples] if examples else []
    return [visible(line) for line in lines], verdicts.n_same == verdicts.total


class _Report:
    """What a report says; ValueError, one sentence, where that cannot be read."""

    def __init__(self, folder):
        self._folder, self._bytes_left = folder, MOST_BYTES
        self.manifest = self.read(EVIDENCE, partial(_json, shape=_MANIFEST))
        results = [name for name in self.manifest["files"] if name.startswith("results/")]
        self.notebooks = [name.removeprefix("results/").removesuffix(".json") for name in results]

    def claims(self, what, notebook=None):
        """By claim its verdict or another text; those of one notebook, or all."""
        claims = self.manifest["claims"].items()
        return {name: of[what] for name, of in claims if notebook in (None, of["notebook"])}

    def read(self, name, understand):
        """What is in a file; an empty dict if the report has none of that name."""
        if name != EVIDENCE and name not in self.manifest["files"]:
            return {}
        try:
            with untrusted.opened(self._folder, name) as file:
                self._bytes_left -= os.fstat(file.fileno()).st_size
                if self._bytes_left < 0:
                    raise Refused(f"all files of a report may have {MOST_BYTES // 10**6} MB together")
                return understand(file)
        except Exception as error:  # a hostile file may raise anything
            why = shorten(visible(untrusted.reason(error)), 200)
            raise ValueError(f"diff: {self._folder}: {visible(name)} cannot be read ({why}).") from error


def _json(file, shape):
    content = file.read(MOST_PARSED + 1)
    if len(content) > MOST_PARSED:
        raise Refused(f"it may have {MOST_PARSED / 10**6:g} MB")
    table = parsed(content)
    if not fits(table, shape):
        raise Refused("it is not of the form that studylib writes")
    return table


def _metrics(file):
    """By name, value and tolerance."""
    metrics = _json(file, _RESULTS)["metrics"]
    pairs = {name: (float(of["value"]), float(of["tolerance"])) for name, of in metrics.items()}
    if not all(math.isfinite(number) for pair in pairs.values() for number in pair):
        raise Refused("a metric is not finite")
    return pairs


def _results_of_tasks(file):
    """By task and key, the result; key and result are canonical texts."""
    results = {}
    for number, line in enumerate(iter(lambda: file.readline(MOST_PARSED), b""), start=1):
        entry = read_entry(line)
        if entry is None:
            raise Refused(f"line {number} has not the checksum of what it says")
        if "result" in entry:  # others failed
            results[entry["task"], canonical(entry["key"])] = canonical(entry["result"])
    return results


class _Compared:
    """Two dicts: how many entries are the same, which keys ``differ``, and which are in one ``alone``."""

    def __init__(self, first, second, alike=operator.eq):
        self.first, self.second, self.both = first, second, first.keys() & second.keys()
        self.differ = sorted(key for key in self.both if not alike(first[key], second[key]))
        self.alone = sorted(first.keys() - self.both), sorted(second.keys() - self.both)
        self.n_same, self.total = len(self.both) - len(self.differ), len(first.keys() | second.keys())

    def said_of(self, what):
        """``"3 rules: 1 the same, 1 differs, 1 only in the second"``."""
        n, total = len(self.differ), self.total
        counts = [f"{self.n_same} the same", f"{n} differ{'s' * (n == 1)}"]
        counts += [f"{len(k)} only in the {i}" for k, i in zip(self.alone, _TWO, strict=True) if k]
        return f"{total} {what}{'s' * (total != 1)}: {', '.join(counts)}"

    def rows(self):
        """Each key whose entries are not the same, with both entries; those that are in both come first."""
        keys = [*self.differ, *self.alone[0], *self.alone[1]]
        return [(key, self.first.get(key, "–"), self.second.get(key, "–")) for key in keys]


def _metric_lines(*reports):
    """Lines on metrics, by notebook and name; those that are relatively the farthest apart come first."""
    named = ({(n, name): pair for n, of in report.items() for name, pair in of.items()} for report in reports)
    metrics = _Compared(*named, alike=lambda a, b: abs(a[0] - b[0]) <= min(a[1], b[1]))
    pairs = {k: (metrics.first[k][0], metrics.second[k][0]) for k in metrics.both}
    apart = {k: abs(a - b) / (max(abs(a), abs(b)) or 1) for k, (a, b) in pairs.items()}
    most = f"; largest relative difference {max(apart.values()):.2g}" if any(apart.values()) else ""
    yield metrics.said_of("metric") + most
    differ = sorted(metrics.differ, key=lambda k: -apart[k])
    rows = [(*k, *pairs[k], f"{apart[k]:.2g}") for k in differ]
    yield from _table(("notebook", "metric", *_TWO, "relative difference"), rows)


def _table(head, rows, most=_ROWS):
    """Lines of a table in columns; none without rows."""
    shown = [[_short(str(cell)) for cell in row] for row in (head, *rows[:most])]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    lines = ["  " + "  ".join(map(str.ljust, row, widths)).rstrip() for row in shown] if rows else []
    return [*lines, f"  … and {len(rows) - most} more"] if len(rows) > most else lines


def _short(text):
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 1]}…"
