"""Guide and API reference without a browser: every public name is there, and every link resolves."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

from studylib.study import findings, intervals
from studylib.study.ledger.study import read_study
from studylib.study.site import docs
from studylib.study.site.docs import write_docs
from tests.study.html_document import Document

pytestmark = pytest.mark.slow

STUDY = read_study(Path(__file__).parents[2])
MODULES = list(STUDY.api)
REPORT = "../paper/index.html"
#: Public classes, each with the module that has its page.
CLASSES = [
    (module, name)
    for module in MODULES
    for name in getattr(importlib.import_module(module), "__all__", ())
    if inspect.isclass(thing := getattr(importlib.import_module(module), name))
    and (thing.__module__.startswith(module) or not thing.__module__.startswith(tuple(MODULES)))
]


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The folder of the docs, and what Sphinx warned of."""
    reports, warned = tmp_path_factory.mktemp("reports"), []
    (reports / "paper").mkdir()
    for name in ("index", "claims", *STUDY.notebooks):
        (reports / f"paper/{name}.html").write_text("<!doctype html><title>report</title>")
    build = docs.build
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(docs, "build", lambda *given: warned.append(build(*given)))
        assert write_docs(reports / "docs", MODULES, STUDY.guide, report_href=REPORT)
    return reports / "docs", warned


@pytest.fixture(scope="module")
def folder(built):
    return built[0]


@pytest.fixture(scope="module")
def pages(folder):
    return {path.name: Document(path) for path in folder.glob("*.html")}


def test_there_is_a_page_per_module_class_and_page_of_the_guide_and_they_are_small(folder, pages):
    classes = {f"{home}.{name}" for home, name in CLASSES}
    names = {
        *MODULES,
        *classes,
        *(page.stem for pages in STUDY.guide.values() for page in pages),
        "index",
        "search",
    }
    assert set(pages) == {f"{name}.html" for name in names}
    assert sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) < 4e6


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
    assert "../paper/index.html" in links


@pytest.mark.parametrize("name", MODULES)
def test_every_public_routine_and_constant_is_on_its_modules_page(pages, name):
    page, module = pages[f"{name}.html"], importlib.import_module(name)
    for public_name in module.__all__:
        thing = getattr(module, public_name)
        if inspect.ismodule(thing) or inspect.isclass(thing):
            continue
        if name == "studylib.study.rules" and public_name in vars(findings) | vars(intervals):
            continue  # it hands on what the judge's other modules define
        ((heading, *_),) = page.find("dt", id=f"{name}.{public_name}")
        if inspect.isroutine(thing):
            for parameter in inspect.signature(thing).parameters:
                assert re.search(rf"[(,*] ?{parameter}\b", " ".join(heading.split())), heading


@pytest.mark.parametrize(("module", "name"), CLASSES)
def test_every_class_has_a_page_with_signature_parameters_and_example(pages, module, name):
    thing, page = getattr(importlib.import_module(module), name), pages[f"{module}.{name}.html"]
    ((heading, *_),) = page.find("dt", id=f"{module}.{name}")
    if issubclass(thing, Exception):
        return
    assert page.find("span", class_="gp"), "an example"
    described = [text.strip(" *") for text, _ in page.find("strong")]
    described = {word for text in described for word in re.split(r"[\s,]+", text)}
    for parameter in inspect.signature(thing).parameters.values():
        assert re.search(rf"[(,*] ?{parameter.name}\b", " ".join(heading.split())), heading
        assert parameter.name in described, (name, parameter.name)


def test_nothing_of_this_machine_is_in_a_page(folder):
    for path in [*folder.rglob("*.html"), *folder.rglob("*.js")]:
        assert not re.search(r"/home/|/root/|/tmp/|site-packages| at 0x", path.read_text(encoding="utf-8"))


def test_sphinx_has_no_warnings(built):
    assert built[1] == [""]


def test_docs_that_are_up_to_date_are_left_alone(folder, monkeypatch):
    def fail(*arguments):
        raise AssertionError("Sphinx ran again")

    before = (folder / "index.html").stat().st_mtime_ns
    monkeypatch.setattr(docs, "build", fail)
    assert not write_docs(folder, MODULES, STUDY.guide, report_href=REPORT)
    with pytest.raises(AssertionError, match="ran again"):
        write_docs(folder, MODULES, {"Learn": STUDY.guide["Learn"]}, report_href=REPORT)
    assert (folder / "index.html").stat().st_mtime_ns == before
    assert not list(folder.parent.glob(".docs.*"))


def test_the_committed_docs_are_those_of_the_sources(folder):
    """Byte for byte, so that another run, on another machine, writes the same; `make docs` builds them."""
    committed = STUDY.root / "reports/docs"
    files = {p.relative_to(folder) for p in folder.rglob("*") if p.is_file() and p.name != ".key"}
    assert files == {
        p.relative_to(committed) for p in committed.rglob("*") if p.is_file() and p.name != ".key"
    }
    assert [str(p) for p in sorted(files) if (folder / p).read_bytes() != (committed / p).read_bytes()] == []


def test_refuses_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="^Modules must be unique, but they are studylib, studylib"):
        write_docs(tmp_path / "docs", ["studylib", "studylib"], report_href=REPORT)
    with pytest.raises(ValueError, match="^The guide's file names must be unique, but they are x, index"):
        write_docs(tmp_path / "docs", [], {"A": ["a/x.md"], "B": ["index.md"]}, report_href=REPORT)
    assert not list(tmp_path.iterdir())


def test_a_study_documents_modules_of_its_own(tmp_path, monkeypatch):
    (tmp_path / "petals.py").write_text(
        '"""Petals."""\n\nfrom json import dumps\n\n__all__ = ["LIMIT", "count", "dumps"]\n\n'
        '#: Most petals.\nLIMIT = 8\n\n\ndef count(flower):\n    """Count the petals."""\n'
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert docs.build(tmp_path / "docs", ["petals"], {}, REPORT) == ""
    page = Document(tmp_path / "docs/petals.html")
    assert {"petals.LIMIT", "petals.count"} <= set(page.ids)
    assert "petals.dumps" not in page.ids
    assert "Most petals." in page.source
    assert docs._key(["petals"], {}, "") != docs._key(["studylib"], {}, "")


def test_links_of_the_guide_lead_to_pages_of_the_report(tmp_path):
    (tmp_path / "start.md").write_text(
        "# Start\n\n[a notebook](../notebooks/07_trees.ipynb), [its module](../src/studylib/pcf), [a file](../README.md), "
        "[its page](../reports/paper/08_rules.html), [the next](next.md#more), [far](https://far.example/).\n\n```\n[code](../README.md)\n```\n"
    )
    (tmp_path / "next.md").write_text("# Next\n\n## More\n\nText.\n")
    guide = {"Learn": [tmp_path / "start.md"], "Look\nup *|`_": [tmp_path / "next.md"]}
    assert docs.build(tmp_path / "docs", ["studylib.pcf"], guide, REPORT) == ""
    article = re.search(r"<article.*</article>", (tmp_path / "docs/start.html").read_text(), re.DOTALL)[0]
    links = re.findall(r'<a class="reference[^>]* href="([^"]*)">(?:<[^>]*>)?([^<]*)', article)
    assert links == [
        ("../paper/07_trees.html", "a notebook"),
        ("studylib.pcf.html", "its module"),
        ("../paper/08_rules.html", "its page"),
        ("next.html#more", "the next"),
        ("https://far.example/", "far"),
    ]
    assert "a file" in article
    assert "[code](../README.md)" in article
    assert docs._key([], guide, "") != docs._key([], {"Learn": guide["Learn"]}, "")
    index = (tmp_path / "docs/index.html").read_text()
    assert re.findall(r"<p class=\"rubric\"|>([A-Z][A-Za-z *|`_]+)</h2>", index) == [
        "Learn",
        "Look up *|`_",
        "API reference",
    ]


def test_a_failure_of_sphinx_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setattr(docs, "_CONFIGURATION", tmp_path)  # no conf.py here
    with pytest.raises(RuntimeError, match=r"^Sphinx could not write guide and API reference: "):
        docs.build(tmp_path / "docs", MODULES, {}, REPORT)
