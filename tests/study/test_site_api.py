"""The API page without a browser: every public name is there, every link arrives, and docstrings are inert."""

import importlib
import inspect
import re
import types

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studylib.study.site import write_api
from studylib.study.site._docstring import parse
from studylib.study.site._inline import Inline
from tests.study.html_document import Document, assert_links_inside_resolve, assert_self_contained

MODULES = [
    "studylib.trees",
    "studylib.trees.criteria",
    "studylib.datasets",
    "studylib.statistics",
    "studylib.plots",
    "studylib.study",
    "studylib.study.rules",
]
EVIL = '<script src="https://evil.example/x.js">alert("1")</script><img src=x onerror=alert(1)>'
SOMETHING = object()  # its repr has an address
LONG = "a_rather_long_name_without_any_place_to_break_it_in_the_middle_of_a_phone_s_screen"


def hostile_module():
    """A module whose docstrings do all that they should not."""

    def evil(a=EVIL, *, b=SOMETHING):
        pass

    def malformed():
        pass

    def rich(first, /, *args, key: int = 1, **options) -> str:
        pass

    evil.__doc__ = (
        f"{EVIL}\n\nParameters\n----------\n{EVIL}\n    {EVIL}\na : {EVIL}\n    ``{EVIL}`` *{EVIL}*\n\n"
        f"Examples\n--------\n>>> {EVIL}\n{EVIL}\n\n`here <javascript:alert(1)>`_ :func:`{EVIL}`\n"
    )
    malformed.__doc__ = (
        "``unclosed *marks :class:`no end\n    indented\n  half\n\nParameters\n----------\n\n"
        "Returns\n-------\n     deep\n   less\n===== ===\n===== ===\n\n.. note::\n\n.. [1]\n.. \n\n- \n\n::\n\n"
        ">>> (\n\n===\n---\n---\nRaises\n------"
    )
    rich.__doc__ = (
        "A first sentence, e.g. ``x``.  A second one.\n\n"
        "A :class:`Thing`, :func:`~m.rich` and :meth:`~m.Thing.go`, `rich`, **bold**, 2 * 3 * 4, "
        ":class:`numpy.ndarray`, :math:`x^2`, \\*args, `a page <https://fine.example/>`_.\n\n"
        "- one\n  goes on\n- two\n\n1. first\n2. second\n\nLiteral::\n\n    a < b\n\n"
        ".. note:: Be careful.\n\n.. [1] Author, *Title*.\n\nterm\n    meaning\n\n"
        f"==== {'=' * 90}\nname meaning\n==== {'=' * 90}\nlong_er  {LONG} {LONG}\n     goes on\nb    2\n"
        f"==== {'=' * 90}\n\nParameters\n----------\nfirst : Thing or None\nkey: int\n    {LONG}\n"
        "*args, **options\n    The rest.\n\nReturns\n-------\nThing\n\nSome Heading\n------------\ntext\n"
    )

    class Base:
        """A base."""

        def go(self, x: int = 0) -> "Base":
            """Go."""

        def stay(self):
            """Stay."""

    class Thing(Base):
        def go(self, x: int = 0):
            pass

        @property
        def size(self):
            """Its size."""

        @classmethod
        def make(cls, n):
            """Make one."""

    module = types.ModuleType("m", f"A module.\n\nNotes\n-----\n``{LONG}`` {EVIL}\n")
    for thing in (evil, malformed, rich, Base, Thing):
        thing.__module__, thing.__qualname__ = "m", thing.__name__
        for member in vars(thing).values():
            if inspect.isfunction(member):
                member.__module__ = "m"
        setattr(module, thing.__name__, thing)
    Thing.make.__func__.__module__ = Thing.size.fget.__module__ = "m"
    evil.__name__ = LONG
    setattr(module, LONG, evil)
    module.LIMIT, module.__all__ = EVIL, ["evil", "malformed", "rich", "Base", "Thing", "LIMIT", LONG]
    return module


@pytest.fixture(scope="module")
def api(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "api.html"
    write_api(path, MODULES)
    return Document(path)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    path = tmp_path_factory.mktemp("api") / "hostile.html"
    write_api(path, [hostile_module()])
    return Document(path)


def _squeezed(text):
    return " ".join(text.split())


def _section(document, full):
    return _squeezed(document.find("section", id=f"api-{full}")[0][0])


def test_pages_are_self_contained_and_their_links_resolve(api, hostile):
    for document in (api, hostile):
        assert_self_contained(document)
        assert_links_inside_resolve(document)
        outside = {a["href"] for _, a in document.find("a") if not a["href"].startswith("#")}
        assert outside <= {"index.html", "https://fine.example/"}


@pytest.mark.parametrize("name", MODULES)
def test_every_public_name_stands_with_its_signature(api, name):
    module = importlib.import_module(name)
    assert f"api-{name}" in api.ids
    public = getattr(module, "__all__", None) or [
        n for n, f in vars(module).items() if inspect.isfunction(f) and f.__module__ == name and n[0] != "_"
    ]
    assert public
    for public_name in public:
        full, thing = f"{name}.{public_name}", getattr(module, public_name)
        if inspect.ismodule(thing):
            assert api.find("a", href=f"#api-{thing.__name__}")
            continue
        heading = _squeezed(_headings(api)[full])
        assert heading.startswith(public_name)
        without = inspect.isclass(thing) and (issubclass(thing, Exception) or inspect.isabstract(thing))
        if callable(thing) and not without:
            found = re.findall(r"[(,] ?(\*{0,2}\w+)(?=[,:=)])", heading)
            expected = [re.split("[:=]", str(p))[0] for p in inspect.signature(thing).parameters.values()]
            assert [n for n in found if n in expected] == expected
        if inspect.isroutine(thing):
            first = inspect.getdoc(thing).split()[0].strip("`*")
            assert first in _section(api, full)


def _headings(document):
    """Text of each name's heading, by dotted name."""
    return {a["href"].removeprefix("#api-"): text for text, a in document.find("a", class_="self")}


def test_estimator_has_its_methods_and_lists_those_of_scikit_learn(api):
    full = "studylib.trees.TreePredictor"
    assert _headings(api)[f"{full}.fit"] == ".fit(X, y, sample_weight=None)"
    assert "get_params()" in _section(api, full)
    assert f"api-{full}.get_params" not in api.ids
    assert f"api-{full}.set_fit_request" not in api.ids
    assert "max_leaf_nodes, max_nodes int or None; default None" in _section(api, full)
    assert (">>> ", {"class": "gp"}) in [(f"{text} ", a) for text, a in api.find("span", class_="gp")]


def test_references_between_modules_become_links(api):
    for target in ("trees.Condition", "trees.criteria", "trees.NODE_DTYPE", "datasets.simulate_species"):
        assert api.find("a", href=f"#api-studylib.{target}")
    section = _section(api, "studylib.study.rules.published_run")
    assert "prediction Interval, from studylib.statistics.prediction_interval()" in section
    assert ":class:" not in api.source
    assert ":func:" not in api.source
    assert "``" not in api.source


def test_constants_have_the_comment_above_them(api):
    table = _section(api, "studylib.trees.NODE_DTYPE")
    assert "One record per node." in table
    assert [text for text, _ in api.find("td")].count("first_child") == 1
    assert 'DATA_VARIABLE = "STUDYLIB_DATA"' in _section(api, "studylib.datasets.DATA_VARIABLE")


def test_docstrings_are_escaped(hostile):
    assert "<script src" not in hostile.source
    assert "<img" not in hostile.source
    assert hostile.source.count("&lt;") > 10
    assert not re.search(r"href=.javascript", hostile.source)
    assert " at 0x" not in hostile.source


def test_malformed_docstring_keeps_its_words(hostile):
    for word in ("unclosed", "indented", "half", "deep", "less", "Raises"):
        assert word in _section(hostile, "m.malformed")
    for word in ("goes on", "second", "a < b", "Be careful.", "[1] Author", "meaning", "Some Heading text"):
        assert word in _section(hostile, "m.rich")


def test_signature_shows_kinds_of_parameters(hostile):
    assert _headings(hostile)["m.rich"] == "rich(first, /, *args, key: int = 1, **options) → str"
    assert _headings(hostile)["m.evil"].endswith(", *, b=<object object>)")
    assert _headings(hostile)["m.Thing.make"] == ".make(n)"
    assert _headings(hostile)["m.Thing.size"] == "size"


def test_own_and_inherited_methods_are_told_apart(hostile):
    section = _section(hostile, "m.Thing")
    assert "Bases: Base" in section
    assert "As in Base.go: Go." in section
    assert "From Base: stay()" in section


def test_inline_markup():
    inline = Inline({"Thing": "t", "m.f": "f"}.get)
    for text, markup in [
        (":class:`Thing`", '<a href="#t"><code>Thing</code></a>'),
        (":func:`~m.f`", '<a href="#f"><code>f()</code></a>'),
        (":py:func:`m.f`", '<a href="#f"><code>m.f()</code></a>'),
        (":func:`that <m.f>`", '<a href="#f"><code>that</code></a>'),
        (":class:`Other`", "<code>Other</code>"),
        ("`Thing`", '<a href="#t"><code>Thing</code></a>'),
        ("*a b* **c** ``*d*``", "<em>a b</em> <strong>c</strong> <code>*d*</code>"),
        ("2 * 3 * 4, \\*args and a*b*c", "2 * 3 * 4, *args and a*b*c"),
        ("a < b", "a &lt; b"),
    ]:
        assert str(inline(text)) == markup
    assert str(inline("Thing or <None>", types=True)) == '<a href="#t">Thing</a> or &lt;None&gt;'


@given(st.text(alphabet="ab:*`-=.>[]1 \n", max_size=120))
def test_any_docstring_is_read(text):
    inline = Inline(lambda name: None)
    document = parse(f"{text}\n\nReturns\n-------\n{text}", inline)
    assert document.sections


def test_refuses_in_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="^The link of the front page must be relative"):
        write_api(tmp_path / "api.html", MODULES, index_href="https://evil.example")
    with pytest.raises(ValueError, match="^Modules must be unique, but they are studylib, studylib"):
        write_api(tmp_path / "api.html", ["studylib", "studylib"])
    assert not list(tmp_path.iterdir())


def test_page_is_the_same_every_time(tmp_path):
    for name in ("a.html", "b.html"):
        write_api(tmp_path / name, MODULES)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
