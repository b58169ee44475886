"""Carry stored results over a change of code that must not change them, on the evidence of a sample.

A change of code makes results stale, whatever it does.  Where it was meant to leave them as they are, a
random sample of the stored tasks is computed again with the present code.  If every one of them comes out
bit for bit as it was stored, the others are carried over too, and the provenance says so.  The cells of the
notebooks themselves are executed again, from the stored tasks, and their results must be equal as well.

A stored result may come from a machine that rounds differently.  So a task that gives another result now is
also computed here with the code of the commit that the stamp names.  If both results are equal bit for bit,
the change of code is not the reason, and the stored result stays.

Time differs from run to run.  Tasks and claims that rest on it, which ``study.toml`` names for each notebook,
are neither compared nor carried: they are measured again.

A notebook that is fresh can be asked for by name: then a sample of its tasks is computed again, and nothing
is carried or written.
"""

import contextlib
import importlib
import itertools
import math
import os
import random
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from studylib.core.text import shorten
from studylib.study.earlier import EarlierCodeError, results_of_commit
from studylib.study.evidence.verdicts import load_results, say_forgotten_amendments
from studylib.study.freshness import stamps
from studylib.study.freshness.keys import another_python, changes, notebook_parts, task_context
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from studylib.study.reproduce import children_end_with_us, expected_seconds, only_run
from studylib.study.run.context import Context
from studylib.study.run.execute import execute
from studylib.study.run.executor import map_tasks
from studylib.study.run.progress import Progress, TaskProgress
from studylib.study.run.task import SourceChangedError, TaskError
from studylib.study.site import report
from studylib.study.site.report_model import duration
from studylib.study.store import Store, TaskFile, canonical

#: Of the stored tasks of a notebook, at least this share and at least so many are computed again.
SHARE, FEWEST = 0.05, 20


class _StoredTask(NamedTuple):
    """A function of a task, its name, its stored entries, and the context that it has now."""

    function: object
    name: str
    entries: list
    context: object


class _Sample(NamedTuple):
    """What of a notebook is computed again.

    ``drawn`` has, for each task, a _StoredTask and the entries that were drawn, of ``n_stored`` in all.  The
    cells are executed, too, if the notebook is stale: then ``before`` is the text of its results, else None.
    """

    notebook: object
    stamp: dict
    before: str | None
    file: TaskFile
    stored: list
    drawn: list
    n_stored: int

    @property
    def n_drawn(self):
        return sum(len(entries) for _, entries in self.drawn)

    def expected(self, layout, jobs):
        """Seconds that the drawn entries of each task will take, and then each cell."""
        seconds = [sum(entry["seconds"] for entry in entries) / jobs for _, entries in self.drawn]
        if self.before is None:
            return seconds
        # The last time, cells may have computed all tasks; now they compute those that rest on time.
        tasks, cells = self.stamp["tasks"], expected_seconds(layout, self.notebook)
        rest = max(0, self.stamp["computing_s"] - sum(noted["seconds"] for noted in tasks.values()))
        rest += sum(noted["seconds"] for task, noted in tasks.items() if task in self.notebook.timed) / jobs
        return seconds + [rest * cell / max(sum(cells), 0.01) for cell in cells]


def confirm(profile, names=None, jobs=1, seed=None):
    """Confirm stale notebooks by sample, or those with these names; 1 if one was not confirmed, else 0."""
    study = current_study().use()
    study.check_profile(profile)
    layout = Layout(profile)
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed
    code, problems = 0, {}
    with only_run(layout), children_end_with_us():
        print(f"studylib: confirming the profile {profile} by sample, seed {seed}", flush=True)
        wanted = [n for n in study.notebooks.values() if names is None or n.name in names]
        reasons = stamps.staleness(layout, wanted, profile)
        plans = {n.name: _plan(layout, n, profile, reasons[n.name], names, seed) for n in wanted}
        expected = {n: p.expected(layout, jobs) for n, p in plans.items() if isinstance(p, _Sample)}
        if expected:
            n_drawn = sum(plans[name].n_drawn for name in expected)
            took = duration(math.ceil(sum(map(sum, expected.values()))))
            print(
                f"studylib: {n_drawn} task(s) of {len(expected)} notebook(s) to compute again, about {took} "
                "in all, plus starting and compiling",
                flush=True,
            )
        with contextlib.closing(Progress(expected, layout.work())) as progress:
            for name in list(plans):
                plan = plans.pop(name)  # which may need much memory
                try:
                    if name not in expected:
                        sentence, fine = plan
                    elif plan.before is None:
                        sentence, fine = _compute_again(layout, plan, jobs, progress)
                    else:
                        sentence, fine = _confirm(layout, plan, profile, jobs, seed, progress, problems)
                except (OSError, TaskError, SourceChangedError) as error:
                    sentence, fine = f"NOT confirmed: {error}", False
                if name in expected:
                    progress.notebook_done(name)
                progress.say(f"  {name}: {sentence}", sys.stdout)
                code = code if fine else 1
        if names is None or any(why != [] for why in reasons.values()):
            report.write_report(layout, study, profile, problems)
            code = say_forgotten_amendments(layout, study) or code
    return code


def _plan(layout, notebook, profile, reasons, names, seed):
    """The _Sample of a notebook, or a sentence on why there is none and whether that is as it should be."""
    if reasons is None:
        return "there is no result to confirm; use `studylib reproduce`", False
    if not reasons and names is None:
        return "fresh already", True
    stamp, file = stamps.read(layout, notebook.name), TaskFile(layout.tasks(notebook.name))
    if not reasons:
        stored = _stored_tasks(file, stamp, notebook, changed=False)
        drawn, n_stored = _draw(stored, notebook, seed)
        if not drawn:
            return "fresh; there are no stored tasks to compute again", True
        return _Sample(notebook, stamp, None, file, stored, drawn, n_stored)
    try:
        meant = _meant_to_differ(notebook, profile, stamp["inputs"])
        stored = _stored_tasks(file, stamp, notebook, changed=True)
    except Exception as error:  # a module of the study may raise anything as it is imported
        meant = [f"its code does not run ({type(error).__name__}: {shorten(error)})"]
    if meant:
        return f"cannot be confirmed, because {'; '.join(meant)}; use `studylib reproduce`", False
    before = _untimed_results(layout, notebook)
    if before is None:
        return "its file of results cannot be read; use `studylib reproduce`", False
    if not all(task.entries for task in stored):
        return f"there are no results of its tasks in {file.path}; use `studylib reproduce`", False
    return _Sample(notebook, stamp, before, file, stored, *_draw(stored, notebook, seed))


def _confirm(layout, sample, profile, jobs, seed, progress, problems):
    """A sentence about a stale notebook, and whether it is as it should be."""
    notebook, stamp, before, file, stored, _, n_stored = sample
    differing = _recompute(layout, sample, file, jobs, progress)
    problem = _changed_by_code(differing, stamp, notebook, profile, jobs, progress)
    if problem:
        return f"NOT confirmed: {problem}; use `studylib reproduce`", False
    today = datetime.now(UTC).date().isoformat()
    remark = {"seed": seed, "sample": sample.n_drawn, "of": n_stored, "at": today}
    if differing:
        remark |= {"elsewhere": len(differing), "commit": stamp["commit"]}
    file.add(_carried(file, stored, differing, remark))
    context = Context(jobs=jobs)
    problem = execute(notebook, profile, context, lambda: progress.cell_done(notebook.name))
    if problem is None and _untimed_results(layout, notebook) != before:
        layout.stamp(notebook.name).unlink()
        problem = "its cells give other results than before"
    if problem:
        problems[notebook.name] = problem
        return f"NOT confirmed: {problem}", False
    again = "; what rests on time was measured again" if notebook.timed else ""
    if not n_stored:
        return f"confirmed: its cells, which use no stored tasks, give the same results{again}", True
    here = (
        f"; {len(differing)} gave another result on this machine, but the same with the code of "
        f"{stamp['commit']} as with the present code, so what is stored stays"
    )
    return (
        f"confirmed by sample, {sample.n_drawn - len(differing)} of {n_stored} stored tasks were bit-equal"
        f"{here if differing else ''}{again}",
        True,
    )


def _changed_by_code(differing, stamp, notebook, profile, jobs, progress):
    """Why results that differ from stored ones may be due to a change of code; None if they are not."""
    if not differing:
        return None
    sentences = [f"{task} for {canonical(key)} gives another result now" for task, key, _ in differing]
    tasks = [(task, key) for task, key, _ in differing]
    commit = stamp["commit"]
    if " " in commit:  # "(modified)", or no commit at all: that code is not there
        return sentences[0]
    remark = f"  {notebook.name}: {len(tasks)} differ here; computing them with the code of {commit}, too"
    progress.say(remark, sys.stdout)
    try:
        earlier = results_of_commit(commit, notebook.name, profile, stamp["inputs"], tasks, jobs)
    except EarlierCodeError as error:
        return f"{sentences[0]}, and the code of {commit} cannot be asked: {error}"
    for sentence, (_, _, result), before in zip(sentences, differing, earlier, strict=True):
        if canonical(result) != before:
            return f"{sentence} than with the code of {commit}"
    return None


def _meant_to_differ(notebook, profile, before):
    """Changes of data and parameters, which are made to change results; a file newly listed is no change."""
    now = notebook_parts(notebook, profile)
    data = {path: before["data"].get(path, value) for path, value in now["data"].items()}
    return changes({**now, "data": data, "parameters": before["parameters"]}, now)


def _untimed_results(layout, notebook):
    """The text of a notebook's results without the claims that rest on time; None if there are none."""
    results = load_results(layout, notebook.name)
    if results is None:
        return None
    claims = {name: given for name, given in results["claims"].items() if name not in notebook.timed}
    return canonical(results | {"claims": claims})


def _compute_again(layout, sample, jobs, progress):
    """For a reader who trusts nothing stored: a sentence about a fresh notebook, and whether it is right."""
    with tempfile.TemporaryDirectory() as apart:  # where nothing is stored, everything is computed
        differing = _recompute(layout, sample, TaskFile(Path(apart) / "tasks.jsonl"), jobs, progress)
    elsewhere = another_python(sample.stamp["inputs"])
    origin = f"; the stored ones were {elsewhere}" if elsewhere else ""
    if differing:
        task, key, _ = differing[0]
        return (
            f"DIFFERS: {len(differing)} of {sample.n_drawn} tasks that were drawn at random, such as {task} "
            f"for {canonical(key)}, give another result than the stored one{origin}",
            False,
        )
    return (
        f"fresh; {sample.n_drawn} of {sample.n_stored} stored tasks, drawn at random, are bit-equal when "
        f"computed again{origin}",
        True,
    )


def _draw(stored, notebook, seed):
    """Pairs of a task and those of its entries that are computed again, and how many entries all have."""
    n_stored = sum(len(task.entries) for task in stored)
    n = min(max(FEWEST, math.ceil(SHARE * n_stored)), n_stored)
    places = set(random.Random(f"{seed} {notebook.name}").sample(range(n_stored), n))
    numbers = itertools.count()
    drawn = [(task, [entry for entry in task.entries if next(numbers) in places]) for task in stored]
    return [(task, entries) for task, entries in drawn if entries], n_stored


def _stored_tasks(file, stamp, notebook, changed):
    """The untimed tasks whose context has changed, or has not, a list of _StoredTask."""
    stored = []
    for task, noted in stamp["tasks"].items():
        if task in notebook.timed:
            continue
        module, _, name = task.rpartition(".")
        context = task_context(module, notebook.data, notebook.uses, notebook.path.parent)
        # A fresh notebook may be of another Python; whatever else a task depends on must be as it was.
        known = context if changed else context.with_python_of(stamp["inputs"])
        if (known.hash != noted["context"]) != changed:
            continue
        function = getattr(importlib.import_module(module), name, None)
        if function is not None:
            stored.append(_StoredTask(function, task, file.of(task, noted["context"]), context))
    return stored


def _recompute(layout, sample, file, jobs, progress):
    """Compute the drawn tasks again; those that differ from the stored ones, (task, key, new result).

    ``file`` keeps what is computed, and what it has is not computed.
    """
    name, differing = sample.notebook.name, []
    progress.started(name)
    for task, entries in sample.drawn:
        store, keys = Store(file, task.context.hash), [entry["key"] for entry in entries]
        shown = layout.work(f"{name}.tasks")
        with TaskProgress(shown, task.function.__name__, len(keys), quiet=True) as tell:
            results = map_tasks(task.function, keys, store, jobs=jobs, tell=tell, files=task.context.files)
        progress.cell_done(name)
        for entry, result in zip(entries, results, strict=True):
            if canonical(entry["result"]) != canonical(result):
                differing.append((task.name, entry["key"], result))
    return differing


def _carried(file, stored, differing, remark):
    """The stored results as entries of the present context, without those just computed to be equal."""
    # Those that differ, but not because of the code, stay as they were stored.
    stay = {(name, canonical(key)) for name, key, _ in differing}
    carried = []
    for task in stored:
        store = Store(file, task.context.hash)
        for entry in task.entries:
            place = task.name, entry["key"]
            if store.entry(*place) is None or (task.name, canonical(entry["key"])) in stay:
                kept = {"result": entry["result"], "seconds": entry["seconds"]}
                carried.append(store.new(*place, **kept, confirmed=remark))
    return carried
