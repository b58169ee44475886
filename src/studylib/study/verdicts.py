"""Verdicts: derived from stored measurements and the ledger, whenever either changes; no notebook is run."""

import html

from studylib.core.files import file_hash, sha256, write_atomically, write_json
from studylib.core.text import shorten
from studylib.study import rules, stamps
from studylib.study.reading import readable_notebook
from studylib.study.record import load_results
from studylib.study.rule_table import judge_claim
from studylib.study.store import canonical
from studylib.study.study import SMOKE

_SIGNS = {
    rules.REPRODUCED: "✓",
    rules.CHECKED: "✓",
    rules.PARTLY: "◐",
    rules.NOT_REPRODUCED: "✗",
    rules.INCONCLUSIVE: "◇",
    rules.ANSWERED: "•",
    rules.NOT_TESTABLE: "–",
}
#: What a measurement that does not suit its rule can lead to.
_UNSUITABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError)


def verdict_of(claim, given, profile):
    """What is said about one claim.

    Parameters
    ----------
    claim : Claim
    given : dict
        ``measured``, ``beside`` and ``stand_in``, as the notebook handed them over.
    profile : str

    Returns
    -------
    dict with ``verdict``, ``ours``, ``interval`` and ``reason``
    """
    if given["stand_in"] and claim.needs_data:
        return {"verdict": rules.NOT_TESTABLE, "ours": "", "interval": "", "reason": "real data absent"}
    found = judge_claim(claim, given["measured"])
    beside = "; ".join(f"{name} {rules.quantity_text(value)}" for name, value in given["beside"].items())
    reason = "; ".join(filter(None, [found.reason, beside, claim.note]))
    verdict = rules.SHOWN if profile == SMOKE else found.verdict
    return {"verdict": verdict, "ours": found.ours, "interval": found.interval, "reason": reason}


def derive(layout, study, profile):
    """Judge everything that was measured, write the verdicts and bring the claims' lines up to date.

    Parameters
    ----------
    layout : Layout
    study : Study
    profile : str

    Returns
    -------
    dict of str to dict
        By claim: what :func:`verdict_of` says, the notebook, and the hashes of rule and measurement.
    """
    found = {}
    for notebook in study.notebooks.values():
        judged = _judged(layout, study, notebook, profile)
        if judged:
            _renew_lines(layout, study, notebook, judged)
        found |= judged
    if found:
        write_json(layout.verdicts, {"ledger_sha256": study.ledger.hash, "claims": found})
    return found


def _judged(layout, study, notebook, profile):
    """The verdicts on what a notebook measured; none if its results are damaged.

    Raises
    ------
    ValueError
        If a measurement does not suit its rule, though its file is the one that the notebook wrote.
    """
    results = load_results(layout, notebook.name)
    judged = {}
    for claim_id, given in (results or {"claims": {}})["claims"].items():
        claim = study.ledger.claims.get(claim_id)
        if claim is None or claim_id not in notebook.claims:
            continue  # it was taken out of the ledger since
        try:
            judged[claim_id] = {
                **verdict_of(claim, given, profile),
                "notebook": notebook.name,
                "rule_sha256": claim.rule_hash,
                "measured_sha256": sha256(canonical(given).encode()),
            }
        except _UNSUITABLE as error:
            stamp = stamps.read(layout, notebook.name)
            if stamp is None or stamp["results_sha256"] != file_hash(layout.results(notebook.name)):
                return {}
            said = f"{type(error).__name__}: {shorten(error)}"
            raise ValueError(f"{claim_id}: its rule cannot judge what was measured ({said}).") from error
    return judged


def _renew_lines(layout, study, notebook, judged):
    """Show the verdicts in the executed notebook, too, and stamp it with the ledger's hash."""
    import nbformat  # kernels show verdicts, too, and need none

    path = layout.executed(notebook.name)
    stamp = stamps.read(layout, notebook.name)
    if stamp is None or not path.is_file() or stamp["executed_sha256"] != file_hash(path):
        return  # not the one that the stamp is about
    executed = readable_notebook(path)
    if executed is None:
        return
    before = nbformat.writes(executed)
    for cell in executed.cells:
        for output in cell.get("outputs", []):
            claim_id = output.get("metadata", {}).get("claim")
            if claim_id in judged:
                text, markup = claim_line(study.ledger.claims[claim_id], judged[claim_id])
                output["data"] = {"text/plain": text, "text/html": markup}
    after = nbformat.writes(executed)
    if after == before and stamp["ledger_sha256"] == study.ledger.hash:
        return
    if after != before:
        write_atomically(path, after)
    stamp |= {"executed_sha256": file_hash(path), "ledger_sha256": study.ledger.hash}
    write_json(layout.stamp(notebook.name), stamp)


def claim_line(claim, entry):
    """A claim with its verdict as one line, ``(text, HTML)``."""
    ours = entry["ours"] + (f" ({entry['interval']})" if entry["interval"] else "")
    text = f"{claim.id} [{claim.place}] {claim.statement} | source {claim.value} | ours {ours or '–'}"
    text += f" | {entry['verdict']}" + (f" – {entry['reason']}" if entry["reason"] else "")
    reason = f" – {html.escape(entry['reason'])}" if entry["reason"] else ""
    markup = (
        f'<div class="claim" id="claim-{claim.id}" data-verdict="{entry["verdict"]}">'
        f'<span class="verdict">{_SIGNS.get(entry["verdict"], "·")} {entry["verdict"]}</span> '
        f"<em>{html.escape(claim.place)}</em>: {html.escape(claim.statement)}. "
        f"Source: <strong>{html.escape(claim.value)}</strong>; ours: <strong>{html.escape(ours or '–')}"
        f"</strong>{reason}</div>"
    )
    return text, markup


def tally(entries):
    """``"3 reproduced, 1 checked"``: how often each verdict was given."""
    counts = {}
    for entry in entries:
        counts[entry["verdict"]] = counts.get(entry["verdict"], 0) + 1
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in rules.VERDICTS if verdict in counts)
