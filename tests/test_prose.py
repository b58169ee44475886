"""No sentence says what the evidence does not, and all are plain: `tools/prose.py`, on what was once wrong."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from studylib.study import table
from tools import fields, prose, sentences
from tools.fields import FieldError, Fields, short
from tools.printed import compare, plain

ROOT = Path(__file__).parents[1]
FIELDS = Fields(ROOT)
PROSE = prose.Prose(FIELDS, ROOT)


def problems(raw, path="README.md", **how):
    """What is wrong with a text that stands in a file."""
    text = prose.Text(Path(path), raw, **how)
    return PROSE.numbers(text)[0] + PROSE.words(text)


def test_every_sentence_of_the_repository_agrees_with_its_fields():
    assert prose.check(ROOT) == []


SOURCES = "src/studylib/studies/"
ANSWER = {"strict": True}
# What stood in a file, why it is refused, and what the file says instead.
ONCE = {
    "W1 the speed-up, without a field": (
        SOURCES + "forest_lecture/source.toml", ANSWER, "two threads train 1.9 times as fast as one.",
        "'1.9' names no field", "stays undecided",
    ),
    "W1 the speed-up, of an earlier run": (
        SOURCES + "forest_lecture/source.toml", ANSWER,
        "they predict 1.4<!-- l1-parallel['prediction'].ours --> times as fast.", "says 1.4, measured is", "stays undecided",
    ),
    "W2 the blend's time, without a field": (
        "docs/quickstart.md", {},
        "a random forest's time divided by 2.3, 1.5 and 11.9 in [notebook 12](../notebooks/12_benchmarks.ipynb)",
        "'11.9' names no field", "fit and predict together were faster than a random forest's",
    ),
    "W2 the blend's time, of an earlier run": (
        "docs/quickstart.md", {},
        "11.9<!-- 12#guided[noisy; blend; scikit-learn's random forest; fit + predict; ratio] --> times as fast",
        "says 11.9, measured is", "times on a simulated, noisy table",
    ),
    "W3 a notebook that exists": (
        "notebooks/03_graf_bias_variance.ipynb", {"about": ("03",)},
        "The comparison is planned as notebook 05, which does not\nexist yet; its claims are listed as planned.",
        "but notebook 05 is there", "On real data the picture differs: see [notebook 05](05_graf_uci_comparison.ipynb).",
    ),
    "W4 real data": (
        "notebooks/lesson_4_forest.ipynb", {},
        "[Notebook 04](04_graf_strength_correlation.ipynb) measures the strength and the correlation of trees on real data.",
        "'real data' of 04_graf", "the correlation of trees on simulated data.",
    ),
    "W5 real data, in the sentence before": (
        "notebooks/solutions/lesson_5_guided_partitions.ipynb", {},
        "On real data, which of the two predicts better? [Notebook 04](04_graf_strength_correlation.ipynb) asks that.",
        "'real data' of 04_graf", "On simulated data, which of the two predicts better?",
    ),
    "W8 a page that is not there": (
        SOURCES + "graf/claims.toml", {"rule": True}, "k-sets rule, in its symmetric form (judging.md)",
        "there is no file judging.md", "k-sets rule: refuted if at least half of the sets refute it",
    ),
    "4.2 the time of mlxtend": (
        "CHANGELOG.md", {}, "mlxtend's apriori takes 64 times as long as ours on 100,000 baskets.",
        "'64' names no field", "times as fast as mlxtend's apriori",
    ),
    "4.4 tuned as in the source": (
        "docs/notebooks.md", {}, "on the UCI suite, tuned as in the source?", "grids are cut", "by the source's protocol?",
    ),
    "4.4 which can only favour": (
        "notebooks/05_graf_uci_comparison.ipynb", {}, "grids are cut to save time, which can only favour GRAF:",
        "also buys optimism", "That probably favours GRAF",
    ),
    "4.5 held-out sets": (
        "docs/quickstart.md", {}, "On held-out UCI sets it was more accurate", "had looked at these sets",
        "held out, but looked at six times before",
    ),
    "4.5 sets without a field": (
        "docs/estimators.md", {}, "Compared on 75 sets of the UCI suite ([notebook 11](../notebooks/11_blended_forest.ipynb))",
        "'75' names no field", "which had been looked at six times before",
    ),
    "4.6 node for node": (
        "README.md", {}, "All four trees can be reproduced, node for node", "trees are not available",
        "All four trees can be reproduced in depth, nodes, leaves and both errors",
    ),
    "4.6 the figures of PCF": (
        "README.md", {}, "The published figures can be reproduced with the algorithm as the text describes it",
        "Fig. 1's statement", "Figures 2 and 3 can be reproduced",
    ),
    "4.7 all but four": (
        "README.md", {}, "Of the statements that could be decided, all but four hold.", "what is undecided",
        "stay undecided.",
    ),
    "4.8 before the first result": (
        "docs/verdicts.md", {}, "The rules that judge were fixed before this project computed its first result.", "prototypes had",
        "but after prototypes had measured part of it",
    ),
    "4.8 on the front page": (
        "src/studylib/study/site/templates/claims.html.j2", {},
        "The rules were fixed before this project computed its first result, and one program reads them", "prototypes had",
        "One program reads the rules to give every verdict; open",
    ),
    "4.9 which way the verdicts moved": (
        "docs/verdicts.md", {}, "After the first full run 28<!-- ledger[amended] --> rules were amended.", "which way",
        "that changed among the mushroom findings",
    ),
    "4.10 a control of ours": (
        "README.md", {}, "its sensitive points are better than random ones on some real sets", "the control is ours",
        "The most sensitive tenth of the rows",
    ),
    "2.1 a hundred trees and the error": (
        SOURCES + "graf/source.toml", ANSWER,
        "but a hundred trees are not enough for error, bias and variance to saturate", "refuted on no set",
        "depends on what saturated means",
    ),
    "a link": ("docs/explaining.md", {}, "See [there](nowhere.ipynb).", "there is no file nowhere.ipynb", "docs"),
    "an answer's number word": (
        SOURCES + "mushrooms/source.toml", ANSWER, "two<!-- mush-perfect['training error 0 for'].ours --> of the trees",
        "says two, measured is 3", "trees reach",
    ),
    "a field behind no number": ("README.md", {}, "some<!-- 11.n_sets --> sets", "no number stands before", "sets"),
}  # fmt: skip


@pytest.mark.parametrize("name", ONCE)
def test_what_was_once_wrong_is_refused(name):
    path, how, old, why, now = ONCE[name]
    assert any(why in problem for problem in problems(old, path, **how))
    if name[0] in "W42":  # what stands there today is checked above, with all else
        text = plain((ROOT / path).read_text(encoding="utf-8").replace("\\n", "\n"))
        assert " ".join(now.split()) in " ".join(re.sub(r'",\s+"', "", text).split())


def test_a_version_is_either_released_or_not():  # W6
    assert prose.release("## 0.1.0 (unreleased)\n", "version: 0.1.0\ndate-released: 2026-11-21\n")
    assert not prose.release("## 0.1.0 (unreleased)\n", "version: 0.1.0\n")
    assert not prose.release("## 0.1.0 (2026-11-21)\n", "version: 0.1.0\ndate-released: 2026-11-21\n")


def test_the_citation_names_all_notebooks_of_the_suite():  # W7
    old = "references:\n  - notes: The data sets of notebook 02.\n"
    assert "is used in 02, 05, 06, 07, 11, 12" in prose.suite_users(old, FIELDS.study)[0]


def test_both_notes_on_accuracy_stand_beside_the_benchmarks():  # 4.12
    notebook = (ROOT / "notebooks/12_benchmarks.ipynb").read_text(encoding="utf-8")
    assert "Two contests are not level: our stumps reach" in notebook
    assert "has no accuracy here: it abstains" in (ROOT / "docs/performance.md").read_text(encoding="utf-8")


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


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        ("graf-uci-best is so on 29 % of the sets", "'29' names no field"),
        ("In [notebook 11](notebooks/11_blended_forest.ipynb) it is 2.4.\n\n| a | b |\n|---|---|\n| c | 7 |\n", "'7' names no"),
        ("+0.9<!-- 11#first-claims[blend − guided; mean] -->", "says +0.9, measured is 0.75"),
        ("| with | mean<!-- mean --> |\n|---|---|\n| c<!-- 11#first-claims[blend − guided; {}] --> | 0.9 |\n", "says 0.9"),
        ("3<!-- no-such-claim.ours -->", "there is no claim and no notebook"),
        ("3<!-- graf-uci-best.width -->", "has the parts ours, low, high and of"),
        ("3<!-- 12#guided[ratio] -->", "cells of that table have these labels"),
        ("3<!-- 12#nowhere[ratio] -->", "has no cell 'nowhere'"),
        ("3<!-- 05[no metric] -->", "has no metric"),
        ("3<!-- 05.no_parameter -->", "has no number"),
        ("3<!-- ledger[graph] -->", "no claim is graph"),
        ("3<!-- graf-eq34['not said'].ours -->", "does not say 'not said'"),
        ("3<!-- what -->", "there is no claim"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(raw, why):
    assert any(why in problem for problem in problems(raw))


@pytest.mark.parametrize(
    ("said", "value", "before", "new"),
    [
        ("2.4", 2.358, "", ""),
        ("2.4", 2.451, "", "2.5"),
        ("−0.03", -0.0318, "", ""),
        ("0.03", -0.0318, "", "−0.03"),
        ("+0.3", 0.36, "", "+0.4"),
        ("120,000", 118_345, "", "118,345"),
        ("120,000", 118_345, "about ", ""),
        ("120,000", 131_000, "about ", "130,000"),
        ("1", 0.004, "fewer than ", ""),
        ("1", 1.2, "less than ", None),
        ("200", 212.6, "more than ", ""),
        ("200", 198.0, "at least ", None),
        ("50", 73.0, "no more than ", None),
        ("50", 48.0, "not less than ", None),
        ("three", 3, "", ""),
        ("Three", 4, "", "Four"),
        ("none", 0, "", ""),
        ("twenty", 21, "", "21"),
        ("1,163", 1163.4, "", ""),
    ],
)
def test_printed_digits(said, value, before, new):
    problem, instead = compare(said, value, before)
    assert bool(problem) == (new != "")
    assert (instead or "") == (new or "")


def test_a_notebook_is_called_by_its_number():
    names = ("07_mushroom_trees", "10a_neighbours", "lesson_1_depth")
    assert [short(name) for name in names] == ["07", "10a", "lesson_1"]
    assert "10a" in PROSE.names("See notebook 10a, or [10b](../notebooks/10b_rules.ipynb).")


def test_fields_are_those_of_the_report():
    rules = FIELDS.study.ledger.claims.values()
    assert FIELDS.value("ledger[amended]") == sum(bool(claim.amended) for claim in rules)
    assert FIELDS.value("ledger[all]") == len(rules)
    assert FIELDS.value("report.tasks") == sum(FIELDS.value(f"{name}.tasks") for name in FIELDS.notebooks)
    low, high = (FIELDS.value(f"04#global-claim[bound].{end}") for end in ("least", "most"))
    assert low < high < 0
    assert FIELDS.value("graf-uci-best.ours * 100 - graf-uci-best.low * 100") == pytest.approx(
        100 * (FIELDS.value("graf-uci-best.ours") - FIELDS.value("graf-uci-best.low"))
    )
    reached = [FIELDS.value(f"12#guided[reached].{answer}") for answer in ("yes", "no")]
    assert all(reached)
    with pytest.raises(FieldError, match="there is no stamps"):
        Fields(ROOT, "no_profile").value("05.minutes")


def test_a_field_knows_groups_of_rows_and_intervals():
    frame = pd.DataFrame(
        {"mean": [0.5, 1.5, 2.5, 3.5], "low": [0.1, 1.1, 2.1, 3.1], "high": [0.9, 1.9, 2.9, 3.9]},
        index=pd.MultiIndex.from_product([["small", "large"], ["a", "b"]], names=["sets", "rival"]),
    )
    (shown,) = BeautifulSoup(table(frame, "Gains.", {"mean": ("low", "high")})._repr_html_(), "html.parser")(
        "table"
    )
    cells = dict(fields._cells(shown))
    assert cells["2.5 (2.1 to 2.9)"] == {"mean", "large", "a"}
    assert [fields._in_text("2.5 (2.1 to 2.9)", None, part, "") for part in ("ours", "low", "high")] == [
        2.5,
        2.1,
        2.9,
    ]


def test_write_renews_numbers_and_nothing_else(tmp_path):
    for name in (
        "study.toml",
        "README.md",
        "CHANGELOG.md",
        "CITATION.cff",
        "docs",
        "notebooks",
        "src/studylib/studies",
    ):
        kind = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        kind(ROOT / name, tmp_path / name)
    (tmp_path / "reports").symlink_to(ROOT / "reports")
    changed = {
        "README.md": ("2.6<!-- 11#", "2.5<!-- 11#"),
        "docs/estimators.md": ("{}] --> | +2.4 |", "{}] --> | +2.2 |"),
        "src/studylib/studies/mushrooms/source.toml": ("three<!-- mush-perfect", "two<!-- mush-perfect"),
        "notebooks/11_blended_forest.ipynb": ("2.6<!-- 11#", "2.5<!-- 11#"),
    }
    for name, (right, wrong) in changed.items():
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert right in text
        (tmp_path / name).write_text(text.replace(right, wrong, 1), encoding="utf-8")
    said = prose.write(tmp_path)
    assert len(said) == len(changed)
    assert any("README.md" in line and "2.5 → 2.6" in line for line in said)
    for name in changed:
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes(), name
    assert prose.write(tmp_path) == []


def test_the_command_says_what_it_knows(capsys, monkeypatch):
    assert prose.main(["--what"]) == 2
    monkeypatch.setattr(prose, "check", lambda: ["a problem"])
    assert prose.main(["--check"]) == 1
    monkeypatch.setattr(prose, "check", list)
    assert prose.main([]) == 0
    assert "a problem" in capsys.readouterr().out


#: Sentences that once stood in README, guide and notebooks, and what the checker says of them.
OLD_SENTENCES = {
    "The report at the sources' scale is already here, and needs neither.": "the full-scale report is included",
    "Its leaf model γ is interchangeable": "is pluggable",
    "a model that somebody reads": "a model people can read",
    "The last row refuses them in a sentence that names the column and what to do.": "raises an error that names",
    "A missing number is below no threshold.": "never satisfies",
    "files that let a stranger check its verdicts": "let anyone verify",
    "Whoever can reach the scheduler's port can run code": "anyone who can reach",
    "a rule that asks for a billion decimals was computed for ever.": "never finished",
    "Say what you typed, what you expected and what came.": "what you expected and what happened",
    "## For whom does GRAF pay?": "when is it worth using",
    "It takes 3 times as long as ours.": "N× slower",
    "with a probability of 95 %": "without a space",
    "A result depends on the code that its cells can reach, on its data files, on its parameters, and on the versions of the "
    "packages that compute (numpy, numba, scikit-learn, scipy, pandas, and others that the code imports).":
        "a sentence of 38 words, at most 30",
}  # fmt: skip


@pytest.mark.parametrize("old", OLD_SENTENCES)
def test_an_old_sentence_is_refused_with_what_to_write(old):
    said = prose.plainness([prose.Text(Path("docs/page.md"), f"# Page\n\nFirst.\n\n{old}\n")])
    assert any(OLD_SENTENCES[old] in problem for problem in said), said
    assert all(problem.startswith("docs/page.md:5: ") for problem in said)


def test_there_is_a_plainer_phrase_for_each_of_the_83():
    assert len(sentences.PHRASES) == 83
    assert all(instead for instead in sentences.WORDS.values())


@pytest.mark.parametrize(
    "raw",
    [
        "We cannot tell it apart from the best, so tell us whether 95% is enough.",
        "`beside=` and $anew$ are no words; nor is <!-- 11#beside[per cent; mean] --> a comment.",
        "| a label without an end, however long it may be: "
        + "word " * 40
        + "| two |\n|---|---|\n| cells | here |\n",
        "```\nwhoever mended this for ever\n```",
        "A pruned tree is 0.9 percentage points more accurate.",
        " ".join(f"Sentence {i} is short. `code` stands first here." for i in range(30)),
    ],
)
def test_a_plain_text_passes(raw):
    assert prose.plainness([prose.Text(Path("docs/page.md"), raw)]) == []


def test_half_of_the_sentences_of_a_page_are_short():
    long = "This sentence has exactly nineteen words, which is one more than the median sentence of any page may have. "
    assert "the median sentence has 19 words" in prose.plainness([prose.Text(Path("a.md"), long * 10)])[0]
    assert prose.plainness([prose.Text(Path("a.md"), long * 5 + "Short. " * 6)]) == []
    assert prose.plainness([prose.Text(Path("a.md"), long * 9)]) == []  # too few to say


def test_sentences_are_those_that_a_reader_sees():
    raw = (
        "# No sentence\n\n- One item of *several* [words](a.md). Figs. 2 and 3, e.g. 1.5 by J. Doe! **Bold.**\n\n"
        "| a | b |\n|---|---|\n| `x` | A cell is one. And two. |\n"
    )
    assert [said for _, said in sentences.sentences(raw)] == [
        "One item of *several* words.",
        "Figs. 2 and 3, e.g. 1.5 by J. Doe!",
        "Bold.",
        "A cell is one.",
        "And two.",
    ]
    assert sentences.length("`code` – two words") == 3


def test_rules_and_templates_are_not_read_for_style():
    read = {str(text.path): text.read for text in prose.texts(FIELDS.study)}
    assert not read["src/studylib/study/site/templates/index.html.j2"]
    rules = [t for t in prose.texts(FIELDS.study) if not t.read and t.path.suffix == ".toml"]
    assert len(rules) == len(FIELDS.study.ledger.claims)
