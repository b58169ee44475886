"""What the rules of GRAF's claims say of other methods, from the stored runs of the committed report."""

import json

import pandas as pd

from studylib.studies.graf import uci_grids, uci_results
from studylib.study.ledger.rule_table import judge_claim
from studylib.study.ledger.study import current_study, study_root

CLAIM = current_study().ledger.claims["graf-outperforms"]


def stored_accuracies():
    """Accuracies of the source's tuned methods in the committed paper run, a table for each test."""
    rows = []
    with (study_root() / "reports/paper/tasks/05_graf_uci_comparison.jsonl").open(encoding="utf-8") as lines:
        for task in map(json.loads, lines):
            key = task["key"]
            tuned = key.get("method") == "AdaBoost" or "max_features" in key
            if task["task"].endswith(".fold_accuracies") and key["method"] in uci_grids.SOURCE and tuned:
                rows += [key | {"draw": k, "accuracy": 100 * a} for k, a in enumerate(task["result"])]
    return uci_results.replicates(pd.DataFrame(rows))


def verdict(measured):
    return judge_claim(CLAIM, measured).verdict


def test_no_method_outperforms_itself_and_adaboost_does_not_outperform_graf_in_the_stored_runs():
    tables = stored_accuracies()
    again = [
        one.assign(again=other["random forest"])
        for one, other in zip(tables, [*tables[1:], tables[0]], strict=True)
    ]
    for points in (0.5, 1, 2):
        itself = uci_results.wins(again, "random forest", ["again"], points)
        assert verdict(itself) == "not reproduced"
        assert verdict(uci_results.wins(tables, "AdaBoost", ["GRAF"], points)) == "inconclusive"
        of_forest = uci_results.wins(tables, "random forest", ["GRAF"], points)
        assert verdict(of_forest) == "reproduced"
