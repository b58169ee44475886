"""Compiled kernels are found only by the code that they came from, and no fault of their cache is fatal."""

import ast
import errno
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

from studylib.core import compiling, kernel_cache, random

pytestmark = pytest.mark.slow


def started_with(**variables):
    """Where a fresh process keeps its kernels."""
    environment = {k: v for k, v in os.environ.items() if k != "NUMBA_CACHE_DIR"} | variables
    code = "from studylib.core import compiling; print(compiling._places()[0])"
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return Path(done.stdout.strip())


@pytest.fixture
def unset(monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)


def test_every_process_finds_the_cache_of_its_sources(unset):
    assert started_with() == kernel_cache.cache_dir()


def test_a_cache_that_the_user_names_gets_the_hash_appended_once(tmp_path):
    expected = tmp_path / kernel_cache.source_hash()[:16]
    assert started_with(NUMBA_CACHE_DIR=str(tmp_path)) == expected
    assert started_with(NUMBA_CACHE_DIR=str(expected)) == expected
    assert started_with(NUMBA_CACHE_DIR=str(tmp_path / ("0" * 16))) == expected  # of older sources


def test_a_changed_line_or_compiler_names_another_cache(tmp_path, monkeypatch, unset):
    package = tmp_path / "src/studylib"
    for room in ("trees", "study"):
        (package / room).mkdir(parents=True)
        (package / room / "a.py").write_text("x = 1\n")
    monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
    monkeypatch.setattr(kernel_cache, "_ROOT", tmp_path)
    monkeypatch.setattr(kernel_cache, "source_hash", kernel_cache.source_hash.__wrapped__)
    seen = {kernel_cache.cache_dir()}
    (package / "study/a.py").write_text("x = 2\n")
    assert kernel_cache.cache_dir() in seen  # no kernel of another file is there
    (package / "trees/a.py").write_text("x = 2\n")
    seen.add(kernel_cache.cache_dir())
    (package / "trees/a.py").rename(package / "trees/b.py")
    seen.add(kernel_cache.cache_dir())
    monkeypatch.setattr(kernel_cache.metadata, "version", lambda name: f"another {name}")
    seen.add(kernel_cache.cache_dir())
    assert len(seen) == 4
    assert not kernel_cache.in_checkout()


def test_where_the_package_lies_does_not_count(tmp_path, monkeypatch, unset):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_cache, "source_hash", kernel_cache.source_hash.__wrapped__)
    seen = set()
    for clone in ("a", "b/src"):
        package = tmp_path / clone / "studylib"
        (package / "trees").mkdir(parents=True)
        (package / "trees/a.py").write_text("x = 1\n")
        monkeypatch.setattr(kernel_cache, "_PACKAGE", package)
        seen.add(kernel_cache.cache_dir() / kernel_cache.below(package / "trees/a.py"))
        assert kernel_cache.below(tmp_path / "a.py") != kernel_cache.below(tmp_path / clone / "a.py")
    (folder,) = seen
    assert folder.name == "trees"


def test_a_kernel_of_a_self_contained_room_is_compiled_again_when_its_file_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_PACKAGE", tmp_path)
    stamps = {}
    for room in ("studies", "trees"):
        (tmp_path / room).mkdir()
        for text in ("x = 1\n", "x = 2\n"):
            (tmp_path / room / "a.py").write_text(text)
            stamps.setdefault(room, set()).add(kernel_cache.stamp(tmp_path / room / "a.py"))
    assert (len(stamps["studies"]), len(stamps["trees"])) == (2, 1)  # the hash of all sources has the second


def borrowed(tree):
    """Names that the kernels of a file use and that it imports from this package."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.level or node.module.startswith("studylib"))
        for alias in node.names
    }
    kernels = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any("njit" in ast.dump(d) for d in node.decorator_list)
    ]
    parts = [part for kernel in kernels for statement in kernel.body for part in ast.walk(statement)]
    used = {part.id for part in parts if isinstance(part, ast.Name)}
    return used & imported


def test_rooms_said_to_be_self_contained_are(unset):
    package = Path(kernel_cache.__file__).parents[1]
    for room in kernel_cache._SELF_CONTAINED:
        for path in (package / room).rglob("*.py"):
            assert not borrowed(ast.parse(path.read_text(encoding="utf-8"))), path


def test_the_file_run_as_a_script_prints_the_path_and_nothing_else(unset):
    done = subprocess.run(
        [sys.executable, "-P", kernel_cache.__file__], capture_output=True, text=True, check=True
    )
    assert (done.stdout.strip(), done.stderr) == (str(kernel_cache.cache_dir()), "")


# From here on an installed package fits a small estimator.  numba alone would end nearly all of these processes.

FIT = """
import sys
from studylib.rules import OneRClassifier
assert OneRClassifier().fit([[0.0], [1.0], [2.0]] * 4, [0, 1, 1] * 4).predict([[2.0]]) == [1]
objects = {id(v): v for k, m in sys.modules.items() if k.startswith("studylib.") for v in vars(m).values()}
kernels = [v.stats for v in objects.values() if hasattr(v, "py_func")]
print(*[sum(sum(getattr(k, name).values()) for k in kernels) for name in ("cache_hits", "cache_misses")])
"""
FAILING_DISK = Path(__file__).parents[1] / "study/failing_disk"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A copy of the package that cannot keep anything: there are files where numba wants folders."""
    library = tmp_path_factory.mktemp("library")
    skipped = shutil.ignore_patterns("__pycache__", "studies")
    shutil.copytree(Path(kernel_cache.__file__).parents[1], library / "studylib", ignore=skipped)
    for folder in [path for path in library.rglob("*") if path.is_dir()]:
        (folder / "__pycache__").touch()
    return library


@pytest.fixture(scope="module")
def begin(library):
    """Start a process that fits, without a home unless ``variables`` name one."""
    unset = ("NUMBA_CACHE_DIR", "STUDYLIB_RUN", "XDG_CACHE_HOME")
    environment = {k: v for k, v in os.environ.items() if k not in unset}
    environment["HOME"] = str(library / "studylib/__pycache__")

    def begin(temporary, **variables):
        paths = {"PYTHONPATH": os.pathsep.join(map(str, (library, FAILING_DISK))), "TMPDIR": str(temporary)}
        return subprocess.Popen(
            [sys.executable, "-B", "-P", "-c", FIT],
            env=environment | paths | {name: str(value) for name, value in variables.items()},
            cwd=temporary,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return begin


def ended(process):
    """How many kernels were found and compiled, and what was said."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return (*map(int, out.split()), without_patience(err.splitlines()))


def without_patience(lines):
    """All but the line that asks for it."""
    return [line for line in lines if "later runs find them" not in line]


@pytest.fixture(scope="module")
def warm(begin, tmp_path_factory):
    """A cache that was filled once, by two processes at the same time."""
    warm = tmp_path_factory.mktemp("warm")
    for process in [begin(warm, NUMBA_CACHE_DIR=warm) for _ in range(2)]:
        assert ended(process)[2] == []
    return warm


def test_a_cache_that_two_processes_filled_at_once_serves_a_third_that_may_only_read_it(
    warm, begin, tmp_path
):
    read_only = f"{errno.EROFS}:0:{warm}"
    loaded, compiled, lines = ended(begin(tmp_path, NUMBA_CACHE_DIR=warm, FAILING_DISK=read_only))
    assert loaded > 0
    assert (compiled, lines) == (0, [])


def test_what_can_be_written_nowhere_else_is_kept_in_a_private_temporary_folder(library, begin, tmp_path):
    loaded, _, (line,) = ended(begin(tmp_path))
    (folder,) = tmp_path.iterdir()
    assert line.startswith(f"studylib: compiled kernels are kept in {folder}, as {library / 'studylib'}")
    assert re.fullmatch("studylib-[0-9]*-[0-9a-f]{16}", folder.name)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert loaded == 0
    loaded, compiled, lines = ended(begin(tmp_path))
    assert loaded > 0
    assert (compiled, lines) == (0, [])


@pytest.mark.parametrize(("writes", "file"), [(1, ""), (6, r".*\.kernel")])  # a folder, or a kernel
def test_with_a_full_disk_kernels_live_as_long_as_the_process(begin, tmp_path, writes, file):
    full = f"{errno.ENOSPC}:{writes}:{tmp_path}"
    loaded, compiled, (line,) = ended(begin(tmp_path, NUMBA_CACHE_DIR=tmp_path / "cache", FAILING_DISK=full))
    assert (loaded, compiled > 0) == (0, True)
    start = f"studylib: compiled kernels cannot be kept in {tmp_path / 'cache'}"
    assert line.startswith(start)
    assert re.search(f"so every process takes seconds for them .*{os.strerror(errno.ENOSPC)}{file}", line)


def flipped(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_another_clone_finds_what_one_compiled(warm, begin, library, tmp_path):
    clone = shutil.copytree(library / "studylib", tmp_path / "elsewhere/studylib").parent
    loaded, compiled, lines = ended(begin(tmp_path, NUMBA_CACHE_DIR=warm, PYTHONPATH=clone))
    assert (loaded > 0, compiled, lines) == (True, 0, [])


@pytest.fixture(scope="module")
def carrying(begin, library, tmp_path_factory):
    """A copy of the package with kernels for a processor of any kind."""
    package = shutil.copytree(library / "studylib", tmp_path_factory.mktemp("carrying") / "studylib")
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CACHE_DIR": package / "_kernels"}
    assert ended(begin(package.parent, PYTHONPATH=package.parent, **generic))[2] == []
    return package.parent


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_kernels_that_came_with_the_package_are_used_and_left_alone(carrying, begin, tmp_path):
    before = contents(carrying)
    loaded, compiled, lines = ended(begin(tmp_path, PYTHONPATH=carrying))
    assert (loaded > 0, compiled, lines) == (True, 0, [])
    assert list(tmp_path.iterdir()) == []
    assert contents(carrying) == before


@pytest.mark.parametrize("damage", [flipped, Path.unlink])
def test_kernels_that_came_and_cannot_be_used_are_passed_over(carrying, begin, tmp_path, damage):
    copy = shutil.copytree(carrying, tmp_path / "copy")
    for path in copy.rglob("*.kernel"):
        damage(path)
    before = contents(copy)
    loaded, compiled, lines = ended(begin(tmp_path, PYTHONPATH=copy, NUMBA_CACHE_DIR=tmp_path / "cache"))
    assert (loaded, compiled > 0, lines) == (0, True, [])
    assert contents(copy) == before


def test_a_wheel_carries_kernels(begin, tmp_path):
    uv = Path(sys.executable).with_name("uv")
    if not sys.platform.startswith("linux") or not uv.exists():
        pytest.skip("no Linux, or no uv")
    root = Path(__file__).parents[2]
    peer = re.search(r"^WHEEL +:= (.+)$", (root / "Makefile").read_text(), re.MULTILINE)[1]
    reached = subprocess.run([uv, "tool", "run", "--from", peer, "wheel", "version"], capture_output=True)
    if reached.returncode:
        pytest.skip("no package index")
    names = {"PYTHON": sys.executable, "UV": str(uv)}  # relative, as in the Makefile
    names = {name: os.path.relpath(path, root) for name, path in names.items()}
    names |= {"WHEEL": peer, "DIST": str(tmp_path / "dist")}
    build = ["sh", root / "tools/wheel.sh", "OneRClassifier"]
    subprocess.run(build, cwd=root, env=os.environ | names, check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").iterdir()
    assert re.fullmatch(r"studylib-.+-cp3\d+-none-linux_.+\.whl", wheel.name)
    install = [sys.executable, "-m", "pip", "install", "--no-deps", "--target", tmp_path / "site", wheel]
    subprocess.run(install, check=True, capture_output=True)
    loaded, compiled, lines = ended(begin(tmp_path, PYTHONPATH=tmp_path / "site"))
    assert (loaded > 0, compiled, lines) == (True, 0, [])
    record = next((tmp_path / "site").glob("*.dist-info")) / "RECORD"
    assert "studylib/_kernels/" in record.read_text()


# The rest runs here.


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The two folders in which kernels are kept; nothing was said yet."""
    monkeypatch.delenv("STUDYLIB_RUN", raising=False)
    monkeypatch.setattr(compiling, "_NOTICE", compiling.Notice())
    places = [tmp_path / "one", tmp_path / "two"]
    monkeypatch.setattr(compiling, "_places", lambda: places)
    return places


def used(state):
    """Use a kernel that a process has not used yet; whether it was found."""
    kernel = compiling.njit(cache=True, nogil=True)(random.next_word.py_func)
    before = state.copy()
    result, state[:] = kernel(state), before
    assert result == random.next_word(before)
    (signature,) = kernel.signatures
    assert signature[0].layout == ("C" if state.flags.contiguous else "A")
    return bool(kernel.stats.cache_hits)


STATE = np.arange(4, dtype=np.uint64)


@pytest.mark.parametrize("damage", [lambda path: path.write_bytes(b""), flipped])
def test_what_is_damaged_counts_as_missing_is_replaced_and_that_is_said_once(places, caplog, damage):
    states = STATE, STATE[::2]
    assert not any(used(state) for state in states)
    for path in places[0].rglob("*.kernel"):
        damage(path)
    assert [used(state) for state in (*states, *states)] == [False, False, True, True]
    (line,) = without_patience(caplog.messages)
    assert line.startswith(f"studylib: compiled kernels in {places[0]}")
    assert "are damaged and are compiled again (" in line


def test_kernels_that_check_bounds_are_others(places, monkeypatch):
    assert [used(STATE), used(STATE)] == [False, True]
    monkeypatch.setattr(compiling.numba.config, "BOUNDSCHECK", 1)
    assert not used(STATE)


def test_a_file_with_the_name_of_another_is_not_used(places, caplog):
    other = STATE[::2]
    assert [used(state) for state in (STATE, other, STATE, other)] == [False, False, True, True]
    first, two = places[0].rglob("*.kernel")
    contents = first.read_bytes(), two.read_bytes()
    two.write_bytes(contents[0])
    first.write_bytes(contents[1])
    assert [used(state) for state in (STATE, other, STATE, other)] == [False, False, True, True]
    assert not without_patience(caplog.messages)


def test_the_next_folder_is_used_without_a_word(places, caplog):
    places[0].touch()
    assert [used(STATE), used(STATE)] == [False, True]
    assert any(places[1].rglob("*.kernel"))
    assert not without_patience(caplog.messages)


def test_only_a_folder_of_the_user_alone_is_trusted(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(FileNotFoundError):
        kernel_cache.temporary()
    folder = kernel_cache.temporary(make=True)
    assert kernel_cache.temporary() == folder
    folder.chmod(0o755)
    with pytest.raises(PermissionError, match="alone"):
        kernel_cache.temporary(make=True)
    folder.chmod(0o700)
    folder.rename(tmp_path / "other")
    folder.symlink_to(tmp_path / "other")
    with pytest.raises(PermissionError, match="alone"):
        kernel_cache.temporary(make=True)
    another = os.getuid() + 1
    monkeypatch.setattr(os, "getuid", lambda: another)
    with pytest.raises(PermissionError, match="alone"):  # made by us, and no longer ours
        kernel_cache.temporary(make=True)


def test_an_installed_package_keeps_kernels_beside_itself_or_with_the_user(tmp_path, monkeypatch, unset):
    monkeypatch.setattr(kernel_cache, "_ROOT", tmp_path)
    monkeypatch.setattr(kernel_cache, "_PACKAGE", tmp_path / "studylib")
    name = kernel_cache.source_hash()[:16]
    beside, user = tmp_path / "studylib/__pycache__" / name, tmp_path / "home" / name
    assert kernel_cache.folders(tmp_path / "home") == [beside, user]
    assert kernel_cache.folders("~/.cache") == [beside]


def test_the_sources_of_a_zip_are_the_zip(tmp_path, monkeypatch):
    monkeypatch.setattr(kernel_cache, "_ROOT", tmp_path / "a.zip")
    monkeypatch.setattr(kernel_cache, "_PACKAGE", tmp_path / "a.zip/studylib")
    (tmp_path / "a.zip").write_bytes(b"1")
    before = kernel_cache.source_hash.__wrapped__()
    (tmp_path / "a.zip").write_bytes(b"2")
    assert kernel_cache.source_hash.__wrapped__() != before
