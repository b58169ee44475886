"""No sentence says what the evidence does not, and all are plain: `tools/prose.py`."""

from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from studylib.study import table
from tools import fields, prose, sentences
from tools.fields import Fields
from tools.printed import compare

ROOT = Path(__file__).parents[1]
PROSE = prose.Prose(Fields(ROOT), ROOT)
SOURCE = "src/studylib/studies/graf/source.toml"


def problems(raw, path="README.md", **how):
    """What is wrong with a text that stands in a file."""
    text = prose.Text(Path(path), raw, **how)
    return PROSE.numbers(text)[0] + PROSE.words(text)


def test_every_sentence_of_the_repository_agrees_with_its_fields():
    assert prose.check(ROOT) == []


@pytest.mark.parametrize(
    ("path", "raw"),
    [
        ("README.md", "In section 5.3, eqs 24 and 25, Table 4.1 and Figs 7 to 9 of notebook 06 (2019), 95 % intervals count."),
        ("README.md", "With `n_estimators=17` and 2,000 trees in [notebook 05](notebooks/05_graf_uci_comparison.ipynb)."),
        ("README.md", "Of 200 claims many hold, and the suite takes 13 minutes."),  # names no notebook and no claim
        ("README.md", "1-R and 1/d² of notebook 10a, 5-fold cross-validation and an interval that includes 0"),
        ("notebooks/04_graf_strength_correlation.ipynb", "On real data, see [notebook 05](05_graf_uci_comparison.ipynb)."),
        ("docs/extending.md", "Until a notebook judges it, the claim is listed as *planned*."),
        ("README.md", "<!-- given: a protocol -->\nnotebook 07 draws 17 rows"),
        ("README.md", "from notebook 11:\n\n| with | mean<!-- mean --> |\n|---|---|\n"
         "| 17 trees<!-- 11#first-claims[blend − guided; {}] --> | +0.8 |\n"),
    ],
)  # fmt: skip
def test_what_is_right_passes(path, raw):
    assert problems(raw, path) == []


def test_a_field_knows_groups_of_rows_and_intervals():
    gains = pd.DataFrame(
        {"mean": [0.5, 1.5, 2.5, 3.5], "low": [0.1, 1.1, 2.1, 3.1], "high": [0.9, 1.9, 2.9, 3.9]},
        index=pd.MultiIndex.from_product([["small", "large"], ["a", "b"]], names=["sets", "rival"]),
    )
    html = table(gains, "Gains.", {"mean": ("low", "high")})._repr_html_()
    (shown,) = BeautifulSoup(html, "html.parser")("table")
    assert dict(fields._cells(shown))["2.5 (2.1 to 2.9)"] == {"mean", "large", "a"}
    ends = [fields._in_text("2.5 (2.1 to 2.9)", None, part, "") for part in ("ours", "low", "high")]
    assert ends == [2.5, 2.1, 2.9]


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("graf-uci-best is so on 29 % of the sets", "'29' names no field"),
        ("In [notebook 11](notebooks/11_blended_forest.ipynb) it is 2.4.\n\n| a | b |\n|---|---|\n| c | 7 |\n", "'7' names no"),
        ("+0.9<!-- 11#first-claims[blend − guided; mean] -->", "says +0.9, measured is 0.75"),
        ("| with | mean<!-- mean --> |\n|---|---|\n| c<!-- 11#first-claims[blend − guided; {}] --> | 0.9 |\n", "says 0.9"),
        ("some<!-- 11.n_sets --> sets", "no number stands before"),
        ("3<!-- no-such-claim.ours -->", "there is no claim and no notebook"),
        ("3<!-- graf-uci-best.width -->", "has the parts ours, low, high and of"),
        ("3<!-- 12#guided[ratio] -->", "cells of that table have these labels"),
        ("3<!-- 12#nowhere[ratio] -->", "has no cell 'nowhere'"),
        ("3<!-- 05[no metric] -->", "has no metric"),
        ("3<!-- 05.no_parameter -->", "has no number"),
        ("3<!-- ledger[graph] -->", "no claim is graph"),
        ("3<!-- graf-eq34['not said'].ours -->", "does not say 'not said'"),
        ("3<!-- what -->", "there is no claim"),
        ("[Notebook 04](notebooks/04_graf_strength_correlation.ipynb) measures it on real data.", "'real data' of 04_graf"),
        ("See [there](nowhere.ipynb).", "there is no file nowhere.ipynb"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(raw, why):
    assert any(why in problem for problem in problems(raw))


def test_numbers_of_a_sources_answer_and_files_of_a_rule_must_be_there():
    assert "'1.9' names no field" in problems("two threads train 1.9 times as fast.", SOURCE, strict=True)[0]
    assert "there is no file judging.md" in problems("the rule (judging.md)", SOURCE, rule=True)[0]


@pytest.mark.parametrize(
    ("message", "value", "before", "new"),
    [
        ("2.4", 2.358, "", ""),
        ("2.4", 2.451, "", "2.5"),
        ("0.03", -0.0318, "", "−0.03"),
        ("+0.3", 0.36, "", "+0.4"),
        ("120,000", 118_345, "", "118,345"),
        ("120,000", 118_345, "about ", ""),
        ("120,000", 131_000, "about ", "130,000"),
        ("1", 1.2, "less than ", None),
        ("200", 212.6, "more than ", ""),
        ("50", 73.0, "no more than ", None),
        ("Three", 4, "", "Four"),
        ("none", 0, "", ""),
        ("twenty", 21, "", "21"),
    ],
)
def test_printed_digits(message, value, before, new):
    problem, instead = compare(message, value, before)
    assert bool(problem) == (new != "")
    assert (instead or "") == (new or "")


@pytest.mark.parametrize(
    ("day", "cited", "agree"),
    [
        ("unreleased", "version: 0.2.0", True),
        ("2026-12-31", "version: 0.2.0\ndate-released: 2026-12-31", True),
        ("unreleased", "version: 0.2.0\ndate-released: 2026-12-31", False),
        ("2026-12-31", "version: 0.2.0", False),
        ("unreleased", "version: 0.1.0", False),
    ],
)
def test_the_citation_is_of_the_latest_release_of_the_changelog(day, cited, agree):
    changelog = f"# Changelog\n\n## What to expect\n\n## 0.2.0 ({day})\n\n## 0.1.0 (2026-11-30)\n"
    assert (prose.release(changelog, cited) == []) is agree


#: Sentences that are not plain, and what the checker says of them.
CLUMSY = {
    "Its leaf model γ is interchangeable": "is pluggable",
    "It takes 3 times as long as ours.": "N× slower",
    "with a probability of 95 %": "without a space",
    "A result depends on the code that its cells can reach, on its data files, on its parameters, and on the versions of the "
    "packages that compute (numpy, numba, scikit-learn, scipy, pandas, and others that the code imports).":
        "a sentence of 38 words, at most 30",
}  # fmt: skip


@pytest.mark.parametrize("clumsy", CLUMSY)
def test_a_clumsy_sentence_is_refused_with_what_to_write(clumsy):
    problems = prose.plainness([prose.Text(Path("docs/page.md"), f"# Page\n\nFirst.\n\n{clumsy}\n")])
    assert any(CLUMSY[clumsy] in problem for problem in problems), problems
    assert all(problem.startswith("docs/page.md:5: ") for problem in problems)


@pytest.mark.parametrize(
    "raw",
    [
        "We cannot tell it apart from the best, so tell us whether 95% is enough.",
        "`beside=` and $anew$ are no words; nor is <!-- 11#beside[per cent; mean] --> a comment.",
        "```\nwhoever mended this for ever\n```",
        " ".join(f"Sentence {i} is short. `code` stands first here." for i in range(30)),
    ],
)
def test_a_plain_text_passes(raw):
    assert prose.plainness([prose.Text(Path("docs/page.md"), raw)]) == []


def test_sentences_are_those_that_a_reader_sees():
    raw = (
        "# No sentence\n\n- One item of *several* [words](a.md). Figs. 2 and 3, e.g. 1.5 by J. Doe! **Bold.**\n\n"
        "| a | b |\n|---|---|\n| `x` | A cell is one. And two. |\n"
    )
    assert [message for _, message in sentences.sentences(raw)] == [
        "One item of *several* words.",
        "Figs. 2 and 3, e.g. 1.5 by J. Doe!",
        "Bold.",
        "A cell is one.",
        "And two.",
    ]
