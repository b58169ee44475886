"""Compute tasks with the code of an earlier commit: a program that ``studylib.study.earlier`` starts.

It runs in an unpacked copy of the study, so the ``studylib`` that it imports is the one of that commit.  It
reads a request as JSON and answers with the results as canonical text, or with what in that copy is not what
the stored results were computed with.
"""

import importlib
import json
import sys

from studylib.study.freshness.keys import changes, notebook_parts
from studylib.study.ledger.study import current_study
from studylib.study.store import canonical, seed_of


def _answer(request):
    study = current_study().use()
    notebook = study.notebooks[request["notebook"]]
    others = changes(request["inputs"], notebook_parts(notebook, request["profile"]))
    if others:
        return {"others": others}
    results = []
    for task, key in request["tasks"]:
        module, _, name = task.rpartition(".")
        results.append(canonical(getattr(importlib.import_module(module), name)(key, seed_of(key))))
    return {"results": results}


if __name__ == "__main__":
    answer = _answer(json.load(sys.stdin))
    print("\n" + json.dumps(answer))
