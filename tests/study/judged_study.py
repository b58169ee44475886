"""A small study with one claim of nearly every kind, and its report, for tests of the evidence."""

import contextlib

import pytest

from studylib.study import reproduce as runner
from studylib.study.ledger.layout import Layout
from studylib.study.ledger.study import current_study
from tests.study.small_study import HEAD, MAP, SETUP, change, git, use, write_notebook, write_study

CLAIMS = """
[[claim]]
id = "exact-one"
place = "p. 1"
statement = "One is one"
value = "1"
nature = "arithmetic"
kind = "exact"
rule = "equal"
judge = { published = 1 }

[[claim]]
id = "mean-positive"
place = "p. 2"
statement = "The work is positive – mostly"
value = "> 0"
nature = "finding"
kind = "paired"
rule = "the mean is above 0"
note = "a remark"
judge = { above = 0 }
[[claim.amended]]
date = "2026-11-22"
reason = "the first rule could not fail"
first_rule = "positive"
first_verdict = "reproduced"

[[claim]]
id = "by-function"
place = "p. 3"
statement = "The sum is large"
value = "large"
nature = "finding"
kind = "trend"
rule = "the sum is above a number"
judge = { function = "sources.someone.judging:is_large", numbers = { least = 1 } }

[[claim]]
id = "how-large"
place = "p. 4"
statement = "How large is it?"
value = "–"
nature = "question"
kind = "question"
rule = "answered"
judge = { answer = "It is {work}." }

[[claim]]
id = "always"
place = "p. 5"
statement = "Always so"
value = "–"
nature = "identity"
kind = "property"
rule = "in every case"

[[claim]]
id = "planned-one"
place = "p. 6"
statement = "Nobody judges it yet"
value = "2"
nature = "finding"
kind = "tolerance"
rule = "within 1"
judge = { published = 2.0, within = 1.0 }
"""

JUDGING = '''
"""Rules that are no standard kind."""

from studylib.study.rules import Finding, Part

CASES = {"is_large": [5, 0]}


def is_large(measured, numbers):
    holds = measured >= numbers["least"]
    return Finding("reproduced" if holds else "not reproduced", (Part(holds, measured),))
'''

DEVIATIONS = """
[[deviation]]
place = "p. 2"
text = "It says mostly."
claims = ["mean-positive"]
"""

JUDGE = """
total = sum(found)
run.judge("exact-one", 1)
run.judge("mean-positive", found, beside={{"largest": max(found), "in all": total}})
run.judge("by-function", total)
run.judge("how-large", {{"work": found}})
run.judge("always", [True] * 5)
"""

CITATION = """
cff-version: 1.2.0
title: A small study of small things
authors:
  - { family-names: One, given-names: Some }
  - name: The others
license: BSD-3-Clause
version: 0.3
"""


def write_judged_study(folder):
    """Write the study; its notebook ``toy`` judges five claims."""
    ids = ["exact-one", "mean-positive", "by-function", "how-large", "always"]
    write_study(folder, n=4, claims={"toy": ids})
    write_notebook(folder, "toy", (SETUP, MAP, JUDGE, 'run.metric("sum", total)\nrun.finish()'), HEAD)
    change(folder / "study.toml", '[data."toy.csv"]', '[data."toy.csv"]\nidentifier = "doi:10.1234/toy"')
    source = folder / "sources/someone"
    (source / "claims.toml").write_text(CLAIMS)
    (source / "deviations.toml").write_text(DEVIATIONS)
    (source / "judging.py").write_text(JUDGING)
    (folder / "CITATION.cff").write_text(CITATION)


def commit_all(folder, message):
    """Commit everything, on a fixed day."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
            patch.setenv(name, "2026-01-02T03:04:05Z")
        for words in (["init", "-q"], ["add", "."], ["commit", "-q", "--no-gpg-sign", "-m", message]):
            git(folder, *words)


@contextlib.contextmanager
def in_study(folder):
    """Work in the study of a folder."""
    with pytest.MonkeyPatch.context() as patch:
        use(folder, patch)
        yield Layout("quick")


def reproduce(folder, profile="quick"):
    """Compute the report; returns its folder."""
    with in_study(folder):
        assert runner.reproduce(profile) == 0
        assert current_study().root == folder
        return Layout(profile).folder
