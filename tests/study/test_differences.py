"""What ``studylib diff`` says of two reports, and of those that are damaged or hostile."""

import json
import os

import pytest

from studylib.core.files import write_json
from studylib.study import cli
from studylib.study.evidence.differences import differences
from studylib.study.evidence.untrusted import MOST_PARSED
from tests.study.small_study import rewrite, write_study

PATHS = "evidence.json", "results/toy.json", "tasks/toy.jsonl"
VERDICTS = {"one": "reproduced", "two": "inconclusive"}
METRICS = {"sum": (2.0, 0.5), "errors": (0.0, 0.0)}
TASKS = {"work": [1, {"mean": 0.25}], "clock": [3.5]}


def report(folder, verdicts=VERDICTS, metrics=METRICS, tasks=TASKS, notebook="toy", **manifest):
    """A made-up report of one notebook; returns its folder."""
    claims = {k: {"notebook": notebook, "rule_sha256": k, "verdict": v} for k, v in verdicts.items()}
    files = dict.fromkeys([f"results/{notebook}.json", f"tasks/{notebook}.jsonl"], "")
    manifest = {"profile": "quick", "ledger_sha256": "1", **manifest}
    for part in ("results", "tasks"):
        (folder / part).mkdir(parents=True)
    write_json(folder / "evidence.json", {"study": "Toys", "files": files, "claims": claims, **manifest})
    metrics = {k: {"value": value, "tolerance": tolerance} for k, (value, tolerance) in metrics.items()}
    write_json(folder / f"results/{notebook}.json", {"metrics": metrics})
    entries = [
        {"task": task, "key": {"i": i}, "context": "c", "result": result, "seconds": 1}
        for task, results in tasks.items()
        for i, result in enumerate(results)
    ]
    rewrite(folder / f"tasks/{notebook}.jsonl", entries)
    return folder


@pytest.fixture
def first(tmp_path):
    return report(tmp_path / "first")


def compared(first, second, **options):
    """The lines, without the spaces between columns, and whether all verdicts agree."""
    lines, agree = differences([first, second], {"toy": ("clock",)}, **options)
    return [" ".join(line.split()) for line in lines], agree


HEAD = "tasks of same differ only first only second timed"


def test_equal_reports_are_said_to_be(first):
    lines, agree = compared(first, first)
    assert agree
    assert lines == [
        "2 verdicts: 2 the same, 0 differ",
        "2 metrics: 2 the same, 0 differ",
        HEAD,
        "toy 2 0 0 0 1",
    ]


def test_verdicts_metrics_and_tasks_that_differ_are_listed(first, tmp_path):
    second = report(
        tmp_path / "second",
        {"one": "reproduced", "two": "not reproduced", "three": "checked"},
        {"sum": (2.5, 0.5), "errors": (1e-9, 0.0), "new": (1.0, 0.0)},
        {"work": [1, {"mean": 0.75}, 5], "clock": [9.5]},
    )
    lines, agree = compared(first, second)
    assert not agree
    assert lines == [
        "3 verdicts: 1 the same, 1 differs, 1 only in the second",
        "claim first second",
        "two inconclusive not reproduced",
        "three – checked",
        "3 metrics: 1 the same, 1 differs, 1 only in the second; largest relative difference 1",
        "notebook metric first second relative difference",
        "toy errors 0.0 1e-09 1",
        HEAD,
        "toy 1 1 0 1 1",
        "tasks that differ, the first few, with both results:",
        'toy: work for {"i": 1}',
        '{"mean": 0.25}',
        '{"mean": 0.75}',
    ]


def test_other_profiles_and_ledgers_are_said_first(first, tmp_path):
    second = report(tmp_path / "second", profile="paper", ledger_sha256="2")
    claims = {"one": {"notebook": "toy", "rule_sha256": "new", "verdict": "reproduced"}}
    manifest = json.loads((second / "evidence.json").read_text())
    write_json(second / "evidence.json", {**manifest, "claims": manifest["claims"] | claims})
    lines, agree = compared(first, second)
    assert agree
    assert lines[:3] == [
        "Not the same profile: quick and paper.",
        "Not the same ledger; 2 rules: 1 the same, 1 differs.",
        "2 verdicts: 2 the same, 0 differ",
    ]


def test_much_that_differs_stays_short(first, tmp_path):
    verdicts = {f"claim-{k:03}": "reproduced" for k in range(100)}
    tasks = {"work": [["x" * 1000 + str(k)] for k in range(100)]}
    others = {"work": [["x" * 1000 + str(k + 1)] for k in range(100)]}
    left = report(tmp_path / "one", verdicts, tasks=tasks)
    two = report(tmp_path / "two", dict.fromkeys(verdicts, "checked"), tasks=others)
    lines, _ = compared(left, two)
    assert lines[0] == "100 verdicts: 0 the same, 100 differ"
    assert lines[22] == "… and 80 more"
    assert lines[-2:] == [f'…{"x" * 19}{k}"]' for k in (11, 12)]  # where they differ: keys 0, 1, 10, as text
    assert len(lines) < 40
    assert max(map(len, lines)) < 200


def test_one_notebook_can_be_compared(first, tmp_path):
    other = report(tmp_path / "other", notebook="others")
    assert compared(first, first, notebook="toy") == compared(first, first)
    assert (
        compared(first, other, notebook="toy")[0][0]
        == "2 verdicts: 0 the same, 0 differ, 2 only in the first"
    )
    with pytest.raises(ValueError, match=r"^diff: neither report has results of third\.$"):
        compared(first, other, notebook="third")


def test_the_exit_code_says_whether_verdicts_agree(first, tmp_path, capsys):
    write_study(tmp_path / "study")
    second = report(tmp_path / "second", {"one": "checked"}, tasks={"work": [2]})

    def diff(*words):
        return cli.main(["diff", *map(str, words), "--study", str(tmp_path / "study")])

    assert diff(first, first) == 0
    assert "toy       3     0       0           0            0" in capsys.readouterr().out
    assert diff(first, second, "--notebook", "to") == 3
    assert "2 verdicts: 0 the same, 1 differs, 1 only in the first" in capsys.readouterr().out
    assert diff(first, tmp_path / "nothing") == 2
    out, error = capsys.readouterr()
    assert (out, error.count("\n")) == ("", 1)
    assert "nothing: evidence.json cannot be read (No such file or directory)." in error


def of(change):
    """Content that differs from the right one by a change of the data."""

    def content(text):
        data = json.loads(text)
        change(data)
        return json.dumps(data).encode()

    return content


WRONG = {
    "half": lambda text: text[:-9],
    "nothing": lambda text: b"",
    "a list": lambda text: b"[]",
    "deep": lambda text: b"[" * 100_000,
    "no UTF-8": lambda text: b'{"claims": "\xff"}',
    "NaN": lambda text: b'{"metrics": NaN}',
    "digits": lambda text: b'{"metrics": ' + b"1" * 5000 + b"}",
    "large": lambda text: b" " * (MOST_PARSED + 1),
}
HOSTILE = {
    **{
        f"{path}: {what}": (path, content)
        for path in PATHS
        for what, content in WRONG.items()
        if (path, what) != (PATHS[2], "nothing")  # of tasks there may be none
    },
    "files of numbers": (PATHS[0], of(lambda e: e.update(files={"results/toy.json": 1}))),
    "no claims": (PATHS[0], of(lambda e: e.pop("claims"))),
    "verdict of numbers": (PATHS[0], of(lambda e: e["claims"]["one"].update(verdict=[]))),
    "dots": (PATHS[0], of(lambda e: e["files"].update({"results/../../../x.json": ""}))),
    "absolute": (PATHS[0], of(lambda e: e["files"].update({"results//etc/passwd.json": ""}))),
    "a name that the terminal obeys": (
        PATHS[0],
        of(lambda e: e["files"].update({"results/\x1b[2J\n.json": ""})),
    ),
    "infinite": (PATHS[1], lambda text: text.replace(b"2.0", b"1e999")),
    "huge": (PATHS[1], lambda text: text.replace(b"2.0", b"9" * 4000)),
    "a tolerance of text": (PATHS[1], lambda text: text.replace(b"0.5", b'"0.5"')),
    "an altered result": (PATHS[2], lambda text: text.replace(b"0.25", b"0.75")),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_or_hostile_report_is_one_sentence(first, tmp_path, name):
    second = report(tmp_path / "second")
    path, content = HOSTILE[name]
    (second / path).write_bytes(content((second / path).read_bytes()))
    with pytest.raises(ValueError, match=r"^diff: .*second: .* cannot be read \(.+\)\.$") as error:
        differences([first, second], {})
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 1500


@pytest.mark.skipif(os.name != "posix", reason="pipes and links")
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("make", "message"),
    [
        (os.mkfifo, "it is no plain file"),
        (lambda path: path.symlink_to(__file__), "it is not in the folder of the report"),
        (lambda path: (path.touch(), os.truncate(path, 3 << 30)), "all files of a report may have 500 MB"),
    ],
)
def test_only_plain_files_of_a_limited_size_are_read(first, tmp_path, path, make, message):
    second = report(tmp_path / "second")
    (second / path).unlink()
    make(second / path)
    with pytest.raises(ValueError, match=message):
        differences([first, second], {})


def test_verdicts_of_a_hostile_report_are_shown_as_text(first, tmp_path):
    second = report(tmp_path / "second", {"one": "\x1b[2J\nreproduced" + "x" * 10**6})
    lines, agree = compared(first, second)
    assert not agree
    assert lines[2].startswith(r"one reproduced \x1b[2J\nreproducedxxx")
    assert all(line.isprintable() and len(line) < 200 for line in lines)
