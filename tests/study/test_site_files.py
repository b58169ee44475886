"""Files of the site: written atomically, and no link leaves the report."""

import re

import pytest
from nbformat import v4

from studylib.study.site import write_page, write_site
from tests.study.site_pieces import a_claim, a_header, a_site


def test_writes_are_atomic_and_leave_nothing(tmp_path, monkeypatch):
    folder, path = tmp_path / "new", tmp_path / "new" / "index.html"
    names = ["claims.html", "index.html", "method.html", "page.html"]
    write_site(folder, a_site([a_claim(1)]))
    write_page(v4.new_notebook(), folder / "page.html", a_header())
    assert sorted(p.name for p in folder.iterdir()) == names

    def refuse(*_):
        raise OSError("disk full")

    before = path.read_text(encoding="utf-8")
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(OSError, match="disk full"):
        write_site(folder, a_site([]))
    assert path.read_text(encoding="utf-8") == before
    assert sorted(p.name for p in folder.iterdir()) == names


@pytest.mark.parametrize(
    "link",
    [
        "javascript:alert(1)",
        "java\nscript:alert(1)",
        "\x01javascript:alert(1)",
        "data:text/html,x",
        "file:///etc/passwd",
        "vnd.x+y:z",
        "/etc/passwd",
        " /etc/passwd",
        "\\\\host\\x",
        "\\x",
        "C:\\x",
        "//host/x",
        "\t//host/x",
    ],
)
def test_a_link_to_another_place_is_refused(tmp_path, link):
    for field in ("notebook_href", "index_href", "ledger_href"):
        with pytest.raises(ValueError, match=f"must be relative, but it is {re.escape(repr(link))}"):
            write_page(v4.new_notebook(), tmp_path / "x.html", a_header(**{field: link}))


@pytest.mark.parametrize(
    "link", ["a.ipynb", "notebooks/a.ipynb", "../a.ipynb", "./a:b.ipynb", "a.html#x:y", "a?b=c:d"]
)
def test_a_relative_link_is_kept(tmp_path, link):
    write_page(v4.new_notebook(), tmp_path / "x.html", a_header(notebook_href=link))
    assert f'href="{link}"' in (tmp_path / "x.html").read_text()
