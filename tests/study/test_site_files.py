"""Files of the site are written atomically."""

import pytest
from nbformat import v4

from studylib.study.site.page import write_page
from studylib.study.site.pages import write_site
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
