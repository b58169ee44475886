"""An HTML file as a list of elements, and what must hold for every file of the report site."""

import re

from bs4 import BeautifulSoup


class Document:
    """The elements of a page: the name, attributes and tag of each."""

    def __init__(self, path):
        self.source = path.read_text(encoding="utf-8")
        soup = BeautifulSoup(self.source, "html.parser", multi_valued_attributes=None)
        self.elements = [(tag.name, tag.attrs, tag) for tag in soup.find_all(True)]
        self.ids = [attributes["id"] for _, attributes, _ in self.elements if "id" in attributes]

    def find(self, name, **attributes):
        """Text and attributes of some elements."""
        wanted = {key.rstrip("_"): value for key, value in attributes.items()}.items()
        return [
            (tag.get_text().strip(), given)
            for element, given, tag in self.elements
            if element == name and wanted <= given.items()
        ]


def rows(soup):
    """The texts of a table's cells, row by row."""
    return [
        [cell.get_text(" ", strip=True) for cell in row.find_all(["th", "td"])] for row in soup.find_all("tr")
    ]


def assert_self_contained(document):
    for tag, attributes, text in document.elements:
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        if tag == "script":
            assert "src" not in attributes
        if tag == "style":
            assert not re.search(r"@import|url\(\s*['\"]?(?!data:|#)", text.get_text())
        for name, value in attributes.items():
            assert not name.startswith("on")
            if name in {"src", "href", "srcset", "data", "poster", "action"} and tag != "a":
                assert value.startswith(("data:image/", "#", "cards/")), (tag, name, value[:80])
    policy = next(a["content"] for t, a, _ in document.elements if "http-equiv" in a and t == "meta")
    assert "default-src 'none'" in policy


def assert_links_inside_resolve(document):
    assert len(document.ids) == len(set(document.ids))
    for _, attributes, _ in document.elements:
        if attributes.get("href", "").startswith("#"):
            assert attributes["href"][1:] in document.ids
