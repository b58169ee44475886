"""The files that a user starts from: lock, environments, Makefile, README, public docstrings."""

import importlib.util
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

import studylib
from studylib.datasets import mushroom
from studylib.datasets._uci_archive import SUITE, TABLE
from studylib.study.ledger.study import read_study
from studylib.study.terminal import silence
from tests.conventions.registry import ESTIMATORS

ROOT = Path(__file__).parents[1]
STUDY = read_study(ROOT)
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_architecture_names_every_module():
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    names = {path.stem for path in (ROOT / "src").rglob("*.py")} - {"__init__", "__main__"}
    assert {name for name in names if not re.search(rf"(?<![a-z]){name}(?![a-z])", page)} == set()


def test_every_requirement_is_locked_within_its_range():
    pinned = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]+\])?==([^\s;\\]+)", LOCK, re.MULTILINE):
        pinned.setdefault(name.lower().replace("_", "-"), []).append(version)
    extras = PYPROJECT["project"]["optional-dependencies"].values()
    limits = (ROOT / "tools/lock.in").read_text(encoding="utf-8").splitlines()
    wanted = [*PYPROJECT["project"]["dependencies"], *(r for extra in extras for r in extra)]
    wanted += [line for line in limits if line and not line.startswith("#")]
    for requirement in map(Requirement, wanted):
        versions = pinned[requirement.name.lower()]
        assert all(requirement.specifier.contains(v) for v in versions), requirement.name


def test_lock_has_hashes_and_no_address():
    blocks = re.split(r"^(?=[A-Za-z0-9])", LOCK, flags=re.MULTILINE)[1:]
    assert len(blocks) > 100
    assert all("--hash=sha256:" in block for block in blocks)
    assert "://" not in LOCK
    assert "--index-url" not in LOCK
    assert "--find-links" not in LOCK


def test_conda_environment_installs_the_same_lock():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    python, pip, packages = environment["dependencies"]
    assert python == "python" + PYPROJECT["project"]["requires-python"]
    assert pip == "pip"
    assert packages == {"pip": ["-r requirements.lock"]}


def test_the_pythons_that_were_tried_are_those_of_ci():
    kind = "Programming Language :: Python :: "
    oldest, *others = (c.removeprefix(kind) for c in PYPROJECT["project"]["classifiers"] if kind in c)
    assert PYPROJECT["project"]["requires-python"] == f">={oldest}"
    ci = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert f"path_of {oldest} " in ci
    assert set(others) <= set(re.search(r"for version in (.+); do", ci)[1].split())  # and those that come


def test_the_page_of_installation_says_what_classifiers_and_ci_say():
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    classifiers = PYPROJECT["project"]["classifiers"]
    kind = "Programming Language :: Python :: "
    first, *_, last = (c.removeprefix(kind) for c in classifiers if kind in c)
    run = [line for line in page.splitlines() if line.startswith("|") and "run here" in line]
    assert [line.split(" | ")[0] for line in run] == [f"| Linux, Python {first} to {last}"]
    assert [c for c in classifiers if "Operating System" in c] == ["Operating System :: POSIX :: Linux"]
    for workflow in (ROOT / ".github/workflows").iterdir():
        jobs = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
        assert {job["runs-on"] for job in jobs} == {"ubuntu-latest"}
    container = (ROOT / "Containerfile").read_text(encoding="utf-8")
    assert re.search(r"^FROM \S+:(.+)-slim$", container, re.MULTILINE)[1] == first
    # All ways install the same lock, and then this project with the same words.
    binder = (ROOT / "postBuild").read_text(encoding="utf-8")
    words = "pip install --no-deps --no-build-isolation --editable ."
    assert all(words in text for text in (binder, page, (ROOT / "environment.yml").read_text()))
    assert (ROOT / "postBuild").stat().st_mode & 0o100
    for name in (".dockerignore", "Containerfile", "postBuild", "environment.yml"):
        assert (ROOT / name).is_file()


def test_all_files_name_one_version():
    version = PYPROJECT["project"]["version"]
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert version == studylib.__version__ == str(citation["version"])
    assert f"version = {{{version}}}" in (ROOT / "docs/evidence.md").read_text(encoding="utf-8")


def test_data_checksums_are_those_of_the_loaders():
    lines = (ROOT / "data/SHA256SUMS").read_text(encoding="utf-8").splitlines()
    tables = (mushroom.SECONDARY, mushroom.PRIMARY)
    comment = lines.pop()
    assert lines == [f"{t.sha256}  {t.path}" for t in tables]
    assert comment.startswith(f"# {SUITE.path} has a checksum for each set")
    assert (ROOT / comment.split()[-1]).samefile(TABLE)


def test_data_files_of_the_study_are_those_of_the_loaders():
    loaders = {}
    for file in STUDY.data.values():
        module, _, name = file.check.partition(":")
        loaders[file.path] = getattr(importlib.import_module(module), name).path
    assert {SUITE.path, mushroom.SECONDARY.path, mushroom.PRIMARY.path} <= set(loaders)
    assert all(path == loader for path, loader in loaders.items())


def test_docs_name_every_notebook():
    page = (ROOT / "docs/notebooks.md").read_text(encoding="utf-8")
    for name in STUDY.notebooks:
        assert f"notebooks/{name}.ipynb" in page


def test_readme_and_citation_name_every_source():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for source in STUDY.ledger.sources.values():
        assert f"*{source.title}*" in README
        assert source.title in citation


#: Functions and classes in an ``__all__`` of the modules that study.toml lists as API, by their full names.
CALLABLES = {
    f"{module.__name__}.{name}": thing
    for module in map(importlib.import_module, STUDY.api)
    for name in module.__all__
    if inspect.isroutine(thing := getattr(module, name))
    or (inspect.isclass(thing) and not issubclass(thing, Exception))
}


@pytest.mark.parametrize("name", CALLABLES)
def test_public_docstring_names_the_parameters_of_the_signature(name):
    thing = CALLABLES[name]
    assert inspect.getdoc(thing), name
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n[A-Z][a-z]+\n-+|\Z)", inspect.getdoc(thing), re.DOTALL)
    documented = set()
    if section:
        for line in section.group(1).splitlines():
            if line and not line.startswith(" "):
                names = line.split(":")[0] if ":" in line else line.split(" : ")[0]
                documented |= {n.strip(" *") for n in names.split(",")}
    parameters = {p for p in inspect.signature(thing).parameters if p not in ("self", "args", "kwargs")}
    simple = not section and len(parameters) <= 2
    if not (simple or hasattr(thing, "_fields")):
        assert documented == parameters


@pytest.fixture
def warm_up():
    path = ROOT / "tools" / "warm_up.py"
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location("warm_up", path))
    module.__spec__.loader.exec_module(module)
    return module


def test_every_classifier_is_warmed_up(warm_up):
    registered = {type(e) for e in ESTIMATORS if hasattr(type(e), "predict_proba")}
    assert {type(e) for e in warm_up.classifiers()} == registered


def test_what_cannot_be_compiled_does_not_fail_the_set_up(warm_up, monkeypatch):
    class Broken:
        def get_params(self):
            raise RuntimeError("no compiler")

    monkeypatch.setattr(warm_up, "classifiers", lambda names: [Broken()])
    with silence("studylib"):  # as the process that compiles is, from then on
        assert warm_up.fit(0) == "Broken: RuntimeError: no compiler"
    assert "python tools/warm_up.py || true" in (ROOT / "Makefile").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="no clone of the repository")
def test_a_clone_with_the_line_ends_of_windows_is_verified(tmp_path):
    clone = ["git", "-c", "core.autocrlf=true", "clone", "-q", "--shared", ROOT, tmp_path / "clone"]
    subprocess.run(clone, check=True)
    verify = [sys.executable, "reports/paper/verify.py"]
    done = subprocess.run(verify, cwd=tmp_path / "clone", capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    for name in ("tools/setup.sh", "Makefile", "data/SHA256SUMS"):
        assert b"\r" not in (tmp_path / "clone" / name).read_bytes()


def test_where_the_user_lets_pip_install_does_not_count_in_the_environment(tmp_path):
    python, seen = tmp_path / "python", tmp_path / "seen"
    python.write_text(f"""#!/bin/sh
case "$2" in
    venv) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
    pip) env | grep ^PIP_ >{seen} ;;
esac
""")
    python.chmod(0o755)
    variables = {"PIP_USER": "1", "PIP_TARGET": "t", "PIP_PREFIX": "p", "PIP_INDEX_URL": "a mirror"}
    variables |= {"PATH": "/usr/bin:/bin", "PYTHON": str(python), "VENV": str(tmp_path / "v"), "UV": "uv"}
    subprocess.run(["sh", ROOT / "tools/setup.sh"], env=variables, capture_output=True, check=True)
    assert sorted(seen.read_text().split("\n")) == ["", "PIP_INDEX_URL=a mirror", "PIP_USER=0"]
