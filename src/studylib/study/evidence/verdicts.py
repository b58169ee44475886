"""Verdicts: derived from stored measurements and the ledger, whenever either changes; no notebook is run."""

import sys
from collections import Counter
from dataclasses import asdict

from studylib.core.files import file_hash
from studylib.core.text import shorten
from studylib.study import rules
from studylib.study.fingerprints import data_hash, forgotten_amendments
from studylib.study.freshness import stamps
from studylib.study.ledger.reading import read_json
from studylib.study.ledger.rule_table import by_function
from studylib.study.shapes import Maybe

#: What a measurement that does not suit its rule can lead to.
_UNSUITABLE = (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError)
#: What the results of a notebook must hold.
_RESULTS = {
    "claims": {...: {"measured": object, "beside": dict, "stand_in": bool, "by_choice": Maybe(dict)}},
    "metrics": {...: {"value": float, "tolerance": float}},
    "simulated": [str],
    "data": ("real", "simulated"),
}
#: What the manifest must hold of the rules that judged.
_JUDGED = {"rules_sha256": {...: [str]}}


def load_results(layout, name):
    """The results that a notebook wrote, or None if there are none that can be read and are whole."""
    return read_json(layout.results(name), _RESULTS)


def derive(layout, study, profile):
    """Judge all that was measured: by claim the outcome, the notebook, and hashes of rule and measurement."""
    judged = {}
    for notebook in study.notebooks.values():
        judged |= derive_of(layout, study, notebook, profile)
    return judged


def derive_of(layout, study, notebook, profile):
    """The verdicts on what one notebook measured; none if its results are damaged.

    ValueError if a measurement does not suit its rule, though its file is the one that the notebook wrote.
    """
    results = load_results(layout, notebook.name) or {"claims": {}}
    judged = {}
    for claim_id, given in results["claims"].items():
        claim = study.ledger.claims.get(claim_id)
        if claim is None or claim_id not in notebook.claims:
            continue  # it was taken out of the ledger since
        try:
            judged[claim_id] = {
                **rules.outcome(asdict(claim), given, profile, by_function),
                "notebook": notebook.name,
                "rule_sha256": claim.rule_hash,
                "measured_sha256": data_hash(given),
            }
        except _UNSUITABLE as error:
            stamp = stamps.read(layout, notebook.name)
            if stamp is None or stamp["results_sha256"] != file_hash(layout.results(notebook.name)):
                return {}
            why = f"{type(error).__name__}: {shorten(error)}"
            raise ValueError(f"{claim_id}: its rule cannot judge what was measured ({why}).") from error
    return judged


def rules_that_judged(layout):
    """By claim, the hashes of all rules that gave it a verdict, as the evidence that is there says."""
    return (read_json(layout.evidence, _JUDGED) or {"rules_sha256": {}})["rules_sha256"]


def say_forgotten_amendments(layout, study):
    """Print a sentence for each change of a rule that no amendment records; returns an exit code."""
    code, claims = 0, study.ledger.claims
    for claim_id, hashes in rules_that_judged(layout).items():
        if claim_id in claims:
            for sentence in forgotten_amendments(asdict(claims[claim_id]), hashes):
                print(f"studylib: claim {claim_id}: {sentence}.", file=sys.stderr)
                code = 1
    return code


def tally(entries):
    """``"3 reproduced, 1 checked"``: how often each verdict was given."""
    counts = Counter(entry["verdict"] for entry in entries)
    return ", ".join(f"{counts[verdict]} {verdict}" for verdict in rules.VERDICTS if verdict in counts)
