"""Guide and API reference without a browser: every public name is there, and every link resolves."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

from studylib.study.ledger.study import read_study
from studylib.study.site import api, write_api
from tests.study.html_document import Document

STUDY = read_study(Path(__file__).parents[2])
MODULES = [
    "studylib.trees",
    "studylib.trees.criteria",
    "studylib.pcf",
    "studylib.graf",
    "studylib.blend",
    "studylib.datasets",
    "studylib.statistics",
    "studylib.plots",
    "studylib.study",
    "studylib.study.rules",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    report = tmp_path_factory.mktemp("report")
    for name in ("index", *STUDY.notebooks):
        (report / f"{name}.html").write_text("<!doctype html><title>report</title>")
    write_api(report / "api", MODULES, STUDY.guide)
    return report / "api"


@pytest.fixture(scope="module")
def pages(folder):
    return {path.name: Document(path) for path in folder.glob("*.html")}


def test_there_is_a_page_per_module_and_per_page_of_the_guide_and_they_are_small(folder, pages):
    names = {*MODULES, *(page.stem for page in STUDY.guide), "index", "search"}
    assert set(pages) == {f"{name}.html" for name in names}
    assert sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) < 3e6


def test_nothing_comes_from_elsewhere_and_every_link_resolves(folder, pages):
    for name, page in pages.items():
        for tag, attributes, _ in page.elements:
            for key in {"src", "href", "action"} & set(attributes):
                target, _, anchor = attributes[key].partition("#")
                if target.startswith(("https://", "data:")):
                    assert tag == "a", (name, target)
                    continue
                target = target.partition("?")[0]
                assert not target or (folder / target).is_file(), (name, target)
                if anchor and target in (*pages, ""):
                    assert anchor in pages[target or name].ids, (name, attributes[key])
    links = {attributes["href"] for _, attributes in pages["studylib.trees.html"].find("a")}
    assert "../index.html" in links


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_has_its_signature_and_docstring(pages, name):
    page, module = pages[f"{name}.html"], importlib.import_module(name)
    public = getattr(module, "__all__", None) or [
        n for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == name and n[0] != "_"
    ]
    assert public
    for public_name in public:
        thing = getattr(module, public_name)
        if inspect.ismodule(thing):
            continue
        # Here, or in the other package that defines it.
        modules = [
            m for m in (name, *MODULES) if getattr(importlib.import_module(m), public_name, None) is thing
        ]
        heading = [pages[f"{m}.html"].find("dt", id=f"{m}.{public_name}") for m in modules]
        heading = " ".join(next(filter(None, heading))[0][0].split())
        if inspect.isroutine(thing):
            for parameter in inspect.signature(thing).parameters:
                assert re.search(rf"[(,*] ?{parameter}\b", heading), heading
    assert any(f"{name}.{n}" in page.ids for n in public)


def test_members_are_those_of_this_package(pages):
    ids = set(pages["studylib.trees.html"].ids)
    full = "studylib.trees.RandomForestClassifier"
    assert {f"{full}.fit", f"{full}.predict", f"{full}.feature_importances_"} <= ids
    assert (
        not {f"{full}.get_params", f"{full}.score", f"{full}.set_fit_request", f"{full}.n_estimators"} & ids
    )


def test_markup_of_docstrings_is_laid_out(pages):
    for page in pages.values():
        main = page.find("article")[0][0] if page.find("article") else ""
        assert not re.search(r":(class|func|mod|meth|data):|``|={5}|-{5}|^\.\. ", main, re.MULTILINE)
    trees = pages["studylib.trees.html"]
    assert trees.find("a", href="studylib.trees.criteria.html#module-studylib.trees.criteria")
    assert trees.find("a", href="#studylib.trees.NODE_DTYPE")
    assert "One record per node." in trees.source  # the comment above the constant, in another module
    assert "first_child" in [text for text, _ in trees.find("td")]
    assert trees.find("span", class_="gp")


def test_nothing_of_this_machine_is_in_a_page(folder):
    for path in [*folder.rglob("*.html"), *folder.rglob("*.js")]:
        assert not re.search(r"/home/|/root/|/tmp/|site-packages| at 0x", path.read_text(encoding="utf-8"))


def test_sphinx_has_no_warnings_and_writes_the_same_every_time(folder, tmp_path):
    assert api.build(tmp_path / "api", MODULES, STUDY.guide, "../index.html") == ""
    for path in (tmp_path / "api").rglob("*"):
        if path.is_file() and path.name != "index.html":  # write_api adds its mark to that one
            assert (folder / path.relative_to(tmp_path / "api")).read_bytes() == path.read_bytes()


def test_a_reference_that_is_up_to_date_is_left_alone(folder, monkeypatch):
    def fail(*arguments):
        raise AssertionError("Sphinx ran again")

    before = (folder / "index.html").stat().st_mtime_ns
    monkeypatch.setattr(api, "build", fail)
    write_api(folder, MODULES, STUDY.guide)
    assert (folder / "index.html").stat().st_mtime_ns == before
    with pytest.raises(AssertionError, match="ran again"):
        write_api(folder, MODULES, STUDY.guide[:1])
    assert (folder / "index.html").stat().st_mtime_ns == before
    assert not list(folder.parent.glob(".api.*"))


def test_refuses_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="^The link of the report's first page must be relative"):
        write_api(tmp_path / "api", MODULES, index_href="https://evil.example")
    with pytest.raises(ValueError, match="^Modules must be unique, but they are studylib, studylib"):
        write_api(tmp_path / "api", ["studylib", "studylib"])
    with pytest.raises(ValueError, match="^The guide's file names must be unique, but they are x, index"):
        write_api(tmp_path / "api", [], ["a/x.md", "index.md"])
    assert not list(tmp_path.iterdir())


def test_a_study_documents_modules_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "petals.py").write_text(
        '"""Petals."""\n\nfrom json import dumps\n\n__all__ = ["LIMIT", "count", "dumps"]\n\n'
        '#: Most petals.\nLIMIT = 8\n\n\ndef count(flower):\n    """Count the petals."""\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert api.build(tmp_path / "api", ["petals"], [], "../index.html") == ""
    page = Document(tmp_path / "api/petals.html")
    assert {"petals.LIMIT", "petals.count"} <= set(page.ids)
    assert "petals.dumps" not in page.ids
    assert "Most petals." in page.source
    assert api._key(["petals"], [], "") != api._key(["studylib"], [], "")


def test_links_of_the_guide_lead_to_pages_of_the_report(tmp_path):
    (tmp_path / "start.md").write_text(
        "# Start\n\n[a notebook](../notebooks/07_trees.ipynb), [its module](../src/studylib/pcf), [a file](../README.md), "
        "[the next](next.md#more), [far](https://far.example/).\n\n```\n[code](../README.md)\n```\n"
    )
    (tmp_path / "next.md").write_text("# Next\n\n## More\n\nText.\n")
    guide = [tmp_path / "start.md", tmp_path / "next.md"]
    assert api.build(tmp_path / "api", ["studylib.pcf"], guide, "../index.html") == ""
    article = re.search(r"<article.*</article>", (tmp_path / "api/start.html").read_text(), re.DOTALL)[0]
    links = re.findall(r'<a class="reference[^>]* href="([^"]*)">(?:<[^>]*>)?([^<]*)', article)
    assert links == [
        ("../07_trees.html", "a notebook"),
        ("studylib.pcf.html", "its module"),
        ("next.html#more", "the next"),
        ("https://far.example/", "far"),
    ]
    assert "a file" in article
    assert "[code](../README.md)" in article
    assert api._key([], guide, "") != api._key([], guide[:1], "")


def test_a_guide_alone_is_a_site(tmp_path):
    (tmp_path / "start.md").write_text("# Start\n")
    assert api.build(tmp_path / "api", [], [tmp_path / "start.md"], "../index.html") == ""
    assert "API reference" not in (tmp_path / "api/index.html").read_text()


def test_a_failure_of_sphinx_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(api, "_CONFIGURATION", tmp_path)  # no conf.py here
    with pytest.raises(RuntimeError, match=r"^Sphinx could not write guide and API reference: "):
        api.build(tmp_path / "api", MODULES, [], "../index.html")
