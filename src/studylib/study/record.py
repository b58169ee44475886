"""What a notebook calls: load data, judge claims, note metrics, write both down."""

import html
import json
import os
import sys

import pandas as pd

from studylib.core.data import DataNotAvailableError
from studylib.core.files import write_json
from studylib.study import rules
from studylib.study.executor import map_tasks, task_name
from studylib.study.keys import task_context
from studylib.study.paths import Layout
from studylib.study.progress import TaskProgress
from studylib.study.store import Store
from studylib.study.study import SMOKE, current_study

#: Environment variable with the number of jobs that a notebook may use.
JOBS_VARIABLE = "STUDYLIB_JOBS"

_SIGNS = {
    rules.REPRODUCED: "✓",
    rules.PARTLY: "◐",
    rules.NOT_REPRODUCED: "✗",
    rules.INCONCLUSIVE: "◇",
    rules.NOT_TESTABLE: "–",
}


class Shown:
    """A short line in a notebook: HTML where it can be, else text."""

    def __init__(self, text, markup):
        self._text, self._markup = text, markup

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        return self._markup


class Run:
    """One execution of a notebook: its data, the claims it judges, the metrics it reports.

    It also makes the study's own modules importable, so import them after it.

    Parameters
    ----------
    name : str
        The notebook's name, such as ``"07_mushroom_trees"``.
    profile : str
        One of the study's profiles; ``"smoke"`` shows values and gives no verdicts.
    """

    def __init__(self, name, profile=SMOKE):
        self.study = current_study().use()
        self.profile = self.study.check_profile(profile)
        self.notebook = self.study.notebook(name)
        self.simulated = []
        self._tasks = {}
        self._claims = {}
        self._metrics = {}

    def load(self, loader, otherwise):
        """Real data from ``loader()``, or the stand-in ``otherwise()``, announced, if it is not available.

        With a stand-in, every claim that needs the real data ends as "not testable".
        """
        try:
            return loader()
        except DataNotAvailableError as error:
            found = otherwise()
            self.simulated.append(loader.__name__.removeprefix("load_"))
            _display(
                Shown(
                    f"SIMULATED DATA. {error}",
                    f'<div class="notice"><strong>Simulated data.</strong> {html.escape(str(error))}</div>',
                )
            )
            return found

    @property
    def data(self):
        """``"real"`` or ``"simulated"``."""
        return "simulated" if self.simulated else "real"

    def judge(self, claim_id, judgement, *, needs_data=True):
        """Enter a claim into the ledger, and show the outcome in the notebook.

        Parameters
        ----------
        claim_id : str
            An id of the ledger that this notebook lists in ``study.toml``.
        judgement : Judgement
            From one of the functions of :mod:`studylib.study.rules`; it must be of the claim's kind.
        needs_data : bool
            Whether the claim is about the real data set; if so, a simulated one cannot decide it.
        """
        claim = self.study.ledger.claims.get(claim_id)
        if claim is None or claim_id not in self.notebook.claims:
            where = "the ledger" if claim is None else f"the claims of {self.notebook.name}"
            raise ValueError(f"judge: {claim_id!r} is not in {where}.")
        if claim.kind not in judgement.kinds:
            raise ValueError(
                f"judge: {claim_id!r} is of kind {claim.kind!r} in the ledger, but was judged as "
                f"{' or '.join(judgement.kinds)}."
            )
        entry = {
            "verdict": judgement.verdict,
            "ours": judgement.ours,
            "interval": judgement.interval,
            "reason": judgement.reason,
        }
        if needs_data and self.simulated:
            entry = {"verdict": rules.NOT_TESTABLE, "ours": "", "interval": "", "reason": "real data absent"}
        elif self.profile == SMOKE:
            entry["verdict"] = rules.SHOWN
        self._claims[claim_id] = entry
        _display(_claim_line(claim, entry))

    def map(self, function, keys, *, jobs=None, prefer="processes"):
        """Compute ``function(key, seed)`` for every key, resumably; see :func:`map_tasks`.

        Results are kept below the profile's report folder; a bar shows the progress.

        Parameters
        ----------
        function, keys, prefer
            As in :func:`studylib.study.executor.map_tasks`.
        jobs : int or None
            By default what the runner was given, or 1.
        """
        layout = Layout(self.profile)
        task = task_name(function)
        context = task_context(function.__module__, function.__qualname__, self.notebook)
        store = Store(layout.store, context.hash)
        jobs = int(os.environ.get(JOBS_VARIABLE, 1)) if jobs is None else jobs
        keys = list(keys)
        with TaskProgress(layout.work(self.notebook.name), function.__name__, len(keys)) as tell:
            found = map_tasks(function, keys, store, jobs=jobs, prefer=prefer, tell=tell, files=context.files)
        self._note_tasks(task, store, keys)
        return found

    def _note_tasks(self, task, store, keys):
        """Keep what the stamp says of the tasks: their context, number and time, and what was confirmed."""
        noted = self._tasks.setdefault(
            task, {"context": store.context, "n": 0, "seconds": 0.0, "confirmed": 0, "samples": []}
        )
        for key in keys:
            noted["n"] += 1
            noted["seconds"] = round(noted["seconds"] + store.wall_time(task, key), 4)
            confirmed = store.entry(task, key).get("confirmed")
            if confirmed:
                noted["confirmed"] += 1
                if confirmed not in noted["samples"]:
                    noted["samples"].append(confirmed)

    def metric(self, name, value, tolerance=0.0):
        """Note a number that regression tests compare, up to ``tolerance``."""
        self._metrics[name] = {"value": float(value), "tolerance": float(tolerance)}
        return value

    def table(self):
        """The claims judged so far as a DataFrame: place, statement, both values, verdict, reason."""
        rows = {}
        for claim_id, entry in self._claims.items():
            claim = self.study.ledger.claims[claim_id]
            ours = entry["ours"] + (f" ({entry['interval']})" if entry["interval"] else "")
            rows[claim_id] = {
                "place": claim.place,
                "statement": claim.statement,
                "source": claim.value,
                "ours": ours,
                "verdict": entry["verdict"],
                "reason": entry["reason"],
            }
        return pd.DataFrame.from_dict(rows, orient="index")

    def results(self):
        """Everything reported so far, as plain data."""
        return {
            "notebook": self.notebook.name,
            "profile": self.profile,
            "data": self.data,
            "simulated": self.simulated,
            "claims": self._claims,
            "metrics": self._metrics,
        }

    def finish(self):
        """Check that every listed claim was judged, and write the results down."""
        name = self.notebook.name
        left = [c for c in self.notebook.claims if c not in self._claims]
        if left:
            raise ValueError(f"finish: {name} has not judged {', '.join(left)}.")
        layout = Layout(self.profile)
        write_json(layout.results(name), self.results())
        write_json(layout.usage(name), {"peak_memory_mib": _peak_memory(), "tasks": self._tasks})
        counts = {}
        for entry in self._claims.values():
            counts[entry["verdict"]] = counts.get(entry["verdict"], 0) + 1
        said = ", ".join(f"{counts[v]} {v}" for v in rules.VERDICTS if v in counts)
        return Shown(
            f"{len(self._claims)} claims: {said}", f"<p>{len(self._claims)} claims: {html.escape(said)}</p>"
        )


def load_results(layout, name):
    """The results that a notebook wrote, or None if there are none that can be read."""
    try:
        found = json.loads(layout.results(name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    whole = isinstance(found, dict) and all(
        isinstance(found.get(part), kind)
        for part, kind in (("claims", dict), ("metrics", dict), ("simulated", list), ("data", str))
    )
    return found if whole else None


def _claim_line(claim, entry):
    ours = entry["ours"] + (f" ({entry['interval']})" if entry["interval"] else "")
    text = f"{claim.id} [{claim.place}] {claim.statement} | source {claim.value} | ours {ours or '–'}"
    reason = f" – {html.escape(entry['reason'])}" if entry["reason"] else ""
    markup = (
        f'<div class="claim" id="claim-{claim.id}" data-verdict="{entry["verdict"]}">'
        f'<span class="verdict">{_SIGNS.get(entry["verdict"], "·")} {entry["verdict"]}</span> '
        f"<em>{html.escape(claim.place)}</em>: {html.escape(claim.statement)}. "
        f"Source: <strong>{html.escape(claim.value)}</strong>; ours: <strong>{html.escape(ours or '–')}"
        f"</strong>{reason}</div>"
    )
    return Shown(
        f"{text} | {entry['verdict']}" + (f" – {entry['reason']}" if entry["reason"] else ""), markup
    )


def _display(shown):
    from IPython.display import display  # needed in notebooks only

    display(shown)


def _peak_memory():
    """Peak resident memory of this process in MiB, or None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (2**20 if sys.platform == "darwin" or os.name != "posix" else 2**10), 1)
