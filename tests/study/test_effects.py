"""Code that a task runs without naming it: each way in which a change of it is seen, and the known limits.

A case is a small package.  The task is ``tasks.task``; a line of ``plug.py`` is changed, which nothing but the
mechanism in question connects with the task.
"""

import inspect

import numba.extending
import pytest

from studylib.study.freshness.dependencies import Sources

REGISTRY = (
    "TABLE = {}\n\n\ndef register(function):\n    TABLE[function.__name__] = function\n    return function\n"
)
USES_TABLE = (
    "import plug\nfrom registry import TABLE\n\n\ndef task(key, seed):\n    return TABLE['a'](seed)\n"
)
#: ``plug.py`` returns 1 somewhere; the change makes it 2.
SEEN = {
    "a decorator that registers": "from registry import register\n\n\n@register\ndef a(x):\n    return 1\n",
    "a decorator that is made": "import registry\n\n\n@registry.named('a')\ndef a(x):\n    return 1\n",
    "a decorator of the same module": (
        "from registry import TABLE\n\n\ndef enter(f):\n    TABLE['a'] = f\n    return f\n\n\n"
        "@enter\ndef a(x):\n    return 1\n"
    ),
    "a class that is decorated": "from registry import register\n\n\n@register\nclass a:\n    def f(self):\n        return 1\n",
    "a method that is decorated": (
        "from registry import register\n\n\nclass A:\n    @register\n    def a(x):\n        return 1\n"
    ),
    "a decorator under a condition": (
        "from registry import register\n\nif True:\n\n    @register\n    def a(x):\n        return 1\n"
    ),
    "an entry": "import registry\n\n\ndef a(x):\n    return 1\n\n\nregistry.TABLE['a'] = a\n",
    "an entry under a condition": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nif a:\n    registry.TABLE['a'] = a\n"
    ),
    "an entry in a loop": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nfor f in (a,):\n    registry.TABLE[f.__name__] = f\n"
    ),
    "an entry in a try": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\n"
        "try:\n    registry.TABLE['a'] = a\nexcept NameError:\n    pass\n"
    ),
    "an entry in a class": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nclass B:\n    registry.TABLE['a'] = a\n"
    ),
    "an update in place": "from registry import TABLE\n\n\ndef a(x):\n    return 1\n\n\nTABLE |= {'a': a}\n",
    "a call whose result is kept": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nHANDLE = registry.register(a)\n"
    ),
    "a call in a comprehension": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nDONE = [registry.register(f) for f in (a,)]\n"
    ),
    "a call in a default": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\ndef unused(x, handle=registry.register(a)):\n    pass\n"
    ),
    "a call in a class body": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nclass Unused:\n    handle = registry.register(a)\n"
    ),
    "a call in an assertion": "import registry\n\n\ndef a(x):\n    return 1\n\n\nassert registry.register(a)\n",
    "a call in a with": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nwith registry.entered(a) as handle:\n    pass\n"
    ),
    "functools.partial": (
        "import functools\n\nimport registry\n\n\ndef a(y, x):\n    return 1\n\n\n"
        "registry.TABLE['a'] = functools.partial(a, 0)\n"
    ),
    "setattr": "import registry\n\n\ndef a(x):\n    return 1\n\n\nsetattr(registry, 'TABLE', {'a': a})\n",
    "an attribute of another module": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nregistry.TABLE = {'a': a}\n"
    ),
    "attributes in a tuple": (
        "import registry\n\n\ndef a(x):\n    return 1\n\n\nregistry.TABLE, n = {'a': a}, 1\n"
    ),
    "deletion": "import registry\n\n\ndel registry.TABLE[str(1)]\n",
    "a subclass that registers itself": (
        "from registry import Base\n\n\nclass A(Base):\n    def f(self):\n        return 1\n"
    ),
    "a subclass of a subclass": (
        "import registry\n\n\nclass B(registry.Base):\n    pass\n\n\nclass A(B):\n    def f(self):\n        return 1\n"
    ),
    "a metaclass": (
        "from registry import Meta\n\n\nclass A(metaclass=Meta):\n    def f(self):\n        return 1\n"
    ),
    "a subclass with keywords": (
        "from somewhere import Base\n\n\nclass A(Base, name='a'):\n    def f(self):\n        return 1\n"
    ),
    "singledispatch": (
        "from registry import general\n\n\n@general.register\ndef _(x: int):\n    return 1\n"
    ),
}  # fmt: skip


def case(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def hashes(folder, **options):
    return Sources([(folder, None)], **options).reach([("tasks", "task")]).hashes


def changed(folder, name, old="return 1", new="return 2", **options):
    """Whether a change of a file changes what the task depends on."""
    before = hashes(folder, **options)
    text = (folder / name).read_text()
    assert old in text
    (folder / name).write_text(text.replace(old, new))
    return hashes(folder, **options) != before


@pytest.mark.parametrize("way", SEEN)
def test_what_a_module_does_when_it_is_imported_is_seen(tmp_path, way):
    case(tmp_path, {"registry.py": REGISTRY_MORE, "plug.py": SEEN[way], "tasks.py": USES_TABLE})
    old, new = ("str(1)", "str(2)") if way == "deletion" else ("return 1", "return 2")
    assert changed(tmp_path, "plug.py", old, new)


REGISTRY_MORE = REGISTRY + (
    "\n\ndef named(name):\n    return register\n\n\nclass Base:\n    def __init_subclass__(cls):\n"
    "        TABLE['a'] = cls().f\n\n\nclass Meta(type):\n    def __new__(cls, *args):\n"
    "        return register(super().__new__(cls, *args))\n"
)


@pytest.mark.parametrize(
    "way",
    ["import pack.plug", "from pack import plug", "from pack import plug as p", "import pack.plug as p"],
)
def test_a_module_that_is_only_imported_runs(tmp_path, way):
    files = {
        "pack/__init__.py": "",
        "registry.py": REGISTRY,
        "pack/plug.py": SEEN["a decorator that registers"],
    }
    case(tmp_path, files | {"tasks.py": USES_TABLE.replace("import plug", way)})
    assert changed(tmp_path, "pack/plug.py")


def test_a_relative_import_of_a_module_runs_it(tmp_path):
    plug = "from .registry import register\n\n\n@register\ndef a(x):\n    return 1\n"
    init = "from . import plug\nfrom .registry import TABLE\n"
    case(tmp_path, {"pack/__init__.py": init, "pack/registry.py": REGISTRY, "pack/plug.py": plug})
    case(
        tmp_path, {"tasks.py": "from pack import TABLE\n\n\ndef task(key, seed):\n    return TABLE['a'](1)\n"}
    )
    assert changed(tmp_path, "pack/plug.py")


def test_an_import_within_a_function_or_class_runs_the_module(tmp_path):
    case(tmp_path, {"registry.py": REGISTRY, "plug.py": SEEN["an entry"]})
    for text in (
        "def task(key, seed):\n    import plug\n    return 1\n",
        "class A:\n    import plug\n\n\ndef task(key, seed):\n    return A\n",
    ):
        (tmp_path / "tasks.py").write_text(text)
        assert changed(tmp_path, "plug.py")
        (tmp_path / "plug.py").write_text(SEEN["an entry"])


EXTENDING = sorted(
    name
    for name, thing in vars(numba.extending).items()
    if inspect.isfunction(thing) and not name.startswith("_") and thing.__module__.startswith("numba.")
)


@pytest.mark.parametrize("name", [*EXTENDING, "typeof_impl.register"])
def test_everything_that_extends_numba_is_seen(tmp_path, name):
    """A definition under any decorator of numba.extending, imported either way."""
    top = name.split(".")[0]
    for head, decorator in (
        (f"from numba.extending import {top}", f"@{name}(len)"),
        ("import numba.extending as nx", f"@nx.{name}(len)"),
    ):
        if name == "register_jitable":  # it gives the function its meaning, and is used by name
            body = f"{head}\n\n\n{decorator}\ndef helper(x):\n    return 1\n"
            task = "from plug import helper\n\n\ndef task(key, seed):\n    return helper(1)\n"
        else:
            body = f"{head}\n\n\n{decorator}\ndef _compiled(x):\n    return lambda x: (1, 'return 1')\n"
            task = "import plug\n\n\ndef task(key, seed):\n    return 1\n"
        case(tmp_path, {"plug.py": body, "tasks.py": task})
        assert changed(tmp_path, "plug.py")


def test_classes_that_are_found_as_subclasses_are_seen(tmp_path):
    plug = "from base import Base\n\n\nclass A(Base):\n    def f(self):\n        return 1\n"
    task = "import plug\nfrom base import Base\n\n\ndef task(key, seed):\n    return [c().f() for c in Base.__subclasses__()]\n"
    case(tmp_path, {"base.py": "class Base:\n    pass\n", "plug.py": plug, "tasks.py": task})
    assert changed(tmp_path, "plug.py")
    case(tmp_path, {"plug.py": plug, "tasks.py": "import plug\n\n\ndef task(key, seed):\n    return 1\n"})
    assert not changed(tmp_path, "plug.py")


LOOKED_UP = {
    "getattr by a constant": ("import plug", "getattr(plug, 'a')(seed)"),
    "getattr by a computed name": ("import plug", "getattr(plug, key)(seed)"),
    "vars": ("import plug", "vars(plug)['a'](seed)"),
    "a table of functions": ("from plug import FUNCTIONS", "FUNCTIONS['a'](seed)"),
    "a name of this module": ("from plug import by_name", "by_name('a')"),
    "eval": ("from plug import evaluated", "evaluated('a')"),
    "functools.partial": ("from functools import partial\nfrom plug import a", "partial(a, seed)()"),
    "a lazy attribute": ("import plug", "plug.lazy"),
    "a default argument": ("from plug import with_default", "with_default()"),
    "a field's factory": ("from plug import Record", "Record().value"),
    "import_module": ("from importlib import import_module", "import_module('plug').a(seed)"),
    "__import__": ("", "__import__('plug').a(seed)"),
    "sys.modules": ("import sys\n\nimport plug", "sys.modules['plug'].a(seed)"),
    "a name in a list": ("import importlib\n\nNAMES = ['plug']", "importlib.import_module(NAMES[0]).a(seed)"),
}
PLUG = """from dataclasses import dataclass, field
from functools import partial


def a(x):
    return 1


FUNCTIONS = {"a": partial(a)}


def by_name(name):
    return globals()[name](0)


def evaluated(name):
    return eval(name)(0)


def __getattr__(name):
    return a(0)


def with_default(x=a(0)):
    return x


@dataclass
class Record:
    value: int = field(default_factory=partial(a, 0))
"""


@pytest.mark.parametrize("way", LOOKED_UP)
def test_what_is_looked_up_is_seen(tmp_path, way):
    head, use = LOOKED_UP[way]
    case(tmp_path, {"plug.py": PLUG, "tasks.py": f"{head}\n\n\ndef task(key, seed):\n    return {use}\n"})
    assert changed(tmp_path, "plug.py")


@pytest.mark.parametrize("name", [".plug", "pack.plug"])
def test_a_module_of_the_package_is_imported_by_name(tmp_path, name):
    inner = f"from importlib import import_module\n\n\ndef get():\n    return import_module({name!r}, __package__).a\n"
    case(
        tmp_path, {"pack/__init__.py": "", "pack/plug.py": "def a():\n    return 1\n", "pack/inner.py": inner}
    )
    case(tmp_path, {"tasks.py": "from pack.inner import get\n\n\ndef task(key, seed):\n    return get()()\n"})
    assert changed(tmp_path, "pack/plug.py")


FILES = {
    "beside": ("open('a.csv')", "a.csv"),
    "with_name": ("Path(__file__).with_name('a.csv')", "a.csv"),
    "with_suffix": ("Path(__file__).with_suffix('.csv')", "tasks.csv"),
    "a folder": ("Path(__file__).parent / 'tables' / 'a.csv'", "tables/a.csv"),
    "a folder elsewhere": ("FOLDER / 'a.csv'", "tables/a.csv"),
    "folders in folders": ("FOLDER / 'more' / 'a.csv'", "tables/more/a.csv"),
    "one path": ("open('tables/more/a.csv')", "tables/more/a.csv"),
    "a pattern": ("FOLDER.glob('*.csv')", "tables/a.csv"),
    "a pattern of folders": ("FOLDER.glob('**/*.csv')", "tables/more/a.csv"),
    "an f-string": ("FOLDER / f'{key}.csv'", "tables/a.csv"),
    "an f-string with a folder": ("open(f'{HERE}/tables/{key}.csv')", "tables/a.csv"),
    "resources": ("resources.files('pack') / 'a.csv'", "a.csv"),
    "code that is run as a file": ("exec(open('a.txt.py').read())", "a.txt.py"),
    "further up": ("Path(__file__).parents[1] / 'a.csv'", "../a.csv"),
}


@pytest.mark.parametrize("way", FILES)
def test_a_file_that_is_read_is_seen(tmp_path, way):
    use, file = FILES[way]
    head = "from pathlib import Path\n\nHERE = Path(__file__).parent\nFOLDER = HERE / 'tables'\n"
    case(tmp_path, {"top/__init__.py": "", "top/pack/__init__.py": ""})
    (tmp_path / "top/pack/tables/more").mkdir(parents=True)
    case(tmp_path, {"top/pack/tasks.py": f"{head}\n\ndef task(key, seed):\n    return {use}\n"})
    case(tmp_path, {f"top/pack/{file}": "1\n", "top/pack/unused.csv2": "1\n"})

    def read():
        return Sources([(tmp_path, None)]).reach([("top.pack.tasks", "task")]).hashes

    before = read()
    (tmp_path / "top/pack" / file).write_text("2\n")
    assert read() != before
    now = read()
    (tmp_path / "top/pack/unused.csv2").write_text("2\n")
    assert read() == now


def test_a_file_in_the_folder_where_the_notebook_runs_is_seen(tmp_path):
    case(tmp_path, {"tasks.py": "def task(key, seed):\n    return open('a.csv')\n", "notebooks/a.csv": "1"})
    assert not changed(tmp_path, "notebooks/a.csv", "1", "2")
    assert changed(tmp_path, "notebooks/a.csv", "2", "3", places=[tmp_path / "notebooks"])


def test_a_compiled_module_counts_with_its_bytes(tmp_path):
    case(tmp_path, {"pack/__init__.py": "", "pack/fast.cpython-311-x.so": "1"})
    case(tmp_path, {"tasks.py": "from pack import fast\n\n\ndef task(key, seed):\n    return fast.f()\n"})
    assert changed(tmp_path, "pack/fast.cpython-311-x.so", "1", "2")


def test_a_package_that_is_only_imported_is_named(tmp_path):
    case(
        tmp_path,
        {"tasks.py": "import seaborn\nfrom scipy import stats\n\n\ndef task(key, seed):\n    return 1\n"},
    )
    assert Sources([(tmp_path, None)]).reach([("tasks", "task")]).packages == {"seaborn", "scipy"}


PURE = {
    "a function": "def a(x):\n    return 1\n",
    "a compiled function": "from numba import njit\n\n\n@njit(cache=True)\ndef a(x):\n    return 1\n",
    "a kernel": "from studylib.core.compiling import njit\n\n\n@njit(cache=True)\ndef a(x):\n    return 1\n",
    "a compiled function by attribute": "import numba as nb\n\n\n@nb.njit\ndef a(x):\n    return 1\n",
    "a cached function": "import functools\n\n\n@functools.lru_cache(maxsize=1)\ndef a(x):\n    return 1\n",
    "a data class": (
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass A:\n    def f(self):\n        return 1\n"
    ),
    "a class with a property": (
        "class A:\n    @property\n    def a(self):\n        return 1\n\n    @a.setter\n    def a(self, v):\n        pass\n"
    ),
    "an abstract class": "from abc import ABCMeta\n\n\nclass A(metaclass=ABCMeta):\n    def f(self):\n        return 1\n",
    "a class of another package": (
        "from sklearn.base import BaseEstimator\n\n\nclass A(BaseEstimator):\n    def f(self):\n        return 1\n"
    ),
    "a lambda": "A = lambda: (print(), 'return 1')\n",
    "a constant": "A = {'a': [1, 'return 1']}\n",
}  # fmt: skip


@pytest.mark.parametrize("what", PURE)
def test_a_definition_that_nobody_uses_changes_nothing(tmp_path, what):
    case(
        tmp_path, {"plug.py": PURE[what], "tasks.py": "import plug\n\n\ndef task(key, seed):\n    return 1\n"}
    )
    assert not changed(tmp_path, "plug.py")


def test_a_decorator_that_only_looks_pure_is_not_trusted(tmp_path):
    text = "def cache(f):\n    print(f)\n    return f\n\n\n@cache\ndef a(x):\n    return 1\n"
    case(tmp_path, {"plug.py": text, "tasks.py": "import plug\n\n\ndef task(key, seed):\n    return 1\n"})
    assert changed(tmp_path, "plug.py")


LIMITS = {
    "a computed name of a module": (
        "import importlib",
        "importlib.import_module('pl' + 'ug').a()",
        "plug.py",
    ),
    "a computed name of a file": ("", "open('a' + '.csv')", "a.csv"),
    "a docstring that is read": ("from plug import a", "a.__doc__", "doc"),
    "a registering base class of another package": ("import plug, other", "other.REGISTERED", "class"),
    "an overloaded operator": ("import plug", "1", "operator"),
}


@pytest.mark.parametrize("limit", LIMITS)
def test_the_limits_are_those_that_the_docstring_names(tmp_path, limit):
    """Known holes: if one is closed, take it from the docstring, too."""
    head, use, what = LIMITS[limit]
    plugs = {
        "doc": "def a():\n    'return 1'\n",
        "class": "from other import Base\n\n\nclass A(Base):\n    def f(self):\n        return 1\n",
        "operator": "from registry import TABLE\n\n\ndef a():\n    return 1\n\n\nX = TABLE << a\n",
    }
    case(
        tmp_path,
        {
            "plug.py": plugs.get(what, "def a():\n    return 1\n"),
            "a.csv": "return 1",
            "registry.py": REGISTRY,
        },
    )
    case(tmp_path, {"tasks.py": f"{head}\n\n\ndef task(key, seed):\n    return {use}\n"})
    assert not changed(tmp_path, what if "." in what else "plug.py")
