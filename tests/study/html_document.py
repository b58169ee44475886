"""An HTML file as a list of elements, and what must hold for every file of the report site."""

import re
from html.parser import HTMLParser


class Document(HTMLParser):
    """The elements of a page: tag, attributes and the text that stands in them."""

    def __init__(self, path):
        super().__init__()
        self.source = path.read_text(encoding="utf-8")
        self.elements, self._open = [], []
        self.feed(self.source)
        self.ids = [attributes["id"] for _, attributes, _ in self.elements if "id" in attributes]

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))
        if tag not in {"meta", "img", "input", "link", "wbr"}:
            self._open.append(self.elements[-1])

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))

    def handle_endtag(self, tag):
        while tag in [name for name, _, _ in self._open] and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        for _, _, text in self._open:
            text.append(data)

    def find(self, tag, **attributes):
        return [
            ("".join(text).strip(), found)
            for name, found, text in self.elements
            if name == tag and all(found.get(key.rstrip("_")) == value for key, value in attributes.items())
        ]


def assert_self_contained(document):
    for tag, attributes, text in document.elements:
        assert tag not in {"link", "iframe", "object", "embed", "base"}
        if tag == "script":
            assert "src" not in attributes
        if tag == "style":
            assert not re.search(r"@import|url\(\s*['\"]?(?!data:|#)", "".join(text))
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
