"""Pieces from which the tests of the site make pages."""

from nbformat import v4

from studylib.study.ledger.claims import Source
from studylib.study.site.model import ClaimRow, Site, SourceCard
from studylib.study.site.page import PageHeader, write_page
from tests.study.html_document import Document

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
EVIL = '<script src="https://evil.example/x.js">alert("1")</script><img src=x onerror=alert(1)>'
WIDGET = {"application/vnd.jupyter.widget-view+json": {"model_id": "a"}, "text/plain": "0%|     | 0/5"}


def a_claim(number, **changes):
    """A row of the ledger."""
    row = {
        "id": f"claim{number}",
        "source": "GRaF",
        "place": f"Table {number}",
        "statement": f"statement {number}",
        "value": f"0.{number}",
        "kind": "exact",
        "rule": f"rule {number}",
        "verdict": "reproduced",
        "lines": [f"0.{number}1"],
        "form": "value",
        "interval": "[0, 1]",
        "notebook": "03_graf",
        "href": f"03_graf.html#cell-c{number}",
    }
    return ClaimRow(**row | changes)


def a_source(short, author="A. One", title="First", identifier="", link="", **card):
    """What came out about a source of the ledger."""
    source = Source(short, short, author, title, identifier=identifier, link=link)
    return SourceCard(source=source, **card)


def a_site(claims, **changes):
    """What the front page shows."""
    content = {"profile": "quick", "title": "A study", "subtitle": "of trees", "generated": "2026-01-02"}
    return Site(**content | {"claims": claims} | changes)


def a_header(**changes):
    """The top of a notebook's page."""
    content = {
        "question": "Is it so?",
        "profile": "quick",
        "data": "simulated planes, seed 0",
        "duration": "3 s",
        "rerun": "make reproduce",
        "notebook_href": "01_try.ipynb",
        "parameters": {"seed": 0, "name": "<b>"},
    }
    return PageHeader(**content | changes)


def code_cell(source, *outputs, id="c", tags=(), run=True):
    """A cell as it was run."""
    cell = v4.new_code_cell(source, outputs=list(outputs), execution_count=1 if run else None)
    cell["id"] = id
    cell.metadata["tags"] = list(tags)
    return cell


def display(data, **metadata):
    """An output of a cell."""
    return v4.new_output("display_data", data=data, metadata=metadata)


def page_of(tmp_path, cells, rows=None, **changes):
    """The page of a notebook with these cells, read back."""
    path = tmp_path / "01_try.html"
    write_page(v4.new_notebook(cells=cells), path, a_header(**changes), rows or {})
    return Document(path)
