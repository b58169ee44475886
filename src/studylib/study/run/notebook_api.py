"""What a notebook calls: load data, compute tasks, hand over measurements, write everything down."""

import html
import logging
import math
import time
from dataclasses import asdict
from functools import cached_property

from studylib.core.data import DataNotAvailableError
from studylib.core.files import write_json
from studylib.study import rules
from studylib.study.cards import sentences
from studylib.study.cards.card import Card, claim_line, facts, markup
from studylib.study.evidence.verdicts import tally
from studylib.study.freshness.keys import default_parameters, task_context
from studylib.study.freshness.stamps import versions
from studylib.study.ledger.choices import choice_in_the_measurement, main_of_the_measurement
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.rule_table import by_function
from studylib.study.ledger.study import SMOKE, current_study
from studylib.study.measured import plain, tidy
from studylib.study.run.context import current_context
from studylib.study.run.executor import map_tasks, task_name
from studylib.study.run.memory import PeakMemory
from studylib.study.run.progress import TaskProgress
from studylib.study.store import Store, TaskFile


class Shown:
    """What a notebook says: HTML where it can be, else a line of text."""

    def __init__(self, text, markup):
        self._text, self._markup = text, markup

    def __repr__(self):
        return self._text

    def _repr_html_(self):
        return self._markup


class Run:
    """One execution of a notebook: its data, the claims it judges, the metrics it reports.

    It also puts the study's folders first on ``sys.path`` and the study's root into ``$STUDYLIB_STUDY``,
    until the kernel ends: so import the study's own modules after it.

    Parameters
    ----------
    name : str
        The notebook's name, such as ``"07_mushroom_trees"``.
    profile : str
        One of the study's profiles; ``"smoke"`` shows values and gives no verdicts.
    parameters : dict or None
        The notebook's variables, in which its parameters are looked up whenever a claim is judged: with
        others than those of the profile there is no verdict.  By default the variables of the kernel.

    Examples
    --------
    >>> from studylib.study import Run
    >>> run = Run("lesson_2_depth")
    >>> run.profile, run.data
    ('smoke', 'real')
    """

    def __init__(self, name, profile=SMOKE, parameters=None):
        self.study = current_study().use()
        self.profile = self.study.check_profile(profile)
        self.notebook = self.study.notebook(name)
        self.simulated = []
        self._context = current_context()
        if not self._context.by_hand:
            # A kernel that is told to end speaks of its unfinished tasks, into the runner's line.
            logging.getLogger("asyncio").setLevel(logging.CRITICAL)
        self._layout = Layout(profile, by_hand=self._context.by_hand)
        defaults = default_parameters(self.notebook.path) if self.notebook.path.is_file() else {}
        self._parameters = {**defaults, **self.notebook.parameters_for(profile)}
        self._variables = _variables_of_the_kernel() if parameters is None else parameters
        self._memory = PeakMemory()
        self._mapping_s = 0.0
        self._tasks = {}
        self._used = []
        self._claims = {}
        self._entries = {}
        self._metrics = {}

    def load(self, loader, otherwise):
        """Real data from ``loader()``, or the stand-in ``otherwise()``, announced, if it is not available.

        With a stand-in, every claim that needs the real data ends as "not testable".
        """
        try:
            return loader()
        except DataNotAvailableError as error:
            stand_in = otherwise()
            self.simulated.append(loader.__name__.removeprefix("load_"))
            notice = "Stand-in data, simulated or bundled."
            block = f'<div class="notice"><strong>{notice}</strong> {html.escape(str(error))}</div>'
            _display(Shown(f"{notice.upper()} {error}", block))
            return stand_in

    @property
    def data(self):
        """``"real"`` or ``"simulated"``."""
        return "simulated" if self.simulated else "real"

    def judge(self, claim_id, measured=None, beside=None, by_choice=None):
        """Hand over what was measured about a claim, and show what the ledger's rule says about it.

        Parameters
        ----------
        claim_id : str
            An id of the ledger that this notebook lists in ``study.toml``.
        measured : number, string, list, array, Series or dict
            The measurement alone: a number; runs, one number per replicate; paired runs
            ``{"first": runs, "second": runs}``; curves ``{"steps": steps, "runs": rows}``; a count
            ``{"true": k, "of": n}``; or a dict of several sets with one of these each.
        beside : dict or None
            Numbers, runs or strings to show as a remark; they are never judged.
        by_choice : dict or None
            Of a claim with a choice that is made in the measurement: for each of its values, as in the
            ledger, a measurement as above, in place of ``measured``.  That of the main value is needed.
        """
        claim = self.study.ledger.claims.get(claim_id)
        if claim is None or claim_id not in self.notebook.claims:
            where = "the ledger" if claim is None else f"the claims of {self.notebook.name}"
            allowed = ", ".join(self.notebook.claims) or "none"
            raise ValueError(f"judge: {claim_id!r} is not in {where}; allowed are {allowed}.")
        try:
            given = {"beside": plain(beside or {}), "stand_in": bool(self.simulated)}
            if by_choice is not None:
                given["by_choice"] = {str(value): plain(of) for value, of in by_choice.items()}
                measured = given["by_choice"][main_of_the_measurement(claim, given["by_choice"])]
            given["measured"] = plain(measured)
            entry = rules.outcome(asdict(claim), given, self.profile, by_function)
        except (ValueError, KeyError, ArithmeticError) as error:
            raise ValueError(f"judge: {claim_id!r}: {error}") from error
        changed = self._changed_parameters()
        if changed and entry["verdict"] != rules.SHOWN:
            note = {"why": "other parameters", "names": changed, "profile": self.profile}
            entry |= {"verdict": rules.SHOWN, "note": note}
        self._claims[claim_id] = given
        self._entries[claim_id] = entry
        shown = Shown(claim_line(claim, entry), markup(Card(**facts(claim, entry))))
        _display(shown, {"claim": claim_id})

    def choices(self, claim_id):
        """The values of the choice that is made in a claim's measurement, a list, the main one first."""
        choice = choice_in_the_measurement(self.study.ledger.claims[claim_id])
        return sorted(choice["values"], key=lambda value: value != choice["main"])

    def _changed_parameters(self):
        """Names of parameters that are not those of the profile: somebody runs the notebook by hand."""
        missing = object()
        return [n for n, value in self._parameters.items() if self._variables.get(n, missing) != value]

    def map(self, function, keys, *, jobs=None):
        """Compute ``function(key, seed)`` for every key, resumably; results in the keys' order.

        A result is kept in ``tasks`` in the profile's report folder as soon as it is available, so a run that
        is killed resumes where it stopped.  A task that raises does not stop the others; it is tried
        again in the next run.  A worker that dies (out of memory, say) takes only its own task with it, and
        that one is tried again.  A bar shows the progress; executor and time limit are the runner's.

        Parameters
        ----------
        function : callable ``(key, seed) -> plain data``
            It must be what its module has under its own name, because results are stored under both: a
            method, a lambda, a partial object or a function of a notebook is refused.
        keys : iterable of plain data (dict, list, str, number), without repetition
            A task's name and key say all that its result depends on; its seed, an int below 2**32, derives
            from the key.
        jobs : int or None
            Tasks at the same time on this machine, by default what the runner was given, or 1; a cluster
            uses all of its workers.

        Returns
        -------
        list

        Raises
        ------
        ValueError
            If an argument is not as above.
        TaskError
            If tasks failed, after all others are done; it names the first.  Its kinds TimeLimitError and
            ExecutorError: if the time limit passed, or the cluster cannot be used (any longer).
        StorageError
            If a result cannot be written, as on a full disk.
        """
        started = time.perf_counter()
        layout = self._layout
        task = task_name(function)
        notebook = self.notebook
        context = task_context(function.__module__, notebook.data, notebook.uses, notebook.path.parent)
        store = Store(self._file, context.hash)
        keys = list(keys)
        deadline = self._context.deadline
        with TaskProgress(layout.work(f"{notebook.name}.tasks"), function.__name__, len(keys)) as tell:
            results = map_tasks(
                function,
                keys,
                store,
                jobs=self._context.jobs if jobs is None else jobs,
                executor=self._context.executor,
                timeout=max(deadline - time.monotonic(), 1e-3) if deadline else None,
                tell=tell,
                say=tell.say,
                files=context.files,
                parts=context.parts,
                data=notebook.data,
            )
        self._note_tasks(task, store, keys)
        self._mapping_s += time.perf_counter() - started
        return results

    def frame(self, function, keys, levels=(), **options):
        """Compute ``function(key, seed)`` for every key, as :meth:`map` does, and give one table.

        A row per key has the key's entries as columns and then the result's; where both have an entry, the
        result's stands.  A dict in a result gives a column for each of its entries, one inside it
        "outer: inner"; a list is one cell (``DataFrame.explode`` makes rows of it); a result that is no dict
        is the column "value".  None is NaN among numbers.

        Parameters
        ----------
        function : callable ``(key, seed) -> plain data``
        keys : iterable of dict
        levels : sequence of str
            Names for the outer levels of nested results: dicts, by their keys, or lists, by position.  Each
            is a column, and every entry of the last level has a row.
        **options
            As of :meth:`map`.

        Returns
        -------
        DataFrame
        """
        keys = list(keys)
        return tidy(keys, self.map(function, keys, **options), levels)

    @cached_property
    def _file(self):
        """Results of the notebook's tasks, read once; by hand, those of the report may be used, too."""
        name = self.notebook.name
        fallback = Layout(self.profile).tasks(name) if self._layout.by_hand else None
        return TaskFile(self._layout.tasks(name), fallback)

    def _note_tasks(self, task, store, keys):
        """Keep what the stamp says of the tasks: their context, their time, and what was confirmed."""
        new = {"context": store.context, "n": 0, "seconds": 0.0, "confirmed": 0, "samples": []}
        noted = self._tasks.setdefault(task, new)
        for key in keys:
            entry = store.entry(task, key)
            self._used.append((task, store.context, key))
            noted["n"] += 1
            noted["seconds"] = round(noted["seconds"] + entry["seconds"], 4)
            confirmed = entry.get("confirmed")
            if confirmed:
                noted["confirmed"] += 1
                if confirmed not in noted["samples"]:
                    noted["samples"].append(confirmed)

    def metric(self, name, value, tolerance=0.0):
        """Note a number that regression tests compare, up to ``tolerance``."""
        if not math.isfinite(value):
            raise ValueError(f"metric: {name!r} must be a finite number, got {value}.")
        self._metrics[name] = {"value": float(value), "tolerance": float(tolerance)}
        return value

    def table(self):
        """The claims judged so far as a DataFrame: place, statement, both values, verdict, reason."""
        import pandas as pd  # takes half a second, and not every notebook needs it

        rows = {}
        for claim_id, entry in self._entries.items():
            claim = self.study.ledger.claims[claim_id]
            rows[claim_id] = {
                "place": claim.place,
                "statement": claim.statement,
                "source": claim.value,
                "ours": sentences.in_a_line(claim, entry),
                "verdict": entry["verdict"],
                "reason": sentences.reason(claim, entry),
            }
        return pd.DataFrame.from_dict(rows, orient="index")

    def results(self):
        """Everything that was measured so far, as plain data."""
        return {
            "notebook": self.notebook.name,
            "profile": self.profile,
            "data": self.data,
            "simulated": self.simulated,
            "claims": self._claims,
            "metrics": self._metrics,
        }

    def finish(self):
        """Check that every listed claim was measured, and write the results down.

        A notebook that is run by hand writes them beside the report, not into it.
        """
        name = self.notebook.name
        left = [claim for claim in self.notebook.claims if claim not in self._claims]
        if left:
            raise ValueError(f"finish: {name} has not judged {', '.join(left)}.")
        if not self._layout.by_hand:
            self._file.keep(self._used)
        write_json(self._layout.results(name), self.results())
        usage = {
            "peak_memory_mib": self._memory.stop(),
            "mapping_s": round(self._mapping_s, 3),
            "tasks": self._tasks,
            "versions": versions(self._context.packages),
        }
        write_json(self._layout.usage(name), usage)
        line = f"{len(self._claims)} claims: {tally(self._entries.values())}" if self._claims else "no claims"
        if self._layout.by_hand and self.profile != SMOKE:
            line += " (run by hand, so the report stays as it is)"
        return Shown(line, f"<p>{html.escape(line)}</p>")


def _variables_of_the_kernel():
    from IPython import get_ipython  # needed in notebooks only

    shell = get_ipython()
    return {} if shell is None else shell.user_ns


def _display(shown, metadata=None):
    from IPython.display import display  # needed in notebooks only

    display(shown, metadata=metadata)
