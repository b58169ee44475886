"""A study is a folder: what its files may say, and the one that ``studylib new`` writes."""

import contextlib
import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from studylib.core.data import STUDY_VARIABLE
from studylib.core.files import file_hash
from studylib.study import cli
from studylib.study.ledger.reading import notebook_from_text
from studylib.study.ledger.schema import SchemaError
from studylib.study.ledger.study import current_study, read_study
from tests.study.small_study import change, environment, use, write_study


@pytest.fixture
def folder(tmp_path):
    write_study(tmp_path / "study")
    return tmp_path / "study"


def test_a_study_says_its_title_sources_notebooks_and_data(folder):
    study = read_study(folder)
    assert (study.title, study.subtitle) == ("Small study", "For tests")
    assert list(study.notebooks) == ["toy"]
    assert study.notebook("toy").parameters_for("quick") == {"profile": "quick", "n": 3}
    assert study.notebook("toy").parameters_for("paper") == {"profile": "paper"}
    assert list(study.data) == ["toy.csv"]
    assert [(s.short, s.author) for s in study.ledger.sources.values()] == [("Someone", "Some One")]
    assert study.ledger.claims["some-claim"].source == "Someone"


def test_a_number_is_the_text_that_was_written_where_a_text_is_asked_for(folder):
    change(folder / "sources/someone/claims.toml", 'value = "1"', "value = 0.60")
    change(folder / "sources/someone/claims.toml", 'place = "p. 1"', "place = 3")
    claim = read_study(folder).ledger.claims["some-claim"]
    assert (claim.value, claim.place) == ("0.60", "3")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("study.toml", "title =", "titel =", "study.toml: has the unknown key 'titel'; allowed are title, subtitle"),
        ("study.toml", 'title = "Small study"', "title = true", "study.toml: key 'title' must be a string, got True."),
        ("study.toml", "[notebook.toy]", "[notebook.toy]\nclaims = ['other']", r"\[notebook.toy\] key 'claims' names 'other', which no source has"),
        ("study.toml", 'title = "Small study"', "", "study.toml: lacks the key 'title', a string."),
        ("study.toml", "title =", "title", r"study.toml: is not valid TOML: .*line 2"),
        ("study.toml", "[notebook.toy]", "[notebook.toy]\ntimed = ['another']", "key 'timed' names 'another', which is neither one of its claims nor a task"),
        ("study.toml", "n = 3", "n = nan", "study.toml: "),
        ("study.toml", "n = 3", "n = 1" + "0" * 400, "study.toml: "),
        ("study.toml", "n = 3", "n = 1" + "0" * 5000, "study.toml: "),
        ("study.toml", "n = 3", "n = " + "[" * 3000, "study.toml: "),
        ("study.toml", "n = 3", "n = 2024-01-01", r"\[notebook.toy.quick\] key 'n' must be a string, a number"),
        ("study.toml", 'data = ["toy.csv"]', 'data = "toy.csv"', r"\[notebook.toy\] key 'data' must be a list of strings"),
        ("study.toml", 'data = ["toy.csv"]', 'data = ["x.csv"]', r"key 'data' names 'x.csv', which \[data\] does not have"),
        ("study.toml", "[notebook.toy.quick]", "[notebook.toy.fast]", r"\[notebook.toy\] has the unknown key 'fast'; allowed are data, claims, data_are, timed, uses, smoke, quick, paper"),
        ("study.toml", "[notebook.toy]", '[notebook."../toy"]\n[notebook.toy]', r"study.toml: a notebook must have a name of letters, .*, got '../toy'"),
        ("study.toml", "title =", 'profiles = ["smoke", "x; rm -r ~"]\ntitle =', "study.toml: a profile must have a name of letters, .*, got 'x; rm -r ~'"),
        ("sources/someone/source.toml", "author", "link = 'javascript:x'\nauthor", "source.toml: key 'link' must begin with http:// or https://, got 'javascript:x'"),
        ("study.toml", "title =", 'guide.Learn = ["docs/x.md"]\ntitle =', r"study.toml: \[guide\] names 'docs/x.md' in 'Learn', and there is no such file."),
        ("study.toml", "[notebook.toy]", "[notebook]\none = 3\n[notebook.toy]", r"\[notebook\] key 'one' must be a table, got 3"),
        ("sources/someone/claims.toml", 'kind = "exact"', 'kind = "exakt"', r"claims.toml: \[\[claim\]\] 'some-claim' key 'kind' must be one of exact, tolerance, .*, got 'exakt'"),
        ("sources/someone/claims.toml", "[claim.judge]", "[claim.amended]\n[claim.judge]", r"\[\[claim\]\] 'some-claim' key 'amended' must be a list of tables, got {}"),
        ("sources/someone/claims.toml", "[claim.judge]", "[[claim.amended]]\n[claim.judge]", r"'some-claim', \[\[claim.amended\]\] number 1 lacks the key 'date'"),
        ("sources/someone/claims.toml", 'id = "some-claim"', "", r"\[\[claim\]\] number 1 lacks the key 'id'"),
        ("sources/someone/source.toml", "short", "finding = { figure = 'toy' }\nshort", r"source.toml: \[finding\] lacks the key 'text'"),
        ("sources/someone/source.toml", "short", "finding = { text = 'So.', rests_on = { no = 'partly' } }\nshort", r"\[finding\] key 'rests_on' names the unknown claim 'no'"),
        ("sources/someone/source.toml", "short", "finding = { text = 'So.', rests_on = { some-claim = 'maybe' } }\nshort", r"\[finding.rests_on\] key 'some-claim' must be one of reproduced, .*, got 'maybe'"),
        ("sources/someone/source.toml", "short", "finding = { text = 'So.', figure = 'toy#x' }\nshort", r"key 'figure' must be a notebook's name, if need be with # .*, got 'toy#x'"),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_key_and_what_is_allowed(
    folder, file, old, new, message, monkeypatch, capsys
):
    change(folder / file, old, new)
    with pytest.raises(SchemaError, match=message) as caught:
        _ = read_study(folder).ledger
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400 + len(str(folder))
    monkeypatch.setenv("STUDYLIB_STUDY", str(folder))
    assert cli.main(["list"]) == 2
    assert re.search(message, capsys.readouterr().err)


def test_an_id_used_twice_and_a_deviation_of_nothing_are_refused(folder):
    claims, deviations = (folder / f"sources/someone/{name}.toml" for name in ("claims", "deviations"))
    deviations.write_text('[[deviation]]\nplace = "p"\ntext = "t"\nclaims = ["no"]\n')
    with pytest.raises(SchemaError, match="a deviation of Someone names the unknown claim 'no'"):
        _ = read_study(folder).ledger
    claims.write_text(claims.read_text() * 2)
    with pytest.raises(SchemaError, match="the id 'some-claim' is used twice"):
        _ = read_study(folder).ledger
    shutil.copytree(folder / "sources/someone", folder / "sources/another")
    with pytest.raises(SchemaError, match="two sources are called 'Someone' in short"):
        _ = read_study(folder).ledger


def test_a_whole_name_is_that_of_its_notebook_though_others_begin_so(tmp_path):
    write_study(tmp_path, names=("toy", "toy_two", "toy_three"))
    study = read_study(tmp_path)
    assert [study.find(start).name for start in ("toy", "toy_tw")] == ["toy", "toy_two"]


def test_a_folder_without_a_study_is_one_sentence(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("STUDYLIB_STUDY", str(tmp_path))
    assert cli.main(["list"]) == 2
    errors = capsys.readouterr().err
    assert "study.toml: cannot be read" in errors
    assert errors.count("\n") == 1


def test_a_changed_file_is_read_again(folder, monkeypatch):
    monkeypatch.setenv("STUDYLIB_STUDY", str(folder))
    assert current_study().title == "Small study"
    change(folder / "study.toml", "Small study", "Another title")
    assert current_study().title == "Another title"


def test_published_tables_are_where_their_loaders_look(folder, tmp_path, monkeypatch):
    use(folder, monkeypatch)
    monkeypatch.setenv("STUDYLIB_DATA", str(tmp_path / "elsewhere"))
    with (folder / "study.toml").open("a") as file:
        file.write('[data."published.csv"]\ncheck = "somewhere:TABLE"\n')
    (folder / "data/published.csv").touch()
    study = read_study(folder)
    assert study.data_path("published.csv") == tmp_path / "elsewhere/published.csv"
    assert study.data_path("toy.csv") == folder / "data/toy.csv"


def test_the_profiles_are_the_studys_own(folder, monkeypatch, capsys):
    change(folder / "study.toml", 'subtitle = "For tests"', 'profiles = ["smoke", "quick", "huge"]')
    with (folder / "study.toml").open("a") as file:
        file.write("[notebook.toy.huge]\nn = 9\n")
    assert read_study(folder).notebook("toy").parameters_for("huge") == {"profile": "huge", "n": 9}
    assert cli.main(["status", "--study", str(folder), "--profile", "paper"]) == 2
    assert "profile must be one of smoke, quick, huge, got 'paper'" in capsys.readouterr().err


@pytest.fixture(scope="module")
def new_study(tmp_path_factory):
    """A study written by ``studylib new``, reproduced from elsewhere by its name.

    ``STUDYLIB_DATA`` is set for another study, which has another file of the same name.
    """
    folder = tmp_path_factory.mktemp("somewhere") / "my-first_study"
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "iris.csv").write_text("petal_length,petal_width,species\n")
    with pytest.MonkeyPatch.context() as patch:
        for name in environment(folder):
            patch.delenv(name, raising=False)
        patch.setenv("STUDYLIB_DATA", str(elsewhere))
        assert cli.main(["new", str(folder)]) == 0
        assert cli.main(["reproduce", "--study", str(folder)]) == 0
    return folder


@pytest.mark.parametrize(
    ("name", "title", "heading"),
    [
        ("{sha256}", "{sha256}", "{sha256}"),
        ("{x}\\'\"", "{x}\\'\"", "{x}\\\\'\""),
        ("a\nb\x1b\x7f\udcff", "A b", "A b"),
        ("*[a](b) <i>&$`", "*[a](b) <i>&$`", "\\*\\[a\\](b) \\<i\\>\\&\\$\\`"),
        ("- ", "A study", "A study"),
    ],
)
def test_the_name_of_a_folder_is_text_wherever_a_new_study_has_it(tmp_path, name, title, heading, capsys):
    folder = tmp_path / name
    assert cli.main(["new", str(folder)]) == 0
    assert read_study(folder).title == title
    assert (folder / "README.md").read_text().startswith(f"# {heading}\n")
    output = capsys.readouterr().out
    assert "\x1b" not in output
    if name.isprintable():
        assert shlex.split(output.splitlines()[-1])[-1] == str(folder)


def test_anyone_who_gets_a_new_study_can_install_reproduce_and_verify_it(tmp_path):
    assert cli.main(["new", str(tmp_path)]) == 0
    files = {p.relative_to(tmp_path).as_posix(): p.read_text() for p in tmp_path.rglob("*") if p.is_file()}
    assert "data/** -text" in files[".gitattributes"].splitlines()  # its bytes have a checksum
    assert "!reports/paper/" in files[".gitignore"].splitlines()
    lines = [n for n in files["requirements.txt"].splitlines() if n and not n.startswith("#")]
    (library,) = (n for n in lines if n.startswith("studylib "))
    assert sum(text.count("@ git+ADDRESS") for text in files.values()) == 1
    Requirement(library.replace("ADDRESS", "https://example.org/studylib.git"))
    pins = {r.name: r.specifier for r in map(Requirement, set(lines) - {library})}
    # Of its own needs, of what those need, and of an extra that one of those needs.
    assert {"numpy", "papermill", "jupyterlab", "llvmlite", "fqdn"} <= pins.keys()
    assert pins.keys().isdisjoint({"pytest", "ruff", "lightgbm", "dask"})
    assert all(str(pin) == f"=={metadata.version(name)}" for name, pin in pins.items())
    (job,) = yaml.safe_load(files[".github/workflows/reproduce.yml"])["jobs"].values()
    python = ".".join(map(str, sys.version_info[:2]))
    assert job["steps"][1]["with"]["python-version"] == python
    assert f"Python {python} " in files["README.md"]
    steps = "\n".join(step.get("run", "") for step in job["steps"])
    for words in re.findall(r"studylib (\w+[^;\n]*)", steps):
        assert cli._parser().parse_args(words.split()).study == "."
    for name in re.findall(r"^\| `(.+?)` \|", files["README.md"], re.MULTILINE):
        assert name == "reports/" or (tmp_path / name).exists()


@pytest.mark.slow
def test_a_new_study_runs_and_judges_its_claim(new_study):
    report = new_study / "reports/quick"
    verdicts = json.loads((report / "evidence.json").read_text())
    assert verdicts["claims"]["fisher-setosa"]["verdict"] == "reproduced"
    index = (report / "index.html").read_text()
    assert "<h1>My first study</h1>" in index
    assert "1 checkable statement from 1 source" in index
    assert "A reproducible study of tree-ensemble research" not in index
    assert "The use of multiple measurements" in index
    assert "Petal length alone does separate" in index
    assert "Written for another run" not in index
    assert 'href="01_petals.html#figure-1"' in index
    assert "Histogram of petal length by species" in index
    page = (report / "01_petals.html").read_text()
    assert "What came out" in page
    assert 'href="claims.html#claim-fisher-setosa"' in page


@pytest.mark.slow
def test_a_new_study_keeps_its_own_modules_and_data_in_its_keys(new_study, monkeypatch):
    stamp = json.loads((new_study / "reports/quick/stamps/01_petals.json").read_text())
    assert "sources/fisher/experiments.py" in stamp["inputs"]["code"]
    assert stamp["inputs"]["data"] == {"iris.csv": file_hash(new_study / "data/iris.csv")}
    monkeypatch.delenv("STUDYLIB_DATA", raising=False)
    monkeypatch.delenv("STUDYLIB_REPORTS", raising=False)
    monkeypatch.setenv("STUDYLIB_STUDY", str(new_study))
    assert cli.main(["status"]) == 0
    copy = new_study.with_name("edited")
    shutil.copytree(new_study, copy)
    change(copy / "sources/fisher/experiments.py", "/ 2", "/ 2.0001")
    assert cli.main(["status", "--study", str(copy)]) == 3
    (copy / "data/iris.csv").write_text("changed\n")
    assert cli.main(["data", "--study", str(copy)]) == 2


@pytest.mark.slow
def test_the_tutorial_of_the_guide_leads_to_a_judged_and_amended_report(tmp_path, monkeypatch, capsys):
    guide = Path(__file__).parents[2] / "docs/extending.md"
    tutorial = guide.read_text(encoding="utf-8").partition("## Tutorial")[2].partition("\n## ")[0]
    start, *files, run, amend = re.split(r"^\*\*Step \d: ", tutorial, flags=re.MULTILINE)[1:]
    block = re.compile(r"^```[a-z]*\n(.*?)^```", re.DOTALL | re.MULTILINE)
    for name in environment(tmp_path):
        monkeypatch.delenv(name, raising=False)
    for command in re.split(r"\n| && ", block.search(start)[1].strip()):
        words = shlex.split(command)
        if words[0] == "studylib":
            assert cli.main([words[1], str(tmp_path / words[2])]) == 0
        elif words[0] != "cd":
            subprocess.run(words, cwd=tmp_path / "maize", check=True)
    folder = tmp_path / "maize"
    monkeypatch.chdir(folder)
    for step in files:
        path, content = re.search(r"`([a-z_0-9]+/.+?|study\.toml)`", step)[1], block.search(step)[1]
        content = content.replace("SHA256", file_hash(folder / "data/maize.csv"))
        Path(path).write_text(notebook_from_text(content) if path.endswith(".ipynb") else content)
    reproduce = shlex.split(block.search(run)[1].splitlines()[0])[1:]
    assert cli.main(reproduce) == 0

    def verdicts():
        claims = json.loads(Path("reports/paper/evidence.json").read_text())["claims"]
        return {name: claim["verdict"] for name, claim in claims.items()}

    assert verdicts() == {"maize-taller": "inconclusive", "maize-ratio": "reproduced"}
    index = Path("reports/paper/index.html").read_text()
    assert 'href="01_heights.html#figure-1"' in index
    assert "depends on the level of confidence" in index
    assert "Written for another run" not in index
    capsys.readouterr()
    claims = Path("sources/darwin/claims.toml")
    amended = "".join(claims.read_text().splitlines(keepends=True)[:-6]) + block.search(amend)[1]
    claims.write_text(amended)
    assert cli.main(["judge", "--profile", "paper"]) == 1
    hashes = set(re.findall(r"\b[0-9a-f]{64}\b", "".join(capsys.readouterr())))
    claims.write_text(amended.replace("...", hashes.pop()))
    assert not hashes
    assert cli.main(["judge", "--profile", "paper"]) == 0
    assert verdicts()["maize-ratio"] == "reproduced"
    assert "the first tolerance was wider" in Path("reports/paper/amendments.html").read_text()
    assert cli.main(["verify", "--profile", "paper"]) == 0


def test_a_folder_that_is_not_empty_is_not_written_into(tmp_path, capsys):
    (tmp_path / "mine.txt").write_text("mine")
    assert cli.main(["new", str(tmp_path)]) == 2
    assert "exists and is not empty" in capsys.readouterr().err
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("notebooks/random.py", "hides Python's own module random; rename it."),
        ("numbers.py", "hides Python's own module numbers; rename it."),
        ("pandas.py", "hides the package pandas, which a run needs; rename it."),
        ("IPython/__init__.py", "hides the package IPython, which a run needs; rename it."),
        ("json/data.py", None),  # a folder hides no module
        ("pytest.py", None),  # installed, and no run needs it
    ],
)
def test_a_module_that_hides_another_is_named(folder, monkeypatch, file, message):
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv(STUDY_VARIABLE, str(folder))
    path = folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text("raise SystemExit\n")
    hiding = path.parent if path.stem == "__init__" else path
    expected = pytest.raises(ValueError, match=f"^{re.escape(f'{hiding} {message}')}$")
    with expected if message else contextlib.nullcontext():
        read_study(folder).use()
